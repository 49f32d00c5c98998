//! A model from the reader's disk: files that are dropped or picked reach the worker.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_session::{DevicePreference, Keeping};
use nucleus_tests::e2e::lines::{cpu, gpu, load, ready};
use nucleus_tests::e2e::{Puppet, Role, Site, Stage};
use serde_json::json;

/// What a file chosen or dropped is to the browser.
const DROP: &str = "
    const data = new DataTransfer();
    for (const name of arguments[1]) data.items.add(new File(['xyz'], name));
    document.body.dispatchEvent(new DragEvent(arguments[0], { dataTransfer: data, bubbles: true, cancelable: true }));";

#[tokio::test]
async fn dropped_files_travel_to_the_worker() -> Result<()> {
    let any = load("tales", DevicePreference::Auto)?;
    let names = ["config.json", "model.safetensors", "tokenizer.json"];
    let puppet = Puppet::new()
        .to_files(&any, &names, &[gpu(), ready("from-disk", Keeping::NotNeeded)?])?
        .to_kind(&any, &[gpu(), ready("tales", Keeping::NotNeeded)?])?;
    let site = Site::played(&puppet)?;
    Stage::new("files")
        .play_at(&site.address(""), async |page| {
            page.until_at_work().await?;
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

/// The picker gathers files from several folders; a plain field of the browser's own does it.
#[tokio::test]
async fn files_can_be_picked_one_after_the_other() -> Result<()> {
    let any = load("tales", DevicePreference::Auto)?;
    let puppet = Puppet::new()
        .to_files(
            &any,
            &["config.json", "model.safetensors", "tokenizer.json"],
            &[cpu(), ready("picked", Keeping::NotNeeded)?],
        )?
        .to_kind(&any, &[gpu(), ready("tales", Keeping::NotNeeded)?])?;
    let site = Site::played(&puppet)?;
    let folder = tempfile::TempDir::new()?;
    Stage::new("picker")
        .play_at(&site.address(""), async |page| {
            page.until_at_work().await?;
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
