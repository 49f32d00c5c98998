//! Charts of a sampling trace as plain trees of SVG and HTML nodes.
//!
//! A figure is a pure function from a [`Scene`] (or a run of [`RunStep`]s) and a [`Size`] to a
//! [`Node`]; beside each stands a function that says the same in words, which is also the figure's
//! caption. Nothing here touches a browser: the page turns the nodes into elements, the tests turn
//! them into text with [`Node::to_html`].
//!
//! * Layout is data: positions come from the trace and the size, text is placed and never measured.
//! * Colours live in the style sheet; class names carry meaning (`kept`, `removed top-k`, `hit`,
//!   `needle`).
//! * Every element that stands for one token has `data-token` (its id), every hit target of a step
//!   has `data-step`.
//! * Token text is text, never markup; there are no `style` attributes, so that a strict content
//!   security policy holds.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

mod allowed;
mod batch_grid;
mod beam_tree;
mod bigram_row;
mod draw;
mod figure;
mod held_back;
mod ladder;
mod logits_table;
mod mistakes;
mod node;
mod nucleus_size;
mod repetition;
mod scene;
mod sentence;
mod shapes;
mod slot_timeline;
mod votes;
mod words;

pub use allowed::{allowed, allowed_sentence};
pub use batch_grid::{batch_grid, batch_grid_sentence};
pub use beam_tree::{BeamRun, beam_tree, beam_tree_sentence};
pub use bigram_row::{bigram_row, bigram_row_sentence};
pub use draw::{Zoom, draw, draw_sentence};
pub use figure::scroll;
pub use held_back::{held_back, held_back_sentence};
pub use ladder::{ladder, ladder_sentence};
pub use logits_table::{RowWindow, logits_sentence, logits_table};
pub use mistakes::{mistakes, mistakes_sentence};
pub use node::{AttributeValue, Element, Node, SVG_NAMESPACE};
pub use nucleus_size::{RunStep, nucleus_size, nucleus_size_sentence};
pub use repetition::{Repeated, repetition, repetition_sentence};
pub use scene::{Scene, Size, Vocabulary};
pub use slot_timeline::{SlotRun, slot_timeline, slot_timeline_sentence};
pub use votes::{VoteSample, votes, votes_sentence};
pub use words::{count, counted, fixed, logit, nats, probability, token_label, token_quote};
