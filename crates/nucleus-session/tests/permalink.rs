//! A link says again what it was made from.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_sampler::TokenId;
use nucleus_session::{
    Check, Control, DevicePreference, Link, LinkError, ModelSource, Msg, OptionKey, Options, Report, StrategyKind,
    WeightFormat, sentence,
};
use proptest::option;
use proptest::prelude::*;
use support::{Page, honest_step, logits};

prop_compose! {
    fn any_link()(
        texts in prop::array::uniform8(option::of(any::<String>())),
        model in option::of("[a-z0-9_][a-z0-9._-]{0,12}(/[a-z0-9]{1,9})?|https://[a-z]{1,5}/[a-z]{0,9}"),
        weights in option::of(prop::sample::select(vec![WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8])),
        special_tokens in any::<bool>(),
        step in option::of(any::<usize>()),
        device in option::of(prop::sample::select(vec![
            DevicePreference::Auto, DevicePreference::Cpu, DevicePreference::WebGpu,
        ])),
        check in option::of(prop::collection::vec(any::<u32>(), 0..9)),
        strategy in prop::sample::select(StrategyKind::ALL.to_vec()),
        forced in prop::collection::vec((any::<usize>(), any::<u32>()), 0..4),
        typed in prop::collection::vec((prop::sample::select(OptionKey::ALL.to_vec()), any::<String>()), 0..4),
    ) -> Link {
        let mut options = Options::default();
        options.extend(typed);
        let [recording, prompt, temperature, top_k, top_p, repetition_penalty, seed, new_tokens] = texts;
        Link {
            model: model.and_then(|text| ModelSource::parse(&text).ok()),
            weights,
            recording, prompt, special_tokens, temperature, top_k, top_p, repetition_penalty, seed, new_tokens,
            step,
            device,
            check: check.map(|ids| Check::of(ids.into_iter().map(TokenId))),
            forced: forced.into_iter().map(|(step, id)| (step, TokenId(id))).collect(),
            strategy,
            options,
            left_out: Vec::new(),
        }
    }
}

proptest! {
    #[test]
    fn a_link_is_read_as_it_was_written(link in any_link()) {
        let query = link.write();
        prop_assert!(query.is_ascii());
        prop_assert_eq!(Link::parse(&query), (link, Vec::new()));
    }

    #[test]
    fn any_query_is_read(query in any::<String>()) {
        let (link, _) = Link::parse(&query);
        prop_assert_eq!(Link::parse(&link.write()).0, link);
    }

    #[test]
    fn whatever_is_typed_comes_back_from_the_address(prompt in ".{1,40}", seed in any::<u64>()) {
        let mut page = Page::ready("");
        page.type_in(Control::Prompt, &prompt);
        page.type_in(Control::Seed, &seed.to_string());
        let query = page.address().unwrap().to_owned();
        let again = Page::open(&query);
        prop_assert_eq!(again.session.controls().values(), page.session.controls().values());
        prop_assert_eq!(again.session.link(), page.session.link());
    }
}

#[test]
fn a_link_is_explicit_and_in_a_fixed_order() {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "a b&c=d+e\n\u{1F409}");
    let expected =
        "?model=tales&prompt=a%20b%26c%3Dd%2Be%0A%F0%9F%90%89&temperature=0.8&top_k=40&top_p=0.9&seed=42&new=40";
    assert_eq!(page.address(), Some(expected));
}

#[test]
fn the_address_follows_every_control_and_the_step() {
    let (mut page, request) = Page::running();
    page.steps(&request, 4);
    page.finish(request.run);
    page.take();
    let moves: [(Msg, &str); 7] = [
        (Msg::MovedSlider { control: Control::Temperature, position: 0.5 }, "temperature=0.5"),
        (Msg::MovedSlider { control: Control::TopK, position: 1.0 }, "top_k=1&"),
        (Msg::MovedSlider { control: Control::TopP, position: 0.25 }, "top_p=0.25"),
        (Msg::MovedSlider { control: Control::RepetitionPenalty, position: 1.3 }, "&top_p=0.25&penalty=1.3&seed="),
        (Msg::NewSeed(u64::MAX), "seed=18446744073709551615"),
        (Msg::Typed { control: Control::NewTokens, text: "7".into() }, "new=7"),
        (Msg::FocusStep(3), "step=3"),
    ];
    for (msg, words) in moves {
        page.tell(msg);
        let address = page.address().unwrap();
        assert!(address.contains(words), "{address}");
    }
    page.take();
    page.tell(Msg::FocusStep(3));
    assert_eq!(page.address(), None, "nothing has changed");
    page.tell(Msg::FollowLatest);
    assert!(!page.address().unwrap().contains("step="));
}

/// A link from before there was a penalty means that there is none.
#[test]
fn a_penalty_that_is_off_is_not_in_the_address() {
    let mut page = Page::ready("?penalty=1.5&seed=3");
    assert_eq!(page.session.controls().repetition_penalty.value().get(), 1.5);
    page.type_in(Control::RepetitionPenalty, "1.0");
    assert!(!page.address().unwrap().contains("penalty"));
    assert!(Page::ready("?seed=3").session.controls().repetition_penalty.value().is_off());
}

#[test]
fn a_bad_text_does_not_get_into_the_address() {
    let mut page = Page::ready("");
    page.type_in(Control::Temperature, "0.7");
    page.type_in(Control::Temperature, "0.7x");
    page.type_in(Control::Seed, "5");
    assert!(page.address().unwrap().contains("temperature=0.7&"));
}

#[test]
fn a_recording_stays_in_the_address_until_another_prompt_is_typed() {
    let mut page = Page::open("");
    page.index_arrives();
    page.recording_arrives("walk");
    page.tell(Msg::FocusStep(2));
    let address = page.address().unwrap();
    assert!(address.contains("recording=walk") && address.contains("step=2"), "{address}");

    let mut again = Page::open(address);
    again.index_arrives();
    again.recording_arrives("walk");
    assert_eq!(again.session.focus_index(), Some(2));
    assert_eq!(again.session.link(), page.session.link());

    page.type_in(Control::Prompt, "Mine");
    assert!(!page.address().unwrap().contains("recording="));
}

#[test]
fn what_cannot_be_meant_is_left_out_with_its_own_words() {
    let (link, errors) = Link::parse("?prompt=%FF&special=yes&check=3&model=a/b/c&step=-1&device=gpu");
    assert_eq!(link, Link::default());
    assert_eq!(errors[0], LinkError::NotUtf8 { key: "prompt" });
    let keys: Vec<&str> = errors
        .iter()
        .map(|error| match error {
            LinkError::NotUtf8 { key } | LinkError::Value { key, .. } => *key,
            LinkError::ForcedTwice { .. } | LinkError::LeftOut(_) => panic!("{error}"),
        })
        .collect();
    assert_eq!(keys, ["prompt", "special", "check", "model", "step", "device"]);
    for error in &errors[1..] {
        assert!(error.to_string().contains("but must be"), "{error}");
    }
}

#[test]
fn a_step_that_is_forced_twice_is_refused_and_the_rest_stays() {
    for (pairs, first, second) in [("3:5,3:6", 5, 6), ("3:5,9:7,3:5", 5, 5), ("1:2,3:4000000000,3:0", 4_000_000_000, 0)]
    {
        let (link, errors) = Link::parse(&format!("?prompt=Once&seed=7&force={pairs}&new=12&check=12-00000000"));
        assert_eq!(errors, [LinkError::ForcedTwice { step: 3, first: TokenId(first), second: TokenId(second) }]);
        let said = errors[0].to_string();
        assert!(said.contains(&format!("step 3 two tokens, {first} and {second}, but")), "{said}");
        assert!(said.contains("can have one") && said.contains("name each step once"), "{said}");
        let (rest, _) = Link::parse("?prompt=Once&seed=7&new=12");
        assert_eq!(link, rest, "its check is of a run with the tokens that are left out");
    }
    let mut page = Page::ready("?prompt=Once&force=3:5,3:6");
    assert!(page.generated().script.forced.is_empty());
    assert_eq!(page.session.link_errors().len(), 1);
}

#[test]
fn of_a_key_that_comes_twice_the_first_counts() {
    let (link, _) = Link::parse("seed=1&seed=2&Seed=3");
    assert_eq!(link.seed.as_deref(), Some("1"));
}

/// A link carries the check of its run, and the page that opens it says whether it got the same.
#[test]
fn a_link_says_whether_its_tokens_came_again() {
    let (mut page, request) = Page::running();
    page.steps(&request, 4);
    page.take();
    page.finish(request.run);
    let query = page.address().unwrap().to_owned();
    assert!(query.contains("check=4-"), "{query}");

    let mut same = Page::open(&query);
    same.engine_is_ready();
    let again = same.generated();
    same.steps(&again, 3);
    assert_eq!(sentence::as_in_the_link(same.session.run().unwrap()), None);
    same.step(&again, 3);
    let said = sentence::as_in_the_link(same.session.run().unwrap());
    assert_eq!(said, Some("The same tokens as in the link."));

    let mut other = Page::open(&query);
    other.engine_is_ready();
    let again = other.generated();
    other.steps(&again, 3);
    let mut step = honest_step(&again, 3);
    step.token = TokenId(step.token.0 % 11 + 1);
    let report = Report::Step { run: again.run, step };
    other.tell(Msg::Reported { report, logits: Some(logits(3)), at_ms: 0.0 });
    let said = sentence::as_in_the_link(other.session.run().unwrap()).unwrap();
    assert!(said.starts_with("Other tokens than in the link"), "{said}");
}

#[test]
fn a_run_that_ends_before_the_links_did_is_another() {
    let mut page = Page::open("?prompt=Once&check=4-00000000");
    page.engine_is_ready();
    let request = page.generated();
    page.steps(&request, 2);
    page.finish(request.run);
    assert_eq!(page.session.run().unwrap().as_in_the_link, Some(false));
}

#[test]
fn a_run_that_was_stopped_early_tells_nothing() {
    let mut page = Page::open("?prompt=Once&check=4-00000000");
    page.engine_is_ready();
    let request = page.generated();
    page.steps(&request, 2);
    page.tell(Msg::Stop);
    page.finish(request.run);
    assert_eq!(page.session.run().unwrap().as_in_the_link, None);
}

#[test]
fn a_check_belongs_only_to_its_own_run() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    page.finish(request.run);
    assert!(page.address().unwrap().contains("check="));
    page.tell(Msg::NewSeed(1));
    assert!(!page.address().unwrap().contains("check="));
}

#[test]
fn what_is_empty_is_not_there() {
    let (link, errors) = Link::parse("?model=&weights=&device=&prompt=a");
    assert_eq!(errors, []);
    assert_eq!(link, Link { prompt: Some("a".into()), ..Link::default() });
}
