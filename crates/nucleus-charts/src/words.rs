//! Words and numbers as the reader sees them: one place, so that figures, captions and page agree.

mod numbers;
mod token;

pub use numbers::{count, counted, decimals_between, fixed, logit, nats, probability};
pub use token::{shortened, token_label, token_quote};
