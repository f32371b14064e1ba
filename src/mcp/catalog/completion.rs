//! Completions of arguments: technicians and services, most mentioned first. IDs of reviews and cursors are not
//! completed, because they mean nothing to users.

use rmcp::model::Reference;

use super::arguments::CallError;
use super::prompts::{COMPARE_TECHNICIANS, SUMMARISE_SERVICE};
use super::resources::{EVIDENCE_TEMPLATE, PAGE_TEMPLATE, REVIEW_TEMPLATE};
use crate::model::fold;
use crate::snapshot::Snapshot;
use crate::wire::Facet;

/// The protocol's maximum.
const VALUES_MAX: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// At most 100, best first.
    pub values: Vec<String>,
    /// The number of all matches.
    pub total: usize,
}

/// Completions of an argument.
///
/// # Errors
/// If the prompt, the template or the argument is unknown.
pub fn complete(
    snapshot: &Snapshot,
    reference: &Reference,
    argument: &str,
    typed: &str,
) -> Result<Completion, CallError> {
    let counts = snapshot.counts();
    let (prompt, template) = (reference.as_prompt_name(), reference.as_resource_uri());
    Ok(match (prompt.or(template).unwrap_or_default(), argument) {
        (SUMMARISE_SERVICE | EVIDENCE_TEMPLATE, "service") => beginning(&counts.services, typed),
        (COMPARE_TECHNICIANS, "first" | "second") | (EVIDENCE_TEMPLATE, "technician") => {
            beginning(&counts.technicians, typed)
        }
        (EVIDENCE_TEMPLATE, "aspect") => {
            let aspects = snapshot.input.analyzer.trade().aspects.iter();
            let aspects: Vec<Facet> = aspects.map(|aspect| named(&aspect.id)).collect();
            beginning(&aspects, typed)
        }
        (EVIDENCE_TEMPLATE, "polarity") => {
            let names = ["positive", "negative", "neutral", "mixed", "uncertain"];
            beginning(&names.map(named), typed)
        }
        (EVIDENCE_TEMPLATE, "since" | "until" | "hits" | "limit" | "cursor")
        | (REVIEW_TEMPLATE, "id")
        | (PAGE_TEMPLATE, "cursor") => Completion::default(),
        (EVIDENCE_TEMPLATE, _) => {
            return Err(no_argument(
                "aspect, polarity, technician, service, since, until, hits, limit and cursor",
            ));
        }
        (SUMMARISE_SERVICE, _) => return Err(no_argument("service")),
        (COMPARE_TECHNICIANS, _) => return Err(no_argument("first and second")),
        (REVIEW_TEMPLATE, _) => return Err(no_argument("id")),
        (PAGE_TEMPLATE, _) => return Err(no_argument("cursor")),
        _ => return Err(CallError::Unknown),
    })
}

fn no_argument(known: &str) -> CallError {
    CallError::Arguments(format!("Unknown argument; known here: {known}."))
}

fn named(name: &str) -> Facet {
    Facet {
        id: None,
        name: name.to_owned(),
        reviews: 0,
    }
}

/// The names with that prefix, ignoring case; the ID if only it has the prefix.
fn beginning(facets: &[Facet], typed: &str) -> Completion {
    let typed = fold(typed);
    let begins = |text: &str| fold(text).starts_with(&typed);
    let value = |facet: &Facet| {
        if begins(&facet.name) {
            Some(facet.name.clone())
        } else {
            facet
                .id
                .clone()
                .filter(|id| !typed.is_empty() && begins(id))
        }
    };
    let mut values: Vec<String> = facets.iter().filter_map(value).collect();
    let total = values.len();
    values.truncate(VALUES_MAX);
    Completion { values, total }
}
