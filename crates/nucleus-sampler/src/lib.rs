//! One step of sampling, with all of its working: logits, settings and one uniform number in, a
//! [`StepTrace`] out. No tensor, no model, no browser.
//!
//! A language model ends in one number per token of its vocabulary, a logit. [`step`] turns them
//! into one token, always in this order:
//!
//! 1. **Mask.** A logit of minus infinity was removed beforehand, and stays so
//!    ([`mask_padding`] does this to columns that no token stands for). Any other logit that is
//!    not finite is an error.
//! 2. **Temperature.** Each logit is divided by T, in `f64` from here on. Below 1 the differences
//!    grow, above 1 they shrink. At T = 0 the likeliest token is taken, the lowest id on a tie, and
//!    the step ends here.
//! 3. **Top-k.** The k largest stay; of equals at the edge, those with the lower ids. 0 is off.
//! 4. **Top-p**, or nucleus sampling (Holtzman et al., "The Curious Case of Neural Text
//!    Degeneration", 2020). What top-k left is made to sum to 1 by softmax; then, the likeliest
//!    first, entries stay up to and *including* the one at which the running total reaches p
//!    (`>=`). One always stays. 1 is off.
//! 5. **Softmax** of what is kept. The rest has a probability of exactly 0.
//! 6. **The draw.** The kept tokens, in vocabulary order, cut the unit interval into pieces as long
//!    as their probabilities. One uniform number u in [0, 1) falls into one of them: the first
//!    whose cumulative sum is above u (`<`).
//!
//! A step in its place in a text, [`step_in`], knows more: between mask and temperature a **constraint** removes what
//! it does not allow, and a **repetition penalty** lowers the logits of tokens seen before ([`Lowering`] has the formula).
//!
//! Both filters keep a prefix of the [`Ranking`] (descending logits, ties by lower id), so all that
//! a filter did is told by one number, and moving a slider needs no new sort: [`step_ranked`].
//!
//! ```
//! use nucleus_sampler::{
//!     Draw, Filter, Settings, Temperature, TokenId, TopK, TopP, Uniforms, step,
//! };
//!
//! // Five tokens; a mask removed the last one.
//! let logits = [1.0_f32, 4.0, 3.0, 2.0, f32::NEG_INFINITY];
//! let settings = Settings {
//!     temperature: Temperature::new(2.0)?,
//!     top_k: TopK::new(3)?,
//!     top_p: TopP::new(0.8)?,
//!     ..Settings::default()
//! };
//! let mut uniforms = Uniforms::new(42); // numpy.random.default_rng(42)
//! let trace = step(&logits, &settings, uniforms.draw())?; // u = 0.7739...
//!
//! // After temperature the logits are 0.5 2 1.5 1. Top-k removes the first; the three that are
//! // left have .51 .31 .19 of the probability, and the first two reach .8.
//! let kept: Vec<u32> = trace.kept.iter().map(|kept| kept.id.0).collect();
//! assert_eq!(kept, [1, 2]);
//! assert_eq!(trace.removals.map(|removal| removal.count), [1, 0, 1, 1]); // mask, constraint, k, p
//! assert_eq!(trace.removed_by(2), Some(Filter::TopP)); // the third likeliest
//! assert_eq!(trace.removed_by(3), Some(Filter::TopK));
//!
//! // They share the unit interval as .62 and .38, and u falls into the second piece.
//! assert_eq!(format!("{:.2}", trace.kept[0].probability), "0.62");
//! assert_eq!(trace.token, TokenId(2));
//! assert_eq!(trace.consumed(), 1);
//! let Draw::Uniform { u, interval } = trace.draw else { unreachable!() };
//! assert!(interval.contains(u));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Reproducible.** [`Uniforms`] gives the numbers of `numpy.random.default_rng(seed)`, so any
//! draw can be checked in NumPy. Exponentials and logarithms are those of `libm`, and every sum has
//! a fixed order: a native program and a browser agree to the bit.
//!
//! **Log-probabilities** ([`StepTrace::log_probability`], [`log_softmax_at`]) are log-softmax of the
//! raw logits, in nats: what the model thinks of a token, which no setting changes.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

extern crate alloc;

mod context;
pub mod double;
mod draw;
mod error;
mod exp;
mod filters;
mod logits;
mod logprob;
mod mistakes;
mod penalty;
mod prefix;
mod ranking;
mod scale;
mod settings;
mod sort;
mod step;
mod sum;
mod token;
mod token_set;
mod trace;
mod uniforms;

pub use context::{StepContext, step_in, step_ranked_in};
pub use draw::{Draw, Interval};
pub use error::{LogitsError, SettingError};
pub use logits::mask_padding;
pub use logprob::{log_softmax_at, perplexity};
pub use mistakes::{Mistake, Mistaken, mistakes};
pub use penalty::{Lowered, Lowering};
pub use ranking::Ranking;
pub use settings::{RepetitionPenalty, Settings, Temperature, TopK, TopP, Unit};
pub use step::{step, step_ranked};
pub use token::TokenId;
pub use token_set::TokenSet;
pub use trace::{Filter, Kept, Removal, StepTrace};
pub use uniforms::Uniforms;

use logits::Logit;
