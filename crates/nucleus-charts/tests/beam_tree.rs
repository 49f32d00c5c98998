//! The tree of a beam search: every candidate once, signs for what became of it, and greedy's path.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

#[path = "common/beams.rs"]
mod beams;
mod common;
#[path = "common/found.rs"]
mod found;

use beams::{Noise, plan, search};
use common::{TOKENS, Words, elements, number, of_class, sizes};
use found::{Found, all, is};
use insta::assert_snapshot;
use nucleus_charts::{BeamRun, Element, Node, Size, Vocabulary, beam_tree, beam_tree_sentence, token_quote};
use nucleus_decode::{BeamStop, BeamTree, Fate};
use nucleus_sampler::TokenId;

#[test]
fn two_beams_for_three_steps() {
    assert_snapshot!(Found::new(2, 1.0, 3, 8).draw(Size::new(480.0, 300.0)).to_html().replace("><", ">\n<"));
}

#[test]
fn every_candidate_is_a_node_with_an_edge_by_its_fate() {
    for found in all() {
        let figure = found.draw(Size::new(720.0, 300.0));
        let shown = |node: &&nucleus_decode::BeamNode| node.depth <= 64;
        for (class, is_fate) in [
            ("kept", (|fate| fate == Fate::Kept) as fn(Fate) -> bool),
            ("pruned", |fate| matches!(fate, Fate::Pruned { .. })),
            ("finished", |fate| matches!(fate, Fate::Finished { .. })),
        ] {
            let nodes = found.outcome.tree.nodes().iter().filter(shown).filter(|node| is_fate(node.fate)).count();
            let drawn = of_class(&figure, class);
            let of = |kind: &str| {
                let has = |element: &&&Element| element.attribute("class").unwrap().starts_with(kind);
                drawn.iter().filter(has).count()
            };
            assert_eq!((of("node"), of("branch")), (nodes, nodes), "{class}");
        }
    }
}

/// Also where greedy leaves the tree: each of its tokens has a diamond, and a named node.
#[test]
fn greedys_whole_path_is_marked() {
    let mut n_alone = 0;
    for found in all() {
        let figure = found.draw(Size::new(720.0, 300.0));
        let greedy = found.outcome.greedy.tokens.iter().take(64).map(|id| id.to_string()).collect::<Vec<_>>();
        let nodes: Vec<_> = of_class(&figure, "node").into_iter().filter(|node| is(node, "greedy")).collect();
        let marked: Vec<_> = nodes.iter().map(|node| node.attribute("data-token").unwrap().to_owned()).collect();
        assert_eq!(marked, greedy);
        for node in &nodes {
            let node = Node::from((*node).clone());
            assert_eq!(of_class(&node, "diamond").len(), 1);
            assert!(node.text_content().contains("greedy"), "{}", node.text_content());
        }
        n_alone += nodes.iter().filter(|node| is(node, "alone")).count();
    }
    assert!(n_alone > 0, "no search lost greedy's path");
}

#[test]
fn the_likelier_of_a_step_stands_higher_and_nothing_overlaps() {
    for found in all() {
        let figure = found.draw(Size::new(720.0, 300.0));
        let place = |node: &&Element| {
            let node = Node::from((*node).clone());
            let token = of_class(&node, "token");
            let text = token.iter().find(|element| element.tag == "text").unwrap();
            (number(text, "x"), number(text, "y"))
        };
        let places: Vec<(f64, f64)> = of_class(&figure, "node").iter().map(place).collect();
        for (index, (x, y)) in places.iter().enumerate() {
            for (other_x, other_y) in &places[..index] {
                assert!((x - other_x).abs() >= 118.0 - 0.02 || (y - other_y).abs() >= 36.0 - 0.02);
            }
        }
        let shown: Vec<_> = found.outcome.tree.nodes().iter().filter(|node| node.depth <= 64).collect();
        for (pair, places) in shown.windows(2).zip(places.windows(2)) {
            assert!(pair[0].depth != pair[1].depth || places[0].1 < places[1].1);
        }
    }
}

#[test]
fn attributes_are_numbers_and_nodes_are_bounded() {
    for found in all() {
        for size in sizes() {
            let figure = found.draw(size);
            assert!(figure.n_nodes() < 20_000, "{}", figure.n_nodes());
            for element in elements(&figure) {
                for (name, value) in &element.attributes {
                    assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
                    assert!(*name != "style" && !name.starts_with("on"), "{name}");
                }
                assert!(element.tag != "script" && element.tag != "b");
            }
        }
    }
}

#[test]
fn results_are_listed_with_greedy_among_them_or_below() {
    for found in all() {
        let figure = found.draw(Size::MIN);
        let table = Node::from(of_class(&figure, "results")[0].clone());
        let rows: Vec<_> = elements(&table).into_iter().filter(|element| element.tag == "tr").skip(1).collect();
        let greedy = rows.iter().filter(|row| is(row, "greedy")).count();
        assert_eq!(greedy, 1);
        let is_found = found.outcome.results.iter().any(|result| result.tokens == found.outcome.greedy.tokens);
        assert_eq!(rows.len(), found.outcome.results.len() + usize::from(!is_found));
    }
}

#[test]
fn steps_that_are_left_out_are_said() {
    let wide = Found::new(16, 1.0, 40, 300);
    let figure = wide.draw(Size::new(720.0, 300.0));
    let shown = of_class(&figure, "name").len() - 1;
    let all = wide.outcome.tree.nodes().last().unwrap().depth;
    assert!(shown < all, "{shown} of {all}");
    let said = format!(" Steps 1 to {shown} of {all} are shown.");
    assert!(beam_tree_sentence(&wide.run(), &Words).ends_with(&said));
    let caption = Node::from(of_class(&figure, "considered")[0].clone()).text_content();
    assert!(caption.starts_with(&format!("Steps 1 to {shown} of {all}, the best sum of each first")), "{caption}");
    assert!(figure.n_nodes() < 40_000, "{}", figure.n_nodes());

    let small = Found::new(2, 1.0, 3, 8);
    assert!(!beam_tree_sentence(&small.run(), &Words).contains("shown"));
    let under_way = BeamRun { results: &[], stop: None, ..wide.run() };
    assert!(beam_tree_sentence(&under_way, &Words).ends_with(&format!(" ended.{said}")));
}

fn quote(found: &Found) -> String {
    let tokens = &found.outcome.results[0].tokens;
    token_quote(&tokens.iter().flat_map(|&id| Words.bytes(id)).copied().collect::<Vec<u8>>())
}

#[test]
fn the_sentence_says_what_greedy_missed() {
    let found = Found::new(5, 1.0, 12, 300);
    let (best, greedy) = (&found.outcome.results[0], &found.outcome.greedy);
    assert!(best.score > greedy.score);
    let sentence = beam_tree_sentence(&found.run(), &Words);
    assert!(
        sentence.starts_with("5 beams, score = sum of ln p / length. Over after 12 steps because all beams have ended")
    );
    assert!(sentence.contains(&format!("The best sequence found is {}", quote(&found))), "{sentence}");
    let scores = [best.score, greedy.score].map(|score| format!("−{:.3}", score.abs()));
    assert!(sentence.contains(&format!("with the score {}. Greedy’s, with {},", scores[0], scores[1])), "{sentence}");
}

#[test]
fn one_beam_is_said_to_be_greedy() {
    let sentence = beam_tree_sentence(&Found::new(1, 0.0, 4, 8).run(), &Words);
    assert!(sentence.starts_with("1 beam, score = sum of ln p. "), "{sentence}");
    assert!(sentence.ends_with("It is the one that greedy takes."), "{sentence}");
}

#[test]
fn a_search_under_way_says_how_it_stands() {
    let plan = plan(3, 2.0, 9, 40);
    let outcome = search(&mut Noise::new(40, 6.0), &plan, 1);
    let found = Found { plan, outcome };
    let run = BeamRun { results: &[], stop: None, ..found.run() };
    let sentence = beam_tree_sentence(&run, &Words);
    assert_eq!(sentence, "3 beams, score = sum of ln p / length^2. Step 2: 3 beams alive, 0 sequences ended.");
    let stopped = beam_tree_sentence(&found.run(), &Words);
    assert!(stopped.contains("Over after 2 steps because stopped on request"), "{stopped}");
    assert_eq!(found.outcome.stop, BeamStop::User);
}

#[test]
fn before_the_first_step_there_is_a_sentence_alone() {
    let found = Found::new(2, 1.0, 0, 8);
    let run = BeamRun { tree: &BeamTree::new(), ..found.run() };
    assert_eq!(beam_tree_sentence(&run, &Words), "No step yet.");
    assert_eq!(elements(&beam_tree(&run, &Words, Size::MIN)).len(), 2, "a figure with its caption");
}

#[test]
fn tokens_are_text_and_never_markup() {
    struct Hostile;
    impl Vocabulary for Hostile {
        fn bytes(&self, _: TokenId) -> &[u8] {
            TOKENS[3]
        }
    }
    let html = beam_tree(&Found::new(3, 1.0, 4, 8).run(), &Hostile, Size::new(720.0, 300.0)).to_html();
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
}
