//! Which review each row of an import is: it depends only on the rows, on what is stored, and on `--doubtful`. A row is only ever a review of its
//! own source. Rows with an ID are found by it, others by author, day, stars and text; where that leaves a doubt, the
//! row is doubtful, and the owner decides. `docs/IMPORT.md` has the rules.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use chrono::Datelike as _;

use crate::imports::incoming::{Incoming, ReviewRow};
use crate::imports::map::values::{self, Names, is_in};
use crate::imports::platforms::TABLE;
use crate::imports::report::{NAMED_MAX, Watch};
use crate::imports::request::{Doubtful, ImportRequest};
use crate::model::text::words;
use crate::model::{Day, Digests, ReviewId, Status, Unit, source_day};
use crate::storage::reviews::{Known, KnownReview, ReviewState};

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

/// From this number of words on, equal texts are of one review; shorter ones are written by many people.
const TELLING_WORDS_MIN: usize = 4;

/// The reviews of rows.
pub struct Identified {
    /// In the order of the rows.
    pub matches: Vec<RowMatch>,
    /// The reviews that doubtful rows may be.
    pub doubted: HashSet<ReviewId>,
}

/// Finds the reviews of `rows`. `None` if the import is to stop.
pub fn identify(
    rows: &[ReviewRow],
    known: &Known,
    request: &ImportRequest,
    watch: &dyn Watch,
) -> Option<Identified> {
    let mut matcher = Matcher {
        digests: rows.iter().map(ReviewRow::digests).collect(),
        candidates: known
            .iter()
            .map(|(id, it)| ReviewCandidate::new(id, it))
            .collect(),
        matches: vec![None; rows.len()],
        doubted: HashSet::new(),
        rows,
        known,
        request,
    };
    let steps = [
        Matcher::match_ids,
        Matcher::match_groups,
        Matcher::match_corrected,
        Matcher::name_new,
    ];
    for step in steps {
        if watch.is_stopped() {
            return None;
        }
        step(&mut matcher);
    }
    Some(Identified {
        matches: matcher.matches.into_iter().flatten().collect(),
        doubted: matcher.doubted,
    })
}

/// A stored review that rows may be.
struct ReviewCandidate<'k> {
    id: &'k ReviewId,
    known: &'k KnownReview,
    /// `None` of a review that was deleted before a source gave it.
    source: Option<(&'k str, Digests)>,
    /// Whether the owner deleted or withheld it.
    is_hidden_by_owner: bool,
    /// Whether a row is this review.
    has_row: bool,
}

impl<'k> ReviewCandidate<'k> {
    fn new(id: &'k ReviewId, known: &'k KnownReview) -> Self {
        let record = known.source.as_ref();
        let recorded = record.map(|it| (it.source_name.as_str(), it.digests));
        let by_hand = || {
            let review = known.review()?;
            let digests = Digests::new(review, &review.author, None);
            Some((review.source.name.as_str(), digests))
        };
        let is_hidden_by_owner = match &known.state {
            ReviewState::Deleted(_) => true,
            ReviewState::Unreadable(status, _) => *status != Status::Published,
            ReviewState::There(review) => {
                review.status != Status::Published
                    && known.last_statement().is_decided(Unit::Status, review)
            }
        };
        Self {
            id,
            known,
            source: recorded.or_else(by_hand),
            is_hidden_by_owner,
            has_row: false,
        }
    }

    /// Whether it is of the row's source. A native row that names no source may be of any.
    fn is_of_source(&self, row: &ReviewRow) -> bool {
        let has_name = |name| self.source.is_none_or(|(source, _)| source == name);
        row.incoming.source_name().is_none_or(has_name)
    }

    /// Whether its source gave it no ID.
    fn has_no_id(&self) -> bool {
        let record = self.known.source.as_ref();
        is_derived(self.id.as_str()) && record.is_some_and(|record| record.id_at_source.is_none())
    }

    /// Whether author, day or text of a row with its ID are those of the review, or those that its source last gave.
    fn is_alike(&self, row: &ReviewRow, digests: &Digests) -> bool {
        let Some((_, last)) = self.source else {
            return true;
        };
        let stated = row.review();
        let there = self.known.review();
        let has = |unit: Unit| there.is_some_and(|there| unit.is_same(there, stated));
        // Ids of hand-made tables are less sure than a name that few share.
        let is_name = row.format.name != TABLE.name || !is_shared_name(row.author());
        is_name && (last.has_author_of(digests) || has(Unit::Author))
            || last.has_day_of(digests)
            || has(Unit::Date)
            || !stated.text.is_empty() && (last.text == digests.text || has(Unit::Text))
    }

    /// Whether the row may be this review with an edited text, if they are the only ones of their author and day.
    fn is_edited_in(&self, row: &ReviewRow) -> bool {
        // Of a deleted review the text is not kept.
        let Some(there) = self.known.review() else {
            return false;
        };
        let (last, stated) = (self.known.last_statement(), row.review());
        // The text that the source gave before the owner edited it is not kept.
        let is_edited_here =
            last.decided.contains(&Unit::Text) || last.compare(Unit::Text, there) == Some(false);
        if is_edited_here || there.text.is_empty() || stated.text.is_empty() {
            let has_stars = last.compare(Unit::Rating, stated);
            return has_stars.unwrap_or(there.rating == stated.rating);
        }
        shares_half(&stated.text, &there.text)
    }

    /// Published ones before withheld and deleted ones.
    fn by_state(&self, other: &Self) -> Ordering {
        let is_hidden = |it: &Self| {
            let review = it.known.review();
            review.is_none_or(|review| review.status != Status::Published)
        };
        let state = |it: &Self| (is_hidden(it), it.known.is_deleted());
        state(self).cmp(&state(other))
    }
}

struct Matcher<'k> {
    rows: &'k [ReviewRow],
    known: &'k Known,
    request: &'k ImportRequest,
    digests: Vec<Digests>,
    /// In the order of their ids.
    candidates: Vec<ReviewCandidate<'k>>,
    /// `None` while it is not known.
    matches: Vec<Option<RowMatch>>,
    doubted: HashSet<ReviewId>,
}

/// Candidates by source and one of their digests.
type ByDigest<'k> = HashMap<(&'k str, i64), Vec<usize>>;

impl<'k> Matcher<'k> {
    /// The rows, with or without an ID, of which the review is not known yet.
    fn open(&self, has_own_id: bool) -> Vec<usize> {
        let mut open: Vec<usize> = (0..self.rows.len()).collect();
        open.retain(|row| {
            self.matches[*row].is_none() && self.rows[*row].incoming.has_own_id == has_own_id
        });
        open
    }

    fn by_digest(
        &self,
        is_wanted: fn(&ReviewCandidate<'_>) -> bool,
        digest: fn(&Digests) -> i64,
    ) -> ByDigest<'k> {
        let mut found = ByDigest::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if let Some((name, digests)) = candidate.source.filter(|_| is_wanted(candidate)) {
                found
                    .entry((name, digest(&digests)))
                    .or_default()
                    .push(index);
            }
        }
        found
    }

    /// The candidates of the row's source and place with this digest, published ones first.
    fn of_row(&self, found: &ByDigest<'k>, row: usize, digest: i64) -> Vec<usize> {
        let row = &self.rows[row];
        let mut found = found
            .get(&(row.source(), digest))
            .cloned()
            .unwrap_or_default();
        found.retain(|it| self.candidates[*it].is_of_source(row));
        found.sort_by(|one, other| self.candidates[*one].by_state(&self.candidates[*other]));
        found
    }

    /// Of these candidates, which the owner deleted or withheld, those without a row that have the text of one; a short text only if
    /// they have its author, too.
    fn with_text_of(&self, hidden: &ByDigest<'k>, row: usize) -> Vec<usize> {
        let (digests, author) = (self.digests[row], self.rows[row].author());
        let is_sure = has_telling_text(&self.rows[row]);
        let mut found = self.of_row(hidden, row, digests.text);
        found.retain(|it| {
            let has_author = |it: Digests| !is_shared_name(author) && it.has_author_of(&digests);
            !self.candidates[*it].has_row
                && (is_sure || self.of_candidate(*it).is_some_and(has_author))
        });
        found
    }

    fn of_candidate(&self, candidate: usize) -> Option<Digests> {
        self.candidates[candidate]
            .source
            .map(|(_, digests)| digests)
    }

    fn take(&mut self, row: usize, candidate: usize) {
        let found = &mut self.candidates[candidate];
        let id = found.id;
        self.matches[row] = Some(if found.has_row {
            let id = shown_id(id);
            RowMatch::Rejected(format!(
                "id: another row is the review with the ID {id}; give one of them another ID"
            ))
        } else {
            RowMatch::Known(id.clone())
        });
        found.has_row = true;
    }

    /// Takes a row as an edited form of the review, which is not sure where a file has only some of the reviews.
    fn take_edited(&mut self, row: usize, candidate: usize) {
        if !self.request.partial && !self.rows[row].format.excerpts {
            self.take(row, candidate);
        } else if self.candidates[candidate].is_hidden_by_owner {
            self.doubt(&[row], &[candidate]);
        } else {
            self.matches[row] = Some(RowMatch::New(self.rows[row].id().clone()));
        }
    }

    /// Of rows of one review only the newest is used, or the last one; returns it.
    fn repeat(&mut self, rows: &[usize]) -> usize {
        let mut newest = rows[0];
        for row in &rows[1..] {
            let [at, before] = [*row, newest].map(|row| self.rows[row].incoming.changed_at);
            let is_newer = at.zip(before).is_none_or(|(at, before)| at >= before);
            let older = if is_newer { newest } else { *row };
            self.matches[older] = Some(RowMatch::Repeated);
            newest = if is_newer { *row } else { newest };
        }
        newest
    }

    /// Rows that may be one of these reviews: the owner decides, or has decided.
    fn doubt(&mut self, rows: &[usize], candidates: &[usize]) {
        if self.request.doubtful == Some(Doubtful::New) {
            for row in rows {
                self.matches[*row] = Some(RowMatch::New(self.rows[*row].id().clone()));
            }
            return;
        }
        let ids = candidates.iter().map(|it| self.candidates[*it].id.clone());
        let first: Vec<ReviewId> = ids.clone().take(NAMED_MAX).collect();
        self.doubted.extend(ids);
        let is_same = self.request.doubtful == Some(Doubtful::Same);
        match (rows, candidates) {
            ([row], [only]) if is_same && !self.candidates[*only].has_row => self.take(*row, *only),
            _ => {
                for row in rows {
                    self.matches[*row] = Some(RowMatch::Doubtful(first.clone()));
                }
            }
        }
    }

    // Rows with an ID.

    fn match_ids(&mut self) {
        self.match_repeated_ids();
        let mut by_id: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if let Some(record) = &candidate.known.source
                && let Some(id) = &record.id_at_source
            {
                by_id
                    .entry((&record.source_name, id))
                    .or_default()
                    .push(index);
            }
        }
        for index in self.open(true) {
            let row = &self.rows[index];
            let of_source = by_id.get(&(row.source(), row.id().as_str()));
            let same = self.candidates.binary_search_by(|it| it.id.cmp(row.id()));
            let mut found = of_source.into_iter().flatten().copied().chain(same);
            let found = found.find(|it| self.candidates[*it].is_of_source(row));
            let Some(found) = found else {
                continue;
            };
            let candidate = &self.candidates[found];
            if candidate.is_alike(row, &self.digests[index]) {
                self.take(index, found);
            } else if candidate
                .source
                .is_some_and(|(name, _)| name == row.source())
            {
                self.matches[index] = Some(RowMatch::Rejected(other_review(candidate)));
            }
        }
        self.match_unknown_ids();
    }

    /// Rows with one ID that are different reviews are all rejected.
    fn match_repeated_ids(&mut self) {
        let mut groups: HashMap<_, Vec<usize>> = HashMap::with_capacity(self.rows.len());
        for index in self.open(true) {
            let row = &self.rows[index];
            let key = (row.incoming.source_name(), row.id());
            groups.entry(key).or_default().push(index);
        }
        groups.retain(|_, rows| rows.len() > 1);
        for ((_, id), rows) in groups {
            let newest = self.repeat(&rows);
            let newest = &self.rows[newest].incoming;
            if rows
                .iter()
                .all(|row| may_be_one(&self.rows[*row].incoming, newest))
            {
                continue;
            }
            for row in &rows {
                let (count, id) = (rows.len(), shown_id(id));
                self.matches[*row] = Some(RowMatch::Rejected(format!(
                    "id: {count} rows that differ in author, date and text have the ID {id}, so it is none; correct it, name the \
                     column with the IDs with --map id=COLUMN, or ignore it with --map id="
                )));
            }
        }
    }

    /// A row with an unknown ID that equals one review without a row, in a text of some length, is that review. Others are doubtful if
    /// they equal one that the owner deleted or withheld, have the text of one, which is telling or of the same author, or may be an
    /// edited one that its source gave no ID.
    fn match_unknown_ids(&mut self) {
        let groups = self.groups(true, |digests| digests.content);
        if groups.is_empty() {
            return;
        }
        let by_content = self.by_digest(|_| true, |digests| digests.content);
        let hidden = self.by_digest(|it| it.is_hidden_by_owner, |digests| digests.text);
        let hidden_without_id = |it: &ReviewCandidate<'_>| it.is_hidden_by_owner && it.has_no_id();
        let edited = self.by_digest(hidden_without_id, |digests| digests.author_and_day);
        for mut rows in groups {
            let (row, digests) = (&self.rows[rows[0]], self.digests[rows[0]]);
            let is_telling = has_telling_text(row);
            let mut like = self.of_row(&by_content, rows[0], digests.content);
            let is_equal = |it: &&usize| {
                !self.candidates[**it].has_row && self.of_candidate(**it) == Some(digests)
            };
            if let [only] = like.iter().filter(is_equal).copied().collect::<Vec<_>>()[..]
                && is_telling
            {
                self.take(rows.remove(0), only);
            }
            like.retain(|it| self.candidates[*it].is_hidden_by_owner);
            if like.is_empty() && !rows.is_empty() {
                like = self.of_row(&edited, rows[0], digests.author_and_day);
                like.retain(|it| !self.candidates[*it].has_row);
                if !row.review().text.is_empty() {
                    like.extend(self.with_text_of(&hidden, rows[0]));
                }
                like.sort_unstable();
                like.dedup();
            }
            if !like.is_empty() {
                self.doubt(&rows, &like);
            }
        }
    }

    /// The rows, with or without an ID, of which the review is not known yet, by source, author and day, and a digest.
    fn groups(&self, has_own_id: bool, digest: fn(&Digests) -> i64) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for index in self.open(has_own_id) {
            let (row, digests) = (&self.rows[index], &self.digests[index]);
            let key = (row.source(), digests.author_and_day, digest(digests));
            groups.entry(key).or_default().push(index);
        }
        groups.into_values().collect()
    }

    // Rows without an ID.

    /// Rows and reviews of one source, author and day belong together.
    fn match_groups(&mut self) {
        let by_day = self.by_digest(|_| true, |digests| digests.author_and_day);
        for mut rows in self.groups(false, |digests| digests.author_and_day) {
            let mut reviews = self.of_row(&by_day, rows[0], self.digests[rows[0]].author_and_day);
            reviews.retain(|it| !self.candidates[*it].has_row);
            self.repeat_equal(&mut rows);
            self.match_group(rows, reviews);
        }
    }

    /// Equal rows with a text count once, others as often as they stand in one file.
    fn repeat_equal(&mut self, rows: &mut Vec<usize>) {
        let mut numbers: HashMap<_, usize> = HashMap::new();
        let mut equal: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for index in rows.iter() {
            let (row, content) = (&self.rows[*index], self.digests[*index].content);
            let number = numbers.entry((row.file, content)).or_default();
            *number += usize::from(row.review().text.is_empty());
            equal.entry((content, *number)).or_default().push(*index);
        }
        // What one of equal rows hides, none shows.
        let all = self.rows;
        let hides = |row: &usize| all[*row].incoming.hides();
        for rows in equal.values_mut().filter(|rows| rows.iter().any(hides)) {
            for row in rows.extract_if(.., |row| !hides(row)) {
                self.matches[row] = Some(RowMatch::Repeated);
            }
        }
        *rows = equal.into_values().map(|rows| self.repeat(&rows)).collect();
        rows.sort_unstable();
    }

    fn match_group(&mut self, mut rows: Vec<usize>, mut reviews: Vec<usize>) {
        // The same stars and text; published reviews come first.
        let mut by_content: HashMap<i64, VecDeque<usize>> = HashMap::new();
        for review in &reviews {
            let content = self.of_candidate(*review).map_or(0, |it| it.content);
            by_content.entry(content).or_default().push_back(*review);
        }
        rows.retain(|row| {
            let equal = by_content.get_mut(&self.digests[*row].content);
            let found = equal.and_then(VecDeque::pop_front);
            if let Some(found) = found {
                self.take(*row, found);
            }
            found.is_none()
        });
        reviews.retain(|it| !self.candidates[*it].has_row);
        // The same text, with other stars: one row and one review.
        let mut by_text: BTreeMap<i64, [Vec<usize>; 2]> = BTreeMap::new();
        for row in &rows {
            by_text.entry(self.digests[*row].text).or_default()[0].push(*row);
        }
        for review in &reviews {
            let text = self.of_candidate(*review).map_or(0, |it| it.text);
            by_text.entry(text).or_default()[1].push(*review);
        }
        for [rows, reviews] in by_text.values() {
            if let ([row], [review]) = (&rows[..], &reviews[..]) {
                self.take_edited(*row, *review);
            }
        }
        rows.retain(|row| self.matches[*row].is_none());
        reviews.retain(|it| !self.candidates[*it].has_row);
        if rows.is_empty() || reviews.is_empty() {
            return;
        }
        let first = &self.rows[rows[0]];
        let is_shared = is_shared_name(first.author());
        let is_hidden = |it: &usize| self.candidates[*it].is_hidden_by_owner;
        match (&rows[..], &reviews[..]) {
            ([row], [review]) if !is_shared && self.candidates[*review].is_edited_in(first) => {
                self.take_edited(*row, *review);
            }
            _ if is_shared && !reviews.iter().any(is_hidden) => {}
            _ => self.doubt(&rows, &reviews),
        }
    }

    /// Rows of which no review has author and day, but one has the text: author or day were corrected.
    fn match_corrected(&mut self) {
        let open = self.open(false);
        if open.is_empty() {
            return;
        }
        let by_text = self.by_digest(|_| true, |digests| digests.text);
        let hidden = self.by_digest(|it| it.is_hidden_by_owner, |digests| digests.text);
        let coverage = Coverage::by_source(self);
        for index in open {
            let (row, digests) = (&self.rows[index], self.digests[index]);
            let is_free = |it: &usize| {
                let candidate = &self.candidates[*it];
                !candidate.has_row && candidate.is_of_source(row)
            };
            let same = by_text
                .get(&(row.source(), digests.text))
                .into_iter()
                .flatten();
            let mut same = same.copied().filter(is_free);
            let is_shared = is_shared_name(row.author());
            let is_telling = has_telling_text(row);
            let (Some(review), None) = (same.next(), same.next()) else {
                let mut like = self.with_text_of(&hidden, index);
                like.sort_unstable();
                like.truncate(NAMED_MAX);
                if !like.is_empty() {
                    self.doubt(&[index], &like);
                }
                continue;
            };
            let candidate = &self.candidates[review];
            let of_candidate = self.of_candidate(review);
            let is_author = !is_shared && of_candidate.is_some_and(|it| it.has_author_of(&digests));
            let is_day = of_candidate.is_some_and(|it| it.has_day_of(&digests));
            if candidate.is_hidden_by_owner {
                if is_author || is_day || is_telling {
                    self.doubt(&[index], &[review]);
                }
            } else if is_telling
                && (is_author || is_day && has_initial_of(candidate, row))
                && coverage[row.source()].has_row_of(candidate)
            {
                self.take_edited(index, review);
            }
        }
    }

    /// Gives new reviews their ids.
    fn name_new(&mut self) {
        let mut taken: HashSet<ReviewId> = HashSet::new();
        let mut numbers: HashMap<&ReviewId, u64> = HashMap::new();
        for (row, found) in self.rows.iter().zip(&mut self.matches) {
            if !matches!(found, None | Some(RowMatch::New(_))) {
                continue;
            }
            let is_free = |id: &ReviewId| !self.known.contains_key(id) && !taken.contains(id);
            let mut id = Some(row.id().clone()).filter(is_free);
            if id.is_none() && row.incoming.has_own_id {
                id = prefixed_id(row.source(), row.id()).filter(is_free);
            }
            while id.is_none() && !row.incoming.has_own_id {
                let number = numbers.entry(row.id()).or_insert(1);
                *number += 1;
                id = format!("{}-{number}", row.id())
                    .parse()
                    .ok()
                    .filter(is_free);
            }
            taken.extend(id.clone());
            let too_many = || {
                let id = shown_id(row.id());
                RowMatch::Rejected(format!(
                    "id: reviews of too many sources have the ID {id}; give it another one"
                ))
            };
            *found = Some(id.map_or_else(too_many, RowMatch::New));
        }
    }
}

/// How much of a source's reviews the files have.
#[derive(Default)]
struct Coverage {
    /// Year and month of the first row.
    first: Option<(i32, u32)>,
    /// Author and text of the rows.
    contents: HashSet<(i64, i64)>,
    /// The number of reviews, and of those with author and text in the files.
    reviews: (usize, usize),
}

impl Coverage {
    fn by_source<'k>(matcher: &Matcher<'k>) -> HashMap<&'k str, Self> {
        let mut found: HashMap<&'k str, Self> = HashMap::new();
        for (row, digests) in matcher.rows.iter().zip(&matcher.digests) {
            let coverage = found.entry(row.source()).or_default();
            let month = Some(month(row.source_day()));
            coverage.first = coverage.first.min(month).or(month);
            coverage.contents.insert((digests.author(), digests.text));
        }
        for candidate in &matcher.candidates {
            if let Some((name, digests)) = candidate.source
                && !candidate.known.is_deleted()
                && let Some(coverage) = found.get_mut(name)
            {
                let content = (digests.author(), digests.text);
                coverage.reviews.0 += 1;
                coverage.reviews.1 += usize::from(coverage.contents.contains(&content));
            }
        }
        found
    }

    /// Whether files with the review would have its row among these.
    fn has_row_of(&self, candidate: &ReviewCandidate<'_>) -> bool {
        let posted_at = candidate.known.source.as_ref().and_then(|it| it.posted_at);
        let review = candidate.known.review();
        let day = review.map(|review| month(source_day(review, posted_at)));
        let (all, found) = self.reviews;
        found * 2 >= all || self.first.zip(day).is_some_and(|(first, day)| first <= day)
    }
}

fn month(day: Day) -> (i32, u32) {
    (day.date().year(), day.date().month())
}

/// Whether both authors begin with the same letter.
fn has_initial_of(candidate: &ReviewCandidate<'_>, row: &ReviewRow) -> bool {
    let initial = |name: &str| words(name).trim().chars().next();
    let review = candidate.known.review();
    review.is_some_and(|review| initial(&review.author) == initial(row.author()))
}

/// Whether two rows with one id may be the same review: the texts are equal, the author is, or the day is and the texts do not
/// differ wholly.
fn may_be_one(one: &Incoming, other: &Incoming) -> bool {
    let [one, other] = [one, other].map(|incoming| &incoming.statement.review);
    let texts = [&one.text, &other.text];
    let is_one_empty = texts.iter().any(|text| text.is_empty());
    let is_text_same = !is_one_empty && one.text == other.text;
    let is_author_same = one.author == other.author && !is_shared_name(&one.author);
    let is_day_same = one.date == other.date && (is_one_empty || shares_half(texts[0], texts[1]));
    is_text_same || is_author_same || is_day_same
}

/// The id of a row of `source`, if a review of another source has its own.
fn prefixed_id(source: &str, id: &ReviewId) -> Option<ReviewId> {
    let name = words(source).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let prefix = match name.trim_matches('-') {
        "" => "source",
        name => name,
    };
    values::of_platform(prefix, id.as_str()).ok()
}

fn other_review(candidate: &ReviewCandidate<'_>) -> String {
    let id = shown_id(candidate.id);
    let of = candidate.known.review().map_or_else(
        || ", which you deleted".to_owned(),
        |review| format!(", by {} of {}", review.author, review.date),
    );
    format!(
        "id: {id} is the ID of another review{of}: author, date and text all differ; a column that counts the rows of a file has no \
         IDs: name the column with the IDs with --map id=COLUMN, or ignore it with --map id="
    )
}

/// An id as in the file, unless it did not fit into ours.
fn shown_id(id: &ReviewId) -> &str {
    if is_derived(id.as_str()) {
        "of this row"
    } else {
        id.as_str()
    }
}

/// Whether an id was derived from a row without one; see `map::values::digest`.
pub fn is_derived(id: &str) -> bool {
    let numbered = id.rsplit_once('-');
    let numbered =
        numbered.filter(|(_, number)| number.len() < 16 && number.parse::<u64>().is_ok());
    let digest = numbered.map_or(id, |(id, _)| id).rsplit('-').next();
    digest.is_some_and(|it| it.len() == 32 && it.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether many people may have the name, so that it does not identify one.
pub fn is_shared_name(name: &str) -> bool {
    const SHARED: Names = "anonymous, a google user, a facebook user, a yelp user, customer, guest, verified customer, verified buyer";
    let name = name.trim().to_lowercase();
    name.is_empty() || is_in(SHARED, &name)
}

fn has_telling_text(row: &ReviewRow) -> bool {
    row.review().text.split_whitespace().count() >= TELLING_WORDS_MIN
}

/// Whether at least half of the words of `text` are also in `former`.
fn shares_half(text: &str, former: &str) -> bool {
    let [text, former] = [text, former].map(words);
    let former: HashSet<&str> = former.split_whitespace().collect();
    let shared = text.split_whitespace().filter(|word| former.contains(word));
    shared.count() * 2 >= text.split_whitespace().count()
}
