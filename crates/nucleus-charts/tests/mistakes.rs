//! The figure "Five wrong ways": what it says beside the right way.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use insta::assert_snapshot;
use nucleus_charts::{Node, Vocabulary, mistakes, mistakes_sentence};
use nucleus_sampler::{Settings, StepContext, Temperature, TokenId, TopP, Uniforms, step_in};

struct Letters;

impl Vocabulary for Letters {
    fn bytes(&self, id: TokenId) -> &[u8] {
        &b"abcdefgh"[id.index()..=id.index()]
    }
}

fn figure(logits: &[f32], settings: Settings, seed: u64) -> (String, String) {
    let (uniforms, context) = (Uniforms::new(seed), StepContext::default());
    let right = step_in(logits, &context, &settings, uniforms.peek()).unwrap();
    let wrong = nucleus_sampler::mistakes(logits, &context, &settings, &uniforms).unwrap();
    (Node::to_html(&mistakes(&right, &wrong, &Letters)), mistakes_sentence(&right, &wrong))
}

fn settings(temperature: f64, p: f64) -> Settings {
    let (temperature, top_p) = (Temperature::new(temperature).unwrap(), TopP::new(p).unwrap());
    Settings { temperature, top_p, ..Settings::default() }
}

#[test]
fn every_mistake_has_a_row_and_those_that_show_are_marked() {
    // .9 and .1 at p = .8: the likeliest alone reaches p.
    let (html, sentence) = figure(&[2.197_224_6, 0.0], settings(1.0, 0.8), 42);
    assert_eq!(html.matches("<tr").count(), 7); // the head, the right way, five mistakes
    assert!(html.contains("The likeliest token alone reaches p, so nothing is left to draw from."));
    assert!(html.contains("<td>nothing</td>"));
    let marked = html.matches("class=\"other\"").count();
    assert!(marked >= 1 && sentence.starts_with(&format!("{marked} of 5")), "{sentence}");
}

#[test]
fn at_temperature_0_it_says_that_nothing_is_drawn() {
    let (html, sentence) = figure(&[2.0, 1.0], settings(0.0, 0.8), 42);
    assert!(!html.contains("<table"));
    // Also true where a constraint forbids tokens.
    assert!(sentence.starts_with("At temperature 0 one token is left before top-k and top-p"), "{sentence}");
}

#[test]
fn where_u_falls_beyond_what_is_kept_it_says_so() {
    // p = .5 keeps one of two equal ones, with half of the mass; NumPy's first number of seed 42 is .7739.
    let (html, _) = figure(&[1.0, 1.0], settings(1.0, 0.5), 42);
    assert!(html.contains("The kept tokens add up to 50%, and u lies beyond"), "{html}");
}

/// Case 5: at temperature 0.5 the first token alone reaches 0.8; at 1 it takes two, and without the first there is none.
#[test]
fn the_table_of_case_5() {
    let (html, _) = figure(&[3.0, 2.0, 1.0], settings(0.5, 0.8), 42);
    assert_snapshot!(html.replace("><", ">\n<"));
    assert_eq!((html.matches("class=\"other\"").count(), html.matches("class=\"same\"").count()), (2, 4));
}

#[test]
fn where_nothing_is_filtered_only_the_draw_can_differ() {
    let (html, _) = figure(&[3.0, 2.0, 1.0], settings(1.0, 1.0), 42);
    assert_eq!(html.matches("No difference here").count(), 3, "{html}");
    assert!(html.contains("3 uniform numbers used instead of 1"), "{html}");
}
