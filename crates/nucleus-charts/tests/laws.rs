//! What holds for every figure, whatever the step.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{Step, Words, elements, harmonic, many, of_class, settings, sizes, steps};
use nucleus_charts::{
    Node, RowWindow, RunStep, Scene, Size, Zoom, count, draw, ladder, ladder_sentence, logits_sentence, logits_table,
    nucleus_size, nucleus_size_sentence,
};
use nucleus_sampler::TokenId;

fn figures(scene: &Scene, size: Size) -> Vec<Node> {
    vec![
        logits_table(scene, RowWindow { start: 0, count: 20 }),
        ladder(scene, size),
        draw(scene, Zoom::FULL, size),
        draw(scene, Zoom::around(scene), size),
        draw(scene, Zoom::new(0.9, 0.95), size),
        nucleus_size(&[RunStep::from(scene.trace)], Some(0), &Words, size),
    ]
}

#[test]
fn attributes_are_numbers_and_sizes_are_not_negative() {
    const NUMBERS: [&str; 10] = ["x", "y", "x1", "x2", "y1", "y2", "width", "height", "cx", "cy"];
    for (step, size) in steps().iter().flat_map(|step| sizes().map(|size| (step, size))) {
        for figure in figures(&step.scene(), size) {
            for element in elements(&figure) {
                for (name, value) in &element.attributes {
                    assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
                    if NUMBERS.contains(name) {
                        let value: f64 = value.parse().unwrap();
                        assert!(value.is_finite());
                        assert!(value >= 0.0 || !["width", "height"].contains(name), "{value}");
                    }
                    assert!(*name != "style" && !name.starts_with("on"), "{name}");
                }
            }
        }
    }
}

#[test]
fn nodes_are_bounded_by_the_width_and_not_by_the_vocabulary() {
    let size = Size::new(720.0, 300.0);
    for logits in [many(0.0), many(0.5), many(20.0), harmonic()] {
        let step = Step::new(&logits, settings(1.0, 0, 1.0), 0.6142);
        for figure in figures(&step.scene(), size) {
            assert!(figure.n_nodes() < 4 * size.width() as usize, "{}", figure.n_nodes());
        }
        let table = logits_table(&step.scene(), RowWindow { start: 0, count: usize::MAX });
        assert_eq!(of_class(&table, "kept").len(), RowWindow::MAX_ROWS);
    }
}

/// Case 8: a temperature of 10 spreads the nucleus over thousands of tokens, and the page says so.
#[test]
fn a_hot_nucleus_has_thousands_of_tokens() {
    let step = Step::new(&many(20.0), settings(10.0, 0, 0.9), 0.5);
    let size = step.trace.nucleus_size();
    assert!(size > 10_000);
    let said = count(size);
    assert!(said.contains(','));
    assert!(ladder_sentence(&step.scene()).contains(&said));
    assert!(logits_sentence(&step.scene()).contains(&format!("{said} tokens are kept")));
    let run = [RunStep::from(&step.trace)];
    assert!(nucleus_size_sentence(&run, None).contains(&format!("{said} tokens")));
}

#[test]
fn masked_columns_are_never_charted() {
    let masked = [f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY, 3.0, 2.0];
    let step = Step::new(&masked, settings(1.0, 0, 1.0), 0.7);
    for figure in figures(&step.scene(), Size::new(720.0, 300.0)) {
        for element in elements(&figure) {
            assert!(!matches!(element.attribute("data-token"), Some("0" | "2")));
        }
    }
    let table = logits_table(&step.scene(), RowWindow { start: 0, count: 9 });
    assert!(table.text_content().starts_with("Rows 1 to 3 of 3"));
    let sentence = ladder_sentence(&step.scene());
    assert!(sentence.starts_with("3 logits (2 masked columns left out);"), "{sentence}");
}

#[test]
fn tokens_are_text_and_never_markup() {
    let flat = [1.0_f32; 8];
    let step = Step::new(&flat, settings(1.0, 0, 1.0), 0.45);
    assert_eq!(step.trace.token, TokenId(3));
    for figure in figures(&step.scene(), Size::new(720.0, 400.0)) {
        let html = figure.to_html();
        assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains("]]>"));
        assert!(elements(&figure).iter().all(|element| element.tag != "script"));
    }
    let caption = logits_table(&step.scene(), RowWindow { start: 3, count: 1 }).to_html();
    assert!(caption.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn figures_have_accessible_names_and_captions() {
    let names = ["Logits", "Ladder", "Draw", "Draw", "Draw", "Nucleus size"];
    for step in steps() {
        for (figure, name) in figures(&step.scene(), Size::new(720.0, 300.0)).iter().zip(names) {
            let elements = elements(figure);
            assert_eq!(elements[0].tag, "figure");
            assert_eq!(elements[0].attribute("aria-label"), Some(name));
            assert_eq!(elements.iter().filter(|element| element.tag == "figcaption").count(), 1);
        }
    }
}
