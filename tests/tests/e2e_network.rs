//! Weights over real HTTP, from servers that misbehave: what the reader reads, what the server is asked for, and that the
//! text is right in the end.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use anyhow::Result;
use nucleus_tests::e2e::{
    Answer, Asked, Flow, Page, Reading, Role, SOON, Site, Stage, Unruly, blank, golden, repository,
};

/// Where the model lies on the unruly server. What has an address of its own is kept, whatever its size.
const FOLDER: &str = "web/tales/";
const WEIGHTS: &str = "web/tales/model.safetensors";

/// A store keeps whole blocks of so many bytes.
const BLOCK: usize = 4 << 20;

fn file(name: &str) -> Result<Vec<u8>> {
    Ok(fs::read(repository().join("www/models/tales").join(name))?)
}

/// Configuration and tokenizer of the small model, and these weights.
fn put(server: &Unruly, folder: &str, weights: Answer) -> Result<()> {
    for name in ["config.json", "tokenizer.json"] {
        server.put(&format!("{folder}{name}"), Answer::new(file(name)?).for_all_hosts());
    }
    server.put(&format!("{folder}model.safetensors"), weights);
    Ok(())
}

/// A query that loads a model of a server, and writes the text that the reference has.
fn query(server: &Unruly, folder: &str) -> String {
    format!("?device=cpu&model={}&prompt=Once%20upon%20a%20time&temperature=0&new=30", server.address(folder))
}

/// The page of the site that the server stands before, with a model of that server.
fn page_of(server: &Unruly, folder: &str) -> String {
    server.address(&query(server, folder))
}

/// How many megabytes of the weights have come, as the page says.
fn come(page: &Reading) -> f64 {
    let said = format!("{} {}", page.status, page.loading);
    let number = said.split("Loading the weights: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    number.unwrap_or(0.0)
}

/// Waits until the text is there, which must be the reference's.
async fn the_text_is_right(page: &Page) -> Result<Reading> {
    let written = page.until_written(SOON).await?;
    let known = golden::reference("Once upon a time")?;
    assert_eq!((written.generated(), written.ids()), (&*known.greedy_text, known.greedy));
    assert_eq!(written.alert, "");
    Ok(written)
}

fn part(range: &str, if_range: Option<&str>) -> Asked {
    Asked { range: Some(range.to_owned()), if_range: if_range.map(str::to_owned) }
}

/// How a file comes that has this tag: its head, and then the rest of the same file.
fn all(tag: &str) -> [Asked; 2] {
    [part("bytes=0-65535", None), part("bytes=65536-", Some(tag))]
}

/// From which byte on the rest of the file was asked for.
fn start(asked: &Asked) -> usize {
    let range = asked.range.as_deref().unwrap();
    range.strip_prefix("bytes=").and_then(|range| range.strip_suffix('-')).unwrap().parse().unwrap()
}

/// Lets 3 MB come, cuts the connection there, and waits until the page says so.
async fn cut(page: &Page, server: &Unruly) -> Result<Reading> {
    page.until("3 MB", |page| come(page) >= 3.1).await?;
    server.flow(Flow::Cut);
    let told = page.until("that the connection broke", |page| page.loading.contains("The connection broke")).await?;
    assert!(told.loading.contains("broke at 3.") && told.loading.contains("of 7.0 MB"), "{}", told.loading);
    assert!(told.loading.contains("Trying again, attempt 1."), "{}", told.loading);
    Ok(told)
}

#[tokio::test]
async fn a_connection_that_is_cut_goes_on_where_it_was() -> Result<()> {
    let server = Unruly::before(Site::built()?)?;
    put(&server, FOLDER, Answer::new(file("model.safetensors")?).tagged("\"a\""))?;
    server.flow(Flow::Stalled(3_000_000));
    Stage::new("cut")
        .errors_expected()
        .play_at(&page_of(&server, FOLDER), async |page| {
            cut(page, &server).await?;
            server.flow(Flow::Open);
            the_text_is_right(page).await?;
            let asked = server.asked(WEIGHTS);
            assert_eq!(asked[..2], all("\"a\""), "{asked:?}");
            assert!(asked.len() == 3 && start(&asked[2]) > 3_000_000, "only the rest: {asked:?}");
            assert_eq!(asked[2].if_range.as_deref(), Some("\"a\""), "and only of the same file");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_server_that_sends_all_where_a_part_is_asked_for_sends_it_once() -> Result<()> {
    let server = Unruly::before(Site::built()?)?;
    put(&server, FOLDER, Answer::new(file("model.safetensors")?).tagged("\"a\"").always_whole())?;
    server.put("models/tales/model.safetensors", Answer::new(file("model.safetensors")?).always_whole());
    Stage::new("no-ranges")
        .errors_expected()
        .play_at(&server.address("?device=cpu"), async |page| {
            page.until_ready().await?;
            let asked = server.asked("models/tales/model.safetensors");
            assert_eq!(asked.len(), 1, "it came with the first answer: {asked:?}");

            // Once more from the start is the only way on after a cut; what has come is passed over.
            server.flow(Flow::Stalled(3_000_000));
            page.go(&page_of(&server, FOLDER)).await?;
            cut(page, &server).await?;
            server.flow(Flow::Open);
            the_text_is_right(page).await?;
            let asked = server.asked(WEIGHTS);
            assert!(asked.len() == 2 && start(&asked[1]) > 3_000_000, "{asked:?}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_file_that_changes_between_two_parts_comes_from_the_start_and_the_page_says_so() -> Result<()> {
    let server = Unruly::before(Site::built()?)?;
    let mut old = file("model.safetensors")?;
    old[1_000_000..3_000_000].fill(0);
    put(&server, FOLDER, Answer::new(old).tagged("\"old\""))?;
    server.flow(Flow::Stalled(3_000_000));
    Stage::new("changed")
        .errors_expected()
        .play_at(&page_of(&server, FOLDER), async |page| {
            cut(page, &server).await?;
            server.put(WEIGHTS, Answer::new(file("model.safetensors")?).tagged("\"new\""));
            server.flow(Flow::Stalled(2_000_000));
            let told = page.until("the weights again", |page| come(page) >= 2.0).await?;
            assert!(told.status.contains("The file changed on the server"), "{told:#?}");
            server.flow(Flow::Open);
            let written = the_text_is_right(page).await?;
            assert!(!written.status.contains("changed"), "it is of no interest any more: {}", written.status);
            let asked = server.asked(WEIGHTS);
            assert_eq!(asked[2].if_range.as_deref(), Some("\"old\""), "{asked:?}");
            assert_eq!(asked[3..], all("\"new\""), "{asked:?}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_host_that_does_not_permit_it_is_named_with_what_it_must_send() -> Result<()> {
    let (isolated, plain, other) = (Site::built()?, Unruly::before(Site::built()?)?, Unruly::elsewhere()?);
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        other.put(&format!("{FOLDER}{name}"), Answer::new(file(name)?));
    }
    let (query, config) = (query(&other, FOLDER), other.address(&format!("{FOLDER}config.json")));
    Stage::new("no-permission")
        .errors_expected()
        .play_at(&plain.address(&query), async |page| {
            let told = page.until("an alert", |page| !page.alert.is_empty()).await?;
            let said = format!("{config} is on a server that does not allow this page to read it");
            assert!(told.alert.contains(&said) && told.alert.contains("Access-Control-Allow-Origin"), "{}", told.alert);
            page.find(Role::Button, "Choose another model").await?;
            page.screenshot("no-permission").await?;

            // From an isolated page the two look the same: a host that permits nothing, and none at all.
            page.go(&isolated.address(&query)).await?;
            let hidden = page.until("an alert", |page| !page.alert.is_empty()).await?.alert;
            drop(other);
            page.go(&isolated.address(&query)).await?;
            let gone = page.until("an alert", |page| !page.alert.is_empty()).await?.alert;
            for part in [&*config, "no answer", "must send Access-Control-Allow-Origin"] {
                assert!(hidden.contains(part) && gone.contains(part), "{part}: {hidden} {gone}");
            }
            Ok(())
        })
        .await
}

/// It permits reading, and shows none of the headers that a page must be shown one by one.
#[tokio::test]
async fn another_host_goes_on_after_a_cut_and_is_not_needed_at_the_next_visit() -> Result<()> {
    let site = Site::built()?;
    let other = Unruly::elsewhere()?;
    put(&other, FOLDER, Answer::new(file("model.safetensors")?).tagged("\"a\"").for_all_hosts())?;
    other.flow(Flow::Stalled(3_000_000));
    let address = site.address(&query(&other, FOLDER));
    Stage::new("elsewhere")
        .errors_expected()
        .play_at(&address, async |page| {
            cut(page, &other).await?;
            other.flow(Flow::Open);
            let written = the_text_is_right(page).await?;
            assert!(written.device.contains("is kept in this browser"), "{}", written.device);
            let asked = other.asked(WEIGHTS);
            assert!(asked.len() == 3 && start(&asked[2]) > 3_000_000, "{asked:?}");
            assert_eq!(asked[2].if_range, None, "other hosts would have to permit it");

            drop(other);
            page.go(&address).await?;
            the_text_is_right(page).await.map(drop)
        })
        .await
}

/// What comes in the place of the weights, and what is said of it.
type Case = (fn(&[u8]) -> Answer, &'static str);

/// All of these have the length that their server announces.
const CASES: &[Case] = &[
    (|_| Answer::html("<!doctype html>\n<html><title>Not here</title></html>\n"), "an HTML page"),
    (
        |_| Answer::new("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 7017680\n"),
        "a Git LFS pointer",
    ),
    (|weights| Answer::new(&weights[..weights.len() / 2]), "bytes"),
    (|weights| Answer::new(&weights[..weights.len() - 1]), "byte"),
    (|weights| Answer::new([weights, &b"\n"[..]].concat()), "byte"),
];

/// What is said of so many models that are kept.
fn kept(models: usize) -> String {
    match models {
        0 => "Nothing is kept.".to_owned(),
        1 => "1 model,".to_owned(),
        _ => format!("{models} models,"),
    }
}

#[tokio::test]
async fn what_is_not_the_file_is_named_and_not_kept() -> Result<()> {
    let server = Unruly::before(Site::built()?)?;
    let weights = file("model.safetensors")?;
    Stage::new("not-the-file")
        .errors_expected()
        .play_at(&server.address("?device=cpu"), async |page| {
            for (case, (answer, said)) in CASES.iter().enumerate() {
                let folder = format!("web/{case}/");
                let address = format!("{folder}model.safetensors");
                put(&server, &folder, answer(&weights).tagged("\"a\""))?;
                page.go(&page_of(&server, &folder)).await?;
                let told = page.until(&format!("an alert about {said}"), |page| !page.alert.is_empty()).await?;
                let named = told.alert.contains(&server.address(&address)) && told.alert.contains(said);
                assert!(named, "case {case}: {}", told.alert);
                page.press("Choose a model").await?;
                page.until("a list without it", |page| page.notes.contains(&kept(case))).await?;

                server.put(&address, Answer::new(weights.clone()).tagged("\"b\""));
                let _ = server.asked(&address);
                page.go(&page_of(&server, &folder)).await?;
                the_text_is_right(page).await?;
                assert_eq!(server.asked(&address), all("\"b\""), "case {case}");
            }
            Ok(())
        })
        .await
}

/// A model of the site's own that is large enough to be kept.
#[tokio::test]
async fn a_page_that_is_left_in_the_middle_asks_only_for_the_rest_when_it_is_opened_again() -> Result<()> {
    const BLANK: &str = "models/blank/model.safetensors";
    let server = Unruly::before(Site::built()?)?;
    server.put("models/blank/config.json", Answer::new(blank::config()));
    server.put("models/blank/tokenizer.json", Answer::new(file("tokenizer.json")?));
    server.put(BLANK, Answer::new(blank::weights()?).tagged("\"a\""));
    server.flow(Flow::Stalled(30_000_000));
    let address = server.address("?device=cpu&model=blank");
    Stage::new("left")
        .play_at(&address, async |page| {
            page.until("the plan", |page| page.loading.contains("Download 46.4 MB for")).await?;
            page.press("Download").await?;
            page.until("30 MB", |page| come(page) >= 30.0).await?;
            let _ = server.asked(BLANK);

            page.go(&address).await?;
            server.flow(Flow::Open);
            let ready = page.until_ready().await?;
            assert!(ready.device.contains("is kept in this browser"), "{}", ready.device);
            assert_eq!(server.asked(BLANK), [part(&format!("bytes={}-", 7 * BLOCK), Some("\"a\""))]);

            page.go(&address).await?;
            page.until_ready().await?;
            assert_eq!(server.asked(BLANK), []);
            Ok(())
        })
        .await
}
