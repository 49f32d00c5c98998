//! The form: what is typed is kept, what is bad is refused with its limit, sliders and presets.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_session::{
    ConstraintSource, Control, Effect, Failure, Msg, NewTokens, OptionKey, PRESETS, Report, StrategyKind, sentence,
};
use support::Page;

/// CASE 7: from a field. Each text is refused, stays, and leaves the last good value in force.
#[test]
fn a_bad_text_stays_and_the_last_good_value_stays_in_force() {
    let cases: [(Control, &[&str]); 6] = [
        (Control::Temperature, &["-1", "nan", "inf", "1e999", "", "warm", "0,8", "-1e-300"]),
        (Control::TopK, &["-1", "2.5", "4294967296", "", "ten", "1e3", "inf"]),
        (Control::TopP, &["0", "-0.1", "1.01", "nan", "", "half", "0.0", "1e-400"]),
        (Control::RepetitionPenalty, &["0", "-1.3", "0.99", "nan", "", "some", "inf", "1e999"]),
        (Control::Seed, &["-1", "1.5", "18446744073709551616", "", "lucky", "1e3", "0x10"]),
        (Control::NewTokens, &["0", "-4", "1025", "2.5", "", "many"]),
    ];
    for (control, texts) in cases {
        for text in texts {
            let mut page = Page::ready("");
            page.type_in(Control::Prompt, "Once");
            let before = page.session.controls().values();
            page.type_in(control, text);
            let controls = page.session.controls();
            assert_eq!(controls.values(), before, "{control:?} {text:?}");
            let error = controls.error(control).unwrap().to_string();
            assert!(error.contains(text), "{error}");

            page.take();
            page.tell(Msg::Generate);
            assert!(!page.asks_to_generate(), "{control:?} {text:?}");
            assert!(page.effects.contains(&Effect::FocusControl(control)));
            let refusal = page.session.refusal().unwrap();
            assert_eq!(refusal.control(), Some(control));
            assert!(refusal.to_string().starts_with("Not started: "), "{refusal}");
        }
    }
}

#[test]
fn the_text_is_kept_as_typed() {
    let mut page = Page::ready("");
    page.type_in(Control::Temperature, " 0.50");
    assert_eq!(page.session.controls().temperature.text(), " 0.50");
    assert_eq!(page.session.controls().temperature.value().get(), 0.5);
    page.type_in(Control::Temperature, "0.5x");
    assert_eq!(page.session.controls().temperature.text(), "0.5x");
    assert_eq!(page.session.controls().temperature.value().get(), 0.5);
}

#[test]
fn a_sentence_has_the_value_and_the_limit() {
    let mut page = Page::ready("");
    for (control, text, words) in [
        (Control::Temperature, "-1", "temperature is -1, but must be 0 or more"),
        (Control::TopP, "0", "top-p is 0, but must be above 0 and at most 1"),
        (Control::RepetitionPenalty, "0.9", "repetition penalty is 0.9, but must be 1 or more and finite; 1 turns"),
        (Control::RepetitionPenalty, "", "repetition penalty is empty; type a number such as 1.2, or 1 for off"),
        (
            Control::Temperature,
            "1e400",
            "temperature is 1e400 (so large that it counts as infinite), but must be 0 or more",
        ),
        (
            Control::Temperature,
            "-1e400",
            "temperature is -1e400 (so large that it counts as infinite), but must be 0 or more",
        ),
        (Control::Temperature, "inf", "temperature is inf, but must be 0 or more and finite; 0 always"),
        (Control::TopP, "1e-400", "top-p is 1e-400 (so small that it counts as 0), but must be above 0"),
        (Control::TopP, "0.00", "top-p is 0.00, but must be above 0"),
        (Control::TopP, "1.50", "top-p is 1.50, but must be"),
        (Control::RepetitionPenalty, "1e999", "repetition penalty is 1e999 (so large"),
        (Control::TopK, "-1", "top-k is -1, but must be a whole number from 0 to 4294967295"),
        (Control::Seed, "-1", "must be a whole number from 0 to 18446744073709551615"),
        (Control::NewTokens, "0", "new tokens is 0, but must be a whole number from 1 to 1024"),
        (Control::Seed, "", "the seed is empty; type a whole number such as 42"),
        (Control::TopP, "most", "which is not a number; type a number such as 0.9, or 1 for off"),
    ] {
        page.type_in(control, text);
        let error = page.session.controls().error(control).unwrap().to_string();
        assert!(error.contains(words), "{error}");
        let whole = sentence::sentence(page.session.controls().error(control).unwrap());
        assert!(whole.starts_with(char::is_uppercase) && whole.ends_with('.'), "{whole}");
    }
}

/// CASE 7: tiny temperatures and p are good values, and stay exactly what they are.
#[test]
fn tiny_values_are_good() {
    let mut page = Page::ready("?temperature=1e-40&top_p=1e-8");
    let controls = page.session.controls();
    assert_eq!(controls.temperature.value().get(), 1e-40);
    assert_eq!(controls.top_p.value().get(), 1e-8);
    page.tell(Msg::NewSeed(1));
    let address = page.address().unwrap();
    assert!(address.contains("temperature=1e-40&") && address.contains("top_p=1e-8&"), "{address}");
}

#[test]
fn a_temperature_above_the_slider_can_be_typed() {
    let mut page = Page::ready("");
    page.type_in(Control::Temperature, "10");
    assert_eq!(page.session.controls().temperature.value().get(), 10.0);
}

#[test]
fn seeds_are_exact_up_to_the_last() {
    for seed in [0, (1 << 53) + 1, u64::MAX - 1, u64::MAX] {
        let mut page = Page::ready("");
        page.type_in(Control::Prompt, "Once");
        page.type_in(Control::Seed, &seed.to_string());
        assert!(page.address().unwrap().contains(&format!("seed={seed}&")));
        page.take();
        page.tell(Msg::Generate);
        assert_eq!(page.generated().seed, seed);
    }
}

/// CASE 10: at temperature 0 the seed control says that it is not used.
#[test]
fn at_temperature_zero_the_seed_is_said_to_be_unused() {
    let mut page = Page::ready("");
    let note = |page: &Page| sentence::seed(page.session.controls().temperature.value().is_zero());
    assert_eq!(note(&page), None);
    page.type_in(Control::Temperature, "0");
    assert!(note(&page).unwrap().contains("Not used"));
}

#[test]
fn an_empty_prompt_is_refused_and_the_refusal_ends_when_something_is_typed() {
    let mut page = Page::ready("");
    page.tell(Msg::Generate);
    assert!(!page.asks_to_generate());
    assert!(page.effects.contains(&Effect::FocusControl(Control::Prompt)));
    assert!(page.session.refusal().unwrap().to_string().contains("prompt is empty"));
    page.type_in(Control::Seed, "5");
    assert!(page.session.refusal().is_some(), "another control does not mend it");
    page.type_in(Control::Prompt, "O");
    assert!(page.session.refusal().is_none());
}

#[test]
fn a_slider_puts_its_value_into_the_field() {
    let mut page = Page::ready("");
    page.type_in(Control::Temperature, "hot");
    page.tell(Msg::MovedSlider { control: Control::Temperature, position: 0.30000000000000004 });
    let temperature = &page.session.controls().temperature;
    assert_eq!((temperature.text(), temperature.value().get()), ("0.3", 0.3));
    assert_eq!(temperature.error(), None);
    page.tell(Msg::MovedSlider { control: Control::TopP, position: 0.95 });
    assert_eq!(page.session.controls().top_p.text(), "0.95");
    page.tell(Msg::MovedSlider { control: Control::TopK, position: 0.0 });
    assert_eq!(page.session.controls().top_k.text(), "0");
    let before = page.session.controls().clone();
    page.tell(Msg::MovedSlider { control: Control::Seed, position: 5.0 });
    assert_eq!(*page.session.controls(), before, "the seed has no slider");
}

#[test]
fn every_preset_sets_all_sliders_and_leaves_the_seed() {
    for (place, preset) in PRESETS.iter().enumerate() {
        let mut page = Page::ready("?seed=77");
        page.type_in(Control::TopK, "bad");
        page.type_in(Control::RepetitionPenalty, "1.5");
        page.tell(Msg::ChosePreset(place));
        assert_eq!(page.session.controls().settings(), preset.settings().unwrap());
        assert_eq!(page.session.controls().first_bad(), None);
        assert_eq!(page.session.controls().seed.value().0, 77);
    }
    let mut page = Page::ready("");
    let before = page.session.controls().clone();
    page.tell(Msg::ChosePreset(PRESETS.len()));
    assert_eq!(*page.session.controls(), before);
}

/// CASE 18: which way the name of the end-of-text token is read is a choice, and is said.
#[test]
fn the_end_of_text_token_in_a_prompt_is_text_unless_chosen_otherwise() {
    let prompt = "a<|endoftext|>b";
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, prompt);
    page.take();
    page.tell(Msg::Generate);
    assert!(!page.generated().special_tokens);
    let as_text = sentence::special_tokens(&page.session).unwrap();
    assert!(as_text.contains("plain text"), "{as_text}");

    page.tell(Msg::SetSpecialTokens(true));
    assert!(page.address().unwrap().contains("special=1"));
    let as_token = sentence::special_tokens(&page.session).unwrap();
    assert!(as_token.contains("the token"), "{as_token}");

    let mut again = Page::open(page.address().unwrap());
    again.engine_is_ready();
    assert!(again.generated().special_tokens);
}

/// An input of one line would drop a line break of the address, and the field would show another text than is used.
#[test]
fn a_line_break_in_a_field_of_one_line_is_written_out() {
    let mut page = Page::ready("?prompt=Once&output=regex&regex=a%0Ab%2B%0D&slots=2%0A&schema=%7B%0A%7D");
    assert_eq!(page.session.options().text(OptionKey::Regex), "a\\nb+\\r");
    assert_eq!(page.session.options().text(OptionKey::Schema), "{\n}", "this field has lines");
    assert_eq!(page.generated().constraint, Some(ConstraintSource::Regex("a\\nb+\\r".into())), "and it is a good one");
    page.tell(Msg::ChoseStrategy(StrategyKind::Slots));
    page.tell(Msg::Generate);
    let error = page.session.option_error(OptionKey::Slots).unwrap().to_string();
    assert!(error.contains("\u{201c}2\\n\u{201d} does not do"), "{error}");
}

/// The choice is of the prompts that the strategy reads, wherever they stand.
#[test]
fn the_end_of_text_token_is_looked_for_where_the_model_reads() {
    for (kind, key) in [(StrategyKind::Batch, OptionKey::Prompts), (StrategyKind::Slots, OptionKey::Requests)] {
        let mut page = Page::ready("");
        page.type_in(Control::Prompt, "a<|endoftext|>b");
        page.tell(Msg::ChoseStrategy(kind));
        assert_eq!(sentence::special_tokens(&page.session), None, "the prompt field is not read");
        page.tell(Msg::TypedOption { key, text: "0 4 a<|endoftext|>b".into() });
        assert!(sentence::special_tokens(&page.session).unwrap().contains("plain text"));
        page.type_in(Control::Prompt, "");
        page.tell(Msg::SetSpecialTokens(true));
        assert!(sentence::special_tokens(&page.session).unwrap().contains("the token"));
        page.tell(Msg::ChoseStrategy(StrategyKind::Sample));
        assert_eq!(sentence::special_tokens(&page.session), None, "the prompts are not read");
    }
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "a<|endoftext|>b");
    page.tell(Msg::ChoseStrategy(StrategyKind::Bigram));
    assert_eq!(sentence::special_tokens(&page.session), None, "words that are counted are no tokens");
}

#[test]
fn the_number_of_new_tokens_has_a_limit() {
    assert_eq!(NewTokens::new(0), None);
    assert_eq!(NewTokens::new(NewTokens::MOST).unwrap().get(), NewTokens::MOST);
    assert_eq!(NewTokens::new(NewTokens::MOST + 1), None);
    assert_eq!(NewTokens::DEFAULT.get(), 40);
}

/// Nothing from outside stretches the page: what is quoted is cut.
/// With a width of 1 there is no range from which to choose.
#[test]
fn more_results_than_beams_are_refused_with_what_to_do() {
    let error =
        |address: &str| Page::ready(address).session.option_error(OptionKey::Results).map(|error| error.message);
    let said = error("?strategy=beam&width=1&results=3").unwrap();
    assert!(said.contains("3 results are more than the width of 1") && said.contains("or a larger width"), "{said}");
    assert!(error("?strategy=beam&width=4&results=0").unwrap().contains("from 1 to 16"));
    assert_eq!(error("?strategy=beam&width=4&results=4"), None);
}

#[test]
fn whatever_is_quoted_is_short() {
    let long = "x".repeat(5000);
    let queries = [
        format!("?model={long}/{long}/x"),
        format!("?device={long}"),
        format!("?temperature={long}&prompt=a"),
        format!("?seed={long}&prompt=a"),
        format!("?recording={long}"),
    ];
    let mut said = Vec::new();
    for query in queries {
        let mut page = Page::open(&query);
        page.index_arrives();
        let session = &page.session;
        said.extend(session.link_errors().iter().map(sentence::sentence));
        said.extend(session.refusal().map(ToString::to_string));
        said.extend(session.recording_error().map(|error| sentence::sentence(&error)));
        let field = |control| session.controls().error(control).map(ToString::to_string);
        said.extend([Control::Temperature, Control::Seed].into_iter().filter_map(field));
    }
    let mut page = Page::ready("");
    page.choose(&long);
    said.extend(page.session.chooser().refusal.clone());
    page.choose(&format!("https://example.org/{}", &long[..1900]));
    said.push(page.session.engine().name());
    page.tell(Msg::EngineTrapped { message: long.clone() });
    said.push(sentence::engine(page.session.engine(), false));
    let address = "config.json".to_owned();
    page.report(Report::Failed { run: None, failure: Failure::Config { address, message: long.clone() } });
    said.push(sentence::engine(page.session.engine(), false));
    assert_eq!(said.len(), 11, "{said:#?}");
    for text in said {
        assert!(text.contains('\u{2026}') && text.chars().count() < 650, "{text}");
    }
    page.about_the_model(nucleus_session::ModelMsg::OpenChooser);
    assert!(page.session.chooser().address.len() > 1900, "what can be changed is there whole");
}
