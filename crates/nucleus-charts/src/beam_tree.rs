//! The figure "Beam search": everything that a search considered, step by step, and what it found.

mod edges;
mod layout;
mod nodes;
mod results;
mod signs;
mod steps;

use nucleus_decode::{BeamStop, BeamTree, Fate, Hypothesis};

use crate::figure::{caption, figure, folded, scroll};
use crate::sentence::Sentence;
use crate::shapes::picture;
use crate::words::{count, counted, fixed};
use crate::{Node, Size, Vocabulary, token_quote};

use layout::Layout;

/// A search that is under way or over.
#[derive(Clone, Copy, Debug)]
pub struct BeamRun<'a> {
    /// What was considered so far.
    pub tree: &'a BeamTree,
    /// How many beams are kept.
    pub width: usize,
    /// alpha of the score, sum / length^alpha.
    pub length_penalty: f64,
    /// What the search found, the best score first; nothing before it is over.
    pub results: &'a [Hypothesis],
    /// The path of greedy decoding, as far as it is.
    pub greedy: &'a Hypothesis,
    /// Why the search stopped, once it has.
    pub stop: Option<BeamStop>,
}

/// `<figure aria-label="Beam search">`: the tree of the search in a box that scrolls sideways, its signs, the tree as a table
/// that is folded away, a table of the sequences found with greedy's among them, and a caption.
///
/// A column is a step and holds what was considered in it, the best sum on top: a node for each candidate, with its token,
/// its edge from the beam that it continues, and the edge's log-probability. Nodes and edges have the class `kept`,
/// `pruned` (dashed, hollow) or `finished` (a square, with the score below); `greedy` marks greedy's path with a diamond.
/// Where greedy takes what the search did not consider, its path goes on in a lane of its own, below. Each node has a title
/// that says all of this, and so has its row of the table. Of a long or wide search the first steps are shown, and the caption
/// says which. Of `size` the width is used: columns are wider where there is room.
pub fn beam_tree(run: &BeamRun, vocabulary: &dyn Vocabulary, size: Size) -> Node {
    let figure = figure("beam-tree", "Beam search");
    let caption = caption(&sentence(run, vocabulary));
    if run.tree.nodes().is_empty() {
        return figure.child(caption).into();
    }
    let layout = Layout::new(run, size);
    let tree = picture(layout.size, "Tree of the search; it stands below as a table")
        .with("width", layout.size.width())
        .with("height", layout.size.height())
        .children(layout.heads())
        .children(nodes::nodes(run, vocabulary, &layout));
    let steps = scroll("Steps of the search", steps::table(run, vocabulary, layout.n_columns));
    figure
        .child(scroll("Search tree", tree))
        .child(signs::legend())
        .child(folded("The tree as a table").child(steps))
        .child(results::table(run, vocabulary))
        .child(caption)
        .into()
}

/// The search in words: how it scores, what it found, what greedy missed, and which steps are shown where not all are.
pub fn beam_tree_sentence(run: &BeamRun, vocabulary: &dyn Vocabulary) -> String {
    sentence(run, vocabulary).text()
}

fn sentence(run: &BeamRun, vocabulary: &dyn Vocabulary) -> Sentence {
    let sentence = whole_search(run, vocabulary);
    let (n_shown, n_steps) = layout::steps(run);
    if n_shown == n_steps { sentence } else { sentence.words(format!(" {} are shown.", shown(run))) }
}

/// What part of the search the figure shows: "Steps 1 to 37 of 40".
fn shown(run: &BeamRun) -> String {
    match layout::steps(run) {
        (n_shown, n_steps) if n_shown == n_steps => counted(n_steps, "step"),
        (n_shown, n_steps) => format!("Steps 1 to {} of {}", count(n_shown), count(n_steps)),
    }
}

fn whole_search(run: &BeamRun, vocabulary: &dyn Vocabulary) -> Sentence {
    let Some(last) = run.tree.nodes().last() else {
        return Sentence::default().words("No step yet.");
    };
    let start = format!("{}, score = sum of ln p{}. ", counted(run.width, "beam"), divisor(run.length_penalty));
    let sentence = Sentence::default().words(start);
    let Some(stop) = run.stop else {
        return sentence.words(format!("Step {}: {}.", count(last.depth), standing(run.tree, last.depth)));
    };
    let nodes = run.tree.nodes();
    let n_pruned = nodes.iter().filter(|node| matches!(node.fate, Fate::Pruned { .. })).count();
    let over = format!(
        "Over after {} because {stop}: {} of {} considered were pruned. ",
        counted(last.depth, "step"),
        count(n_pruned),
        counted(nodes.len(), "continuation")
    );
    let sentence = sentence.words(over);
    let Some(best) = run.results.first() else {
        return sentence.words("Nothing was found.");
    };
    let sentence = sentence
        .words("The best sequence found is ")
        .token(token_quote(&text_of(best, vocabulary)))
        .words(format!(", with the score {}. ", score(best.score)));
    compared(sentence, run, best)
}

/// How greedy's sequence compares with the best.
fn compared(sentence: Sentence, run: &BeamRun, best: &Hypothesis) -> Sentence {
    let greedy = format!("Greedy’s, with {},", score(run.greedy.score));
    let rank = run.results.iter().position(|result| result.tokens == run.greedy.tokens);
    match rank {
        Some(0) => sentence.words("It is the one that greedy takes."),
        Some(rank) => sentence.words(format!("{greedy} is number {}.", count(rank + 1))),
        None if run.greedy.score < best.score => sentence.words(format!("{greedy} is not among them{}.", lost(run))),
        None => sentence.words(format!("{greedy} is not among them{}, though its score is no worse.", lost(run))),
    }
}

/// Where the search lost greedy's path.
fn lost(run: &BeamRun) -> String {
    let path = run.tree.path_of(&run.greedy.tokens);
    let fate = path.last().and_then(|&node| run.tree.get(node)).map(|node| node.fate);
    match fate {
        Some(Fate::Pruned { step }) => format!(": its beam was pruned in step {}", count(step + 1)),
        _ => String::new(),
    }
}

/// " / length^2", or nothing for no penalty.
fn divisor(alpha: f64) -> String {
    match alpha {
        0.0 => String::new(),
        1.0 => " / length".to_owned(),
        _ => format!(" / length^{}", fixed(alpha)),
    }
}

/// How many beams are alive after a step, and how many sequences have ended up to it.
fn standing(tree: &BeamTree, depth: usize) -> String {
    let live = tree.nodes().iter().filter(|node| node.depth == depth && node.fate == Fate::Kept).count();
    let ended = tree.nodes().iter().filter(|node| matches!(node.fate, Fate::Finished { .. })).count();
    format!("{} alive, {} ended", counted(live, "beam"), counted(ended, "sequence"))
}

/// The bytes of a whole sequence.
fn text_of(hypothesis: &Hypothesis, vocabulary: &dyn Vocabulary) -> Vec<u8> {
    hypothesis.tokens.iter().flat_map(|&token| vocabulary.bytes(token)).copied().collect()
}

/// A score or a sum with enough digits to tell neighbours apart: three decimals, four below 1.
fn score(value: f64) -> String {
    let decimals = if value.abs() < 1.0 { 4 } else { 3 };
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero { format!("−{digits}") } else { digits }
}
