//! Sequences of word numbers, and what they name. The longest that begins at a place wins.

use std::collections::{BTreeMap, BTreeSet};

use super::tagged_text::TaggedText;
use crate::steps;

#[derive(Debug, Clone)]
struct Node<V> {
    /// A word's number and the index of its node, ascending by number.
    children: Vec<(u32, u32)>,
    values: Vec<V>,
}

/// What so many things share names none of them: a text that has it would mean everything. It also
/// bounds what one word of a text may bring, whatever the roster is.
const VALUES_MAX: usize = 64;

/// From sequences of words to values.
#[derive(Debug, Clone)]
pub struct Trie<V> {
    nodes: Vec<Node<V>>,
    /// By number of the first word: its node, or 0.
    roots: Vec<u32>,
}

impl<V: Clone + PartialEq> Trie<V> {
    /// Puts every entry in; the same value twice at one place counts once.
    pub fn new(entries: &[(Vec<u32>, V)]) -> Self {
        let mut trie = Self {
            nodes: vec![Node {
                children: Vec::new(),
                values: Vec::new(),
            }],
            roots: Vec::new(),
        };
        let mut edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut crowded = BTreeSet::new();
        for (words, value) in entries {
            steps::add(words.len());
            let mut at = 0;
            for word in words {
                at = *edges.entry((at, *word)).or_insert_with(|| {
                    trie.nodes.push(Node {
                        children: Vec::new(),
                        values: Vec::new(),
                    });
                    u32::try_from(trie.nodes.len() - 1).unwrap_or_default()
                });
            }
            let values = &mut trie.nodes[at as usize].values;
            steps::add(values.len());
            if at == 0 || crowded.contains(&at) || values.contains(value) {
                continue;
            }
            values.push(value.clone());
            if values.len() > VALUES_MAX {
                *values = Vec::new();
                crowded.insert(at);
            }
        }
        for ((from, word), to) in edges {
            if from == 0 {
                let len = trie.roots.len().max(word as usize + 1);
                trie.roots.resize(len, 0);
                trie.roots[word as usize] = to;
            } else {
                trie.nodes[from as usize].children.push((word, to));
            }
        }
        trie
    }

    /// The longest entry that begins at a token and ends before `end`: where it ends, and its
    /// values.
    pub fn longest(
        &self,
        tagged: &TaggedText<'_>,
        start: usize,
        end: usize,
    ) -> Option<(usize, &[V])> {
        let root = *self.roots.get(tagged.word(start).id as usize)?;
        let mut node = (root != 0).then(|| &self.nodes[root as usize])?;
        let (mut at, mut found) = (start + 1, None);
        loop {
            if !node.values.is_empty() {
                found = Some((at, node.values.as_slice()));
            }
            let id = if at < end { tagged.word(at).id } else { 0 };
            steps::one();
            match node.children.binary_search_by_key(&id, |(word, _)| *word) {
                Ok(next) if id != 0 => node = &self.nodes[node.children[next].1 as usize],
                _ => return found,
            }
            at += 1;
        }
    }
}
