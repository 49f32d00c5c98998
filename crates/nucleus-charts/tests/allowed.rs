//! What is allowed, what is forbidden and why, and the sentence.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{Words, elements, number, of_class};
use insta::assert_snapshot;
use nucleus_charts::{Node, Size, allowed, allowed_sentence};
use nucleus_decode::ConstraintTrace;
use nucleus_decode::constraint::{ByteRange, Considered, Verdict};
use nucleus_sampler::TokenId;

/// A step in which the model wanted a word, and the constraint a comma or a newline.
fn told() -> ConstraintTrace {
    let considered = |(id, probability, verdict)| Considered { id: TokenId(id), probability, verdict };
    ConstraintTrace {
        n_tokens: 50_257,
        allowed: 2,
        forbidden_mass: 0.75,
        top: [
            (0, 0.5, Verdict::Breaks),
            (1, 0.2, Verdict::Allowed),
            (3, 0.125, Verdict::TooEarly),
            (7, 0.0625, Verdict::NoRoom),
            (2, 0.05, Verdict::Allowed),
        ]
        .map(considered)
        .into(),
        next: vec![ByteRange { first: b'\n', last: b'\n' }, ByteRange { first: b',', last: b',' }],
        is_complete: false,
        tokens_left: 20,
        least: 5,
    }
}

fn draw(told: &ConstraintTrace, width: f64) -> Node {
    allowed(told, TokenId(1), &Words, Size::new(width, 300.0))
}

#[test]
fn a_step_that_kept_the_model_from_a_word() {
    assert_snapshot!(draw(&told(), 720.0).to_html().replace("><", ">\n<"));
}

#[test]
fn on_a_phone() {
    assert_snapshot!(draw(&told(), 328.0).to_html().replace("><", ">\n<"));
}

#[test]
fn the_bar_is_cut_at_the_mass_that_is_left() {
    for mass in [0.0, 0.75, 1.0] {
        let node = draw(&ConstraintTrace { forbidden_mass: mass, ..told() }, 401.0);
        let widths = ["mass-kept", "mass-removed"].map(|class| number(of_class(&node, class)[0], "width"));
        assert_eq!(widths, [400.0 * (1.0 - mass), 400.0 * mass]);
    }
}

#[test]
fn each_row_says_why() {
    let node = draw(&told(), 720.0);
    assert!(node.text_content().contains("The model's likeliest tokens, before the constraint: 5 of 50,257"));
    let rows: Vec<String> = elements(&node)
        .into_iter()
        .filter(|element| element.tag == "tr" && element.attribute("data-token").is_some())
        .map(|row| Node::from(row.clone()).text_content())
        .collect();
    let ends = ["breaks the form", "allowed, chosen", "too early to end", "no room to finish", "allowed"];
    assert_eq!(rows.len(), ends.len());
    for (row, end) in rows.iter().zip(ends) {
        assert!(row.ends_with(end), "{row}");
    }
    assert_eq!(of_class(&node, "hit").len(), 1);
    assert_eq!(of_class(&node, "removed").len(), 3);
}

#[test]
fn the_sentence_says_the_same() {
    let said = |told: &ConstraintTrace| allowed_sentence(told, TokenId(1), &Words);
    assert_eq!(
        said(&told()),
        "2 of 50,257 tokens are allowed; the others held 75% of the model's own probability, the likeliest of all, ' the', \
         among them. ',' is chosen. Next may come '↵' or ',', but only what can be completed with the tokens left is \
         allowed. The text takes 5 more tokens at the least to complete; 20 \
         tokens are left."
    );
    let mut free = ConstraintTrace { allowed: 8, n_tokens: 8, forbidden_mass: 0.0, ..told() };
    free.top.retain(|considered| considered.verdict == Verdict::Allowed);
    (free.is_complete, free.tokens_left, free.least) = (true, 1, 0);
    assert_eq!(
        said(&free),
        "8 of 8 tokens are allowed; nothing is forbidden. ',' is chosen. Next may come '↵' or ','. The text is complete and \
         may end here; 1 token is left."
    );
    let (ample, last) =
        (ConstraintTrace { top: Vec::new(), ..told() }, ConstraintTrace { top: Vec::new(), least: 20, ..told() });
    assert!(said(&ample).contains("Next may come '↵' or ','. The text takes 5"), "{}", said(&ample));
    assert!(said(&last).contains("'↵' or ',', but only what can be completed with the tokens left is allowed. The"));
    let mut wanted = ConstraintTrace { allowed: 1, ..told() };
    wanted.top.remove(0);
    assert!(
        said(&wanted)
            .starts_with("1 of 50,257 tokens is allowed; the others held 75% of the model's own probability. ")
    );
}

#[test]
fn tokens_are_text_and_never_markup() {
    let html = draw(&told(), 720.0).to_html();
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
}
