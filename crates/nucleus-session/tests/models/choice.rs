//! The choice of a model and of the form of its weights.

use nucleus_session::{DevicePreference, Effect, ModelMsg, Msg, Place, Report, WeightFormat};

use crate::support::Page;
use crate::{asked, loads, source};

#[test]
fn a_run_that_is_asked_for_without_a_model_waits_for_one_and_downloads_nothing() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Cancel);
    page.report(Report::Cancelled);
    page.take();
    page.tell(Msg::Generate);
    assert!(page.session.is_queued());
    assert_eq!(loads(&page.take()), []);
    page.about_the_model(ModelMsg::GoBack);
    page.engine_is_ready();
    assert_eq!(page.generated().prompt, "Mine");
}

#[test]
fn an_id_or_address_that_is_none_is_refused_in_the_dialog() {
    let mut page = Page::ready("");
    page.take();
    page.choose("http://example.org/gpt2");
    let chooser = page.session.chooser();
    assert!(chooser.open && chooser.refusal.as_ref().unwrap().contains("https://"), "{chooser:?}");
    assert_eq!(loads(&page.take()), []);
    page.about_the_model(ModelMsg::TypedAddress("https://example.org/gpt2".into()));
    assert_eq!(page.session.chooser().refusal, None);
    page.about_the_model(ModelMsg::Load);
    assert!(!page.session.chooser().open);
    assert_eq!(loads(&page.take()), [(source("https://example.org/gpt2"), None)]);
}

#[test]
fn the_choice_opens_at_what_is_there() {
    for (query, place, address) in [
        ("", Place::Page, ""),
        ("?model=distilbert/distilgpt2&weights=f16", Place::Web, "distilbert/distilgpt2"),
        ("?model=gpt2", Place::Web, "gpt2"),
    ] {
        let mut page = Page::open(query);
        page.about_the_model(ModelMsg::OpenChooser);
        let chooser = page.session.chooser();
        assert_eq!((chooser.place, chooser.address.as_str()), (place, address), "{query}");
        assert_eq!(chooser.weights, page.session.engine().weights);
        assert!(page.effects.contains(&Effect::AskToPersist(false)));
    }
}

#[test]
fn the_form_of_the_weights_is_a_choice_of_its_own_and_stands_in_the_address() {
    let mut page = Page::ready("?weights=int8");
    assert_eq!(loads(&page.take()), [(source("tales"), Some(WeightFormat::Int8))]);
    page.about_the_model(ModelMsg::OpenChooser);
    page.about_the_model(ModelMsg::Load);
    assert_eq!(loads(&page.take()), [], "it is there already");
    page.about_the_model(ModelMsg::OpenChooser);
    page.about_the_model(ModelMsg::ChoseWeights(Some(WeightFormat::F16)));
    page.about_the_model(ModelMsg::Load);
    assert!(page.address().unwrap().contains("model=tales&weights=f16"), "{:?}", page.address());
    assert_eq!(loads(&page.take()), [(source("tales"), Some(WeightFormat::F16))]);
}

#[test]
fn another_model_can_be_chosen_while_one_is_on_its_way() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    page.take();
    page.choose("distilbert/distilgpt2");
    let effects = page.take();
    assert!(effects.contains(&Effect::TerminateEngine) && effects.contains(&Effect::StartEngine));
    assert_eq!(loads(&effects), [(source("distilbert/distilgpt2"), None)]);
    assert_eq!(page.session.engine().plan, None, "the plan was the other model's");
    assert_eq!(page.session.engine().preference.unwrap_or_default(), DevicePreference::Auto);
}
