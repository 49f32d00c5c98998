//! The padded grid of a batch, and each row beside its prompt alone.

use nucleus_charts::{Element, Node, batch_grid};
use nucleus_decode::{PaddedGrid, RowStep};
use nucleus_sampler::TokenId;
use nucleus_session::{Progress, StrategyRun, sentence};

use super::super::figures::Words;

/// The view of a batch.
pub fn batch(work: &StrategyRun) -> Vec<Node> {
    if work.prompts().is_empty() {
        return Vec::new();
    }
    let mut grid = PaddedGrid::new(work.prompts(), work.end_of_text().unwrap_or(TokenId(0)));
    for told in &work.told {
        match told {
            Progress::Batch(step) => grid.push(step),
            Progress::Ended(reasons) => grid.finish(reasons),
            _ => {}
        }
    }
    let mut nodes = vec![batch_grid(&grid, &Words(work.vocabulary()))];
    nodes.extend(beside_alone(work));
    nodes.extend(took(work));
    nodes
}

/// What the rows cost together, beside one after the other where that was run.
fn took(work: &StrategyRun) -> Option<Node> {
    let Some(Progress::Took { together_ms, alone_ms }) = work.told.last() else { return None };
    let text = sentence::together(work.prompts().len(), *together_ms, *alone_ms);
    Some(Element::new("p").class("took").text(text).into())
}

/// Whether padding and neighbours changed anything; nothing until a row was run by itself.
fn beside_alone(work: &StrategyRun) -> Option<Node> {
    let rows: Vec<(usize, Option<usize>, usize)> = work
        .told
        .iter()
        .filter_map(|told| match told {
            Progress::Alone { row, tokens } => Some((*row, parting(&in_batch(work, *row), tokens), tokens.len())),
            _ => None,
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let sentence = |&(row, parting, n): &(usize, Option<usize>, usize)| {
        let text = match parting {
            None => format!("Row {}: alone, the same {n} tokens.", row + 1),
            Some(token) => format!(
                "Row {}: alone, another text from new token {} on: a device rounds differently for one row and for several, \
                 and where two tokens are nearly even the texts part.",
                row + 1,
                token + 1,
            ),
        };
        Node::from(Element::new("li").text(text))
    };
    let section = Element::new("section")
        .class("alone")
        .child(Element::new("h2").text("Each prompt run by itself"))
        .child(Element::new("ul").children(rows.iter().map(sentence)));
    Some(section.into())
}

/// The new tokens of a row, those after its end left out.
fn in_batch(work: &StrategyRun, row: usize) -> Vec<TokenId> {
    let token = |told: &Progress| match told {
        Progress::Batch(step) => match step.rows.get(row)? {
            RowStep::Drawn(drawn) => Some(drawn.token),
            RowStep::Frozen { .. } => None,
        },
        _ => None,
    };
    work.told.iter().filter_map(token).collect()
}

/// The first place at which two texts differ.
fn parting(a: &[TokenId], b: &[TokenId]) -> Option<usize> {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (common < a.len() || common < b.len()).then_some(common)
}
