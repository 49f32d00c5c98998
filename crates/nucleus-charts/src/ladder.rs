//! The figure "Ladder": logits, temperature, top-k, top-p and softmax, and what each leaves.

mod head;
mod layout;
mod ribbon;
mod rows;
mod stages;

use nucleus_sampler::Lowering;

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::picture;
use crate::words::{count, counted, fixed, probability};
use crate::{Node, Scene, Size};

use layout::Layout;
use rows::Rows;
use stages::{Stage, StageKind, stages};

/// `<figure aria-label="Ladder">`: five stages from left to right, the tokens left and the mass
/// removed at each, and the likeliest tokens as ribbons through them.
///
/// A ribbon is as thick as the token's share of the probability at that stage, and ends at the
/// filter that removes the token. Up to twelve tokens have ribbons of their own, and so has the
/// token drawn, however unlikely; the others share one. Each part of a token has its `data-token`.
/// Where the repetition penalty lowered a logit, a ↓ stands behind it. At phone width the columns move together; the text stays the same.
pub fn ladder(scene: &Scene, size: Size) -> Node {
    let stages = stages(scene);
    let layout = Layout::new(size);
    let rows = rows::rows(scene, layout.max_rows());
    let layout = layout.for_rows(rows.tokens.len());
    let svg = picture(size, &name(&rows))
        .children(head::head(&stages, &layout))
        .children(ribbon::nodes(scene, &rows, &layout));
    let kind = if layout.narrow() { "ladder narrow" } else { "ladder" };
    figure(kind, "Ladder").child(svg).child(caption(&sentence(scene, &stages))).into()
}

/// Which tokens have ribbons.
fn name(rows: &Rows) -> String {
    let own = counted(rows.tokens.len(), "token");
    let more = match rows.others.count {
        0 => String::new(),
        n => format!(", and {} more in one", count(n)),
    };
    format!("Five stages, and ribbons as thick as probabilities: {own}{more}")
}

/// The ladder in words: what each stage does, how many tokens it leaves, what share it removes.
pub fn ladder_sentence(scene: &Scene) -> String {
    sentence(scene, &stages(scene)).text()
}

fn sentence(scene: &Scene, stages: &[Stage; 5]) -> Sentence {
    let mut clauses: Vec<String> = stages.iter().map(clause).collect();
    let penalty = scene.trace.lowering.as_ref().map(lowered);
    clauses.splice(1..1, forbidden(&stages[0]).into_iter().chain(penalty));
    Sentence::default().words(format!("{}.", clauses.join("; ")))
}

/// What a constraint removed, before all else.
fn forbidden(logits: &Stage) -> Option<String> {
    (logits.removed > 0).then(|| {
        let tokens = counted(logits.removed, "token");
        format!("the constraint forbids {tokens} with {} of the probability", probability(logits.mass))
    })
}

/// What the repetition penalty did, before temperature.
fn lowered(lowering: &Lowering) -> String {
    let penalty = fixed(lowering.penalty.get());
    match lowering.tokens.len() {
        0 => format!("the repetition penalty of {penalty} lowers no logit"),
        n => format!(
            "the repetition penalty of {penalty} lowers {} of tokens seen before (↓), which lose {} of the probability",
            counted(n, "logit"),
            probability(lowering.mass)
        ),
    }
}

fn clause(stage: &Stage) -> String {
    let removed = || {
        let tokens = counted(stage.removed, "token");
        match stage.removed {
            0 => "removes nothing".to_owned(),
            _ => format!("removes {tokens} with {} of the probability", probability(stage.mass)),
        }
    };
    match stage.kind {
        StageKind::Logits(0) => counted(stage.left + stage.removed, "logit"),
        StageKind::Logits(masked) => {
            let columns = counted(masked, "masked column");
            format!("{} ({columns} left out)", counted(stage.left + stage.removed, "logit"))
        }
        StageKind::Temperature(0.0) => "temperature 0 keeps the largest alone".to_owned(),
        StageKind::Temperature(t) => format!("divided by {}", fixed(t)),
        StageKind::TopK(None) => "top-k is off".to_owned(),
        StageKind::TopK(Some(k)) => format!("top-k {} {}", count(k as usize), removed()),
        StageKind::TopP(None) => "top-p is off".to_owned(),
        StageKind::TopP(Some(p)) => format!("top-p {} {}", fixed(p), removed()),
        StageKind::Softmax if stage.left == 1 => "softmax gives all of it to the 1 left".to_owned(),
        StageKind::Softmax => format!("softmax shares all of it among the {} left", count(stage.left)),
    }
}
