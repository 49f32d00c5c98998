//! Elements by role and accessible name: how somebody finds them who does not see the page.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::{ElementId, RequestData, SessionId, WebDriver, WebElement};

/// The roles that occur on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A field to type into.
    Textbox,
    /// A range.
    Slider,
    /// A button that is not part of the text or of a chart.
    Button,
    /// A box to tick.
    Checkbox,
    /// One of several, of which one is chosen.
    Radio,
    /// Text that grows.
    Log,
    /// A chart or table with a caption.
    Figure,
    /// A data table.
    Table,
}

impl Role {
    /// The role's name in ARIA.
    fn name(self) -> &'static str {
        match self {
            Self::Textbox => "textbox",
            Self::Slider => "slider",
            Self::Button => "button",
            Self::Checkbox => "checkbox",
            Self::Radio => "radio",
            Self::Log => "log",
            Self::Figure => "figure",
            Self::Table => "table",
        }
    }

    /// Where to look. The browser is asked for the role of what is found there; this only spares it the rest.
    fn candidates(self) -> &'static str {
        match self {
            Self::Textbox => "textarea, input, [role=textbox]",
            Self::Slider => "input, [role=slider]",
            // A token is a button too, and a run has hundreds: those are reached through the text.
            Self::Button => "button:not([role=log] *), [role=button]:not(svg *)",
            Self::Checkbox => "input, [role=checkbox]",
            Self::Radio => "input, [role=radio]",
            Self::Log => "[role=log]",
            Self::Figure => "figure, [role=figure]",
            Self::Table => "table, [role=table]",
        }
    }
}

/// Elements whose name could be the one that is looked for, since its words stand in or beside them.
const COULD_BE: &str = "
    const [candidates, name] = arguments;
    const words = e => [e.ariaLabel, e.textContent, ...[...(e.labels ?? [])].map(label => label.textContent)];
    return [...document.querySelectorAll(candidates)].filter(e => words(e).some(text => text?.includes(name)));";

/// The one element with a role and a name.
///
/// # Errors
/// When there is none, or more than one.
pub async fn find(session: &WebDriver, role: Role, name: &str) -> Result<WebElement> {
    let mut found = Vec::new();
    for element in session.execute(COULD_BE, vec![role.candidates().into(), name.into()]).await?.elements()? {
        if describe(session, &element).await? == (role.name().to_owned(), name.to_owned()) {
            found.push(element);
        }
    }
    ensure!(found.len() < 2, "there are {} elements with the role {} and the name {name:?}", found.len(), role.name());
    found.pop().with_context(|| format!("there is no element with the role {} and the name {name:?}", role.name()))
}

/// Role and name of an element.
///
/// # Errors
/// What the driver says.
pub async fn describe(session: &WebDriver, element: &WebElement) -> Result<(String, String)> {
    Ok((computed(session, element, "role").await?, computed(session, element, "label").await?))
}

/// What the browser tells assistive technology about an element: its `role`, or its `label`.
async fn computed(session: &WebDriver, element: &WebElement, what: &'static str) -> Result<String> {
    let answer = session.cmd(Computed { element: element.element_id(), what }).await?;
    Ok(answer.value::<Answer>()?.0.unwrap_or_default())
}

/// "Get Computed Role" and "Get Computed Label" of WebDriver.
#[derive(Debug)]
struct Computed {
    element: ElementId,
    what: &'static str,
}

#[derive(Deserialize)]
struct Answer(Option<String>);

impl FormatRequestData for Computed {
    fn format_request(&self, session: &SessionId) -> RequestData {
        let Self { element, what } = self;
        RequestData::new(http::Method::GET, format!("session/{session}/element/{element}/computed{what}"))
    }
}
