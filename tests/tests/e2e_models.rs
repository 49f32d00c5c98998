//! Choosing a model, agreeing to its plan, watching and giving up its loading, and what is kept. The engine is played by a
//! puppet: what a real one loads is tested elsewhere.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_session::{DevicePreference, Keeping, Loading, ModelSource, Report, Request};
use nucleus_tests::e2e::lines::{GPT2, TOTAL, gpu, kept, load, plan, ready, weights};
use nucleus_tests::e2e::{Page, Puppet, Role, Site, Stage, UNTRUSTED_HOST};
use thirtyfour::Key;

/// An engine that has Tales, asks before it downloads anything else, comes to 230.1 MB of it, and can be stopped there.
fn puppet() -> Result<Puppet> {
    let any = load("tales", DevicePreference::Auto)?;
    let left = Report::Kept(vec![kept("distilbert/distilgpt2", 352_824_413, true)?]);
    let both = Report::Kept(vec![kept("distilbert/distilgpt2", 352_824_413, true)?, kept(GPT2, 230_100_000, false)?]);
    Puppet::new()
        .to(&any, &[gpu(), ready("tales", Keeping::NotNeeded)?])?
        .to_kind(&any, &[gpu(), plan()])?
        .to_kind(&Request::Download, &[weights(0), weights(230_100_000)])?
        .to_kind(&Request::CancelLoading, &[Report::Cancelled])?
        .to_kind(&Request::ListKept, &[both])?
        .to_kind(&Request::DeleteKept { source: ModelSource::parse(GPT2)? }, &[left])
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
    let site = Site::played(&puppet()?)?;
    Stage::new("plan")
        .play_at(&site.address("?prompt=&temperature=0.7"), async |page| {
            page.until_at_work().await?;
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
            page.until("progress again", |page| page.loading.contains("230.1 of 548.1 MB")).await?;
            page.press("Cancel").await?;
            page.until("that it was given up", |page| page.loading.contains("No model is loaded now")).await?;
            ask_for_gpt2(page).await?;
            page.until("the plan again", |page| page.loading.contains("Download 548.1 MB")).await?;
            page.press("Not now").await?;
            page.until("that it was given up", |page| page.loading.contains("was not loaded")).await?;
            page.press("Load tales").await?;
            let back = page.until_at_work().await?;
            assert_eq!(back.loading, "");
            // Addresses are written with a pause.
            page.until("the address of the model", |page| page.address.contains("model=tales")).await.map(drop)
        })
        .await
}

#[tokio::test]
async fn the_choice_needs_no_mouse_and_gives_the_focus_back() -> Result<()> {
    let site = Site::played(&puppet()?)?;
    Stage::new("choice")
        .play_at(&site.address(""), async |page| {
            page.until_at_work().await?;
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
    let site = Site::played(&puppet()?)?;
    Stage::new("kept")
        .play_at(&site.address(""), async |page| {
            page.until_at_work().await?;
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
            page.press("Ask the browser to keep it").await?;
            page.until("the browser's answer", |page| page.notes.contains("promise")).await.map(drop)
        })
        .await
}

#[tokio::test]
async fn a_broken_connection_is_said_and_the_progress_stays() -> Result<()> {
    let any = load(GPT2, DevicePreference::Auto)?;
    let broken = Report::Loading(Loading::Reconnecting { done: 230_100_000, total: TOTAL, attempt: 2 });
    let site = Site::played(&Puppet::new().to_kind(&any, &[gpu(), weights(230_100_000), broken])?)?;
    Stage::new("reconnecting")
        .play_at(&site.address(&format!("?model={GPT2}")), async |page| {
            let told = page.until("the news", |page| page.loading.contains("broke at 230.1 of 548.1 MB")).await?;
            assert!(told.loading.contains("attempt 2") && told.status.contains("tried again"), "{told:#?}");
            page.find(Role::Button, "Cancel").await?;
            page.pictures("reconnecting").await
        })
        .await
}

/// Over plain http:// from another machine browsers have no storage to speak of; all else goes on.
#[tokio::test]
async fn where_the_browser_promises_nothing_the_page_says_so() -> Result<()> {
    let site = Site::played(&puppet()?)?;
    // Chromium itself notes that such an origin is not trusted.
    Stage::new("no-storage")
        .errors_expected()
        .play_at(&site.address_on(UNTRUSTED_HOST, ""), async |page| {
            page.until_at_work().await?;
            page.press("Choose a model").await?;
            page.until("the sentence", |page| page.notes.contains("when it runs short of room")).await?;
            let listed = page.until("the list", |page| page.notes.contains("2 models")).await?;
            assert_eq!(listed.alert, "");
            Ok(())
        })
        .await
}
