//! A file of the site is not what it should be, or the engine dies: the page says so and goes on.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_tests::e2e::{Page, Reading, Role, Site, Stage};
use thirtyfour::Key;

const WEIGHTS: &str = "models/tales/model.safetensors";
const TOKENIZER: &str = "models/tales/tokenizer.json";
const CONFIG: &str = "models/tales/config.json";
const SELF_TEST: &str = "models/gpt2-tiny-random/model.safetensors";

const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n\
    oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 7017680\n";
const HTML: &[u8] = b"<!doctype html>\n<html><head><title>Not here</title></head><body>Not here</body></html>\n";

/// The prompt that must survive, as an address has it and as the reader has it.
const QUERY: &str = "?device=cpu&prompt=My%20own%20words&seed=77";
const PROMPT: &str = "My own words";

/// What is done to a file, and what the alert must say besides the file's name.
type Case = (&'static str, fn(&Site, &str) -> Result<()>, &'static str);

const CASES: &[Case] = &[
    (WEIGHTS, |site, file| site.replace(file, LFS_POINTER), "a Git LFS pointer"),
    (WEIGHTS, |site, file| site.replace(file, HTML), "an HTML page"),
    (WEIGHTS, |site, file| site.remove(file), "404"),
    (WEIGHTS, |site, file| site.replace(file, b""), "an empty file"),
    (WEIGHTS, |site, file| site.edit(file, |bytes| bytes.truncate(7)), "7 bytes"),
    (WEIGHTS, |site, file| site.edit(file, |bytes| bytes.truncate(bytes.len() / 2)), "bytes"),
    (WEIGHTS, |site, file| site.edit(file, |bytes| bytes.push(0)), "byte"),
    (WEIGHTS, |site, file| site.edit(file, |bytes| bytes[..8].fill(255)), "header"),
    (TOKENIZER, |site, file| site.replace(file, HTML), "an HTML page"),
    (TOKENIZER, |site, file| site.replace(file, b"{}"), "not a tokenizer"),
    (CONFIG, |site, file| site.remove(file), "404"),
    (CONFIG, |site, file| site.replace(file, br#"{"model_type": "llama"}"#), "llama"),
];

#[tokio::test]
async fn a_broken_file_is_named_and_everything_else_goes_on() -> Result<()> {
    let site = Site::copy("")?;
    Stage::new("broken-files")
        .errors_expected()
        .play_at(&site.address(""), async |page| {
            for (index, (file, break_it, said)) in CASES.iter().enumerate() {
                break_it(&site, file)?;
                page.go(&site.address(QUERY)).await?;
                let told =
                    page.until(&format!("an alert about {file} ({said})"), |page| !page.alert.is_empty()).await?;
                assert!(told.alert.contains(file) && told.alert.contains(said), "case {index}: {}", told.alert);
                everything_else_goes_on(page).await?;
                site.restore(file)?;
            }
            page.screenshot("broken-file").await?;

            // Once the file is right, the same page loads it, and writes with the prompt that was kept.
            page.press("Start the model again").await?;
            page.until_ready().await?;
            let written = page.generate().await?;
            assert_eq!((written.prompt.as_str(), written.alert.as_str()), (PROMPT, ""));
            Ok(())
        })
        .await
}

async fn everything_else_goes_on(page: &Page) -> Result<Reading> {
    let recorded = page.until("a recorded run", |page| !page.rows.is_empty()).await?;
    assert_eq!(page.value("Prompt").await?, PROMPT, "the prompt is kept");
    assert_eq!(page.value("Seed").await?, "77", "the seed is kept");
    page.find(Role::Slider, "Temperature").await?.send_keys(Key::Left).await?;
    page.until("a table that answers the slider", |page| page.rows != recorded.rows).await
}

#[tokio::test]
async fn a_device_that_fails_the_self_test_is_not_used() -> Result<()> {
    // The weights stay well formed, but some numbers are others: what a shader that was skipped would give.
    let spoilt = |bytes: &mut Vec<u8>| {
        let end = bytes.len();
        bytes[end / 2..end / 2 + 4096].fill(0);
    };
    let site = Site::copy("")?;
    site.edit(SELF_TEST, spoilt)?;
    Stage::new("self-test")
        .errors_expected()
        .play_at(&site.address(QUERY), async |page| {
            let told = page.until("an alert", |page| !page.alert.is_empty()).await?;
            assert!(told.alert.contains("self-test failed"), "{}", told.alert);
            let asked: Vec<String> = page
                .evaluate("return performance.getEntriesByType('resource').map(entry => entry.name)", vec![])
                .await?;
            assert!(!asked.iter().any(|address| address.ends_with(WEIGHTS)), "nothing large was fetched: {asked:?}");
            everything_else_goes_on(page).await.map(drop)
        })
        .await
}

#[tokio::test]
async fn an_engine_that_cannot_start_is_reported() -> Result<()> {
    let site = Site::copy("")?;
    let throws: &[u8] = b"throw new Error('the engine is out of order');";
    let fails: &[u8] =
        b"export function start() {}\nexport default () => { throw new Error('the engine is out of order'); };";
    let cases: [(&str, Option<&[u8]>, &str); 5] = [
        ("worker.js", None, "could not be loaded"),
        ("worker.js", Some(throws), "the engine is out of order"),
        ("pkg/engine.js", None, "could not be loaded"),
        ("pkg/engine.js", Some(fails), "the engine is out of order"),
        ("pkg/engine_bg.wasm", Some(HTML), "engine"),
    ];
    Stage::new("engine-out-of-order")
        .errors_expected()
        .play_at(&site.address(""), async |page| {
            for (file, bytes, said) in cases {
                match bytes {
                    Some(bytes) => site.replace(file, bytes)?,
                    None => site.remove(file)?,
                }
                page.go(&site.address(QUERY)).await?;
                let told = page.until(&format!("an alert about {file}"), |page| !page.alert.is_empty()).await?;
                assert!(told.alert.contains(said), "{file}: {}", told.alert);
                everything_else_goes_on(page).await?;
                page.find(Role::Button, "Start the model again").await?;
                let at_last = page.reading().await?.alert;
                assert!(!at_last.contains("has been started again"), "{file}: it has not: {at_last}");
                site.restore(file)?;
            }
            page.screenshot("engine-out-of-order").await
        })
        .await
}

/// The worker's script throws once a long run is going on, as a trap does.
#[tokio::test]
async fn an_engine_that_dies_in_a_run_leaves_the_text_and_a_new_one_starts() -> Result<()> {
    let dies =
        b"\nself.addEventListener('message', () => setTimeout(() => { throw new Error('out of order'); }, 4000));\n";
    let site = Site::copy("")?;
    site.edit("worker.js", |bytes| bytes.extend_from_slice(dies))?;
    Stage::new("engine-dies")
        .errors_expected()
        .play_at(&site.address(&format!("{QUERY}&temperature=1&new=1024")), async |page| {
            let told = page.until("an alert", |page| !page.alert.is_empty()).await?;
            assert!(told.alert.contains("out of order"), "{}", told.alert);
            assert!(!told.growing && !told.tokens.is_empty() && told.text.starts_with(PROMPT), "{told:#?}");
            assert!(told.facts.contains("Broken off after"), "the engine was to die in the run: {}", told.facts);
            page.screenshot("engine-died").await?;
            assert_eq!(page.value("Prompt").await?, PROMPT);

            page.fill("New tokens", "5").await?;
            page.press("Generate").await?;
            let again = page.until("a short run", |page| !page.growing && page.tokens.len() == 5).await?;
            assert_eq!(again.ids()[..], told.ids()[..5], "the new engine writes what the old one wrote");
            Ok(())
        })
        .await
}
