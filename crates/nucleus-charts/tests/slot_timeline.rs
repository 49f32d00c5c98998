//! The slots by step: blocks, gaps, arrivals, and the two shares.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::runs::{requests, timeline};
use common::{elements, number, of_class, sizes};
use insta::assert_snapshot;
use nucleus_charts::{Node, Size, SlotRun, slot_timeline, slot_timeline_sentence};
use nucleus_decode::{Request, Timeline};

/// Two slots; request 3 takes the slot of request 1, request 4 comes when all is over.
fn four() -> (Vec<Request>, Timeline, Timeline) {
    let requests = requests(&[0, 0, 1, 9]);
    let continuous = timeline(2, &[(0, 0, 0, 3), (1, 1, 0, 5), (2, 0, 3, 2), (3, 0, 9, 1)]);
    let by_batch = Timeline::static_batches(2, &requests, &[3, 5, 2, 1]);
    (requests, continuous, by_batch)
}

fn draw(run: &(Vec<Request>, Timeline, Timeline), size: Size) -> Node {
    slot_timeline(&SlotRun { requests: &run.0, continuous: &run.1, by_batch: &run.2 }, size)
}

fn say(run: &(Vec<Request>, Timeline, Timeline)) -> String {
    slot_timeline_sentence(&SlotRun { requests: &run.0, continuous: &run.1, by_batch: &run.2 })
}

#[test]
fn four_requests_in_two_slots() {
    assert_snapshot!(draw(&four(), Size::new(720.0, 300.0)).to_html().replace("><", ">\n<"));
}

#[test]
fn both_shares_are_said() {
    assert_eq!(
        say(&four()),
        "4 requests in 2 slots, each with its prefill (solid) and then one token a step. Continuous batching takes 10 \
         steps; 11 of 20 slot-steps are busy, 55%. For the same requests static batching takes 11 steps; 11 of 22 \
         slot-steps are busy, 50%. The longest wait for a slot is 2 steps against 8."
    );
    let one = (requests(&[0]), timeline(1, &[(0, 0, 0, 2)]), timeline(1, &[(0, 0, 0, 2)]));
    assert!(say(&one).ends_with("2 of 2 slot-steps are busy, 100%. The longest wait for a slot is 0 steps in both."));
    let none = (requests(&[0]), Timeline::new(2), Timeline::new(2));
    assert_eq!(say(&none), "No request has a slot yet.");
    assert_eq!(elements(&draw(&none, Size::MIN)).len(), 2, "a figure with its caption");
}

/// Blocks and gaps together fill the slots from step 0 to the end, in both panels, on one scale.
#[test]
fn the_area_of_blocks_and_gaps_is_the_slot_steps() {
    let run = four();
    let figure = draw(&run, Size::new(720.0, 300.0));
    let per_step = (720.0 - 58.0 - 14.0) / 11.0;
    for (class, busy, idle) in [("continuous", 11.0, 9.0), ("static", 11.0, 11.0)] {
        let panel = Node::from(of_class(&figure, class)[0].clone());
        let steps = |class: &str| {
            let rects = of_class(&panel, class).into_iter().filter(|element| element.tag == "rect");
            rects.map(|rect| number(rect, "width")).sum::<f64>() / per_step
        };
        assert!((steps("decode") - busy).abs() < 0.01, "{}", steps("decode"));
        assert!((steps("idle") - idle).abs() < 0.01, "{}", steps("idle"));
        assert!((steps("prefill") - 4.0).abs() < 0.01);
    }
}

#[test]
fn who_waits_is_counted_step_by_step() {
    let figure = draw(&four(), Size::new(720.0, 300.0));
    let per_step = (720.0 - 58.0 - 14.0) / 11.0;
    let waits = of_class(&figure, "waiting").into_iter().filter(|element| element.tag == "rect");
    let widths: Vec<f64> = waits.map(|rect| (number(rect, "width") / per_step).round()).collect();
    assert_eq!(widths, [2.0, 8.0], "request 3, from step 1 to 3, and in the static batch to 9");
}

#[test]
fn every_request_has_a_row_in_the_table() {
    let run = (requests(&[0, 0, 1]), timeline(2, &[(0, 0, 0, 3), (2, 1, 1, 2)]), Timeline::new(2));
    let figure = draw(&run, Size::MIN);
    let rows: Vec<String> = elements(&figure)
        .into_iter()
        .filter(|row| row.tag == "tr" && row.children.len() == 9)
        .map(|row| {
            let cells = row.children.iter().map(Node::text_content);
            cells.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(rows, ["1 0 3 1 0 3 – – –", "2 0 0 – – – – – –", "3 1 2 2 0 3 – – –"]);
}

#[test]
fn any_size_and_any_number_of_steps_is_drawn_with_finite_numbers() {
    let long = timeline(3, &[(0, 0, 0, 900), (1, 1, 0, 1), (2, 2, 4, 3)]);
    let late = Request { arrives_at: Request::LATEST, ..requests(&[0]).remove(0) };
    let far = Timeline::static_batches(40, std::slice::from_ref(&late), &[2]);
    let runs = [four(), (requests(&[0, 0, 3]), long.clone(), long), (vec![late], far.clone(), far)];
    for (run, size) in runs.iter().flat_map(|run| sizes().map(|size| (run, size))) {
        let figure = draw(run, size);
        for element in elements(&figure) {
            for (name, value) in &element.attributes {
                assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
                if ["width", "height"].contains(name) {
                    assert!(value.parse::<f64>().unwrap() >= 0.0);
                }
            }
        }
        assert!(figure.n_nodes() < 600, "{}", figure.n_nodes());
        assert_eq!(elements(&figure)[0].attribute("aria-label"), Some("Slots"));
        assert_eq!(elements(&figure).iter().filter(|element| element.tag == "figcaption").count(), 1);
    }
}
