//! Choosing a model, agreeing to its plan, watching and giving up its loading, and what is kept. The engine is played by a
//! puppet: what a real one loads is tested elsewhere.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_session::{
    DeviceKind, DevicePreference, DeviceReason, DeviceReport, Failure, Keeping, KeptModel, LoadPlan, Loading,
    ModelInfo, ModelSource, Report, Request, Vocabulary, WeightFormat,
};
use nucleus_tests::e2e::{Page, Puppet, Reading, Role, Site, Stage};
use serde_json::json;
use thirtyfour::Key;

const GPT2: &str = "openai-community/gpt2";
const TOTAL: u64 = 548_105_171;

fn source(text: &str) -> ModelSource {
    ModelSource::parse(text).unwrap()
}

fn load(text: &str, device: DevicePreference) -> Request {
    Request::Load { source: source(text), device, weights: None }
}

fn device(kind: DeviceKind, reason: DeviceReason) -> Report {
    let adapter = if kind == DeviceKind::Cpu { "" } else { "acme rdna-9" };
    Report::Device(DeviceReport { kind, adapter: adapter.into(), software: false, reason })
}

fn gpu() -> Report {
    device(DeviceKind::WebGpu, DeviceReason::Adapter)
}

fn cpu() -> Report {
    device(DeviceKind::Cpu, DeviceReason::ForcedCpu)
}

fn plan() -> Report {
    Report::Plan(LoadPlan {
        name: "gpt2".into(),
        parameters: 124_439_808,
        stored: "F32".into(),
        weights: WeightFormat::F32,
        download: TOTAL,
        files: TOTAL,
        device_memory: 572_000_000,
        largest_tensor: 154_389_504,
        largest_binding: 134_217_728,
        room_to_keep: Some(12_000_000_000),
        waits: true,
    })
}

fn ready(name: &str, keeping: Keeping) -> Report {
    let model = ModelInfo {
        name: name.into(),
        n_vocab: 2,
        n_ctx: 1024,
        n_layer: 12,
        n_head: 12,
        n_embd: 768,
        parameters: 124_439_808,
        end_of_text: None,
        weights: WeightFormat::F32,
        device_memory: 572_000_000,
        keeping,
    };
    Report::Ready { model, vocabulary: Vocabulary::new(b" a b".to_vec(), vec![2, 4]).unwrap() }
}

fn weights(done: u64) -> Report {
    Report::Loading(Loading::Weights { done, total: TOTAL, fetched: TOTAL })
}

fn kept() -> Report {
    let model = |text, bytes, complete| KeptModel { source: source(text), bytes, total: Some(TOTAL), complete };
    Report::Kept(vec![model("distilbert/distilgpt2", 352_824_413, true), model(GPT2, 230_100_000, false)])
}

/// An engine that has Tales, asks before it downloads anything else, comes to 230.1 MB of it, and can be stopped there.
fn puppet() -> Result<Puppet> {
    let any = load("tales", DevicePreference::Auto);
    let left = Report::Kept(vec![KeptModel {
        source: source("distilbert/distilgpt2"),
        bytes: 352_824_413,
        total: None,
        complete: true,
    }]);
    Puppet::new()
        .to(&any, &[gpu(), ready("tales", Keeping::NotNeeded)])?
        .to_kind(&any, &[gpu(), plan()])?
        .to_kind(&Request::Download, &[weights(0), weights(230_100_000)])?
        .to_kind(&Request::CancelLoading, &[Report::Cancelled])?
        .to_kind(&Request::ListKept, &[kept()])?
        .to_kind(&Request::DeleteKept { source: source(GPT2) }, &[left])
}

fn site(puppet: &Puppet) -> Result<Site> {
    let site = Site::copy("")?;
    site.replace("worker.js", &puppet.script()?)?;
    Ok(site)
}

async fn at_work(page: &Page) -> Result<Reading> {
    page.until("a model at work", |page| page.device.contains("WebGPU \u{b7} f32")).await
}

/// Opens the dialog and asks for GPT-2 in it.
async fn ask_for_gpt2(page: &Page) -> Result<()> {
    page.press("Choose a model").await?;
    page.until_shown().await?;
    page.find(Role::Radio, "From the web").await?.click().await?;
    page.until_shown().await?;
    page.press(GPT2).await?;
    page.until_shown().await?;
    assert_eq!(page.value("Hugging Face id or address of a folder").await?, GPT2);
    page.press("Load").await
}

#[tokio::test]
async fn a_plan_is_agreed_to_watched_and_given_up_and_nothing_is_lost() -> Result<()> {
    let site = site(&puppet()?)?;
    Stage::new("plan")
        .play_at(&site.address("?prompt=&temperature=0.7"), async |page| {
            at_work(page).await?;
            page.fill("Prompt", "My own words").await?;
            ask_for_gpt2(page).await?;
            let asked = page.until("the plan", |page| page.loading.contains("Download 548.1 MB for")).await?;
            for part in ["124.4 million", "from huggingface.co", "it is split", "12.0 GB", "572.0 MB"] {
                assert!(asked.loading.contains(part), "{part}: {}", asked.loading);
            }
            assert!(asked.status.contains("waits for your answer"), "{}", asked.status);
            assert_eq!(page.focused().await?.name, "Loading the model", "the next press of Tab leads to the answer");
            page.pictures("plan").await?;

            page.press("Download").await?;
            let watched = page.until("progress", |page| page.loading.contains("230.1 of 548.1 MB")).await?;
            assert_eq!(watched.status, "Loading the weights.", "a screen reader does not hear every megabyte");
            assert_eq!(page.focused().await?.name, "Loading the model");
            page.pictures("progress").await?;

            page.press("Cancel").await?;
            let given_up =
                page.until("that it was given up", |page| page.loading.contains("No model is loaded now")).await?;
            assert!(given_up.loading.contains("stopped at 230.1 of 548.1 MB"), "{}", given_up.loading);
            assert_eq!(page.value("Prompt").await?, "My own words");
            assert_eq!(page.value("Temperature").await?, "0.7");
            page.pictures("cancelled").await?;

            page.press(&format!("Go on loading {GPT2}")).await?;
            page.until("the plan again", |page| page.loading.contains("Download 548.1 MB")).await?;
            page.press("Not now").await?;
            page.until("that it was given up", |page| page.loading.contains("was not loaded")).await?;
            page.press("Load tales").await?;
            let back = at_work(page).await?;
            assert_eq!(back.loading, "");
            // Addresses are written with a pause.
            page.until("the address of the model", |page| page.address.contains("model=tales")).await.map(drop)
        })
        .await
}

#[tokio::test]
async fn the_choice_needs_no_mouse_and_gives_the_focus_back() -> Result<()> {
    let site = site(&puppet()?)?;
    Stage::new("choice")
        .play_at(&site.address(""), async |page| {
            at_work(page).await?;
            page.pictures("closed").await?;
            page.tab_to("button", "Choose a model").await?;
            page.type_keys(Key::Enter).await?;
            page.until_shown().await?;
            assert_eq!(page.focused().await?.name, "Tales, with this page");
            page.type_keys(Key::Down).await?;
            page.until_shown().await?;
            page.tab_to("textbox", "Hugging Face id or address of a folder").await?;
            page.type_keys("http://example.org/gpt2").await?;
            page.type_keys(Key::Enter).await?;
            let refused = page.until("a refusal", |page| page.alert.contains("https://")).await?;
            assert!(refused.alert.contains("http://example.org/gpt2"), "{}", refused.alert);
            page.tab_to("radio", "As in the file").await?;
            page.type_keys(Key::Down).await?;
            page.pictures("chooser").await?;
            page.type_keys(Key::Escape).await?;
            page.until("the page without the dialog", |page| page.alert.is_empty()).await?;
            assert_eq!(page.focused().await?.name, "Choose a model");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn what_is_kept_is_listed_and_deleted_after_one_question() -> Result<()> {
    let site = site(&puppet()?)?;
    Stage::new("kept")
        .play_at(&site.address(""), async |page| {
            at_work(page).await?;
            page.press("Choose a model").await?;
            page.until("the list", |page| page.notes.contains("2 models, 582.9 MB")).await?;
            page.find(Role::Button, "Load distilbert/distilgpt2").await?;
            page.find(Role::Button, &format!("Go on loading {GPT2}")).await?;
            page.find(Role::Button, &format!("Delete {GPT2}")).await?.scroll_into_view().await?;
            page.pictures("kept").await?;
            page.press(&format!("Delete {GPT2}")).await?;
            let asked = page.until("a question", |page| page.status.contains(&format!("Delete {GPT2}?"))).await?;
            assert!(asked.notes.contains("2 models"), "{}", asked.notes);
            assert_eq!(page.focused().await?.name, format!("Keep {GPT2}"), "to press twice deletes nothing");
            page.pictures("delete").await?;
            page.press(&format!("Really delete {GPT2}")).await?;
            page.until("a shorter list", |page| page.notes.contains("1 model, 352.8 MB")).await?;
            Ok(())
        })
        .await
}

/// What a file chosen or dropped is to the browser.
const DROP: &str = "
    const data = new DataTransfer();
    for (const name of arguments[1]) data.items.add(new File(['xyz'], name));
    document.body.dispatchEvent(new DragEvent(arguments[0], { dataTransfer: data, bubbles: true, cancelable: true }));";

#[tokio::test]
async fn dropped_files_travel_to_the_worker() -> Result<()> {
    let any = load("tales", DevicePreference::Auto);
    let names = ["config.json", "model.safetensors", "tokenizer.json"];
    let puppet = Puppet::new()
        .to_files(&any, &names, &[gpu(), ready("from-disk", Keeping::NotNeeded)])?
        .to_kind(&any, &[gpu(), ready("tales", Keeping::NotNeeded)])?;
    let site = site(&puppet)?;
    Stage::new("files")
        .play_at(&site.address(""), async |page| {
            at_work(page).await?;
            let event =
                async |kind: &str, names: &[&str]| page.evaluate::<()>(DROP, vec![kind.into(), json!(names)]).await;
            event("dragover", &names).await?;
            page.pictures("drop").await?;
            event("drop", &names[1..2]).await?;
            let asked = page.until("what is missing", |page| page.alert.contains("Still missing")).await?;
            assert!(asked.alert.contains("config.json and the tokenizer"), "{}", asked.alert);
            page.pictures("missing").await?;
            event("drop", &[names[2], names[0]]).await?;
            let loaded =
                page.until("the files' model", |page| page.device.contains("from-disk: 124.4 million")).await?;
            assert!(loaded.device.contains("A link cannot lead to files"), "{}", loaded.device);
            Ok(())
        })
        .await
}

const AGAIN: &str = "Start the model again";

/// Each failure: its name in the pictures, what happens, and the ways on that the alert must offer.
fn failures() -> Vec<(&'static str, Failure, Vec<&'static str>)> {
    let message = || "the driver was reset".to_owned();
    vec![
        ("lost", Failure::DeviceLost { message: message() }, vec![AGAIN, "Start it on the CPU"]),
        ("device-error", Failure::DeviceError { message: message() }, vec![AGAIN, "Start it on the CPU"]),
        ("trap", Failure::Trap { message: "unreachable".into() }, vec![AGAIN, "Start it on the CPU"]),
        (
            "memory",
            Failure::OutOfMemory { message: "572 MB".into() },
            vec![AGAIN, "Start it on the CPU", "Choose another model"],
        ),
        (
            "not-found",
            Failure::Fetch { address: "https://huggingface.co/a/b/resolve/main/config.json".into(), status: Some(404) },
            vec![AGAIN, "Load tales", "Choose another model"],
        ),
    ]
}

#[tokio::test]
async fn each_failure_has_its_sentence_and_its_ways_on() -> Result<()> {
    let site = Site::copy("")?;
    Stage::new("failures")
        .play_at(&site.address(""), async |page| {
            for (name, failure, ways) in failures() {
                let failed = Report::Failed { run: None, failure: failure.clone() };
                let puppet = Puppet::new()
                    .to(&load("a/b", DevicePreference::Cpu), &[cpu(), ready("b", Keeping::Kept)])?
                    .to_kind(&load("a/b", DevicePreference::WebGpu), &[gpu(), failed])?;
                site.replace("worker.js", &puppet.script()?)?;
                page.go(&site.address("?model=a/b&device=webgpu&prompt=My%20own%20words&seed=77")).await?;
                let told = page.until(name, |page| page.alert.contains(ways[0])).await?;
                assert!(told.alert.contains(&failure.to_string()), "{}", told.alert);
                for way in &ways {
                    page.find(Role::Button, way).await?;
                }
                assert_eq!(page.value("Prompt").await?, "My own words");
                assert_eq!(page.value("Seed").await?, "77");
                page.pictures(&format!("failed-{name}")).await?;
                if ways.contains(&"Start it on the CPU") {
                    page.press("Start it on the CPU").await?;
                    let moved = page.until("the CPU", |page| page.device.contains("CPU \u{b7} f32")).await?;
                    assert!(moved.device.contains("The graphics processor failed"), "{}", moved.device);
                }
            }
            Ok(())
        })
        .await
}

/// Without a will in the address the second failure leads to the CPU by itself.
#[tokio::test]
async fn after_two_failures_of_the_gpu_the_page_goes_on_on_the_cpu() -> Result<()> {
    let lost = Report::Failed { run: None, failure: Failure::DeviceLost { message: "the driver was reset".into() } };
    let not_kept = Keeping::NotKept { message: "the storage is full".into() };
    let puppet = Puppet::new()
        .to(&load(GPT2, DevicePreference::Auto), &[gpu(), ready(GPT2, Keeping::Kept), lost])?
        .to(&load(GPT2, DevicePreference::Cpu), &[cpu(), ready(GPT2, not_kept)])?;
    let site = site(&puppet)?;
    Stage::new("twice")
        .play_at(&site.address(&format!("?model={GPT2}")), async |page| {
            let moved = page.until("the CPU", |page| page.device.contains("CPU \u{b7} f32")).await?;
            assert!(moved.device.contains("failed twice") && moved.device.contains("not kept"), "{}", moved.device);
            assert!(moved.device.contains("(the storage is full)"), "{}", moved.device);
            assert!(moved.alert.contains("It has been started again, on the CPU."), "{}", moved.alert);
            page.evaluate::<()>("document.querySelector('#device').open = true", vec![]).await?;
            page.pictures("twice").await
        })
        .await
}

#[tokio::test]
async fn a_broken_connection_is_said_and_the_progress_stays() -> Result<()> {
    let any = load(GPT2, DevicePreference::Auto);
    let broken = Report::Loading(Loading::Reconnecting { done: 230_100_000, total: TOTAL, attempt: 2 });
    let site = site(&Puppet::new().to_kind(&any, &[gpu(), weights(230_100_000), broken])?)?;
    Stage::new("reconnecting")
        .play_at(&site.address(&format!("?model={GPT2}")), async |page| {
            let told = page.until("the news", |page| page.loading.contains("broke at 230.1 of 548.1 MB")).await?;
            assert!(told.loading.contains("attempt 2") && told.status.contains("tried again"), "{told:#?}");
            page.find(Role::Button, "Cancel").await?;
            page.pictures("reconnecting").await
        })
        .await
}

/// The picker gathers files from several folders; a plain field of the browser's own does it.
#[tokio::test]
async fn files_can_be_picked_one_after_the_other() -> Result<()> {
    let any = load("tales", DevicePreference::Auto);
    let puppet = Puppet::new()
        .to_files(
            &any,
            &["config.json", "model.safetensors", "tokenizer.json"],
            &[cpu(), ready("picked", Keeping::NotNeeded)],
        )?
        .to_kind(&any, &[gpu(), ready("tales", Keeping::NotNeeded)])?;
    let site = site(&puppet)?;
    let folder = tempfile::TempDir::new()?;
    Stage::new("picker")
        .play_at(&site.address(""), async |page| {
            at_work(page).await?;
            page.press("Choose a model").await?;
            page.until_shown().await?;
            page.find(Role::Radio, "From this computer").await?.click().await?;
            for name in ["tokenizer.json", "model.safetensors", "config.json"] {
                let path = folder.path().join(name);
                std::fs::write(&path, "xyz")?;
                let field = page.session().find(thirtyfour::By::Css("input[type=file]")).await?;
                field.send_keys(path.display().to_string()).await?;
            }
            page.until_shown().await?;
            page.pictures("picked").await?;
            page.press("Load").await?;
            page.until("the files' model", |page| page.device.contains("picked: 124.4 million")).await?;
            Ok(())
        })
        .await
}
