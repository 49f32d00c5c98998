//! The numbers of every step, as they were drawn and as the settings now would have them.

use nucleus_sampler::{Settings, StepContext, TokenId, Uniforms, step_in};

use crate::run::{Run, Step};

/// One step of a run, in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How many tokens may be drawn.
    pub nucleus_size: usize,
    /// Entropy of their distribution, nats.
    pub entropy: f64,
    /// The token drawn.
    pub token: TokenId,
}

/// The steps as the settings now would have them, as far as they have been worked out.
#[derive(Debug, Default)]
pub(crate) struct SeriesCache {
    made_with: Option<(Settings, u64)>,
    points: Vec<Option<Point>>,
}

impl Step {
    /// The numbers of the step as it was drawn.
    #[must_use]
    pub fn point(&self) -> Point {
        let report = &self.report;
        Point { nucleus_size: report.nucleus_size, entropy: report.entropy, token: report.token }
    }
}

impl SeriesCache {
    /// One entry for each step; `None` where it is still to be worked out.
    pub(crate) fn points(&self) -> &[Option<Point>] {
        &self.points
    }

    /// Whether every step is worked out.
    pub(crate) fn is_complete(&self) -> bool {
        self.points.iter().all(Option::is_some)
    }

    /// Makes the entries fit a run and the settings now: those of other settings are forgotten, and
    /// with the run's own settings every step is known as it was drawn, unless some were drawn with others.
    pub(crate) fn fit(&mut self, run: &Run, settings: Settings, seed: u64) {
        if self.made_with != Some((settings, seed)) {
            self.made_with = Some((settings, seed));
            self.points.clear();
        }
        let as_drawn = !run.is_mixed && (run.values.settings, run.values.seed) == (settings, seed);
        let new = run.steps().iter().skip(self.points.len());
        self.points.extend(new.map(|step| as_drawn.then(|| step.point())));
    }

    /// Works out some of the missing steps, from the first on: as many as have `budget` logits, but
    /// at least one. Returns whether any are left.
    pub(crate) fn recompute(&mut self, run: &Run, budget: usize) -> bool {
        let Some((settings, seed)) = self.made_with else {
            return false;
        };
        let mut spent = 0;
        for (index, (point, step)) in self.points.iter_mut().zip(run.steps()).enumerate() {
            if point.is_some() {
                continue;
            }
            if spent > 0 && spent + step.logits.len() > budget {
                return true;
            }
            spent += step.logits.len();
            *point = Some(point_at(run, step, index, settings, seed));
        }
        false
    }
}

/// The logits of a step have been drawn from already, so that they can be again; should they not,
/// the step is shown as it was drawn.
fn point_at(run: &Run, kept: &Step, index: usize, settings: Settings, seed: u64) -> Point {
    let seen = run.seen(index);
    let allowed = run.constrained(index).map(|constrained| &constrained.allowed);
    let context = StepContext { seen: &seen, allowed };
    match step_in(&kept.logits, &context, &settings, Uniforms::nth(seed, index as u64)) {
        Ok(trace) => Point { nucleus_size: trace.nucleus_size(), entropy: trace.entropy, token: trace.token },
        Err(_) => kept.point(),
    }
}
