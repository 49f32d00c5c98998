//! The bytes of all tokens, so arranged that tokens which begin alike are looked at once.

use nucleus_sampler::TokenId;

use super::automaton::{Automaton, State};

/// The bytes of a vocabulary's tokens as a tree, in one list in which each node stands before its children: a node that
/// a constraint refuses is left with all below it by one jump (as in `toktrie`, of the crate llguidance).
///
/// It depends on the vocabulary alone: make one for each model and keep it.
#[derive(Clone, Debug)]
pub struct TokenTrie {
    nodes: Vec<Node>,
    /// Tokens in the order of the nodes that they end at.
    ids: Vec<TokenId>,
    /// The bytes of token `i` are `bytes[ends[i - 1]..ends[i]]`, the first starting at 0.
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    byte: u8,
    /// How many bytes lead here: 1 or more.
    depth: u32,
    /// The first node that is not below this one.
    end: u32,
    /// Where its tokens begin in `ids`; they end where those of the next node begin.
    first_id: u32,
}

impl TokenTrie {
    /// Arranges tokens; `tokens` gives the bytes of id 0, 1, 2, and so on. Those in `special`, such as the end of text,
    /// stand for no text, and neither do tokens without bytes: they are never allowed as text.
    pub fn new<'b>(tokens: impl IntoIterator<Item = &'b [u8]>, special: &[TokenId]) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for (id, token) in (0..).map(TokenId).zip(tokens) {
            if !special.contains(&id) {
                bytes.extend_from_slice(token);
            }
            ends.push(bytes.len() as u32);
        }
        let mut trie = Self { nodes: Vec::new(), ids: Vec::new(), bytes, ends };
        let mut ids: Vec<TokenId> = (0..trie.ends.len() as u32).map(TokenId).collect();
        ids.retain(|&id| !trie.bytes(id).is_empty());
        ids.sort_by(|&a, &b| trie.bytes(a).cmp(trie.bytes(b)));
        trie.nodes = trie.grown(&ids);
        trie.ids = ids;
        trie
    }

    /// The nodes of tokens that are sorted by their bytes.
    fn grown(&self, sorted: &[TokenId]) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut path: Vec<usize> = Vec::new();
        let mut before: &[u8] = &[];
        for (first_id, &id) in (0..).zip(sorted) {
            let token = self.bytes(id);
            let shared = before.iter().zip(token).take_while(|(a, b)| a == b).count();
            close(&mut nodes, &mut path, shared);
            for (i, &byte) in token.iter().enumerate().skip(shared) {
                path.push(nodes.len());
                nodes.push(Node { byte, depth: i as u32 + 1, end: 0, first_id });
            }
            before = token;
        }
        close(&mut nodes, &mut path, 0);
        nodes
    }

    /// How many ids there are, special ones included.
    #[must_use]
    pub fn n_vocab(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a token as text: none for a special one, and for an id beyond the vocabulary.
    #[must_use]
    pub fn bytes(&self, id: TokenId) -> &[u8] {
        let Some(&end) = self.ends.get(id.index()) else { return &[] };
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..end as usize]
    }

    /// Visits every token that may come in `from`, with the state that it leads to: tokens of the same bytes together.
    pub(crate) fn walk(&self, automaton: &Automaton, from: State, mut visit: impl FnMut(&[TokenId], State)) {
        // The state after so many bytes.
        let mut states = vec![from];
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let depth = node.depth as usize;
            states.truncate(depth);
            let state = automaton.next(states[depth - 1], node.byte);
            if state == State::DEAD {
                at = node.end as usize;
                continue;
            }
            states.push(state);
            at += 1;
            let next_id = self.nodes.get(at).map_or(self.ids.len(), |next| next.first_id as usize);
            // Nodes on the way to the first token that has them begin where it does, and end there.
            let ids = self.here(node, next_id);
            if !ids.is_empty() {
                visit(ids, state);
            }
        }
    }

    /// The tokens that end at a node.
    fn here(&self, node: &Node, next_id: usize) -> &[TokenId] {
        &self.ids[node.first_id as usize..next_id]
    }
}

/// Ends the nodes of the path beyond `depth`: what comes next is not below them.
fn close(nodes: &mut [Node], path: &mut Vec<usize>, depth: usize) {
    let end = nodes.len() as u32;
    for node in path.drain(depth..) {
        nodes[node].end = end;
    }
}
