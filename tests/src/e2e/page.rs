//! The page, as far as its reader can use it.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thirtyfour::{Key, WebDriver, WebElement};

use super::browser::{Browser, Look};
use super::reading::{Reading, SCRIPT};
use super::role::{Role, find};
use super::screenshot;

/// How long anything may take that does not compute on a software GPU.
pub const SOON: Duration = Duration::from_secs(30);

/// How often the page is looked at while something is awaited.
const GLANCE: Duration = Duration::from_millis(20);

/// Leaves in `window.firstText` how long after the start of the navigation, in milliseconds, the first text was there.
const NOTE_FIRST_TEXT: &str = "
    new MutationObserver((_, observer) => {
        if (document.querySelector('[role=log]')?.textContent.trim()) {
            window.firstText = performance.now();
            observer.disconnect();
        }
    }).observe(document, { childList: true, subtree: true, characterData: true });";

/// An open page.
pub struct Page {
    browser: Browser,
    parts: Parts,
}

/// The parts that stay where they are for as long as the page is open.
struct Parts {
    log: WebElement,
    generate: WebElement,
    stop: WebElement,
}

impl Page {
    /// Opens an address.
    ///
    /// # Errors
    /// When one of the page's parts cannot be found by its role and name.
    pub(super) async fn open(browser: Browser, address: &str) -> Result<Self> {
        browser.session().cdp().page().add_script_to_evaluate_on_new_document(NOTE_FIRST_TEXT).await?;
        browser.session().goto(address).await?;
        let parts = Parts::find(browser.session()).await?;
        Ok(Self { browser, parts })
    }

    /// Opens another address in the same window.
    ///
    /// # Errors
    /// As for the first.
    pub async fn go(&mut self, address: &str) -> Result<()> {
        self.session().goto(address).await?;
        self.parts = Parts::find(self.session()).await?;
        Ok(())
    }

    /// The WebDriver session.
    #[must_use]
    pub fn session(&self) -> &WebDriver {
        self.browser.session()
    }

    /// The element with a role and an accessible name.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub async fn find(&self, role: Role, name: &str) -> Result<WebElement> {
        find(self.session(), role, name).await
    }

    /// What the page says now.
    ///
    /// # Errors
    /// When the page is not the one that it is taken for.
    pub async fn reading(&self) -> Result<Reading> {
        let Parts { log, generate, stop } = &self.parts;
        let mut arguments = Vec::new();
        for part in [log, generate, stop] {
            arguments.push(part.to_json()?);
        }
        Ok(self.session().execute(SCRIPT, arguments).await?.convert()?)
    }

    /// Waits until the page says something, and gives what it then says.
    ///
    /// # Errors
    /// When it does not within the time; the error holds what it says instead.
    pub async fn until_within(&self, limit: Duration, what: &str, so: impl Fn(&Reading) -> bool) -> Result<Reading> {
        let end = Instant::now() + limit;
        loop {
            let reading = self.reading().await?;
            if so(&reading) {
                return Ok(reading);
            }
            if Instant::now() > end {
                bail!("after {} s there is still not {what}; the page says {reading:#?}", limit.as_secs());
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// The same, [`SOON`].
    ///
    /// # Errors
    /// When it does not.
    pub async fn until(&self, what: &str, so: impl Fn(&Reading) -> bool) -> Result<Reading> {
        self.until_within(SOON, what, so).await
    }

    /// Waits until the model is there.
    ///
    /// # Errors
    /// When it does not come.
    pub async fn until_ready(&self) -> Result<Reading> {
        self.until("a model", |page| page.status.contains("million parameters")).await
    }

    /// Waits until a puppet's model is on a graphics processor.
    ///
    /// # Errors
    /// When it is not.
    pub async fn until_at_work(&self) -> Result<Reading> {
        self.until("a model at work", |page| page.device.contains("WebGPU \u{b7} f32")).await
    }

    /// How long after the start of the navigation the first text was there.
    ///
    /// # Errors
    /// When there is none yet.
    pub async fn first_text(&self) -> Result<Duration> {
        let milliseconds: f64 = self.evaluate("return window.firstText", vec![]).await?;
        Ok(Duration::from_secs_f64(milliseconds / 1000.0))
    }

    /// Presses the button with this name.
    ///
    /// # Errors
    /// When there is no such button, or something lies over it.
    pub async fn press(&self, button: &str) -> Result<()> {
        match button {
            "Generate" => self.parts.generate.click().await?,
            "Stop" => self.parts.stop.click().await?,
            _ => self.find(Role::Button, button).await?.click().await?,
        }
        Ok(())
    }

    /// Replaces what stands in the field with this name, as by pasting, so that any character can be given.
    ///
    /// # Errors
    /// When there is no such field.
    pub async fn fill(&self, field: &str, text: &str) -> Result<()> {
        let field = self.find(Role::Textbox, field).await?;
        self.session().execute("arguments[0].focus(); arguments[0].select();", vec![field.to_json()?]).await?;
        if text.is_empty() {
            field.send_keys(Key::Delete).await?;
        } else {
            self.session().cdp().send_raw("Input.insertText", json!({ "text": text })).await?;
        }
        Ok(())
    }

    /// What stands in the field with this name.
    ///
    /// # Errors
    /// When there is no such field.
    pub async fn value(&self, field: &str) -> Result<String> {
        Ok(self.find(Role::Textbox, field).await?.value().await?.unwrap_or_default())
    }

    /// Presses Generate and waits for the end of the run.
    ///
    /// # Errors
    /// When it does not end.
    pub async fn generate(&self) -> Result<Reading> {
        self.press("Generate").await?;
        self.until_written(SOON).await
    }

    /// Waits for the end of the run that was asked for by button, key or address.
    ///
    /// # Errors
    /// When it does not end.
    pub async fn until_written(&self, limit: Duration) -> Result<Reading> {
        self.until_shown().await?;
        self.until_within(limit, "the end of the run", |page| {
            !page.can_stop && !page.growing && !page.tokens.is_empty()
        })
        .await
    }

    /// Waits until the page shows what it knows: it is drawn anew with the next frame.
    ///
    /// # Errors
    /// When the page draws no more.
    pub async fn until_shown(&self) -> Result<()> {
        let frames = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]));";
        self.session().execute_async(frames, vec![]).await?;
        Ok(())
    }

    /// What a script gives that runs in the page.
    ///
    /// # Errors
    /// When it throws, or gives something else than expected.
    pub async fn evaluate<T: DeserializeOwned>(&self, script: &str, arguments: Vec<Value>) -> Result<T> {
        Ok(self.session().execute(script, arguments).await?.convert()?)
    }

    /// What the browser's console holds since the last call: errors and warnings.
    ///
    /// # Errors
    /// When the driver keeps no log.
    pub async fn console(&self) -> Result<Vec<String>> {
        let entries = self.session().browser_log().await?;
        let serious = entries.into_iter().filter(|entry| ["SEVERE", "WARNING"].contains(&entry.level.as_str()));
        Ok(serious.map(|entry| format!("{}: {}", entry.level, entry.message)).collect())
    }

    /// Changes size and colours.
    ///
    /// # Errors
    /// What the browser says.
    pub async fn put_on(&self, look: Look) -> Result<()> {
        self.browser.put_on(look).await
    }

    /// Writes what the window shows to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn screenshot(&self, name: &str) -> Result<()> {
        screenshot::take(self.session(), name).await.map(drop)
    }

    /// The same for the whole page, from its top to its end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn screenshot_of_everything(&self, name: &str) -> Result<()> {
        screenshot::take_everything(self.session(), name).await.map(drop)
    }

    pub(super) async fn close(self) -> Result<()> {
        // The elements hold on to the session as well.
        drop(self.parts);
        self.browser.quit().await
    }
}

impl Parts {
    async fn find(session: &WebDriver) -> Result<Self> {
        Ok(Self {
            log: find(session, Role::Log, "Text").await?,
            generate: find(session, Role::Button, "Generate").await?,
            stop: find(session, Role::Button, "Stop").await?,
        })
    }
}
