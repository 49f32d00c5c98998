//! What the page says, all of it at one moment.

use std::fmt;

use serde::Deserialize;

/// One look at the page.
#[derive(Clone, Debug, Deserialize)]
pub struct Reading {
    /// The whole text: the prompt and what was generated.
    pub text: String,
    /// The part of it that is the prompt.
    pub prompt: String,
    /// Whether it is still growing.
    pub growing: bool,
    /// The generated tokens.
    pub tokens: Vec<Token>,
    /// What is going on.
    pub status: String,
    /// What went wrong.
    pub alert: String,
    /// What is said about a loading that takes long.
    pub loading: String,
    /// Where the model runs, and all that is known of it.
    pub device: String,
    /// The numbers of the run: tokens per second, and so on.
    pub facts: String,
    /// The fields that are not in order.
    pub complaints: Vec<Complaint>,
    /// Notes beside fields.
    pub notes: String,
    /// The caption of the figure "Draw".
    pub draw: Option<String>,
    /// The caption of the figure "Nucleus size".
    pub nucleus_size: Option<String>,
    /// The caption of the figure "Logits".
    pub logits: Option<String>,
    /// The rows of the table in "Logits", from its top.
    pub rows: Vec<Row>,
    /// Whether Generate can be pressed.
    pub can_generate: bool,
    /// Whether Stop can be pressed.
    pub can_stop: bool,
    /// The address, as a reader would copy it.
    pub address: String,
}

/// A generated token in the text.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: u32,
    /// Whether its step is the one in focus.
    pub in_focus: bool,
}

/// A field whose content is refused, and why.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Complaint {
    /// What stands in the field.
    pub value: String,
    /// The sentence beside it.
    pub sentence: String,
}

/// A row of the table of logits.
#[derive(Clone, Deserialize, PartialEq, Eq)]
pub struct Row {
    /// The cells, from the left: rank, token, logit, logit / T, probability, outcome.
    pub cells: Vec<String>,
}

// A failed test prints a whole reading: a token is one number, and a row one line.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.id, if self.in_focus { " in focus" } else { "" })
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cells.join(" | "))
    }
}

impl Row {
    /// The last cell: kept, drawn, or by what it was removed.
    #[must_use]
    pub fn outcome(&self) -> &str {
        self.cells.last().map_or("", String::as_str)
    }
}

impl Reading {
    /// The text without the prompt.
    #[must_use]
    pub fn generated(&self) -> &str {
        self.text.strip_prefix(self.prompt.as_str()).unwrap_or(&self.text)
    }

    /// The ids of the generated tokens.
    #[must_use]
    pub fn ids(&self) -> Vec<u32> {
        self.tokens.iter().map(|token| token.id).collect()
    }

    /// Which token has the focus.
    #[must_use]
    pub fn focus(&self) -> Option<usize> {
        self.tokens.iter().position(|token| token.in_focus)
    }
}

/// Takes a [`Reading`]. Its arguments are the elements of the page's parts in the order of [`Parts`](super::page).
pub const SCRIPT: &str = r#"
    const [log, generate, stop] = arguments;
    const text = element => element?.innerText.trim() ?? '';
    const shown = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).map(text).join('\n');
    const figure = name => [...document.querySelectorAll('figure')].find(f => f.ariaLabel === name);
    const caption = name => figure(name)?.querySelector('figcaption')?.textContent ?? null;
    const described = e => (e.getAttribute('aria-describedby') ?? '').split(' ').map(id => document.getElementById(id));
    return {
        text: log.textContent,
        prompt: log.querySelector('.prompt')?.textContent ?? '',
        growing: log.ariaBusy === 'true',
        tokens: [...log.querySelectorAll('button')].map(token => ({
            id: Number(token.dataset.token), in_focus: token.ariaCurrent === 'step' })),
        status: shown('[role=status]'),
        alert: shown('[role=alert]'),
        // Also what is folded away.
        device: [...document.querySelectorAll('.device:not([hidden]) :is(summary, dt, dd)')].map(e => e.textContent).join('\n'),
        loading: shown('.loading'),
        facts: shown('.facts'),
        notes: shown('.note'),
        complaints: [...document.querySelectorAll('[aria-invalid=true]')].map(field => ({
            value: field.value, sentence: described(field).map(text).filter(Boolean).join(' ') })),
        draw: caption('Draw'),
        nucleus_size: caption('Nucleus size'),
        logits: caption('Logits'),
        rows: [...(figure('Logits')?.querySelectorAll('tbody tr') ?? [])].map(row => ({
            cells: [...row.cells].map(cell => cell.innerText.trim()) })),
        can_generate: generate.ariaDisabled !== 'true',
        can_stop: stop.ariaDisabled !== 'true',
        address: location.href,
    };
"#;
