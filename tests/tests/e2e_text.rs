//! Text of every kind: it goes in and comes out as it is, and it is never anything but text.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_tests::e2e::{Page, Role, Stage};

const PROMPTS: &[&str] = &[
    "猫",
    "🦊",
    "👩‍👩‍👧‍👦 e\u{301}",
    "नमस्ते",
    "שלום \u{202e}abc",
    "a   b\n\n\tc ",
    "<script>window.injected = true</script>",
    "<img src=x onerror=\"window.injected = true\">",
    "</div></main><h1>&amp;&lt;",
];

#[tokio::test]
async fn any_text_goes_in_and_comes_out_as_it_is() -> Result<()> {
    Stage::new("text")
        .play("?device=cpu&temperature=1&top_k=0&top_p=1&seed=2&new=8", async |page| {
            page.until_ready().await?;
            for prompt in PROMPTS {
                page.fill("Prompt", prompt).await?;
                let written = page.generate().await?;
                assert_eq!(written.prompt, *prompt);
                assert!(written.text.starts_with(prompt) && !written.text.contains('\u{fffd}'), "{}", written.text);
                assert_eq!(written.tokens.len(), 8, "{prompt}: {written:#?}");
                assert_eq!(written.alert, "", "{prompt}");
            }
            only_text_came_of_it(page).await?;
            bytes_that_are_no_characters_are_shown_as_bytes(page).await?;
            page.screenshot("text").await
        })
        .await
}

async fn only_text_came_of_it(page: &Page) -> Result<()> {
    let strangers: u32 = page
        .evaluate("return document.querySelectorAll('main img, main script, [role=log] h1').length", vec![])
        .await?;
    let injected: bool = page.evaluate("return Boolean(window.injected)", vec![]).await?;
    assert!(strangers == 0 && !injected, "a prompt became part of the page");
    Ok(())
}

/// At T = 1000 every token is nearly as likely as any other, single bytes among them.
async fn bytes_that_are_no_characters_are_shown_as_bytes(page: &Page) -> Result<()> {
    page.fill("Prompt", "Once").await?;
    page.fill("Temperature", "1000").await?;
    page.fill("New tokens", "120").await?;
    let written = page.generate().await?;
    assert!(!written.text.contains('\u{fffd}') && written.text.contains('⟨'), "{}", written.text);
    page.fill("Temperature", "1").await?;
    page.fill("New tokens", "8").await
}

#[tokio::test]
async fn the_end_mark_is_plain_text_unless_the_reader_chooses() -> Result<()> {
    Stage::new("end-mark")
        .play("?device=cpu&temperature=0&new=8", async |page| {
            page.until_ready().await?;
            page.fill("Prompt", "The end.<|endoftext|>").await?;
            let plain = page.generate().await?;
            assert!(plain.notes.contains("plain text"), "{}", plain.notes);

            let choice = page.find(Role::Checkbox, "Read <|endoftext|> as the model’s end mark").await?;
            choice.click().await?;
            let parsed = page.generate().await?;
            assert!(parsed.notes.contains("is the token that separates texts"), "{}", parsed.notes);
            assert_ne!(parsed.rows, plain.rows, "the model read something else");
            assert_eq!(parsed.prompt, "The end.<|endoftext|>");
            page.until("an address with the choice", |page| page.address.contains("special=1")).await?;
            page.screenshot("end-mark").await?;

            page.fill("Prompt", "The end.").await?;
            page.until_shown().await?;
            assert!(!page.reading().await?.notes.contains("plain text"), "nothing is left to choose");
            Ok(())
        })
        .await
}

/// The embedded model sees 256 tokens, and " the" is one of them.
#[tokio::test]
async fn past_the_context_the_window_slides_and_the_page_says_so() -> Result<()> {
    let context = 256;
    Stage::new("window")
        .play("?device=cpu&temperature=0&new=10", async |page| {
            page.until_ready().await?;
            let write = async |tokens: usize| {
                page.fill("Prompt", &" the".repeat(tokens)).await?;
                page.press("Generate").await?;
                page.until_written(nucleus_tests::e2e::SOON).await
            };
            let full = write(context).await?;
            assert!(full.facts.contains("no longer saw the oldest 9 tokens"), "{}", full.facts);

            // Of 300 tokens the model sees the same last 256.
            let longer = write(300).await?;
            assert_eq!(longer.ids(), full.ids());
            assert_eq!(longer.tokens.len(), 10);
            assert!(longer.facts.contains("no longer saw the oldest 53 tokens"), "{}", longer.facts);
            page.screenshot("window-slid").await?;

            // Only the seventh new token is drawn beyond the context.
            let across = write(context - 4).await?;
            assert!(across.facts.contains("no longer saw the oldest 5 tokens"), "{}", across.facts);
            assert_eq!((across.tokens.len(), across.alert.as_str()), (10, ""));
            Ok(())
        })
        .await
}
