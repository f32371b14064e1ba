//! Which review each row of an import is: a pure function of the rows and of what is stored. A row is only ever a review of its
//! own source and location. Rows with an ID are found by it, others by author, day, stars and text; where that leaves a doubt, the
//! row is doubtful, and the owner decides. `docs/IMPORT.md` has the rules.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::Datelike as _;

use crate::imports::map::values::{self, Names, names};
use crate::imports::map::{Incoming, SOURCE_DEFAULT};
use crate::imports::merge::collector::Row;
use crate::imports::platforms::{TABLE, all_formats};
use crate::imports::request::{DoubtfulChoice, ImportRequest};
use crate::model::text::words;
use crate::model::{
    Day, Digests, Review, ReviewId, Said, Status, Unit, is_one_name, short_name, source_day,
};
use crate::storage::reviews::{Known, KnownReview, ReviewState};

/// The review of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    Known(ReviewId),
    /// Under this id, which is the row's own unless another review has that.
    New(ReviewId),
    /// The row may be one of these reviews, and is not imported.
    Doubtful(Vec<ReviewId>),
    /// With the reason.
    Rejected(String),
    /// Another row of the same review is used.
    Repeated,
}

/// From this number of words on, equal texts are of one review; shorter ones are written by many people.
const TELLING_WORDS_MIN: usize = 4;

/// Finds the reviews of `rows`, in their order; `files` are the names of the files. Also returns a sentence for each value of
/// `--doubtful` that names a row which is not doubtful.
pub fn identify(
    rows: &[Row],
    files: &[&str],
    known: &Known,
    request: &ImportRequest,
) -> (Vec<Match>, Vec<String>) {
    let mut matcher = Matcher::new(rows, known, request);
    matcher.match_ids();
    matcher.match_new_ids();
    matcher.match_equal_rows();
    matcher.match_groups();
    matcher.match_corrected();
    let notes = matcher.settle(files);
    matcher.name_new();
    let matches = matcher.matches.into_iter();
    (
        matches.map(|it| it.unwrap_or(Match::Repeated)).collect(),
        notes,
    )
}

/// A stored review that rows may be.
struct Candidate<'k> {
    id: &'k ReviewId,
    known: &'k KnownReview,
    /// `None` of a review that was deleted before a source gave it.
    source: Option<(&'k str, Digests)>,
    said: OnceCell<Said>,
    /// Whether a row is this review.
    has_row: bool,
}

impl<'k> Candidate<'k> {
    fn new(id: &'k ReviewId, known: &'k KnownReview) -> Self {
        let record = known.source.as_ref();
        let recorded = record.map(|it| (it.source_name.as_str(), it.digests));
        let by_hand = || {
            let review = known.review()?;
            let digests = Digests::new(review, &review.author, None);
            Some((review.source.name.as_str(), digests))
        };
        Self {
            id,
            known,
            source: recorded.or_else(by_hand),
            said: OnceCell::new(),
            has_row: false,
        }
    }

    fn digests(&self) -> Option<Digests> {
        self.source.map(|(_, digests)| digests)
    }

    fn said(&self) -> &Said {
        self.said.get_or_init(|| self.known.said())
    }

    /// Whether it is of the row's source and location, as far as both are known.
    fn is_of_place(&self, row: &Row) -> bool {
        let Some(name) = row.incoming.source_name() else {
            return true;
        };
        match (&self.known.source, self.known.review()) {
            // A source that gives no location may mean any of its locations.
            (Some(record), _) => {
                let location = row.incoming.unpublished.location.as_ref();
                let mut locations = record.location.iter().zip(location);
                record.source_name == name && locations.all(|(one, other)| one == other)
            }
            // A review by hand that names no source may be of any.
            (None, Some(review)) => [name, SOURCE_DEFAULT].contains(&review.source.name.as_str()),
            (None, None) => true,
        }
    }

    /// Whether the owner deleted or withheld it.
    fn is_hidden_by_owner(&self) -> bool {
        match &self.known.state {
            ReviewState::Deleted => true,
            ReviewState::There(review) => {
                review.status != Status::Published && self.said().is_decided(Unit::Status, review)
            }
            ReviewState::Unreadable(status, _) => *status != Status::Published,
        }
    }

    /// Published ones before withheld and deleted ones.
    fn rank(&self) -> u8 {
        match &self.known.state {
            ReviewState::There(review) if review.status == Status::Published => 0,
            ReviewState::There(_) | ReviewState::Unreadable(..) => 1,
            ReviewState::Deleted => 2,
        }
    }

    /// Whether author, day or text of a row with its ID are those of the review, or those that its source last gave.
    fn is_alike(&self, row: &Row, digests: &Digests) -> bool {
        let Some((_, last)) = self.source else {
            return true;
        };
        let stated = row.review();
        let there = self.known.review();
        // Ids of hand-made tables are less sure than a name that few share.
        let is_name = row.format.name != TABLE.name || !is_shared_name(row.author());
        let has_author =
            last.has_author_of(digests) || there.is_some_and(|it| it.author == stated.author);
        let has_day = last.has_day_of(digests) || there.is_some_and(|it| it.date == stated.date);
        let has_text = last.text == digests.text || there.is_some_and(|it| it.text == stated.text);
        is_name && has_author || has_day || !stated.text.is_empty() && has_text
    }

    /// Whether it is a review of the row's author, or one of the names is short for the other.
    fn has_name_of(&self, row: &Row, digests: &Digests) -> bool {
        let Some((_, last)) = self.source else {
            return false;
        };
        let is_short = || {
            // Of a deleted review only digests are kept.
            let short = short_name(row.author());
            let of_short = Digests::author_and_day(&short, row.source_day());
            short == row.author() || last.author_and_day == of_short
        };
        let review = self.known.review();
        last.has_author_of(digests)
            || review.map_or_else(is_short, |it| is_one_name(&it.author, row.author()))
    }
}

struct Matcher<'k> {
    rows: &'k [Row],
    digests: Vec<Digests>,
    request: &'k ImportRequest,
    known: &'k Known,
    /// In the order of their ids.
    candidates: Vec<Candidate<'k>>,
    matches: Vec<Option<Match>>,
    /// Ids of new reviews.
    new_ids: HashSet<ReviewId>,
}

/// Candidates by source and digest.
type ByDigest<'k> = HashMap<(&'k str, i64), Vec<usize>>;

impl<'k> Matcher<'k> {
    fn new(rows: &'k [Row], known: &'k Known, request: &'k ImportRequest) -> Self {
        Self {
            digests: rows.iter().map(Row::digests).collect(),
            candidates: known
                .iter()
                .map(|(id, known)| Candidate::new(id, known))
                .collect(),
            matches: vec![None; rows.len()],
            new_ids: HashSet::new(),
            rows,
            request,
            known,
        }
    }

    /// The rows of which the review is not known yet.
    fn open(&self, has_own_id: bool) -> Vec<usize> {
        let rows = (0..self.rows.len()).filter(|row| self.matches[*row].is_none());
        rows.filter(|row| self.rows[*row].incoming.has_own_id == has_own_id)
            .collect()
    }

    fn by_digest(&self, digest: impl Fn(&Digests) -> i64) -> ByDigest<'k> {
        let mut found = ByDigest::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if let Some((name, digests)) = candidate.source {
                found
                    .entry((name, digest(&digests)))
                    .or_default()
                    .push(index);
            }
        }
        found
    }

    /// Of the candidates with a digest of the row, those of its place, published ones first.
    fn of_row(&self, found: &ByDigest<'k>, row: usize, digest: i64) -> Vec<usize> {
        let of = &self.rows[row];
        let found = found
            .get(&(of.source(), digest))
            .into_iter()
            .flatten()
            .copied();
        let mut found: Vec<usize> = found
            .filter(|index| self.candidates[*index].is_of_place(of))
            .collect();
        found.sort_by_key(|index| {
            let candidate = &self.candidates[*index];
            (candidate.rank(), candidate.id != of.id())
        });
        found
    }

    fn is_free(&self, candidate: usize) -> bool {
        !self.candidates[candidate].has_row
    }

    fn take(&mut self, row: usize, candidate: usize) {
        let found = &mut self.candidates[candidate];
        self.matches[row] = Some(if found.has_row {
            Match::Rejected(format!(
                "id: another row is the review with the ID {}; give one of them another ID",
                shown_id(found.id)
            ))
        } else {
            found.has_row = true;
            Match::Known(found.id.clone())
        });
    }

    fn doubt(&mut self, row: usize, candidates: &[usize]) {
        let ids = candidates
            .iter()
            .map(|index| self.candidates[*index].id.clone());
        self.matches[row] = Some(Match::Doubtful(ids.collect()));
    }

    // Rows with an ID.

    fn match_ids(&mut self) {
        self.match_repeated_ids();
        let mut at_source: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            if let Some(record) = &candidate.known.source
                && let Some(id) = &record.id_at_source
            {
                let key = (record.source_name.as_str(), id.as_str());
                at_source.entry(key).or_default().push(index);
            }
        }
        for index in self.open(true) {
            let row = &self.rows[index];
            let own = at_source.get(&(row.source(), row.id().as_str()));
            let same = self.candidates.binary_search_by(|it| it.id.cmp(row.id()));
            let mut found = own.into_iter().flatten().copied().chain(same.ok());
            let Some(found) = found.find(|it| self.candidates[*it].is_of_place(row)) else {
                continue;
            };
            let candidate = &self.candidates[found];
            if candidate.is_alike(row, &self.digests[index]) {
                self.take(index, found);
            } else if candidate
                .source
                .is_some_and(|(name, _)| name == row.source())
            {
                // A review by hand, or one of another source than that of a row that states none, has this id by chance.
                self.matches[index] = Some(Match::Rejected(other_review(candidate)));
            }
        }
    }

    /// Of rows of one review the newest counts, or the last one. Rows with one ID that are different reviews are all rejected.
    fn match_repeated_ids(&mut self) {
        type Key<'r> = (Option<&'r str>, Option<&'r str>, &'r ReviewId);
        let mut groups: HashMap<Key<'_>, Vec<usize>> = HashMap::with_capacity(self.rows.len());
        for index in self.open(true) {
            let row = &self.rows[index];
            let location = row.incoming.unpublished.location.as_deref();
            let key = (row.incoming.source_name(), location, row.id());
            groups.entry(key).or_default().push(index);
        }
        for ((_, _, id), indices) in groups {
            let newest = self.newest(&indices);
            let mut others = indices.iter().filter(|index| **index != newest);
            if others
                .all(|index| may_be_one(&self.rows[*index].incoming, &self.rows[newest].incoming))
            {
                self.repeat(&indices, newest);
                continue;
            }
            for index in &indices {
                self.matches[*index] = Some(Match::Rejected(format!(
                    "id: {} rows that differ in author, date and text have the ID {}, so it is none; correct it, name the column \
                     with the IDs with --map id=COLUMN, or ignore it with --map id=",
                    indices.len(),
                    shown_id(id)
                )));
            }
        }
    }

    /// Of rows of one review the newest, or the last one.
    fn newest(&self, rows: &[usize]) -> usize {
        let mut newest = rows[0];
        for row in &rows[1..] {
            let [at, before] = [*row, newest].map(|row| self.rows[row].incoming.changed_at);
            if at.zip(before).is_none_or(|(at, before)| at >= before) {
                newest = *row;
            }
        }
        newest
    }

    /// Uses only `used` of the rows.
    fn repeat(&mut self, rows: &[usize], used: usize) {
        for row in rows.iter().filter(|row| **row != used) {
            self.matches[*row] = Some(Match::Repeated);
        }
    }

    /// Rows with an unknown ID: a row that equals one review without a row, in a text of some length, is that review.
    fn match_new_ids(&mut self) {
        let open = self.open(true);
        if open.is_empty() {
            return;
        }
        let by_content = self.by_digest(|digests| digests.content);
        for row in open {
            let digests = self.digests[row];
            let mut equal = self.of_row(&by_content, row, digests.content);
            equal.retain(|it| self.candidates[*it].has_name_of(&self.rows[row], &digests));
            let free: Vec<usize> = equal
                .iter()
                .copied()
                .filter(|it| self.is_free(*it))
                .collect();
            match free[..] {
                [only] if has_telling_text(&self.rows[row]) => self.take(row, only),
                _ => {
                    equal.retain(|it| self.candidates[*it].is_hidden_by_owner());
                    if !equal.is_empty() {
                        self.doubt(row, &equal);
                    }
                }
            }
        }
    }

    // Rows without an ID.

    /// Rows that have author, day, stars and text of a review. Equal rows with a text count once, others as often as they stand in
    /// one file.
    fn match_equal_rows(&mut self) {
        let mut equal: HashMap<_, Vec<usize>> = HashMap::new();
        let mut numbers: HashMap<_, usize> = HashMap::new();
        for index in self.open(false) {
            let (row, digests) = (&self.rows[index], self.digests[index]);
            let location = row.incoming.unpublished.location.as_deref();
            let key = (
                row.source(),
                location,
                digests.author_and_day,
                digests.content,
            );
            let number = numbers.entry((key, row.file)).or_default();
            // Of a row without a text, the next one in the same file is another review.
            *number += usize::from(row.review().text.is_empty());
            equal.entry((key, *number)).or_default().push(index);
        }
        for rows in equal.into_values() {
            let used = self.newest(&rows);
            self.repeat(&rows, used);
        }
        let open = self.open(false);
        if open.is_empty() {
            return;
        }
        let by_content = self.by_digest(|digests| digests.content);
        // A whole name goes before a short one.
        for is_whole in [true, false] {
            for row in self.open(false) {
                let digests = self.digests[row];
                let equal = self.of_row(&by_content, row, digests.content);
                let found = equal.into_iter().find(|it| {
                    let candidate = &self.candidates[*it];
                    let has_author = candidate
                        .digests()
                        .is_some_and(|it| it.has_author_of(&digests));
                    let is_named =
                        has_author || !is_whole && candidate.has_name_of(&self.rows[row], &digests);
                    is_named && !candidate.has_row
                });
                if let Some(found) = found {
                    self.take(row, found);
                }
            }
        }
    }

    /// The other rows and reviews of one source, location, author and day.
    fn match_groups(&mut self) {
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for index in self.open(false) {
            let row = &self.rows[index];
            let location = row.incoming.unpublished.location.as_deref();
            let key = (row.source(), location, self.digests[index].author_and_day);
            groups.entry(key).or_default().push(index);
        }
        if groups.is_empty() {
            return;
        }
        let by_day = self.by_digest(|digests| digests.author_and_day);
        for rows in groups.into_values() {
            let author_and_day = self.digests[rows[0]].author_and_day;
            let mut reviews = self.of_row(&by_day, rows[0], author_and_day);
            reviews.retain(|it| self.is_free(*it));
            self.match_group(rows, reviews);
        }
    }

    fn match_group(&mut self, mut rows: Vec<usize>, mut reviews: Vec<usize>) {
        // One row and one review with one text: the stars were changed.
        for row in rows.clone() {
            let text = self.digests[row].text;
            let has_text = |it: &&usize| {
                self.candidates[**it]
                    .digests()
                    .is_some_and(|it| it.text == text)
            };
            let same: Vec<usize> = reviews.iter().filter(has_text).copied().collect();
            let of_text = rows
                .iter()
                .filter(|row| self.digests[**row].text == text)
                .count();
            if let ([review], 1) = (&same[..], of_text) {
                self.take_edited(row, *review);
                rows.retain(|other| *other != row);
                reviews.retain(|other| other != review);
            }
        }
        if rows.is_empty() || reviews.is_empty() {
            return;
        }
        let is_shared = is_shared_name(self.rows[rows[0]].author());
        if let ([row], [review]) = (&rows[..], &reviews[..])
            && !is_shared
            && self.is_edit(*row, *review)
        {
            return self.take_edited(*row, *review);
        }
        if is_shared
            && !reviews
                .iter()
                .any(|it| self.candidates[*it].is_hidden_by_owner())
        {
            return;
        }
        for row in rows {
            self.doubt(row, &reviews);
        }
    }

    /// Whether the row may be the only review of its author and day, with an edited text.
    fn is_edit(&self, row: usize, review: usize) -> bool {
        let candidate = &self.candidates[review];
        // Of a deleted review the text is not kept.
        let Some(there) = candidate.known.review() else {
            return false;
        };
        let stated = self.rows[row].review();
        let has_stars = candidate.said().compare(Unit::Rating, stated);
        let has_stars = has_stars.unwrap_or(there.rating == stated.rating);
        // The text that the source gave before the owner edited it is not kept.
        let is_edited_here =
            candidate.said().is_decided(Unit::Text, there) && candidate.known.source.is_some();
        if is_edited_here || there.text.is_empty() || stated.text.is_empty() {
            return has_stars;
        }
        shares_half(&stated.text, &there.text)
    }

    /// Takes the row as an edited form of the review. Where a file has only some of the reviews, that is not sure.
    fn take_edited(&mut self, row: usize, review: usize) {
        if !self.is_excerpt(row) {
            self.take(row, review);
        } else if self.candidates[review].is_hidden_by_owner() {
            self.doubt(row, &[review]);
        }
    }

    /// Whether the row's file has only some of the reviews.
    fn is_excerpt(&self, row: usize) -> bool {
        self.request.partial || self.rows[row].format.excerpts
    }

    /// Rows of which no review has author and day, but one has the text: author or day were corrected.
    fn match_corrected(&mut self) {
        let open = self.open(false);
        if open.is_empty() {
            return;
        }
        let by_text = self.by_digest(|digests| digests.text);
        let sources: BTreeSet<&str> = open.iter().map(|row| self.rows[*row].source()).collect();
        let coverage: HashMap<&str, Coverage> = sources
            .into_iter()
            .map(|name| (name, Coverage::of(self, name)))
            .collect();
        for row in open {
            let digests = self.digests[row];
            let mut same = self.of_row(&by_text, row, digests.text);
            same.retain(|it| self.is_free(*it));
            let is_shared = is_shared_name(self.rows[row].author());
            let has_author = |it: usize| {
                !is_shared
                    && self.candidates[it]
                        .digests()
                        .is_some_and(|it| it.has_author_of(&digests))
            };
            let has_day = |it: usize| {
                self.candidates[it]
                    .digests()
                    .is_some_and(|it| it.has_day_of(&digests))
            };
            let is_telling = has_telling_text(&self.rows[row]);
            if let [review] = same[..] {
                let candidate = &self.candidates[review];
                let (is_author, is_day) = (has_author(review), has_day(review));
                if candidate.is_hidden_by_owner() {
                    if is_author || is_day || is_telling {
                        self.doubt(row, &[review]);
                    }
                } else if is_telling
                    && (is_author || is_day && candidate.has_initial_of(&self.rows[row]))
                    && coverage[self.rows[row].source()].covers(candidate)
                {
                    self.take_edited(row, review);
                }
            } else {
                // The author's own, of several with one text.
                same.retain(|it| has_author(*it) && self.candidates[*it].is_hidden_by_owner());
                if !same.is_empty() {
                    self.doubt(row, &same);
                }
            }
        }
    }

    // What the owner decided about doubtful rows, and the ids of new reviews.

    fn settle(&mut self, files: &[&str]) -> Vec<String> {
        let mut notes = Vec::new();
        for choice in self
            .request
            .doubtful
            .iter()
            .filter(|choice| choice.row.is_some())
        {
            let is_row =
                |row: &usize| choice.names(files[self.rows[*row].file], &self.rows[*row].at);
            let doubtful = (0..self.rows.len())
                .filter(|row| matches!(self.matches[*row], Some(Match::Doubtful(_))));
            if !doubtful.clone().any(|row| is_row(&row)) {
                notes.push(format!("--doubtful {choice}: that row is not doubtful"));
            }
        }
        // New reviews leave fewer rows to choose from.
        for is_same in [false, true] {
            let mut rivals: HashMap<ReviewId, usize> = HashMap::new();
            for found in self.matches.iter().flatten() {
                if let Match::Doubtful(ids) = found {
                    for id in ids {
                        *rivals.entry(id.clone()).or_default() += 1;
                    }
                }
            }
            for row in 0..self.rows.len() {
                let Some(Match::Doubtful(ids)) = &self.matches[row] else {
                    continue;
                };
                let place = (files[self.rows[row].file], &self.rows[row].at);
                let Some(choice) = DoubtfulChoice::of(&self.request.doubtful, place.0, place.1)
                else {
                    continue;
                };
                if choice.is_same != is_same {
                    continue;
                }
                if !is_same {
                    self.matches[row] = None;
                } else if let [id] = &ids[..]
                    && (choice.row.is_some() || rivals[id] == 1)
                    && let Ok(candidate) = self.candidates.binary_search_by(|it| it.id.cmp(id))
                    && self.is_free(candidate)
                {
                    self.take(row, candidate);
                }
            }
        }
        notes
    }

    fn name_new(&mut self) {
        let mut numbers: HashMap<&ReviewId, u64> = HashMap::new();
        for index in (0..self.rows.len())
            .filter(|row| self.matches[*row].is_none())
            .collect::<Vec<_>>()
        {
            let row = &self.rows[index];
            let is_taken = |id: &ReviewId| self.known.contains_key(id) || self.new_ids.contains(id);
            let id = if !is_taken(row.id()) {
                Some(row.id().clone())
            } else if row.incoming.has_own_id {
                prefixed_id(row.source(), row.id()).filter(|id| !is_taken(id))
            } else {
                let number = numbers.entry(row.id()).or_insert(1);
                std::iter::from_fn(|| {
                    *number += 1;
                    Some(format!("{}-{number}", row.id()).parse())
                })
                .map_while(Result::ok)
                .find(|id| !is_taken(id))
            };
            self.matches[index] = Some(match id {
                Some(id) => {
                    self.new_ids.insert(id.clone());
                    Match::New(id)
                }
                None => Match::Rejected(format!(
                    "id: reviews of too many sources have the ID {}; give it another one",
                    shown_id(row.id())
                )),
            });
        }
    }
}

/// How much of a source's reviews the files have.
struct Coverage {
    /// Year and month of the first row.
    first: Option<(i32, u32)>,
    /// Whether half of the reviews have author and text in the files.
    has_half: bool,
}

impl Coverage {
    fn of(matcher: &Matcher<'_>, source: &str) -> Self {
        let rows = (0..matcher.rows.len()).filter(|row| matcher.rows[*row].source() == source);
        let key = |digests: &Digests| (digests.author_and_day >> 24, digests.text);
        let given: HashSet<_> = rows.clone().map(|row| key(&matcher.digests[row])).collect();
        let reviews = matcher
            .candidates
            .iter()
            .filter(|it| !it.known.is_deleted());
        let reviews = reviews.filter_map(|it| it.source.filter(|(name, _)| *name == source));
        let (all, found) = reviews.fold((0_u64, 0_u64), |(all, found), (_, digests)| {
            (all + 1, found + u64::from(given.contains(&key(&digests))))
        });
        Self {
            first: rows.map(|row| month(matcher.rows[row].source_day())).min(),
            has_half: found * 2 >= all,
        }
    }

    /// Whether a file with the review would have its row among these.
    fn covers(&self, candidate: &Candidate<'_>) -> bool {
        let posted_at = candidate.known.source.as_ref().and_then(|it| it.posted_at);
        let day = candidate.known.review().map(|it| source_day(it, posted_at));
        self.has_half
            || self
                .first
                .zip(day)
                .is_some_and(|(first, day)| first <= month(day))
    }
}

fn month(day: Day) -> (i32, u32) {
    (day.date().year(), day.date().month())
}

impl Candidate<'_> {
    /// Whether its author and that of the row begin with the same letter.
    fn has_initial_of(&self, row: &Row) -> bool {
        let initial = |name: &str| words(name).trim().chars().next();
        let review = self.known.review();
        review.is_some_and(|review| initial(&review.author) == initial(row.author()))
    }
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

fn other_review(candidate: &Candidate<'_>) -> String {
    let id = shown_id(candidate.id);
    let review = candidate.known.review();
    let of = review.map_or_else(
        || ", which you deleted".to_owned(),
        |Review { author, date, .. }| format!(", by {author} of {date}"),
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
    let numbered = id.rsplit_once('-').filter(|(_, number)| {
        number.len() < 16 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let id = numbered.map_or(id, |(id, _)| id);
    let digest = id.rsplit('-').next().unwrap_or_default();
    digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether many people may have the name, so that it identifies nobody.
pub fn is_shared_name(name: &str) -> bool {
    const SHARED: Names =
        "anonymous, a google user, customer, guest, verified customer, verified buyer";
    let name = name.trim().to_lowercase();
    let mut anonymous = all_formats().filter_map(|format| format.anonymous);
    name.is_empty()
        || names(SHARED).any(|shared| shared == name)
        || anonymous.any(|author| author.to_lowercase() == name)
}

fn has_telling_text(row: &Row) -> bool {
    row.review().text.split_whitespace().count() >= TELLING_WORDS_MIN
}

/// Whether at least half of the words of `text` are also in `former`.
fn shares_half(text: &str, former: &str) -> bool {
    let [text, former] = [text, former].map(str::to_lowercase);
    let words = |text: &'_ str| -> Vec<String> {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let former: HashSet<String> = words(&former).into_iter().collect();
    let words = words(&text);
    let shared = words.iter().filter(|word| former.contains(*word));
    shared.count() * 2 >= words.len()
}
