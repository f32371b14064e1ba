//! Which review each row of an import is, by the rows and by what is stored of its source's reviews. Rows with an ID are found by it,
//! all others in steps by author, day and text, compared with what the source last said and with what stands. Where that leaves
//! a doubt, the row is doubtful, and the owner decides. `docs/IMPORT.md` has the rules.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
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

/// Finds the reviews of `rows`.
pub fn identify(
    rows: &[ReviewRow],
    known: &Known,
    request: &ImportRequest,
    other_ids: &HashSet<ReviewId>,
) -> Identified {
    let mut matcher = Matcher::new(rows, known);
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

impl<'k> Candidate<'k> {
    fn new(id: &'k ReviewId, known: &'k KnownReview, has_row: bool) -> Self {
        Self {
            id,
            known,
            source: known.source_name(),
            digests: known.digests(),
            has_id: known.id_at_source().is_some() || !is_derived(id.as_str()),
            is_hidden: known.is_hidden_by_owner(),
            has_row,
        }
    }
}

/// Rows, and the candidates that they may be.
type Group = (Vec<usize>, Vec<usize>);

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
        let (matches, found) = match_ids(rows, known);
        let candidates = known.iter();
        let candidates = candidates.map(|(id, it)| Candidate::new(id, it, found.contains(id)));
        let mut candidates: Vec<Candidate<'k>> = candidates.collect();
        candidates.sort_by_key(|it| (it.is_hidden, it.known.is_deleted()));
        Self {
            rows,
            candidates,
            matches,
            doubts: BTreeMap::new(),
            doubted: HashSet::new(),
            hidden: HashSet::new(),
        }
    }

    /// The rows whose review is not known yet.
    fn open(&self) -> impl Iterator<Item = (usize, &'k ReviewRow)> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(index, _)| self.matches[*index].is_none())
    }

    /// Open rows with the reviews of the same source and key that they may be, as `may_be` says of a review and of whether the rows have
    /// IDs.
    fn groups<K: Eq + Hash>(
        &self,
        may_be: impl Fn(&Candidate<'_>, bool) -> bool,
        key: impl Fn(&Digests) -> K,
    ) -> Vec<Group> {
        let mut groups: HashMap<(&str, bool, K), Group> = HashMap::new();
        for (index, row) in self.open() {
            let key = (
                row.source(),
                row.incoming.has_own_id,
                key(&self.rows[index].digests),
            );
            groups.entry(key).or_default().0.push(index);
        }
        for (index, candidate) in self.candidates.iter().enumerate() {
            for has_id in [false, true] {
                for digests in &candidate.digests {
                    if let Some((_, found)) =
                        groups.get_mut(&(candidate.source, has_id, key(digests)))
                        && may_be(candidate, has_id)
                        && found.last() != Some(&index)
                    {
                        found.push(index);
                    }
                }
            }
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        groups.retain(|(_, candidates)| !candidates.is_empty());
        groups.sort_unstable_by_key(|(rows, _)| rows[0]);
        groups
    }

    /// Of reviews without a row: a row with an ID is only looked for among those that have none.
    fn left<K: Eq + Hash>(&self, key: impl Fn(&Digests) -> K) -> Vec<Group> {
        self.groups(|it, has_id| !(it.has_row || has_id && it.has_id), key)
    }

    /// Takes a row as a review, unless another row is.
    fn take(&mut self, row: usize, candidate: usize) {
        let found = &mut self.candidates[candidate];
        if !found.has_row {
            found.has_row = true;
            self.matches[row] = Some(RowMatch::Known(found.id.clone()));
        }
    }

    /// Equal rows without an ID count once; of a name that many share, and without a text, as often as they stand in one file.
    fn repeat_equal(&mut self) {
        let (mut numbers, mut used) = (HashMap::new(), HashMap::new());
        let rows = self.rows.iter().enumerate();
        for (index, row) in rows.filter(|(_, row)| !row.incoming.has_own_id) {
            let Digests {
                author_and_day,
                content,
                ..
            } = row.digests;
            let key = (row.source(), author_and_day, content);
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

    /// Equal author, day and text: those of equal stars first.
    fn match_equal(&mut self) {
        for (rows, candidates) in self.left(|it| (it.author_and_day, it.content)) {
            for (row, candidate) in rows.into_iter().zip(candidates) {
                self.take(row, candidate);
            }
        }
        for group in self.left(|it| (it.author_and_day, it.text)) {
            if let ([row], [candidate]) = (&group.0[..], &group.1[..]) {
                self.take(*row, *candidate);
            }
        }
    }

    /// One row and one review left of an author and a day: the same review, edited.
    fn match_edited(&mut self) {
        for group in self.left(|it| it.author_and_day) {
            if let ([index], [found]) = (&group.0[..], &group.1[..]) {
                let (row, candidate) = (&self.rows[*index], &self.candidates[*found]);
                let has_other_text = !row.incoming.statement.unstated.contains(&Unit::Text);
                let is_doubtful = is_shared_name(row.author())
                    || candidate.known.is_deleted()
                    || has_other_text && candidate.known.has_own_reply();
                if !is_doubtful {
                    self.take(*index, *found);
                }
            }
        }
    }

    /// Equal author and telling text, in files with rows for at least half of the source's reviews: the same review, its day corrected.
    fn match_moved(&mut self) {
        let mut groups = self.left(|it| (it.author(), it.text));
        groups.retain(|(rows, _)| has_telling_text(&self.rows[rows[0]]));
        let moved: HashSet<usize> = groups
            .iter()
            .flat_map(|(_, it)| it.iter().copied())
            .collect();
        let mut coverage: HashMap<&str, [usize; 2]> = HashMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if !candidate.known.is_deleted() {
                let [reviews, found] = coverage.entry(candidate.source).or_default();
                *reviews += 1;
                *found += usize::from(candidate.has_row || moved.contains(&index));
            }
        }
        groups.retain(|(rows, _)| {
            let coverage = coverage.get(self.rows[rows[0]].source());
            coverage.is_none_or(|[reviews, found]| found * 2 >= *reviews)
        });
        for (rows, candidates) in groups {
            match (&rows[..], &candidates[..]) {
                ([row], [candidate]) => self.take(*row, *candidate),
                (rows, candidates) => self.doubt(rows, candidates),
            }
        }
    }

    /// Rows are doubtful where several reviews fit, or where author and day, or a telling text, are those of one that the owner hid.
    fn doubt_others(&mut self) {
        // A row with an ID is another review than one whose own ID is in the files.
        let may_be = |it: &Candidate<'_>, has_id: bool| {
            if has_id && it.has_id {
                it.is_hidden && !it.has_row
            } else {
                it.is_hidden || !it.has_row
            }
        };
        for (rows, candidates) in self.groups(may_be, |it| it.author_and_day) {
            self.doubt(&rows, &candidates);
        }
        for (rows, candidates) in self.groups(|it, _| it.is_hidden, |it| it.text) {
            if has_telling_text(&self.rows[rows[0]]) {
                self.doubt(&rows, &candidates);
            }
        }
        let of_day = self.groups(|it, _| it.is_hidden, |it| (it.author_and_day, it.text));
        for (rows, candidates) in of_day {
            self.doubt(&rows, &candidates);
        }
        // No other day brings a name back that was taken away.
        let anonymized = |it: &Candidate<'_>, _| it.known.is_anonymized();
        for (rows, candidates) in self.groups(anonymized, |it| (it.author(), it.text)) {
            if !is_shared_name(self.rows[rows[0]].author()) {
                self.doubt(&rows, &candidates);
            }
        }
    }

    /// Notes that each of the rows may be any of the candidates.
    fn doubt(&mut self, rows: &[usize], candidates: &[usize]) {
        let ids = || candidates.iter().map(|it| self.candidates[*it].id.clone());
        self.doubted.extend(ids());
        let hides = |row: &usize| self.rows[*row].review().status != Status::Published;
        if rows.iter().any(hides) {
            self.hidden.extend(ids());
        }
        for row in rows {
            let doubt = self.doubts.entry(*row).or_default();
            for candidate in candidates.iter().take(NAMED_MAX) {
                if !doubt.contains(candidate) {
                    doubt.push(*candidate);
                }
            }
        }
    }

    /// What the owner says of doubtful rows; neither brings back a deleted review.
    fn settle_doubts(&mut self, request: &ImportRequest) {
        let mut rows_of: HashMap<usize, usize> = HashMap::new();
        for candidate in self.doubts.values().flatten() {
            *rows_of.entry(*candidate).or_default() += 1;
        }
        for (row, candidates) in std::mem::take(&mut self.doubts) {
            let text = self.rows[row].digests.text;
            let is_deleted_one = |it: &usize| {
                let candidate = &self.candidates[*it];
                candidate.known.is_deleted() && candidate.digests.iter().any(|it| it.text == text)
            };
            match (request.doubtful, &candidates[..]) {
                (Some(Doubtful::New), _)
                    if request.restore || !candidates.iter().any(is_deleted_one) => {}
                (Some(Doubtful::Same), [only])
                    if rows_of[only] == 1 && !self.candidates[*only].has_row =>
                {
                    self.take(row, *only);
                }
                _ => {
                    let ids = candidates.iter().map(|it| self.candidates[*it].id.clone());
                    self.matches[row] = Some(RowMatch::Doubtful(ids.take(NAMED_MAX).collect()));
                }
            }
        }
    }
}

fn has_telling_text(row: &ReviewRow) -> bool {
    row.review().text.split_whitespace().count() >= TELLING_WORDS_MIN
}

// Rows with an ID of their own, and the IDs of new reviews.

/// The review of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowMatch {
    Known(ReviewId),
    /// Under this id, which is the row's own unless another review has that.
    New(ReviewId),
    /// The row may be one of these reviews, the first of several, and is not imported.
    Doubtful(Vec<ReviewId>),
    /// With the reason.
    Rejected(String),
    /// Another row of the same review is used.
    Repeated,
}

/// The reviews of rows with IDs that are known, or why a row is none, and the IDs of these reviews. Of several rows of one ID the last
/// counts; if one differs from it in author, day and text, all are rejected.
pub fn match_ids<'k>(
    rows: &[ReviewRow],
    known: &'k Known,
) -> (Vec<Option<RowMatch>>, HashSet<&'k ReviewId>) {
    let mut by_id: HashMap<(&str, &str), &ReviewId> = HashMap::new();
    for (id, known) in known {
        if let Some(id_at_source) = known.id_at_source() {
            by_id.insert((known.source_name(), id_at_source), id);
        }
        // A native row that names no source may be of any.
        for source in [known.source_name(), ""] {
            by_id.entry((source, id.as_str())).or_insert(id);
        }
    }
    let mut rows_of: BTreeMap<(&str, &ReviewId), Vec<usize>> = BTreeMap::new();
    for (index, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.incoming.has_own_id)
    {
        let source = row.incoming.source_name().unwrap_or_default();
        rows_of.entry((source, row.id())).or_default().push(index);
    }
    let mut matches = vec![None; rows.len()];
    let mut found = HashSet::new();
    for ((source, own_id), of_id) in rows_of {
        let last = of_id[of_id.len() - 1];
        let is_one = |other: &Digests| may_be_one(&rows[last], other);
        let id = by_id.get(&(source, own_id.as_str())).copied();
        let is_other = |known: &&KnownReview| {
            let digests = known.digests();
            !digests.is_empty() && !digests.iter().any(is_one)
        };
        let other = id.map(|id| &known[id]).filter(is_other);
        // One that does not fit into ours is not shown.
        let shown = if is_derived(own_id.as_str()) {
            "of these rows"
        } else {
            own_id.as_str()
        };
        let reason = if !of_id.iter().all(|row| is_one(&rows[*row].digests)) {
            let count = of_id.len();
            format!("{count} rows that differ in author, date and text have the ID {shown}")
        } else if let Some(known) = other.filter(|it| it.source_name() == rows[last].source()) {
            let of = known.review().map_or_else(
                || ", which you deleted".to_owned(),
                |review| format!(", by {} of {}", review.author, review.date),
            );
            format!("{shown} is the ID of another review{of}: author, date and text all differ")
        } else {
            for row in &of_id {
                matches[*row] = (*row != last).then_some(RowMatch::Repeated);
            }
            let id = id.filter(|_| other.is_none());
            if let Some(id) = id.filter(|id| found.insert(*id)) {
                matches[last] = Some(RowMatch::Known(id.clone()));
            }
            continue;
        };
        for row in of_id {
            matches[row] = Some(RowMatch::Rejected(format!(
                "id: {reason}; a column that counts the rows has no IDs: name the one with the IDs in the source's format"
            )));
        }
    }
    (matches, found)
}

/// Whether two statements of one ID may be of one review: author, day or text are the same. Of a table, whose IDs are less sure, a name
/// that many share says nothing.
fn may_be_one(row: &ReviewRow, other: &Digests) -> bool {
    let one = &row.digests;
    let is_name = !row.format.is_table() || !is_shared_name(row.author());
    is_name && one.has_author_of(other)
        || one.has_day_of(other)
        || one.text == other.text && !row.review().text.is_empty()
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
        let is_free = |id: &ReviewId| {
            !(self.known.contains_key(id) || self.others.contains(id) || self.taken.contains(id))
        };
        let mut id = row.id().clone();
        if !is_free(&id) && row.incoming.has_own_id {
            id = of_platform(&prefix(row.source()), id.as_str()).unwrap_or(id);
        }
        let number = self.numbers.entry(id.clone()).or_insert(1);
        let base = id.to_string();
        while !is_free(&id) {
            *number += 1;
            id = of_platform(&base, &number.to_string()).unwrap_or(id);
        }
        self.taken.insert(id.clone());
        id
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
