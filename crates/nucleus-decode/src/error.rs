use nucleus_sampler::{LogitsError, TokenId};

/// Why a run could not start or go on. The steps before it have been delivered, and stay good.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DecodeError<E: std::error::Error + 'static> {
    /// There is nothing to continue.
    #[error("the prompt has no tokens: type at least one character")]
    EmptyPrompt,
    /// An id of the prompt stands for no token.
    #[error(
        "prompt token {id} is not in the vocabulary: ids must be below {limit}; check that tokenizer and model match"
    )]
    PromptId {
        /// The first such id.
        id: TokenId,
        /// How many ids there are.
        limit: usize,
    },
    /// No text of the constraint is as short as the run.
    #[error("the constraint needs {needed} new tokens at least, but there may be {limit}: allow more of them")]
    TooFewTokens {
        /// The least number of tokens that complete a text.
        needed: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The tokens that are given at the beginning break the constraint.
    #[error(
        "the text so far does not have the form that is asked for, so nothing can complete it: start a new text, or \
         choose free text"
    )]
    GivenAgainstConstraint,
    /// A token is forced that the constraint does not allow where it is forced.
    #[error(
        "token {token} is forced as new token {index}, but the constraint does not allow it there: force another token, or \
         none"
    )]
    ForcedAgainstConstraint {
        /// Which of the new tokens, from 0.
        index: usize,
        /// The token.
        token: TokenId,
    },
    /// The model gave too many or too few logits.
    #[error("the model gave {found} logits for new token {index}, but its vocabulary has {expected}")]
    LogitsCount {
        /// Which of the new tokens, from 0.
        index: usize,
        /// How many it gave.
        found: usize,
        /// Its `n_vocab`.
        expected: usize,
    },
    /// No token can be drawn from the model's logits.
    #[error("new token {index} cannot be drawn: {source}")]
    Logits {
        /// Which of the new tokens, from 0.
        index: usize,
        /// What is wrong with the logits.
        source: LogitsError,
    },
    /// The model failed.
    #[error("the model failed: {0}")]
    Model(#[source] E),
}
