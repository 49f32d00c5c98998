//! A constraint at work on a vocabulary: which tokens may come next.

use std::collections::HashMap;

use nucleus_sampler::{Filter, StepTrace, TokenId, TokenSet, log_softmax_at};

use super::automaton::State;
use super::distance::Distances;
use super::trace::{N_CONSIDERED, likeliest};
use super::{Considered, Constraint, ConstraintError, ConstraintTrace, TokenTrie, Verdict};

/// How far a text that obeys a constraint has come.
///
/// A token is allowed if the text can go on after it *and* can still be completed with the tokens that are left. So a
/// run of at least [`ConstraintState::least`] tokens always ends with a complete text.
#[derive(Clone, Debug)]
pub struct ConstraintState<'a> {
    constraint: &'a Constraint,
    trie: &'a TokenTrie,
    end_of_text: Option<TokenId>,
    distances: Distances,
    state: State,
    is_ended: bool,
    /// What was allowed at a state with so many tokens left.
    masks: HashMap<(State, u32), TokenSet>,
    nothing: TokenSet,
}

/// The most sets that are kept: 1.6 MB of GPT-2's. A run of text comes back to few states.
const MAX_MASKS: usize = 256;

impl<'a> ConstraintState<'a> {
    /// The beginning of a text in the tokens of `trie`. `end_of_text`, if the vocabulary has such a token, is allowed
    /// wherever the text is complete; it must be one of the special tokens of `trie`.
    ///
    /// # Errors
    ///
    /// [`ConstraintError::NotSpellable`] if the vocabulary lacks the tokens for any text of the constraint. A vocabulary
    /// with a token for each byte lacks none.
    pub fn new(
        constraint: &'a Constraint,
        trie: &'a TokenTrie,
        end_of_text: Option<TokenId>,
    ) -> Result<Self, ConstraintError> {
        let distances = Distances::new(&constraint.automaton, trie);
        let state = constraint.automaton.start();
        if distances.least(state) == Distances::NEVER {
            return Err(ConstraintError::NotSpellable);
        }
        let nothing = TokenSet::none(trie.n_vocab());
        Ok(Self { constraint, trie, end_of_text, distances, state, is_ended: false, masks: HashMap::new(), nothing })
    }

    /// The least number of tokens that complete the text from here: 0 where it is complete.
    #[must_use]
    pub fn least(&self) -> usize {
        self.distances.least(self.state) as usize
    }

    /// Whether the text is complete or some tokens complete it. Not after a token that breaks the constraint.
    pub(crate) fn can_be_completed(&self) -> bool {
        self.is_complete() || !self.is_ended && self.distances.least(self.state) != Distances::NEVER
    }

    /// The tokens that may come next when `tokens_left` more may come in all. Empty when the text is complete and nothing
    /// can follow, and when there are too few tokens left: never in a run that began with enough of them.
    pub fn allowed(&mut self, tokens_left: usize) -> &TokenSet {
        if self.is_ended || tokens_left == 0 {
            return &self.nothing;
        }
        let room = u32::try_from(tokens_left).unwrap_or(u32::MAX).min(self.distances.enough());
        let key = (self.state, room);
        if !self.masks.contains_key(&key) && self.masks.len() >= MAX_MASKS {
            self.masks.clear();
        }
        self.masks.entry(key).or_insert_with(|| {
            let mut set = self.nothing.clone();
            self.trie.walk(&self.constraint.automaton, self.state, |ids, to| {
                if self.distances.least(to) < room {
                    set.extend(ids.iter().copied());
                }
            });
            if let Some(end) = self.end_of_text {
                set.remove(end);
                if !set.is_empty() && self.constraint.automaton.is_accepting(self.state) {
                    set.insert(end);
                }
            }
            set
        })
    }

    /// Takes the next token. One that is not allowed leads to where nothing is allowed.
    pub fn accept(&mut self, token: TokenId) {
        if self.end_of_text == Some(token) {
            self.is_ended = true;
            return;
        }
        self.state = self.after(token);
    }

    fn after(&self, token: TokenId) -> State {
        match self.trie.bytes(token) {
            [] => State::DEAD,
            _ if self.is_ended => State::DEAD,
            bytes => self.constraint.automaton.after(self.state, bytes),
        }
    }

    /// Whether the text so far satisfies the constraint, though more may follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.constraint.automaton.is_accepting(self.state)
    }

    /// Whether the text is complete and nothing can follow.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_complete() && (self.is_ended || self.constraint.automaton.is_closed(self.state))
    }

    /// What the constraint says of one token, with `tokens_left` more to come in all.
    #[must_use]
    pub fn verdict(&self, token: TokenId, tokens_left: usize) -> Verdict {
        if self.end_of_text == Some(token) {
            return if self.is_complete() { Verdict::Allowed } else { Verdict::TooEarly };
        }
        match self.distances.least(self.after(token)) {
            Distances::NEVER => Verdict::Breaks,
            least if (least as usize) < tokens_left => Verdict::Allowed,
            _ => Verdict::NoRoom,
        }
    }
    /// Whether the text ends here, with `tokens_left` more that might come: it is complete, and nothing can follow.
    pub(crate) fn is_over(&mut self, tokens_left: usize) -> bool {
        self.is_closed() || (tokens_left > 0 && self.is_complete() && self.allowed(tokens_left).is_empty())
    }

    /// What a step shows of the constraint: made from the model's logits `[n_vocab]` and from what the sampler did with
    /// them, before its token is accepted.
    #[must_use]
    pub fn trace(&self, logits: &[f32], step: &StepTrace, tokens_left: usize) -> ConstraintTrace {
        let removed = |filter| step.removals.iter().find(|removal| removal.filter == filter);
        let n_tokens = step.n_vocab - removed(Filter::Mask).map_or(0, |mask| mask.count);
        let forbidden = removed(Filter::Constraint);
        ConstraintTrace {
            n_tokens,
            allowed: n_tokens - forbidden.map_or(0, |removal| removal.count),
            forbidden_mass: forbidden.map_or(0.0, |removal| removal.mass),
            top: self.considered(logits, tokens_left),
            next: self.constraint.automaton.next_bytes(self.state),
            is_complete: self.is_complete(),
            tokens_left,
            least: self.least(),
        }
    }

    fn considered(&self, logits: &[f32], tokens_left: usize) -> Vec<Considered> {
        let ids = likeliest(logits, N_CONSIDERED);
        let Some(&first) = ids.first() else { return Vec::new() };
        // The logarithm of the softmax's denominator, from one token of which the softmax is known.
        let denominator = f64::from(logits[first.index()]) - log_softmax_at(logits, first);
        let considered = |id: TokenId| Considered {
            id,
            probability: (f64::from(logits[id.index()]) - denominator).exp(),
            verdict: self.verdict(id, tokens_left),
        };
        ids.into_iter().map(considered).collect()
    }
}
