//! The tree as a table, for those who cannot see it and for those who want its numbers.

use nucleus_decode::{BeamNode, Fate};
use nucleus_sampler::TokenId;

use super::nodes::fate;
use super::{BeamRun, shown, signs};
use crate::words::{count, logit};
use crate::{Element, Vocabulary, token_label};

/// Column names and the classes of their cells.
const COLUMNS: [(&str, &str); 6] = [
    ("rank", "number rank"),
    ("token", "token"),
    ("after (its rank)", "token"),
    ("ln p", "number"),
    ("sum of ln p", "number"),
    ("what became of it", "outcome"),
];

/// The first `n_steps` steps, a `<tbody>` each: a heading, then a row for each continuation in the order of the tree, with the
/// class of its node. What greedy takes alone stands last in its step.
pub(super) fn table(run: &BeamRun, vocabulary: &dyn Vocabulary, n_steps: usize) -> Element {
    let greedy = run.tree.path_of(&run.greedy.tokens);
    let table = Steps { run, vocabulary, greedy: &greedy };
    let head = COLUMNS.map(|(name, class)| Element::new("th").with("scope", "col").class(class).text(name));
    Element::new("table")
        .class("considered")
        .child(Element::new("caption").text(format!("{}, the best sum of each first", shown(run))))
        .child(Element::new("thead").child(Element::new("tr").children(head)))
        .children((1..=n_steps).map(|step| table.body(step)))
}

struct Steps<'a> {
    run: &'a BeamRun<'a>,
    vocabulary: &'a dyn Vocabulary,
    /// The nodes of greedy's path, as far as the tree has them.
    greedy: &'a [usize],
}

impl Steps<'_> {
    fn body(&self, step: usize) -> Element {
        let nodes: Vec<(usize, &BeamNode)> =
            self.run.tree.nodes().iter().enumerate().filter(|(_, node)| node.depth == step).collect();
        let cell = Element::new("th").with("scope", "rowgroup").with("colspan", COLUMNS.len()).class("group");
        let head = Element::new("tr").child(cell.text(format!("Step {}: {}", count(step), fates(&nodes))));
        Element::new("tbody")
            .child(head)
            .children(nodes.iter().map(|&(index, node)| self.node(index, node)))
            .children((step > self.greedy.len()).then(|| self.alone(step)).flatten())
    }

    fn node(&self, index: usize, node: &BeamNode) -> Element {
        let (class, outcome) = match self.greedy.contains(&index) {
            true => (" greedy", "; greedy’s path"),
            false => ("", ""),
        };
        let outcome = [fate(node.fate).as_str(), outcome].concat();
        let after = node.parent.map(|parent| self.place(parent));
        let row = self.row(self.place(index), after, [node.log_probability, node.sum], outcome);
        row.class([signs::class(node.fate), class].concat())
    }

    /// What greedy takes in a step without the search.
    fn alone(&self, step: usize) -> Option<Element> {
        let greedy = self.run.greedy;
        let place = |step: usize| match self.greedy.get(step - 1) {
            Some(&index) => Some(self.place(index)),
            None => Some(Place { token: *greedy.tokens.get(step - 1)?, rank: None }),
        };
        let after = if step > 1 { place(step - 1) } else { None };
        let log_probabilities = greedy.log_probabilities.get(..step)?;
        let numbers = [*log_probabilities.last()?, log_probabilities.iter().sum()];
        let outcome = "not considered by the search; greedy’s path".to_owned();
        Some(self.row(place(step)?, after, numbers, outcome).class("greedy alone"))
    }

    fn place(&self, index: usize) -> Place {
        let nodes = self.run.tree.nodes();
        let step = nodes[..=index].iter().rev().take_while(|node| node.depth == nodes[index].depth);
        Place { token: nodes[index].token, rank: Some(step.count()) }
    }

    /// `after` is none behind the prompt; the numbers are ln p and its sum.
    fn row(&self, at: Place, after: Option<Place>, numbers: [f64; 2], outcome: String) -> Element {
        let label = |id: TokenId| Element::new("bdi").text(token_label(self.vocabulary.bytes(id)));
        let cell = |name: &'static str, column: usize| Element::new(name).class(COLUMNS[column].1);
        let before = match after {
            Some(place) => cell("td", 2).child(label(place.token)).text(format!(" ({})", place.rank())),
            None => Element::new("td").text("the prompt"),
        };
        Element::new("tr")
            .token(at.token)
            .child(cell("td", 0).text(at.rank()))
            .child(cell("th", 1).with("scope", "row").child(label(at.token)))
            .child(before)
            .children([3, 4].map(|column| cell("td", column).text(logit(numbers[column - 3]))))
            .child(cell("td", 5).text(outcome))
    }
}

/// A token and its rank in its step, from 1; none where the search did not consider it. Beams can end in the same token, and
/// then the rank says which is continued.
#[derive(Clone, Copy)]
struct Place {
    token: TokenId,
    rank: Option<usize>,
}

impl Place {
    fn rank(self) -> String {
        self.rank.map_or_else(|| "–".to_owned(), count)
    }
}

/// "2 kept, 1 ended, 1 pruned": what became of the continuations of a step.
fn fates(nodes: &[(usize, &BeamNode)]) -> String {
    let of = |is: fn(Fate) -> bool| nodes.iter().filter(|(_, node)| is(node.fate)).count();
    let counts = [
        (of(|fate| fate == Fate::Kept), "kept"),
        (of(|fate| matches!(fate, Fate::Finished { .. })), "ended"),
        (of(|fate| matches!(fate, Fate::Pruned { .. })), "pruned"),
    ];
    let named = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count(*n)));
    let named: Vec<String> = named.collect();
    if named.is_empty() { "the search is over".to_owned() } else { named.join(", ") }
}
