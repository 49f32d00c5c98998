//! The nucleus size: hit targets and the tab order.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{Words, number, of_class};
use nucleus_charts::{RunStep, Size, nucleus_size};
use nucleus_sampler::TokenId;

#[test]
fn every_step_of_a_run_is_a_hit_target_and_one_is_in_the_tab_order() {
    let step = |i: usize| RunStep { nucleus_size: i + 1, entropy: 0.1, token: TokenId(0) };
    let run: Vec<RunStep> = (0..100).map(step).collect();
    for (focus, expected) in [(Some(7), 7), (None, 99), (Some(1000), 99)] {
        let figure = nucleus_size(&run, focus, &Words, Size::new(350.0, 200.0));
        let targets = of_class(&figure, "step");
        assert_eq!(targets.len(), 100);
        let tabbed: Vec<_> = targets.iter().filter(|target| target.attribute("tabindex") == Some("0")).collect();
        assert_eq!(tabbed.len(), 1);
        assert_eq!(number(tabbed[0], "data-step") as usize, expected);
        let marked = of_class(&figure, "focus").len();
        assert_eq!(marked, if focus == Some(7) { 6 } else { 0 });
    }
}
