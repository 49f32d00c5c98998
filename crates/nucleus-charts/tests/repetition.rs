//! The figure "Repetition".

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use insta::assert_snapshot;
use nucleus_charts::{Node, Repeated, Vocabulary, repetition, repetition_sentence};
use nucleus_decode::{Phrase, closing_loop, phrases};
use nucleus_sampler::TokenId;

struct Letters;

impl Vocabulary for Letters {
    fn bytes(&self, id: TokenId) -> &[u8] {
        &b"abcdefgh"[id.index()..=id.index()]
    }
}

#[test]
fn each_occurrence_leads_to_its_step_and_the_rise_and_the_circle_are_said() {
    let text: Vec<TokenId> = [0, 1, 2, 7, 1, 2, 1, 2].map(TokenId).to_vec();
    let p = |p: f64| p.ln();
    let log_probabilities = [p(0.5), p(0.1), p(0.1), p(0.5), p(0.2), p(0.2), p(0.9), p(0.9)];
    let phrases = phrases(&text, 5);
    let run = Repeated { phrases: &phrases, closing_loop: closing_loop(&text), log_probabilities: &log_probabilities };
    let html = Node::to_html(&repetition(&run, &Letters));
    for (step, probability, product) in [(1, "10%", "1.0%"), (4, "20%", "4.0%"), (6, "90%", "81%")] {
        let name = format!("at step {}: {probability} a token, {product} as a whole", step + 1);
        assert!(html.contains(&format!("data-step=\"{step}\" aria-label=\"{name}\"")), "{html}");
    }
    let sentence = repetition_sentence(&run);
    assert!(sentence.starts_with("1 phrase is repeated; it became likelier."), "{sentence}");
    assert!(sentence.contains("From step 5 on the text runs in a circle of 2 tokens."), "{sentence}");
}

/// The figure and the sentence of a text with these tokens and probabilities.
fn draw(text: &[u32], probabilities: &[f64]) -> (String, String) {
    let text: Vec<TokenId> = text.iter().copied().map(TokenId).collect();
    let log_probabilities: Vec<f64> = probabilities.iter().map(|p| p.ln()).collect();
    let (phrases, closing_loop) = (phrases(&text, 5), closing_loop(&text));
    let run = Repeated { phrases: &phrases, closing_loop, log_probabilities: &log_probabilities };
    (Node::to_html(&repetition(&run, &Letters)), repetition_sentence(&run))
}

/// Means of a token: 0.3 is the root of 0.1 * 0.9, then 0.5, then 0.9.
#[test]
fn a_text_in_a_circle_and_what_a_penalty_would_do() {
    let (html, sentence) = draw(&[7, 0, 3, 0, 3, 0, 3], &[0.2, 0.1, 0.9, 0.25, 1.0, 0.81, 1.0]);
    assert_snapshot!(html.replace("><", ">\n<"));
    assert!(html.contains("data-step=\"1\">The circle begins at step 2<"), "{html}");
    assert!(sentence.contains("l·θ where l is below 0"), "{sentence}");
}

#[test]
fn a_phrase_that_falls_is_not_said_to_rise_and_makes_no_circle() {
    let (html, sentence) = draw(&[0, 1, 5, 0, 1, 6], &[0.5, 0.5, 0.5, 0.25, 0.25, 0.5]);
    assert!(sentence.starts_with("1 phrase is repeated; it became no likelier. The probability"), "{sentence}");
    assert!(!html.contains("circle begins"), "{html}");
}

/// Six phrases of two tokens, apart from one another, each twice; the second time all but the first are likelier.
#[test]
fn of_many_phrases_the_first_are_shown_and_it_is_said_that_there_are_more() {
    let text: Vec<TokenId> = (0..2).flat_map(|_| [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3]).map(TokenId).collect();
    let pairs = |n: usize| -> Vec<Phrase> {
        let phrase = |at: usize| Phrase { tokens: text[at..at + 2].to_vec(), starts: vec![at, at + 12] };
        (0..n).map(|pair| phrase(2 * pair)).collect()
    };
    let log_probabilities: Vec<f64> = (0..24).map(|at| if (2..14).contains(&at) { -2.0 } else { -1.0 }).collect();
    let draw = |phrases: &[Phrase]| {
        let run = Repeated { phrases, closing_loop: None, log_probabilities: &log_probabilities };
        (Node::to_html(&repetition(&run, &Letters)).matches("<ol>").count(), repetition_sentence(&run))
    };
    let (n, sentence) = draw(&pairs(6));
    assert_eq!(n, Repeated::SHOWN);
    let said =
        "More than 5 phrases are repeated; 4 of the 5 that cover most of the text became likelier from the first time";
    assert!(sentence.starts_with(said), "{sentence}");
    let (n, sentence) = draw(&pairs(5));
    assert_eq!(n, 5);
    assert!(sentence.starts_with("5 phrases are repeated; 4 of them became likelier"), "{sentence}");
}
