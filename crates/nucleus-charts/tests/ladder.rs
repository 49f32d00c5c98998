//! The ladder: its counts and where its ribbons end.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{LOGITS, Step, constrained, elements, many, number, of_class, penalised, settings, steps};
use nucleus_charts::{Node, Size, ladder, ladder_sentence};
use nucleus_sampler::Filter;

#[test]
fn counts_of_the_ladder_add_up() {
    for step in steps() {
        let figure = ladder(&step.scene(), Size::new(720.0, 300.0));
        let left: Vec<usize> = of_class(&figure, "count")
            .iter()
            .map(|count| Node::from((*count).clone()).text_content().replace(',', "").parse())
            .collect::<Result<_, _>>()
            .unwrap();
        let removed = |filter: Filter| {
            let found = step.trace.removals.iter().find(|removal| removal.filter == filter);
            found.map_or(0, |removal| removal.count)
        };
        assert_eq!(left[0], step.trace.n_vocab - removed(Filter::Mask) - removed(Filter::Constraint));
        assert_eq!(left[1], left[0] - removed(Filter::Argmax));
        assert_eq!(left[2], left[1] - removed(Filter::TopK));
        assert_eq!(left[3], left[2] - removed(Filter::TopP));
        assert_eq!(left[4], left[3]);
        assert_eq!(left[4], step.trace.nucleus_size());
    }
}

#[test]
fn a_removed_token_ends_at_the_filter_that_removes_it() {
    let step = Step::new(&LOGITS, settings(0.8, 5, 0.9), 0.6142);
    let figure = ladder(&step.scene(), Size::new(720.0, 300.0));
    let gates: Vec<f64> = of_class(&figure, "gate").iter().map(|gate| number(gate, "x1")).collect();
    for (rank, id) in step.ranking.ids().iter().enumerate() {
        let token = id.0.to_string();
        let rows = of_class(&figure, "row");
        let row = rows.iter().find(|row| row.attribute("data-token") == Some(&token)).unwrap();
        let row = Node::from((*row).clone());
        let stops: Vec<f64> = of_class(&row, "stop").iter().map(|stop| number(stop, "x1")).collect();
        let expected = match step.trace.removed_by(rank) {
            Some(Filter::TopK) => vec![gates[0]],
            Some(Filter::TopP) => vec![gates[1]],
            _ => vec![],
        };
        assert_eq!(stops, expected, "rank {rank}");
    }
}

#[test]
fn the_token_drawn_has_a_ribbon_however_unlikely() {
    let step = Step::new(&many(8.0), settings(1.0, 0, 1.0), 0.999);
    assert!(step.ranking.rank_of(step.trace.token) > 12);
    let figure = ladder(&step.scene(), Size::new(720.0, 400.0));
    let hits = of_class(&figure, "hit");
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].attribute("data-token"), Some(step.trace.token.to_string().as_str()));
}

/// The word takes seven units a character at most, and so does the number behind it.
#[test]
fn the_ribbon_of_the_token_drawn_ends_before_the_word() {
    for (top_k, u) in [(0, 0.3), (2, 0.3), (1, 0.5)] {
        let step = Step::new(&LOGITS, settings(1.0, top_k, 1.0), u);
        for width in [328.0, 440.0, 720.0] {
            let figure = ladder(&step.scene(), Size::new(width, 300.0));
            let row = Node::from(of_class(&figure, "hit")[0].clone());
            let word = number(of_class(&row, "drawn")[0], "x");
            let last = of_class(&row, "ribbon").last().unwrap().attribute("d").unwrap();
            let end = last
                .split(|c: char| c.is_ascii_alphabetic() || c == ' ' || c == ',')
                .filter_map(|x| x.parse::<f64>().ok());
            let end = end.step_by(2).fold(0.0, f64::max);
            assert!(end < word - 35.0, "{width}: {end} and {word}");
            let share = Node::from(of_class(&row, "probability")[0].clone()).text_content().chars().count();
            assert!(word < width - 7.0 * share as f64, "{width}: {word}");
        }
    }
}

#[test]
fn how_many_tokens_share_a_ribbon_is_in_the_pictures_name() {
    let name = |logits: &[f32]| {
        let step = Step::new(logits, settings(1.0, 0, 1.0), 0.1);
        let figure = ladder(&step.scene(), Size::new(720.0, 400.0));
        elements(&figure)[1].attribute("aria-label").unwrap().to_owned()
    };
    let start = "Five stages, and ribbons as thick as probabilities: ";
    assert_eq!(name(&LOGITS), format!("{start}8 tokens"));
    assert_eq!(name(&[9.0; 15]), format!("{start}12 tokens, and 3 more in one"));
}

#[test]
fn lowered_logits_have_a_mark_and_the_sentence_says_by_what() {
    let step = penalised();
    let figure = ladder(&step.scene(), Size::new(720.0, 400.0));
    let marked: Vec<&str> = of_class(&figure, "row")
        .into_iter()
        .filter(|row| Node::from((*row).clone()).text_content().contains('↓'))
        .filter_map(|row| row.attribute("data-token"))
        .collect();
    assert_eq!(marked, ["1", "6"]);
    let moved = step.trace.lowering.as_ref().unwrap().mass;
    // Of 45.5 the two hold e^3 + e^-1 = 20.5, and then of 29.7 e^1.5 + e^-2 = 4.6.
    assert!((0.293..0.295).contains(&moved), "{moved}");
    let sentence = ladder_sentence(&step.scene());
    let words =
        "8 logits; the repetition penalty of 2 lowers 2 logits of tokens seen before (↓), which lose 29% of the";
    assert!(sentence.starts_with(words), "{sentence}");
}

#[test]
fn forbidden_tokens_have_no_ribbon_and_are_counted() {
    let step = constrained();
    let figure = ladder(&step.scene(), Size::new(720.0, 400.0));
    let rows: Vec<_> = of_class(&figure, "row").iter().filter_map(|row| row.attribute("data-token")).collect();
    assert_eq!(rows, ["0", "3", "5"]);
    let sentence = ladder_sentence(&step.scene());
    assert!(sentence.starts_with("8 logits; the constraint forbids 5 tokens with "), "{sentence}");
    assert!(sentence.contains("top-k 2 removes 1 token with"), "{sentence}");
}

/// The forbidden ones have no share left that top-k could see.
#[test]
fn a_ribbon_of_forbidden_tokens_alone_ends_before_the_filters() {
    let step = constrained();
    let figure = ladder(&step.scene(), Size::new(720.0, 400.0));
    let gate = number(of_class(&figure, "gate")[0], "x1");
    let others = Node::from(of_class(&figure, "others")[0].clone());
    assert!(others.text_content().starts_with("5 more"));
    assert_eq!(of_class(&others, "ribbon").len(), 1);
    let stops = of_class(&others, "stop");
    assert!(stops.len() == 1 && number(stops[0], "x1") < gate, "{stops:?}");
}
