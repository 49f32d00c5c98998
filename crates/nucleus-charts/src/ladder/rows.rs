//! The tokens with ribbons of their own, all others together, and their shares at each stage.

use nucleus_sampler::{Filter, TokenId};

use crate::Scene;

/// Where a ribbon's thickness is given: at the logits, after temperature (which is also what
/// reaches top-k), at top-p (of what top-k left), at softmax (of what top-p left).
pub(super) const POINTS: usize = 4;

/// A token's way through the stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TokenRow {
    pub id: TokenId,
    pub rank: usize,
    /// The raw logit.
    pub logit: f64,
    /// Whether the repetition penalty lowered it.
    pub is_lowered: bool,
    /// The logit after the penalty divided by the temperature, if that is not 0.
    pub scaled: Option<f64>,
    /// Shares of the probability at the four points, 0 to 1; unused beyond the stage of removal.
    pub shares: [f64; POINTS],
    pub removed_by: Option<Filter>,
}

/// All other tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Others {
    /// How many enter, and how many are kept.
    pub count: usize,
    pub kept: usize,
    /// How many of them the constraint, the argmax, top-k and top-p remove.
    pub removed: [usize; 4],
    /// What they hold together at the four points.
    pub shares: [f64; POINTS],
    /// What is left of them right behind top-k, as a share of what reached it.
    pub behind_top_k: f64,
    /// What is left of them right behind top-p, as a share of what reached it.
    pub behind_top_p: f64,
}

pub(super) struct Rows {
    pub tokens: Vec<TokenRow>,
    pub others: Others,
}

/// The `n` likeliest tokens, the token drawn, and all others.
pub(super) fn rows(scene: &Scene, n: usize) -> Rows {
    let n_shown = n.min(scene.n_allowed());
    let drawn = scene.ranking.rank_of(scene.trace.token);
    let ranks = (0..n_shown).chain((drawn >= n_shown).then_some(drawn));
    let tokens: Vec<TokenRow> = ranks.map(|rank| token_row(scene, rank)).collect();
    let others = others(scene, &tokens);
    Rows { tokens, others }
}

/// Shares come from the trace by ratios of exponentials: no pass over the vocabulary is needed.
fn token_row(scene: &Scene, rank: usize) -> TokenRow {
    let trace = scene.trace;
    let id = scene.ranking.ids()[rank];
    let (raw, penalised) = (scene.raw(id), scene.penalised(id));
    let temperature = trace.settings.temperature.get();
    let scaled = (temperature > 0.0).then(|| penalised / temperature);

    let at_logits = (trace.log_probability + raw - scene.raw(trace.token)).exp();
    let at_softmax = match trace.kept.first() {
        // The difference is divided, not the logits: a tiny temperature cannot overflow both.
        Some(first) if temperature > 0.0 => {
            first.probability * ((penalised - scene.penalised(first.id)) / temperature).exp()
        }
        _ => f64::from(u8::from(id == trace.token)),
    };
    let at_top_p = at_softmax * left(scene, Filter::TopP);
    let at_top_k = at_top_p * left(scene, Filter::TopK);
    let shares = [at_logits, at_top_k, at_top_p, at_softmax];
    let is_lowered = trace.lowered(id).is_some();
    TokenRow { id, rank, logit: raw, is_lowered, scaled, shares, removed_by: trace.removed_by(rank) }
}

/// The share of the probability that a filter leaves.
fn left(scene: &Scene, filter: Filter) -> f64 {
    1.0 - scene.removed(filter).map_or(0.0, |removal| removal.mass)
}

fn others(scene: &Scene, tokens: &[TokenRow]) -> Others {
    let shown_removed = |filter: Filter| tokens.iter().filter(|row| row.removed_by == Some(filter)).count();
    let removed = [Filter::Constraint, Filter::Argmax, Filter::TopK, Filter::TopP]
        .map(|filter| scene.removed(filter).map_or(0, |removal| removal.count) - shown_removed(filter));
    let reaches = |point: usize, filters: &[Filter]| {
        let through = tokens.iter().filter(|row| row.removed_by.is_none_or(|by| !filters.contains(&by)));
        through.map(|row| row.shares[point]).sum::<f64>()
    };
    let (k, p) = ([Filter::TopK, Filter::Argmax], [Filter::TopK, Filter::TopP, Filter::Argmax]);
    let shares = [reaches(0, &[]), reaches(1, &[]), reaches(2, &k), reaches(3, &p)];
    let count = scene.n_charted() - tokens.len();
    Others {
        count,
        kept: count - removed.iter().sum::<usize>(),
        removed,
        shares: shares.map(|shown| (1.0 - shown).max(0.0)),
        behind_top_k: (left(scene, Filter::TopK) - reaches(1, &k)).max(0.0),
        behind_top_p: (left(scene, Filter::TopP) - reaches(2, &p)).max(0.0),
    }
}
