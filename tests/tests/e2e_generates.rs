//! Writing: greedy text is that of Hugging Face, chance is NumPy's, and a run can be had again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_tests::e2e::{Page, Reading, SOON, Stage, golden};
use thirtyfour::Key;

/// The prompt of the reference, as an address has it.
const ONCE: &str = "?device=cpu&prompt=Once%20upon%20a%20time";

#[tokio::test]
async fn greedy_text_is_that_of_the_reference() -> Result<()> {
    Stage::new("greedy")
        .play(&format!("{ONCE}&temperature=0&new=30"), async |page| {
            // The address has a prompt, so that the page begins to write by itself.
            let written = page.until_written(SOON).await?;
            let known = golden::reference("Once upon a time")?;
            assert_eq!(written.prompt, known.text);
            assert_eq!(written.generated(), known.greedy_text);
            assert_eq!(written.ids(), known.greedy);
            assert!(written.facts.contains("30 tokens. All the new tokens"), "{}", written.facts);
            assert!(written.notes.contains("Not used: at temperature 0"), "{}", written.notes);
            assert!(written.draw.unwrap().contains("no random number is used"));
            page.screenshot("greedy").await?;

            // This one has line breaks in it.
            let known = golden::reference("A")?;
            page.fill("Prompt", &known.text).await?;
            let written = page.generate().await?;
            assert_eq!((written.generated(), written.ids()), (&*known.greedy_text, known.greedy));
            println!("measured: {}", written.facts.replace('\n', ", "));
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_seed_gives_one_text_and_numpys_numbers() -> Result<()> {
    Stage::new("seeded")
        .play(&format!("{ONCE}&temperature=1&top_k=0&top_p=1&seed=1&new=24"), async |page| {
            let first = page.until_written(SOON).await?;
            let note: String =
                page.evaluate("return document.getElementById('seed-note').textContent", Vec::new()).await?;
            assert_eq!(note, "", "a seed that is used has no note");
            every_draw_is_numpys(page, &first, 1).await?;
            page.screenshot("seeded").await?;
            let again = page.generate().await?;
            assert_eq!(again.ids(), first.ids());
            assert_eq!(again.text, first.text);

            let mut texts = vec![first.text];
            for seed in 2..=5 {
                page.fill("Seed", &seed.to_string()).await?;
                let other = page.generate().await?;
                assert!(
                    !texts.contains(&other.text),
                    "seed {seed} gives a text that another seed gave: {}",
                    other.text
                );
                texts.push(other.text);
            }
            Ok(())
        })
        .await
}

/// Step by step, the draw's u is the number that NumPy gives.
async fn every_draw_is_numpys(page: &Page, run: &Reading, seed: u64) -> Result<()> {
    assert_eq!(run.focus(), Some(run.tokens.len() - 1), "the last token has the focus");
    page.press_on_text(Key::Home).await?;
    for (step, known) in golden::uniforms(seed)?.into_iter().enumerate() {
        let page_now = page.until(&format!("step {step} in focus"), |page| page.focus() == Some(step)).await?;
        let draw = page_now.draw.unwrap();
        let shown = draw.strip_prefix("u = ").and_then(|rest| rest.split(' ').next()).unwrap();
        let decimals = shown.split_once('.').unwrap().1.len();
        assert!(decimals >= 4, "{draw}");
        assert_eq!(shown, format!("{known:.decimals$}"), "step {step}: {draw}");
        page.press_on_text(Key::Right).await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_nucleus_has_the_size_that_the_reference_says() -> Result<()> {
    Stage::new("nucleus")
        .play(&format!("{ONCE}&temperature=1&top_k=0&top_p=0.9&seed=7&new=6&step=0"), async |page| {
            let written = page.until_written(SOON).await?;
            let size = golden::reference("Once upon a time")?.nucleus_size_p90;
            assert_eq!(written.focus(), Some(0), "the address has the step");
            let [logits, nucleus] = [&written.logits, &written.nucleus_size].map(|caption| caption.clone().unwrap());
            assert!(logits.contains(&format!("; {size} tokens are kept")), "{logits}");
            assert!(nucleus.contains(&format!("at step 1, {size} tokens")), "{nucleus}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_link_gives_the_same_run_in_another_browser() -> Result<()> {
    let (query, text) = Stage::new("link-made")
        .play("?device=cpu", async |page| {
            page.until_ready().await?;
            for (field, text) in [
                ("Prompt", "The fox & the hen, 100 % \u{201c}friends\u{201d}"),
                ("Temperature", "0.9"),
                ("Top-k", "50"),
                ("Top-p", "0.95"),
                ("Seed", "18446744073709551615"),
                ("New tokens", "25"),
            ] {
                page.fill(field, text).await?;
            }
            let text = page.generate().await?.text;
            let address = page.until("an address of the run", |page| page.address.contains("check=")).await?.address;
            Ok((address[address.find('?').unwrap()..].to_owned(), text))
        })
        .await?;
    Stage::new("link-followed")
        .play(&query, async |page| {
            let followed = page.until_written(SOON).await?;
            assert_eq!(followed.text, text);
            assert!(followed.status.contains("The same tokens as in the link"), "{}", followed.status);
            assert_eq!(page.value("Seed").await?, "18446744073709551615");

            // The same link with another fingerprint: what the reader gets is not what was shared, and the page says so.
            let (rest, hash) = query.rsplit_once('-').unwrap();
            let other = if hash.starts_with('0') { "1" } else { "0" };
            let site = followed.address.split('?').next().unwrap();
            page.go(&format!("{site}{rest}-{other}{}", &hash[1..])).await?;
            let diverged = page.until_written(SOON).await?;
            assert!(diverged.status.contains("Other tokens than in the link"), "{}", diverged.status);
            Ok(())
        })
        .await
}

#[tokio::test]
async fn stop_takes_effect_within_one_token_and_says_so() -> Result<()> {
    Stage::new("stop")
        .play(&format!("{ONCE}&temperature=1&seed=3&new=1000"), async |page| {
            page.until("a few tokens", |page| page.tokens.len() >= 5).await?;
            page.press("Stop").await?;
            page.until_shown().await?;
            let at_stop = page.reading().await?;
            let after = page.until("the end of the run", |page| !page.growing).await?;
            assert!(
                after.tokens.len() <= at_stop.tokens.len() + 1,
                "{} and then {} tokens",
                at_stop.tokens.len(),
                after.tokens.len()
            );
            assert!(after.tokens.len() < 1000, "it went on to the end");
            assert!(after.text.starts_with(&at_stop.text), "the text is kept");
            assert!(after.facts.contains("You stopped it"), "{}", after.facts);

            // The engine is free at once, and the same seed gives the same beginning.
            page.fill("New tokens", "5").await?;
            let again = page.generate().await?;
            assert_eq!(again.ids()[..], after.ids()[..5]);
            Ok(())
        })
        .await
}
