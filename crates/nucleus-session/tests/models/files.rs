//! Files from the reader’s disk.

use nucleus_session::{Control, DiskFile, ModelMsg, ModelSource, Msg, Place, Report};

use crate::support::Page;
use crate::{given, given_later, loads};

fn files(given: &[DiskFile]) -> ModelSource {
    ModelSource::Files(given.iter().cloned().collect())
}

#[test]
fn files_are_gathered_loaded_and_sent_again_after_a_failure() {
    let mut page = Page::ready("");
    page.take();
    let weights = given(&["model.safetensors"]);
    page.about_the_model(ModelMsg::DroppedFiles(weights.clone()));
    let chooser = page.session.chooser();
    assert!(chooser.open && chooser.place == Place::Disk);
    assert!(chooser.refusal.as_ref().unwrap().contains("config.json"), "{chooser:?}");
    assert_eq!(loads(&page.take()), []);

    let others = given_later(1, &["tokenizer.json", "config.json"]);
    page.about_the_model(ModelMsg::GaveFiles(others.clone()));
    page.about_the_model(ModelMsg::Load);
    let first = files(&[others[1].clone(), weights[0].clone(), others[0].clone()]);
    assert_eq!(loads(&page.take()), [(first.clone(), None)]);
    page.tell(Msg::EngineTrapped { message: "unreachable".into() });
    assert_eq!(loads(&page.take()), [(first.clone(), None)]);

    // The same names and sizes again are other files.
    page.engine_is_ready();
    let again = given_later(3, &["config.json", "model.safetensors", "tokenizer.json"]);
    page.about_the_model(ModelMsg::DroppedFiles(again.clone()));
    assert!(!page.session.chooser().open, "nothing is missing, so nothing is asked");
    assert_eq!(loads(&page.take()), [(files(&again), None)]);
    assert_eq!(page.session.way_back(), Some(first.clone()), "what looks the same is another model");
    page.about_the_model(ModelMsg::GoBack);
    assert_eq!(loads(&page.take()), [(first, None)]);
}

#[test]
fn the_files_of_one_model_do_not_go_into_the_next() {
    let mut page = Page::ready("");
    let sharded =
        ["config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "tokenizer.json"];
    page.about_the_model(ModelMsg::GaveFiles(given(&sharded)));
    page.about_the_model(ModelMsg::Load);
    page.engine_is_ready();
    page.take();
    page.about_the_model(ModelMsg::OpenChooser);
    assert_eq!(page.session.chooser().files, []);
    let other = ["config.json", "merges.txt", "model.safetensors", "vocab.json"];
    page.about_the_model(ModelMsg::GaveFiles(given(&other)));
    page.about_the_model(ModelMsg::Load);
    assert_eq!(loads(&page.take()), [(files(&given(&other)), None)]);
}

#[test]
fn a_file_can_be_taken_out_again() {
    let mut page = Page::ready("");
    page.about_the_model(ModelMsg::OpenChooser);
    page.about_the_model(ModelMsg::GaveFiles(given(&["README.json", "config.json", "tokenizer.json"])));
    page.about_the_model(ModelMsg::Load);
    assert!(page.session.chooser().refusal.is_some());
    page.about_the_model(ModelMsg::RemoveFile(0));
    assert_eq!(page.session.chooser().files, given_later(1, &["config.json", "tokenizer.json"]));
    assert_eq!(page.session.chooser().refusal, None, "the choice is another now");
    page.about_the_model(ModelMsg::RemoveFile(2));
    assert_eq!(page.session.chooser().files.len(), 2, "there is no such place");
    page.about_the_model(ModelMsg::RemoveFiles);
    assert_eq!(page.session.chooser().files, []);
}

#[test]
fn no_address_leads_to_files() {
    let mut page = Page::ready("?model=gpt2");
    page.about_the_model(ModelMsg::DroppedFiles(given(&["config.json", "tokenizer.json", "model.safetensors"])));
    page.engine_is_ready();
    assert!(!page.address().unwrap().contains("model="), "{:?}", page.address());
    page.type_in(Control::Prompt, "Once");
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    page.steps(&request, 2);
    page.finish(request.run);
    assert!(page.address().is_some_and(|address| !address.contains("check=")) || page.address().is_none());
    page.report(Report::Device(crate::support::device()));
    assert_eq!(page.session.run().unwrap().model, "tales", "the model says what it is");
}
