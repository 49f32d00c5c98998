//! Models that are kept in the browser.

use nucleus_session::{Effect, Failure, KeptModel, ModelMsg, Report, Request};

use crate::support::Page;
use crate::{loads, source};

fn kept() -> Vec<KeptModel> {
    let model = |text: &str, complete| KeptModel { source: source(text), bytes: 5, total: Some(9), complete };
    vec![model("distilbert/distilgpt2", true), model("openai-community/gpt2", false)]
}

#[test]
fn what_is_kept_is_listed_loaded_and_deleted_after_one_question() {
    let mut page = Page::ready("");
    page.take();
    page.about_the_model(ModelMsg::OpenChooser);
    assert!(page.take().contains(&Effect::Send(Request::ListKept)));
    page.report(Report::Kept(kept()));

    page.about_the_model(ModelMsg::Delete(1));
    assert_eq!(page.session.chooser().deleting, Some(source("openai-community/gpt2")));
    page.about_the_model(ModelMsg::KeepAll);
    page.about_the_model(ModelMsg::ReallyDelete);
    assert!(!page.take().iter().any(|effect| matches!(effect, Effect::Send(_))), "it was to be kept");
    page.about_the_model(ModelMsg::Delete(1));
    page.about_the_model(ModelMsg::ReallyDelete);
    let delete = Request::DeleteKept { source: source("openai-community/gpt2") };
    assert!(page.take().contains(&Effect::Send(delete)));
    page.report(Report::Kept(kept()[..1].to_vec()));
    page.about_the_model(ModelMsg::Delete(1));
    assert_eq!(page.session.chooser().deleting, None, "there is no such model any more");

    page.about_the_model(ModelMsg::LoadKept(0));
    assert!(!page.session.chooser().open);
    assert_eq!(loads(&page.take()), [(source("distilbert/distilgpt2"), None)]);
    page.engine_is_ready();
    assert!(page.take().contains(&Effect::Send(Request::ListKept)), "the list may have changed");
}

#[test]
fn after_a_model_that_cannot_be_loaded_the_list_can_still_be_had() {
    let mut page = Page::open("?model=gone");
    let gone = Failure::Fetch { address: "models/gone/config.json".into(), status: Some(404) };
    page.report(Report::Failed { run: None, failure: gone });
    assert!(!page.take().contains(&Effect::TerminateEngine), "the worker is in order");
    page.about_the_model(ModelMsg::OpenChooser);
    assert!(page.take().contains(&Effect::Send(Request::ListKept)));
    assert_eq!(page.session.way_back(), Some(source("tales")));
}
