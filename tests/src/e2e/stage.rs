//! What a test plays on: a site, a browser and an address.

use std::panic::{AssertUnwindSafe, resume_unwind};

use anyhow::{Context, Result, ensure};
use futures_util::FutureExt;
use tokio::sync::Mutex;

use super::browser::{Browser, Gpu, Look, Scheme};
use super::page::Page;
use super::site::Site;

/// One browser at a time, however many threads the tests have: they measure times.
static ALONE: Mutex<()> = Mutex::const_new(());

/// A test's name and surroundings.
pub struct Stage {
    name: &'static str,
    look: Look,
    gpu: Gpu,
    console: Console,
}

/// What the browser's console may hold in the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Console {
    Silent,
    Anything,
}

impl Stage {
    /// A wide, light window, WebGPU as far as this machine has it, and no errors in the console.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        let look = Look { width: 1280, height: 900, scheme: Scheme::Light };
        Self { name, look, gpu: Gpu::Software, console: Console::Silent }
    }

    /// Another look.
    #[must_use]
    pub fn look(mut self, width: u32, height: u32, scheme: Scheme) -> Self {
        self.look = Look { width, height, scheme };
        self
    }

    /// Another state of WebGPU.
    #[must_use]
    pub fn gpu(mut self, gpu: Gpu) -> Self {
        self.gpu = gpu;
        self
    }

    /// Something is broken on purpose: errors in the console are in order.
    #[must_use]
    pub fn errors_expected(mut self) -> Self {
        self.console = Console::Anything;
        self
    }

    /// Opens the built site with a query, and plays.
    ///
    /// # Errors
    /// Those of the play; then a picture of the page is left in the folder of screenshots.
    pub async fn play<T>(self, query: &str, act: impl AsyncFnOnce(&mut Page) -> Result<T>) -> Result<T> {
        let site = Site::built()?;
        self.play_at(&site.address(query), act).await
    }

    /// Opens another address, and plays.
    ///
    /// # Errors
    /// Those of the play.
    pub async fn play_at<T>(self, address: &str, act: impl AsyncFnOnce(&mut Page) -> Result<T>) -> Result<T> {
        let _alone = ALONE.lock().await;
        let browser = Browser::start(self.gpu, self.look).await?;
        let mut page = Page::open(browser, address).await?;
        let played = AssertUnwindSafe(act(&mut page)).catch_unwind().await;
        let console = page.console().await.unwrap_or_default();
        if !matches!(played, Ok(Ok(_))) {
            // The failure of the play is the news; that of the picture is not.
            let _ = page.screenshot(&format!("failed-{}", self.name)).await;
            eprintln!("console of {}: {console:#?}", self.name);
        }
        let closed = page.close().await;
        let result =
            played.unwrap_or_else(|panic| resume_unwind(panic)).with_context(|| format!("in {}", self.name))?;
        ensure!(self.console == Console::Anything || console.is_empty(), "in the console: {console:#?}");
        closed.map(|()| result)
    }
}
