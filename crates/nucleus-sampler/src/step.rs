//! One step: temperature, top-k, top-p, softmax, draw.

use alloc::{vec, vec::Vec};

use crate::{
    Draw, Filter, Interval, Kept, Logit, LogitsError, Ranking, Removal, Settings, StepTrace, Temperature, TokenId,
    Unit,
    draw::draw,
    filters::{FIRST_LOOK, Left, removal, top_k, top_p},
    logits::Scan,
    logprob::raw_total,
    prefix::Prefix,
    ranking::Descending,
    scale::Scale,
    sum::{BLOCK, block_sum},
};

/// Draws one token with `u` and returns the whole working.
///
/// `logits` has one column per id, `-inf` where a token is removed beforehand, and is not changed.
/// `u` is needed unless the temperature is 0: [`StepTrace::consumed`] says whether it was used, and
/// so whether the generator moves on.
///
/// # Errors
///
/// [`LogitsError`] if there are no logits, if one is NaN or plus infinity, or if all are `-inf`.
pub fn step(logits: &[f32], settings: &Settings, u: Unit) -> Result<StepTrace, LogitsError> {
    traced(logits, settings, u)
}

/// The same step, to the bit, on a ranking that was made of the same logits before: no sort, and
/// about half of the exponentials.
///
/// # Errors
///
/// Those of [`step`], and [`LogitsError::OtherRanking`] if the ranking is of another length.
pub fn step_ranked(logits: &[f32], ranking: &Ranking, settings: &Settings, u: Unit) -> Result<StepTrace, LogitsError> {
    traced_ranked(logits, ranking, settings, u)
}

pub(crate) fn traced<L: Logit>(logits: &[L], settings: &Settings, u: Unit) -> Result<StepTrace, LogitsError> {
    let scan = Scan::of(logits)?;
    let step = Step { logits, settings, scan, u };
    Ok(step.trace(Descending::unsorted(logits), raw_total(logits, scan.max)))
}

pub(crate) fn traced_ranked<L: Logit>(
    logits: &[L],
    ranking: &Ranking,
    settings: &Settings,
    u: Unit,
) -> Result<StepTrace, LogitsError> {
    let (n_ranked, n_vocab) = (ranking.ids().len(), logits.len());
    if n_ranked != n_vocab {
        return Err(LogitsError::OtherRanking { n_ranked, n_vocab });
    }
    let scan = Scan::of(logits)?;
    let best: f64 = logits[ranking.ids()[0].index()].into();
    debug_assert_eq!(best, scan.max, "a ranking of other logits");
    let step = Step { logits, settings, scan, u };
    Ok(step.trace(Descending::ranked(logits, ranking), ranking.raw_total))
}

/// What a step is given, and what a first look at its logits found.
struct Step<'a, L> {
    logits: &'a [L],
    settings: &'a Settings,
    scan: Scan,
    u: Unit,
}

/// What the two ways to choose a token find out.
struct Chosen {
    kept: Vec<Kept>,
    cuts: [Removal; 2],
    entropy: f64,
    draw: Draw,
    token: TokenId,
}

impl<'a, L: Logit> Step<'a, L> {
    /// `raw_total` is the sum of exp(logit - largest logit) over all logits.
    fn trace(&self, order: Descending<'a, L>, raw_total: f64) -> StepTrace {
        let chosen = if self.settings.temperature.is_zero() { self.argmax() } else { self.sampled(order, raw_total) };
        let Chosen { kept, cuts: [top_k, top_p], entropy, draw, token } = chosen;
        let n_vocab = self.logits.len();
        let masked = n_vocab - self.scan.live;
        let without_mass = |filter, count| Removal { filter, count, mass: 0.0 };
        let logit: f64 = self.logits[token.index()].into();
        StepTrace {
            settings: *self.settings,
            n_vocab,
            kept,
            removals: [without_mass(Filter::Mask, masked), without_mass(Filter::Constraint, 0), top_k, top_p],
            lowering: None,
            entropy,
            draw,
            token,
            log_probability: logit - self.scan.max - libm::log(raw_total),
        }
    }

    /// Temperature 0: the limit of ever lower temperatures, but for a tie, which the lowest id wins.
    fn argmax(&self) -> Chosen {
        let Scan { live, max } = self.scan;
        let best = self.logits.iter().position(|&logit| logit.into() == max).unwrap_or_default();
        let token = TokenId(best as u32);
        let kept = Kept {
            id: token,
            logit: self.logits[best].narrow(),
            scaled: max,
            probability: 1.0,
            interval: Interval { start: 0.0, end: 1.0 },
        };
        let left = |count| Left { count, mass: 1.0 };
        Chosen {
            kept: vec![kept],
            cuts: [removal(Filter::Argmax, left(live), left(1)), removal(Filter::TopP, left(1), left(1))],
            entropy: 0.0,
            draw: Draw::Argmax,
            token,
        }
    }

    /// A temperature above 0: filter, normalise, draw.
    fn sampled(&self, order: Descending<'a, L>, raw_total: f64) -> Chosen {
        let scale = Scale::new(self.settings.temperature.get(), self.scan.max);
        let mut prefix = Prefix::new(self.logits, order, scale);
        let all = self.all(&mut prefix, &scale, raw_total);
        let after_k = top_k(self.settings.top_k, &mut prefix, all);
        let after_p = top_p(self.settings.top_p, &mut prefix, after_k);

        let (ids, scaled, weights) = prefix.into_parts(after_p.count);
        let (probabilities, entropy) = softmax(weights, &scaled, &scale, after_p.mass);
        let (starts, hit) = draw(&ids, &probabilities, self.logits.len(), self.u);
        let mut kept = Vec::with_capacity(ids.len());
        let places = ids.iter().zip(&scaled).zip(probabilities.iter().zip(&starts));
        kept.extend(places.map(|((&id, &scaled), (&probability, &start))| Kept {
            id,
            logit: self.logits[id.index()].narrow(),
            scaled,
            probability,
            interval: Interval { start, end: start + probability },
        }));
        Chosen {
            cuts: [removal(Filter::TopK, all, after_k), removal(Filter::TopP, after_k, after_p)],
            entropy,
            draw: Draw::Uniform { u: self.u, interval: kept[hit].interval },
            token: kept[hit].id,
            kept,
        }
    }

    /// All tokens that are not masked, and what they weigh.
    ///
    /// They are weighed in the order of the ranking, as the reference has it, where that is known
    /// in the end: where nothing is removed, and in small vocabularies, so that worked examples
    /// whose running total is p but for its last place come out as there. Else in vocabulary order.
    fn all(&self, prefix: &mut Prefix<'a, L>, scale: &Scale, raw_total: f64) -> Left {
        let Settings { temperature, top_k, top_p, .. } = *self.settings;
        let count = self.scan.live;
        let whole = top_k.limit(count) == count && top_p.is_off();
        let mass = if whole || count <= FIRST_LOOK {
            prefix.mass(count)
        } else if temperature == Temperature::ONE {
            raw_total
        } else {
            scale.total(self.logits)
        };
        Left { count, mass }
    }
}

/// The probabilities of what is kept, and their entropy in nats. The weights add up to `mass`.
///
/// With weights e^d, where d is 0 or less, and their sum S, the entropy is
/// ln S - sum(e^d d) / S: one logarithm for all, and nothing cancels.
fn softmax(mut weights: Vec<f64>, scaled: &[f64], scale: &Scale, mass: f64) -> (Vec<f64>, f64) {
    let mut entropy = libm::log(mass);
    for (weights, scaled) in weights.chunks_mut(BLOCK).zip(scaled.chunks(BLOCK)) {
        for weight in &mut *weights {
            *weight /= mass;
        }
        let mut terms = [0.0; BLOCK];
        let terms = &mut terms[..weights.len()];
        for (term, &scaled) in terms.iter_mut().zip(scaled) {
            *term = scale.exponent(scaled);
        }
        for (term, weight) in terms.iter_mut().zip(&*weights) {
            *term *= weight;
        }
        entropy -= block_sum(terms);
    }
    (weights, entropy)
}
