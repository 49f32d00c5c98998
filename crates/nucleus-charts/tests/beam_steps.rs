//! The tree of a beam search as a table: it says what the tree says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

#[path = "common/beams.rs"]
mod beams;
mod common;
#[path = "common/found.rs"]
mod found;

use common::{elements, of_class};
use found::{Found, all, is};
use nucleus_charts::{Element, Node, Size};

/// The cells of each row of a step in the table, heads of steps left out, with the row's class.
fn rows(figure: &Node) -> Vec<(String, Vec<String>)> {
    let table = Node::from(of_class(figure, "considered")[0].clone());
    let of_tokens = elements(&table).into_iter().filter(|row| row.tag == "tr" && row.attribute("data-token").is_some());
    let cells = |row: &Element| row.children.iter().map(Node::text_content).collect();
    of_tokens.map(|row| (row.attribute("class").unwrap().to_owned(), cells(row))).collect()
}

/// Rows and nodes come in the same order, but for the lane of greedy's own, whose nodes come last.
#[test]
fn the_table_says_of_each_node_what_its_title_says() {
    for found in all() {
        let figure = found.draw(Size::new(720.0, 300.0));
        let nodes = of_class(&figure, "node");
        let titles: Vec<String> = nodes
            .iter()
            .filter(|node| !is(node, "alone"))
            .map(|node| Node::from((*node).clone()))
            .map(|node| elements(&node)[1].children[0].text_content())
            .collect();
        let (alone, rows): (Vec<_>, Vec<_>) = rows(&figure).into_iter().partition(|row| row.0.contains("alone"));
        assert_eq!((alone.len(), rows.len()), (nodes.len() - titles.len(), titles.len()));
        for (title, (_, cells)) in titles.iter().zip(&rows) {
            let said = format!(", ln p {}, sum {}, {}", cells[3], cells[4], cells[5]);
            assert!(title.ends_with(&said), "{title} but {said}");
            assert!(title.contains(&format!(", rank {}: ", cells[0])), "{title} but {}", cells[0]);
        }
        let classes = nodes.iter().filter(|node| !is(node, "alone")).map(|node| node.attribute("class").unwrap());
        assert!(classes.zip(&rows).all(|(class, row)| class.strip_prefix("node ") == Some(&row.0)));
        let of_greedy = rows.iter().filter(|row| row.1[5].ends_with("greedy’s path")).count() + alone.len();
        assert_eq!(of_greedy, found.outcome.greedy.tokens.len().min(64));
    }
}

#[test]
fn a_step_of_the_table_can_be_checked_by_hand() {
    let found = Found::new(2, 1.0, 3, 8);
    let table = Node::from(of_class(&found.draw(Size::MIN), "considered")[0].clone());
    let heads = elements(&table).into_iter().filter(|cell| cell.attribute("scope") == Some("rowgroup"));
    let heads: Vec<String> = heads.map(|cell| Node::from(cell.clone()).text_content()).collect();
    assert_eq!(heads, ["Step 1: 2 kept, 2 pruned", "Step 2: 1 kept, 1 ended, 2 pruned", "Step 3: 2 ended, 2 pruned"]);
    let rows = rows(&found.draw(Size::MIN));
    assert_eq!(rows[0].1, ["1", "␣the", "the prompt", "−0.86", "−0.86", "kept; greedy’s path"]);
    assert_eq!(rows[4].1, ["1", "↵", "␣the (1)", "−0.18", "−1.05", "kept; greedy’s path"]);
    assert_eq!(rows[6].1, ["3", "\"><b>", "␣the (1)", "−2.44", "−3.30", "pruned in step 3"]);
}

/// The sum of a row is that of the row it comes after and its own log-probability, to the rounding of three numbers.
#[test]
fn each_row_says_which_beam_it_continues() {
    for found in all() {
        let figure = found.draw(Size::MIN);
        let table = Node::from(of_class(&figure, "considered")[0].clone());
        let mut before: Vec<Vec<String>> = Vec::new();
        for body in elements(&table).into_iter().filter(|element| element.tag == "tbody") {
            let rows: Vec<Vec<String>> =
                body.children[1..].iter().map(|row| children(row).iter().map(Node::text_content).collect()).collect();
            for row in rows.iter().filter(|row| row[2].contains('(') && !row[2].ends_with("(–)")) {
                let (token, rank) = row[2].strip_suffix(')').unwrap().rsplit_once(" (").unwrap();
                let parent = before.iter().find(|row| row[0] == rank).unwrap();
                assert_eq!(parent[1], token);
                let value = |text: &str| text.replace('−', "-").parse::<f64>().unwrap();
                assert!((value(&parent[4]) + value(&row[3]) - value(&row[4])).abs() < 0.016, "{row:?}");
            }
            before = rows;
        }
    }
}

fn children(node: &Node) -> &[Node] {
    match node {
        Node::Element(element) => &element.children,
        Node::Text(_) => &[],
    }
}

/// Where greedy is alone, the sum of its own log-probabilities is what its result has.
#[test]
fn greedys_last_row_has_the_sum_of_its_result() {
    let mut n_alone = 0;
    for found in all() {
        let greedy = &found.outcome.greedy;
        let rows = rows(&found.draw(Size::MIN));
        let alone: Vec<_> = rows.iter().filter(|row| row.0 == "greedy alone").collect();
        if let (Some((_, cells)), true) = (alone.last(), greedy.tokens.len() <= 64) {
            n_alone += 1;
            assert_eq!(cells[4], format!("−{:.2}", greedy.sum.abs()));
            assert!(cells[5].starts_with("not considered by the search"));
        }
    }
    assert!(n_alone > 0, "no search lost greedy's path");
}

/// The picture is one to a screen reader, and what it shows is behind a heading that the keyboard opens.
#[test]
fn the_tree_can_be_read_without_being_seen() {
    let figure = Found::new(5, 1.0, 12, 300).draw(Size::MIN);
    let all = elements(&figure);
    let pictures: Vec<_> = all.iter().filter(|element| element.attribute("role") == Some("img")).collect();
    assert_eq!(pictures.iter().map(|picture| picture.tag).collect::<Vec<_>>(), ["svg"]);
    let folded: Vec<_> = all.iter().filter(|element| element.tag == "details").collect();
    assert_eq!(folded.len(), 1);
    let tags: Vec<_> = elements(&Node::from((*folded[0]).clone()))
        .iter()
        .map(|element| element.tag)
        .filter(|tag| *tag != "div")
        .take(3)
        .collect();
    assert_eq!(tags, ["details", "summary", "table"]);
}
