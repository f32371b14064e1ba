//! The firm's own texts, as an `editorial.json` and the first line of an export have them.

use serde_json::Value;

use super::fields::{Fields, Problem};
use super::profile;
use crate::model::business::{Editorial, FaqEntry};

/// Refuses members that nothing reads, each with the nearest that something does.
pub(super) fn check_members(value: &Value) -> Result<(), Problem> {
    let fields = Fields::of(value, String::new())?;
    fields.only(&["summary", "faq"])?;
    if let Some(summary) = fields.object("summary")? {
        summary.only(&["text"])?;
    }
    for (path, entry) in fields.list("faq")? {
        Fields::of(entry, path)?.only(&["id", "question", "answer"])?;
    }
    Ok(())
}

/// The editorial texts that `value` has; a member that it does not have is that of `before`, one that is `null` is removed.
pub(super) fn merged(value: &Value, before: Editorial) -> Result<Editorial, Problem> {
    profile::check_lengths(value, &mut String::new())?;
    let fields = Fields::of(value, String::new())?;
    let given = |name: &str| value.get(name).is_some();
    let summary = if given("summary") {
        let summary = fields.object("summary")?;
        summary.map(|its| its.required("text")).transpose()?
    } else {
        before.summary
    };
    if !given("faq") {
        return Ok(Editorial {
            summary,
            faq: before.faq,
        });
    }
    let mut faq: Vec<FaqEntry> = Vec::new();
    for (path, value) in fields.list("faq")? {
        let entry = Fields::of(value, path)?;
        let id = entry.required("id")?;
        if faq.iter().any(|other| other.id == id) {
            return Err(entry.problem(
                "id",
                format!("\"{id}\" is there twice; each must be its own"),
            ));
        }
        faq.push(FaqEntry {
            id,
            question: entry.required("question")?,
            answer: entry.required("answer")?,
        });
    }
    Ok(Editorial { summary, faq })
}
