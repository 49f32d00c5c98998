//! What a test plays on: a site, a browser and an address.

use std::panic::{AssertUnwindSafe, resume_unwind};

use anyhow::{Context, Result, ensure};
use futures_util::FutureExt;
use tokio::sync::Mutex;

use super::browser::{Browser, Look, Scheme};
use super::page::Page;
use super::site::{Served, Site};

/// One browser at a time, however many threads the tests have: they measure times.
static ALONE: Mutex<()> = Mutex::const_new(());

/// A test's name and surroundings.
pub struct Stage {
    name: &'static str,
    look: Look,
    webgpu: bool,
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
        Self { name, look, webgpu: true, console: Console::Silent }
    }

    /// Another look.
    #[must_use]
    pub fn look(mut self, width: u32, height: u32, scheme: Scheme) -> Self {
        self.look = Look { width, height, scheme };
        self
    }

    /// A browser that has never heard of WebGPU.
    #[must_use]
    pub fn without_webgpu(mut self) -> Self {
        self.webgpu = false;
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
        self.play_on(&Site::built()?.serve()?, query, act).await
    }

    /// The same on another site.
    ///
    /// # Errors
    /// Those of the play.
    pub async fn play_on<T>(
        self,
        site: &Served,
        query: &str,
        act: impl AsyncFnOnce(&mut Page) -> Result<T>,
    ) -> Result<T> {
        let _alone = ALONE.lock().await;
        let browser = Browser::start(self.webgpu, self.look).await?;
        let mut page = Page::open(browser, &site.address(query)).await?;
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
