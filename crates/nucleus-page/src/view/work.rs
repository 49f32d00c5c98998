//! What a strategy has worked out.

use nucleus_charts::Node;
use nucleus_session::{Session, StrategyKind};

/// The view of the strategy chosen; nothing before it was started. `width` is the room it has, CSS pixels.
pub fn work(session: &Session, width: f64) -> Vec<Node> {
    let Some(work) = session.work() else { return Vec::new() };
    match work.kind {
        StrategyKind::Sample
        | StrategyKind::Batch
        | StrategyKind::Slots
        | StrategyKind::Beam
        | StrategyKind::Vote
        | StrategyKind::Bigram => {
            let _ = width;
            Vec::new()
        }
    }
}
