//! A segment: the JSON of about 128 consecutive entries and their texts for queries, shared by every snapshot that has them
//! unchanged, and so are its compressed pieces.
//!
//! A segment ends after a review whose ID has a certain hash, never by count. So segments depend only on the reviews,
//! not on the order of their arrival, and a change rebuilds only its own segment.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::entry::{Entry, id_hash};
use super::texts::{TEXTS_PER_BLOCK, TextBlock};
use crate::links::Links;
use crate::wire;

/// One ID in this many ends its segment.
const REVIEWS_PER_SEGMENT: u64 = 128;

#[derive(Debug)]
pub struct Segment {
    /// The JSON of its entries, each followed by a comma.
    pub json: Bytes,
    /// Of each entry, at least one: the end of its JSON, and its SHA-256.
    rendered: Box<[(usize, [u8; 32])]>,
    /// The digest of all entries.
    pub digest: [u8; 32],
    /// The texts of its entries, [`TEXTS_PER_BLOCK`] each.
    pub texts: Box<[TextBlock]>,
}

impl Segment {
    /// Renders the entries straight into one buffer: each in its own would leave holes in memory.
    fn new(entries: &[Arc<Entry>], links: &Links) -> Self {
        let (mut json, mut rendered) = (Vec::new(), Vec::with_capacity(entries.len()));
        for entry in entries {
            let start = json.len();
            wire::write_json(&mut json, &wire::Review::new(&entry.review, links));
            rendered.push((json.len(), Sha256::digest(&json[start..]).into()));
            json.push(b',');
        }
        Self {
            json: json.into_boxed_slice().into(),
            digest: digest(&rendered),
            rendered: rendered.into(),
            texts: Box::default(),
        }
    }

    pub const fn count(&self) -> usize {
        self.rendered.len()
    }

    /// The JSON of one entry, and its SHA-256.
    pub fn json_at(&self, at: usize) -> (Bytes, &[u8; 32]) {
        let start = self.json_of_first(at).len();
        let (end, digest) = &self.rendered[at];
        (self.json.slice(start..*end), digest)
    }

    /// The JSON of the first `count` entries, each followed by a comma.
    pub fn json_of_first(&self, count: usize) -> Bytes {
        let last = count.checked_sub(1);
        self.json
            .slice(..last.map_or(0, |last| self.rendered[last].0 + 1))
    }

    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        digest(&self.rendered[..count])
    }
}

/// SHA-256 of the digests of these entries' JSON.
fn digest(rendered: &[(usize, [u8; 32])]) -> [u8; 32] {
    let mut digest = Sha256::new();
    rendered.iter().for_each(|(_, one)| digest.update(one));
    digest.finalize().into()
}

/// Whether the review with that ID is the last of its segment.
pub fn ends_segment(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_PER_SEGMENT)
}

/// Divides `entries` into segments. Those with the same content as one of `known` are that one.
pub fn divide(
    entries: &[Arc<Entry>],
    known: &[Arc<Segment>],
    known_entries: &[Arc<Entry>],
    links: &Links,
) -> Vec<Arc<Segment>> {
    let mut by_first = HashMap::with_capacity(known.len());
    let mut start = 0;
    for segment in known {
        let of_segment = &known_entries[start..start + segment.count()];
        by_first.insert(of_segment[0].id().as_str(), (segment, of_segment));
        start += segment.count();
    }
    let by_digest: HashMap<_, _> = known.iter().map(|one| (one.digest, one)).collect();
    let parts = entries.chunk_by(|entry, _| !ends_segment(entry.id().as_str()));
    parts
        .map(|part| {
            let same = by_first.get(part[0].id().as_str());
            let same = same.filter(|(_, other)| {
                let mut pairs = part.iter().zip(*other);
                part.len() == other.len() && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
            });
            if let Some((segment, _)) = same {
                return Arc::clone(segment);
            }
            let new = Segment::new(part, links);
            match by_digest.get(&new.digest) {
                Some(known) => Arc::clone(known),
                None => Arc::new(Segment {
                    texts: texts(part),
                    ..new
                }),
            }
        })
        .collect()
}

fn texts(entries: &[Arc<Entry>]) -> Box<[TextBlock]> {
    let blocks = entries.chunks(TEXTS_PER_BLOCK);
    blocks
        .map(|block| TextBlock::new(block.iter().map(|entry| entry.review.text.as_str())))
        .collect()
}
