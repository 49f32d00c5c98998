//! The engine beside other engines: the same weights, the same prompt, the same browser, one engine at a time.
//!
//! Every engine has a page that offers `window.load()` and `window.bench(prompt_ids, new_tokens)` and says `window.ready`; see
//! `tests/peers/README.md`. [`ENGINES`] lists them, [`measure`] is one trial of one of them in a browser of its own, and
//! [`warm_reload`] is the time from an opened page to the first token when the browser has all files already.

mod engines;
mod machine;
mod page;
mod table;
mod trial;

pub use engines::{ENGINES, Engine, Text, download};
pub use machine::wait_until_idle;
pub use table::{row, rule, warm_row};
pub use trial::{Prompts, Trial, measure, warm_reload};
