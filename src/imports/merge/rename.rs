//! Gives all reviews of one source another source's name, so that the next import of that source finds them.

use std::collections::{HashMap, HashSet};

use crate::clock::Clock;
use crate::imports::report::{ImportError, MergeError, Named};
use crate::imports::request::respell;
use crate::model::Unit;
use crate::storage::columns::{KeptColumn, KeptColumns};
use crate::storage::reviews::{Known, KnownReview, ReviewState, SourceRecord};
use crate::storage::{AtPath as _, Database, Write, reviews};

/// A source that has another name now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    pub former_name: String,
    pub name: String,
    /// The number of reviews.
    pub count: u64,
    /// The number of reviews that the other source had before.
    pub count_before: u64,
}

/// Renames the source.
///
/// # Errors
/// [`ImportError`], also if the other source has reviews that would be mixed up with these; then nothing was changed.
pub async fn rename_source(
    database: &Database,
    clock: &Clock,
    source: &str,
    new_name: &str,
) -> Result<Renamed, ImportError> {
    let path = database.path();
    let mut write = database.write_as_owner().await?;
    let mut counts = reviews::counts_by_source(write.for_reading())
        .await
        .at(path)?;
    // Names that differ only in case are one source, as in imports; the source itself may get another case.
    let (mut former_name, mut name) = (source.to_owned(), new_name.to_owned());
    respell(&mut former_name, &counts);
    counts.retain(|count| count.source_name != former_name);
    respell(&mut name, &counts);
    let renamed = rename(&mut write, clock, &former_name, &name)
        .await
        .map_err(|error| error.at(path))?;
    if renamed.count == 0 {
        return Err(ImportError::Refused(format!(
            "no review is from {source}; `reviews source` lists the sources"
        )));
    }
    write.commit().await.at(path)?;
    Ok(renamed)
}

async fn rename(
    write: &mut Write,
    clock: &Clock,
    source: &str,
    new_name: &str,
) -> Result<Renamed, MergeError> {
    let now = clock.now();
    let known = reviews::load_known(write.for_reading()).await?;
    let is_moved = |known: &KnownReview| {
        let recorded = known.source.as_ref().map(|it| it.source_name.as_str());
        let shown = || Some(known.review()?.source.name.as_str());
        recorded.or_else(shown) == Some(source)
    };
    let is_other = |known: &KnownReview| {
        known
            .source
            .as_ref()
            .is_some_and(|it| it.source_name == new_name)
    };
    let (moved, others): (Known, Known) = known.into_iter().partition(|(_, known)| is_moved(known));
    let others: Vec<KnownReview> = others.into_values().filter(is_other).collect();
    if !others.is_empty() {
        let columns = KeptColumns::load(write.for_reading()).await?;
        check_apart(source, new_name, &moved, &others, &columns).map_err(MergeError::Refused)?;
    }
    let present = |known: &&KnownReview| !known.is_deleted();
    let renamed = Renamed {
        former_name: source.to_owned(),
        name: new_name.to_owned(),
        count: moved.values().filter(present).count() as u64,
        count_before: others.iter().filter(present).count() as u64,
    };
    let (mut changed, mut records) = (Vec::new(), Vec::new());
    for known in moved.into_values().filter(|known| !known.is_deleted()) {
        let mut record = known.source;
        // The owner may have given the review another source's name, which stays.
        if let ReviewState::There(mut review) = known.state
            && review.source.name == source
        {
            let mut last = record
                .as_ref()
                .map(SourceRecord::last_statement)
                .unwrap_or_default();
            let is_source_s = last.compare(Unit::Source, &review) == Some(true);
            new_name.clone_into(&mut review.source.name);
            review.updated_at = review.updated_at.max(Some(now));
            if let Some(record) = record.as_mut().filter(|_| is_source_s) {
                last.set(Unit::Source, &review);
                record.set_last_statement(&last);
            }
            changed.push(review);
        }
        records.extend(record.map(|record| SourceRecord {
            source_name: new_name.to_owned(),
            ..record
        }));
    }
    reviews::update_undecided(write, &changed, &records, now).await?;
    reviews::rename_source_records(write, source, new_name).await?;
    Ok(renamed)
}

/// Whether files of either source would still find their own reviews if both had one name.
///
/// # Errors
/// Why not, with what to do.
fn check_apart(
    source: &str,
    new_name: &str,
    moved: &Known,
    others: &[KnownReview],
    columns: &KeptColumns,
) -> Result<(), String> {
    fn own_id(source: &SourceRecord) -> &str {
        source.id_at_source.as_deref().unwrap_or(source.id.as_str())
    }
    // What a column is read as; values that did not publish may be new.
    let reading = |name: &str, header: &str| -> Vec<KeptColumn> {
        let plain = |it: &KeptColumn| KeptColumn {
            source: String::new(),
            header: String::new(),
            withheld_values: Vec::new(),
            decided_by: String::new(),
            ..it.clone()
        };
        columns.at(name, header).map(plain).collect()
    };
    let differs = |header: &&str| {
        let [one, other] = [source, new_name].map(|name| reading(name, header));
        !one.is_empty() && !other.is_empty() && one != other
    };
    let mut headers = columns.of(source).map(|column| column.header.as_str());
    if let Some(header) = headers.find(differs) {
        let part = match header {
            "" => "text that is not UTF-8, or a field that is not there,".to_owned(),
            header => format!("the column {header}"),
        };
        return Err(format!(
            "{part} is read in one way in files of {source} and in another in files of {new_name}, so they cannot be one source; keep \
             both names, or change one with `reviews source columns`"
        ));
    }
    let sources = others.iter().filter_map(|known| known.source.as_ref());
    let ids: HashSet<&str> = sources.map(own_id).collect();
    let there = others
        .iter()
        .filter(|known| !known.is_deleted())
        .filter_map(|known| known.source.as_ref());
    let contents: HashMap<i64, &SourceRecord> = there.map(|it| (it.digests.content, it)).collect();
    let mut same = Named::default();
    for known in moved.values() {
        let Some(version) = &known.source else {
            continue;
        };
        if ids.contains(own_id(version)) {
            same.add(|| own_id(version).to_owned());
        } else if let Some(other) = contents.get(&version.digests.content)
            && !known.is_deleted()
        {
            same.add(|| format!("{} and {}", version.id, other.id));
        }
    }
    if same.count == 0 {
        return Ok(());
    }
    Err(format!(
        "{new_name} has reviews already, and some of them and of those from {source} have the same ID at the source, or the same \
         author, day, stars and text ({same}); under one name, imports could not tell them apart; if they are the same rows, take back the import that added one of them with `reviews undo --source NAME`, rename, and import its file again with --source '{}'; otherwise keep both names",
        new_name.replace('\'', r"'\''")
    ))
}
