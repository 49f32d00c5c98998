//! The nodes of the tree, each with the edge that leads to it.

use nucleus_decode::{BeamNode, End, Fate};
use nucleus_sampler::TokenId;

use super::edges::{From, edge};
use super::layout::{LABEL, Layout};
use super::signs::{class, diamond, mark};
use super::{BeamRun, score};
use crate::shapes::{Anchor, label};
use crate::words::{count, logit, shortened};
use crate::{Element, Vocabulary, token_label, token_quote};

/// The prompt, all edges, and every node in the order of the steps, which is that of reading; greedy's lane last.
pub(super) fn nodes(run: &BeamRun, vocabulary: &dyn Vocabulary, layout: &Layout) -> Vec<Element> {
    let greedy = run.tree.path_of(&run.greedy.tokens);
    let scene = Scene { run, vocabulary, layout, greedy: &greedy };
    let shown = || run.tree.nodes().iter().enumerate().filter(|(_, node)| node.depth <= layout.n_columns);
    let is_pruned = |node: &BeamNode| matches!(node.fate, Fate::Pruned { .. });
    // What is kept is drawn over what is pruned.
    let (pruned, others): (Vec<_>, Vec<_>) = shown().partition(|(_, node)| is_pruned(node));
    let edges = pruned.into_iter().chain(others).map(|(index, node)| scene.edge(index, node));
    let (lane_edges, lane_nodes): (Vec<_>, Vec<_>) = scene.lane().into_iter().unzip();
    let edges = Element::new("g").children(edges).children(lane_edges);
    let prompt = Element::new("circle").with("cx", layout.mark(0)).with("cy", layout.prompt()).with("r", 4.0_f64);
    [prompt.class("mark prompt"), edges]
        .into_iter()
        .chain(shown().map(|(index, node)| scene.node(index, node)))
        .chain(lane_nodes)
        .collect()
}

struct Scene<'a> {
    run: &'a BeamRun<'a>,
    vocabulary: &'a dyn Vocabulary,
    layout: &'a Layout,
    /// The nodes of greedy's path, as far as the tree has them.
    greedy: &'a [usize],
}

impl Scene<'_> {
    fn height(&self, index: usize) -> f64 {
        let node = &self.run.tree.nodes()[index];
        self.layout.row(self.layout.rank(index, node))
    }

    fn class(&self, index: usize, node: &BeamNode) -> String {
        let greedy = if self.greedy.contains(&index) { " greedy" } else { "" };
        [class(node.fate), greedy].concat()
    }

    fn edge(&self, index: usize, node: &BeamNode) -> Element {
        let from = self.from(node.parent);
        edge(self.layout, &from, self.height(index), node.log_probability, &self.class(index, node))
    }

    /// Where the edges of a node begin; without one, those of the prompt.
    fn from(&self, node: Option<usize>) -> From {
        match node {
            None => From { depth: 0, y: self.layout.prompt(), label: String::new() },
            Some(index) => {
                let node = &self.run.tree.nodes()[index];
                From { depth: node.depth, y: self.height(index), label: self.label(node.token) }
            }
        }
    }

    fn label(&self, token: TokenId) -> String {
        shortened(&token_label(self.vocabulary.bytes(token)), self.layout.label_columns)
    }

    fn node(&self, index: usize, node: &BeamNode) -> Element {
        let (x, y) = (self.layout.mark(node.depth), self.height(index));
        let is_greedy = self.greedy.contains(&index);
        let ended = match node.fate {
            Fate::Finished { score: value, .. } => Some(label(x + LABEL, y + 16.0, Anchor::Start, score(value))),
            Fate::Kept | Fate::Pruned { .. } => None,
        };
        Element::new("g")
            .class(format!("node {}", self.class(index, node)))
            .token(node.token)
            .child(Element::new("title").text(self.name(index, node, is_greedy)))
            .child(mark(node.fate, x, y))
            .children(is_greedy.then(|| diamond(x, y)))
            .child(self.token(node.token, (x, y)))
            .children(ended.map(|text| text.class("score")))
    }

    /// What a reader hovers over: "Step 2, rank 3: ' the' after ' Once', ln p −0.43, sum −1.30, pruned in step 3; greedy's path".
    fn name(&self, index: usize, node: &BeamNode, is_greedy: bool) -> String {
        let quote = |token: TokenId| token_quote(self.vocabulary.bytes(token));
        let after = match node.parent {
            Some(parent) => quote(self.run.tree.nodes()[parent].token),
            None => "the prompt".to_owned(),
        };
        format!(
            "Step {}, rank {}: {} after {after}, ln p {}, sum {}, {}{}",
            count(node.depth),
            count(self.layout.rank(index, node) + 1),
            quote(node.token),
            logit(node.log_probability),
            logit(node.sum),
            fate(node.fate),
            if is_greedy { "; greedy’s path" } else { "" },
        )
    }

    fn token(&self, token: TokenId, (x, y): (f64, f64)) -> Element {
        label(x + LABEL, y + 4.0, Anchor::Start, self.label(token)).class("token")
    }

    /// Greedy's path from where it leaves the tree: edges and nodes.
    fn lane(&self) -> Vec<(Element, Element)> {
        let greedy = self.run.greedy;
        let steps = greedy.tokens.iter().zip(&greedy.log_probabilities).enumerate();
        let alone = steps.take(self.layout.n_columns).skip(self.greedy.len());
        alone.map(|(depth, (&token, &log_probability))| self.alone(depth, token, log_probability)).collect()
    }

    fn alone(&self, depth: usize, id: TokenId, log_probability: f64) -> (Element, Element) {
        let (x, y) = (self.layout.mark(depth + 1), self.layout.lane());
        let before = depth.checked_sub(1).and_then(|before| self.run.greedy.tokens.get(before));
        let from = match before {
            Some(&token) if depth > self.greedy.len() => From { depth, y, label: self.label(token) },
            _ => self.from(self.greedy.last().copied()),
        };
        let name = format!(
            "Step {}, greedy alone: {}, ln p {}",
            count(depth + 1),
            token_quote(self.vocabulary.bytes(id)),
            logit(log_probability)
        );
        let node = Element::new("g")
            .class("node greedy alone")
            .token(id)
            .child(Element::new("title").text(name))
            .child(diamond(x, y))
            .child(self.token(id, (x, y)));
        (edge(self.layout, &from, y, log_probability, "greedy alone"), node)
    }
}

/// What became of a node, in words.
pub(super) fn fate(fate: Fate) -> String {
    match fate {
        Fate::Kept => "kept".to_owned(),
        Fate::Pruned { step } => format!("pruned in step {}", count(step + 1)),
        Fate::Finished { score: value, end } => format!("{} with the score {}", ends(end), score(value)),
    }
}

/// How a sequence ended.
pub(super) fn ends(end: End) -> &'static str {
    match end {
        End::EndOfText => "ends the text",
        End::TokenLimit => "ends at the token limit",
        End::Context => "ends with the context",
        End::Unfinished => "unfinished",
    }
}
