//! Every strategy from its address, and another way through a text by keyboard alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use anyhow::Result;
use nucleus_tests::e2e::{Page, Reading, SOON, Scheme, Stage};
use thirtyfour::Key;

/// What a figure says of itself to who cannot see it.
async fn caption(page: &Page, figure: &str) -> Result<String> {
    let script =
        "return document.querySelector(`figure[aria-label=\"${arguments[0]}\"] figcaption`)?.textContent ?? ''";
    page.evaluate(script, vec![figure.into()]).await
}

async fn text_of(page: &Page, selector: &str) -> Result<String> {
    let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
    page.evaluate(script, vec![selector.into()]).await
}

/// Opens the page with another query.
async fn open(page: &mut Page, query: &str) -> Result<()> {
    let here: String = page.evaluate("return location.origin + location.pathname", Vec::new()).await?;
    Ok(page.session().goto(format!("{here}{query}")).await?)
}

/// Waits until an element says what is looked for: where another strategy is chosen there is no text to be read.
async fn until_says(page: &Page, selector: &str, words: &str) -> Result<String> {
    let end = Instant::now() + SOON;
    loop {
        let text = text_of(page, selector).await?;
        if text.contains(words) {
            return Ok(text);
        }
        assert!(Instant::now() < end, "{selector} still does not say \u{201c}{words}\u{201d}: {text}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The strategy is done, and nothing runs out of the page.
async fn done(page: &Page, name: &str) -> Result<()> {
    until_says(page, "#status", "Done in").await?;
    let too_wide: i32 = page.evaluate("return document.documentElement.scrollWidth - innerWidth", Vec::new()).await?;
    assert!(too_wide <= 0, "{name} is {too_wide} px too wide");
    page.screenshot_of_everything(name).await
}

#[tokio::test]
async fn each_strategy_shows_its_work_from_its_address() -> Result<()> {
    for (look, width) in [("wide", 1280), ("narrow", 360)] {
        let stage = Stage::new("strategies").look(width, 900, Scheme::Dark);
        stage
            .play("?device=cpu", async |page| {
                open(page, "?device=cpu&temperature=0&new=8&strategy=batch").await?;
                done(page, &format!("batch-{look}")).await?;
                assert!(caption(page, "Batch").await?.contains("All rows are done"));
                let alone = text_of(page, "#work .alone").await?;
                assert_eq!(alone.matches("the same 8 tokens").count(), 4, "{alone}");
                let took = text_of(page, ".took").await?;
                assert!(took.contains("Together the 4 rows took") && took.contains("one after the other"), "{took}");

                open(page, "?device=cpu&strategy=slots").await?;
                done(page, &format!("slots-{look}")).await?;
                assert!(caption(page, "Slots").await?.contains("slot-steps are busy"));

                open(page, "?device=cpu&strategy=beam&prompt=Once%20upon%20a%20time&width=3&results=2&new=8").await?;
                done(page, &format!("beam-{look}")).await?;
                assert!(caption(page, "Beam search").await?.contains("The best sequence found is"));

                open(page, "?device=cpu&strategy=vote&prompt=The%20cat%20was&samples=3&new=6&seed=1").await?;
                done(page, &format!("vote-{look}")).await?;
                assert!(caption(page, "Votes").await?.contains("entropy"));

                open(page, "?device=cpu&strategy=bigram&prompt=the&new=6&seed=42").await?;
                until_says(page, "#status", "6 new words").await?;
                assert!(caption(page, "Bigram").await?.contains("In the counted text"));
                Ok(())
            })
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_bad_field_of_a_strategy_is_refused_by_name() -> Result<()> {
    Stage::new("bad-strategy")
        .play("?device=cpu", async |page| {
            open(page, "?device=cpu&strategy=beam&prompt=Once&width=40").await?;
            let alert = until_says(page, "#alert", "Width").await?;
            assert!(alert.contains("from 1 to 16"), "{alert}");
            open(page, "?device=cpu&prompt=Once&output=json&schema=%7B%7D").await?;
            let alert = until_says(page, "#alert", "schema").await?;
            assert!(alert.contains("Not started"), "{alert}");
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_token_is_forced_by_keyboard_and_the_way_back_is_exact() -> Result<()> {
    let there = Stage::new("force")
        .play("?device=cpu&temperature=1&seed=5&new=16&prompt=Once%20upon%20a%20time", async |page| {
            let first = page.until_written(SOON).await?;
            page.tab_to("button", "Force another token").await?;
            page.type_keys(Key::Enter).await?;
            assert_eq!(page.focused().await?.role, "textbox");
            page.type_keys("dragon").await?;
            page.type_keys(Key::Enter).await?;
            // The last step was in focus, so nothing comes after it.
            let is_there = |page: &Reading| page.text.contains("dragon") && page.address.contains("force=15%3A");
            let forced = page.until("another last token", is_there).await?;
            assert_eq!(forced.tokens.len(), 16);
            assert_eq!(forced.ids()[..15], first.ids()[..15]);

            page.press("Show branch 1").await?;
            let back = page.until("the first text", |page| page.text == first.text).await?;
            assert_eq!(back.ids(), first.ids());
            page.press("Previous step").await?;
            page.press("Previous step").await?;
            page.press("Rewind to before this step").await?;
            page.until("a shorter text", |page| page.tokens.len() < 16).await?;
            page.press("Write on from here").await?;
            let again = page.until("all tokens", |page| page.tokens.len() == 16 && !page.growing).await?;
            assert_eq!(again.ids(), first.ids());
            Ok(forced)
        })
        .await?;
    let query = there.address.split_once('?').unwrap().1.to_owned();
    Stage::new("force-link")
        .play(&format!("?{query}"), async |page| {
            let here = page.until_written(SOON).await?;
            assert_eq!(here.ids(), there.ids());
            Ok(())
        })
        .await
}

/// CASES 13 and 14: nothing of a stop string is shown, and the text is cut at its first occurrence.
#[tokio::test]
async fn a_stop_string_is_not_shown() -> Result<()> {
    let query = "?device=cpu&temperature=0&new=30&prompt=Once%20upon%20a%20time";
    Stage::new("stop")
        .play(query, async |page| {
            let free = page.until_written(SOON).await?.text;
            // Four characters out of the middle of the text, wherever the tokens are cut.
            let at = free.char_indices().nth(40).unwrap().0;
            let stop: String = free[at..].chars().take(4).collect();
            let first = free["Once upon a time".len()..].find(&stop).unwrap() + "Once upon a time".len();
            let encoded: String = stop.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let here: String = page.evaluate("return location.origin + location.pathname", Vec::new()).await?;
            page.go(&format!("{here}{query}&stop={encoded}")).await?;
            let cut = page.until("the end", |page| !page.growing && page.facts.contains("ends before")).await?;
            assert_eq!(cut.text, free[..first]);
            Ok(())
        })
        .await
}
