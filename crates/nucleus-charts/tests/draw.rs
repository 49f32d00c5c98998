//! The draw: what fills the bar, what is merged and said, what the zoom shows, and the sentence.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{LOGITS, Step, TOKENS, elements, greedy, many, number, of_class, settings, sizes, steps};
use nucleus_charts::{Size, Zoom, draw, draw_sentence, logits_sentence, token_quote};
use nucleus_sampler::Draw;

#[test]
fn pieces_of_the_bar_fill_it() {
    for (step, size) in steps().iter().flat_map(|step| sizes().map(|size| (step, size))) {
        let figure = draw(&step.scene(), Zoom::FULL, size);
        let pieces = [of_class(&figure, "interval"), of_class(&figure, "band")].concat();
        let sum: f64 = pieces.iter().map(|piece| number(piece, "width")).sum();
        // Each width is rounded to a hundredth.
        let tolerance = 0.006 * pieces.len() as f64;
        assert!((sum - (size.width() - 1.0)).abs() <= tolerance, "{sum} of {}", size.width());

        let singles = of_class(&figure, "interval").len();
        let merged: usize = of_class(&figure, "band").iter().map(|band| number(band, "data-count") as usize).sum();
        assert_eq!(singles + merged, step.trace.nucleus_size());
    }
}

#[test]
fn merged_tokens_are_counted_in_the_caption() {
    let step = Step::new(&many(0.5), settings(1.0, 0, 1.0), 0.6142);
    let figure = draw(&step.scene(), Zoom::FULL, Size::new(720.0, 120.0));
    let text = figure.text_content();
    let said = "50,256 tokens too thin to draw are merged into grey bands; zoom to see them";
    assert!(text.contains(said), "{text}");
}

#[test]
fn a_zoom_around_the_draw_shows_the_interval_hit() {
    for step in steps() {
        let Draw::Uniform { u, interval } = step.trace.draw else {
            continue;
        };
        let zoom = Zoom::around(&step.scene());
        assert!(zoom.contains(u));
        assert!(interval.width() / zoom.width() >= 0.049, "{interval:?} in {zoom:?}");
        let size = Size::new(350.0, 118.0);
        let figure = draw(&step.scene(), zoom, size);
        let hits = of_class(&figure, "interval");
        let widest = hits.iter().filter(|hit| hit.attribute("class") == Some("interval hit"));
        let widest = widest.map(|hit| number(hit, "width")).fold(0.0, f64::max);
        assert!(widest >= 17.0, "{widest}");
    }
}

#[test]
fn the_part_that_is_enlarged_is_in_the_pictures_name() {
    let step = Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.1);
    let name = |zoom| {
        let figure = draw(&step.scene(), zoom, Size::new(720.0, 200.0));
        elements(&figure)[1].attribute("aria-label").unwrap().to_owned()
    };
    assert_eq!(name(Zoom::FULL), "Unit bar cut into 8 intervals");
    assert_eq!(name(Zoom::new(0.5, 0.75)), "Unit bar cut into 8 intervals, enlarged from 0.5000 to 0.7500");
}

#[test]
fn a_needle_outside_the_zoom_is_not_drawn() {
    let step = Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.1);
    let figure = draw(&step.scene(), Zoom::new(0.5, 0.6), Size::new(720.0, 200.0));
    assert!(of_class(&figure, "needle").is_empty());
    let figure = draw(&step.scene(), Zoom::new(0.0, 0.2), Size::new(720.0, 200.0));
    assert_eq!(of_class(&figure, "needle").len(), 1);
}

#[test]
fn sentences_name_the_token_and_the_interval() {
    for step in steps() {
        let scene = step.scene();
        let quoted = token_quote(TOKENS[step.trace.token.index() % 8]);
        let sentence = draw_sentence(&scene);
        assert!(sentence.ends_with(&format!(": {quoted}")), "{sentence}");
        assert!(logits_sentence(&scene).contains(&quoted));
        match step.trace.draw {
            Draw::Argmax => assert!(sentence.contains("no random number is used"), "{sentence}"),
            Draw::Uniform { .. } => {
                let (numbers, _) = sentence.split_once("): ").unwrap();
                let (u, interval) = numbers.split_once(" falls in [").unwrap();
                let (start, end) = interval.split_once(", ").unwrap();
                let u: f64 = u.strip_prefix("u = ").unwrap().parse().unwrap();
                assert!(start.parse::<f64>().unwrap() <= u && u < end.parse().unwrap());
            }
        }
    }
}

#[test]
fn temperature_0_takes_the_largest_of_what_constraint_and_penalty_leave() {
    for (penalty, is_constrained, largest, token) in [
        (1.0, false, "the largest logit", "','"),
        (1.0, true, "the largest allowed logit", "' the'"),
        (2.0, false, "the largest logit after the penalty", "' the'"),
        (2.0, true, "the largest allowed logit after the penalty", "' the'"),
    ] {
        let said = format!("Temperature 0 takes {largest}, the argmax; no random number is used: {token}");
        assert_eq!(draw_sentence(&greedy(penalty, is_constrained).scene()), said);
    }
}

#[test]
fn the_sentence_of_the_design() {
    // Two tokens whose shares are cut at 0.581 and, by the second, at 0.6625.
    let logits = [0.581_f32.ln(), 0.0815_f32.ln(), 0.3375_f32.ln()];
    let step = Step::new(&logits, settings(1.0, 0, 1.0), 0.6142);
    assert_eq!(draw_sentence(&step.scene()), "u = 0.6142 falls in [0.5810, 0.6625): ','");
}
