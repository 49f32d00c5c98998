//! Output that must have a form: what happens where it cannot have it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use nucleus_session::{BranchMsg, Control, Effect, Failure, Msg, OptionKey, Refusal, Report, RunState};
use support::Page;

fn choose(page: &mut Page, key: OptionKey, text: &str) {
    page.tell(Msg::TypedOption { key, text: text.into() });
}

/// A run of four tokens that is over.
fn written() -> Page {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    page.type_in(Control::NewTokens, "4");
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    page.steps(&request, 4);
    page.finish(request.run);
    page
}

/// Asks for JSON that nothing can be, and has the engine say so.
fn refused(page: &mut Page) {
    choose(page, OptionKey::Output, "json");
    choose(page, OptionKey::Schema, "{\"type\": \"foo\"}");
    page.take();
    page.tell(Msg::Generate);
    let run = page.generated().run;
    page.take();
    page.report(Report::Failed { run: Some(run), failure: Failure::Constraint { message: "no type foo".into() } });
}

#[test]
fn a_form_that_cannot_be_had_is_refused_at_its_field_and_the_text_before_stays() {
    let mut page = written();
    let text = page.tokens();
    page.tell(Msg::FocusStep(2));

    refused(&mut page);
    assert_eq!(page.tokens(), text);
    assert!(matches!(page.session.run().unwrap().state, RunState::Finished(_)));
    assert_eq!(page.session.focus_index(), Some(2));
    assert!(page.take().contains(&Effect::FocusOption(OptionKey::Schema)));
    assert_eq!(page.session.refusal().unwrap().to_string(), "Not started: JSON Schema: no type foo.");
    assert_eq!(page.session.option_error(OptionKey::Schema).unwrap().message, "no type foo");

    choose(&mut page, OptionKey::Schema, "{}");
    assert_eq!((page.session.refusal(), page.session.option_error(OptionKey::Schema)), (None, None));
    page.tell(Msg::Generate);
    assert!(page.generated().constraint.is_some());
}

#[test]
fn the_branches_stay_too() {
    let mut page = written();
    page.tell(Msg::FocusStep(2));
    page.tell(Msg::Branch(BranchMsg::Rewind));
    refused(&mut page);
    assert_eq!((page.tokens().len(), page.session.branches().len()), (2, 1));
}

#[test]
fn where_nothing_was_shown_nothing_is() {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    refused(&mut page);
    assert!(page.session.run().is_none() && matches!(page.session.refusal(), Some(Refusal::Option(_))));
    assert_eq!(page.session.controls().prompt, "Once");
}
