//! What an address may say, and what happens when it says something that cannot be.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_tests::e2e::{SOON, Site, Stage, golden};

/// Key and value in the address, the field they stand in, and what the sentence beside it must say.
const BAD_SETTINGS: &[(&str, &str, &str, &str)] = &[
    ("temperature", "-1", "Temperature", "is -1, but must be"),
    ("temperature", "NaN", "Temperature", "NaN"),
    ("temperature", "inf", "Temperature", "inf"),
    ("temperature", "-inf", "Temperature", "inf"),
    ("temperature", "1e999", "Temperature", "inf"),
    ("temperature", "hot", "Temperature", "not a number"),
    ("temperature", "", "Temperature", "is empty"),
    ("top_p", "0", "Top-p", "is 0, but must be"),
    ("top_p", "1.5", "Top-p", "is 1.5, but must be"),
    ("top_p", "-0.1", "Top-p", "is -0.1, but must be"),
    ("top_p", "NaN", "Top-p", "NaN"),
    ("top_k", "-1", "Top-k", "is -1, but must be a whole number"),
    ("top_k", "2.5", "Top-k", "is 2.5, but must be a whole number"),
    ("top_k", "many", "Top-k", "not a number"),
    ("penalty", "0.9", "Repetition penalty", "is 0.9, but must be 1 or more"),
    ("penalty", "often", "Repetition penalty", "not a number"),
    ("seed", "-1", "Seed", "is -1, but must be a whole number"),
    ("seed", "18446744073709551616", "Seed", "to 18446744073709551615"),
    ("seed", "1.5", "Seed", "is 1.5, but must be a whole number"),
    ("new", "0", "New tokens", "is 0, but must be a whole number from 1"),
    ("new", "99999", "New tokens", "is 99999, but must be a whole number"),
];

/// What the alert must say of an address that cannot be meant.
const BAD_WORDS: &[(&str, &str)] = &[
    ("model=../../etc", "model in the address is"),
    ("device=gpu", "must be cpu, webgpu or auto"),
    ("weights=f64", "must be f32, f16 or int8"),
    ("step=first", "step in the address is"),
    ("special=yes", "must be 0 or 1"),
    ("check=abc", "check in the address is"),
    ("prompt=%FF", "is not a text"),
    ("recording=none-such", "no recording named"),
];

/// What is refused needs no engine, and the tests no wait for one.
fn without_engine() -> Result<Site> {
    let site = Site::copy("")?;
    site.replace("worker.js", b"// never answers")?;
    Ok(site)
}

#[tokio::test]
async fn a_bad_setting_has_a_sentence_and_starts_nothing() -> Result<()> {
    let site = without_engine()?;
    Stage::new("bad-settings")
        .play_at(&site.address(""), async |page| {
            for (key, value, field, sentence) in BAD_SETTINGS {
                let case = format!("{key}={value}");
                page.go(&site.address(&format!("?prompt=Once&{case}"))).await?;
                let refused =
                    page.until(&format!("a complaint about {case}"), |page| !page.complaints.is_empty()).await?;
                assert_eq!(refused.complaints.len(), 1, "{case}: {refused:#?}");
                assert_eq!(refused.complaints[0].value, *value, "{case}");
                assert!(refused.complaints[0].sentence.contains(sentence), "{case}: {refused:#?}");
                assert!(refused.alert.contains("Not started"), "{case}: {refused:#?}");

                // A recording is shown instead, and the field can be put right.
                page.until("a recorded run", |page| !page.rows.is_empty()).await?;
                page.fill(field, "1").await?;
                page.until(&format!("peace after {case}"), |page| page.complaints.is_empty()).await?;
            }
            page.go(&site.address("?prompt=Once&temperature=-1")).await?;
            page.until("a recorded run", |page| !page.rows.is_empty()).await?;
            page.screenshot("bad-setting").await
        })
        .await
}

#[tokio::test]
async fn a_bad_word_in_the_address_is_left_out_and_said() -> Result<()> {
    let site = without_engine()?;
    Stage::new("bad-words")
        .play_at(&site.address(""), async |page| {
            for (case, sentence) in BAD_WORDS {
                page.go(&site.address(&format!("?{case}"))).await?;
                page.until(&format!("an alert about {case}"), |page| page.alert.to_lowercase().contains(sentence))
                    .await?;
                page.until("a recorded run", |page| !page.rows.is_empty()).await?;
            }
            Ok(())
        })
        .await
}

/// A temperature close to 0, a p close to 0 and k = 1 all leave the argmax alone, each in its own way.
#[tokio::test]
async fn settings_at_their_edge_are_the_argmax() -> Result<()> {
    let site = Site::built()?;
    let greedy = golden::reference("Once upon a time")?.greedy;
    Stage::new("edges")
        .play_at(&site.address(""), async |page| {
            for case in
                ["temperature=0", "temperature=1e-5", "temperature=1e-40", "top_p=1e-8", "top_k=1&temperature=2"]
            {
                let query = format!("?device=cpu&prompt=Once%20upon%20a%20time&seed=5&new=30&{case}");
                page.go(&site.address(&query)).await?;
                let written = page.until_written(SOON).await?;
                assert_eq!(written.ids(), greedy, "{case}");
                assert!(written.alert.is_empty() && written.complaints.is_empty(), "{case}: {written:#?}");
            }
            Ok(())
        })
        .await
}
