//! What an import did, as people read it: for `import`, `seed` and the first start with sample data alike.

use std::fmt::Write as _;

use super::visible::visible;
use crate::imports::{Format, Named, Report};

/// The report as people read it.
#[must_use]
pub fn summary(report: &Report, dry_run: bool) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = summarise(&mut text, report, dry_run);
    visible(&text)
}

fn summarise(text: &mut String, report: &Report, dry_run: bool) -> std::fmt::Result {
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
        "not taken, because they have no id and may be reviews that are there without some of their fields (`reviews delete ID` \
         of such a review, then import again)",
    )?;
    if report.repeated > 0 {
        writeln!(
            text,
            "{} repeated: of rows with one id, the newest counted",
            report.repeated
        )?;
    }
    if report.elsewhere > 0 {
        writeln!(
            text,
            "{} of other locations, which were left out",
            report.elsewhere
        )?;
    }
    withheld(text, report)?;
    named(
        text,
        &report.withdrawn,
        "withdrawn, which their source no longer gives",
    )?;
    if report.moved > 0 {
        writeln!(
            text,
            "{} moved to the day that their instant has in the business's time zone",
            report.moved
        )?;
    }
    named(
        text,
        &report.duplicates,
        "given by another source already (withheld with --skip-duplicates)",
    )?;
    if dry_run {
        writeln!(text, "dry run: nothing was changed")?;
    }
    Ok(())
}

/// Each file, with its rows and what is to be known of its format.
fn files(text: &mut String, report: &Report) -> std::fmt::Result {
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

/// What the files say of the business.
fn business(text: &mut String, report: &Report) -> std::fmt::Result {
    if let Some(name) = &report.business {
        writeln!(
            text,
            "business: {name}, which the database did not have yet"
        )?;
    }
    if let Some(name) = &report.listing {
        let quoted = name.replace('\'', r"'\''");
        writeln!(
            text,
            "the business has no name yet, and this location is called {name}: `reviews init --name '{quoted}'` takes it"
        )?;
    }
    Ok(())
}

/// How many are withheld, by reason.
fn withheld(text: &mut String, report: &Report) -> std::fmt::Result {
    let withheld: u64 = report.withheld.values().sum();
    if withheld > 0 {
        let reasons: Vec<String> = report
            .withheld
            .iter()
            .map(|(reason, count)| format!("{reason}: {count}"))
            .collect();
        writeln!(
            text,
            "{withheld} withheld, which are not published ({})",
            reasons.join(", ")
        )?;
    }
    Ok(())
}

/// Says what became of reviews, how many those are, and which; nothing where there are none.
fn named(text: &mut String, reviews: &Named, became: &str) -> std::fmt::Result {
    if reviews.count == 0 {
        return Ok(());
    }
    writeln!(text, "{} {became}: {reviews}", reviews.count)
}

/// What stays although the file has it otherwise.
fn kept(text: &mut String, report: &Report) -> std::fmt::Result {
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
            "{} noted as deleted, which were not there",
            report.noted_deleted
        )?;
    }
    named(
        text,
        &report.still_there,
        "are there although the file has them deleted (`reviews delete ID` deletes one)",
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
