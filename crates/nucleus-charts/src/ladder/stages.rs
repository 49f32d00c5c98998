//! What each stage leaves and removes.

use nucleus_sampler::Filter;

use crate::Scene;

/// A stage and its setting; a filter that is off has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StageKind {
    /// With the number of masked columns, which do not enter. A constraint removes here.
    Logits(usize),
    Temperature(f64),
    TopK(Option<u32>),
    TopP(Option<f64>),
    Softmax,
}

/// One stage of the ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    pub kind: StageKind,
    /// Tokens that leave the stage.
    pub left: usize,
    /// Tokens that end here.
    pub removed: usize,
    /// Their share of the probability that reached the stage, 0 to 1.
    pub mass: f64,
}

/// The five stages in order. Masked columns do not enter the first.
pub(super) fn stages(scene: &Scene) -> [Stage; 5] {
    let settings = &scene.trace.settings;
    let k_limit = settings.top_k.limit(scene.trace.n_vocab);
    let k = (k_limit < scene.n_allowed()).then(|| settings.top_k.get());
    let p = (!settings.top_p.is_off()).then(|| settings.top_p.get());
    let mut left = scene.n_charted();
    let mut stage = |kind: StageKind, filter: Option<Filter>| {
        let removal = filter.and_then(|filter| scene.removed(filter));
        let (removed, mass) = removal.map_or((0, 0.0), |removal| (removal.count, removal.mass));
        left -= removed;
        Stage { kind, left, removed, mass }
    };
    [
        stage(StageKind::Logits(scene.trace.n_vocab - scene.n_charted()), Some(Filter::Constraint)),
        stage(StageKind::Temperature(settings.temperature.get()), Some(Filter::Argmax)),
        stage(StageKind::TopK(k), Some(Filter::TopK)),
        stage(StageKind::TopP(p), Some(Filter::TopP)),
        stage(StageKind::Softmax, None),
    ]
}
