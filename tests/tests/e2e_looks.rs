//! How it looks: wide and narrow, light and dark, and never wider than the window. The pictures are for people to judge.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_tests::e2e::{Look, SOON, Scheme, Stage};

const LOOKS: [(&str, u32, u32); 3] = [("wide", 1280, 900), ("tablet", 768, 1024), ("phone", 390, 844)];

#[tokio::test]
async fn nothing_is_wider_than_the_window() -> Result<()> {
    let query = "?device=cpu&prompt=The%20king%20said%20to%20his&temperature=0.9&top_p=0.9&seed=4&new=60";
    Stage::new("looks")
        .play(query, async |page| {
            page.until_written(SOON).await?;
            for scheme in [Scheme::Light, Scheme::Dark] {
                for (name, width, height) in LOOKS {
                    page.put_on(Look { width, height, scheme }).await?;
                    page.until_shown().await?;
                    page.fits(&format!("{name} {scheme:?}")).await?;
                    let name = format!("{name}-{}", if scheme == Scheme::Dark { "dark" } else { "light" });
                    page.screenshot(&name).await?;
                    page.screenshot_of_everything(&format!("{name}-whole")).await?;
                }
            }
            Ok(())
        })
        .await
}

#[tokio::test]
async fn a_phone_in_the_dark_opens_like_any_other() -> Result<()> {
    Stage::new("phone")
        .look(390, 844, Scheme::Dark)
        .play("", async |page| {
            page.until("a recorded run", |page| !page.rows.is_empty()).await?;
            page.fits("phone").await?;
            let dark: String = page.evaluate("return getComputedStyle(document.body).backgroundColor", vec![]).await?;
            let sum: u32 =
                dark.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok()).take(3).sum();
            assert!(sum < 3 * 80, "the ground is to be dark, but is {dark}");
            page.screenshot("opens-phone-dark").await
        })
        .await
}
