//! Ways of decoding beside the sampled run: which there are, what can be set, what is asked of the engine and what it tells.

mod constraint;
mod kind;
mod option;
pub(crate) mod plan;
mod progress;
mod run;
mod stop;
mod words;

pub use constraint::{Constrained, ConstraintSource};
pub use kind::StrategyKind;
pub use option::{Input, OptionKey, Options};
pub use plan::{OptionError, SlotRequest, Strategy};
pub use progress::Progress;
pub use run::StrategyRun;
pub(crate) use stop::stop_strings;
pub(crate) use words::Beside;
pub use words::WordRun;
