//! One step: temperature, top-k, top-p, softmax, draw.

use alloc::{vec, vec::Vec};

use crate::{
    Draw, Filter, Interval, Kept, Logit, LogitsError, Ranking, Removal, Settings, StepTrace, Temperature, TokenId,
    Unit,
    draw::draw,
    filters::{Left, removal, top_k, top_p},
    logits::Scan,
    logprob::log_sum_exp,
    ranking::Descending,
    weights::{Scale, Weights},
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
pub fn step<L: Logit>(logits: &[L], settings: &Settings, u: Unit) -> Result<StepTrace, LogitsError> {
    let scan = Scan::of(logits)?;
    let step = Step { logits, settings, scan, u };
    if settings.temperature.is_zero() {
        return Ok(step.argmax(log_sum_exp(logits, scan.max)));
    }
    let weights = Weights::of(logits, &step.scale_at(settings.temperature));
    let log_sum = match settings.temperature {
        Temperature::ONE => libm::log(weights.total),
        _ => log_sum_exp(logits, scan.max),
    };
    Ok(step.sampled(Descending::unsorted(logits), &weights, log_sum))
}

/// The same step, to the bit, on a ranking that was made of the same logits before: no sort, and
/// about half of the exponentials.
///
/// # Errors
///
/// Those of [`step`], and [`LogitsError::OtherRanking`] if the ranking is of another length.
pub fn step_ranked<L: Logit>(
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
    let best = TokenId(scan.best as u32);
    debug_assert_eq!(ranking.ids()[0], best, "a ranking of other logits");
    let step = Step { logits, settings, scan, u };
    if settings.temperature.is_zero() {
        return Ok(step.argmax(ranking.log_sum));
    }
    let weights = Weights::of(logits, &step.scale_at(settings.temperature));
    Ok(step.sampled(Descending::ranked(logits, ranking), &weights, ranking.log_sum))
}

/// What a step is given, and what a first look at its logits found.
struct Step<'a, L> {
    logits: &'a [L],
    settings: &'a Settings,
    scan: Scan,
    u: Unit,
}

impl<L: Logit> Step<'_, L> {
    /// Temperature 0: the limit of ever lower temperatures, but for a tie, which the lowest id wins.
    fn argmax(&self, log_sum: f64) -> StepTrace {
        let Scan { live, best, max } = self.scan;
        let kept = Kept {
            id: TokenId(best as u32),
            logit: self.logits[best].narrow(),
            scaled: max,
            probability: 1.0,
            interval: Interval::WHOLE,
        };
        let left = |count| Left { count, mass: 1.0 };
        self.trace(Working {
            kept: vec![kept],
            cuts: [removal(Filter::Argmax, left(live), left(1)), removal(Filter::TopP, left(1), left(1))],
            entropy: 0.0,
            draw: Draw::Argmax,
            hit: 0,
            log_sum,
        })
    }

    /// A temperature above 0: filter, normalise, draw.
    fn sampled(&self, mut order: Descending<'_, L>, weights: &Weights, log_sum: f64) -> StepTrace {
        let all = Left { count: self.scan.live, mass: weights.total };
        let after_k = top_k(self.settings.top_k, &mut order, weights, all);
        let after_p = top_p(self.settings.top_p, &mut order, weights, after_k);
        let ids = order.first(after_p.count);
        let mut kept = self.softmax(ids, weights, after_p.mass);
        let hit = draw(&mut kept, ids, self.logits.len(), self.u);
        self.trace(Working {
            cuts: [removal(Filter::TopK, all, after_k), removal(Filter::TopP, after_k, after_p)],
            entropy: self.entropy(&kept, after_p.mass),
            draw: Draw::Uniform { u: self.u, interval: kept[hit].interval },
            hit,
            log_sum,
            kept,
        })
    }

    /// The softmax of what is kept, which weighs `mass` in all.
    fn softmax(&self, ids: &[TokenId], weights: &Weights, mass: f64) -> Vec<Kept> {
        let scale = self.scale_at(self.settings.temperature);
        let keep = |&id: &TokenId| {
            let logit = self.logits[id.index()];
            Kept {
                id,
                logit: logit.narrow(),
                scaled: scale.scaled(logit.into()),
                probability: weights.each[id.index()] / mass,
                interval: Interval::EMPTY, // until the draw lays them out
            }
        };
        ids.iter().map(keep).collect()
    }

    /// The entropy of the final distribution, in nats.
    ///
    /// With weights e^d, where d is 0 or less, and their sum S it is ln S - sum(e^d d) / S: one
    /// logarithm for all, and nothing cancels.
    fn entropy(&self, kept: &[Kept], mass: f64) -> f64 {
        let scale = self.scale_at(self.settings.temperature);
        let term = |kept: &Kept| kept.probability * scale.exponent(kept.scaled);
        libm::log(mass) - kept.iter().map(term).sum::<f64>()
    }

    fn scale_at(&self, temperature: Temperature) -> Scale {
        Scale::new(temperature.get(), self.scan.max)
    }

    fn trace(&self, working: Working) -> StepTrace {
        let Working { kept, cuts: [top_k, top_p], entropy, draw, hit, log_sum } = working;
        let n_vocab = self.logits.len();
        let masked = n_vocab - self.scan.live;
        let token = kept[hit].id;
        let logit: f64 = self.logits[token.index()].into();
        StepTrace {
            settings: *self.settings,
            n_vocab,
            kept,
            removals: [Removal { filter: Filter::Mask, count: masked, mass: 0.0 }, top_k, top_p],
            entropy,
            draw,
            token,
            log_probability: logit - self.scan.max - log_sum,
        }
    }
}

/// What the two ways to choose a token have found out.
struct Working {
    kept: Vec<Kept>,
    cuts: [Removal; 2],
    entropy: f64,
    draw: Draw,
    /// The rank of the token.
    hit: usize,
    log_sum: f64,
}
