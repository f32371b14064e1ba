//! Insights for REST, MCP and pages: the stages, which are parts of the insights, and the evidence of an aspect, which
//! consists of the supporting reviews.

use std::collections::HashMap;

use super::facets::{FACET_VALUES_MAX, with_opinions};
use super::names::{self, value};
use super::parameters::Cursor;
use crate::insights::rules::AspectDefinition;
use crate::insights::{
    AnalysisInput, CompactAnalysis, Finding, Hit, PERSON_MIN, Polarity, Trade, name_key,
    review_vote, vote_of,
};
use crate::links::with_query;
use crate::model::business::PublishStaff;
use crate::model::{Day, MentionKind, Review, Vote, VoteCounts, fold};
use crate::snapshot::Snapshot;
use crate::wire::parameters::LIMIT_DEFAULT;
use crate::wire::{
    self, Arguments, AspectFacet, Entity, Facet, InsightsPart, InsightsStage, Parameters,
};

/// Maximum JSON size of an overview.
pub const OVERVIEW_BYTES_MAX: usize = 8 * 1024 - 512;
/// Initial number of values per list of an overview; fewer if they exceed its size.
const OVERVIEW_VALUES: usize = 5;

/// The first that is given selects the stage.
#[derive(Debug, Default)]
pub struct StageParameters {
    pub service: Option<String>,
    pub area: Option<String>,
    pub part: Option<InsightsPart>,
}

impl Parameters for StageParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        Self {
            service: arguments.text("service", "One service: id, name or synonym."),
            area: arguments.text("area", "One service area: name."),
            part: arguments.example("overview").one_of(
                "part",
                &InsightsPart::ALL,
                InsightsPart::find,
                "One part; `overview` summarizes all.",
            ),
        }
    }
}

impl StageParameters {
    /// Whether none is given, so that no stage is selected.
    pub const fn is_empty(&self) -> bool {
        self.service.is_none() && self.area.is_none() && self.part.is_none()
    }
}

/// The parameter that selects an entity of a kind.
pub const fn parameter(kind: MentionKind) -> &'static str {
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
    if let Some(name) = &parameters.service {
        entity(snapshot, MentionKind::Service, name)
    } else if let Some(name) = &parameters.area {
        entity(snapshot, MentionKind::ServiceArea, name)
    } else {
        Ok(part(
            snapshot,
            parameters.part.unwrap_or(InsightsPart::Overview),
        ))
    }
}

fn part(snapshot: &Snapshot, part: InsightsPart) -> InsightsStage {
    let (insights, most) = (&snapshot.insights, FACET_VALUES_MAX);
    let mut stage = InsightsStage::of(part.name(), insights);
    match part {
        InsightsPart::Overview => return overview(snapshot),
        InsightsPart::Aspects => stage.add_aspects(insights, most),
        InsightsPart::Technicians => stage.add_entities(MentionKind::Technician, insights, most),
        InsightsPart::Services => stage.add_entities(MentionKind::Service, insights, most),
        InsightsPart::Areas => stage.add_entities(MentionKind::ServiceArea, insights, most),
        InsightsPart::Topics => stage.topics = stage.first("topics", &insights.topics, most),
        InsightsPart::Faq => stage.faq = stage.first("faq", &insights.faq, most),
        InsightsPart::Summary => {
            stage.summary = Some(insights.summary.clone());
            stage.summary_sentences = Some(insights.summary_sentences.clone());
        }
        InsightsPart::Method => stage.method = Some(insights.method.clone()),
    }
    stage
}

/// With the maximum number of values per list that fit.
fn overview(snapshot: &Snapshot) -> InsightsStage {
    let mut most = OVERVIEW_VALUES;
    loop {
        let stage = InsightsStage::overview(&snapshot.insights, most);
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
    let found = facet.and_then(|facet| Some((facet, find_entity(snapshot, kind, facet)?)));
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

pub fn find_entity<'a>(
    snapshot: &'a Snapshot,
    kind: MentionKind,
    facet: &Facet,
) -> Option<&'a Entity> {
    let entities = snapshot.insights.entities.of(kind);
    entities.iter().find(|one| match (&one.id, &facet.id) {
        (Some(one), Some(other)) => one == other,
        _ => fold(&one.name) == fold(&facet.name),
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

/// The parameters of evidence, besides the aspect.
#[derive(Debug, Default)]
pub struct EvidenceParameters {
    pub polarity: Option<Vote>,
    pub technician: Option<String>,
    pub service: Option<String>,
    pub since: Option<Day>,
    pub until: Option<Day>,
    pub limit: Option<u8>,
    pub cursor: Option<Cursor>,
}

impl Parameters for EvidenceParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        Self {
            polarity: arguments.polarity("Only reviews with this vote on the aspect."),
            technician: arguments.text("technician", "Only about this one: name, id or alias."),
            service: arguments.text("service", "Only with this one: id, name or synonym."),
            since: arguments.day("since", "Only reviews from this day on, `YYYY-MM-DD`."),
            until: arguments.day("until", "Only reviews up to this day, `YYYY-MM-DD`."),
            limit: arguments.limit(),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same request."),
        }
    }
}

/// A query for the evidence of one aspect of a trade.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceQuery<'a> {
    pub aspect: &'a AspectDefinition,
    pub parameters: &'a EvidenceParameters,
    /// The aspect's index in the trade.
    pub at: u8,
}

impl<'a> EvidenceQuery<'a> {
    /// `None` if no shown aspect of the trade has that ID.
    pub fn of_aspect(
        trade: &'a Trade,
        id: &str,
        parameters: &'a EvidenceParameters,
    ) -> Option<Self> {
        let aspects = trade.shown_aspects();
        let at = aspects.iter().position(|aspect| aspect.id == id)?;
        Some(Self {
            aspect: &aspects[at],
            parameters,
            at: u8::try_from(at).ok()?,
        })
    }

    /// What a cursor belongs to, as a query string: the filters and the aspect's ID, because another trade may have
    /// another aspect at that index.
    pub fn canonical(&self) -> String {
        let parameters = self.parameters;
        let filters = [
            ("polarity", parameters.polarity.map(|vote| vote.to_string())),
            ("technician", parameters.technician.clone()),
            ("service", parameters.service.clone()),
            ("since", parameters.since.map(|day| day.to_string())),
            ("until", parameters.until.map(|day| day.to_string())),
        ];
        let present = filters.into_iter();
        let present = present.filter_map(|(name, value)| Some((name, value?)));
        with_query(&self.aspect.id, present)
    }

    /// Maximum number of reviews of a page.
    pub fn limit(&self) -> u8 {
        self.parameters.limit.unwrap_or(LIMIT_DEFAULT)
    }

    /// The cursor if it belongs to another query.
    pub fn foreign_cursor(&self) -> Option<&'a Cursor> {
        let cursor = self.parameters.cursor.as_ref();
        cursor.filter(|cursor| !cursor.belongs_to(&self.canonical()))
    }
}

/// The name filters, resolved to the keys of compact analyses.
struct NameFilter {
    /// `None` for an unknown name, which matches nothing.
    names: Option<Vec<(MentionKind, u64)>>,
    /// For a technician whom few reviews mention, only counts are shown.
    is_named_by_few: bool,
}

impl NameFilter {
    fn new(parameters: &EvidenceParameters, snapshot: &Snapshot) -> Self {
        let filters = [
            (MentionKind::Technician, &parameters.technician),
            (MentionKind::Service, &parameters.service),
        ];
        let mut is_named_by_few = false;
        let filters = filters.into_iter();
        let names = filters.filter_map(|(kind, name)| Some((kind, name.as_deref()?)));
        let names = names.map(|(kind, name)| {
            let facet = names::find(snapshot, kind, name)?;
            is_named_by_few |= kind == MentionKind::Technician && self::is_named_by_few(facet);
            Some((kind, name_key(kind, value(kind, facet))))
        });
        Self {
            names: names.collect(),
            is_named_by_few,
        }
    }
}

/// Whether too few reviews mention a technician to show their words.
fn is_named_by_few(person: &Facet) -> bool {
    person.reviews < u64::from(PERSON_MIN)
}

/// The part of a review that supports a figure.
struct Support {
    vote: Vote,
    /// The numbers of its findings.
    findings: Vec<usize>,
}

/// A page of the reviews that support an aspect, from the cursor if there is one.
pub fn evidence(snapshot: &Snapshot, query: &EvidenceQuery<'_>) -> wire::AspectEvidence {
    let parameters = query.parameters;
    let named = NameFilter::new(parameters, snapshot);
    let (entries, counts) = (&snapshot.input.entries, snapshot.counts());
    let range = entries.positions_between(parameters.since, parameters.until);
    let positions = entries
        .index()
        .opinions(query.at.into(), parameters.polarity);
    let mut counted = HashMap::new();
    let pages = PageRequest {
        snapshot,
        canonical: &query.canonical(),
        limit: query.limit(),
        cursor: parameters.cursor.as_ref(),
        is_hidden: named.is_named_by_few,
    };
    let page = pages.answer(positions.range(range), |analysis| {
        let support = support(analysis, query, &named)?;
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
    let votes = entries.index().votes(&all, usize::from(query.at) + 1);
    wire::AspectEvidence {
        id: query.aspect.id.clone(),
        label: query.aspect.label.clone(),
        votes: (&votes[usize::from(query.at)]).into(),
        by_technician: list(MentionKind::Technician, &counts.technicians),
        by_service: list(MentionKind::Service, &counts.services),
        page,
    }
}

/// The parameters of a technician's figures and evidence.
#[derive(Debug, Default)]
pub struct TechnicianParameters {
    pub name: Option<String>,
    pub limit: Option<u8>,
    pub cursor: Option<Cursor>,
}

impl Parameters for TechnicianParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        Self {
            name: (arguments.required("Mike Alvarez")).text("name", "Full name, id or alias."),
            limit: arguments.limit(),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same name."),
        }
    }
}

/// What a cursor of the evidence of a technician belongs to.
pub fn technician_canonical(name: &str) -> String {
    with_query("technician", [("name", name)])
}

/// The figures of a technician, and a page of the reviews that name the person.
///
/// # Errors
/// If staff is not published or no technician has that name: a text that says so.
pub fn technician(
    snapshot: &Snapshot,
    name: &str,
    parameters: &TechnicianParameters,
) -> Result<wire::TechnicianEvidence, String> {
    let kind = MentionKind::Technician;
    if snapshot.input.business.publish_staff == PublishStaff::Off {
        return Err("This business does not publish the names of its staff.".to_owned());
    }
    let (facet, entity) = known_entity(snapshot, kind, name)?;
    let key = name_key(kind, value(kind, facet));
    let is_hidden = is_named_by_few(facet);
    let positions = snapshot.input.entries.index().mentioned(kind);
    let positions = positions.get(&fold(&facet.name)).into_iter().flatten();
    let pages = PageRequest {
        snapshot,
        canonical: &technician_canonical(name),
        limit: parameters.limit.unwrap_or(LIMIT_DEFAULT),
        cursor: parameters.cursor.as_ref(),
        is_hidden,
    };
    let page = pages.answer(positions, |analysis| {
        let name = analysis.name(kind, key)?;
        let findings = analysis.findings.iter().enumerate();
        let about = findings.filter(|(_, finding)| name.is_in_sentence_of(finding));
        Some(Support {
            vote: name.vote(),
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
    canonical: &'a str,
    limit: u8,
    cursor: Option<&'a Cursor>,
    /// Whether only the number of the reviews is shown.
    is_hidden: bool,
}

impl PageRequest<'_> {
    /// The reviews at these positions, newest first, that support something.
    fn answer(
        &self,
        positions: impl Iterator<Item = u32>,
        mut support: impl FnMut(&CompactAnalysis) -> Option<Support>,
    ) -> wire::EvidencePage {
        let entries = &self.snapshot.input.entries;
        let after = (self.cursor).map(|cursor| entries.count_through(cursor.day, &cursor.id));
        let (mut found, mut matched, mut has_more) = (Vec::new(), 0, false);
        for at in positions {
            let entry = &*entries[at as usize];
            let Some(support) = entry.analysis.as_ref().and_then(&mut support) else {
                continue;
            };
            matched += 1;
            if after.is_some_and(|after| (at as usize) < after) || self.is_hidden {
                continue;
            }
            if found.len() == usize::from(self.limit) {
                has_more = true;
            } else {
                found.push((entry, support));
            }
        }
        let last = found.last().filter(|_| has_more);
        let next = last
            .map(|(entry, _)| Cursor::at(self.canonical, entry.review.date, entry.id().as_str()));
        let reviews: Vec<_> = found
            .iter()
            .map(|(entry, support)| self.review(&entry.review, support))
            .collect();
        wire::EvidencePage {
            matched,
            returned: reviews.len() as u64,
            limit: u64::from(self.limit),
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
            owner_reply: review.reply.clone().map(wire::OwnerReply::from),
        }
    }
}

/// The part of a review that supports the aspect; `None` if none does. With names, only findings count that are in a sentence
/// with all of them.
fn support(
    analysis: &CompactAnalysis,
    query: &EvidenceQuery<'_>,
    named: &NameFilter,
) -> Option<Support> {
    let vote = vote_of(analysis, query.at)?;
    let filter = query.parameters.polarity;
    if filter.is_some_and(|side| side != vote) {
        return None;
    }
    let names = named.names.as_ref()?.iter();
    let names: Option<Vec<_>> = names
        .map(|(kind, key)| analysis.name(*kind, *key))
        .collect();
    let names = names?;
    let is_of_side = |polarity: Polarity| {
        let side = filter.filter(|side| *side != Vote::Mixed);
        side.is_none_or(|side| side == Vote::from(polarity))
    };
    let findings = analysis.findings.iter().enumerate();
    let findings = findings.filter(|(_, finding)| {
        finding.aspect == query.at
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
