//! The tree of a beam search, with greedy's path in it.

use nucleus_charts::{BeamRun, Node, Size, beam_tree};
use nucleus_decode::{BeamTree, End, Hypothesis, LengthPenalty};
use nucleus_session::{Progress, StrategyRun};

use super::super::figures::Words;

/// The view of a search; `length_penalty` is what it was started with.
pub fn beam(work: &StrategyRun, beams: usize, length_penalty: f64, room: f64) -> Vec<Node> {
    if work.prompts().is_empty() {
        return Vec::new();
    }
    let mut tree = BeamTree::new();
    let mut so_far =
        Hypothesis { tokens: Vec::new(), log_probabilities: Vec::new(), sum: 0.0, score: 0.0, end: End::Unfinished };
    let mut found = None;
    for told in &work.told {
        match told {
            Progress::Beam(step) => {
                tree.push(step);
                if let Some(choice) = step.greedy {
                    so_far.tokens.push(choice.token);
                    so_far.log_probabilities.push(choice.log_probability);
                    so_far.sum += choice.log_probability;
                }
            }
            Progress::Found { stop, results, greedy } => found = Some((*stop, results.as_slice(), greedy)),
            _ => {}
        }
    }
    let penalty = LengthPenalty::new(length_penalty).unwrap_or_default();
    so_far.score = penalty.score(so_far.sum, so_far.tokens.len());
    let run = BeamRun {
        tree: &tree,
        width: beams,
        length_penalty: penalty.get(),
        results: found.map_or(&[], |(_, results, _)| results),
        greedy: found.map_or(&so_far, |(.., greedy)| greedy),
        stop: found.map(|(stop, ..)| stop),
    };
    vec![beam_tree(&run, &Words(work.vocabulary()), Size::new(room, 300.0))]
}
