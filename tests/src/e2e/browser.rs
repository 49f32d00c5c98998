//! A headless Chromium with an empty profile.

use std::env;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use thirtyfour::{
    ChromeCapabilities, ChromiumLikeCapabilities, DesiredCapabilities, LoggingPrefsLogLevel, TimeoutConfiguration,
    WebDriver,
};
use tokio::time::timeout;
use xtask::browser::ARGUMENTS;

use super::driver::Driver;

/// Nothing that a browser does in one go takes longer than this.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser that has not started by then does not start any more, which on a busy machine happens: another one does.
const START: Duration = Duration::from_secs(40);

/// How the window looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels.
    pub height: u32,
    /// What the reader's system prefers.
    pub scheme: Scheme,
}

/// Dark letters on a light ground, or the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// What the browser has of WebGPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gpu {
    /// An adapter that is only software.
    Software,
    /// WebGPU, but no adapter.
    NoAdapter,
}

impl Gpu {
    /// What the browser is started with.
    fn arguments(self) -> impl Iterator<Item = &'static str> {
        ARGUMENTS.into_iter().filter(move |argument| self == Self::Software || !argument.contains("webgpu"))
    }
}

/// A name of this machine that browsers do not trust as they trust `localhost`.
pub const UNTRUSTED_HOST: &str = "untrusted.test";

/// A browser and its driver; dropping it ends both.
pub struct Browser {
    // Dropped in this order: the session needs its driver to end.
    session: WebDriver,
    driver: Driver,
}

impl Browser {
    /// Starts a browser with an empty profile.
    ///
    /// # Errors
    /// When browser or driver cannot be started.
    pub async fn start(gpu: Gpu, look: Look) -> Result<Self> {
        let browser = Self::start_with(gpu, &[]).await?;
        browser.put_on(look).await?;
        Ok(browser)
    }

    /// Starts a browser with an empty profile and arguments of its own, however it looks.
    ///
    /// # Errors
    /// When browser or driver cannot be started.
    pub async fn start_with(gpu: Gpu, arguments: &[&'static str]) -> Result<Self> {
        match timeout(START, Self::try_start(gpu, arguments)).await {
            Ok(Ok(started)) => Ok(started),
            // A driver that another program ended, or that hangs, says nothing of the page: it is started once more.
            Ok(Err(_)) | Err(_) => Self::try_start(gpu, arguments).await,
        }
    }

    async fn try_start(gpu: Gpu, arguments: &[&'static str]) -> Result<Self> {
        let driver = Driver::start()?;
        let session =
            WebDriver::builder(driver.address(), wishes(gpu, arguments)?).request_timeout(PATIENCE).connect().await?;
        session.update_timeouts(TimeoutConfiguration::new(Some(PATIENCE), Some(PATIENCE), None)).await?;
        Ok(Self { session, driver })
    }

    /// The session that commands go to.
    pub fn session(&self) -> &WebDriver {
        &self.session
    }

    /// The process that started the browser's.
    pub fn driver_process(&self) -> u32 {
        self.driver.process()
    }

    /// Changes size and colours, as a reader does who turns a phone or night falls.
    ///
    /// # Errors
    /// What the browser says.
    pub async fn put_on(&self, look: Look) -> Result<()> {
        let Look { width, height, scheme } = look;
        let cdp = self.session.cdp();
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        cdp.send_raw("Emulation.setDeviceMetricsOverride", metrics).await?;
        let value = if scheme == Scheme::Dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        cdp.send_raw("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Ends the browser.
    ///
    /// # Errors
    /// What the driver says.
    pub async fn quit(self) -> Result<()> {
        Ok(self.session.quit().await?)
    }
}

fn wishes(gpu: Gpu, arguments: &[&'static str]) -> Result<ChromeCapabilities> {
    let mut wishes = DesiredCapabilities::chrome();
    if let Some(chrome) = env::var_os("CHROME").and_then(|path| path.into_string().ok()) {
        wishes.set_binary(&chrome)?;
    }
    for argument in gpu.arguments().chain(["--headless=new"]).chain(arguments.iter().copied()) {
        wishes.add_arg(argument)?;
    }
    wishes.add_arg(&format!("--host-resolver-rules=MAP {UNTRUSTED_HOST} 127.0.0.1"))?;
    wishes.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    Ok(wishes)
}
