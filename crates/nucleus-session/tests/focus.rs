//! The step in focus answers the sliders, and so does the line over all steps.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::rc::Rc;

use nucleus_sampler::{Draw, Ranking, StepContext, TokenId, Uniforms, step, step_in};
use nucleus_session::{Control, Effect, Msg, Point, Zoom};
use support::{Page, honest_step, logits};

fn finished(steps: usize) -> Page {
    let (mut page, request) = Page::running();
    page.steps(&request, steps);
    page.finish(request.run);
    page.take();
    page
}

#[test]
fn with_the_runs_own_settings_every_step_has_the_runs_token() {
    let mut page = finished(5);
    for index in 0..5 {
        page.tell(Msg::FocusStep(index));
        let focus = page.session.focus().unwrap();
        assert_eq!((focus.index, focus.trace.token), (index, page.tokens()[index]));
        assert!(!focus.differs);
        assert_eq!(focus.trace.draw, page.session.run().unwrap().steps()[index].report.draw);
        assert_eq!(*focus.ranking, Ranking::new(&logits(index)));
    }
}

#[test]
fn a_moved_slider_samples_the_step_anew() {
    let mut page = finished(4);
    page.tell(Msg::FocusStep(2));
    page.tell(Msg::MovedSlider { control: Control::Temperature, position: 1.7 });
    page.type_in(Control::TopK, "0");
    let settings = page.session.controls().settings();
    let seed = page.session.controls().seed.value().0;
    let focus = page.session.focus().unwrap();
    assert_eq!(focus.trace, step(&logits(2), &settings, Uniforms::nth(seed, 2)).unwrap());
    assert_eq!(focus.drawn, page.tokens()[2], "what the run has stays");
    assert_eq!(focus.differs, focus.trace.token != focus.drawn);
}

#[test]
fn a_penalty_lowers_what_prompt_and_text_had_before_the_step() {
    let mut page = finished(4);
    page.tell(Msg::FocusStep(2));
    let before = page.session.focus().unwrap();
    page.tell(Msg::MovedSlider { control: Control::RepetitionPenalty, position: 1.5 });
    let settings = page.session.controls().settings();
    let focus = page.session.focus().unwrap();
    let seen = [vec![TokenId(1)], page.tokens()[..2].to_vec()].concat();
    let context = StepContext { seen: &seen, allowed: None };
    let u = Uniforms::nth(page.session.controls().seed.value().0, 2);
    assert_eq!(focus.trace, step_in(&logits(2), &context, &settings, u).unwrap());
    assert!(!focus.trace.lowering.as_ref().unwrap().tokens.is_empty());
    assert_eq!(*focus.ranking, Ranking::in_context(&logits(2), &context, settings.repetition_penalty).unwrap());
    assert_ne!(focus.ranking, before.ranking);
    page.tell(Msg::Idle);
    let point = page.session.points_now()[2].unwrap();
    assert_eq!((point.token, point.entropy), (focus.trace.token, focus.trace.entropy));
    assert_ne!(point.entropy, page.session.points_as_drawn()[2].entropy);
}

#[test]
fn another_seed_draws_another_number_at_the_same_step() {
    let mut page = finished(3);
    page.tell(Msg::FocusStep(1));
    let before = page.session.focus().unwrap();
    page.tell(Msg::NewSeed(123));
    let after = page.session.focus().unwrap();
    assert_ne!(after.trace.draw, before.trace.draw);
    assert!(matches!(after.trace.draw, Draw::Uniform { u, .. } if u == Uniforms::nth(123, 1)));
    assert!(Rc::ptr_eq(&before.ranking, &after.ranking), "the order is not made twice");
}

#[test]
fn a_token_that_the_settings_would_not_give_is_marked() {
    let mut page = finished(5);
    page.type_in(Control::Temperature, "0");
    let differing: Vec<bool> = (0..5)
        .map(|index| {
            page.tell(Msg::FocusStep(index));
            page.session.focus().unwrap().differs
        })
        .collect();
    let likeliest = |index: usize| Ranking::new(&logits(index)).ids()[0];
    let expected: Vec<bool> = (0..5).map(|i| likeliest(i) != page.tokens()[i]).collect();
    assert_eq!(differing, expected);
    assert!(expected.contains(&true), "the run has a token that is not the likeliest");
}

#[test]
fn nothing_is_made_twice_while_nothing_changes() {
    let mut page = finished(3);
    let first = page.session.focus().unwrap();
    assert!(Rc::ptr_eq(&first, &page.session.focus().unwrap()));
    page.tell(Msg::ScrollTable(2));
    assert!(Rc::ptr_eq(&first, &page.session.focus().unwrap()));
    page.tell(Msg::FocusStep(0));
    assert!(!Rc::ptr_eq(&first, &page.session.focus().unwrap()));
}

#[test]
fn a_new_run_has_its_own_steps_in_focus() {
    let mut page = finished(3);
    page.tell(Msg::FocusStep(1));
    assert!(page.session.focus().is_some());
    page.type_in(Control::Seed, "8");
    page.take();
    page.tell(Msg::Generate);
    assert!(page.session.focus().is_none());
    let request = page.generated();
    page.steps(&request, 2);
    let focus = page.session.focus().unwrap();
    assert_eq!((focus.index, focus.differs), (1, false));
    assert_eq!(focus.drawn, honest_step(&request, 1).token);
}

#[test]
fn the_focus_moves_step_by_step_and_stays_within_the_run() {
    let mut page = finished(4);
    for (by, expected) in [(-1, 2), (-9, 0), (1, 1), (i32::MAX, 3), (i32::MIN, 0)] {
        page.tell(Msg::FocusBy(by));
        assert_eq!(page.session.focus_index(), Some(expected));
    }
    page.tell(Msg::FocusStep(99));
    assert_eq!(page.session.focus_index(), Some(3));
}

#[test]
fn a_step_that_the_reader_chose_stays_while_the_run_goes_on() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    page.tell(Msg::FocusStep(0));
    page.step(&request, 2);
    assert_eq!(page.session.focus_index(), Some(0));
    page.tell(Msg::FollowLatest);
    page.step(&request, 3);
    assert_eq!(page.session.focus_index(), Some(3));
}

#[test]
fn the_table_starts_where_it_was_scrolled_to_until_another_step_is_shown() {
    let mut page = finished(3);
    page.tell(Msg::ScrollTable(5));
    assert_eq!(page.session.table_start(), 5);
    page.tell(Msg::FocusStep(2));
    assert_eq!(page.session.table_start(), 5, "the same step");
    page.tell(Msg::FocusStep(1));
    assert_eq!(page.session.table_start(), 0);
    page.tell(Msg::ScrollTable(usize::MAX));
    assert_eq!(page.session.table_start(), logits(0).len() - 1);
}

fn as_now(page: &Page) -> Vec<Point> {
    let settings = page.session.controls().settings();
    let seed = page.session.controls().seed.value().0;
    let steps = page.session.run().unwrap().steps().iter().enumerate();
    steps
        .map(|(index, kept)| {
            let u = Uniforms::nth(seed, index as u64);
            let trace = step(&kept.logits, &settings, u).unwrap();
            let (nucleus_size, entropy) = (trace.nucleus_size(), trace.entropy);
            Point { nucleus_size, entropy, token: trace.token }
        })
        .collect()
}

#[test]
fn the_line_over_the_run_answers_the_sliders_when_there_is_time() {
    let mut page = finished(5);
    let drawn = page.session.points_as_drawn();
    let now: Option<Vec<Point>> = page.session.points_now().iter().copied().collect();
    assert_eq!(now, Some(drawn.clone()), "with the run's own settings all is known");

    page.tell(Msg::MovedSlider { control: Control::TopP, position: 0.3 });
    assert!(page.session.points_now().iter().all(Option::is_none));
    let idle = |effects: &[Effect]| effects.iter().filter(|e| **e == Effect::WhenIdle).count();
    assert_eq!(idle(&page.take()), 1);
    page.tell(Msg::MovedSlider { control: Control::TopP, position: 0.4 });
    assert_eq!(idle(&page.take()), 0, "asked for already");

    page.tell(Msg::Idle);
    assert_eq!(idle(&page.take()), 0, "nothing is left");
    let now: Vec<Point> = page.session.points_now().iter().flatten().copied().collect();
    assert_eq!(now, as_now(&page));
    assert_eq!(page.session.points_as_drawn(), drawn);
}

#[test]
fn the_line_is_worked_out_in_pieces_of_a_bounded_size() {
    let mut page = finished(5);
    page.type_in(Control::TopK, "2");
    let known = |page: &Page| page.session.points_now().iter().flatten().count();
    let of_one = logits(0).len();
    assert!(page.session.recompute_some(2 * of_one));
    assert_eq!(known(&page), 2);
    assert!(page.session.recompute_some(0));
    assert_eq!(known(&page), 3, "one at least, or it would never end");
    assert!(!page.session.recompute_some(usize::MAX));
    assert_eq!(known(&page), 5);
}

#[test]
fn the_line_of_a_running_run_grows_with_it() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    page.type_in(Control::TopK, "1");
    page.tell(Msg::Idle);
    page.take();
    page.step(&request, 2);
    assert!(page.effects.contains(&Effect::WhenIdle));
    page.tell(Msg::Idle);
    assert_eq!(page.session.points_now().len(), 3);
    assert!(page.session.points_now().iter().flatten().all(|point| point.nucleus_size == 1));
}

#[test]
fn the_draw_is_enlarged_around_u() {
    let mut page = finished(1);
    assert_eq!(page.session.draw_window(), [0.0, 1.0]);
    let Draw::Uniform { u, interval } = page.session.focus().unwrap().trace.draw else {
        panic!("a number was drawn");
    };
    page.tell(Msg::ZoomDraw(Zoom::In));
    page.tell(Msg::ZoomDraw(Zoom::In));
    let [start, end] = page.session.draw_window();
    assert!((end - start - 1.0 / 16.0).abs() < 1e-12);
    assert!(0.0 <= start && start <= u.get() && u.get() < end && end <= 1.0);

    page.tell(Msg::ZoomDraw(Zoom::Hit));
    let [start, end] = page.session.draw_window();
    let share = interval.width() / (end - start);
    assert!(start <= interval.start && interval.end <= end && share <= 0.5, "{share}");

    for _ in 0..99 {
        page.tell(Msg::ZoomDraw(Zoom::In));
    }
    let [start, end] = page.session.draw_window();
    assert!(start < end && start <= u.get() && u.get() < end);
    page.tell(Msg::ZoomDraw(Zoom::Whole));
    assert_eq!(page.session.draw_window(), [0.0, 1.0]);
    page.tell(Msg::ZoomDraw(Zoom::Out));
    assert_eq!(page.session.draw_window(), [0.0, 1.0]);
}

#[test]
fn at_temperature_zero_there_is_nothing_to_enlarge() {
    let mut page = finished(1);
    page.type_in(Control::Temperature, "0");
    page.tell(Msg::ZoomDraw(Zoom::In));
    assert_eq!(page.session.draw_window(), [0.0, 1.0]);
}
