//! The page with nothing but a keyboard.

use anyhow::{Result, bail, ensure};
use thirtyfour::{By, Key, TypingData};

use super::page::Page;
use super::role::describe;

/// The element that has the focus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focused {
    /// Its role.
    pub role: String,
    /// Its accessible name.
    pub name: String,
    /// Whether a line around it shows where the focus is.
    pub visible: bool,
    /// Whether it is a token of the text.
    pub token: bool,
}

/// Which way Tab goes.
#[derive(Clone, Copy)]
enum Way {
    On,
    Back,
}

/// The text's token in focus: the only one that the Tab key stops at.
const TOKEN: &str = "[role=log] button[tabindex='0']";

impl Page {
    /// Presses and releases keys, one after the other.
    ///
    /// # Errors
    /// What the driver says.
    pub async fn type_keys(&self, keys: impl Into<TypingData>) -> Result<()> {
        Ok(self.session().action_chain().send_keys(keys).perform().await?)
    }

    /// Presses a key while another is held down.
    ///
    /// # Errors
    /// What the driver says.
    pub async fn chord(&self, held: impl Into<char>, key: impl Into<char>) -> Result<()> {
        let (held, key) = (held.into(), key.into());
        let chain = self.session().action_chain();
        Ok(chain.key_down(held).key_down(key).key_up(key).key_up(held).perform().await?)
    }

    /// Replaces what stands in the field that has the focus.
    ///
    /// # Errors
    /// What the driver says.
    pub async fn retype(&self, text: &str) -> Result<()> {
        self.chord(Key::Control, 'a').await?;
        self.type_keys(text).await
    }

    /// Focuses the text's token in focus and presses a key there.
    ///
    /// # Errors
    /// When there is none.
    pub async fn press_on_text(&self, key: Key) -> Result<()> {
        Ok(self.session().find(By::Css(TOKEN)).await?.send_keys(key).await?)
    }

    /// The element that has the focus.
    ///
    /// # Errors
    /// What the driver says.
    pub async fn focused(&self) -> Result<Focused> {
        let element = self.session().active_element().await?;
        let (role, name) = describe(self.session(), &element).await?;
        // HTML is given an outline, a shape of a chart a stroke.
        let look = "
            const [element, token] = arguments;
            const { outlineStyle, outlineWidth, stroke, strokeWidth } = getComputedStyle(element);
            const outlined = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
            const stroked = element instanceof SVGElement && stroke !== 'none' && parseFloat(strokeWidth) > 0;
            return [outlined || stroked, element.matches(token)];";
        let (visible, token) = self.evaluate(look, vec![element.to_json()?, TOKEN.into()]).await?;
        Ok(Focused { role, name, visible, token })
    }

    /// Presses Tab until an element with this role and name has the focus. Every element on the way must show its focus.
    ///
    /// # Errors
    /// When there is none to be reached, or the focus cannot be seen.
    pub async fn tab_to(&self, role: &str, name: &str) -> Result<()> {
        self.walk(Way::On, |focused| focused.role == role && focused.name == name).await
    }

    /// The same, with Shift: backwards.
    ///
    /// # Errors
    /// When there is none to be reached, or the focus cannot be seen.
    pub async fn tab_back_to(&self, role: &str, name: &str) -> Result<()> {
        self.walk(Way::Back, |focused| focused.role == role && focused.name == name).await
    }

    /// Presses Tab until a token of the text has the focus.
    ///
    /// # Errors
    /// When there is none to be reached, or the focus cannot be seen.
    pub async fn tab_to_token(&self) -> Result<()> {
        self.walk(Way::On, |focused| focused.token).await
    }

    async fn walk(&self, way: Way, there: impl Fn(&Focused) -> bool) -> Result<()> {
        let mut passed = Vec::new();
        // A run has hundreds of tokens, but nobody should have to pass them all.
        for _ in 0..60 {
            match way {
                Way::On => self.type_keys(Key::Tab).await?,
                Way::Back => self.chord(Key::Shift, Key::Tab).await?,
            }
            let focused = self.focused().await?;
            ensure!(focused.visible, "the focus cannot be seen on {focused:?}");
            if there(&focused) {
                return Ok(());
            }
            passed.push(focused);
        }
        bail!("60 presses of Tab do not lead there, but to {passed:#?}")
    }
}
