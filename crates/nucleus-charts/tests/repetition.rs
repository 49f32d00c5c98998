//! The figure "Repetition".

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use nucleus_charts::{Node, Repeated, Vocabulary, repetition, repetition_sentence};
use nucleus_decode::{closing_loop, phrases};
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
    for (step, probability) in [(1, "10%"), (4, "20%"), (6, "90%")] {
        assert!(
            html.contains(&format!("data-step=\"{step}\" aria-label=\"at step {}: {probability}\"", step + 1)),
            "{html}"
        );
    }
    let sentence = repetition_sentence(&run);
    assert!(sentence.starts_with("1 phrase is repeated; it became likelier."), "{sentence}");
    assert!(sentence.contains("From step 5 on the text runs in a circle of 2 tokens."), "{sentence}");
}
