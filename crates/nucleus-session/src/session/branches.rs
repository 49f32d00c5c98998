//! Other ways that a text could have gone: tokens forced, steps gone back to, and the runs that were left for them.

use nucleus_sampler::{TokenId, log_softmax_at};

use super::{FocusAt, Session};
use crate::brief::brief;
use crate::engine::EngineState;
use crate::message::{BranchMsg, Effect};
use crate::refusal::Refusal;
use crate::run::Run;
use crate::search::Search;

/// How many tokens a search shows.
const MATCHES: usize = 20;

/// A token that could stand at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The token.
    pub token: TokenId,
    /// Its place by logit, from 0 for the largest; after the repetition penalty.
    pub rank: usize,
    /// What the model alone gives it there: 0 to 1.
    pub probability: f64,
}

impl Session {
    /// The runs that the one shown was taken from, or that were taken from it, the oldest first.
    #[must_use]
    pub fn branches(&self) -> &[Run] {
        &self.branches
    }

    /// Whether a token can be forced, and the text be gone back on: the run shown is over, and its model is there and idle.
    #[must_use]
    pub fn can_branch(&self) -> bool {
        self.run.is_some() && self.why_no_branch().is_none()
    }

    /// Why no other way can be taken now, and what to do, where there is a run to take it from.
    #[must_use]
    pub fn why_no_branch(&self) -> Option<String> {
        let run = self.run.as_ref()?;
        if !run.is_over() {
            return Some("Another way can be taken once the run is over: wait, or press Stop.".into());
        }
        match (&self.engine.state, &self.engine.model) {
            (EngineState::Ready, Some(model)) if model.name != run.model => Some(format!(
                "This run is of the model {}, but {} is loaded: choose {0} to take another way.",
                run.model, model.name
            )),
            (EngineState::Ready, Some(model)) if !self.engine.has_vocabulary(run.vocabulary()) => Some(format!(
                "This run is of another model named {} than the one loaded: their vocabularies differ.",
                model.name
            )),
            (EngineState::Ready, Some(_)) => None,
            _ => Some("Another way can be taken once the model is ready.".into()),
        }
    }

    /// Whether the run shown could have more tokens.
    #[must_use]
    pub fn can_write_on(&self) -> bool {
        let wanted = self.controls.new_tokens.value().get() as usize;
        self.can_branch()
            && self.run.as_ref().is_some_and(|run| run.steps().len() < wanted && !run.has_ended(&self.options))
    }

    /// What stands in the search for a token to force; `None` while there is none.
    #[must_use]
    pub fn forcing(&self) -> Option<&str> {
        self.forcing.as_deref()
    }

    /// The tokens whose text has what is searched for, the likeliest at the step in focus first: at most 20. Of a search for
    /// nothing, the likeliest of all. Those that are the text and nothing else come before the others, and `#` finds a token
    /// by its id, so that every token can be had; but under a constraint only what that allows.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        let (Some(search), Some(focus), Some(run)) = (&self.forcing, self.focus(), &self.run) else {
            return Vec::new();
        };
        let may_be = |id: &TokenId| run.may_have(focus.index, *id);
        let ranked = focus.ranking.ids().iter().copied().filter(may_be);
        let found = Search::new(search).find(run.vocabulary(), ranked, MATCHES);
        // The sum over the vocabulary is taken once, not for each token.
        let logit = |id: TokenId| focus.logits.get(id.index()).map_or(f64::NEG_INFINITY, |&logit| logit.into());
        let less = log_softmax_at(&focus.logits, focus.trace.token) - logit(focus.trace.token);
        let choice = |token| Choice {
            token,
            rank: focus.ranking.rank_of(token),
            probability: (logit(token) + less).exp().min(1.0),
        };
        found.into_iter().map(choice).collect()
    }

    pub(super) fn branch(&mut self, msg: BranchMsg, effects: &mut Vec<Effect>) {
        match msg {
            BranchMsg::OpenForce => self.forcing = self.can_branch().then(String::new),
            BranchMsg::TypedForce(text) => {
                if self.forcing.is_some() {
                    self.forcing = Some(brief(&text));
                }
            }
            BranchMsg::CloseForce => self.forcing = None,
            BranchMsg::ForceFirst => {
                if let Some(first) = self.choices().first() {
                    self.force(first.token, effects);
                }
            }
            BranchMsg::Force(token) => self.force(token, effects),
            BranchMsg::Rewind => {
                if let (true, Some(step)) = (self.can_branch(), self.focus_index()) {
                    self.part(step);
                }
            }
            BranchMsg::WriteOn => {
                if self.can_write_on() && !self.refuses(effects) {
                    self.write_on(effects);
                }
            }
            BranchMsg::Show(place) => self.show_branch(place),
        }
    }

    /// Has `token` at the step in focus, and the text written on from there. The text that was there stays as a branch.
    fn force(&mut self, token: TokenId, effects: &mut Vec<Effect>) {
        let (true, Some(step)) = (self.can_branch(), self.focus_index()) else { return };
        if !self.run.as_ref().is_some_and(|run| run.may_have(step, token)) || self.refuses(effects) {
            return;
        }
        self.part(step);
        if let Some(run) = &mut self.run {
            run.forced.insert(step, token);
        }
        self.write_on(effects);
        self.focus = FocusAt::Step(step);
    }

    /// Says which control keeps the text from being written on, if one does. The prompt is the run's, whatever the form has.
    fn refuses(&mut self, effects: &mut Vec<Effect>) -> bool {
        self.refusal = None;
        let obstacle = self.obstacle().filter(|refusal| *refusal != Refusal::EmptyPrompt);
        let refuses = obstacle.is_some();
        if let Some(refusal) = obstacle {
            self.refuse(refusal, effects);
        }
        refuses
    }

    /// Goes back to before `step`: what is shown becomes a branch, and its beginning is shown.
    fn part(&mut self, step: usize) {
        let Some(run) = self.run.take() else { return };
        let shorter = run.until(step);
        self.branches.push(run);
        self.focus = FocusAt::Latest;
        self.show(shorter);
    }

    /// A branch that the run shown has come to be again, token for token, is no other way any more.
    pub(super) fn forget_same_branches(&mut self) {
        let Some(run) = self.run.as_ref().filter(|run| run.is_over()) else { return };
        let tokens = |run: &Run| run.steps().iter().map(|step| step.report.token).collect::<Vec<_>>();
        let shown = tokens(run);
        self.branches.retain(|branch| tokens(branch) != shown);
    }

    /// Shows a branch, and keeps the run that is shown as one in its place.
    fn show_branch(&mut self, place: usize) {
        if !self.run.as_ref().is_none_or(Run::is_over) || place >= self.branches.len() {
            return;
        }
        let branch = self.branches.remove(place);
        if let Some(run) = self.run.take() {
            self.branches.insert(place, run);
        }
        self.focus = branch.parts_at.map_or(FocusAt::Latest, FocusAt::Step);
        self.show(branch);
    }
}
