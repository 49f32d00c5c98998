//! The bigram's row: stairs that fill the unit interval, a needle in the one drawn, and the sentence.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{LOGITS, Step, elements, many, number, of_class, settings, sizes};
use nucleus_charts::{Node, Size, bigram_row, bigram_row_sentence};
use nucleus_decode::bigram::{Bigram, BigramStep, STORY};

/// Steps with short and long rows, and draws at all heights of them.
fn steps() -> Vec<BigramStep> {
    let bigram = Bigram::count(STORY).unwrap();
    let mut steps = bigram.run("the", 7, 60).steps;
    steps.extend((0..40).flat_map(|seed| bigram.run("the", seed, 1).steps));
    assert!(steps.iter().any(|step| step.row.successors.len() == 1));
    assert!(steps.iter().any(|step| step.row.successors.len() > 15 && step.draw.hit > 12));
    steps
}

fn hand() -> BigramStep {
    // 3, 2, 1 and 1 of 7; u = 0.7739 of seed 42 is ticket 5.
    let bigram = Bigram::count("x a x b x c x b x c x b x d").unwrap();
    bigram.run("x", 42, 1).steps.remove(0)
}

#[test]
fn bars_are_stairs_from_one_end_to_the_other() {
    for (step, size) in steps().iter().flat_map(|step| sizes().map(|size| (step, size))) {
        let figure = bigram_row(step, None, size);
        let mut bars = [of_class(&figure, "interval"), of_class(&figure, "band")].concat();
        bars.sort_by(|one, next| number(one, "y").total_cmp(&number(next, "y")));
        let singles = of_class(&figure, "interval").len();
        let merged: f64 = of_class(&figure, "band").iter().map(|band| number(band, "data-count")).sum();
        assert_eq!(singles + merged as usize, step.row.successors.len());
        for pair in bars.windows(2) {
            let end = number(pair[0], "x") + number(pair[0], "width");
            // A bar is a pixel wide at least, and each number is rounded to a hundredth.
            assert!((number(pair[1], "x") - end).abs() <= 1.02, "{end}");
        }
    }
}

#[test]
fn the_needle_is_in_the_bar_that_is_drawn() {
    for (step, size) in steps().iter().flat_map(|step| sizes().map(|size| (step, size))) {
        let figure = bigram_row(step, None, size);
        let at = number(of_class(&figure, "needle")[0], "x1");
        let bars = of_class(&figure, "interval");
        let hits: Vec<_> = bars.iter().filter(|bar| bar.attribute("class") == Some("interval hit")).collect();
        assert_eq!(hits.len(), 1, "the word drawn has its line");
        let (start, width) = (number(hits[0], "x"), number(hits[0], "width"));
        assert!(start - 0.02 <= at && at <= start + width + 0.02, "{at} in {start} + {width}");
    }
}

#[test]
fn the_sentence_can_be_checked_by_hand() {
    assert_eq!(
        bigram_row_sentence(&hand(), None),
        "In the counted text 'x' is followed by a word 7 times, most often by 'b', 3 times. \
         u = 0.7740 falls in [5/7, 6/7) = [0.7143, 0.8571): 'a'."
    );
    let one = Bigram::count("a b").unwrap().run("a", 42, 1).steps.remove(0);
    assert_eq!(
        bigram_row_sentence(&one, None),
        "In the counted text 'a' is followed by a word once, always by 'b'. u = 0.7740 falls in [0/1, 1/1) = [0.0000, 1.0000): 'b'."
    );
}

#[test]
fn beside_the_model_the_sentence_says_the_difference() {
    let model = Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.5);
    let said = bigram_row_sentence(&hand(), Some(&model.scene()));
    assert!(said.contains("one word back, and has the same row after every 'x'; GPT-2 reads the whole text"), "{said}");
    // The largest of the logits is 3.0, the comma's.
    let largest = model.trace.kept[0].probability;
    assert!(said.ends_with(&format!("its likeliest token here is ',', {:.0}%.", 100.0 * largest)), "{said}");
}

#[test]
fn the_model_has_its_panel_on_the_same_scale() {
    let model = Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.5);
    for size in sizes() {
        let figure = bigram_row(&hand(), Some(&model.scene()), size);
        let bars = of_class(&figure, "ribbon");
        assert!(!bars.is_empty() && bars.len() <= 8);
        let unit = |bar: &&nucleus_charts::Element, share: f64| number(bar, "width") / share;
        let first = unit(&bars[0], model.trace.kept[0].probability);
        let counts = of_class(&figure, "interval");
        let other = unit(&counts[0], 3.0 / 7.0);
        assert!((first - other).abs() < 0.2, "{first} and {other} pixels for 1");
        assert_eq!(bars[0].attribute("data-token"), Some("1"));
    }
    assert!(of_class(&bigram_row(&hand(), None, Size::MIN), "ribbon").is_empty());
}

fn caption(figure: &Node) -> String {
    let caption = elements(figure).into_iter().find(|element| element.tag == "figcaption").unwrap();
    Node::from(caption.clone()).text_content()
}

#[test]
fn what_has_no_line_of_its_own_is_said() {
    let model = Step::new(&many(8.0), settings(1.0, 0, 1.0), 0.5);
    let mut n_merged = 0;
    for (step, size) in steps().iter().flat_map(|step| sizes().map(|size| (step, size))) {
        let figure = bigram_row(step, Some(&model.scene()), size);
        let (said, all) = (caption(&figure), step.row.successors.len());
        let own = of_class(&figure, "interval").len();
        let words = format!(" Of {all} words {own} have a line of their own, the others share bands.");
        assert_eq!(said.contains(&words), own < all, "{said}");
        n_merged += usize::from(own < all);
        let tokens = of_class(&figure, "ribbon").len();
        assert!(said.ends_with(&format!(" Of GPT-2’s 50,257 tokens the {tokens} likeliest are shown.")), "{said}");
    }
    assert!(n_merged > 0);
    let whole = bigram_row(&hand(), None, Size::new(720.0, 300.0));
    assert_eq!(caption(&whole), bigram_row_sentence(&hand(), None));
}

#[test]
fn words_that_come_equally_often_are_said_to() {
    let said = |text: &str| {
        let step = Bigram::count(text).unwrap().run("x", 42, 1).steps.remove(0);
        bigram_row_sentence(&step, None)
    };
    let all = said("x a x b x c x d");
    assert!(
        all.starts_with(
            "In the counted text 'x' is followed by a word 4 times, by 4 words equally often, once each. u"
        ),
        "{all}"
    );
    let two = said("x a x b x a x b x c");
    assert!(two.contains(" 5 times, most often by 'a' and 1 other, twice each. u"), "{two}");
    let three = said("x a x b x d x a x b x d x c");
    assert!(three.contains(" 7 times, most often by 'a' and 2 others, twice each. u"), "{three}");
}

/// The rows of a panel that are marked as drawn.
fn lines_drawn(figure: &Node, panel: &str) -> usize {
    let panel = Node::from(of_class(figure, panel)[0].clone());
    of_class(&panel, "row").iter().filter(|row| row.attribute("class") == Some("row hit")).count()
}

#[test]
fn the_lines_are_said_once_more_in_lists() {
    let model = Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.5);
    let items = |figure: &Node| -> Vec<Vec<String>> {
        let texts = |list: &nucleus_charts::Element| list.children.iter().map(Node::text_content).collect();
        of_class(figure, "told").into_iter().map(texts).collect()
    };
    let alone = items(&bigram_row(&hand(), None, Size::new(720.0, 300.0)));
    let expected =
        ["'b' 3 times, [0, 3) of 7", "'c' twice, [3, 5) of 7", "'a' once, [5, 6) of 7, drawn", "'d' once, [6, 7) of 7"];
    assert_eq!(alone, [expected]);
    for (step, size) in steps().iter().flat_map(|step| sizes().map(|size| (step, size))) {
        let figure = bigram_row(step, Some(&model.scene()), size);
        let lists = items(&figure);
        let n_lines = of_class(&figure, "interval").len() + of_class(&figure, "band").len();
        assert_eq!([lists[0].len(), lists[1].len()], [n_lines, of_class(&figure, "ribbon").len()]);
        let drawn = [0, 1].map(|list: usize| lists[list].iter().filter(|item| item.ends_with(", drawn")).count());
        assert_eq!(drawn, [1, 0], "u draws a word, and no token of the model");
        assert_eq!(drawn, ["counts", "model"].map(|panel| lines_drawn(&figure, panel)));
    }
}
