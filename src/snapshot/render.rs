//! Renders the input to the bytes of every document. Pure: the same input always gives the same bytes.

use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest, Sha256};

use super::atom::atom_feed;
use super::document::Document;
use super::feed::{FEED_REVIEWS, json_feed};
use super::input::SnapshotInput;
use crate::links::Links;
use crate::model::hash::hex;
use crate::wire;

/// A document's content in pieces, which snapshots share.
#[derive(Debug, Clone)]
pub struct Content {
    /// Their concatenation is the document.
    pub pieces: Vec<Bytes>,
    /// SHA-256 in hexadecimal: of a small document's bytes; for a large one, of its outer parts and its segments'
    /// digests.
    pub digest: String,
}

impl Content {
    #[must_use]
    pub fn whole(bytes: Vec<u8>) -> Self {
        let digest = hex(&Sha256::digest(&bytes));
        Self {
            pieces: vec![Bytes::from(bytes)],
            digest,
        }
    }

    #[must_use]
    pub fn len(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }

    /// False for every document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The pieces of a document with an `updated` instant: before it, the instant, after it.
const OPEN_PIECES: usize = 3;

/// A document without its `updated` instant, which is known only after its digest is compared with the published one.
#[derive(Debug, Clone)]
pub struct Draft {
    before: Vec<Bytes>,
    /// The text before and after the instant; `None` if the document has none.
    updated: Option<(&'static str, &'static str)>,
    after: Vec<Bytes>,
    /// SHA-256 of everything but the instant, in hexadecimal: a different digest is a new version.
    pub digest: String,
}

impl Draft {
    fn open(before: Vec<u8>, updated: (&'static str, &'static str), after: Vec<u8>) -> Self {
        let digest = Sha256::new_with_prefix(&before).chain_update(&after);
        Self {
            before: vec![before.into()],
            updated: Some(updated),
            after: vec![after.into()],
            digest: hex(&digest.finalize()),
        }
    }

    fn closed(content: Content) -> Self {
        Self {
            before: content.pieces,
            updated: None,
            after: Vec::new(),
            digest: content.digest,
        }
    }

    /// The document as published with that digest since `changed_at`.
    #[must_use]
    pub fn finish(self, changed_at: DateTime<Utc>) -> Content {
        let Some((opening, closing)) = self.updated else {
            return Content {
                pieces: self.before,
                digest: self.digest,
            };
        };
        let at = changed_at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        let digest = Sha256::new_with_prefix(&self.digest).chain_update(&at);
        let mut pieces = self.before;
        pieces.push(format!("{opening}{at}{closing}").into());
        pieces.extend(self.after);
        // Only the dataset has pieces that its next version shares.
        if pieces.len() == OPEN_PIECES {
            pieces = vec![pieces.concat().into()];
        }
        Content {
            pieces,
            digest: hex(&digest.finalize()),
        }
    }
}

/// Renders one document of `input` without its `updated` instant.
#[must_use]
pub fn draft(
    document: Document,
    input: &SnapshotInput,
    insights: &wire::Insights,
    links: &Links,
) -> Draft {
    let newest = || input.review_index.newest(FEED_REVIEWS);
    let first_links = input.first_links.as_ref().unwrap_or(links);
    match document {
        Document::Reviews => dataset(input),
        Document::Insights => Draft::closed(Content::whole(wire::json(insights))),
        Document::JsonFeed => {
            // `_feed` comes last and is omitted if it is empty.
            let feed = json_feed(&input.business, &newest(), links, first_links);
            Draft::open(
                wire::json_open(&feed),
                (r#","_feed":{"updated_at":""#, r#""}}"#),
                Vec::new(),
            )
        }
        Document::AtomFeed => {
            let (before, after) = atom_feed(&input.business, &newest(), links, first_links);
            Draft::open(before, ("<updated>", "</updated>"), after)
        }
    }
}

/// The dataset without its reviews; `changed_at` is `None` if unknown.
#[must_use]
pub fn head(input: &SnapshotInput, changed_at: Option<DateTime<Utc>>) -> wire::DatasetHead {
    wire::DatasetHead {
        business: (&input.business).into(),
        aggregate_rating: (&input.review_index.rating_counts()).into(),
        withheld: wire::Withheld {
            count: input.withheld.values().sum(),
            reasons: input.withheld.clone(),
        },
        updated_at: changed_at,
    }
}

fn dataset(input: &SnapshotInput) -> Draft {
    // `updated_at` is its last member.
    let head = wire::json_open(&head(input, None));
    let mut digest = Sha256::new_with_prefix(&head);
    input
        .review_index
        .segments()
        .iter()
        .for_each(|segment| digest.update(segment.digest()));
    Draft {
        before: vec![head.into()],
        updated: Some((r#","updated_at":""#, r#"","#)),
        after: array(
            br#""reviews":["#.to_vec(),
            input.review_index.json_of_first(input.review_index.len()),
            b"]}",
        ),
        digest: hex(&digest.finalize()),
    }
}

/// The pieces of a JSON array: opening, reviews that are each followed by a comma, and closing.
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
