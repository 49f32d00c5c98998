//! The whole of a visit without a mouse, every focus visible.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_tests::e2e::{Page, Role, SOON, Stage};
use thirtyfour::Key;

#[tokio::test]
async fn prompt_run_sliders_and_steps_need_no_mouse() -> Result<()> {
    Stage::new("keyboard")
        .play("?device=cpu&temperature=1&seed=11", async |page| {
            page.until_ready().await?;
            write_a_prompt_and_generate(page).await?;
            stop_a_long_run(page).await?;
            walk_through_the_steps(page).await?;
            move_a_slider(page).await?;
            page.screenshot("keyboard").await
        })
        .await
}

async fn write_a_prompt_and_generate(page: &Page) -> Result<()> {
    page.tab_to("textbox", "Prompt").await?;
    page.retype("The king said to his").await?;
    page.tab_to("textbox", "New tokens").await?;
    page.retype("12").await?;
    page.tab_back_to("button", "Generate").await?;
    page.type_keys(Key::Enter).await?;
    let written = page.until_written(SOON).await?;
    assert_eq!((written.prompt.as_str(), written.tokens.len()), ("The king said to his", 12));

    // From the prompt, Control and Enter do the same.
    page.tab_back_to("textbox", "Prompt").await?;
    page.retype("A").await?;
    page.chord(Key::Control, Key::Enter).await?;
    let again = page.until_written(SOON).await?;
    assert_eq!((again.prompt.as_str(), again.tokens.len()), ("A", 12));
    Ok(())
}

/// Generate can no longer be pressed while it writes; the next press of Tab must lead to Stop all the same.
async fn stop_a_long_run(page: &Page) -> Result<()> {
    page.tab_to("textbox", "New tokens").await?;
    page.retype("1000").await?;
    page.tab_back_to("button", "Generate").await?;
    page.type_keys(Key::Enter).await?;
    page.until("a text that grows", |page| page.growing && !page.tokens.is_empty()).await?;
    page.type_keys(Key::Tab).await?;
    let focused = page.focused().await?;
    assert_eq!((focused.role.as_str(), focused.name.as_str(), focused.visible), ("button", "Stop", true));
    page.type_keys(" ").await?;
    let stopped = page.until("the end of the run", |page| !page.growing).await?;
    assert!(stopped.facts.contains("You stopped it"), "{}", stopped.facts);
    Ok(())
}

/// One press of Tab reaches the text's token in focus; from there the arrows walk.
async fn walk_through_the_steps(page: &Page) -> Result<()> {
    let last = page.reading().await?.focus().unwrap();
    page.tab_to_token().await?;
    page.type_keys(Key::Home).await?;
    for (key, step) in [(Key::Right, 1), (Key::Right, 2), (Key::Left, 1), (Key::End, last), (Key::Home, 0)] {
        page.type_keys(key).await?;
        let before = page.reading().await?.draw;
        page.until(&format!("step {step} in focus"), |page| page.focus() == Some(step)).await?;
        let focused = page.focused().await?;
        assert!(focused.visible && focused.role == "button", "{focused:?}");
        assert!(before.is_some(), "each step has its draw");
    }
    Ok(())
}

async fn move_a_slider(page: &Page) -> Result<()> {
    page.tab_to("slider", "Temperature").await?;
    let before = page.reading().await?;
    page.type_keys(Key::Left).await?;
    page.until("a table that answers", |page| page.rows != before.rows).await?;
    assert_eq!(page.value("Temperature").await?, "0.99");
    let slider = page.find(Role::Slider, "Temperature").await?;
    assert_eq!(slider.attr("aria-valuetext").await?.as_deref(), Some("0.99"));
    Ok(())
}
