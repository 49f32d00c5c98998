//! What the figures are, for a few small steps. `cargo insta review` shows what changed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{LOGITS, Step, Words, settings};
use insta::assert_snapshot;
use nucleus_charts::{
    Node, RowWindow, RunStep, Size, Zoom, bigram_row, draw, held_back, ladder, logits_table, nucleus_size,
};
use nucleus_decode::bigram::Bigram;
use nucleus_decode::{Held, StopStrings};
use nucleus_sampler::TokenId;

const WIDE: Size = Size::MIN;

/// Markup with a line for each element.
fn lines(node: &Node) -> String {
    node.to_html().replace("><", ">\n<")
}

fn filtered() -> Step {
    Step::new(&LOGITS, settings(0.8, 5, 0.9), 0.6142)
}

fn greedy() -> Step {
    Step::new(&LOGITS, settings(0.0, 5, 0.9), 0.6142)
}

#[test]
fn logits_table_with_filters() {
    let window = RowWindow { start: 0, count: 8 };
    assert_snapshot!(lines(&logits_table(&filtered().scene(), window)));
}

#[test]
fn logits_table_in_a_window_of_a_greedy_step() {
    let window = RowWindow { start: 7, count: 2 };
    assert_snapshot!(lines(&logits_table(&greedy().scene(), window)));
}

#[test]
fn ladder_with_filters() {
    assert_snapshot!(lines(&ladder(&filtered().scene(), Size::new(720.0, 300.0))));
}

#[test]
fn ladder_on_a_phone_with_more_tokens_than_rows() {
    assert_snapshot!(lines(&ladder(&filtered().scene(), Size::new(350.0, 150.0))));
}

#[test]
fn ladder_of_a_greedy_step() {
    assert_snapshot!(lines(&ladder(&greedy().scene(), Size::new(720.0, 300.0))));
}

#[test]
fn draw_of_the_whole_bar() {
    assert_snapshot!(lines(&draw(&filtered().scene(), Zoom::FULL, Size::new(720.0, 120.0))));
}

#[test]
fn draw_enlarged() {
    let zoom = Zoom::new(0.55, 0.65);
    assert_snapshot!(lines(&draw(&filtered().scene(), zoom, Size::new(350.0, 120.0))));
}

#[test]
fn draw_of_a_greedy_step() {
    assert_snapshot!(lines(&draw(&greedy().scene(), Zoom::FULL, WIDE)));
}

#[test]
fn draw_with_merged_tokens() {
    let mut logits = vec![-4.0; 400];
    logits[100] = 2.0;
    let step = Step::new(&logits, settings(1.0, 0, 1.0), 0.3);
    assert_snapshot!(lines(&draw(&step.scene(), Zoom::FULL, WIDE)));
}

#[test]
fn nucleus_size_over_a_short_run() {
    let run = [(3, 0.9), (1, 0.0), (4, 1.25)].map(|(nucleus_size, entropy)| RunStep {
        nucleus_size,
        entropy,
        token: TokenId(3),
    });
    assert_snapshot!(lines(&nucleus_size(&run, Some(1), &Words, Size::new(350.0, 200.0))));
}

#[test]
fn nucleus_size_on_a_logarithmic_scale() {
    let run =
        [(2, 0.4), (5000, 7.0)].map(|(nucleus_size, entropy)| RunStep { nucleus_size, entropy, token: TokenId(0) });
    assert_snapshot!(lines(&nucleus_size(&run, None, &Words, Size::new(350.0, 200.0))));
}

#[test]
fn nucleus_size_before_the_first_step() {
    assert_snapshot!(lines(&nucleus_size(&[], None, &Words, WIDE)));
}

#[test]
fn bigram_row_beside_a_step() {
    let bigram = Bigram::count("x a x b x c x b x c x b x d x e x f x g x h").unwrap();
    let step = &bigram.run("x", 42, 1).steps[0];
    assert_snapshot!(lines(&bigram_row(step, Some(&filtered().scene()), Size::new(720.0, 140.0))));
}

#[test]
fn bigram_row_on_a_phone() {
    let bigram = Bigram::count("\"><b> <script>alert(1)</script>").unwrap();
    let step = &bigram.run("<", 42, 1).steps[0];
    assert_snapshot!(lines(&bigram_row(step, None, Size::new(350.0, 100.0))));
}

#[test]
fn held_back_for_a_stop_string() {
    let strings = StopStrings::new(vec!["</script>".into()]).unwrap();
    assert_snapshot!(lines(&held_back(b"</scr", Held::StopString { index: 0, matched: 5 }, &strings)));
}
