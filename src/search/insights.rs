//! Insights for REST, MCP and pages: the stages, which are parts of the insights, and the evidence of an aspect, which
//! consists of the supporting reviews.

use std::collections::HashMap;

use super::facets::{FACET_VALUES_MAX, with_opinions};
use super::names::{self, value};
use super::parameters::{Cursor, SearchParameters};
use crate::insights::{
    AnalysisInput, CompactAnalysis, Finding, Hit, PERSON_MIN, Polarity, name_key, review_vote,
    vote_of,
};
use crate::model::business::PublishStaff;
use crate::model::{MentionKind, OwnerReply, Review, Vote, VoteCounts, fold};
use crate::snapshot::Snapshot;
use crate::wire::{
    self, Arguments, AspectFacet, Entity, Facet, InsightsPart, InsightsStage, Issue, IssueCode,
    Parameters,
};

/// Maximum JSON size of an overview.
pub const OVERVIEW_BYTES_MAX: usize = 8 * 1024 - 512;
/// Initial number of values per list of an overview; fewer if they exceed its size.
const OVERVIEW_VALUES: usize = 5;

/// The stage that one of the parameters selects.
#[derive(Debug)]
pub enum StageParameters {
    None,
    Service(String),
    Area(String),
    Part(InsightsPart),
}

impl Parameters for StageParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let service = arguments.text("service", "One service: id, name or synonym.");
        let area = arguments.text("area", "One service area: name.");
        let part = arguments.example("overview").one_of(
            "part",
            &InsightsPart::ALL,
            InsightsPart::find,
            "One part; `overview` summarizes all.",
        );
        match (service, area, part) {
            (None, None, None) => Self::None,
            (Some(service), None, None) => Self::Service(service),
            (None, Some(area), None) => Self::Area(area),
            (None, None, Some(part)) => Self::Part(part),
            (service, area, part) => {
                let part = part.map(|part| part.to_string());
                let code = IssueCode::InvalidString;
                let message = "must be the only one of service, area and part";
                for (name, value) in [("service", service), ("area", area), ("part", part)] {
                    let issue = value.map(|value| Issue::new(name, code, message, &value));
                    arguments.issues.extend(issue);
                }
                Self::None
            }
        }
    }
}

/// The parameter that selects an entity of a kind.
const fn parameter(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Technician => "technician",
        MentionKind::Service => "service",
        MentionKind::ServiceArea => "area",
    }
}

/// Builds the requested stage, by default the overview.
///
/// # Errors
/// If no entity has the requested name: a text that lists the known ones.
pub fn stage(snapshot: &Snapshot, parameters: &StageParameters) -> Result<InsightsStage, String> {
    match parameters {
        StageParameters::None => Ok(part(snapshot, InsightsPart::Overview)),
        StageParameters::Service(name) => entity(snapshot, MentionKind::Service, name),
        StageParameters::Area(name) => entity(snapshot, MentionKind::ServiceArea, name),
        StageParameters::Part(one) => Ok(part(snapshot, *one)),
    }
}

/// One part; the overview with the maximum number of values per list that fit.
fn part(snapshot: &Snapshot, part: InsightsPart) -> InsightsStage {
    if part != InsightsPart::Overview {
        return InsightsStage::new(part, &snapshot.insights, FACET_VALUES_MAX);
    }
    let mut most = OVERVIEW_VALUES;
    loop {
        let stage = InsightsStage::new(part, &snapshot.insights, most);
        if most == 0 || wire::json(&stage).len() <= OVERVIEW_BYTES_MAX {
            return stage;
        }
        most -= 1;
    }
}

fn entity(snapshot: &Snapshot, kind: MentionKind, name: &str) -> Result<InsightsStage, String> {
    let (facet, entity) = known_entity(snapshot, kind, name)?;
    Ok(InsightsStage {
        entity: Some(entity.clone()),
        by_aspect: Some(by_aspect(snapshot, kind, facet)),
        ..InsightsStage::of(parameter(kind), &snapshot.insights)
    })
}

/// The entity with that name, id, alias or synonym.
fn known_entity<'a>(
    snapshot: &'a Snapshot,
    kind: MentionKind,
    name: &str,
) -> Result<(&'a Facet, &'a Entity), String> {
    let facet = names::find(snapshot, kind, name);
    let found = facet.and_then(|facet| {
        let mut entities = snapshot.insights.entities.of(kind).iter();
        let entity = entities
            .find(|entity| entity.id == facet.id && fold(&entity.name) == fold(&facet.name))?;
        Some((facet, entity))
    });
    found.ok_or_else(|| {
        let (parameter, known) = (parameter(kind), snapshot.counts().of_kind(kind).iter());
        let known: Vec<&str> = known.take(FACET_VALUES_MAX).map(|one| &*one.name).collect();
        if known.is_empty() {
            return format!("No {parameter} has that name; none are known.");
        }
        let known = known.join(", ");
        format!("Not exactly one {parameter} has that name; known: {known}.")
    })
}

/// Opinions on each aspect in the sentences that name something.
fn by_aspect(snapshot: &Snapshot, kind: MentionKind, facet: &Facet) -> Vec<AspectFacet> {
    let aspects = snapshot.input.analyzer.trade.shown_aspects();
    let key = name_key(kind, value(kind, facet));
    let mut counts = vec![VoteCounts::default(); aspects.len()];
    let entries = snapshot.input.entries.iter();
    for analysis in entries.filter_map(|entry| entry.analysis.as_ref()) {
        let Some(name) = analysis.name(kind, key) else {
            continue;
        };
        for (aspect, counts) in (0..).zip(&mut counts) {
            let findings = analysis.findings.iter();
            let about = findings
                .filter(|finding| finding.aspect == aspect && name.is_in_sentence_of(finding));
            if let Some(vote) = review_vote(about) {
                counts.count(vote);
            }
        }
    }
    with_opinions(aspects, &counts).collect()
}

// The evidence of an aspect: the supporting reviews and the counts of technicians and services in them, from the
// compact analyses of a snapshot. The reviews of a page are analyzed again to show the reasons.

/// A search for evidence: the parameters besides the aspect.
#[derive(Debug)]
pub struct EvidenceParameters(pub SearchParameters);

impl Parameters for EvidenceParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        Self(SearchParameters {
            polarity: arguments.polarity("Only reviews with this vote on the aspect."),
            mentions_technician: arguments
                .text("technician", "Only about this one: name, id or alias."),
            mentions_service: arguments.text("service", "Only with this one: id, name or synonym."),
            since: arguments.day("since", "Only reviews from this day on, `YYYY-MM-DD`."),
            until: arguments.day("until", "Only reviews up to this day, `YYYY-MM-DD`."),
            limit: arguments.limit(),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same request."),
            ..SearchParameters::default()
        })
    }
}

/// Whether too few reviews mention a technician to show their words.
fn is_named_by_few(kind: MentionKind, facet: &Facet) -> bool {
    kind == MentionKind::Technician && facet.reviews < u64::from(PERSON_MIN)
}

/// The part of a review that supports a figure.
struct Support {
    vote: Vote,
    /// The numbers of its findings.
    findings: Vec<usize>,
}

/// A page of the reviews that support an aspect, which is that of `parameters` and has the number `at` in the trade.
pub fn evidence(
    snapshot: &Snapshot,
    at: u8,
    parameters: &SearchParameters,
) -> wire::AspectEvidence {
    let (entries, counts) = (&snapshot.input.entries, snapshot.counts());
    let aspect = &snapshot.input.analyzer.trade.aspects[usize::from(at)];
    let mut is_hidden = false;
    // The keys of the names; `None` for an unknown name, which matches nothing.
    let names: Option<Vec<(MentionKind, u64)>> = (parameters.mentions())
        .map(|(kind, name)| {
            let facet = names::find(snapshot, kind, name)?;
            is_hidden |= is_named_by_few(kind, facet);
            Some((kind, name_key(kind, value(kind, facet))))
        })
        .collect();
    let range = entries.positions_between(parameters.since, parameters.until);
    let positions = entries.index().opinions(at.into(), parameters.polarity);
    let mut counted = HashMap::new();
    let pages = PageRequest {
        snapshot,
        parameters,
        is_hidden,
    };
    let page = pages.answer(positions.range(range), |analysis| {
        let support = support(analysis, at, parameters.polarity, names.as_ref()?)?;
        for name in &analysis.names {
            let mut findings = support.findings.iter().map(|at| &analysis.findings[*at]);
            if findings.any(|finding| name.is_in_sentence_of(finding)) {
                *counted.entry((name.kind, name.key)).or_default() += 1;
            }
        }
        Some(support)
    });
    let list = |kind, facets: &[Facet]| list_facets(&counted, kind, facets);
    // Of every aspect that reviews mention, as in the facets; the insights leave out those without a judgement.
    let all = entries.positions_between(None, None);
    let votes = entries.index().votes(&all, usize::from(at) + 1);
    wire::AspectEvidence {
        id: aspect.id.clone(),
        label: aspect.label.clone(),
        votes: (&votes[usize::from(at)]).into(),
        by_technician: list(MentionKind::Technician, &counts.technicians),
        by_service: list(MentionKind::Service, &counts.services),
        page,
    }
}

/// A search for what is said of a technician.
#[derive(Debug)]
pub struct TechnicianParameters(pub SearchParameters);

impl Parameters for TechnicianParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let name = arguments.required("Mike Alvarez");
        let parameters = SearchParameters {
            mentions_technician: name.text("name", "Full name, id or alias."),
            limit: arguments.limit(),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same name."),
            ..SearchParameters::default()
        };
        parameters.check_cursor(&mut arguments.issues);
        Self(parameters)
    }
}

/// The figures of a technician, and a page of the reviews that name the person.
///
/// # Errors
/// If staff is not published or no technician has that name: a text that says so.
pub fn technician(
    snapshot: &Snapshot,
    name: &str,
    parameters: &SearchParameters,
) -> Result<wire::TechnicianEvidence, String> {
    let kind = MentionKind::Technician;
    if snapshot.input.business.publish_staff == PublishStaff::Off {
        return Err("This business does not publish the names of its staff.".to_owned());
    }
    let (facet, entity) = known_entity(snapshot, kind, name)?;
    let key = name_key(kind, value(kind, facet));
    let is_hidden = is_named_by_few(kind, facet);
    let index = snapshot.input.entries.index();
    let positions = index.mentioning(kind, value(kind, facet));
    let positions = positions.into_iter().flatten();
    let pages = PageRequest {
        snapshot,
        parameters,
        is_hidden,
    };
    let page = pages.answer(positions, |analysis| {
        let name = analysis.name(kind, key)?;
        let findings = analysis.findings.iter().enumerate();
        let about = findings.filter(|(_, finding)| name.is_in_sentence_of(finding));
        Some(Support {
            vote: name.vote,
            findings: about.map(|(at, _)| at).collect(),
        })
    });
    Ok(wire::TechnicianEvidence {
        entity: entity.clone(),
        by_aspect: if is_hidden {
            Vec::new()
        } else {
            by_aspect(snapshot, kind, facet)
        },
        page,
    })
}

/// What a page of supporting reviews is made of, besides them.
struct PageRequest<'a> {
    snapshot: &'a Snapshot,
    parameters: &'a SearchParameters,
    /// Whether none of the reviews is shown.
    is_hidden: bool,
}

impl PageRequest<'_> {
    /// The reviews at these positions, newest first, that support something.
    fn answer(
        &self,
        positions: impl Iterator<Item = u32>,
        mut support: impl FnMut(&CompactAnalysis) -> Option<Support>,
    ) -> wire::EvidencePage {
        let (entries, limit) = (&self.snapshot.input.entries, self.parameters.limit);
        let cursor = self.parameters.cursor.as_ref();
        let start = cursor.map_or(0, |cursor| entries.count_through(cursor.day, &cursor.id));
        let (mut found, mut matched, mut has_more) = (Vec::new(), 0, false);
        for at in positions {
            let entry = &*entries[at as usize];
            let support = entry.analysis.as_ref().and_then(&mut support);
            let Some(support) = support.filter(|_| !self.is_hidden) else {
                continue;
            };
            matched += 1;
            if (at as usize) < start {
                continue;
            }
            if found.len() == usize::from(limit) {
                has_more = true;
            } else {
                found.push((&entry.review, support));
            }
        }
        let last = found.last().filter(|_| has_more);
        let next = last.map(|(review, _)| Cursor::after(self.parameters, review));
        let reviews = found.iter();
        let reviews = reviews.map(|(review, support)| self.review(review, support));
        let reviews: Vec<_> = reviews.collect();
        wire::EvidencePage {
            matched,
            returned: reviews.len() as u64,
            limit: u64::from(limit),
            next_cursor: next.map(|next| next.to_string()),
            reviews,
        }
    }

    /// A review of the page, analyzed again.
    fn review(&self, review: &Review, support: &Support) -> wire::EvidenceReview {
        let analyzer = &self.snapshot.input.analyzer;
        let trade = analyzer.trade;
        let analysis = analyzer.analyze(&AnalysisInput::of(review));
        let hit = |hit: Hit| wire::EvidenceHit {
            rule: hit.rule,
            start: hit.span.start,
            end: hit.span.end,
            points: hit.points,
        };
        let finding = |finding: Finding| wire::EvidenceFinding {
            sentence: finding.sentence,
            start: finding.span.start,
            end: finding.span.end,
            text: finding.span.of(&review.text).unwrap_or_default().to_owned(),
            aspect: (trade.shown_ids().contains(&&*finding.aspect)).then_some(finding.aspect),
            polarity: finding.polarity.into(),
            score: finding.score,
            witness: finding.witness,
            confidence: finding.confidence,
            hits: finding.hits.into_iter().map(hit).collect(),
        };
        let findings = analysis.findings.into_iter().enumerate();
        let findings = findings.filter(|(at, _)| support.findings.contains(at));
        wire::EvidenceReview {
            review_id: review.id.to_string(),
            url: self.snapshot.input.links.review(review.id.as_str()),
            date: review.date.date(),
            stars: review.rating.stars(),
            polarity: support.vote,
            findings: findings.map(|(_, one)| finding(one)).collect(),
            owner_reply: review.reply.clone().map(OwnerReply::from),
        }
    }
}

/// The part of a review that supports the aspect; `None` if none does. With names, only findings count that are in a sentence
/// with all of them.
fn support(
    analysis: &CompactAnalysis,
    aspect: u8,
    polarity: Option<Vote>,
    names: &[(MentionKind, u64)],
) -> Option<Support> {
    let vote = vote_of(analysis, aspect)?;
    if polarity.is_some_and(|side| side != vote) {
        return None;
    }
    let names = names.iter();
    let names: Option<Vec<_>> = names
        .map(|(kind, key)| analysis.name(*kind, *key))
        .collect();
    let names = names?;
    let is_of_side = |finding: Polarity| {
        let side = polarity.filter(|side| *side != Vote::Mixed);
        side.is_none_or(|side| side == Vote::from(finding))
    };
    let findings = analysis.findings.iter().enumerate();
    let findings = findings.filter(|(_, finding)| {
        finding.aspect == aspect
            && is_of_side(finding.polarity)
            && names.iter().all(|name| name.is_in_sentence_of(finding))
    });
    let findings: Vec<usize> = findings.map(|(at, _)| at).collect();
    (names.is_empty() || !findings.is_empty()).then_some(Support { vote, findings })
}

/// The counted names of a kind, most frequent first, then by name.
fn list_facets(
    counted: &HashMap<(MentionKind, u64), u64>,
    kind: MentionKind,
    known: &[Facet],
) -> Vec<Facet> {
    let facets = known.iter().filter_map(|facet| {
        let key = (kind, name_key(kind, value(kind, facet)));
        Some(Facet {
            reviews: *counted.get(&key)?,
            ..facet.clone()
        })
    });
    let mut facets: Vec<Facet> = facets.collect();
    facets.sort_by(|one, other| one.order().cmp(&other.order()));
    facets
}
