//! A run of words that were counted, and what a model makes of the same text.

use std::cell::RefCell;
use std::rc::Rc;

use nucleus_decode::bigram::{Bigram, BigramError, BigramRun, BigramStep, join, words};
use nucleus_sampler::Settings;

use super::option::{OptionKey, Options};
use super::plan::OptionError;
use crate::controls::Values;
use crate::failure::Failure;
use crate::focus::{Focus, FocusCache};
use crate::run::{Run, RunState};

/// New words after a prompt, each drawn from what followed the word before it in a text.
#[derive(Debug)]
pub struct WordRun {
    /// Prompt, seed and number of new words that it was started with.
    pub values: Values,
    /// How many words the text has that was counted.
    pub n_words: usize,
    /// How many different ones.
    pub n_different: usize,
    /// The new words, and why there are no more.
    pub run: BigramRun,
    pub(crate) beside: Option<Beside>,
}

/// One step of a model, for the numbers that stand beside a row of counts.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) run: Run,
    cache: RefCell<FocusCache>,
}

impl WordRun {
    /// Counts the text in its field, and goes on from the prompt.
    pub(crate) fn new(values: Values, options: &Options) -> Result<Self, OptionError> {
        let bigram = Bigram::count(options.text(OptionKey::Text)).map_err(refused)?;
        let run = bigram.run(&values.prompt, values.seed, values.new_tokens as usize);
        Ok(Self { values, n_words: bigram.n_words(), n_different: bigram.n_different(), run, beside: None })
    }

    /// What each new word adds to the text: the word, with the space before it where one belongs there.
    pub fn pieces(&self) -> impl Iterator<Item = String> {
        let piece = |step: &BigramStep| join([step.before.as_str(), step.word()]).split_off(step.before.len());
        self.run.steps.iter().map(piece)
    }

    /// The prompt as it stands before the new words: without white space at its end if there are any.
    #[must_use]
    pub fn prompt(&self) -> &str {
        let prompt = self.values.prompt.as_str();
        if self.run.steps.is_empty() { prompt } else { prompt.trim_end() }
    }

    /// Why no model's numbers stand beside the word that was last looked at, if it failed.
    pub(crate) fn beside_failure(&self) -> Option<&Failure> {
        match &self.beside.as_ref()?.run.state {
            RunState::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// The text before new word `step`: what a model reads to have its say there.
    #[must_use]
    pub fn text_before(&self, step: usize) -> String {
        self.pieces().take(step).fold(self.prompt().to_owned(), |text, piece| text + &piece)
    }
}

impl Beside {
    pub(crate) fn new(run: Run) -> Self {
        Self { run, cache: RefCell::default() }
    }

    /// The model's own distribution: temperature 1, nothing removed. `None` until it is there.
    pub(crate) fn focus(&self) -> Option<Rc<Focus>> {
        self.cache.borrow_mut().get(&self.run, 0, Settings::default(), self.run.values.seed)
    }
}

/// Looks at the text that is to be counted, and counts it only where its length leaves a doubt.
pub(crate) fn countable(options: &Options) -> Result<(), OptionError> {
    let text = options.text(OptionKey::Text);
    if text.len() <= Bigram::MOST_WORDS && words(text).nth(1).is_some() {
        return Ok(());
    }
    Bigram::count(text).map(drop).map_err(refused)
}

fn refused(error: BigramError) -> OptionError {
    OptionError { key: OptionKey::Text, message: error.to_string() }
}
