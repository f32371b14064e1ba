//! Which review each row of an import is, by the rows and by what is stored of its source's reviews. Rows with an ID are found by it,
//! all others in steps by author, day and text, compared with what the source last said and with what stands. Where that leaves
//! a doubt, the row is doubtful, and the owner decides. `docs/IMPORT.md` has the rules with their numbers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::imports::report::NAMED_MAX;
use crate::imports::request::{Doubtful, ImportRequest};
use crate::imports::row::{ReviewRow, of_platform};
use crate::model::text::plain_words;
use crate::model::{Digests, ReviewId, Unit, Units, parse_toml};
use crate::storage::reviews::{Known, KnownReview};

/// From this number of words on, equal texts are of one review; shorter ones are written by many people.
const TELLING_WORDS_MIN: usize = 4;

/// The reviews of rows.
pub struct Identified {
    /// In the order of the rows.
    pub matches: Vec<RowMatch>,
    /// The reviews that doubtful rows may be.
    pub doubted: HashSet<ReviewId>,
    /// Of these, the ones that a row may be which its source hides.
    pub hidden: HashSet<ReviewId>,
}

/// The review of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowMatch {
    Known(ReviewId),
    /// Under this id, which is the row's unless another review has that.
    New(ReviewId),
    /// The row may be one of these reviews, the first of several, and is not imported.
    Doubtful(Vec<ReviewId>),
    /// Another row or review has its ID, and nothing else in common with it.
    Rejected,
    /// Another row of the same review is used.
    Repeated,
}

/// Finds the reviews of `rows`.
pub fn identify(
    rows: &[ReviewRow],
    known: &Known,
    request: &ImportRequest,
    other_ids: &HashSet<ReviewId>,
) -> Identified {
    let mut matcher = Matcher::new(rows, known);
    matcher.match_ids();
    matcher.repeat_equal();
    matcher.match_others();
    matcher.settle_doubts(request);
    let mut new_ids = NewIds {
        known,
        others: other_ids,
        taken: HashSet::new(),
        numbers: HashMap::new(),
    };
    let matches = rows.iter().zip(matcher.matches);
    let matches =
        matches.map(|(row, found)| found.unwrap_or_else(|| RowMatch::New(new_ids.next(row))));
    Identified {
        matches: matches.collect(),
        doubted: matcher.doubted,
        hidden: matcher.hidden,
    }
}

/// A stored review that rows may be.
struct Candidate<'k> {
    id: &'k ReviewId,
    known: &'k KnownReview,
    source: &'k str,
    /// Of what its source last said, and of what stands. None of a review that was deleted before a source gave it.
    digests: Vec<Digests>,
    /// Whether its source gave it an ID.
    has_id: bool,
    /// Whether the owner withheld, deleted or anonymized it.
    is_hidden_by_owner: bool,
    /// Whether a row is this review.
    has_row: bool,
}

/// What a row and a review have in common.
#[derive(Clone, Copy)]
enum SameBy {
    AuthorDayStarsText,
    AuthorDayText,
    AuthorDay,
    AuthorText,
    Text,
}

impl SameBy {
    /// The digests that are the same.
    const fn key(self, digests: &Digests) -> [i64; 2] {
        match self {
            Self::AuthorDayStarsText => [digests.author_and_day, digests.content],
            Self::AuthorDayText => [digests.author_and_day, digests.text],
            Self::AuthorDay => [digests.author_and_day, 0],
            Self::AuthorText => [digests.author(), digests.text],
            Self::Text => [digests.text, 0],
        }
    }
}

impl Candidate<'_> {
    /// Whether it may be that of a row: no other row is, and not both have an ID.
    const fn is_free(&self, row_has_id: bool) -> bool {
        !(self.has_row || row_has_id && self.has_id)
    }

    /// Whether a row may be doubtful for it: it is free, or the owner hid it. If both have an ID, it has no row, and the owner hid it.
    const fn may_cause_doubt(&self, row_has_id: bool) -> bool {
        if row_has_id && self.has_id {
            self.is_hidden_by_owner && !self.has_row
        } else {
            self.is_hidden_by_owner || !self.has_row
        }
    }
}

/// Rows, and the candidates that they may be, by their places.
#[derive(Default)]
struct Group {
    rows: Vec<usize>,
    candidates: Vec<usize>,
}

struct Matcher<'k> {
    rows: &'k [ReviewRow],
    /// Those that the owner hid come last, and of these the deleted ones: a row takes one of them only if no other is like it.
    candidates: Vec<Candidate<'k>>,
    /// `None` while it is not known.
    matches: Vec<Option<RowMatch>>,
    /// The first candidates of doubtful rows.
    doubts: BTreeMap<usize, Vec<usize>>,
    doubted: HashSet<ReviewId>,
    hidden: HashSet<ReviewId>,
}

impl<'k> Matcher<'k> {
    fn new(rows: &'k [ReviewRow], known: &'k Known) -> Self {
        let mut candidates = Vec::with_capacity(known.len());
        for (id, known) in known {
            candidates.push(Candidate {
                id,
                known,
                source: known.source_name(),
                digests: known.digests(),
                has_id: known.id_at_source().is_some() || !is_derived(id.as_str()),
                is_hidden_by_owner: known.is_hidden_by_owner(),
                has_row: false,
            });
        }
        candidates.sort_by_key(|it| (it.is_hidden_by_owner, it.known.is_deleted()));
        Self {
            rows,
            candidates,
            matches: vec![None; rows.len()],
            doubts: BTreeMap::new(),
            doubted: HashSet::new(),
            hidden: HashSet::new(),
        }
    }

    /// Rows whose review is not known yet, with the reviews of the same source that have the same: those of which `is_candidate` says that
    /// they may be the review of a row with or without an ID.
    fn groups(
        &self,
        same_by: SameBy,
        is_candidate: impl Fn(&Candidate<'k>, bool) -> bool,
    ) -> Vec<Group> {
        // Sorted lists take a third of the memory of a map of groups.
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(index, _)| self.matches[*index].is_none());
        let mut rows: Vec<_> = rows
            .map(|(index, row)| {
                let key = (row.source(), row.has_id, same_by.key(&row.digests));
                (key, index)
            })
            .collect();
        rows.sort_unstable();
        // Each with the place of the first row that has the same.
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            for row_has_id in [false, true] {
                if !is_candidate(candidate, row_has_id) {
                    continue;
                }
                for digests in &candidate.digests {
                    let key = (candidate.source, row_has_id, same_by.key(digests));
                    let first = rows.partition_point(|row| row.0 < key);
                    if rows.get(first).is_some_and(|row| row.0 == key) {
                        found.push((first, index));
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let groups = found.chunk_by(|one, other| one.0 == other.0);
        let mut groups: Vec<Group> = groups
            .map(|found| {
                let rows = &rows[found[0].0..];
                let same = rows.partition_point(|row| row.0 == rows[0].0);
                Group {
                    rows: rows[..same].iter().map(|row| row.1).collect(),
                    candidates: found.iter().map(|it| it.1).collect(),
                }
            })
            .collect();
        groups.sort_unstable_by_key(|group| group.rows[0]);
        groups
    }

    /// Takes a row as a review, unless another row is.
    fn take(&mut self, row: usize, candidate: usize) {
        let found = &mut self.candidates[candidate];
        if !found.has_row {
            found.has_row = true;
            self.matches[row] = Some(RowMatch::Known(found.id.clone()));
        }
    }

    /// A row with an ID is the review of its source with that ID. Of several rows of one ID the last counts; if one differs from it in
    /// author, day and text, or the review does, all are rejected.
    fn match_ids(&mut self) {
        let by_id = self.candidates_by_id();
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.has_id);
        let rows = rows.map(|(index, row)| {
            let source = row.source_name().unwrap_or_default();
            ((source, row.id()), index)
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        for same in rows.chunk_by(|one, other| one.0 == other.0) {
            let (source, id) = same[0].0;
            let rows: Vec<usize> = same.iter().map(|(_, index)| *index).collect();
            let last = rows[rows.len() - 1];
            let row = &self.rows[last];
            let mut digests = rows.iter().map(|it| &self.rows[*it].digests);
            let mut is_one = digests.all(|digests| may_be_one(row, digests));
            let mut found = by_id.get(&(source, id.as_str())).copied();
            if let Some(known) = found.map(|found| &self.candidates[found])
                && !known.digests.is_empty()
                && !known.digests.iter().any(|digests| may_be_one(row, digests))
            {
                found = None;
                // One of another source has the same ID by chance.
                is_one &= known.source != row.source();
            }
            if !is_one {
                for row in rows {
                    self.matches[row] = Some(RowMatch::Rejected);
                }
                continue;
            }
            for row in &rows[..rows.len() - 1] {
                self.matches[*row] = Some(RowMatch::Repeated);
            }
            match found {
                Some(found) if self.candidates[found].has_row => self.doubt(&Group {
                    rows: vec![last],
                    candidates: vec![found],
                }),
                Some(found) => self.take(last, found),
                None => {}
            }
        }
    }

    /// By source and ID, which is the source's, else the review's; a native row that names no source may be of any.
    fn candidates_by_id(&self) -> HashMap<(&'k str, &'k str), usize> {
        let mut by_id = HashMap::new();
        let candidates = self.candidates.iter().enumerate();
        let (others, own): (Vec<_>, Vec<_>) =
            candidates.partition(|(_, it)| it.known.id_at_source().is_some());
        for (index, candidate) in others.into_iter().chain(own) {
            let Candidate {
                id, source, known, ..
            } = *candidate;
            for source in [source, ""] {
                by_id.entry((source, id.as_str())).or_insert(index);
            }
            let id_at_source = known.id_at_source().unwrap_or(id.as_str());
            by_id.insert((source, id_at_source), index);
        }
        by_id
    }

    /// Rule 1: equal rows without an ID count once; of a name that many share, and without a text, as often as they stand in one file.
    fn repeat_equal(&mut self) {
        let (mut numbers, mut used) = (HashMap::new(), HashMap::new());
        for (index, row) in self.rows.iter().enumerate() {
            if row.has_id {
                continue;
            }
            let equal = SameBy::AuthorDayStarsText.key(&row.digests);
            let key = (row.source(), equal);
            let mut number = 0_usize;
            if is_shared_name(row.author()) && row.review().text.is_empty() {
                let numbers: &mut usize = numbers.entry((row.file, key)).or_default();
                *numbers += 1;
                number = *numbers;
            }
            if let Some(former) = used.insert((key, number), index) {
                // What one of equal rows hides, none shows.
                let is_hiding = self.rows[former].hidden_share() > row.hidden_share();
                let (used_row, repeated) = if is_hiding {
                    (former, index)
                } else {
                    (index, former)
                };
                used.insert((key, number), used_row);
                self.matches[repeated] = Some(RowMatch::Repeated);
            }
        }
    }

    /// Rules 1 to 4 for the rows that are left. What none of them takes or doubts is new: rule 5.
    fn match_others(&mut self) {
        // 1. Equal author, day and text, those of equal stars first, are the same review.
        for group in self.groups(SameBy::AuthorDayStarsText, Candidate::is_free) {
            for (row, candidate) in group.rows.into_iter().zip(group.candidates) {
                self.take(row, candidate);
            }
        }
        for group in self.groups(SameBy::AuthorDayText, Candidate::is_free) {
            self.take_only(&group);
        }
        // 2. One row and one review left of an author and a day are the same review, edited.
        for group in self.groups(SameBy::AuthorDay, Candidate::is_free) {
            if !self.is_doubtful_edit(&group) {
                self.take_only(&group);
            }
        }
        // 3. Equal author and telling text, in files with rows for at least half of the source's reviews, are the same review, its day
        // corrected. A doubtful row of an author and a day counts as a row of the reviews that it may be.
        let mut moved = self.groups(SameBy::AuthorText, Candidate::is_free);
        moved.retain(|group| self.has_telling_text(group));
        let doubtful = self.groups(SameBy::AuthorDay, Candidate::is_free);
        let partial = self.sources_without_half(moved.iter().chain(&doubtful));
        moved.retain(|group| !partial.contains(self.rows[group.rows[0]].source()));
        for group in moved {
            if !self.take_only(&group) {
                self.doubt(&group);
            }
        }
        // 4. Doubtful are rows for which several reviews are left, or whose author and day, or telling text, are those of one that the owner
        // hid. No other day brings a name back that was taken away.
        let left = self.groups(SameBy::AuthorDay, Candidate::may_cause_doubt);
        let mut same_text = self.groups(SameBy::Text, |it, _| it.is_hidden_by_owner);
        same_text.retain(|group| self.has_telling_text(group));
        let same_review = self.groups(SameBy::AuthorDayText, |it, _| it.is_hidden_by_owner);
        let mut same_name = self.groups(SameBy::AuthorText, |it, _| it.known.is_anonymized());
        same_name.retain(|group| !is_shared_name(self.rows[group.rows[0]].author()));
        for group in [left, same_text, same_review, same_name].iter().flatten() {
            self.doubt(group);
        }
    }

    /// Takes the row of a group as its review, if it has one of each; returns whether it has.
    fn take_only(&mut self, group: &Group) -> bool {
        let ([row], [candidate]) = (&group.rows[..], &group.candidates[..]) else {
            return false;
        };
        self.take(*row, *candidate);
        true
    }

    /// Whether a row and a review of an author and a day may be of two people, or an edit may not pass unseen.
    fn is_doubtful_edit(&self, group: &Group) -> bool {
        let row = &self.rows[group.rows[0]];
        let known = self.candidates[group.candidates[0]].known;
        let has_other_text = !row.statement.unstated.contains(&Unit::Text);
        is_shared_name(row.author())
            || known.is_deleted()
            || has_other_text && known.has_own_reply()
    }

    fn has_telling_text(&self, group: &Group) -> bool {
        let text = &self.rows[group.rows[0]].review().text;
        text.split_whitespace().count() >= TELLING_WORDS_MIN
    }

    /// The sources of which less than half of the reviews have a row, or are in the groups.
    fn sources_without_half<'g>(
        &self,
        groups: impl Iterator<Item = &'g Group>,
    ) -> HashSet<&'k str> {
        let candidates = groups.flat_map(|group| &group.candidates);
        let moved: HashSet<usize> = candidates.copied().collect();
        // By source, the number of reviews with a row less that of the others.
        let mut surplus: HashMap<&str, isize> = HashMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if !candidate.known.is_deleted() {
                let has_row = candidate.has_row || moved.contains(&index);
                *surplus.entry(candidate.source).or_default() += if has_row { 1 } else { -1 };
            }
        }
        surplus.retain(|_, surplus| *surplus < 0);
        surplus.into_keys().collect()
    }

    /// Notes that each of the rows may be any of the candidates.
    fn doubt(&mut self, group: &Group) {
        let rows = group.rows.iter().map(|row| self.rows[*row].hidden());
        let rows: Vec<Units> = rows.filter(|hidden| !hidden.is_empty()).collect();
        for candidate in &group.candidates {
            let Candidate { id, known, .. } = self.candidates[*candidate];
            self.doubted.insert(id.clone());
            if rows.iter().any(|hidden| known.shows_any(hidden)) {
                self.hidden.insert(id.clone());
            }
        }
        for row in &group.rows {
            let doubt = self.doubts.entry(*row).or_default();
            for candidate in group.candidates.iter().take(NAMED_MAX) {
                if !doubt.contains(candidate) {
                    doubt.push(*candidate);
                }
            }
        }
    }

    /// Takes doubtful rows as the owner says; neither answer brings back a deleted review.
    fn settle_doubts(&mut self, request: &ImportRequest) {
        let doubts = std::mem::take(&mut self.doubts);
        let mut rows_of: HashMap<usize, usize> = HashMap::new();
        for candidate in doubts.values().flatten() {
            *rows_of.entry(*candidate).or_default() += 1;
        }
        for (row, candidates) in doubts {
            if self.matches[row].is_some() {
                continue;
            }
            match (request.doubtful, &candidates[..]) {
                (Some(Doubtful::New), _)
                    if request.restore || !self.is_deleted(row, &candidates) => {}
                (Some(Doubtful::Same), [only])
                    if rows_of[only] == 1 && !self.candidates[*only].has_row =>
                {
                    self.take(row, *only);
                }
                _ => {
                    let ids = candidates.iter().map(|it| self.candidates[*it].id.clone());
                    self.matches[row] = Some(RowMatch::Doubtful(ids.collect()));
                }
            }
        }
    }

    /// Whether one of the candidates is deleted and had the row's text.
    fn is_deleted(&self, row: usize, candidates: &[usize]) -> bool {
        let text = self.rows[row].digests.text;
        candidates.iter().any(|candidate| {
            let Candidate { known, digests, .. } = &self.candidates[*candidate];
            known.is_deleted() && digests.iter().any(|it| it.text == text)
        })
    }
}

/// Whether two statements of one ID may be of one review: author, day or text are the same. Of a table, whose IDs are less sure, a name
/// that many share says nothing.
fn may_be_one(row: &ReviewRow, other: &Digests) -> bool {
    let one = &row.digests;
    let is_name = !row.format.is_table() || !is_shared_name(row.author());
    is_name && one.author() == other.author()
        || one.has_day_of(other)
        || one.text == other.text && !row.review().text.is_empty()
}

/// Maximum number of bytes of an ID, or of a source's name in it, before something that is added: 128 are allowed.
const BASE_BYTES_MAX: usize = 90;

/// Gives new reviews their IDs: the row's; if another review has it, that after its source's name; then these with numbers.
struct NewIds<'k> {
    known: &'k Known,
    others: &'k HashSet<ReviewId>,
    taken: HashSet<ReviewId>,
    /// The last number of an ID.
    numbers: HashMap<String, u64>,
}

impl NewIds<'_> {
    fn next(&mut self, row: &ReviewRow) -> ReviewId {
        let mut id = row.id().clone();
        if self.is_taken(&id) && row.has_id {
            id = of_platform(&prefix(row.source()), id.as_str()).unwrap_or(id);
        }
        let base = id.as_str().get(..BASE_BYTES_MAX).unwrap_or(id.as_str());
        let base = base.to_owned();
        let mut number = self.numbers.get(&base).copied().unwrap_or(1);
        while self.is_taken(&id) {
            number += 1;
            id = of_platform(&base, &number.to_string()).unwrap_or(id);
        }
        self.numbers.insert(base, number);
        self.taken.insert(id.clone());
        id
    }

    fn is_taken(&self, id: &ReviewId) -> bool {
        self.known.contains_key(id) || self.others.contains(id) || self.taken.contains(id)
    }
}

/// The name of a source as the beginning of an ID.
fn prefix(source: &str) -> String {
    let name = plain_words(source).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    match name.trim_matches('-') {
        "" => "source".to_owned(),
        name => name.get(..BASE_BYTES_MAX).unwrap_or(name).to_owned(),
    }
}

/// Whether an id was derived from a row without one, by `row::derive_id`; of equal rows it has a number.
pub fn is_derived(id: &str) -> bool {
    let digest = id.rsplit_once("-~").map(|(_, rest)| rest.split('-').next());
    let digest = digest.flatten().unwrap_or_default();
    digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether many people may have the name, so that it does not identify one.
pub fn is_shared_name(name: &str) -> bool {
    #[derive(Deserialize)]
    struct Names {
        shared: Vec<String>,
    }
    static NAMES: LazyLock<Names> = LazyLock::new(|| parse_toml(include_str!("names.toml")));
    let name = name.trim().to_lowercase();
    name.is_empty() || NAMES.shared.contains(&name)
}
