//! How many tokens it takes at least to complete a text.

use super::automaton::{Automaton, State};
use super::trie::TokenTrie;

/// For each state the least number of tokens after which a text is complete.
#[derive(Clone, Debug)]
pub(super) struct Distances {
    /// `[n_states]`; [`Distances::NEVER`] where no tokens of the vocabulary lead to an accepting state.
    least: Vec<u32>,
    /// The largest that is not `NEVER`.
    longest: u32,
}

impl Distances {
    pub(super) const NEVER: u32 = u32::MAX;

    /// A breadth-first search backwards from the accepting states, along tokens.
    pub(super) fn new(automaton: &Automaton, trie: &TokenTrie) -> Self {
        let before = predecessors(automaton, trie);
        let mut least = vec![Self::NEVER; automaton.n_states()];
        let mut open: Vec<State> = automaton.states().filter(|&state| automaton.is_accepting(state)).collect();
        for state in &open {
            least[state.index()] = 0;
        }
        let mut longest = 0;
        for distance in 1.. {
            let mut found = Vec::new();
            for &from in open.iter().flat_map(|to| &before[to.index()]) {
                if least[from.index()] == Self::NEVER {
                    least[from.index()] = distance;
                    found.push(from);
                }
            }
            if found.is_empty() {
                break;
            }
            longest = distance;
            open = found;
        }
        Self { least, longest }
    }

    /// 0 where the text is complete.
    pub(super) fn least(&self, state: State) -> u32 {
        self.least[state.index()]
    }

    /// With so many tokens left or more, none is forbidden for want of room.
    pub(super) fn enough(&self) -> u32 {
        self.longest + 1
    }
}

/// For each state those from which one token leads to it, each once.
fn predecessors(automaton: &Automaton, trie: &TokenTrie) -> Vec<Vec<State>> {
    let mut before = vec![Vec::new(); automaton.n_states()];
    for from in automaton.states() {
        trie.walk(automaton, from, |_, to| {
            let known: &mut Vec<State> = &mut before[to.index()];
            // States are visited in their order, so that a repetition stands last.
            if known.last() != Some(&from) {
                known.push(from);
            }
        });
    }
    before
}
