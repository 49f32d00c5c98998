//! Ways to run a search.

use std::ops::ControlFlow;

use nucleus_decode::{
    BeamOutcome, BeamPlan, BeamStep, BeamWidth, DecodeError, EarlyStopping, LengthPenalty, beam_search,
};
use nucleus_sampler::TokenId;

use crate::canned::{Canned, DeviceLost, N_VOCAB, block_on, ids};

/// Two beams, no length penalty, no end of text, two new tokens after the prompt 0.
pub fn plan() -> BeamPlan {
    BeamPlan {
        prompt: ids(&[0]),
        width: BeamWidth::new(2).unwrap(),
        length_penalty: LengthPenalty::NONE,
        early_stopping: EarlyStopping::Exact,
        n_results: 2,
        max_new_tokens: 2,
        end_of_text: None,
        n_tokenizer: N_VOCAB,
    }
}

pub type Search = Result<BeamOutcome, DecodeError<DeviceLost>>;

pub fn search(model: &mut Canned, plan: &BeamPlan) -> (Vec<BeamStep>, Search) {
    search_until(model, plan, usize::MAX)
}

/// The caller breaks at the step with this index.
pub fn search_until(model: &mut Canned, plan: &BeamPlan, last: usize) -> (Vec<BeamStep>, Search) {
    let mut steps = Vec::new();
    let outcome = block_on(beam_search(model, plan, async |step: BeamStep| {
        let answer = if step.index >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        steps.push(step);
        answer
    }));
    (steps, outcome)
}

/// Logits with which these tokens have these probabilities.
pub fn likely(probabilities: &[(u32, f64)]) -> Vec<f32> {
    let mut logits = vec![f32::NEG_INFINITY; N_VOCAB];
    for &(id, p) in probabilities {
        logits[id as usize] = p.ln() as f32;
    }
    logits
}

/// A model that says `likely(of(new tokens))` after the prompt of one id.
pub fn by_new_tokens(of: impl Fn(&[u32]) -> Vec<(u32, f64)> + 'static) -> Canned {
    Canned::new(64, move |window| {
        let new: Vec<u32> = window[1..].iter().map(|id| id.0).collect();
        likely(&of(&new))
    })
}

pub fn tokens_of(outcome: &BeamOutcome) -> Vec<Vec<TokenId>> {
    outcome.results.iter().map(|result| result.tokens.clone()).collect()
}

/// Logits are rounded to f32, so a logarithm made of them is right to about 1e-7.
pub fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}
