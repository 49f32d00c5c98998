//! Whether the page stays within its window.

use anyhow::{Result, ensure};

use super::browser::{Look, Scheme};
use super::page::Page;

/// What sticks out to the right, if anything does: elements that scroll by themselves may hold wider ones.
const OUTSIDE: &str = "
    const width = document.documentElement.clientWidth;
    const scrolls = e => e && e !== document.body && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
    const out = [...document.querySelectorAll('body *')]
        .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement) && !e.closest('svg svg, svg *'))
        .map(e => `${e.tagName}.${e.className.baseVal ?? e.className}`);
    return [document.documentElement.scrollWidth - width, [...new Set(out)]];";

impl Page {
    /// Makes sure that nothing is wider than the window.
    ///
    /// # Errors
    /// When something is; the error names it.
    pub async fn fits(&self, look: &str) -> Result<()> {
        let (excess, outside): (i64, Vec<String>) = self.evaluate(OUTSIDE, vec![]).await?;
        ensure!(excess <= 0, "{look}: the page is {excess} px wider than the window; outside are {outside:?}");
        ensure!(outside.is_empty(), "{look}: cut off are {outside:?}");
        Ok(())
    }

    /// Takes pictures of what the window shows: wide, as on a tablet and as on a phone, in the light and in the dark.
    ///
    /// # Errors
    /// When something is wider than the window.
    pub async fn pictures(&self, name: &str) -> Result<()> {
        for (scheme, word) in [(Scheme::Dark, "dark"), (Scheme::Light, "light")] {
            for (width, height) in [(360, 740), (768, 1024), (1440, 900)] {
                self.put_on(Look { width, height, scheme }).await?;
                self.until_shown().await?;
                let name = format!("{name}-{width}-{word}");
                self.fits(&name).await?;
                self.screenshot(&name).await?;
            }
        }
        Ok(())
    }
}
