//! Which review each row of an import is, by the rows and by what is stored of its source's reviews. Rows with an ID are found by it,
//! all others in steps by author, day and text, compared with what the source last said and with what stands. Where that leaves
//! a doubt, the row is doubtful, and the owner decides. `docs/IMPORT.md` has the rules with their numbers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::imports::incoming::ReviewRow;
use crate::imports::report::NAMED_MAX;
use crate::imports::request::{Doubtful, ImportRequest};
use crate::imports::value::names::of_platform;
use crate::model::text::words;
use crate::model::{Digests, ReviewId, Status, Unit, parse_toml};
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
    /// Under this id, which is the row's own unless another review has that.
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
    matcher.match_equal();
    matcher.match_edited();
    matcher.match_moved();
    matcher.doubt_others();
    matcher.settle_doubts(request);
    let mut new_ids = NewIds::new(known, other_ids);
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
    is_hidden: bool,
    /// Whether a row is this review.
    has_row: bool,
}

/// What a row and a review have in common.
#[derive(Clone, Copy)]
enum Equal {
    AuthorDayStarsText,
    AuthorDayText,
    AuthorDay,
    AuthorText,
    Text,
}

impl Equal {
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

/// The reviews among which a row is looked for.
#[derive(Clone, Copy)]
enum Among {
    /// Those that no row is; if the row has an ID, only those that have none.
    Left,
    /// Those that no row is or the owner hid; if the row has an ID, of those that have one only what no row is and the owner hid.
    LeftOrHidden,
    Hidden,
    Anonymized,
}

impl Among {
    fn has(self, candidate: &Candidate<'_>, row_has_id: bool) -> bool {
        let have_ids = row_has_id && candidate.has_id;
        match self {
            Self::Left => !candidate.has_row && !have_ids,
            Self::LeftOrHidden if have_ids => candidate.is_hidden && !candidate.has_row,
            Self::LeftOrHidden => candidate.is_hidden || !candidate.has_row,
            Self::Hidden => candidate.is_hidden,
            Self::Anonymized => candidate.known.is_anonymized(),
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
    /// Those that the owner hid come last.
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
                is_hidden: known.is_hidden_by_owner(),
                has_row: false,
            });
        }
        candidates.sort_by_key(|it| (it.is_hidden, it.known.is_deleted()));
        Self {
            rows,
            candidates,
            matches: vec![None; rows.len()],
            doubts: BTreeMap::new(),
            doubted: HashSet::new(),
            hidden: HashSet::new(),
        }
    }

    /// Rows whose review is not known yet, with the reviews of the same source that they may be.
    fn groups(&self, among: Among, equal: Equal) -> Vec<Group> {
        let mut groups: HashMap<(&str, bool, [i64; 2]), Group> = HashMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            if self.matches[index].is_none() {
                let key = (
                    row.source(),
                    row.incoming.has_own_id,
                    equal.key(&row.digests),
                );
                groups.entry(key).or_default().rows.push(index);
            }
        }
        for (index, candidate) in self.candidates.iter().enumerate() {
            for row_has_id in [false, true] {
                if !among.has(candidate, row_has_id) {
                    continue;
                }
                for digests in &candidate.digests {
                    let key = (candidate.source, row_has_id, equal.key(digests));
                    if let Some(group) = groups.get_mut(&key)
                        && group.candidates.last() != Some(&index)
                    {
                        group.candidates.push(index);
                    }
                }
            }
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        groups.retain(|group| !group.candidates.is_empty());
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
        let mut rows_by_id: BTreeMap<(&str, &ReviewId), Vec<usize>> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            if row.incoming.has_own_id {
                let source = row.incoming.source_name().unwrap_or_default();
                let rows = rows_by_id.entry((source, row.id())).or_default();
                rows.push(index);
            }
        }
        for ((source, id), rows) in rows_by_id {
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
            if let Some(found) = found {
                self.take(last, found);
            }
        }
    }

    /// By source and ID, as the source gives it or as it is here; a native row that names no source may be of any.
    fn candidates_by_id(&self) -> HashMap<(&'k str, &'k str), usize> {
        let mut by_id = HashMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            let Candidate { id, source, .. } = *candidate;
            if let Some(id_at_source) = candidate.known.id_at_source() {
                by_id.insert((source, id_at_source), index);
            }
            for source in [source, ""] {
                by_id.entry((source, id.as_str())).or_insert(index);
            }
        }
        by_id
    }

    /// Rule 1: equal rows without an ID count once; of a name that many share, and without a text, as often as they stand in one file.
    fn repeat_equal(&mut self) {
        let (mut numbers, mut used) = (HashMap::new(), HashMap::new());
        for (index, row) in self.rows.iter().enumerate() {
            if row.incoming.has_own_id {
                continue;
            }
            let equal = Equal::AuthorDayStarsText.key(&row.digests);
            let key = (row.source(), equal);
            let number: &mut usize = numbers.entry((row.file, key)).or_default();
            let is_of_many = is_shared_name(row.author()) && row.review().text.is_empty();
            *number += usize::from(is_of_many);
            if let Some(former) = used.insert((key, *number), index) {
                // What one of equal rows hides, none shows.
                let is_hiding = self.rows[former].incoming.hides() && !row.incoming.hides();
                let repeated = if is_hiding { index } else { former };
                used.insert((key, *number), index + former - repeated);
                self.matches[repeated] = Some(RowMatch::Repeated);
            }
        }
    }

    /// Rule 1: equal author, day and text, those of equal stars first.
    fn match_equal(&mut self) {
        for group in self.groups(Among::Left, Equal::AuthorDayStarsText) {
            for (row, candidate) in group.rows.into_iter().zip(group.candidates) {
                self.take(row, candidate);
            }
        }
        for group in self.groups(Among::Left, Equal::AuthorDayText) {
            if let ([row], [candidate]) = (&group.rows[..], &group.candidates[..]) {
                self.take(*row, *candidate);
            }
        }
    }

    /// Rule 2: one row and one review left of an author and a day are the same review, edited.
    fn match_edited(&mut self) {
        for group in self.groups(Among::Left, Equal::AuthorDay) {
            if let ([index], [found]) = (&group.rows[..], &group.candidates[..]) {
                let (row, known) = (&self.rows[*index], self.candidates[*found].known);
                let has_other_text = !row.incoming.statement.unstated.contains(&Unit::Text);
                let is_doubtful = is_shared_name(row.author())
                    || known.is_deleted()
                    || has_other_text && known.has_own_reply();
                if !is_doubtful {
                    self.take(*index, *found);
                }
            }
        }
    }

    /// Rule 3: equal author and telling text, in files with rows for at least half of the source's reviews, are the same review, its day
    /// corrected.
    fn match_moved(&mut self) {
        let mut groups = self.groups(Among::Left, Equal::AuthorText);
        groups.retain(|group| has_telling_text(&self.rows[group.rows[0]]));
        let mut moved = HashSet::new();
        for group in &groups {
            moved.extend(group.candidates.iter().copied());
        }
        // By source, the number of reviews with a row less that of the others.
        let mut surplus: HashMap<&str, isize> = HashMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if !candidate.known.is_deleted() {
                let has_row = candidate.has_row || moved.contains(&index);
                let surplus = surplus.entry(candidate.source).or_default();
                *surplus += if has_row { 1 } else { -1 };
            }
        }
        for group in groups {
            let source = self.rows[group.rows[0]].source();
            if surplus.get(source).is_some_and(|surplus| *surplus < 0) {
                continue;
            }
            match (&group.rows[..], &group.candidates[..]) {
                ([row], [candidate]) => self.take(*row, *candidate),
                _ => self.doubt(&group),
            }
        }
    }

    /// Rule 4: rows are doubtful where several reviews fit, or where author and day, or a telling text, are those of one that the owner hid.
    fn doubt_others(&mut self) {
        for group in self.groups(Among::LeftOrHidden, Equal::AuthorDay) {
            self.doubt(&group);
        }
        for group in self.groups(Among::Hidden, Equal::Text) {
            if has_telling_text(&self.rows[group.rows[0]]) {
                self.doubt(&group);
            }
        }
        for group in self.groups(Among::Hidden, Equal::AuthorDayText) {
            self.doubt(&group);
        }
        // No other day brings a name back that was taken away.
        for group in self.groups(Among::Anonymized, Equal::AuthorText) {
            if !is_shared_name(self.rows[group.rows[0]].author()) {
                self.doubt(&group);
            }
        }
    }

    /// Notes that each of the rows may be any of the candidates.
    fn doubt(&mut self, group: &Group) {
        let mut reviews = group.rows.iter().map(|row| self.rows[*row].review());
        let is_hiding = reviews.any(|review| review.status != Status::Published);
        for candidate in &group.candidates {
            let id = self.candidates[*candidate].id;
            self.doubted.insert(id.clone());
            if is_hiding {
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

fn has_telling_text(row: &ReviewRow) -> bool {
    row.review().text.split_whitespace().count() >= TELLING_WORDS_MIN
}

/// Gives new reviews their IDs: the row's own; if another review has it, that after its source's name; then these with numbers.
pub struct NewIds<'k> {
    known: &'k Known,
    others: &'k HashSet<ReviewId>,
    taken: HashSet<ReviewId>,
    /// The last number of an ID.
    numbers: HashMap<ReviewId, u64>,
}

impl<'k> NewIds<'k> {
    pub fn new(known: &'k Known, others: &'k HashSet<ReviewId>) -> Self {
        Self {
            known,
            others,
            taken: HashSet::new(),
            numbers: HashMap::new(),
        }
    }

    pub fn next(&mut self, row: &ReviewRow) -> ReviewId {
        let mut id = row.id().clone();
        if self.is_taken(&id) && row.incoming.has_own_id {
            id = of_platform(&prefix(row.source()), id.as_str()).unwrap_or(id);
        }
        let base = id.clone();
        let mut number = self.numbers.get(&base).copied().unwrap_or(1);
        while self.is_taken(&id) {
            number += 1;
            id = of_platform(base.as_str(), &number.to_string()).unwrap_or(id);
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
    let name = words(source).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    match name.trim_matches('-') {
        "" => "source".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether an id was derived from a row without one; see `value::names::digest`.
pub fn is_derived(id: &str) -> bool {
    let numbered = id.rsplit_once('-');
    let numbered =
        numbered.filter(|(_, number)| number.len() < 16 && number.parse::<u64>().is_ok());
    let digest = numbered.map_or(id, |(id, _)| id).rsplit('-').next();
    digest.is_some_and(|it| it.len() == 32 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
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
