//! What could be meant by what was typed: technicians and services, the most mentioned first. Ids
//! of reviews and cursors say nothing to people, so for them nothing is proposed.

use super::definitions::{CallError, Completion, Reference};
use super::prompts::{COMPARE_TECHNICIANS, SUMMARISE_SERVICE};
use super::resources::{EVIDENCE_TEMPLATE, PAGE_TEMPLATE, REVIEW_TEMPLATE};
use crate::reviews::fold;
use crate::snapshot::Snapshot;
use crate::wire::Facet;

/// How many values are proposed at the most (by the protocol).
const VALUES_MAX: usize = 100;

/// Proposals for an argument.
///
/// # Errors
/// Where there is no such prompt or template, or it has no such argument.
pub fn complete(
    snapshot: &Snapshot,
    reference: Reference<'_>,
    argument: &str,
    typed: &str,
) -> Result<Completion, CallError> {
    let counts = snapshot.counts();
    match (reference, argument) {
        (
            Reference::Prompt(SUMMARISE_SERVICE) | Reference::Resource(EVIDENCE_TEMPLATE),
            "service",
        ) => Ok(beginning(&counts.services, typed)),
        (Reference::Prompt(COMPARE_TECHNICIANS), "first" | "second")
        | (Reference::Resource(EVIDENCE_TEMPLATE), "technician") => {
            Ok(beginning(&counts.technicians, typed))
        }
        (Reference::Resource(EVIDENCE_TEMPLATE), "aspect") => {
            Ok(beginning(&aspects(snapshot), typed))
        }
        (Reference::Resource(EVIDENCE_TEMPLATE), "polarity") => Ok(beginning(&polarities(), typed)),
        (
            Reference::Resource(EVIDENCE_TEMPLATE),
            "since" | "until" | "hits" | "limit" | "cursor",
        )
        | (Reference::Resource(REVIEW_TEMPLATE), "id")
        | (Reference::Resource(PAGE_TEMPLATE), "cursor") => Ok(Completion::default()),
        (Reference::Resource(EVIDENCE_TEMPLATE), _) => Err(no_argument(
            "aspect, polarity, technician, service, since, until, hits, limit and cursor",
        )),
        (Reference::Prompt(SUMMARISE_SERVICE), _) => Err(no_argument("service")),
        (Reference::Prompt(COMPARE_TECHNICIANS), _) => Err(no_argument("first and second")),
        (Reference::Resource(REVIEW_TEMPLATE), _) => Err(no_argument("id")),
        (Reference::Resource(PAGE_TEMPLATE), _) => Err(no_argument("cursor")),
        (Reference::Prompt(_) | Reference::Resource(_), _) => Err(CallError::Unknown),
    }
}

fn no_argument(known: &str) -> CallError {
    CallError::Arguments(format!("There is no such argument; known here: {known}."))
}

/// The aspects, by id.
fn aspects(snapshot: &Snapshot) -> Vec<Facet> {
    let aspects = &snapshot.input.analyzer.trade().aspects;
    aspects.iter().map(|aspect| named(&aspect.id)).collect()
}

fn polarities() -> Vec<Facet> {
    let names = ["positive", "negative", "neutral", "mixed", "uncertain"];
    names.map(named).into()
}

fn named(name: &str) -> Facet {
    Facet {
        id: None,
        name: name.to_owned(),
        reviews: 0,
    }
}

/// The names that begin so in any case; where only the id does, the id.
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
    Completion {
        has_more: total > values.len(),
        values,
        total,
    }
}
