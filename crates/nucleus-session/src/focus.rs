//! The step in focus, sampled anew with the settings that are on the sliders now.

use std::rc::Rc;

use nucleus_sampler::{
    Draw, Ranking, RepetitionPenalty, Settings, StepContext, StepTrace, TokenId, Uniforms, step_ranked_in,
};

use crate::message::Zoom;
use crate::run::Run;

/// A step of a run as the settings now would have it.
#[derive(Debug)]
pub struct Focus {
    /// Which generated token, from 0.
    pub index: usize,
    /// The raw logits `[n_vocab]`.
    pub logits: Rc<[f32]>,
    /// Their order, after the repetition penalty.
    pub ranking: Rc<Ranking>,
    /// The step with the settings and the seed that are in force now. With those of the run it has
    /// the run's token.
    pub trace: StepTrace,
    /// The token that the run has here.
    pub drawn: TokenId,
    /// Whether the settings now give another token than the run has.
    pub differs: bool,
}

/// What costs time is done once: the order of the logits once for each step and penalty, the rest once a change.
#[derive(Debug, Default)]
pub(crate) struct FocusCache {
    ranking: Option<(usize, RepetitionPenalty, Rc<Ranking>)>,
    focus: Option<(Settings, u64, Rc<Focus>)>,
}

impl FocusCache {
    /// The step `index` of the run with these settings.
    pub(crate) fn get(&mut self, run: &Run, index: usize, settings: Settings, seed: u64) -> Option<Rc<Focus>> {
        if let Some((had, had_seed, focus)) = &self.focus
            && (*had, *had_seed, focus.index) == (settings, seed, index)
        {
            return Some(Rc::clone(focus));
        }
        let step = run.steps().get(index)?;
        let seen = run.seen(index);
        let allowed = run.constrained(index).map(|constrained| &constrained.allowed);
        let context = StepContext { seen: &seen, allowed };
        let ranking = self.ranking(index, &step.logits, &context, settings.repetition_penalty)?;
        let u = Uniforms::nth(seed, index as u64);
        let trace = step_ranked_in(&step.logits, &ranking, &context, &settings, u).ok()?;
        let drawn = step.report.token;
        let differs = trace.token != drawn;
        let logits = Rc::clone(&step.logits);
        let focus = Rc::new(Focus { index, logits, ranking, trace, drawn, differs });
        self.focus = Some((settings, seed, Rc::clone(&focus)));
        Some(focus)
    }

    fn ranking(
        &mut self,
        index: usize,
        logits: &[f32],
        context: &StepContext<'_>,
        penalty: RepetitionPenalty,
    ) -> Option<Rc<Ranking>> {
        if let Some((had, had_penalty, ranking)) = &self.ranking
            && (*had, *had_penalty) == (index, penalty)
        {
            return Some(Rc::clone(ranking));
        }
        let ranking = Rc::new(Ranking::in_context(logits, context, penalty).ok()?);
        self.ranking = Some((index, penalty, Rc::clone(&ranking)));
        Some(ranking)
    }
}

/// The closest enlargement: 4 to the power of this. Beyond it no f64 is left between two pixels.
pub(crate) const CLOSEST: u32 = 19;

/// The part `[start, end)` of the unit interval that an enlargement of 4 to the power of `level`
/// shows: around u, within `[0, 1)`. All of it at level 0 and where no number was drawn.
pub(crate) fn draw_window(draw: Draw, level: u32) -> [f64; 2] {
    let Draw::Uniform { u, .. } = draw else {
        return [0.0, 1.0];
    };
    let width = width_at(level.min(CLOSEST));
    let start = (u.get() - width / 2.0).clamp(0.0, 1.0 - width);
    [start, start + width]
}

/// The level after a change.
pub(crate) fn zoomed(level: u32, zoom: Zoom, draw: Draw) -> u32 {
    match (zoom, draw) {
        (Zoom::Whole, _) => 0,
        (Zoom::In, _) => (level + 1).min(CLOSEST),
        (Zoom::Out, _) => level.saturating_sub(1),
        (Zoom::Hit, Draw::Argmax) => level,
        (Zoom::Hit, Draw::Uniform { interval, .. }) => {
            // Of the levels in which the whole interval fits, the closest.
            (0..=CLOSEST).rev().find(|&level| 2.0 * interval.width() <= width_at(level)).unwrap_or(0)
        }
    }
}

fn width_at(level: u32) -> f64 {
    1.0 / (1_u64 << (2 * level)) as f64
}
