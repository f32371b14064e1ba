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

/// One ID in this many ends its segment.
const REVIEWS_PER_SEGMENT: u64 = 128;

#[derive(Debug)]
pub struct Segment {
    /// The JSON of its entries, each followed by a comma.
    pub json: Bytes,
    /// The [`digest`] of its entries.
    pub digest: [u8; 32],
    /// Number of its entries; at least 1.
    pub len: usize,
    /// The texts of its entries, [`TEXTS_PER_BLOCK`] each.
    pub texts: Box<[TextBlock]>,
}

/// Whether the review with that ID is the last of its segment.
pub fn ends_segment(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_PER_SEGMENT)
}

/// SHA-256 of the digests of these entries' JSON.
pub fn digest(entries: &[Arc<Entry>]) -> [u8; 32] {
    let mut digest = Sha256::new();
    entries.iter().for_each(|entry| digest.update(entry.digest));
    digest.finalize().into()
}

/// Divides `entries` into segments. Those with the same content as one of `known` are that one.
pub fn divide(
    entries: &mut [Arc<Entry>],
    known: &[Arc<Segment>],
    known_entries: &[Arc<Entry>],
) -> Vec<Arc<Segment>> {
    let mut by_first = HashMap::with_capacity(known.len());
    let mut start = 0;
    for segment in known {
        let of_segment = &known_entries[start..start + segment.len];
        by_first.insert(of_segment[0].id().as_str(), (segment, of_segment));
        start += segment.len;
    }
    let by_digest: HashMap<_, _> = known.iter().map(|one| (one.digest, one)).collect();
    let parts = entries.chunk_by_mut(|entry, _| !ends_segment(entry.id().as_str()));
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
            let digest = digest(part);
            let segment = match by_digest.get(&digest) {
                Some(known) => Arc::clone(known),
                None => Arc::new(Segment {
                    json: join(part),
                    digest,
                    len: part.len(),
                    texts: texts(part),
                }),
            };
            slice(part, &segment.json);
            segment
        })
        .collect()
}

fn texts(entries: &[Arc<Entry>]) -> Box<[TextBlock]> {
    let blocks = entries.chunks(TEXTS_PER_BLOCK);
    blocks
        .map(|block| TextBlock::new(block.iter().map(|entry| entry.review.text.as_str())))
        .collect()
}

fn join(entries: &[Arc<Entry>]) -> Bytes {
    let mut json = Vec::with_capacity(json_len(entries));
    for entry in entries {
        json.extend_from_slice(&entry.json);
        json.push(b',');
    }
    json.into()
}

/// The length of the entries' JSON, each followed by a comma.
pub fn json_len(entries: &[Arc<Entry>]) -> usize {
    entries.iter().map(|entry| entry.json.len() + 1).sum()
}

/// Makes the JSON of new entries a part of their segment's.
fn slice(entries: &mut [Arc<Entry>], json: &Bytes) {
    let mut start = 0;
    for entry in entries {
        let end = start + entry.json.len();
        // Entries of earlier snapshots keep their own.
        if let Some(entry) = Arc::get_mut(entry) {
            entry.json = json.slice(start..end);
        }
        start = end + 1;
    }
}
