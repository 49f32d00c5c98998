//! A regular expression as a table of states: one look-up for each byte.

use std::collections::HashMap;

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::Hir;

use super::{ByteRange, ConstraintError};

/// What the library makes of it.
type Dense = dense::DFA<Vec<u32>>;

/// A state of an [`Automaton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct State(u16);

impl State {
    /// No text of the constraint begins like this.
    pub(crate) const DEAD: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0.into()
    }
}

/// A deterministic automaton over bytes that accepts whole texts.
///
/// From every state but the dead one some text can be accepted.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    /// Bytes that no state tells apart share a column: `[256]`.
    columns: Vec<u8>,
    n_columns: usize,
    /// `[n_states, n_columns]`.
    next: Vec<State>,
    /// `[n_states]`.
    accepting: Vec<bool>,
    start: State,
}

/// The most states.
const MAX_STATES: usize = 8192;
/// The most memory that the nondeterministic automaton may take, in bytes: far more than one that becomes `MAX_STATES`.
const MAX_NFA_BYTES: usize = 1 << 20;
/// The most work that making it deterministic may take. Each state found is a set of states of the nondeterministic
/// automaton, and is gone through once for each class of bytes: this limits the bytes of all sets times the classes. So
/// much is enough for `MAX_STATES` small sets with the 115 classes of Unicode's words.
const MAX_WORK: usize = 48 << 20;

impl Automaton {
    pub(crate) fn too_large() -> ConstraintError {
        ConstraintError::TooLarge { limit: MAX_STATES }
    }

    pub(crate) fn of(hir: &Hir) -> Result<Self, ConstraintError> {
        let properties = hir.properties();
        if properties.look_set().contains_word_unicode() {
            return Err(ConstraintError::WordBoundary);
        }
        deterministic(hir).as_ref().and_then(Self::tabulate).ok_or_else(Self::too_large)?.pruned()
    }

    /// The states that are reached from the start; `None` if they are too many.
    fn tabulate(dfa: &Dense) -> Option<Self> {
        let classes = dfa.byte_classes();
        let columns: Vec<u8> = (0..=u8::MAX).map(|byte| classes.get(byte)).collect();
        let bytes: Vec<u8> = classes.representatives(0..=u8::MAX).filter_map(|unit| unit.as_u8()).collect();
        let first = dfa.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        let mut found = Found { numbers: HashMap::new(), states: Vec::new() };
        let start = found.number(dfa, first)?;
        let mut next = vec![State::DEAD; bytes.len()];
        let mut accepting = vec![false];
        let mut done = 0;
        while done < found.states.len() {
            let from = found.states[done];
            for &byte in &bytes {
                next.push(found.number(dfa, dfa.next_state(from, byte))?);
            }
            // A match is known one step late: at the byte after it, or at the end.
            accepting.push(dfa.is_match_state(dfa.next_eoi_state(from)));
            done += 1;
        }
        Some(Self { columns, n_columns: bytes.len(), next, accepting, start })
    }

    /// Sends what leads to no accepted text to the dead state.
    fn pruned(mut self) -> Result<Self, ConstraintError> {
        let alive = self.alive();
        for state in &mut self.next {
            if !alive[state.index()] {
                *state = State::DEAD;
            }
        }
        if !alive[self.start.index()] {
            return Err(ConstraintError::MatchesNothing);
        }
        if self.is_closed(self.start) {
            return Err(ConstraintError::MatchesEmptyOnly);
        }
        Ok(self)
    }

    /// Which states lead to an accepting one, found backwards from these.
    fn alive(&self) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.n_states()];
        for (from, row) in self.next.chunks_exact(self.n_columns).enumerate() {
            for to in row {
                before[to.index()].push(from);
            }
        }
        let mut alive = self.accepting.clone();
        let mut open: Vec<usize> = (0..alive.len()).filter(|&state| alive[state]).collect();
        while let Some(state) = open.pop() {
            for &from in &before[state] {
                if !alive[from] {
                    alive[from] = true;
                    open.push(from);
                }
            }
        }
        alive[State::DEAD.index()] = false;
        alive
    }

    pub(crate) fn start(&self) -> State {
        self.start
    }

    /// How many states there are, with the dead one.
    pub(crate) fn n_states(&self) -> usize {
        self.accepting.len()
    }

    /// All states but the dead one.
    pub(crate) fn states(&self) -> impl Iterator<Item = State> + use<> {
        // There are fewer than `MAX_STATES`.
        (1..self.n_states() as u16).map(State)
    }

    pub(crate) fn next(&self, state: State, byte: u8) -> State {
        self.next[state.index() * self.n_columns + usize::from(self.columns[usize::from(byte)])]
    }

    pub(crate) fn after(&self, state: State, bytes: &[u8]) -> State {
        bytes.iter().fold(state, |state, &byte| self.next(state, byte))
    }

    /// Whether the bytes so far are a text of the constraint.
    pub(crate) fn is_accepting(&self, state: State) -> bool {
        self.accepting[state.index()]
    }

    /// Whether no byte may follow.
    pub(crate) fn is_closed(&self, state: State) -> bool {
        let row = state.index() * self.n_columns;
        self.next[row..row + self.n_columns].iter().all(|next| *next == State::DEAD)
    }

    /// The bytes that may follow, as ranges that do not touch, the lowest first.
    pub(crate) fn next_bytes(&self, state: State) -> Vec<ByteRange> {
        let mut ranges: Vec<ByteRange> = Vec::new();
        for byte in (0..=u8::MAX).filter(|&byte| self.next(state, byte) != State::DEAD) {
            match ranges.last_mut() {
                Some(range) if range.last.checked_add(1) == Some(byte) => range.last = byte,
                _ => ranges.push(ByteRange { first: byte, last: byte }),
            }
        }
        ranges
    }
}

/// The library's automaton; `None` where it would be too large, or too much work.
fn deterministic(hir: &Hir) -> Option<Dense> {
    let config =
        thompson::Config::new().which_captures(thompson::WhichCaptures::None).nfa_size_limit(Some(MAX_NFA_BYTES));
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir).ok()?;
    let n_classes = nfa.byte_classes().alphabet_len();
    // Twice the states, for those that only tell the end of the text and all that is not the table.
    let table = 2 * MAX_STATES * n_classes.next_power_of_two() * size_of::<u32>();
    let config = dense::Config::new()
        .start_kind(StartKind::Anchored)
        // The first match of several must not end the others: what counts are whole texts.
        .match_kind(MatchKind::All)
        .dfa_size_limit(Some(table))
        .determinize_size_limit(Some(MAX_WORK / n_classes));
    dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()
}

/// The states found so far, numbered from 1 in the order in which they were found.
struct Found {
    numbers: HashMap<StateID, State>,
    states: Vec<StateID>,
}

impl Found {
    fn number(&mut self, dfa: &Dense, id: StateID) -> Option<State> {
        if dfa.is_dead_state(id) || dfa.is_quit_state(id) {
            return Some(State::DEAD);
        }
        if let Some(&known) = self.numbers.get(&id) {
            return Some(known);
        }
        self.states.push(id);
        let number = u16::try_from(self.states.len()).ok().filter(|&number| usize::from(number) < MAX_STATES)?;
        self.numbers.insert(id, State(number));
        Some(State(number))
    }
}
