//! A block: about 128 reviews in their order, immutable, shared by every edition that has them unchanged.
//!
//! A block ends after a review whose id's hash says so, never by count. Blocks are therefore a function of the reviews
//! alone, not of the order in which they arrived, and a change rebuilds its own block and no other.

use std::sync::OnceLock;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::column::Column;
use super::entry::{Entry, Place, place};
use super::postings::Postings;
use crate::hash::{FNV_OFFSET, fnv1a};
use crate::insights::compile::{Votes, votes_of};
use crate::insights::{Note, NoteRef, Notes};
use crate::reviews::{Rating, Tally};

/// One id in this many ends its block.
const REVIEWS_A_BLOCK: u64 = 128;
/// Stands after each folded text: a byte that no UTF-8 text has, so that nothing is found across two texts.
const SEPARATOR: u8 = 0xFF;
/// Stands in the column of review numbers for a review that the text index may not find: its number is not known, or its
/// text holds what FTS5 does not index as we fold it.
pub const UNINDEXED: u32 = u32::MAX;

/// Whether the review of that id is the last of its block.
#[must_use]
pub fn ends_block(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_A_BLOCK)
}

/// FNV-1a with the finaliser of `MurmurHash3`. Fixed for good: blocks, hence digests and `ETag`s, depend on it.
#[must_use]
pub fn id_hash(id: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, id.as_bytes());
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

/// See the head of this file.
#[derive(Debug)]
pub struct Block {
    json: Bytes,
    json_ends: Vec<u32>,
    folded: Column,
    ids: Column,
    days: Vec<i32>,
    stars: Vec<u8>,
    updated: Vec<DateTime<Utc>>,
    technicians: Postings,
    services: Postings,
    service_areas: Postings,
    review_nos: Vec<u32>,
    notes: Notes,
    unread: Vec<u32>,
    digest: [u8; 32],
    tally: Tally,
    with_text: u64,
    votes: OnceLock<Vec<Votes>>,
}

impl Block {
    /// How many reviews it has; never 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.days.len()
    }

    /// Never: a block is finished only with a review in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// The JSON of all its reviews, each followed by a comma.
    #[must_use]
    pub const fn json(&self) -> &Bytes {
        &self.json
    }

    /// The JSON of its first `count` reviews, each followed by a comma.
    #[must_use]
    pub fn json_of_first(&self, count: usize) -> Bytes {
        let end = if count == 0 { 0 } else { self.json_ends[count - 1] as usize };
        self.json.slice(..end)
    }

    /// The JSON of one review, without the comma.
    #[must_use]
    pub fn json_of(&self, index: usize) -> Bytes {
        let start = if index == 0 { 0 } else { self.json_ends[index - 1] as usize };
        self.json.slice(start..self.json_ends[index] as usize - 1)
    }

    /// The folded texts, one behind the other, each followed by a byte that no text has.
    #[must_use]
    pub fn folded(&self) -> &[u8] {
        &self.folded.bytes
    }

    /// Where a review's folded text begins in [`Block::folded`], and where the next one's does.
    #[must_use]
    pub fn folded_bounds(&self, index: usize) -> (usize, usize) {
        self.folded.bounds(index)
    }

    /// In which review's folded text the byte at `offset` is, given that it is in that of `from` or a later one.
    #[must_use]
    pub fn review_at(&self, offset: usize, from: usize) -> usize {
        let ends_before = |end: &u32| *end as usize <= offset;
        // Mostly it is the first: what is common is in nearly every text.
        match &self.folded.ends[from..] {
            [first, rest @ ..] if ends_before(first) => from + 1 + rest.partition_point(ends_before),
            _ => from,
        }
    }

    /// Where a review stands.
    #[must_use]
    pub fn place(&self, index: usize) -> Place<'_> {
        place(self.days[index], self.id(index))
    }

    /// A review's id.
    #[must_use]
    pub fn id(&self, index: usize) -> &str {
        let (start, end) = self.ids.bounds(index);
        // Ids are ASCII by type.
        std::str::from_utf8(&self.ids.bytes[start..end]).unwrap_or_default()
    }

    /// The days of its reviews, descending.
    #[must_use]
    pub fn days(&self) -> &[i32] {
        &self.days
    }

    /// The stars of its reviews.
    #[must_use]
    pub fn stars(&self) -> &[u8] {
        &self.stars
    }

    /// The technicians that its reviews mention.
    #[must_use]
    pub const fn technicians(&self) -> &Postings {
        &self.technicians
    }

    /// The services that its reviews mention.
    #[must_use]
    pub const fn services(&self) -> &Postings {
        &self.services
    }

    /// The places that its reviews mention.
    #[must_use]
    pub const fn service_areas(&self) -> &Postings {
        &self.service_areas
    }

    /// The numbers by which the text index knows its reviews, or [`UNINDEXED`].
    #[must_use]
    pub fn review_nos(&self) -> &[u32] {
        &self.review_nos
    }

    /// What was read in its texts, with each review's index; reviews that are still to be read are left out.
    pub fn notes(&self) -> impl Iterator<Item = (usize, NoteRef<'_>)> {
        (0..self.len()).filter_map(|index| Some((index, self.note(index)?)))
    }

    /// The notes of the reviews that have been read, one behind the other.
    #[must_use]
    pub const fn column_of_notes(&self) -> &Notes {
        &self.notes
    }

    /// How its reviews speak of each of a trade's aspects, which there are so many of; counted when it is first asked for.
    #[must_use]
    pub fn votes(&self, aspects: usize) -> &[Votes] {
        self.votes.get_or_init(|| votes_of(self.notes.iter(), aspects))
    }

    /// What was read in a review's text, or `None` where that is still to be done.
    #[must_use]
    pub fn note(&self, index: usize) -> Option<NoteRef<'_>> {
        let before = self.unread.partition_point(|unread| (*unread as usize) < index);
        let is_unread = self.unread.get(before).is_some_and(|unread| *unread as usize == index);
        (!is_unread).then(|| self.notes.get(index - before))
    }

    /// The indices of the reviews that are still to be read, ascending.
    #[must_use]
    pub fn unread(&self) -> &[u32] {
        &self.unread
    }

    /// SHA-256 of its JSON.
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Its stars, counted.
    #[must_use]
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How many of its reviews say something.
    #[must_use]
    pub const fn with_text(&self) -> u64 {
        self.with_text
    }

    /// When the last of its reviews changed.
    #[must_use]
    pub fn updated_at(&self) -> Option<DateTime<Utc>> {
        self.updated.iter().max().copied()
    }
}

/// A block in the making.
#[derive(Debug, Default)]
pub struct Builder {
    json: Column,
    folded: Column,
    ids: Column,
    days: Vec<i32>,
    stars: Vec<u8>,
    updated: Vec<DateTime<Utc>>,
    technicians: Postings,
    services: Postings,
    service_areas: Postings,
    review_nos: Vec<u32>,
    notes: Notes,
    unread: Vec<u32>,
    tally: Tally,
    with_text: u64,
}

impl Builder {
    /// Whether there is anything in it yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// Adds the next review.
    pub fn push(&mut self, entry: &Entry) {
        self.columns(&entry.key.id, entry.key.day, entry.stars, entry.updated_at, &entry.json, entry.folded.as_bytes());
        let at = self.days.len() - 1;
        entry.technicians.iter().for_each(|mention| self.technicians.push(at, mention));
        entry.services.iter().for_each(|mention| self.services.push(at, mention));
        entry.service_areas.iter().for_each(|mention| self.service_areas.push(at, mention));
        self.review_nos.push(entry.indexed_no());
        self.note(at, entry.note.as_ref().map(Note::borrowed));
    }

    /// Adds the next review as another block has it.
    pub fn push_from(&mut self, block: &Block, index: usize) {
        let (start, end) = block.folded_bounds(index);
        let folded = &block.folded()[start..end - 1];
        let (days, stars, updated) = (block.days[index], block.stars[index], block.updated[index]);
        self.columns(block.id(index), days, stars, updated, &block.json_of(index), folded);
        let at = self.days.len() - 1;
        block.technicians.at(index).for_each(|mention| self.technicians.push(at, mention));
        block.services.at(index).for_each(|mention| self.services.push(at, mention));
        block.service_areas.at(index).for_each(|mention| self.service_areas.push(at, mention));
        self.review_nos.push(block.review_nos[index]);
        self.note(at, block.note(index));
    }

    fn note(&mut self, at: usize, note: Option<NoteRef<'_>>) {
        match note {
            Some(note) => self.notes.push(note),
            None => self.unread.push(u32::try_from(at).unwrap_or(u32::MAX)),
        }
    }

    fn columns(&mut self, id: &str, day: i32, stars: u8, updated_at: DateTime<Utc>, json: &[u8], folded: &[u8]) {
        self.json.push(json, b",");
        self.folded.push(folded, &[SEPARATOR]);
        self.ids.push(id.as_bytes(), b"");
        self.days.push(day);
        self.stars.push(stars);
        self.updated.push(updated_at);
        self.with_text += u64::from(!folded.is_empty());
        if let Ok(rating) = Rating::try_from(i64::from(stars)) {
            self.tally.count(rating);
        }
    }

    /// The finished block; this builder is empty again, and keeps its room: what grows is copied once, into just the
    /// room it needs.
    #[must_use]
    pub fn finish(&mut self) -> Block {
        let block = Block {
            digest: Sha256::digest(&self.json.bytes).into(),
            json: Bytes::copy_from_slice(&self.json.bytes),
            json_ends: self.json.ends.clone(),
            folded: self.folded.clone(),
            ids: self.ids.clone(),
            days: self.days.clone(),
            stars: self.stars.clone(),
            updated: self.updated.clone(),
            technicians: std::mem::take(&mut self.technicians),
            services: std::mem::take(&mut self.services),
            service_areas: std::mem::take(&mut self.service_areas),
            review_nos: self.review_nos.clone(),
            notes: self.notes.clone(),
            unread: std::mem::take(&mut self.unread),
            tally: std::mem::take(&mut self.tally),
            with_text: std::mem::take(&mut self.with_text),
            votes: OnceLock::new(),
        };
        [&mut self.json, &mut self.folded, &mut self.ids].into_iter().for_each(Column::clear);
        self.days.clear();
        self.stars.clear();
        self.updated.clear();
        self.review_nos.clear();
        self.notes.clear();
        block
    }
}
