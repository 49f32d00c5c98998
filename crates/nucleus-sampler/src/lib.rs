//! One step of sampling, with all of its working: logits, settings and one uniform number in, a trace out.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

extern crate alloc;

mod draw;
mod error;
mod logits;
mod logprob;
mod ranking;
mod settings;
mod step;
mod sum;
mod token;
mod trace;
mod uniforms;

pub use draw::{Draw, Interval};
pub use error::{LogitsError, SettingError};
pub use logits::{Logit, mask_padding};
pub use logprob::{log_softmax_at, perplexity};
pub use ranking::Ranking;
pub use settings::{Settings, Temperature, TopK, TopP, Unit};
pub use step::{step, step_ranked};
pub use token::TokenId;
pub use trace::{Filter, Kept, Removal, StepTrace};
pub use uniforms::Uniforms;
