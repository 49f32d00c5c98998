//! A page in a browser of its own, and what is asked of it.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::e2e::{Browser, Gpu};

/// Nothing takes longer, on a software adapter and a busy machine either.
const LIMIT: Duration = Duration::from_secs(900);

/// A long submission to a software adapter is no hang.
const ARGUMENTS: [&str; 1] = ["--disable-gpu-watchdog"];

/// Waits for `window.answer`, but not so long that the driver gives up; null if it has not come.
const WAIT: &str = "
    const done = arguments[0];
    Promise.race([window.answer, new Promise(later => setTimeout(later, 60000, null))]).then(done);";

/// The page of an engine.
pub struct Page(Browser);

/// What comes of a promise.
#[derive(Deserialize)]
enum Answer {
    #[serde(rename = "value")]
    Value(Value),
    #[serde(rename = "error")]
    Error(String),
}

impl Page {
    /// Opens an address in a browser of its own, and waits until the page says that it is ready.
    pub async fn open(address: &str) -> Result<Self> {
        let page = Self(Browser::start_with(Gpu::Software, &ARGUMENTS).await?);
        match page.go(address).await {
            Ok(()) => Ok(page),
            Err(error) => page.close().await.and(Err(error)),
        }
    }

    /// Opens an address in the same browser.
    pub async fn go(&self, address: &str) -> Result<()> {
        self.0.session().goto(address).await?;
        self.ask("new Promise(done => { const look = () => window.ready ? done() : setTimeout(look, 5); look(); })")
            .await
    }

    /// The process whose descendants are the browser.
    pub fn process(&self) -> u32 {
        self.0.driver_process()
    }

    /// The value of an expression, awaited.
    pub async fn ask<T: DeserializeOwned>(&self, expression: &str) -> Result<T> {
        let script = format!(
            "window.answer = (async () => ({{ value: (await ({expression})) ?? null }}))()
                .catch(error => ({{ error: String(error?.message ?? error) }}));"
        );
        let (session, end) = (self.0.session(), Instant::now() + LIMIT);
        session.execute(&script, vec![]).await?;
        while Instant::now() < end {
            match session.execute_async(WAIT, vec![]).await?.convert()? {
                Some(Answer::Value(value)) => return Ok(serde_json::from_value(value)?),
                Some(Answer::Error(message)) => bail!("{message}"),
                None => {}
            }
        }
        bail!("no answer within {} s", LIMIT.as_secs())
    }

    /// Ends the browser.
    pub async fn close(self) -> Result<()> {
        self.0.quit().await
    }
}
