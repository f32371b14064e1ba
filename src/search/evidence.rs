//! Which reviews support an aspect, whom they speak of there, and how many there are of each: found
//! in the packed analyses of a snapshot. The reviews of a page are analyzed once more for the
//! reasons.

use std::collections::HashMap;

use super::cursor::Cursor;
pub use super::evidence_request::{EvidenceQuery, EvidenceRequest};
use super::facets::{Counts, SupportCounts, keyed};
use super::names;
use super::suggest::did_you_mean_of_evidence;
use crate::insights::aggregate::{PERSON_MIN, Vote, vote_of};
use crate::insights::{
    Finding, MentionKind, PackedAnalysisRef, PackedName, Polarity, Subject, name_key,
};
use crate::model::Mentions;
use crate::snapshot::Snapshot;
use crate::snapshot::segment::Segment;
use crate::wire;

/// One page of the reviews that support an aspect.
#[derive(Debug)]
pub struct EvidencePage {
    /// How many reviews support the aspect so.
    pub total: u64,
    /// How many of them speak of whom where they do.
    pub by_technician: Vec<wire::Facet>,
    /// How many of them mention which service.
    pub by_service: Vec<wire::Facet>,
    /// Those of the page, newest first.
    pub reviews: Vec<Supporting>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
}

/// A review that supports an aspect.
#[derive(Debug)]
pub struct Supporting {
    /// The review as it is published.
    pub review: wire::Review,
    /// How the review votes on the aspect.
    pub vote: Vote,
    /// Its findings of the aspect, each with whom it is about.
    pub findings: Vec<(Finding, Vec<String>)>,
}

/// Whom and what the filters of a question mean, as packed analyses know them.
struct Named {
    technician: Option<u64>,
    service: Option<u64>,
    /// A name that nobody and nothing has finds nothing.
    is_unknown: bool,
    /// Of a person whom few reviews name the counts alone are told.
    is_named_by_few: bool,
}

impl Named {
    fn by(request: &EvidenceRequest, counts: &Counts, snapshot: &Snapshot) -> Self {
        let business = &snapshot.input.business;
        let asked = request.technician.as_deref();
        let person = asked.map(|said| names::technician(counts, business, said));
        let key = |facet: &wire::Facet| name_key(MentionKind::Technician, &facet.name);
        let technician = person.map(|found| found.map(key));
        let service = request.service.as_deref().map(|said| {
            let facet = names::service(counts, business, said);
            let id = facet.and_then(|facet| facet.id.as_deref());
            id.map(|id| name_key(MentionKind::Service, id))
        });
        Self {
            technician: technician.flatten(),
            service: service.flatten(),
            is_unknown: technician == Some(None) || service == Some(None),
            is_named_by_few: person.flatten().is_some_and(is_named_by_few),
        }
    }
}

/// What of one review supports the aspect as asked for.
struct Support {
    vote: Vote,
    /// Which of its findings: bit 0 is the first.
    finding_mask: u32,
}

/// A page of the reviews that support an aspect, from the beginning or behind the cursor.
#[must_use]
pub fn evidence(snapshot: &Snapshot, counts: &Counts, query: &EvidenceQuery<'_>) -> EvidencePage {
    let review_index = &snapshot.input.review_index;
    let request = query.request;
    let named = Named::by(request, counts, snapshot);
    let start = request.until.map_or(0, |day| review_index.count_after(day));
    let end = request
        .since
        .map_or(review_index.len(), |day| review_index.count_since(day));
    let mut after = request.cursor.as_ref().map_or(0, |cursor| {
        review_index.count_through(cursor.day, &cursor.id)
    });
    after = after.max(start);
    let mut counted = SupportCounts::default();
    let (mut position, mut found, mut has_more) = (start, Vec::new(), false);
    let end = if named.is_unknown { start } else { end };
    for (segment, indices) in review_index.slices(start..end.max(start)) {
        let first = indices.start;
        for index in positions(segment, query, snapshot).filter(|index| indices.contains(index)) {
            let Some(analysis) = segment.packed_analysis(index) else {
                continue;
            };
            let Some(support) = support(analysis, query, &named) else {
                continue;
            };
            counted.count(analysis, support.finding_mask);
            if position + index - first < after || named.is_named_by_few {
                continue;
            }
            if found.len() == usize::from(request.limit) {
                has_more = true;
            } else {
                found.push((segment, index, support));
            }
        }
        position += indices.len();
    }
    let last = found.last().filter(|_| has_more);
    let next = last.map(|(segment, index, _)| {
        Cursor::within(
            &query.canonical(),
            segment.days()[*index],
            segment.id(*index),
        )
    });
    let mut technicians = keyed(MentionKind::Technician, &counts.technicians);
    let by_technician = counted.listed(&technicians, MentionKind::Technician);
    technicians.retain(|_, facet| !is_named_by_few(facet));
    let supporting = |(segment, index, support): (&Segment, usize, Support)| {
        supporting(snapshot, segment, index, &support, query, &technicians)
    };
    EvidencePage {
        total: counted.total,
        by_technician,
        by_service: counted.listed(
            &keyed(MentionKind::Service, &counts.services),
            MentionKind::Service,
        ),
        reviews: found.into_iter().filter_map(supporting).collect(),
        next,
    }
}

/// Whether so few reviews name that person that no words about them are shown.
fn is_named_by_few(person: &wire::Facet) -> bool {
    person.reviews < u64::from(PERSON_MIN)
}

/// Where a segment has reviews that speak of the aspect, ascending.
fn positions<'a>(
    segment: &'a Segment,
    query: &EvidenceQuery<'_>,
    snapshot: &Snapshot,
) -> impl Iterator<Item = usize> + use<'a> {
    let aspects = snapshot.input.analyzer.trade().aspects.len();
    let positions = segment.opinions(aspects).positions(query.at);
    positions.iter().map(|position| *position as usize)
}

/// What of a review supports the aspect; `None` where nothing does. Of a technician it is what is
/// said of the aspect in a sentence that names them, or in the next.
fn support(
    analysis: PackedAnalysisRef<'_>,
    query: &EvidenceQuery<'_>,
    named: &Named,
) -> Option<Support> {
    let vote = vote_of(analysis, query.at)?;
    let request = query.request;
    if request.polarity.is_some_and(|wanted| wanted != vote) {
        return None;
    }
    let speaks_so = |polarity: Polarity| match request.polarity {
        None | Some(Vote::Mixed) => true,
        Some(Vote::Positive) => polarity == Polarity::Positive,
        Some(Vote::Negative) => polarity == Polarity::Negative,
        Some(Vote::Neutral) => polarity == Polarity::Neutral,
        Some(Vote::Uncertain) => polarity == Polarity::Uncertain,
    };
    let finding_mask = (0_u32..u32::BITS)
        .zip(analysis.findings)
        .filter(|(_, finding)| finding.aspect == query.at && speaks_so(finding.polarity))
        .fold(0, |mask, (at, _)| mask | 1 << at);
    let mask_of = |key: u64| {
        let mut names = analysis.names.iter();
        let name = names.find(|name| is(**name, MentionKind::Technician, key));
        name.map_or(0, |name| name.near_mask & finding_mask)
    };
    let finding_mask = named.technician.map_or(finding_mask, mask_of);
    let is_about = named.service.is_none_or(|key| {
        let mut names = analysis.names.iter();
        names.any(|name| name.is_linked && is(*name, MentionKind::Service, key))
    });
    let is_told = named.technician.is_none() || finding_mask != 0;
    (is_about && is_told).then_some(Support { vote, finding_mask })
}

fn is(name: PackedName, kind: MentionKind, key: u64) -> bool {
    name.kind == kind && name.key == key
}

/// A review of the page, analyzed once more. `None` never: what is rendered can be read.
fn supporting(
    snapshot: &Snapshot,
    segment: &Segment,
    index: usize,
    support: &Support,
    query: &EvidenceQuery<'_>,
    technicians: &HashMap<u64, &wire::Facet>,
) -> Option<Supporting> {
    let review: wire::Review = serde_json::from_slice(&segment.json_of(index)).ok()?;
    let analyzer = &snapshot.input.analyzer;
    let recorded = Mentions::default();
    let analysis = analyzer.analyze(&Subject {
        text: &review.text,
        language: review.language.as_deref(),
        author: &review.author,
        recorded: &recorded,
        stars: review.rating,
    });
    let names = segment
        .packed_analysis(index)
        .map_or(&[][..], |analysis| analysis.names);
    let about = |at: u32| {
        let near = names
            .iter()
            .filter(|name| name.kind == MentionKind::Technician)
            .filter(|name| name.near_mask & 1_u32.checked_shl(at).unwrap_or(0) != 0);
        let mut about: Vec<String> = near
            .filter_map(|name| Some(technicians.get(&name.key)?.name.clone()))
            .collect();
        about.sort_unstable();
        about
    };
    let is_one_asked_for = query.request.technician.is_some();
    let is_shown = |at: u32, finding: &Finding| {
        finding.aspect == query.aspect.id
            && (!is_one_asked_for || support.finding_mask & 1_u32.checked_shl(at).unwrap_or(0) != 0)
    };
    let findings = (0..)
        .zip(analysis.findings)
        .filter(|(at, finding)| is_shown(*at, finding))
        .map(|(at, finding)| (finding, about(at)))
        .collect();
    Some(Supporting {
        review,
        vote: support.vote,
        findings,
    })
}

/// The page as REST and agents are told it.
#[must_use]
pub fn answer(
    snapshot: &Snapshot,
    counts: &Counts,
    query: &EvidenceQuery<'_>,
) -> wire::AspectEvidence {
    let (request, page) = (query.request, evidence(snapshot, counts, query));
    let review = |supporting: Supporting| {
        let Supporting {
            review,
            vote,
            findings,
        } = supporting;
        let finding = |(finding, technicians)| {
            let shown = wire::EvidenceFinding::new(finding, &review.text, technicians);
            if request.has_hits {
                shown
            } else {
                wire::EvidenceFinding {
                    hits: None,
                    ..shown
                }
            }
        };
        wire::EvidenceReview {
            findings: findings.into_iter().map(finding).collect(),
            review_id: review.id,
            url: review.url,
            date: review.date,
            stars: review.rating,
            polarity: vote.into(),
        }
    };
    wire::AspectEvidence {
        aspect: query.aspect.id.clone(),
        label: query.aspect.label.clone(),
        total: page.total,
        by_technician: page.by_technician,
        by_service: page.by_service,
        count: page.reviews.len() as u64,
        limit: u64::from(request.limit),
        next_cursor: page.next.map(|next| next.to_string()),
        did_you_mean: did_you_mean_of_evidence(snapshot, counts, request),
        reviews: page.reviews.into_iter().map(review).collect(),
    }
}
