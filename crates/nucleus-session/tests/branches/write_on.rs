//! A text is written on from where it was left.

use nucleus_sampler::TokenId;
use nucleus_session::{BranchMsg, Msg, OptionKey, Report, RunState, StopReason, sentence};

use crate::support::Page;
use crate::{tell, write, written};

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
    assert!(page.session.branches().is_empty(), "the text that was left is there again");
}

#[test]
fn a_text_that_was_gone_back_on_says_so() {
    let (mut page, _) = written();
    tell(&mut page, 3, BranchMsg::Rewind);
    let said = sentence::run(page.session.run().unwrap());
    assert!(said.starts_with("3 tokens. You went back to here"), "{said}");
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
