//! The report of an import for `import`, `seed` and the first start with sample data.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::imports::{Format, ImportReport, Named, Rejection};
use crate::mcp::escaped;

/// Maximum number of rows with the same fault that are shown individually.
const LIKE_SHOWN_MAX: u64 = 20;
/// Maximum number of different faults that are distinguished; further rows are only counted.
const FAULTS_MAX: usize = 50;
/// Maximum number of characters of a line about a row, which may have any number of faults.
const LINE_CHARACTERS_MAX: usize = 2_000;

/// The faults of rejected rows. A large file may have hundreds of millions, so equal ones are shown [`LIKE_SHOWN_MAX`]
/// times and then counted.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// By kind: the first line, and the count.
    like: BTreeMap<String, (String, u64)>,
    others: u64,
}

impl Faults {
    /// The line about a rejected row; `None` if enough of its kind were shown.
    pub(super) fn shown(&mut self, rejection: &Rejection) -> Option<String> {
        let kind = kind(&rejection.error);
        if !self.like.contains_key(&kind) && self.like.len() == FAULTS_MAX {
            self.others += 1;
            return None;
        }
        let line = || {
            let line: String = rejection
                .to_string()
                .chars()
                .take(LINE_CHARACTERS_MAX)
                .collect();
            escaped(line)
        };
        let (_, count) = self.like.entry(kind).or_insert_with(|| (line(), 0));
        *count += 1;
        (*count <= LIKE_SHOWN_MAX).then(line)
    }

    /// Every kind of fault with its count, most frequent first; empty if all rows were shown.
    pub(super) fn counted(&self) -> Vec<String> {
        if self.others == 0
            && self
                .like
                .values()
                .all(|(_, count)| *count <= LIKE_SHOWN_MAX)
        {
            return Vec::new();
        }
        let mut like: Vec<_> = self.like.values().collect();
        like.sort_by_key(|(_, count)| Reverse(*count));
        let mut lines: Vec<String> = like
            .into_iter()
            .map(|(first, count)| format!("{} like {first}", rows(*count)))
            .collect();
        if self.others > 0 {
            lines.push(format!("{} with other faults", rows(self.others)));
        }
        lines
    }
}

/// The kind of a fault: its message without numbers and quoted values.
fn kind(error: &str) -> String {
    let mut kind = String::new();
    let mut quote = None;
    for c in error.chars().take(LINE_CHARACTERS_MAX) {
        match (quote, c) {
            // A shortened value ends with an ellipsis instead of its quote.
            (Some(end), _) if c == end || c == '…' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, _) if c.is_ascii_digit() => {
                if !kind.ends_with('0') {
                    kind.push('0');
                }
            }
            (None, _) => kind.push(c),
        }
    }
    kind
}

#[must_use]
pub fn summary(report: &ImportReport, dry_run: bool) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = summarise(&mut text, report, dry_run);
    escaped(text)
}

fn summarise(text: &mut String, report: &ImportReport, dry_run: bool) -> std::fmt::Result {
    files(text, report)?;
    business(text, report)?;
    let written = report.written;
    let (new, updated, unchanged) = (written.new, written.updated, written.unchanged);
    writeln!(
        text,
        "{new} new, {updated} updated, {unchanged} unchanged, {} rejected",
        report.rejected
    )?;
    kept(text, report)?;
    named(
        text,
        &report.undecided,
        "skipped, because they have no ID and may be existing reviews with fewer fields (delete such a review with `reviews \
         delete ID`, then import again)",
    )?;
    if report.repeated > 0 {
        writeln!(
            text,
            "{} repeated: of rows with the same ID, the newest was used",
            report.repeated
        )?;
    }
    if report.left_out > 0 {
        writeln!(
            text,
            "{} left out: replies that are not the business's answer to a review",
            rows(report.left_out)
        )?;
    }
    if report.elsewhere > 0 {
        writeln!(text, "{} of other locations left out", report.elsewhere)?;
    }
    withheld(text, report)?;
    named(
        text,
        &report.withdrawn,
        "withdrawn: their source no longer lists them",
    )?;
    if report.moved > 0 {
        writeln!(
            text,
            "{} moved to their day in the business's time zone",
            report.moved
        )?;
    }
    named(
        text,
        &report.duplicates,
        "already given by another source (--skip-duplicates withholds them)",
    )?;
    if dry_run {
        writeln!(text, "dry run: nothing was changed")?;
    }
    Ok(())
}

/// Each file with its rows and notes on its format.
fn files(text: &mut String, report: &ImportReport) -> std::fmt::Result {
    for file in &report.files {
        let label = Format::find(file.format).map_or(file.format, |format| format.label);
        write!(text, "{}: {label}, {}", file.name, rows(file.rows))?;
        if file.rejected > 0 {
            write!(text, ", {} rejected", file.rejected)?;
        }
        writeln!(text)?;
        if let Some(note) = Format::find(file.format).and_then(|format| format.note) {
            writeln!(text, "note: {note}")?;
        }
    }
    Ok(())
}

/// The business in the files.
fn business(text: &mut String, report: &ImportReport) -> std::fmt::Result {
    if let Some(name) = &report.business {
        writeln!(text, "business: {name}, taken from the file")?;
    }
    if report.has_left_out_business {
        writeln!(
            text,
            "note: the business and the editorial texts of the file were left out, because the database already has a business; \
             load them with `reviews business FILE` and `reviews editorial FILE`"
        )?;
    }
    if let Some(name) = &report.listing {
        let quoted = name.replace('\'', r"'\''");
        writeln!(
            text,
            "the business has no name yet, and this location is called {name}; `reviews init --name '{quoted}'` sets it"
        )?;
    }
    Ok(())
}

/// Counts by reason.
fn withheld(text: &mut String, report: &ImportReport) -> std::fmt::Result {
    let withheld: u64 = report.withheld.values().sum();
    if withheld > 0 {
        let reasons: Vec<String> = report
            .withheld
            .iter()
            .map(|(reason, count)| format!("{reason}: {count}"))
            .collect();
        writeln!(
            text,
            "{withheld} withheld and not published ({})",
            reasons.join(", ")
        )?;
    }
    match report.updated_withheld {
        0 => Ok(()),
        1 => writeln!(
            text,
            "1 of the updated reviews is withheld, so its changes do not appear"
        ),
        several => writeln!(
            text,
            "{several} of the updated reviews are withheld, so their changes do not appear"
        ),
    }
}

/// The reviews with a common outcome: their number and IDs; nothing if there are none.
fn named(text: &mut String, reviews: &Named, became: &str) -> std::fmt::Result {
    if reviews.count == 0 {
        return Ok(());
    }
    writeln!(text, "{} {became}: {reviews}", reviews.count)
}

/// The owner's decisions that the import kept although the file differs.
fn kept(text: &mut String, report: &ImportReport) -> std::fmt::Result {
    let mut kept = Vec::new();
    if report.kept_withheld.count > 0 {
        kept.push(format!("{} kept withheld", report.kept_withheld.count));
    }
    if report.kept_edited.count > 0 {
        kept.push(format!(
            "{} kept edited: {}",
            report.kept_edited.count, report.kept_edited
        ));
    }
    if !kept.is_empty() {
        writeln!(text, "{}", kept.join(", "))?;
    }
    named(text, &report.kept_deleted, "kept deleted")?;
    let kept_deleted = report.kept_deleted.count;
    if kept_deleted > 0 && kept_deleted == report.taken.saturating_sub(report.repeated) {
        writeln!(
            text,
            "every review of this import was deleted before; --restore brings them back"
        )?;
    }
    if report.noted_deleted > 0 {
        writeln!(
            text,
            "{} recorded as deleted that the database did not have",
            report.noted_deleted
        )?;
    }
    named(
        text,
        &report.still_there,
        "still exist although the file lists them as deleted (`reviews delete ID` deletes one)",
    )?;
    Ok(())
}

fn rows(count: u64) -> String {
    if count == 1 {
        "1 row".to_owned()
    } else {
        format!("{count} rows")
    }
}
