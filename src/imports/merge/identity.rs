//! Which review each row of an import is, by the rows and by what is stored of its source's reviews. Rows with an ID are found by it
//! (`ids`), all others in steps by author, day and text, compared with what the source last said and with what stands. Where that leaves
//! a doubt, the row is doubtful, and the owner decides. `docs/IMPORT.md` has the rules.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use crate::imports::incoming::ReviewRow;
use crate::imports::merge::ids::{NewIds, RowMatch, is_derived, is_shared_name, match_ids};
use crate::imports::report::NAMED_MAX;
use crate::imports::request::{Doubtful, ImportRequest};
use crate::model::{Digests, ReviewId, Status, Unit};
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
