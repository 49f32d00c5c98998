//! One step: temperature, top-k, top-p, softmax, draw.

use alloc::vec::Vec;

use crate::{
    Draw, Filter, Interval, Kept, Logit, LogitsError, Ranking, Removal, Settings, StepTrace,
    TokenId, Unit,
    logits::Scan,
    logprob::{UNDERFLOW, log_sum_exp},
    ranking::Descending,
    sum::sum,
};

/// How many ids top-p alone has put in order before it looks for the first time.
const FIRST_LOOK: usize = 256;

/// Draws one token from `logits` (one per id, `-inf` for a removed one) with `u`, and returns the
/// whole working. The logits are not changed.
///
/// # Errors
///
/// [`LogitsError`] if there are no logits, if one is NaN or plus infinity, or if all are `-inf`.
pub fn step<L: Logit>(
    logits: &[L],
    settings: &Settings,
    u: Unit,
) -> Result<StepTrace, LogitsError> {
    let scan = Scan::of(logits)?;
    Ok(Step {
        logits,
        settings,
        scan,
        u,
    }
    .run(|| Descending::unsorted(logits), None))
}

/// The same step, to the bit, on a ranking of the same logits that was made before.
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
    let step = Step {
        logits,
        settings,
        scan,
        u,
    };
    Ok(step.run(|| Descending::ranked(ranking), Some(ranking.log_sum)))
}

/// What a step is made of.
struct Step<'a, L> {
    logits: &'a [L],
    settings: &'a Settings,
    scan: Scan,
    u: Unit,
}

impl<L: Logit> Step<'_, L> {
    fn run<'r>(
        &self,
        order: impl FnOnce() -> Descending<'r, L>,
        log_sum: Option<f64>,
    ) -> StepTrace {
        let mut weights = Vec::new();
        let log_sum =
            log_sum.unwrap_or_else(|| log_sum_exp(self.logits, self.scan.max, &mut weights));
        if self.settings.temperature.is_zero() {
            return self.argmax(log_sum);
        }
        self.sampled(order(), weights, log_sum)
    }

    fn argmax(&self, log_sum: f64) -> StepTrace {
        let Scan { live, best, max } = self.scan;
        let id = TokenId(best as u32);
        let kept = Kept {
            id,
            logit: self.logits[best].narrow(),
            scaled: max,
            probability: 1.0,
            interval: Interval {
                start: 0.0,
                end: 1.0,
            },
        };
        StepTrace {
            settings: *self.settings,
            n_vocab: self.logits.len(),
            kept: alloc::vec![kept],
            removals: [
                self.masked(),
                Removal {
                    filter: Filter::Argmax,
                    count: live - 1,
                    mass: 0.0,
                },
                Removal {
                    filter: Filter::TopP,
                    count: 0,
                    mass: 0.0,
                },
            ],
            entropy: 0.0,
            draw: Draw::Argmax,
            token: id,
            log_probability: -log_sum,
        }
    }

    fn masked(&self) -> Removal {
        let count = self.logits.len() - self.scan.live;
        Removal {
            filter: Filter::Mask,
            count,
            mass: 0.0,
        }
    }

    fn sampled(
        &self,
        mut order: Descending<'_, L>,
        mut weights: Vec<f64>,
        log_sum: f64,
    ) -> StepTrace {
        let scale = Scale::new(self.settings.temperature.get(), self.scan.max);
        weights.clear();
        weights.extend(
            self.logits
                .iter()
                .map(|&x| libm::exp(scale.exponent(x.into()))),
        );
        let live = self.scan.live;
        let total = sum(&weights);
        let limit = self.settings.top_k.limit(self.logits.len()).min(live);
        let mut after_k = total;
        if limit < live {
            order.extend_to(limit);
            after_k = mass(&order.ids()[..limit], &weights);
        }
        let p = self.settings.top_p;
        let cut = if p.is_off() {
            limit
        } else {
            top_p_cut(&mut order, &weights, after_k, p.get(), limit)
        };
        order.extend_to(cut);
        let ids = &order.ids()[..cut];
        let after_p = if cut < limit {
            mass(ids, &weights)
        } else {
            after_k
        };
        let mut kept: Vec<Kept> = ids
            .iter()
            .map(|&id| {
                let x = self.logits[id.index()];
                Kept {
                    id,
                    logit: x.narrow(),
                    scaled: scale.scaled(x.into()),
                    probability: weights[id.index()] / after_p,
                    interval: Interval {
                        start: 0.0,
                        end: 0.0,
                    },
                }
            })
            .collect();
        let by_id = vocabulary_order(&kept, self.logits.len());
        lay_out(&mut kept, &by_id);
        let hit = &kept[hit(&kept, &by_id, self.u)];
        let logit: f64 = self.logits[hit.id.index()].into();
        StepTrace {
            settings: *self.settings,
            n_vocab: self.logits.len(),
            removals: [
                self.masked(),
                Removal {
                    filter: Filter::TopK,
                    count: live - limit,
                    mass: removed(after_k, total),
                },
                Removal {
                    filter: Filter::TopP,
                    count: limit - cut,
                    mass: removed(after_p, after_k),
                },
            ],
            entropy: entropy(&kept, &scale, after_p),
            draw: Draw::Uniform {
                u: self.u,
                interval: hit.interval,
            },
            token: hit.id,
            log_probability: logit - self.scan.max - log_sum,
            kept,
        }
    }
}

fn removed(kept: f64, of: f64) -> f64 {
    (1.0 - kept / of).max(0.0)
}

fn mass(ids: &[TokenId], weights: &[f64]) -> f64 {
    let gathered: Vec<f64> = ids.iter().map(|id| weights[id.index()]).collect();
    sum(&gathered)
}

/// Division by the temperature, in f64, and its rare overflow.
struct Scale {
    temperature: f64,
    max: f64,
    max_scaled: f64,
}

impl Scale {
    fn new(temperature: f64, max: f64) -> Self {
        Self {
            temperature,
            max,
            max_scaled: max / temperature,
        }
    }

    fn scaled(&self, logit: f64) -> f64 {
        (logit / self.temperature).clamp(f64::MIN, f64::MAX)
    }

    fn exponent(&self, logit: f64) -> f64 {
        let below = if self.max_scaled.is_finite() {
            logit / self.temperature - self.max_scaled
        } else {
            (logit - self.max) / self.temperature
        };
        below.max(UNDERFLOW)
    }
}

fn top_p_cut<L: Logit>(
    order: &mut Descending<'_, L>,
    weights: &[f64],
    total: f64,
    p: f64,
    limit: usize,
) -> usize {
    let mut running = 0.0;
    let mut rank = 0;
    let mut look = FIRST_LOOK;
    while rank < limit {
        order.extend_to(look.min(limit));
        look *= 4;
        for id in &order.ids()[rank..look.min(limit).min(order.ids().len())] {
            rank += 1;
            running += weights[id.index()] / total;
            if running >= p {
                return rank;
            }
        }
    }
    limit
}

fn vocabulary_order(kept: &[Kept], n_vocab: usize) -> Vec<u32> {
    if kept.len() * 16 < n_vocab {
        let mut pairs: Vec<(TokenId, u32)> =
            (0..).zip(kept).map(|(rank, k)| (k.id, rank)).collect();
        pairs.sort_unstable();
        return pairs.into_iter().map(|(_, rank)| rank).collect();
    }
    let mut ranks = alloc::vec![u32::MAX; n_vocab];
    for (rank, kept) in (0..).zip(kept) {
        ranks[kept.id.index()] = rank;
    }
    ranks.retain(|&rank| rank != u32::MAX);
    ranks
}

fn lay_out(kept: &mut [Kept], by_id: &[u32]) {
    let mut start = 0.0;
    for &rank in by_id {
        let kept = &mut kept[rank as usize];
        let end = start + kept.probability;
        kept.interval = Interval { start, end };
        start = end;
    }
}

fn hit(kept: &[Kept], by_id: &[u32], u: Unit) -> usize {
    let below = by_id.partition_point(|&rank| kept[rank as usize].interval.end <= u.get());
    let rank = by_id.get(below).or_else(|| {
        by_id
            .iter()
            .rev()
            .find(|&&rank| kept[rank as usize].probability > 0.0)
    });
    rank.map_or(0, |&rank| rank as usize)
}

fn entropy(kept: &[Kept], scale: &Scale, total: f64) -> f64 {
    let below: f64 = kept
        .iter()
        .map(|k| k.probability * scale.exponent(k.scaled * scale.temperature))
        .sum();
    libm::log(total) - below
}
