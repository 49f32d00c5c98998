//! The decoding loop over any language model, and the rules that stop it.
//!
//! [`generate`] asks a [`LanguageModel`] for logits, lets the sampler choose a token, hands the step with all of its
//! working to the caller, and feeds the token back. It knows neither tensors nor text: history is ids, so what is shown
//! can never leak back into the model. [`Utf8Stream`] turns the bytes of the ids into text, a whole character at a time;
//! [`StopStream`] does the same up to the first stop string.
//!
//! [`generate_batch`] does the same for several prompts at once, padded to one length ([`PaddedGrid`]), and
//! [`generate_slots`] for requests that come and go while others are decoded. [`bigram`] is the baseline: words drawn by counts alone.
//!
//! [`beam_search`] looks for the likeliest sequence among several beams, and keeps all that it considered as a
//! [`BeamTree`]. [`sample_many`] draws several texts of one prompt; [`Extractor`] finds an answer in each by a rule that
//! can be seen, and [`Vote`] counts them.
//!
//! [`generate_constrained`] keeps a run to a JSON Schema or a regular expression: see [`constraint`].
//!
//! What a run promises:
//!
//! * Token `i` of a run is drawn with the `i`-th uniform number of its seed; at temperature 0 with none.
//! * The repetition penalty knows every id of prompt and text, also where the model no longer sees it.
//! * The prompt is processed once; then each step feeds one token. The last token of a run is not fed.
//! * Past the context length the window of the last `n_ctx` ids is encoded anew, once for each token.
//! * Columns of logits that no token of the tokenizer stands for are masked before anything else.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

mod batch;
mod beam;
pub mod bigram;
pub mod constraint;
mod context;
mod error;
mod generate;
mod model;
mod outcome;
mod perplexity;
mod plan;
mod repetition;
mod rows;
mod samples;
mod script;
mod slots;
mod stop;
mod utf8;
mod vote;

pub use batch::{
    BatchError, BatchPlan, BatchStep, Cell, CellKind, GridRow, PaddedGrid, RowStep, RowToken, generate_batch, positions,
};
pub use beam::{
    BeamError, BeamNode, BeamOutcome, BeamPlan, BeamStep, BeamStop, BeamTree, BeamWidth, Candidate, Choice,
    EarlyStopping, End, Fate, Hypothesis, LengthPenalty, Verdict, beam_search,
};
pub use constraint::{Constraint, ConstraintError, ConstraintState, ConstraintTrace, TokenTrie};
pub use error::DecodeError;
pub use generate::{generate, generate_constrained};
pub use model::LanguageModel;
/// What tokens and settings are: a model needs only this crate.
pub use nucleus_sampler as sampler;
pub use outcome::{Outcome, Step, StopReason};
pub use perplexity::perplexity;
pub use plan::{PastContext, Plan};
pub use repetition::{Loop, Phrase, closing_loop, phrases};
pub use rows::Rows;
pub use samples::{SampleStep, sample_many};
pub use script::Script;
pub use slots::{Block, Request, SlotStep, SlotsPlan, SlotsStep, Timeline, Utilization, generate_slots};
pub use stop::{Held, Scan, Shown, StopMatch, StopMatcher, StopStream, StopStringError, StopStrings};
pub use utf8::Utf8Stream;
pub use vote::{Answer, AnswerRule, Count, Extractor, PatternError, Vote};
