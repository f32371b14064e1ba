//! Finds rows without an id that complete an existing review. If a table is imported without its text column and later
//! with it, the digests of its rows differ, although the reviews are the same (`docs/IMPORT.md`). Such a row is staged
//! under the existing review's id before the merge, because two rows may match the same review, which is known only
//! after all rows are read.

use std::collections::{BTreeSet, HashSet};

use crate::imports::map::{FormerIdParts, SOURCE_DEFAULT, values};
use crate::imports::merge::{Merging, Staged, StagedReview};
use crate::model::{DigestKey, Review, ReviewId, Statement, Unit};
use crate::storage::imports::{StagedRow, Staging};
use crate::storage::reviews;
use crate::storage::reviews::{KnownReviews, SourceVersion};

/// Prefix of ids of rows in tables without a known platform.
const TABLE: &str = "table";
/// Maximum number of reviews with one fingerprint that are compared.
const CANDIDATES_MAX: i64 = 16;

/// Stages rows under the id of the existing review that they match, and leaves ambiguous rows out.
pub async fn find(merging: &mut Merging<'_>, staging: &mut Staging) -> sqlx::Result<()> {
    if reviews::ids_after(merging.write.for_reading(), "", 1)
        .await?
        .is_empty()
    {
        return Ok(());
    }
    let mut last = String::new();
    loop {
        let ids = staging.unsure_ids_after(&last).await?;
        let Some(end) = ids.last() else {
            break;
        };
        last.clone_from(end);
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let present = reviews::ids_present(merging.write.for_reading(), &list).await?;
        let mut new: Vec<&str> = list
            .into_iter()
            .filter(|id| !present.contains(*id))
            .collect();
        let deleted = reviews::standing(merging.write.for_reading(), &new)
            .await?
            .deleted;
        while !new.is_empty() {
            let rows = staging.rows_of(&new).await?;
            new.drain(..rows.len().max(1));
            batch(merging, staging, rows, &deleted).await?;
        }
    }
    let undecided = &mut merging.report.undecided;
    let look = |id, known| {
        undecided.add(|| format!("{id} may be {known}, and so may another row"));
    };
    staging.leave_out_contested(look).await?;
    last.clear();
    loop {
        let ids = staging.filling_ids_after(&last).await?;
        let Some(end) = ids.last() else {
            break;
        };
        last.clone_from(end);
        // If the owner deletes the review, this row must not restore it under this id.
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        reviews::note_deleted(merging.write, &list).await?;
        merging.write.end_group();
    }
    staging.rename_known().await
}

async fn batch(
    merging: &mut Merging<'_>,
    staging: &mut Staging,
    rows: Vec<StagedRow>,
    deleted: &HashSet<String>,
) -> sqlx::Result<()> {
    let mut reviews_staged = Vec::with_capacity(rows.len());
    for row in rows {
        if let Staged::Review(review) = Staged::read(row)? {
            reviews_staged.push(review);
        }
    }
    let rows = reviews_staged;
    let candidates = candidates(merging, &rows).await?;
    let former: Vec<FormerIds> = rows.iter().map(|row| FormerIds::of(row)).collect();
    let all: Vec<&str> = former.iter().flat_map(FormerIds::all).collect();
    let met = reviews::ids_ever_used(merging.write.for_reading(), &all).await?;
    let mut ids: Vec<&str> = candidates.iter().flatten().map(String::as_str).collect();
    ids.extend(met.iter().map(String::as_str));
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    // A review in the imported files is not completed by another row.
    let given = staging.known(&ids).await?;
    ids.retain(|id| !given.contains(*id));
    let standing = reviews::standing(merging.write.for_reading(), &ids).await?;
    let (mut known, mut undecided) = (Vec::new(), Vec::new());
    for ((row, candidates), former) in rows.iter().zip(candidates).zip(&former) {
        let id = row.said.review.id.as_str();
        let is_deleted = deleted.contains(id);
        if !is_deleted && let Some(former) = former.find(row, &standing, merging) {
            known.push((id.to_owned(), former.to_owned(), false));
            continue;
        }
        // A row with its own id is not another review just because its values are alike.
        let meant: BTreeSet<String> = candidates
            .into_iter()
            .filter(|_| !row.has_id && row.number().is_none())
            .chain(former.without_text.iter().map(ToString::to_string))
            .filter(|candidate| {
                let there = standing.reviews.get(candidate);
                let source = standing.sources.get(candidate);
                there.zip(source).is_some_and(|(there, source)| {
                    completes(&merging.key, row, is_deleted, there, source)
                })
            })
            .collect();
        let mut meant = meant.into_iter();
        match (meant.next(), meant.next()) {
            (None, _) => {}
            (Some(only), None) => known.push((id.to_owned(), only, true)),
            (Some(one), Some(other)) => {
                let name = || format!("{id} may be {one} or {other}");
                merging.report.undecided.add(name);
                undecided.push(id);
            }
        }
    }
    staging.leave_out(&undecided).await?;
    staging.note_known(&known).await
}

/// The other ids that the row's review may have, most of them from earlier releases, which read it as a table row.
#[derive(Debug, Default)]
struct FormerIds {
    /// From the row's own id.
    own: Vec<ReviewId>,
    /// Digests of the whole row.
    whole: Vec<ReviewId>,
    /// Digests without the text: the table may have been imported without it.
    without_text: Vec<ReviewId>,
    /// By another rule of the same format.
    other: Option<ReviewId>,
}

impl FormerIds {
    fn of(row: &StagedReview) -> Self {
        let number = row.number();
        let mut ids = Self {
            other: row.noted.other_id.clone().filter(|_| number.is_none()),
            ..Self::default()
        };
        let Some(former) = &row.noted.former else {
            return ids;
        };
        let review = &row.said.review;
        if let Some(theirs) = former.id.as_deref().map(str::trim) {
            ids.own.extend(theirs.parse().ok());
            ids.own.extend(values::of_platform(TABLE, theirs).ok());
        }
        let mut sources = vec![row.source_name()];
        if former.was_direct {
            sources.push(SOURCE_DEFAULT);
        }
        let mut days = vec![review.date.to_string()];
        if let Some(instant) = row.noted.posted_at {
            days.insert(0, instant.to_rfc3339());
            days.push(instant.date_naive().to_string());
            days.dedup();
        }
        let mut titles = vec![review.title.as_deref().unwrap_or_default(), ""];
        titles.dedup();
        let digests = |source: &str, day: &String, title: &str, text: &str| {
            let parts = [source, &former.author, day, title, text];
            let made = values::digest_of_row(TABLE, &parts, text, review.rating).ok();
            let (id, other) = made.unzip();
            match number.filter(|_| text.is_empty()) {
                None => [id, other.flatten()],
                Some(number) => [
                    id.and_then(|id| format!("{id}.{number}").parse().ok()),
                    None,
                ],
            }
        };
        for source in sources {
            for day in &days {
                for title in &titles {
                    for text in [Some(&review.text), former.text.as_ref()] {
                        let whole = text.map(|text| digests(source, day, title, text));
                        ids.whole.extend(whole.into_iter().flatten().flatten());
                    }
                    let without_text = digests(source, day, title, "");
                    ids.without_text.extend(without_text.into_iter().flatten());
                }
            }
        }
        ids.whole.retain(|id| *id != review.id);
        ids.without_text.retain(|id| *id != review.id);
        if review.text.is_empty() {
            ids.without_text.clear();
        }
        ids
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        let all = self.own.iter().chain(&self.whole).chain(&self.without_text);
        all.chain(&self.other).map(ReviewId::as_str)
    }

    /// The first id that exists or was deleted. Row ids of different tables may collide, so a review under such an id
    /// must also have similar values, and so must one under an id that other reviews had, too.
    fn find(
        &self,
        row: &StagedReview,
        standing: &KnownReviews,
        merging: &Merging<'_>,
    ) -> Option<&str> {
        let said = &row.said.review;
        let is_deleted = |id: &&ReviewId| standing.deleted.contains(id.as_str());
        // Several rows may be the deleted review, so it can only be restored as new ones.
        let may_be_deleted = |id: &&ReviewId| !merging.request.restore && is_deleted(id);
        let own = self.own.iter().find(|id| {
            let there = standing.reviews.get(id.as_str());
            there.is_some_and(|there| is_alike(row, there)) || is_deleted(id)
        });
        let whole = |id: &&ReviewId| {
            let there = standing.reviews.get(id.as_str());
            if said.text.is_empty() {
                there.is_some_and(|there| there.rating == said.rating) || may_be_deleted(id)
            } else {
                there.is_some() || is_deleted(id)
            }
        };
        let other = |id: &&ReviewId| {
            let source = standing.sources.get(id.as_str());
            source.is_some_and(|source| source.fingerprint == merging.key.fingerprint(said))
                || may_be_deleted(id)
        };
        // Once the review that made a table's rows ambiguous is deleted, the rows come back with their texts.
        let former = row.noted.former.as_ref();
        let was_other = former.is_some_and(|former| former.was_direct);
        let without_text = || self.without_text.iter().filter(|_| was_other);
        own.or_else(|| self.other.iter().find(other))
            .or_else(|| self.whole.iter().find(whole))
            .or_else(|| without_text().find(is_deleted))
            .map(ReviewId::as_str)
    }
}

/// Whether the existing review is probably the row's.
fn is_alike(row: &StagedReview, there: &Review) -> bool {
    let said = &row.said.review;
    let former = row.noted.former.as_ref();
    let author = former.map_or("", |former| &former.author);
    let days = (there.date.number() - said.date.number()).abs();
    there.author == author
        || there.author == said.author
        || (!said.text.is_empty() && there.text == said.text)
        || (days <= 1 && there.rating == said.rating)
}

/// For each row the ids of reviews from its source with the same author, day and rating, and the same text or none.
async fn candidates(
    merging: &mut Merging<'_>,
    rows: &[Box<StagedReview>],
) -> sqlx::Result<Vec<Vec<String>>> {
    let mut wanted = Vec::with_capacity(2 * rows.len());
    for row in rows {
        let review = &row.said.review;
        let textless = Review {
            text: String::new(),
            ..review.clone()
        };
        for review in [review, &textless] {
            wanted.push((merging.key.fingerprint(review), row.source_name()));
        }
    }
    let found =
        reviews::ids_by_fingerprint(merging.write.for_reading(), &wanted, CANDIDATES_MAX).await?;
    Ok(found.chunks(2).map(<[_]>::concat).collect())
}

/// Whether the row repeats the source's last values of the existing review, or fills its empty parts. A row whose own
/// id was deleted fills no texts: they would be the deleted texts.
fn completes(
    key: &DigestKey,
    row: &StagedReview,
    is_deleted: bool,
    there: &Review,
    source: &SourceVersion,
) -> bool {
    let Statement { review, unsaid, .. } = &row.said;
    let said = Review {
        id: there.id.clone(),
        ..review.clone()
    };
    // An earlier release may have stored this value.
    let is_former = |unit: Unit, former: &FormerIdParts| {
        let days = (there.date.number() - said.date.number()).abs();
        (unit == Unit::Source && former.was_direct && there.source.name == SOURCE_DEFAULT)
            || (unit == Unit::Author && there.author == former.author)
            || (unit == Unit::Date && row.noted.posted_at.is_some() && days <= 1)
    };
    let former = row.noted.former.as_ref();
    let fits = |unit: Unit| {
        let (its, ours) = (key.digest(unit, &said), key.digest(unit, there));
        let last = source.base.get(unit);
        let is_untouched = last.is_none_or(|last| last == ours);
        let may_fill = !is_deleted || !matches!(unit, Unit::Title | Unit::Text);
        unsaid.has(unit)
            || former.is_some_and(|former| is_former(unit, former))
            || its == ours
            || last == Some(its)
            || (is_untouched && may_fill && adds(unit, there, &said))
    };
    let locations = source.location.as_ref().zip(row.location.as_ref());
    let is_elsewhere = locations.is_some_and(|(one, other)| one != other);
    let is_compared = |unit: &Unit| !matches!(unit, Unit::Status | Unit::Verification);
    !is_elsewhere && Unit::ALL.into_iter().filter(is_compared).all(fits)
}

/// Whether every part of the unit is either empty in `there` or equal to that of `said`.
fn adds(unit: Unit, there: &Review, said: &Review) -> bool {
    fn part<T: PartialEq>(there: Option<&T>, said: Option<&T>) -> bool {
        there.is_none() || there == said
    }
    match (unit, &there.response, &said.response) {
        (Unit::Source, _, _) => {
            there.source.name == said.source.name
                && part(there.source.url.as_ref(), said.source.url.as_ref())
        }
        (Unit::Response, Some(there), Some(said)) => {
            there.text == said.text
                && part(there.date.as_ref(), said.date.as_ref())
                && part(there.author.as_ref(), said.author.as_ref())
        }
        (Unit::Mentions, _, _) => {
            let list = |there: &[String], said: &[String]| there.is_empty() || there == said;
            let (there, said) = (&there.mentions, &said.mentions);
            list(&there.technicians, &said.technicians)
                && list(&there.services, &said.services)
                && list(&there.service_areas, &said.service_areas)
        }
        _ => unit.is_unset(there),
    }
}
