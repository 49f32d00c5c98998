//! What a strategy has worked out.

mod batch;
mod beam;
mod bigram;
mod slots;
mod vote;
mod words;

use nucleus_charts::Node;
use nucleus_session::{Session, Strategy, StrategyKind};

/// The view of the strategy chosen; nothing before it was started. `width` is the room it has, CSS pixels.
pub fn work(session: &Session, width: f64) -> Vec<Node> {
    if session.strategy() == StrategyKind::Bigram {
        return bigram::bigram(session, width);
    }
    let Some(work) = session.work() else { return Vec::new() };
    match &work.asked {
        Strategy::Batch { .. } => batch::batch(work),
        Strategy::Slots { slots, requests } => slots::slots(work, *slots, requests, width),
        Strategy::Beam { width: beams, length_penalty, .. } => beam::beam(work, *beams, *length_penalty, width),
        Strategy::Vote { .. } => vote::vote(session, work),
    }
}
