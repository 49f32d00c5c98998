//! What holds for every figure, so that a screen reader and the keyboard get at it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

#[path = "common/beams.rs"]
mod beams;
mod common;

use common::runs::{grid, requests, timeline};
use common::{LOGITS, Step, Words, constrained, elements, of_class, penalised, settings};
use nucleus_charts::{
    BeamRun, Element, Node, Repeated, RowWindow, RunStep, Scene, Size, SlotRun, VoteSample, Zoom, allowed, batch_grid,
    beam_tree, bigram_row, draw, held_back, ladder, logits_table, mistakes, nucleus_size, repetition, slot_timeline,
    votes,
};
use nucleus_decode::bigram::{Bigram, STORY};
use nucleus_decode::constraint::{ByteRange, Considered, Verdict};
use nucleus_decode::{
    AnswerRule, ConstraintTrace, Extractor, Held, StopStrings, Timeline, Vote, closing_loop, phrases,
};
use nucleus_sampler::{StepContext, TokenId, Uniforms};

const SIZE: Size = Size::MIN;

/// The figures of one step.
fn of_a_step(scene: &Scene) -> Vec<Node> {
    let uniforms = Uniforms::new(42);
    let wrong =
        nucleus_sampler::mistakes(scene.logits, &StepContext::default(), &scene.trace.settings, &uniforms).unwrap();
    vec![
        logits_table(scene, RowWindow { start: 0, count: 5 }),
        ladder(scene, SIZE),
        draw(scene, Zoom::FULL, SIZE),
        draw(scene, Zoom::new(0.2, 0.4), SIZE),
        mistakes(scene.trace, &wrong, &Words),
        nucleus_size(&[RunStep::from(scene.trace)], Some(0), &Words, SIZE),
    ]
}

fn of_a_constraint() -> Node {
    let considered = |(id, verdict)| Considered { id: TokenId(id), probability: 0.25, verdict };
    let told = ConstraintTrace {
        n_tokens: 8,
        allowed: 1,
        forbidden_mass: 0.75,
        top: [(0, Verdict::Breaks), (1, Verdict::Allowed)].map(considered).into(),
        next: vec![ByteRange { first: b',', last: b',' }],
        is_complete: false,
        tokens_left: 20,
        least: 5,
    };
    allowed(&told, TokenId(1), &Words, SIZE)
}

fn of_a_search() -> Node {
    let plan = beams::plan(3, 1.0, 6, 40);
    let found = beams::search(&mut beams::Noise::new(40, 6.0), &plan, usize::MAX);
    let run = BeamRun {
        tree: &found.tree,
        width: 3,
        length_penalty: 1.0,
        results: &found.results,
        greedy: &found.greedy,
        stop: Some(found.stop),
    };
    beam_tree(&run, &Words, SIZE)
}

fn of_slots() -> Node {
    let requests = requests(&[0, 0, 1]);
    let continuous = timeline(2, &[(0, 0, 0, 3), (1, 1, 0, 5), (2, 0, 3, 2)]);
    let by_batch = Timeline::static_batches(2, &requests, &[3, 5, 2]);
    slot_timeline(&SlotRun { requests: &requests, continuous: &continuous, by_batch: &by_batch }, SIZE)
}

fn of_a_vote() -> Node {
    let texts = [" 7 bones.", " so happy"];
    let extractor = Extractor::new(AnswerRule::FirstNumber).unwrap();
    let answers = texts.map(|text| extractor.answer(text));
    let vote = Vote::new(answers.iter().map(|answer| answer.as_ref().map(|answer| answer.value.as_str())));
    let samples: Vec<VoteSample> = texts
        .iter()
        .zip(&answers)
        .map(|(text, answer)| VoteSample { text, answer: answer.as_ref(), is_over: true })
        .collect();
    votes(&vote, &samples)
}

fn of_a_text() -> Vec<Node> {
    let text = [0, 3, 0, 3, 0, 3].map(TokenId);
    let phrases = phrases(&text, 5);
    let run = Repeated { phrases: &phrases, closing_loop: closing_loop(&text), log_probabilities: &[-1.0; 6] };
    let stop = StopStrings::new(vec!["END".into()]).unwrap();
    vec![repetition(&run, &Words), held_back(b"E", Held::StopString { index: 0, matched: 1 }, &stop)]
}

/// Every figure of the crate.
fn all() -> Vec<Node> {
    let steps = [
        Step::new(&LOGITS, settings(0.8, 5, 0.9), 0.6142),
        Step::new(&LOGITS, settings(0.0, 0, 1.0), 0.5),
        penalised(),
        constrained(),
    ];
    let counts = Bigram::count(STORY).unwrap().run("the", 2, 1).steps.remove(0);
    let bigrams = [None, Some(&steps[0].scene())].map(|beside| bigram_row(&counts, beside, SIZE));
    let others =
        [of_a_constraint(), batch_grid(&grid(&[3, 1], &[2, 1], 2), &Words), of_a_search(), of_slots(), of_a_vote()];
    let of_steps = steps.iter().flat_map(|step| of_a_step(&step.scene()));
    of_steps.chain(bigrams).chain(others).chain(of_a_text()).collect()
}

fn is_named(element: &Element) -> bool {
    element.attribute("aria-label").is_some_and(|name| !name.is_empty())
}

#[test]
fn every_figure_has_a_name_and_one_caption_that_says_something() {
    let mut kinds = std::collections::BTreeSet::new();
    for figure in all() {
        let elements = elements(&figure);
        assert!(elements[0].tag == "figure" && is_named(elements[0]));
        kinds.insert(elements[0].attribute("aria-label").unwrap().to_owned());
        let captions: Vec<_> = elements.iter().filter(|element| element.tag == "figcaption").collect();
        assert_eq!(captions.len(), 1);
        assert!(Node::from((*captions[0]).clone()).text_content().len() > 20);
    }
    assert_eq!(kinds.len(), 13, "{kinds:?}");
}

#[test]
fn every_box_that_scrolls_is_a_tab_stop_with_a_role_and_a_name() {
    let mut n = 0;
    for figure in all() {
        for scroll in of_class(&figure, "scroll") {
            n += 1;
            assert_eq!((scroll.attribute("tabindex"), scroll.attribute("role")), (Some("0"), Some("group")));
            assert!(is_named(scroll));
        }
    }
    assert!(n >= 3, "{n}");
}

/// A picture has a name, what can be pressed in one has names of its own, and what is hidden repeats what is said beside it.
#[test]
fn every_picture_has_a_name_or_is_hidden() {
    for figure in all() {
        for svg in elements(&figure).into_iter().filter(|element| element.tag == "svg") {
            match (svg.attribute("aria-hidden"), svg.attribute("role")) {
                (Some("true"), None) => {}
                (None, Some("img")) => assert!(is_named(svg)),
                (None, Some("group")) => {
                    assert!(is_named(svg));
                    let svg = Node::from(svg.clone());
                    let targets = elements(&svg).into_iter().filter(|element| element.attribute("tabindex").is_some());
                    for target in targets {
                        assert!(target.attribute("role") == Some("button") && is_named(target));
                    }
                }
                other => unreachable!("{other:?}"),
            }
        }
    }
}

#[test]
fn every_cell_of_a_head_says_what_it_is_the_head_of() {
    for figure in all() {
        for cell in elements(&figure).into_iter().filter(|element| element.tag == "th") {
            let scope = cell.attribute("scope");
            assert!(matches!(scope, Some("col" | "row" | "colgroup" | "rowgroup")), "{scope:?}");
        }
    }
}
