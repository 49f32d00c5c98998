//! A token is forced, a step gone back to, and the branches left are kept.

use nucleus_sampler::{Temperature, TokenId, log_softmax_at};
use nucleus_session::{BranchMsg, Control, Effect, EngineState, ModelInfo, Msg, Report};

use crate::support::{Page, logits, model, vocabulary};
use crate::{another, tell, write, written};

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
