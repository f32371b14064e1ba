//! Safeguards: an import that changes, hides, publishes or withdraws much of a source, as that of a broken sheet would, is taken only if the
//! owner accepts it.

use std::collections::BTreeMap;

use crate::imports::report::{ImportError, ImportReport, Outcome, Refusal, preview_change};
use crate::imports::request::ImportRequest;
use crate::model::{MAYBE_NOT_PUBLISHED, Review, Status, Unit, Units};
use crate::storage::reviews::Known;

/// This many reviews or rows may always be concerned; as many examples are shown.
pub const FEW: usize = 3;

/// How an import concerns reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Changes,
    /// By a value that the format does not list, or by a row that is rejected or doubtful and hides.
    Hides,
    /// What the source withheld.
    Publishes,
    /// Its source gave a reply, and no longer states one.
    LosesReply,
}

/// Reviews of a source that an import could concern in one way, how many it does, and the first of these.
#[derive(Default)]
struct Tally {
    all: u64,
    count: u64,
    shown: Vec<String>,
}

/// How a source hides a review.
#[derive(Debug)]
pub struct Hiding {
    /// Whether it did so before the import.
    pub was_by_source: bool,
    /// Whether a value of the row does so, and not the want of a verification, nor what the owner says of files without a column.
    pub is_by_value: bool,
    /// What the row hides: that is no loss.
    pub units: Units,
}

/// What an import does to the reviews of each source.
pub struct Tallies(BTreeMap<(String, Effect), Tally>);

impl Tallies {
    pub fn of(known: &Known) -> Self {
        let mut tallies = Self(BTreeMap::new());
        for known in known.values() {
            let Some(review) = known.review() else {
                continue;
            };
            let is_public = review.status == Status::Published;
            let has_reply = review.reply.is_some() && !known.has_own_reply();
            for (effect, is_possible) in [
                (Effect::Changes, true),
                (Effect::Hides, is_public),
                (Effect::Publishes, known.is_withheld_by_source()),
                (Effect::LosesReply, has_reply),
            ] {
                tallies.of_source(known.source_name(), effect).all += u64::from(is_possible);
            }
        }
        tallies
    }

    fn of_source(&mut self, source: &str, effect: Effect) -> &mut Tally {
        self.0.entry((source.to_owned(), effect)).or_default()
    }

    /// Counts a review that has a row.
    pub fn count(&mut self, source: &str, before: &Review, after: &Review, hiding: &Hiding) {
        let has_other_text = !before.text.is_empty() && before.text != after.text;
        let has_other_author =
            before.author != after.author && !hiding.units.contains(&Unit::Author);
        let is_changed = has_other_text
            || has_other_author
            || (before.rating, before.date) != (after.rating, after.date);
        let loses_reply =
            before.reply.is_some() && after.reply.is_none() && !hiding.units.contains(&Unit::Reply);
        let [was_public, is_public] =
            [before, after].map(|review| review.status == Status::Published);
        for (effect, is_so) in [
            (Effect::Changes, is_changed),
            (
                Effect::Hides,
                was_public && !is_public && hiding.is_by_value,
            ),
            (Effect::Publishes, is_public && hiding.was_by_source),
            (Effect::LosesReply, loses_reply),
        ] {
            if is_so {
                self.add(source, effect, before, after);
            }
        }
    }

    /// Counts a public review that is withheld because a row hides it, or may, that is not imported.
    pub fn count_hidden(&mut self, source: &str, before: &Review) {
        let after = Review {
            status: Status::withheld(MAYBE_NOT_PUBLISHED),
            ..before.clone()
        };
        self.add(source, Effect::Hides, before, &after);
    }

    fn add(&mut self, source: &str, effect: Effect, before: &Review, after: &Review) {
        let tally = self.of_source(source, effect);
        tally.count += 1;
        if tally.shown.len() < FEW {
            tally.shown.push(preview_change(before, after));
        }
    }

    /// Notes in the report what the owner accepts.
    ///
    /// # Errors
    /// What is too much to be taken without the owner.
    pub fn check(
        &self,
        report: &mut ImportReport,
        request: &ImportRequest,
    ) -> Result<(), ImportError> {
        let rejected = report.count(Outcome::Rejected);
        let rows = report.rows() - report.count(Outcome::Elsewhere);
        if request.run_of.is_some() && exceeds(rejected, rows, 10) {
            let reason = format!("{rejected} of {rows} rows were rejected, more than a tenth");
            stop(request, reason, None, Vec::new(), report)?;
        }
        for ((source, effect), Tally { all, count, shown }) in &self.0 {
            if exceeds(*count, *all, 2) {
                let consequence = match effect {
                    Effect::Changes => "reviews would have another text, author, day or stars",
                    Effect::Hides => {
                        "public reviews would be withheld for values that the format does not name"
                    }
                    Effect::Publishes => "reviews that the source withheld would become public",
                    Effect::LosesReply => {
                        "replies of the source are no longer stated, and would be removed"
                    }
                };
                let reason = format!("{count} of {all} {consequence}, more than half");
                stop(request, reason, Some(source), shown.clone(), report)?;
            } else if *effect == Effect::LosesReply && *count > 0 {
                report.note(format!(
                    "{count} of {all} replies of {source} are no longer stated, and are removed"
                ));
            }
        }
        Ok(())
    }
}

/// Stops the import, or notes that the owner accepts it, or in a dry run that the import needs that.
pub fn stop(
    request: &ImportRequest,
    reason: String,
    source: Option<&str>,
    examples: Vec<String>,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    if request.accept_changes {
        report.note(format!("accepted by --accept-changes: {reason}"));
        return Ok(());
    }
    if request.dry_run {
        report.refusals.push(reason);
        return Ok(());
    }
    let advice = match &request.run_of {
        None => "check the file; --accept-changes takes it".to_owned(),
        Some(name) => {
            let option = if request.withdraw_missing {
                " --withdraw-missing"
            } else {
                ""
            };
            let command = format!("reviews sync run {name}{option}");
            format!("`{command} --dry-run` shows more; `{command} --accept-changes` takes it")
        }
    };
    Err(ImportError::Guarded(Refusal {
        reason,
        source: source.map(str::to_owned),
        examples,
        advice,
    }))
}

/// # Errors
/// If the files lack more than a tenth of a source's reviews, or all.
pub fn check_missing(
    request: &ImportRequest,
    source: &str,
    missing: usize,
    all: usize,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let is_all = missing > 0 && missing == all;
    if is_all || exceeds(missing as u64, all as u64, 10) {
        let reason = format!(
            "--withdraw-missing: {missing} of {all} reviews are missing, more than a tenth"
        );
        stop(request, reason, Some(source), Vec::new(), report)?;
    }
    Ok(())
}

/// Whether more than the `share`-th part of all, and more than a few, are concerned.
const fn exceeds(count: u64, all: u64, share: u64) -> bool {
    count > FEW as u64 && count * share > all
}
