//! A step in its place in a text: what was seen before it, and what may come.

use alloc::vec::Vec;

use crate::{
    Filter, LogitsError, Lowered, Lowering, Ranking, Removal, RepetitionPenalty, Settings, StepTrace, TokenId,
    TokenSet, Unit,
    logits::{Scan, largest},
    logprob::{log_softmax, raw_total},
    penalty::penalised,
    step::{traced, traced_ranked},
};

/// What a step knows beside its logits. The default is nothing: [`step_in`] is then [`step`](crate::step).
#[derive(Clone, Copy, Debug, Default)]
pub struct StepContext<'a> {
    /// All ids of prompt and text so far, for the repetition penalty, in any order and as often as
    /// they come. Ids that the logits have no column for count for nothing.
    pub seen: &'a [TokenId],
    /// The tokens that a constraint allows; `None` allows all. Columns beyond its vocabulary are
    /// not allowed.
    pub allowed: Option<&'a TokenSet>,
}

/// Draws one token with `u`, as [`step`](crate::step) does, of the tokens that are allowed, those seen before at lowered
/// logits.
///
/// First the constraint removes tokens, then the penalty lowers logits; the steps after these see
/// nothing but what they left. So ranks, here and in the trace, are those after the penalty, and
/// forbidden tokens come behind all others, before the masked ones. Where neither does anything,
/// the trace is that of [`step`](crate::step), to the bit.
///
/// # Errors
///
/// Those of [`step`](crate::step), and [`LogitsError::AllForbidden`] if no token that can be drawn is allowed.
pub fn step_in(
    logits: &[f32],
    context: &StepContext<'_>,
    settings: &Settings,
    u: Unit,
) -> Result<StepTrace, LogitsError> {
    match Adjusted::of(logits, context, settings.repetition_penalty)? {
        None => traced(logits, settings, u),
        Some(adjusted) => {
            let trace = traced(&adjusted.logits, settings, u)?;
            Ok(adjusted.told(logits, trace))
        }
    }
}

/// The same step, to the bit, on a ranking that [`Ranking::in_context`] made of the same logits, context and penalty before.
///
/// # Errors
///
/// Those of [`step_in`] and of [`step_ranked`](crate::step_ranked).
pub fn step_ranked_in(
    logits: &[f32],
    ranking: &Ranking,
    context: &StepContext<'_>,
    settings: &Settings,
    u: Unit,
) -> Result<StepTrace, LogitsError> {
    match Adjusted::of(logits, context, settings.repetition_penalty)? {
        None => traced_ranked(logits, ranking, settings, u),
        Some(adjusted) => {
            let trace = traced_ranked(&adjusted.logits, ranking, settings, u)?;
            Ok(adjusted.told(logits, trace))
        }
    }
}

impl Ranking {
    /// Ranks the logits of a step as its filters see them: after constraint and penalty.
    ///
    /// # Errors
    ///
    /// Those of [`step_in`].
    pub fn in_context(
        logits: &[f32],
        context: &StepContext<'_>,
        penalty: RepetitionPenalty,
    ) -> Result<Self, LogitsError> {
        Ok(match Adjusted::of(logits, context, penalty)? {
            None => Self::new(logits),
            Some(adjusted) => Self::of(&adjusted.logits),
        })
    }
}

/// The logits after constraint and penalty, and what these did.
struct Adjusted {
    /// `f64`, since the penalty divides.
    logits: Vec<f64>,
    masked: usize,
    constraint: Removal,
    lowering: Option<Lowering>,
}

impl Adjusted {
    /// `None` where there is nothing to adjust.
    fn of(raw: &[f32], context: &StepContext<'_>, penalty: RepetitionPenalty) -> Result<Option<Self>, LogitsError> {
        if context.allowed.is_none() && penalty.is_off() {
            return Ok(None);
        }
        let scan = Scan::of(raw)?;
        let mut logits: Vec<f64> = raw.iter().map(|&logit| logit.into()).collect();
        let constraint = match context.allowed {
            None => Removal { filter: Filter::Constraint, count: 0, mass: 0.0 },
            Some(allowed) => forbid(&mut logits, allowed, scan)?,
        };
        let lowering = (!penalty.is_off()).then(|| lower(&mut logits, raw, context.seen, penalty));
        Ok(Some(Self { logits, masked: raw.len() - scan.live, constraint, lowering }))
    }

    /// The trace of the adjusted logits, which knows nothing of the raw ones, told of these.
    fn told(self, raw: &[f32], mut trace: StepTrace) -> StepTrace {
        for kept in &mut trace.kept {
            kept.logit = raw[kept.id.index()];
        }
        let [mask, constraint, ..] = &mut trace.removals;
        mask.count = self.masked;
        *constraint = self.constraint;
        trace.log_probability = log_softmax(raw, trace.token);
        trace.lowering = self.lowering;
        trace
    }
}

/// Removes what is not allowed.
fn forbid(logits: &mut [f64], allowed: &TokenSet, scan: Scan) -> Result<Removal, LogitsError> {
    let before = raw_total(logits, scan.max);
    let mut left = 0;
    for (id, logit) in (0..).map(TokenId).zip(&mut *logits) {
        if !allowed.contains(id) {
            *logit = f64::NEG_INFINITY;
        } else if *logit > f64::NEG_INFINITY {
            left += 1;
        }
    }
    if left == 0 {
        return Err(LogitsError::AllForbidden { live: scan.live, allowed: allowed.len() });
    }
    let count = scan.live - left;
    let mass = match count {
        0 => 0.0,
        _ => (1.0 - raw_total(logits, scan.max) / before).max(0.0),
    };
    Ok(Removal { filter: Filter::Constraint, count, mass })
}

/// Lowers what was seen.
fn lower(logits: &mut [f64], raw: &[f32], seen: &[TokenId], penalty: RepetitionPenalty) -> Lowering {
    let mut ids = seen.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let lowered = |id: TokenId| {
        let logit = *logits.get(id.index()).filter(|logit| **logit > f64::NEG_INFINITY)?;
        let to = penalised(logit, penalty);
        (to < logit).then(|| Lowered { id, from: raw[id.index()], to })
    };
    let tokens: Vec<Lowered> = ids.into_iter().filter_map(lowered).collect();
    let before = share(logits, &tokens);
    for token in &tokens {
        logits[token.id.index()] = token.to;
    }
    let mass = (before - share(logits, &tokens)).max(0.0);
    Lowering { penalty, tokens, mass }
}

/// What some tokens hold of the probability, at temperature 1.
fn share(logits: &[f64], tokens: &[Lowered]) -> f64 {
    let max = largest(logits);
    let weights = tokens.iter().map(|token| libm::exp(logits[token.id.index()] - max));
    weights.sum::<f64>() / raw_total(logits, max)
}
