use nucleus_sampler::{StepTrace, TokenId};

use super::{BeamPlan, Choice, End, Hypothesis};

/// The path that greedy decoding takes, beside the beams.
pub(super) struct Greedy {
    tokens: Vec<TokenId>,
    log_probabilities: Vec<f64>,
    end: Option<End>,
}

impl Greedy {
    pub(super) fn new() -> Self {
        Self { tokens: Vec::new(), log_probabilities: Vec::new(), end: None }
    }

    /// Takes the likeliest token; `limit` is what ends every sequence at this step, if anything does.
    pub(super) fn push(&mut self, step: &StepTrace, plan: &BeamPlan, limit: Option<End>) -> Choice {
        self.tokens.push(step.token);
        self.log_probabilities.push(step.log_probability);
        self.end = if plan.end_of_text == Some(step.token) { Some(End::EndOfText) } else { limit };
        Choice { token: step.token, log_probability: step.log_probability }
    }

    /// Ends the path before its first token.
    pub(super) fn end(&mut self, end: End) {
        self.end = Some(end);
    }

    pub(super) fn is_live(&self) -> bool {
        self.end.is_none()
    }

    /// The token that the model has not read yet, if the path goes on.
    pub(super) fn to_feed(&self) -> Option<TokenId> {
        if self.is_live() { self.tokens.last().copied() } else { None }
    }

    pub(super) fn into_hypothesis(self, plan: &BeamPlan) -> Hypothesis {
        let sum = self.log_probabilities.iter().fold(0.0, |sum, log_probability| sum + log_probability);
        let score = plan.length_penalty.score(sum, self.tokens.len());
        let end = self.end.unwrap_or(End::Unfinished);
        Hypothesis { tokens: self.tokens, log_probabilities: self.log_probabilities, sum, score, end }
    }
}
