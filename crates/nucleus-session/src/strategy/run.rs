//! A strategy at work, or done.

use std::rc::Rc;

use nucleus_sampler::TokenId;

use super::kind::StrategyKind;
use super::plan::Strategy;
use super::progress::Progress;
use crate::controls::Values;
use crate::protocol::RunId;
use crate::run::{RunModel, RunState};
use crate::vocabulary::Vocabulary;

/// What was asked for, and all that has been told since.
#[derive(Debug)]
pub struct StrategyRun {
    /// Its number.
    pub id: RunId,
    /// Which strategy.
    pub kind: StrategyKind,
    /// The model's name.
    pub model: String,
    /// Prompt, settings, seed and length that it was started with.
    pub values: Values,
    /// What it was started with beside these.
    pub asked: Strategy,
    /// What the engine told, in order.
    pub told: Vec<Progress>,
    /// How far it is.
    pub state: RunState,
    /// How long it took, milliseconds, once it is over.
    pub elapsed_ms: Option<f64>,
    vocabulary: Rc<Vocabulary>,
    end_of_text: Option<TokenId>,
}

impl StrategyRun {
    pub(crate) fn new(id: RunId, kind: StrategyKind, model: RunModel, values: Values, asked: Strategy) -> Self {
        Self {
            id,
            kind,
            model: model.name,
            values,
            asked,
            told: Vec::new(),
            state: RunState::Reading,
            elapsed_ms: None,
            vocabulary: model.vocabulary,
            end_of_text: model.end_of_text,
        }
    }

    /// What its tokens stand for.
    #[must_use]
    pub fn vocabulary(&self) -> &Rc<Vocabulary> {
        &self.vocabulary
    }

    /// The token that ends a text, if the model has one.
    #[must_use]
    pub fn end_of_text(&self) -> Option<TokenId> {
        self.end_of_text
    }

    /// Whether it is over, one way or another.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state, RunState::Finished(_) | RunState::Failed(_))
    }

    /// The tokens of the prompts, in the order of the request; empty until the engine has told.
    #[must_use]
    pub fn prompts(&self) -> &[Vec<TokenId>] {
        let prompts = self.told.iter().find_map(|told| match told {
            Progress::Prompts(prompts) => Some(prompts.as_slice()),
            _ => None,
        });
        prompts.unwrap_or_default()
    }

    pub(crate) fn take(&mut self, progress: Progress) {
        self.state = RunState::Writing;
        self.told.push(progress);
    }
}
