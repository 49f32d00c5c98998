//! Pictures of the page, for people to look at.

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result};
use serde_json::json;
use thirtyfour::WebDriver;
use thirtyfour::support::base64_decode;

use super::site::repository;

/// `screenshots` in cargo's target folder.
#[must_use]
pub fn folder() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    repository().join(target).join("screenshots")
}

/// Writes what the window shows now to `NAME.png` in [`folder`], and says where that is.
///
/// # Errors
/// When the browser gives no picture, or it cannot be written.
pub async fn take(session: &WebDriver, name: &str) -> Result<PathBuf> {
    write(name, &session.screenshot_as_png().await?)
}

/// The same for the whole page, however long it is.
///
/// # Errors
/// When the browser gives no picture, or it cannot be written.
pub async fn take_everything(session: &WebDriver, name: &str) -> Result<PathBuf> {
    let options = json!({ "captureBeyondViewport": true });
    let answer = session.cdp().send_raw("Page.captureScreenshot", options).await?;
    let picture = answer["data"].as_str().context("the browser gave no picture")?;
    write(name, &base64_decode(picture)?)
}

fn write(name: &str, png: &[u8]) -> Result<PathBuf> {
    let folder = folder();
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(format!("{name}.png"));
    fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))?;
    println!("screenshot: {}", path.display());
    Ok(path)
}
