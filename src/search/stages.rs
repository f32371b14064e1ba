//! The insights in stages: which one is asked for, and its answer. The same for REST and for agents;
//! all of it is taken from the rendered document, so that no two answers disagree.

use super::facets::{Counts, VALUES_MAX};
use super::names;
use crate::insights::aggregate::{PERSON_MIN, Vote, VoteCounts, vote_of};
use crate::insights::{MentionKind, PackedAnalysisRef, Polarity, name_key};
use crate::links::Links;
use crate::model::fold;
use crate::model::parameters;
use crate::model::parameters::{
    InsightsPart, InvalidParameter, Parameter, ParameterFault, ParameterSource,
};
use crate::snapshot::Snapshot;
use crate::wire::{self, AspectFacet, Entity, Facet, Insights, InsightsStage};

/// How many bytes of JSON an overview has at the most.
pub const OVERVIEW_BYTES_MAX: usize = 8 * 1024 - 256;
/// How many bytes of JSON another part has at the most, where that is a list.
const STAGE_BYTES_MAX: usize = 40 * 1024;
/// How many values of each list an overview begins with; fewer where that is too much.
const OVERVIEW_VALUES: usize = 10;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageRequest {
    /// One aspect, by id or name.
    Aspect(String),
    /// Somebody or something that reviews name.
    Entity(MentionKind, String),
    /// A part of all of it.
    Part(InsightsPart),
}

/// There is nobody and nothing of that name; the text tells who and what there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchStage(pub String);

impl StageRequest {
    /// The stage that `source` asks for, if any; what is wrong is kept there, also where it asks for
    /// several.
    pub fn take_from(source: &mut impl ParameterSource) -> Option<Self> {
        let entity = |kind| move |name| Self::Entity(kind, name);
        let asked = [
            source.take::<parameters::Aspect>().map(Self::Aspect),
            source
                .take::<parameters::Technician>()
                .map(entity(MentionKind::Technician)),
            source
                .take::<parameters::Service>()
                .map(entity(MentionKind::Service)),
            source
                .take::<parameters::Area>()
                .map(entity(MentionKind::ServiceArea)),
            source.take::<parameters::Part>().map(Self::Part),
        ];
        let mut asked = asked.into_iter().flatten();
        let first = asked.next()?;
        for other in asked {
            source.refuse(other.one_too_many(&first));
        }
        Some(first)
    }

    const fn parameter(&self) -> &'static str {
        match self {
            Self::Aspect(_) => parameters::Aspect::NAME,
            Self::Entity(MentionKind::Technician, _) => parameters::Technician::NAME,
            Self::Entity(MentionKind::Service, _) => parameters::Service::NAME,
            Self::Entity(MentionKind::ServiceArea, _) => parameters::Area::NAME,
            Self::Part(_) => parameters::Part::NAME,
        }
    }

    fn one_too_many(&self, first: &Self) -> InvalidParameter {
        let received = match self {
            Self::Aspect(name) | Self::Entity(_, name) => name.as_str(),
            Self::Part(part) => part.name(),
        };
        InvalidParameter {
            name: self.parameter(),
            fault: ParameterFault::Text,
            message: format!("must be left out beside {}: ask for one", first.parameter()),
            received: received.to_owned(),
        }
    }
}

/// The answer to a request.
///
/// # Errors
/// [`NoSuchStage`].
pub fn stage(
    snapshot: &Snapshot,
    insights: &Insights,
    counts: &Counts,
    links: &Links,
    request: &StageRequest,
) -> Result<InsightsStage, NoSuchStage> {
    match request {
        StageRequest::Aspect(name) => aspect(insights, name),
        StageRequest::Entity(kind, name) => entity(snapshot, insights, counts, links, *kind, name),
        StageRequest::Part(InsightsPart::Overview) => Ok(overview(insights)),
        StageRequest::Part(part) => Ok(fitting_part(insights, *part)),
    }
}

/// As many values of the part's list as fit; the first always does.
fn fitting_part(insights: &Insights, part: InsightsPart) -> InsightsStage {
    let mut most = VALUES_MAX;
    loop {
        let stage = self::part(insights, part, most);
        if most == 1 || wire::json(&stage).len() <= STAGE_BYTES_MAX {
            return stage;
        }
        most /= 2;
    }
}

fn part(insights: &Insights, part: InsightsPart, most: usize) -> InsightsStage {
    let mut stage = InsightsStage::of(part.name(), insights);
    let entities = &insights.entities;
    match part {
        InsightsPart::Overview => return InsightsStage::overview(insights, most),
        InsightsPart::Aspects => {
            stage.aspects = stage.first("aspects", &insights.aspects, most, |one| {
                AspectFacet::from(one)
            });
        }
        InsightsPart::Technicians => {
            stage.add_entities("technicians", &entities.technicians, most);
        }
        InsightsPart::Services => stage.add_entities("services", &entities.services, most),
        InsightsPart::Areas => stage.add_entities("areas", &entities.service_areas, most),
        InsightsPart::Topics => {
            stage.topics = stage.first("topics", &insights.topics, most, |one| one.into());
        }
        InsightsPart::Faq => {
            stage.faq = stage.first("faq", &insights.faq, most, |one| one.into());
        }
        InsightsPart::Summary => stage.summary = Some(insights.summary.clone()),
        InsightsPart::Method => stage.method = Some(insights.method.clone()),
    }
    stage
}

/// As many values of each list as fit.
fn overview(insights: &Insights) -> InsightsStage {
    let mut most = OVERVIEW_VALUES;
    loop {
        let stage = InsightsStage::overview(insights, most);
        if most == 0 || wire::json(&stage).len() <= OVERVIEW_BYTES_MAX {
            return stage;
        }
        most -= 1;
    }
}

fn aspect(insights: &Insights, name: &str) -> Result<InsightsStage, NoSuchStage> {
    let wanted = fold(name);
    let mut aspects = insights.aspects.iter();
    let found = aspects.find(|one| fold(&one.id) == wanted || fold(&one.label) == wanted);
    let Some(found) = found else {
        let ids = insights.aspects.iter().map(|aspect| aspect.id.as_str());
        return Err(nothing("aspect", ids));
    };
    Ok(InsightsStage {
        aspect: Some(found.clone()),
        ..InsightsStage::of("aspect", insights)
    })
}

fn entity(
    snapshot: &Snapshot,
    insights: &Insights,
    counts: &Counts,
    links: &Links,
    kind: MentionKind,
    name: &str,
) -> Result<InsightsStage, NoSuchStage> {
    let business = &snapshot.input.business;
    let entities = &insights.entities;
    let (what, facets, facet, among) = match kind {
        MentionKind::Technician => (
            "technician",
            &counts.technicians,
            names::technician(counts, business, name),
            &entities.technicians,
        ),
        MentionKind::Service => (
            "service",
            &counts.services,
            names::service(counts, business, name),
            &entities.services,
        ),
        MentionKind::ServiceArea => (
            "area",
            &counts.service_areas,
            names::area(counts, name),
            &entities.service_areas,
        ),
    };
    let found = facet.and_then(|facet| {
        let is_it = |one: &&Entity| match (&one.id, &facet.id) {
            (Some(one), Some(other)) => one == other,
            _ => fold(&one.name) == fold(&facet.name),
        };
        Some((facet, among.iter().find(is_it)?))
    });
    let Some((facet, entity)) = found else {
        return Err(nothing(what, facets.iter().map(|one| one.name.as_str())));
    };
    // Of a person whom few reviews name nothing but the counts is told.
    let is_told = kind != MentionKind::Technician || entity.reviews >= PERSON_MIN;
    let by_aspect = is_told.then(|| by_aspect(snapshot, links, kind, facet));
    Ok(InsightsStage {
        entity: Some(entity.clone()),
        by_aspect: Some(by_aspect.unwrap_or_default()),
        ..InsightsStage::of(what, insights)
    })
}

/// How reviews speak of each aspect: of a technician, in sentences that name the person or in the
/// next ones; of a service or a place, all that mention it.
fn by_aspect(
    snapshot: &Snapshot,
    links: &Links,
    kind: MentionKind,
    facet: &Facet,
) -> Vec<AspectFacet> {
    let aspects = &snapshot.input.analyzer.trade().aspects;
    let value = match kind {
        MentionKind::Service => facet.id.as_deref().unwrap_or(&facet.name),
        MentionKind::Technician | MentionKind::ServiceArea => &facet.name,
    };
    let key = name_key(kind, value);
    let mut votes = vec![VoteCounts::default(); aspects.len()];
    for segment in snapshot.input.review_index.segments() {
        for (_, analysis) in segment.analyses() {
            let mut names = analysis.names.iter();
            let Some(name) = names.find(|name| name.key == key && name.kind == kind) else {
                continue;
            };
            for (aspect, votes) in (0..).zip(&mut votes) {
                let vote = match kind {
                    MentionKind::Technician => vote_near(analysis, aspect, name.near_mask),
                    MentionKind::Service | MentionKind::ServiceArea if name.is_linked => {
                        vote_of(analysis, aspect)
                    }
                    MentionKind::Service | MentionKind::ServiceArea => None,
                };
                if let Some(vote) = vote {
                    votes.count(vote);
                }
            }
        }
    }
    let rows = aspects.iter().zip(&votes);
    rows.filter(|(_, votes)| votes.reviews() > 0)
        .map(|(aspect, votes)| AspectFacet {
            evidence_url: evidence_url(links, &aspect.id, kind, value),
            ..AspectFacet::new(&aspect.id, &aspect.label, votes)
        })
        .collect()
}

/// What the findings of a mask say of an aspect together.
fn vote_near(analysis: PackedAnalysisRef<'_>, aspect: u8, mask: u32) -> Option<Vote> {
    let near = (0_u32..u32::BITS)
        .zip(analysis.findings)
        .filter(|(at, finding)| finding.aspect == aspect && mask & (1 << at) != 0);
    let polarities: Vec<Polarity> = near.map(|(_, finding)| finding.polarity).collect();
    let says = |polarity| polarities.contains(&polarity);
    let vote = || {
        Vote::fold(
            says(Polarity::Positive),
            says(Polarity::Negative),
            says(Polarity::Uncertain),
        )
    };
    (!polarities.is_empty()).then(vote)
}

/// Where the sentences are; evidence is not narrowed by places.
fn evidence_url(links: &Links, aspect: &str, kind: MentionKind, value: &str) -> Option<String> {
    let parameter = match kind {
        MentionKind::Technician => parameters::Technician::NAME,
        MentionKind::Service => parameters::Service::NAME,
        MentionKind::ServiceArea => return None,
    };
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair(parameter, value)
        .finish();
    Some(format!("{}?{query}", links.evidence(aspect)))
}

fn nothing<'a>(what: &str, known: impl Iterator<Item = &'a str>) -> NoSuchStage {
    let known: Vec<&str> = known.take(VALUES_MAX).collect();
    NoSuchStage(if known.is_empty() {
        format!("There is no {what} of that name, nor any other now.")
    } else {
        format!(
            "There is no {what} of that name; there are {}.",
            known.join(", ")
        )
    })
}
