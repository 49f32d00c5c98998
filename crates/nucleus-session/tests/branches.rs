//! Taking another way: forcing a token, going back to a step, and the branches that are kept.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_sampler::{Temperature, TokenId, log_softmax_at};
use nucleus_session::{
    BranchMsg, Control, Effect, EngineState, GenerateRequest, ModelInfo, Msg, OptionKey, Report, RunState, StepReport,
    StopReason, sentence,
};
use support::{Page, TOKENS, honest_step, logits, model, vocabulary};

/// What the engine tells of a run: its prompt, the tokens that are not given, and that it is over.
fn write(page: &mut Page, request: &GenerateRequest) {
    page.report(Report::Started { run: request.run, prompt: vec![TokenId(1)], window_start: 0 });
    for index in request.script.given.len()..request.new_tokens as usize {
        let mut step = honest_step(request, index);
        if let Some(&token) = request.script.forced.get(&index) {
            step = StepReport { token, log_probability: log_softmax_at(&logits(index), token), ..step };
        }
        page.tell(Msg::Reported {
            report: Report::Step { run: request.run, step },
            logits: Some(logits(index)),
            at_ms: 0.0,
        });
    }
    page.finish(request.run);
}

/// A run of six tokens that is over.
fn written() -> (Page, GenerateRequest) {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    page.type_in(Control::NewTokens, "6");
    page.effects.clear();
    page.tell(Msg::Generate);
    let request = page.generated();
    write(&mut page, &request);
    page.effects.clear();
    (page, request)
}

fn tell(page: &mut Page, step: usize, msg: BranchMsg) {
    page.tell(Msg::FocusStep(step));
    page.tell(Msg::Branch(msg));
}

/// A token that the run does not have at a step.
fn another(page: &Page, step: usize) -> TokenId {
    let had = page.tokens()[step];
    (1..12).map(TokenId).find(|&id| id != had).unwrap()
}

fn choices(page: &Page) -> Vec<u32> {
    page.session.choices().iter().map(|choice| choice.token.0).collect()
}

#[test]
fn a_forced_token_has_the_text_before_it_and_a_new_one_after_it() {
    let (mut page, first) = written();
    let before = page.tokens();
    let token = another(&page, 2);
    tell(&mut page, 2, BranchMsg::Force(token));
    let request = page.generated();
    assert_eq!(request.script.given, before[..2]);
    assert_eq!(request.script.forced.iter().collect::<Vec<_>>(), [(&2, &token)]);
    assert_eq!((request.seed, request.settings, &request.prompt), (first.seed, first.settings, &first.prompt));
    write(&mut page, &request);
    let now = page.tokens();
    assert_eq!((&now[..2], now[2], now.len()), (&before[..2], token, 6));
    assert_eq!(page.session.focus_index(), Some(2));
    let branches = page.session.branches();
    assert_eq!(branches.len(), 1);
    assert!(branches[0].steps().iter().map(|step| step.report.token).eq(before));
}

#[test]
fn forced_tokens_add_up_and_going_back_before_one_undoes_it() {
    let (mut page, _) = written();
    for step in [4, 1] {
        let token = another(&page, step);
        tell(&mut page, step, BranchMsg::Force(token));
        let request = page.generated();
        write(&mut page, &request);
    }
    // The one at step 4 came after what was cut off at step 1.
    assert_eq!(page.session.run().unwrap().forced.keys().copied().collect::<Vec<_>>(), [1]);
    let token = another(&page, 3);
    tell(&mut page, 3, BranchMsg::Force(token));
    let request = page.generated();
    assert_eq!(request.script.given.len(), 3);
    write(&mut page, &request);
    assert_eq!(page.session.run().unwrap().forced.keys().copied().collect::<Vec<_>>(), [1, 3]);
    tell(&mut page, 2, BranchMsg::Rewind);
    assert_eq!(page.session.run().unwrap().forced.keys().copied().collect::<Vec<_>>(), [1]);
    assert_eq!(page.session.branches().len(), 4);
}

#[test]
fn a_text_that_was_gone_back_on_is_written_on_as_it_was() {
    let (mut page, first) = written();
    let before = page.tokens();
    tell(&mut page, 3, BranchMsg::Rewind);
    assert_eq!(page.tokens(), before[..3]);
    assert_eq!(page.session.run().unwrap().state, RunState::Finished(StopReason::User));
    assert!(!page.asks_to_generate() && page.session.can_write_on());
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    assert_eq!((request.seed, request.new_tokens, request.script.given.len()), (first.seed, 6, 3));
    assert!(request.script.forced.is_empty());
    write(&mut page, &request);
    assert_eq!(page.tokens(), before);
    assert!(!page.session.can_write_on(), "it has all its tokens");
}

/// The settings now are for what comes; what stands keeps the numbers it was drawn with.
#[test]
fn what_comes_after_is_drawn_with_the_settings_now() {
    let (mut page, _) = written();
    let before = page.session.run().unwrap().steps()[..3].to_vec();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.type_in(Control::Temperature, "0");
    page.type_in(Control::Prompt, "Twice");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    assert_eq!(request.settings.temperature, Temperature::ZERO);
    assert_eq!(request.prompt, "Once", "the prompt is the run's");
    write(&mut page, &request);
    let run = page.session.run().unwrap();
    assert_eq!(run.steps()[..3], before);
    assert!(run.is_mixed);
    page.type_in(Control::Prompt, "Once");
    assert_eq!(page.session.link().check, None, "no address leads to it");
}

#[test]
fn numbers_of_a_mixed_run_are_worked_out_anew_where_other_settings_drew_it() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.type_in(Control::Temperature, "0");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    page.type_in(Control::TopK, "2");
    page.type_in(Control::TopK, "0");
    while page.session.recompute_some(usize::MAX) {}
    let now = page.session.points_now()[0].unwrap();
    assert_eq!(now.nucleus_size, 1, "greedy keeps one");
    assert!(page.session.points_as_drawn()[0].nucleus_size > 1);
}

#[test]
fn more_tokens_are_no_other_settings() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.type_in(Control::NewTokens, "8");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert_eq!(page.tokens().len(), 8);
    assert!(!page.session.run().unwrap().is_mixed);
}

#[test]
fn a_branch_is_shown_and_nothing_is_lost() {
    let (mut page, _) = written();
    let first = page.tokens();
    let token = another(&page, 2);
    tell(&mut page, 2, BranchMsg::Force(token));
    let request = page.generated();
    write(&mut page, &request);
    let second = page.tokens();
    page.tell(Msg::Branch(BranchMsg::Show(0)));
    assert_eq!(page.tokens(), first);
    page.tell(Msg::Branch(BranchMsg::Show(7)));
    page.tell(Msg::Branch(BranchMsg::Show(0)));
    assert_eq!((page.tokens(), page.session.focus_index()), (second, Some(2)));
    assert_eq!(page.session.branches().len(), 1);
    page.tell(Msg::Generate);
    assert!(page.session.branches().is_empty(), "a new run has no branches");
}

#[test]
fn probabilities_are_multiplied_out() {
    let (mut page, _) = written();
    let (step, token) = (5, another(&page, 5));
    let before = page.session.run().unwrap().log_probability();
    let had = page.tokens()[step];
    tell(&mut page, step, BranchMsg::Force(token));
    let request = page.generated();
    write(&mut page, &request);
    let ln = |id| log_softmax_at(&logits(step), id);
    let by_hand: f64 = page.tokens().iter().enumerate().map(|(i, &id)| log_softmax_at(&logits(i), id)).sum();
    let now = page.session.run().unwrap().log_probability();
    assert!((now - by_hand).abs() < 1e-12 && (now - before - ln(token) + ln(had)).abs() < 1e-12);
}

#[test]
fn the_search_has_every_token_and_its_probability() {
    let (mut page, _) = written();
    tell(&mut page, 1, BranchMsg::OpenForce);
    let all = page.session.choices();
    assert_eq!(all.len(), TOKENS.len());
    assert!(all.is_sorted_by(|a, b| a.probability >= b.probability));
    assert!(all.iter().map(|choice| choice.rank).eq(0..TOKENS.len()));
    for choice in &all {
        assert!((choice.probability - log_softmax_at(&logits(1), choice.token).exp()).abs() < 1e-12);
    }
    page.tell(Msg::Branch(BranchMsg::TypedForce("G".into())));
    assert_eq!(choices(&page), [7]);
    page.tell(Msg::Branch(BranchMsg::TypedForce("#13".into())));
    assert_eq!(choices(&page), [13]);
    assert_eq!(
        all.iter().find(|choice| choice.token.0 == 13).map(|choice| choice.rank),
        Some(page.session.choices()[0].rank)
    );
    page.tell(Msg::Branch(BranchMsg::TypedForce("nothing".into())));
    page.tell(Msg::Branch(BranchMsg::ForceFirst));
    assert!(!page.asks_to_generate() && page.session.forcing().is_some());
    page.tell(Msg::Branch(BranchMsg::TypedForce(" g".into())));
    page.tell(Msg::Branch(BranchMsg::ForceFirst));
    assert_eq!(page.generated().script.forced.get(&1), Some(&TokenId(7)));
    assert_eq!(page.session.forcing(), None);
}

#[test]
fn the_search_closes_by_itself_when_another_run_is_shown() {
    let (mut page, _) = written();
    tell(&mut page, 1, BranchMsg::OpenForce);
    page.tell(Msg::Generate);
    assert_eq!(page.session.forcing(), None);
    let request = page.generated();
    page.tell(Msg::Branch(BranchMsg::OpenForce));
    assert_eq!(page.session.forcing(), None, "nor does it open while one is written");
    write(&mut page, &request);
    page.tell(Msg::Branch(BranchMsg::OpenForce));
    assert_eq!(page.session.forcing(), Some(""));
    page.tell(Msg::Branch(BranchMsg::CloseForce));
    assert_eq!((page.session.forcing(), page.session.choices().len()), (None, 0));
}

#[test]
fn what_stands_for_nothing_is_not_forced() {
    let (mut page, _) = written();
    tell(&mut page, 1, BranchMsg::Force(TokenId(16)));
    assert!(!page.asks_to_generate() && page.session.branches().is_empty());
}

#[test]
fn a_token_is_forced_however_few_are_wanted() {
    let (mut page, _) = written();
    page.type_in(Control::NewTokens, "2");
    let token = another(&page, 4);
    tell(&mut page, 4, BranchMsg::Force(token));
    let request = page.generated();
    assert_eq!(request.new_tokens, 5);
    write(&mut page, &request);
    assert_eq!((page.tokens().len(), page.tokens()[4]), (5, token));
}

#[test]
fn a_bad_control_is_named_and_the_text_stays() {
    let (mut page, _) = written();
    let before = page.tokens();
    page.type_in(Control::Temperature, "-1");
    tell(&mut page, 1, BranchMsg::Force(TokenId(3)));
    assert!(page.effects.contains(&Effect::FocusControl(Control::Temperature)));
    assert!(page.session.refusal().is_some() && !page.asks_to_generate());
    assert_eq!((page.tokens(), page.session.branches().len()), (before, 0));
    page.type_in(Control::Temperature, "1");
    page.type_in(Control::Prompt, "");
    tell(&mut page, 1, BranchMsg::Force(TokenId(3)));
    assert_eq!(page.generated().prompt, "Once", "a run has its prompt");
}

#[test]
fn an_ended_text_is_not_written_on() {
    let (mut page, _) = written();
    tell(&mut page, 2, BranchMsg::Force(TokenId(0)));
    let mut request = page.generated();
    request.new_tokens = 3;
    write(&mut page, &request);
    assert_eq!(page.tokens().last(), Some(&TokenId(0)));
    assert!(page.session.can_branch() && !page.session.can_write_on());
}

#[test]
fn a_recorded_run_has_branches_once_its_model_is_there() {
    let mut page = Page::open("");
    page.index_arrives();
    page.recording_arrives("walk");
    let before = page.tokens();
    assert!(page.session.why_no_branch().unwrap().contains("once the model is ready"));
    tell(&mut page, 2, BranchMsg::Rewind);
    assert_eq!(page.tokens(), before);
    page.engine_is_ready();
    tell(&mut page, 2, BranchMsg::Force(TokenId(3)));
    let request = page.generated();
    assert_eq!((request.script.given.as_slice(), request.seed), (&before[..2], 7));
    write(&mut page, &request);
    assert_eq!(page.tokens()[2], TokenId(3));
}

#[test]
fn a_run_of_another_model_has_none_and_the_page_says_why() {
    let other = |model: ModelInfo| {
        let mut page = Page::open("");
        page.index_arrives();
        page.recording_arrives("walk");
        let vocabulary = if model.name == "tales" { shorter() } else { vocabulary() };
        page.report(Report::Ready { model, vocabulary });
        assert_eq!(page.session.engine().state, EngineState::Ready);
        tell(&mut page, 2, BranchMsg::Force(TokenId(3)));
        assert!(!page.asks_to_generate() && page.session.branches().is_empty());
        page.session.why_no_branch().unwrap()
    };
    let named = other(ModelInfo { name: "gpt2".into(), ..model() });
    assert!(named.contains("of the model tales, but gpt2 is loaded"), "{named}");
    let same_name = other(ModelInfo { n_vocab: 15, ..model() });
    assert!(same_name.contains("vocabularies differ"), "{same_name}");
}

fn shorter() -> nucleus_session::Vocabulary {
    let whole = vocabulary();
    let last = whole.ends()[14];
    nucleus_session::Vocabulary::new(whole.flat()[..last as usize].to_vec(), whole.ends()[..15].to_vec()).unwrap()
}

#[test]
fn the_address_of_a_forced_run_leads_to_it() {
    let (mut page, _) = written();
    let token = another(&page, 2);
    tell(&mut page, 2, BranchMsg::Force(token));
    let request = page.generated();
    write(&mut page, &request);
    let (tokens, address) = (page.tokens(), page.address().unwrap().to_owned());
    assert!(
        address.contains(&format!("force=2%3A{token}")) || address.contains(&format!("force=2:{token}")),
        "{address}"
    );

    let mut opened = Page::ready(&address);
    let again = opened.generated();
    assert_eq!(again.script.forced, request.script.forced);
    assert!(again.script.given.is_empty());
    // What is not begun yet is in the address too.
    opened.tell(Msg::FocusStep(1));
    write(&mut opened, &again);
    assert_eq!(opened.tokens(), tokens);
    assert_eq!(opened.session.run().unwrap().as_in_the_link, Some(true));
    opened.tell(Msg::Generate);
    assert!(opened.generated().script.forced.is_empty(), "Generate draws every token");
}

#[test]
fn forced_tokens_of_a_run_that_waits_stay_in_the_address() {
    let mut page = Page::open("?prompt=Once&force=2:3");
    page.type_in(Control::Temperature, "0.5");
    assert!(page.address().unwrap().contains("force="), "{:?}", page.address());
    page.engine_is_ready();
    assert_eq!(page.generated().script.forced.get(&2), Some(&TokenId(3)));
}

/// Where the options changed, the tokens before were drawn under others.
#[test]
fn another_option_makes_a_mixed_run() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.tell(Msg::TypedOption { key: OptionKey::Stop, text: "zz".into() });
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert!(page.session.run().unwrap().is_mixed);
    // From its beginning all is drawn anew.
    tell(&mut page, 0, BranchMsg::Rewind);
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert!(!page.session.run().unwrap().is_mixed);
}

/// A run that is over for `reason`, after which an option may be changed.
fn ended(reason: StopReason) -> Page {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    page.report(Report::Started { run: request.run, prompt: vec![TokenId(1)], window_start: 0 });
    (3..5).for_each(|index| page.step(&request, index));
    let reason = Report::Finished {
        run: request.run,
        reason,
        log_probabilities_of_prompt: None,
        prefill_ms: 1.0,
        decode_ms: 1.0,
    };
    page.report(reason);
    page
}

#[test]
fn a_text_that_its_settings_ended_is_not_written_on_with_the_same() {
    for reason in [StopReason::StopString { index: 0 }, StopReason::Closed] {
        let mut page = ended(reason);
        assert!(page.session.can_branch() && !page.session.can_write_on(), "{reason:?}");
        page.tell(Msg::TypedOption { key: OptionKey::Stop, text: "zz".into() });
        assert!(page.session.can_write_on(), "{reason:?} no longer holds");
    }
    assert!(ended(StopReason::User).session.can_write_on());
}

/// Each request has a clock of its own.
#[test]
fn speed_is_that_of_the_tokens_written_last() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    assert_eq!(page.session.run().unwrap().first_token_ms(), None, "none is there yet");
    write(&mut page, &request);
    let run = page.session.run().unwrap();
    // Steps 3 to 5 came 16, 18 and 20 ms after the request.
    assert_eq!((run.first_token_ms(), run.tokens_per_second()), (Some(16.0), Some(500.0)));
    tell(&mut page, 2, BranchMsg::Rewind);
    let run = page.session.run().unwrap();
    assert_eq!((run.first_token_ms(), run.tokens_per_second()), (None, None), "their clock is not known any more");
}

#[test]
fn a_recorded_run_that_is_written_on_has_the_speed_of_the_engine() {
    let mut page = Page::open("");
    page.index_arrives();
    page.recording_arrives("walk");
    page.engine_is_ready();
    tell(&mut page, 2, BranchMsg::Rewind);
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert_eq!(page.session.run().unwrap().first_token_ms(), Some(14.0));
}

#[test]
fn the_prompts_probabilities_stay_known_where_the_engine_leaves_them_out() {
    let mut page = Page::open("");
    page.index_arrives();
    page.recording_arrives("walk");
    page.engine_is_ready();
    let before = page.session.run().unwrap().prompt_log_probabilities.clone();
    assert!(before.is_some());
    tell(&mut page, 2, BranchMsg::Rewind);
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let run = page.generated().run;
    let (prefill_ms, decode_ms) = (1.0, 1.0);
    page.report(Report::Finished {
        run,
        reason: StopReason::User,
        log_probabilities_of_prompt: None,
        prefill_ms,
        decode_ms,
    });
    assert_eq!(page.session.run().unwrap().prompt_log_probabilities, before);
}

/// An address may name a step that no run comes to.
#[test]
fn a_forced_step_beyond_the_run_asks_for_no_more_tokens() {
    let mut page = Page::ready("?prompt=Once&new=6&force=4000000000:3");
    let request = page.generated();
    page.steps(&request, 2);
    page.tell(Msg::Stop);
    page.finish(request.run);
    page.effects.clear();
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    assert_eq!(page.generated().new_tokens, 6);
}

#[test]
fn a_text_that_no_address_leads_to_says_so() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    assert_eq!(sentence::mixed(page.session.run().unwrap()), None);
    page.type_in(Control::Temperature, "0");
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    let said = sentence::mixed(page.session.run().unwrap()).unwrap();
    assert!(said.contains("no link leads to it"), "{said}");
}

/// What a beam search would do is nothing to a sampled text.
#[test]
fn a_field_of_another_strategy_makes_no_mixed_run() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    page.tell(Msg::TypedOption { key: OptionKey::Width, text: "3".into() });
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    let request = page.generated();
    write(&mut page, &request);
    assert!(!page.session.run().unwrap().is_mixed);
}
