//! Insights for REST, MCP and pages: the stages, which are parts of the insights, and the evidence of an aspect, which
//! consists of the supporting reviews.

use std::collections::HashMap;

use super::facets::{FACET_VALUES_MAX, with_opinions};
use super::names::{self, value};
use super::request::Cursor;
use crate::insights::rules::AspectDefinition;
use crate::insights::{
    AnalysisInput, CompactAnalysis, Finding, Hit, PERSON_MIN, Polarity, Trade, name_key,
    review_vote, vote_of, witness,
};
use crate::links::{Links, with_query};
use crate::model::{Day, MentionKind, Review, ReviewVote, Vote, VoteCounts, fold};
use crate::snapshot::Snapshot;
use crate::wire::parameters::LIMIT_DEFAULT;
use crate::wire::{
    self, Arguments, AspectFacet, Entity, Facet, Insights, InsightsPart, InsightsStage, Issue,
    IssueCode, Parameters,
};

/// Maximum JSON size of an overview.
pub const OVERVIEW_BYTES_MAX: usize = 8 * 1024 - 256;
/// Initial number of values per list of an overview; fewer if they exceed its size.
const OVERVIEW_VALUES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageRequest {
    /// One aspect, by ID or name.
    Aspect(String),
    /// A technician, service or place by name.
    Entity(MentionKind, String),
    Part(InsightsPart),
}

#[derive(Debug, Default)]
pub struct StageParameters {
    pub aspect: Option<String>,
    pub technician: Option<String>,
    pub service: Option<String>,
    pub area: Option<String>,
    pub part: Option<InsightsPart>,
}

impl Parameters for StageParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        Self {
            aspect: arguments.text("aspect", "One aspect: id or name."),
            technician: arguments.text("technician", "One technician: full name, id or alias."),
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

impl StageRequest {
    /// The first stage that the parameters name, if any; each other one is an issue.
    pub fn new(parameters: StageParameters, issues: &mut Vec<Issue>) -> Option<Self> {
        let names = [
            ("aspect", parameters.aspect.as_deref()),
            ("technician", parameters.technician.as_deref()),
            ("service", parameters.service.as_deref()),
            ("area", parameters.area.as_deref()),
            ("part", parameters.part.map(InsightsPart::name)),
        ];
        let mut present = names.iter().filter(|(_, value)| value.is_some());
        let (first, _) = present.next()?;
        for (name, received) in present {
            let message = format!("must be left out if {first} is given");
            let (code, received) = (IssueCode::InvalidString, received.unwrap_or_default());
            issues.push(Issue::new(name, code, message, received));
        }
        let entity = |kind| move |name| Self::Entity(kind, name);
        (parameters.aspect.map(Self::Aspect))
            .or((parameters.technician).map(entity(MentionKind::Technician)))
            .or(parameters.service.map(entity(MentionKind::Service)))
            .or(parameters.area.map(entity(MentionKind::ServiceArea)))
            .or(parameters.part.map(Self::Part))
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

/// Builds the requested stage.
///
/// # Errors
/// If no entity or aspect has the requested name: a text that lists the known ones.
pub fn stage(
    snapshot: &Snapshot,
    links: &Links,
    request: &StageRequest,
) -> Result<InsightsStage, String> {
    let insights = &snapshot.insights;
    match request {
        StageRequest::Aspect(name) => aspect(snapshot.input.analyzer.trade(), insights, name),
        StageRequest::Entity(kind, name) => entity(snapshot, links, *kind, name),
        StageRequest::Part(part) => Ok(self::part(snapshot, *part)),
    }
}

fn part(snapshot: &Snapshot, part: InsightsPart) -> InsightsStage {
    let (insights, most) = (&snapshot.insights, FACET_VALUES_MAX);
    let mut stage = InsightsStage::of(part.name(), insights);
    match part {
        InsightsPart::Overview => return overview(snapshot),
        InsightsPart::Aspects => {
            stage.aspects = stage.first("aspects", &insights.aspects, most, |one| {
                AspectFacet::from(one)
            });
        }
        InsightsPart::Technicians => stage.add_entities(MentionKind::Technician, insights, most),
        InsightsPart::Services => stage.add_entities(MentionKind::Service, insights, most),
        InsightsPart::Areas => stage.add_entities(MentionKind::ServiceArea, insights, most),
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

/// With the maximum number of values per list that fit.
fn overview(snapshot: &Snapshot) -> InsightsStage {
    let trade = snapshot.input.analyzer.trade();
    let as_a_whole = trade.overall.map(|at| trade.aspects[at].id.as_str());
    let mut most = OVERVIEW_VALUES;
    loop {
        let stage = InsightsStage::overview(&snapshot.insights, as_a_whole, most);
        if most == 0 || wire::json(&stage).len() <= OVERVIEW_BYTES_MAX {
            return stage;
        }
        most -= 1;
    }
}

fn aspect(trade: &Trade, insights: &Insights, name: &str) -> Result<InsightsStage, String> {
    let at = trade.find_aspect(name);
    let mut aspects = insights.aspects.iter();
    let found = at.and_then(|at| aspects.find(|one| one.id == trade.aspects[at].id));
    let Some(found) = found else {
        let ids = insights.aspects.iter().map(|aspect| aspect.id.as_str());
        return Err(unknown_value("aspect", ids));
    };
    Ok(InsightsStage {
        aspect: Some(found.clone()),
        ..InsightsStage::of("aspect", insights)
    })
}

fn entity(
    snapshot: &Snapshot,
    links: &Links,
    kind: MentionKind,
    name: &str,
) -> Result<InsightsStage, String> {
    let parameter_name = parameter(kind);
    let facet = names::find(snapshot, kind, name);
    let found = facet.and_then(|facet| Some((facet, find_entity(snapshot, kind, facet)?)));
    let Some((facet, entity)) = found else {
        let known = snapshot.counts().of_kind(kind).iter();
        return Err(unknown_value(
            parameter_name,
            known.map(|one| one.name.as_str()),
        ));
    };
    // For a technician whom few reviews mention, only the counts are shown.
    let is_shown = kind != MentionKind::Technician || entity.reviews >= PERSON_MIN;
    let by_aspect = is_shown.then(|| by_aspect(snapshot, links, kind, facet));
    Ok(InsightsStage {
        entity: Some(entity.clone()),
        by_aspect: Some(by_aspect.unwrap_or_default()),
        ..InsightsStage::of(parameter_name, &snapshot.insights)
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

/// Opinions on each aspect: for a technician, in sentences that name the person or follow one; for a service or a
/// place, in all reviews that mention it.
fn by_aspect(
    snapshot: &Snapshot,
    links: &Links,
    kind: MentionKind,
    facet: &Facet,
) -> Vec<AspectFacet> {
    let aspects = &snapshot.input.analyzer.trade().aspects;
    let value = value(kind, facet);
    let key = name_key(kind, value);
    let mut counts = vec![VoteCounts::default(); aspects.len()];
    let analyses = snapshot
        .input
        .entries
        .iter()
        .filter_map(|entry| entry.analysis.as_ref());
    for analysis in analyses {
        let Some(name) = analysis.name(kind, key) else {
            continue;
        };
        for (aspect, counts) in (0..).zip(&mut counts) {
            let vote = match kind {
                MentionKind::Technician => {
                    let near = analysis.masked(name.near_mask);
                    review_vote(near.filter(|finding| finding.aspect == aspect))
                }
                MentionKind::Service | MentionKind::ServiceArea if name.is_linked => {
                    vote_of(analysis, aspect)
                }
                MentionKind::Service | MentionKind::ServiceArea => None,
            };
            if let Some(vote) = vote {
                counts.count_review(vote);
            }
        }
    }
    with_opinions(aspects, &counts)
        .map(|aspect| AspectFacet {
            evidence_url: evidence_url(links, &aspect.id, kind, value),
            ..aspect
        })
        .collect()
}

/// The URL of the evidence; `None` for a place, because evidence has no such filter.
fn evidence_url(links: &Links, aspect: &str, kind: MentionKind, value: &str) -> Option<String> {
    if kind == MentionKind::ServiceArea {
        return None;
    }
    let parameters = [(parameter(kind), value)];
    Some(with_query(&links.evidence(aspect), parameters))
}

fn unknown_value<'a>(parameter_name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.take(FACET_VALUES_MAX).collect();
    if known.is_empty() {
        format!("No {parameter_name} has that name; none are known.")
    } else {
        format!(
            "No {parameter_name} has that name; known: {}.",
            known.join(", ")
        )
    }
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
    pub hits: Option<bool>,
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
            hits: arguments.flag("hits", "`false` omits the reasons of findings."),
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
    /// `None` if the trade has no aspect with that ID.
    pub fn of_aspect(
        trade: &'a Trade,
        id: &str,
        parameters: &'a EvidenceParameters,
    ) -> Option<Self> {
        let at = trade.aspect(id)?;
        Some(Self {
            aspect: &trade.aspects[at],
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
    technician: Option<u64>,
    service: Option<u64>,
    /// An unknown name matches nothing.
    is_unknown: bool,
    /// For a technician whom few reviews mention, only counts are shown.
    is_named_by_few: bool,
}

impl NameFilter {
    fn new(parameters: &EvidenceParameters, snapshot: &Snapshot) -> Self {
        let find = |kind, name: Option<&str>| name.map(|name| names::find(snapshot, kind, name));
        let technician = find(MentionKind::Technician, parameters.technician.as_deref());
        let service = find(MentionKind::Service, parameters.service.as_deref());
        let key = |kind, found: Option<&Facet>| Some(name_key(kind, value(kind, found?)));
        Self {
            technician: key(MentionKind::Technician, technician.flatten()),
            service: key(MentionKind::Service, service.flatten()),
            is_unknown: technician == Some(None) || service == Some(None),
            is_named_by_few: technician.flatten().is_some_and(is_named_by_few),
        }
    }
}

/// The part of a review that supports the aspect.
struct Support<'a> {
    analysis: &'a CompactAnalysis,
    vote: ReviewVote,
    /// Bit 0 is the first finding.
    finding_mask: u32,
}

/// A page of the supporting reviews, from the cursor if there is one.
pub fn evidence(
    snapshot: &Snapshot,
    links: &Links,
    query: &EvidenceQuery<'_>,
) -> wire::AspectEvidence {
    let (entries, counts) = (&snapshot.input.entries, snapshot.counts());
    let parameters = query.parameters;
    let named = NameFilter::new(parameters, snapshot);
    let mut range = entries.positions_between(parameters.since, parameters.until);
    if named.is_unknown {
        range.end = range.start;
    }
    let cursor = parameters.cursor.as_ref();
    let after = cursor.map(|cursor| entries.count_through(cursor.day, &cursor.id));
    let mut counted = SupportCounts::default();
    let (mut found, mut has_more) = (Vec::new(), false);
    for at in entries
        .index()
        .opinions(query.at.into(), parameters.polarity)
        .range(range)
    {
        let entry = &*entries[at as usize];
        let support =
            (entry.analysis.as_ref()).and_then(|analysis| support(analysis, query, &named));
        let Some(support) = support else {
            continue;
        };
        counted.count(&support);
        if after.is_some_and(|after| (at as usize) < after) || named.is_named_by_few {
            continue;
        }
        if found.len() == usize::from(query.limit()) {
            has_more = true;
        } else {
            found.push((entry, support));
        }
    }
    let last = found.last().filter(|_| has_more);
    let next = last
        .map(|(entry, _)| Cursor::at(&query.canonical(), entry.review.date, entry.id().as_str()));
    let mut technicians = facets_by_key(MentionKind::Technician, &counts.technicians);
    let by_technician = counted.list_facets(&technicians, MentionKind::Technician);
    technicians.retain(|_, facet| !is_named_by_few(facet));
    let reviews: Vec<_> = found
        .iter()
        .map(|(entry, support)| {
            supporting_review(snapshot, links, &entry.review, support, query, &technicians)
        })
        .collect();
    let services = facets_by_key(MentionKind::Service, &counts.services);
    wire::AspectEvidence {
        aspect: query.aspect.id.clone(),
        label: query.aspect.label.clone(),
        total: counted.total,
        confirmed: counted.confirmed,
        by_technician,
        by_service: counted.list_facets(&services, MentionKind::Service),
        count: reviews.len() as u64,
        limit: u64::from(query.limit()),
        next_cursor: next.map(|next| next.to_string()),
        did_you_mean: did_you_mean(snapshot, parameters),
        reviews,
    }
}

/// Whether too few reviews mention a technician to show their words.
fn is_named_by_few(person: &Facet) -> bool {
    person.reviews < u64::from(PERSON_MIN)
}

/// The part of a review that supports the aspect; `None` if none does. For a technician, only findings count that are
/// in a sentence with the person's name or in the next one.
fn support<'a>(
    analysis: &'a CompactAnalysis,
    query: &EvidenceQuery<'_>,
    named: &NameFilter,
) -> Option<Support<'a>> {
    let vote = vote_of(analysis, query.at)?;
    let filter = query.parameters.polarity;
    if filter.is_some_and(|side| side != vote.vote) {
        return None;
    }
    let is_of_side = |polarity: Polarity| {
        let side = filter.filter(|side| *side != Vote::Mixed);
        side.is_none_or(|side| side == Vote::from(polarity))
    };
    let finding_mask = (0_u32..u32::BITS)
        .zip(&analysis.findings)
        .filter(|(_, finding)| finding.aspect == query.at && is_of_side(finding.polarity_of_text()))
        .fold(0, |mask, (at, _)| mask | 1 << at);
    let finding_mask = named.technician.map_or(finding_mask, |key| {
        let name = analysis.name(MentionKind::Technician, key);
        name.map_or(0, |name| name.near_mask & finding_mask)
    });
    let is_about = named.service.is_none_or(|key| {
        let name = analysis.name(MentionKind::Service, key);
        name.is_some_and(|name| name.is_linked)
    });
    let is_near = named.technician.is_none() || finding_mask != 0;
    (is_about && is_near).then_some(Support {
        analysis,
        vote,
        finding_mask,
    })
}

/// A review of the page, analyzed again.
fn supporting_review(
    snapshot: &Snapshot,
    links: &Links,
    review: &Review,
    support: &Support<'_>,
    query: &EvidenceQuery<'_>,
    technicians: &HashMap<u64, &Facet>,
) -> wire::EvidenceReview {
    let analysis = (snapshot.input.analyzer).analyze(&AnalysisInput::of(review));
    let about = |at: u32| {
        let names = support.analysis.names.iter();
        let near = names
            .filter(|name| name.kind == MentionKind::Technician)
            .filter(|name| name.near_mask & 1_u32.checked_shl(at).unwrap_or(0) != 0);
        let mut about: Vec<String> = near
            .filter_map(|name| Some(technicians.get(&name.key)?.name.clone()))
            .collect();
        about.sort_unstable();
        about
    };
    let hit = |hit: Hit| wire::EvidenceHit {
        rule: hit.rule,
        start: hit.span.start,
        end: hit.span.end,
        points: hit.points,
    };
    let has_hits = query.parameters.hits.unwrap_or(true);
    let has_technician = query.parameters.technician.is_some();
    let is_shown = |at: u32, finding: &Finding| {
        finding.aspect == query.aspect.id
            && (!has_technician || support.finding_mask & 1_u32.checked_shl(at).unwrap_or(0) != 0)
    };
    let findings = (0..)
        .zip(analysis.findings)
        .filter(|(at, finding)| is_shown(*at, finding))
        .map(|(at, finding)| wire::EvidenceFinding {
            sentence: finding.sentence,
            start: finding.span.start,
            end: finding.span.end,
            text: finding.span.of(&review.text).unwrap_or_default().to_owned(),
            polarity: Vote::from(finding.polarity).into(),
            technicians: about(at),
            score: finding.score,
            witness: witness(&finding.hits),
            confidence: finding.confidence,
            hits: has_hits.then(|| finding.hits.into_iter().map(hit).collect()),
        })
        .collect();
    wire::EvidenceReview {
        review_id: review.id.to_string(),
        url: links.review(review.id.as_str()),
        date: review.date.date(),
        stars: review.rating.stars(),
        polarity: support.vote.vote.into(),
        confirmed: support.vote.confirmed.map(|_| true),
        findings,
        owner_reply: review.reply.clone().map(wire::OwnerReply::from),
    }
}

/// The nearest known names for unknown ones.
fn did_you_mean(snapshot: &Snapshot, parameters: &EvidenceParameters) -> Option<wire::DidYouMean> {
    let nearest = |kind, name: Option<&str>| names::suggestions(snapshot, kind, name?);
    wire::DidYouMean {
        technician: nearest(MentionKind::Technician, parameters.technician.as_deref()),
        service: nearest(MentionKind::Service, parameters.service.as_deref()),
        ..wire::DidYouMean::default()
    }
    .if_any()
}

/// The names by their keys in compact analyses.
fn facets_by_key(kind: MentionKind, facets: &[Facet]) -> HashMap<u64, &Facet> {
    let facets = facets.iter();
    facets
        .map(|facet| (name_key(kind, value(kind, facet)), facet))
        .collect()
}

/// The supporting reviews, in total and by name.
#[derive(Default)]
struct SupportCounts {
    total: u64,
    /// Number of supporting reviews that are uncertain, and whose stars confirm a side.
    confirmed: u64,
    by_name: HashMap<(MentionKind, u64), u64>,
}

impl SupportCounts {
    fn count(&mut self, support: &Support<'_>) {
        self.total += 1;
        self.confirmed += u64::from(support.vote.confirmed.is_some());
        for name in &support.analysis.names {
            let is_counted = match name.kind {
                MentionKind::Technician => name.near_mask & support.finding_mask != 0,
                MentionKind::Service => name.is_linked,
                MentionKind::ServiceArea => false,
            };
            if is_counted {
                *self.by_name.entry((name.kind, name.key)).or_default() += 1;
            }
        }
    }

    /// The names of a kind, most frequent first, then by name.
    fn list_facets(&self, known: &HashMap<u64, &Facet>, kind: MentionKind) -> Vec<Facet> {
        let counted = self.by_name.iter().filter(|((its, _), _)| *its == kind);
        let mut facets: Vec<Facet> = counted
            .filter_map(|((_, key), reviews)| {
                let facet = *known.get(key)?;
                Some(Facet {
                    reviews: *reviews,
                    ..facet.clone()
                })
            })
            .collect();
        facets.sort_by(|one, other| one.order().cmp(&other.order()));
        facets
    }
}

#[cfg(test)]
mod tests {
    use super::{EvidenceParameters, EvidenceQuery};
    use crate::insights::rules::{HOME_SERVICES, Trade};
    use crate::search::request::Cursor;

    #[test]
    fn a_cursor_belongs_to_the_aspect_at_any_position() {
        let trade = Trade::built_in(HOME_SERVICES);
        let mut other = Trade::built_in(HOME_SERVICES);
        other.aspects.rotate_left(1);
        let all = EvidenceParameters::default();
        let day = "2024-05-05".parse().unwrap();
        let [first, second] = [0, 1].map(|at| trade.aspects[at].id.clone());
        let about = |trade, id: &str| EvidenceQuery::of_aspect(trade, id, &all).unwrap();
        let cursor = Cursor::at(&about(&trade, &second).canonical(), day, "r-1");
        assert!(cursor.belongs_to(&about(&trade, &second).canonical()));
        assert!(
            cursor.belongs_to(&about(&other, &second).canonical()),
            "the same aspect in another place"
        );
        assert!(
            !cursor.belongs_to(&about(&trade, &first).canonical()),
            "in its place is another aspect"
        );
        let of_one = EvidenceParameters {
            technician: Some("Mike Alvarez".to_owned()),
            ..EvidenceParameters::default()
        };
        let filtered = EvidenceQuery::of_aspect(&trade, &second, &of_one).unwrap();
        assert!(!cursor.belongs_to(&filtered.canonical()), "other filters");
    }
}
