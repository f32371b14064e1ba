//! Printing: from the reviews and what stands beside them to the bytes of every document. Pure: the same input gives the
//! same bytes, whenever and wherever.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::atom::atom_feed;
use super::document::Document;
use super::feed::{FEED_REVIEWS, json_feed, read_back};
use super::insights::insights;
use super::shelf::Shelf;
use crate::business::Business;
use crate::hash::hex;
use crate::insights::{Editorial, Reader};
use crate::links::Links;
use crate::wire;

/// All that an edition is printed from.
#[derive(Debug, Clone, Default)]
pub struct Copy {
    /// The published reviews.
    pub shelf: Shelf,
    /// Whose they are.
    pub business: Business,
    /// What the firm writes beside them.
    pub editorial: Editorial,
    /// How many reviews do not appear, by reason.
    pub withheld: BTreeMap<String, u64>,
    /// Who read the texts.
    pub reader: Arc<Reader>,
    /// Who is to read them: another one where the roster has changed and reading all of them anew takes longer than a
    /// moment. Until that is done, all is as the other read it.
    pub next_reader: Arc<Reader>,
}

impl Copy {
    /// How many reviews are still to be read, or to be read anew.
    #[must_use]
    pub fn behind(&self) -> usize {
        if self.reader.method() == self.next_reader.method() { self.shelf.count_unread() } else { self.shelf.len() }
    }
}

/// A document's content in pieces, which editions share.
#[derive(Debug, Clone)]
pub struct Content {
    /// One behind the other they are the document.
    pub pieces: Vec<Bytes>,
    /// SHA-256 in hexadecimal: of a small document's bytes; of a large one's outer parts and its blocks' digests.
    pub digest: String,
}

impl Content {
    /// A document in one piece.
    #[must_use]
    pub fn whole(bytes: Vec<u8>) -> Self {
        let digest = hex(&Sha256::digest(&bytes));
        Self { pieces: vec![Bytes::from(bytes)], digest }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// Whether it has none: no document does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Prints one document.
#[must_use]
pub fn print(document: Document, copy: &Copy, links: &Links) -> Content {
    let newest = || read_back(&copy.shelf.json_of_first(FEED_REVIEWS));
    match document {
        Document::Reviews => dataset(copy),
        Document::Insights => Content::whole(wire::json(&insights(copy, links))),
        Document::JsonFeed => Content::whole(wire::json(&json_feed(&copy.business, &newest(), links, document.path()))),
        Document::AtomFeed => Content::whole(atom_feed(&copy.business, &newest(), links, document.path())),
    }
}

/// The dataset without its reviews.
#[must_use]
pub fn head(copy: &Copy) -> wire::DatasetHead {
    wire::DatasetHead {
        business: (&copy.business).into(),
        aggregate_rating: (&copy.shelf.tally()).into(),
        withheld: wire::Withheld { count: copy.withheld.values().sum(), reasons: copy.withheld.clone() },
        updated_at: copy.shelf.blocks().iter().filter_map(|block| block.updated_at()).max(),
    }
}

fn dataset(copy: &Copy) -> Content {
    let mut head = wire::json(&head(copy));
    head.pop();
    head.extend_from_slice(b",\"reviews\":[");
    let mut digest = Sha256::new_with_prefix(&head);
    copy.shelf.blocks().iter().for_each(|block| digest.update(block.digest()));
    Content { pieces: array(head, copy.shelf.json_of_first(copy.shelf.len()), b"]}"), digest: hex(&digest.finalize()) }
}

/// A JSON array's pieces: what opens it, reviews that are each followed by a comma, and what closes it.
#[must_use]
pub fn array(opening: Vec<u8>, reviews: Vec<Bytes>, closing: &'static [u8]) -> Vec<Bytes> {
    let mut pieces = Vec::with_capacity(reviews.len() + 2);
    pieces.push(Bytes::from(opening));
    pieces.extend(reviews);
    if pieces.len() > 1
        && let Some(last) = pieces.last_mut()
    {
        last.truncate(last.len() - 1);
    }
    pieces.push(Bytes::from_static(closing));
    pieces
}
