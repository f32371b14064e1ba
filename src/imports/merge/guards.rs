//! Safeguards: an import that changes, hides, publishes or withdraws much of a source, as that of a broken sheet would, is taken only if the
//! owner accepts it.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::report::{ImportReport, MergeError, Refusal, preview_change};
use crate::model::{Review, Status};
use crate::storage::reviews::Known;

/// What stops an import.
#[derive(Debug, Clone, Default)]
pub struct Guards {
    /// Whether the import is taken as it is.
    pub accepts_changes: bool,
    /// Whether many rejected rows stop it.
    pub limits_rejected: bool,
    /// How the owner looks at what a guard stops, and takes it.
    pub advice: String,
}

/// This many reviews or rows may always be concerned; as many examples are shown.
pub const FEW: usize = 3;

/// The number of reviews of a source that change in one way, and the first ones.
#[derive(Default)]
struct Tally {
    count: usize,
    shown: Vec<String>,
}

impl Tally {
    fn add(&mut self, before: &Review, after: &Review) {
        self.count += 1;
        if self.shown.len() < FEW {
            self.shown.push(preview_change(before, after));
        }
    }
}

/// The reviews of a source before the import, and what becomes of them.
#[derive(Default)]
struct SourceTallies {
    reviews: usize,
    public: usize,
    /// Reviews that the source withheld.
    withheld: usize,
    changed: Tally,
    hidden: Tally,
    published: Tally,
}

/// How a source hides a review.
#[derive(Debug, Clone, Copy)]
pub struct Hiding {
    /// Whether it did so before the import.
    pub was_by_source: bool,
    /// Whether it does so by a value that nobody named.
    pub is_unnamed: bool,
}

/// What an import does to the reviews of each source.
pub struct Tallies(BTreeMap<String, SourceTallies>);

impl Tallies {
    pub fn of(known: &Known) -> Self {
        let mut tallies = Self(BTreeMap::new());
        for known in known.values() {
            if let Some(review) = known.review() {
                let source = tallies.0.entry(known.source_name().to_owned()).or_default();
                source.reviews += 1;
                source.public += usize::from(review.status == Status::Published);
                source.withheld += usize::from(known.is_withheld_by_source());
            }
        }
        tallies
    }

    /// Counts a review that has a row.
    pub fn count(&mut self, source: &str, before: &Review, after: &Review, hiding: Hiding) {
        let source = self.0.entry(source.to_owned()).or_default();
        let has_other_text = !before.text.is_empty() && before.text != after.text;
        if has_other_text
            || (before.rating, before.date, &before.author)
                != (after.rating, after.date, &after.author)
        {
            source.changed.add(before, after);
        }
        let [was_published, is_published] =
            [before, after].map(|review| review.status == Status::Published);
        if was_published && !is_published && hiding.is_unnamed {
            source.hidden.add(before, after);
        } else if is_published && hiding.was_by_source {
            source.published.add(before, after);
        }
    }

    /// Notes in the report what the owner accepts.
    ///
    /// # Errors
    /// What is too much to be taken without the owner.
    pub fn check(&self, report: &mut ImportReport, guards: &Guards) -> Result<(), MergeError> {
        let (rejected, rows) = (report.rejected, report.rejected + report.taken);
        if guards.limits_rejected && exceeds(rejected, rows, 10) {
            let reason = format!("{rejected} of {rows} rows were rejected, more than a tenth");
            guards.stop(reason, None, Vec::new(), report)?;
        }
        for (name, source) in &self.0 {
            let hidden = format!(
                "public reviews would be withheld {}",
                why_hidden(report, name)
            );
            for (tally, all, what) in [
                (
                    &source.changed,
                    source.reviews,
                    "reviews would have another text, author, day or stars",
                ),
                (&source.hidden, source.public, &hidden),
                (
                    &source.published,
                    source.withheld,
                    "reviews that the source withheld would become public",
                ),
            ] {
                if exceeds(tally.count as u64, all as u64, 2) {
                    let reason = format!("{} of {all} {what}, more than half", tally.count);
                    guards.stop(reason, Some(name), tally.shown.clone(), report)?;
                }
            }
        }
        Ok(())
    }
}

impl Guards {
    /// Stops the import, or notes that the owner accepts it.
    fn stop(
        &self,
        reason: String,
        source: Option<&str>,
        examples: Vec<String>,
        report: &mut ImportReport,
    ) -> Result<(), MergeError> {
        if self.accepts_changes {
            let note = format!("accepted by --accept-changes: {reason}");
            report.notes.push(note);
            return Ok(());
        }
        Err(MergeError::Guarded(Refusal {
            reason,
            source: source.map(str::to_owned),
            examples,
            advice: self.advice.clone(),
        }))
    }

    /// # Errors
    /// If the files lack more than a tenth of a source's reviews, or all.
    pub fn check_missing(
        &self,
        source: &str,
        missing: usize,
        all: usize,
        report: &mut ImportReport,
    ) -> Result<(), MergeError> {
        let is_all = missing > 0 && missing == all;
        if is_all || exceeds(missing as u64, all as u64, 10) {
            let reason = format!(
                "--withdraw-missing: {missing} of {all} reviews are missing, more than a tenth"
            );
            self.stop(reason, Some(source), Vec::new(), report)?;
        }
        Ok(())
    }
}

/// Whether more than the `share`-th part of all, and more than a few, are concerned.
const fn exceeds(count: u64, all: u64, share: u64) -> bool {
    count > FEW as u64 && count * share > all
}

fn why_hidden(report: &ImportReport, source: &str) -> String {
    let new = report.new_values.iter().filter(|new| new.source == source);
    let headers: BTreeSet<&str> = new.map(|new| new.header.as_str()).collect();
    if headers.is_empty() {
        return "because the source hides them".to_owned();
    }
    let headers: Vec<&str> = headers.into_iter().collect();
    format!("for values of {} that nobody named", headers.join(" and "))
}
