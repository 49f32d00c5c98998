//! Five ways in which samplers go wrong, computed beside the right one.
//!
//! Each takes the same logits, settings and uniform number. They are written as such code is found, step by step, and not
//! as [`step_in`] works: this module shows what a mistake does, and nothing draws by it.

use alloc::vec::Vec;

use crate::{LogitsError, Settings, StepContext, StepTrace, TokenId, Uniforms, penalty::penalised, step_in};

/// A well-known mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mistake {
    /// The nucleus is found in the model's own distribution, and the temperature applied to what is left. At a temperature
    /// other than 1 that is another nucleus.
    TemperatureAfterFilter,
    /// An ascending sort is turned round, so that of two equal logits the one with the higher index comes first.
    ReversedSort,
    /// Removed tokens are set to 0 after the softmax and the others left as they are: they add up to less than 1, and u can
    /// fall beyond all of them.
    NotRenormalised,
    /// The nucleus ends before the token that reaches p instead of with it. Where the likeliest token alone reaches p,
    /// nothing is kept.
    ExclusiveCut,
    /// The token is the one whose probability divided by an exponential random number is largest, as `torch.multinomial`
    /// draws (an exponential race). The distribution is right, but a number is used for each token that is kept: the same
    /// seed gives another text.
    OtherDraw,
}

impl Mistake {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::TemperatureAfterFilter, Self::ReversedSort, Self::NotRenormalised, Self::ExclusiveCut, Self::OtherDraw];
}

/// What a mistake comes to at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistaken {
    /// Which one.
    pub mistake: Mistake,
    /// The tokens it keeps, in the order in which it ranks them. Can be empty.
    pub kept: Vec<TokenId>,
    /// The probability that the kept tokens have when it draws: 1 if it is right about that.
    pub mass: f64,
    /// What it draws; `None` where u falls beyond all that is kept.
    pub token: Option<TokenId>,
    /// How many uniform numbers it uses.
    pub uniforms: usize,
}

/// What the five mistakes keep and draw at a step; `uniforms` stands at the number that the step draws with.
///
/// At temperature 0 there is nothing to filter and nothing to draw: the result is empty.
///
/// # Errors
///
/// Those of [`step_in`].
pub fn mistakes(
    logits: &[f32],
    context: &StepContext<'_>,
    settings: &Settings,
    uniforms: &Uniforms,
) -> Result<Vec<Mistaken>, LogitsError> {
    let right = step_in(logits, context, settings, uniforms.peek())?;
    if settings.temperature.is_zero() {
        return Ok(Vec::new());
    }
    let wrong = Wrong { logits: effective(logits, context, settings), settings, right: &right, uniforms };
    Ok(Mistake::ALL.map(|mistake| wrong.mistaken(mistake)).into())
}

/// The logits as the filters see them: after constraint and penalty.
fn effective(logits: &[f32], context: &StepContext<'_>, settings: &Settings) -> Vec<f64> {
    let mut seen = alloc::vec![false; logits.len()];
    for id in context.seen {
        if let Some(seen) = seen.get_mut(id.index()) {
            *seen = true;
        }
    }
    let one = |(index, (&logit, seen)): (usize, (&f32, bool))| {
        let is_allowed = context.allowed.is_none_or(|allowed| allowed.contains(TokenId(index as u32)));
        match (is_allowed, seen) {
            (false, _) => f64::NEG_INFINITY,
            (true, true) => penalised(logit.into(), settings.repetition_penalty),
            (true, false) => logit.into(),
        }
    };
    logits.iter().zip(seen).enumerate().map(one).collect()
}

struct Wrong<'a> {
    logits: Vec<f64>,
    settings: &'a Settings,
    right: &'a StepTrace,
    uniforms: &'a Uniforms,
}

impl Wrong<'_> {
    fn mistaken(&self, mistake: Mistake) -> Mistaken {
        let temperature = self.settings.temperature.get();
        let right = || self.right.kept.iter().map(|kept| kept.id).collect::<Vec<_>>();
        match mistake {
            Mistake::TemperatureAfterFilter => {
                let kept = self.nucleus(&self.top_k(self.ranked(false)), 1.0, true);
                self.draw(mistake, kept, temperature)
            }
            Mistake::ReversedSort => {
                let kept = self.nucleus(&self.top_k(self.ranked(true)), temperature, true);
                self.draw(mistake, kept, temperature)
            }
            Mistake::ExclusiveCut => {
                let kept = self.nucleus(&self.top_k(self.ranked(false)), temperature, false);
                self.draw(mistake, kept, temperature)
            }
            Mistake::NotRenormalised => self.not_renormalised(right(), temperature),
            Mistake::OtherDraw => self.race(right(), temperature),
        }
    }

    /// Ids from the largest logit down; of equal ones the lower id first, or, reversed, the higher.
    fn ranked(&self, reversed: bool) -> Vec<TokenId> {
        let live = |id: &u32| self.logits[*id as usize] > f64::NEG_INFINITY;
        let mut ids: Vec<u32> = (0..self.logits.len() as u32).filter(live).collect();
        ids.sort_by(|&a, &b| {
            let by_logit = self.logits[b as usize].total_cmp(&self.logits[a as usize]);
            by_logit.then(if reversed { b.cmp(&a) } else { a.cmp(&b) })
        });
        ids.into_iter().map(TokenId).collect()
    }

    fn top_k(&self, mut ids: Vec<TokenId>) -> Vec<TokenId> {
        ids.truncate(self.settings.top_k.limit(ids.len()));
        ids
    }

    /// Softmax of the logits of `ids`, divided by a temperature; in their order.
    fn softmax(&self, ids: &[TokenId], temperature: f64) -> Vec<f64> {
        let logit = |id: &TokenId| self.logits[id.index()];
        let largest = ids.iter().map(logit).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = ids.iter().map(|id| libm::exp((logit(id) - largest) / temperature)).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }

    /// The likeliest of ranked ids: up to the one that reaches p, with it or without.
    fn nucleus(&self, ids: &[TokenId], temperature: f64, inclusive: bool) -> Vec<TokenId> {
        if self.settings.top_p.is_off() {
            return ids.to_vec();
        }
        let p = self.settings.top_p.get();
        let mut total = 0.0;
        let mut n = 0;
        for probability in self.softmax(ids, temperature) {
            total += probability;
            if total >= p {
                n += usize::from(inclusive);
                break;
            }
            n += 1;
        }
        ids[..n.min(ids.len())].to_vec()
    }

    /// The first id in vocabulary order at which the running total is above u.
    fn draw(&self, mistake: Mistake, kept: Vec<TokenId>, temperature: f64) -> Mistaken {
        let probabilities = self.softmax(&kept, temperature);
        let mass = if kept.is_empty() { 0.0 } else { 1.0 };
        let token = self.fall(&kept, &probabilities).or(last(&kept));
        Mistaken { mistake, kept, mass, token, uniforms: 1 }
    }

    fn fall(&self, kept: &[TokenId], probabilities: &[f64]) -> Option<TokenId> {
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|&place| kept[place]);
        let u = self.uniforms.peek().get();
        let mut total = 0.0;
        order.into_iter().find_map(|place| {
            total += probabilities[place];
            (u < total).then_some(kept[place])
        })
    }

    fn not_renormalised(&self, kept: Vec<TokenId>, temperature: f64) -> Mistaken {
        let all = self.ranked(false);
        let of_all = self.softmax(&all, temperature);
        let mut of = alloc::vec![0.0; self.logits.len()];
        for (id, probability) in all.iter().zip(of_all) {
            of[id.index()] = probability;
        }
        let probabilities: Vec<f64> = kept.iter().map(|id| of[id.index()]).collect();
        let mass = probabilities.iter().sum();
        let token = self.fall(&kept, &probabilities);
        // With everything kept only rounding is missing.
        let token = if kept.len() == all.len() { token.or(last(&kept)) } else { token };
        Mistaken { mistake: Mistake::NotRenormalised, kept, mass, token, uniforms: 1 }
    }

    /// Token i, in vocabulary order, has the waiting time -ln(1 - u_i) / p_i; the first to come is drawn.
    fn race(&self, kept: Vec<TokenId>, temperature: f64) -> Mistaken {
        let probabilities = self.softmax(&kept, temperature);
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|&place| kept[place]);
        let mut uniforms = self.uniforms.clone();
        let mut best: Option<(f64, TokenId)> = None;
        for place in order {
            let wait = -libm::log(1.0 - uniforms.draw().get()) / probabilities[place];
            if best.is_none_or(|(least, _)| wait < least) {
                best = Some((wait, kept[place]));
            }
        }
        let uniforms = kept.len();
        Mistaken { mistake: Mistake::OtherDraw, kept, mass: 1.0, token: best.map(|(_, id)| id), uniforms }
    }
}

/// Where rounding leaves the total just below 1, the last one is meant.
fn last(kept: &[TokenId]) -> Option<TokenId> {
    kept.iter().max().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Temperature, TopK, TopP};

    /// Logits whose softmax at temperature 1 has these probabilities.
    fn logits(probabilities: &[f64]) -> Vec<f32> {
        probabilities.iter().map(|p| libm::log(*p) as f32).collect()
    }

    fn settings(temperature: f64, k: u32, p: f64) -> Settings {
        Settings {
            temperature: Temperature::new(temperature).unwrap(),
            top_k: TopK::from(k),
            top_p: TopP::new(p).unwrap(),
            ..Settings::default()
        }
    }

    fn of(mistake: Mistake, logits: &[f32], settings: &Settings, seed: u64) -> (Mistaken, StepTrace) {
        let (uniforms, context) = (Uniforms::new(seed), StepContext::default());
        let all = mistakes(logits, &context, settings, &uniforms).unwrap();
        let right = step_in(logits, &context, settings, uniforms.peek()).unwrap();
        (all.into_iter().find(|mistaken| mistaken.mistake == mistake).unwrap(), right)
    }

    fn ids(kept: &[TokenId]) -> Vec<u32> {
        kept.iter().map(|id| id.0).collect()
    }

    /// CASE 5.
    #[test]
    fn temperature_after_the_filter_keeps_another_nucleus() {
        let (wrong, right) = of(Mistake::TemperatureAfterFilter, &[3.0, 2.0, 1.0], &settings(0.5, 0, 0.8), 1);
        assert_eq!((ids(&wrong.kept), right.nucleus_size()), (alloc::vec![0, 1], 1));
        let (same, right) = of(Mistake::TemperatureAfterFilter, &[3.0, 2.0, 1.0], &settings(1.0, 0, 0.8), 1);
        assert_eq!((same.kept.len(), same.token), (right.nucleus_size(), Some(right.token)));
    }

    #[test]
    fn a_reversed_sort_prefers_the_higher_of_two_equal_ones() {
        let (wrong, right) = of(Mistake::ReversedSort, &[1.0, 2.0, 2.0, 0.0], &settings(1.0, 1, 1.0), 1);
        assert_eq!((ids(&wrong.kept), right.token), (alloc::vec![2], TokenId(1)));
        let (same, right) = of(Mistake::ReversedSort, &[1.0, 2.0, 3.0], &settings(1.0, 2, 1.0), 1);
        assert_eq!((ids(&same.kept), same.token), (alloc::vec![2, 1], Some(right.token)));
    }

    #[test]
    fn without_renormalising_u_can_fall_beyond_all_that_is_kept() {
        let logits = logits(&[0.5, 0.3, 0.2]);
        // NumPy's default_rng(42).random() is 0.7739..., and .5 alone is kept.
        let (wrong, right) = of(Mistake::NotRenormalised, &logits, &settings(1.0, 1, 1.0), 42);
        assert_eq!((wrong.token, right.token), (None, TokenId(0)));
        assert!((wrong.mass - 0.5).abs() < 1e-7);
        let (whole, right) = of(Mistake::NotRenormalised, &logits, &settings(1.0, 0, 1.0), 42);
        assert_eq!(whole.token, Some(right.token));
    }

    /// CASES 1 and 2.
    #[test]
    fn the_exclusive_cut_loses_the_token_that_reaches_p() {
        let (wrong, right) = of(Mistake::ExclusiveCut, &logits(&[0.4, 0.3, 0.2, 0.1]), &settings(1.0, 0, 0.8), 1);
        assert_eq!((ids(&wrong.kept), right.nucleus_size()), (alloc::vec![0, 1], 3));
        let (wrong, _) = of(Mistake::ExclusiveCut, &logits(&[0.9, 0.1]), &settings(1.0, 0, 0.8), 1);
        assert_eq!((wrong.kept.len(), wrong.token, wrong.mass), (0, None, 0.0));
        let (off, right) = of(Mistake::ExclusiveCut, &logits(&[0.9, 0.1]), &settings(1.0, 0, 1.0), 1);
        assert_eq!((off.kept.len(), off.token), (2, Some(right.token)));
    }

    #[test]
    fn a_race_uses_a_number_for_each_token_and_draws_with_the_right_frequencies() {
        let logits = logits(&[0.5, 0.3, 0.2]);
        let mut counts = [0; 3];
        for seed in 0..4000 {
            let (race, _) = of(Mistake::OtherDraw, &logits, &settings(1.0, 0, 1.0), seed);
            assert_eq!(race.uniforms, 3);
            counts[race.token.unwrap().index()] += 1;
        }
        for (count, expected) in counts.into_iter().zip([2000, 1200, 800]) {
            assert!(i32::abs(count - expected) < 130, "{counts:?}"); // four deviations
        }
    }

    #[test]
    fn nothing_is_drawn_wrongly_at_temperature_0() {
        let none = mistakes(&[1.0, 2.0], &StepContext::default(), &settings(0.0, 0, 0.9), &Uniforms::new(1)).unwrap();
        assert_eq!(none, []);
    }
}
