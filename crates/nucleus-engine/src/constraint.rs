//! What a text must be, compiled for the vocabulary of the model.

use nucleus_decode::constraint::{Constraint, ConstraintError, TokenTrie};
use nucleus_sampler::TokenId;
use nucleus_session::{ConstraintSource, Failure};
use nucleus_tokenizer::Tokenizer;

/// The automaton of what the reader typed.
pub(crate) fn compile(source: &ConstraintSource) -> Result<Constraint, Failure> {
    match source {
        ConstraintSource::JsonSchema(text) => Constraint::json_schema(text),
        ConstraintSource::Regex(text) => Constraint::regex(text),
    }
    .map_err(|error| refused(&error))
}

/// What the page hears of a constraint that cannot be.
pub(crate) fn refused(error: &ConstraintError) -> Failure {
    Failure::Constraint { message: error.to_string() }
}

/// The vocabulary as constraints walk it.
pub(crate) fn trie(tokenizer: &Tokenizer, end_of_text: Option<TokenId>) -> TokenTrie {
    let special: Vec<TokenId> = end_of_text.into_iter().collect();
    let ids = 0..tokenizer.n_vocab() as u32;
    TokenTrie::new(ids.map(|id| tokenizer.bytes(id).unwrap_or_default()), &special)
}
