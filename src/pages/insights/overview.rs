//! `/insights`: aspects, mentions and trends of all reviews.

use std::borrow::Cow;
use std::iter;

use askama::Template;
use chrono::Datelike;

use super::rows::{FiguresFragment, aspect_path, figure_of_entity, votes_of_entity};
use super::subject::{group, heading, path};
use crate::links::Links;
use crate::model::{MentionKind, PluralEndings, TextMatch};
use crate::pages::chart::BarFragment;
use crate::pages::frame::{Frame, Site, render};
use crate::pages::locale::{Locale, PageLanguage};
use crate::search::{ReviewFilter, SearchParameters, search_reviews};
use crate::snapshot::Snapshot;
use crate::wire;

/// Maximum number of entities shown per group; the rest is in `/insights.json`.
const ENTITIES: usize = 60;
/// Maximum number of phrases shown.
const TOPICS: usize = 24;

#[derive(Template)]
#[template(path = "insights_page.html")]
struct InsightsPage<'a> {
    frame: Frame<'a>,
    insights: &'a wire::Insights,
    /// Sentences with the paths of their evidence.
    summary: Vec<(Cow<'a, str>, String)>,
    /// Phrases, each with the number of reviews that the search for it finds.
    topics: Vec<(&'a str, u64)>,
    /// Each with the entities that are shown.
    groups: Vec<(MentionKind, Vec<&'a wire::Entity>)>,
    faq: Vec<FaqItem<'a>>,
}

/// A question of the FAQ, with the tag of its language if that is not the page's.
struct FaqItem<'a> {
    entry: &'a wire::Faq,
    language: Option<&'a str>,
}

fn groups(insights: &wire::Insights) -> Vec<(MentionKind, Vec<&wire::Entity>)> {
    let groups = MentionKind::ALL.map(|kind| {
        let entities = insights.entities.of(kind).iter();
        let named = entities.filter(|entity| entity.reviews > 0);
        (kind, named.take(ENTITIES).collect())
    });
    groups
        .into_iter()
        .filter(|(_, entities): &(_, Vec<_>)| !entities.is_empty())
        .collect()
}

/// The owner's own entries and, on a page in English, those that are made of reviews: these are English in the documents,
/// and the other parts of the page have the same figures in the reader's language.
fn faq<'a>(insights: &'a wire::Insights, site: &Site<'a>) -> Vec<FaqItem<'a>> {
    let page = site.locale.tag();
    let item = |entry: &'a wire::Faq| match entry.basis {
        wire::FaqBasis::Editorial => {
            let language = site.business.language.as_deref();
            let language = language.filter(|language| *language != page);
            Some(FaqItem { entry, language })
        }
        wire::FaqBasis::Reviews => (page == PageLanguage::English.name()).then_some(FaqItem {
            entry,
            language: None,
        }),
    };
    insights.faq.iter().filter_map(item).collect()
}

/// A topic is counted by its words as they are written; the number beside a link is that of what it shows.
fn topics(snapshot: &Snapshot) -> Vec<(&str, u64)> {
    let endings = PluralEndings::of(snapshot.input.business.language.as_deref());
    let topics = snapshot.insights.topics.iter().take(TOPICS);
    let found = topics.map(|topic| {
        let parameters = SearchParameters {
            query: Some(topic.phrase.clone()),
            text_match: Some(TextMatch::Words),
            ..SearchParameters::default()
        };
        let filter = ReviewFilter::new(&parameters, endings);
        let found = search_reviews(snapshot, &filter, 0, None);
        let more = if found.is_exact {
            0
        } else {
            topic.reviews.into()
        };
        (topic.phrase.as_str(), found.total.max(more))
    });
    found.collect()
}

pub fn overview(snapshot: &Snapshot, links: &Links) -> String {
    let (business, insights) = (&snapshot.input.business, &*snapshot.insights);
    let site = Site::new(business, links);
    let locale = &site.locale;
    let named = [("business", business.name.as_str())];
    render(&InsightsPage {
        insights,
        summary: sentences(insights, &business.name, &site).collect(),
        topics: topics(snapshot),
        groups: groups(insights),
        faq: faq(insights, &site),
        frame: Frame {
            title: locale.message_with("insights-of", &named),
            description: Some(locale.message_with("insights-described", &named)),
            canonical: Some(links.absolute("/insights")),
            site: site.clone(),
        },
    })
}

fn made_of(from: &wire::GeneratedFrom, locale: &Locale) -> Cow<'static, str> {
    let texts = locale.counted("texts", u64::from(from.analysed));
    let reviews = locale.counted("reviews", u64::from(from.reviews));
    match from.window {
        None => locale.message_with("made-of", &[("texts", &texts), ("reviews", &reviews)]),
        Some(window) => locale.message_with(
            "made-of-period",
            &[
                ("texts", &texts),
                ("reviews", &reviews),
                ("from", &locale.day(window.from)),
                ("to", &locale.day(window.to)),
            ],
        ),
    }
}

fn how(method: &wire::InsightsMethod, locale: &Locale) -> Cow<'static, str> {
    let trade = locale.name(&method.trade.label);
    let id = if method.trade.is_measured {
        "method-measured"
    } else {
        "method-unmeasured"
    };
    locale.message_with(id, &[("trade", &trade)])
}

// The sentences of the summary in the reader's language. The documents contain them in English, each with its form
// and figures, from which the page builds its own sentences.

/// Each sentence with the path of its evidence. Those of unknown forms stay in English as in the documents.
fn sentences<'a>(
    insights: &'a wire::Insights,
    business: &'a str,
    site: &'a Site<'a>,
) -> impl Iterator<Item = (Cow<'a, str>, String)> {
    let sentences = &insights.summary.sentences;
    sentences.iter().map(move |one| {
        let words = SentenceWords {
            evidence: &one.evidence,
            insights,
            locale: &site.locale,
        };
        (words.sentence(one, business), evidence_path(one, site))
    })
}

/// The topic of a sentence, or the part of the page with the figures that it has.
fn evidence_path(sentence: &wire::SummarySentence, site: &Site<'_>) -> String {
    match (
        sentence.evidence.aspect.as_deref(),
        sentence.template.as_str(),
    ) {
        (Some(id), _) => aspect_path(id, site),
        (None, "technicians") => format!("#{}", group(MentionKind::Technician)),
        (None, "services") => format!("#{}", group(MentionKind::Service)),
        (None, _) => "#aspects".to_owned(),
    }
}

struct SentenceWords<'a> {
    evidence: &'a wire::SummaryEvidence,
    insights: &'a wire::Insights,
    locale: &'a Locale,
}

impl SentenceWords<'_> {
    fn sentence<'s>(&self, sentence: &'s wire::SummarySentence, business: &str) -> Cow<'s, str> {
        let words = match sentence.template.as_str() {
            "overall" => self.overall(business),
            "aspect_positive" => self.of_aspect("summary-aspect-positive"),
            "aspect_negative" => self.of_aspect("summary-aspect-negative"),
            "aspect_divided" => self.of_aspect("summary-aspect-divided"),
            "technicians" => self.names("summary-technicians", MentionKind::Technician),
            "services" => self.names("summary-services", MentionKind::Service),
            _ => None,
        };
        words.unwrap_or(Cow::Borrowed(&sentence.text))
    }

    fn figure(&self, name: &str) -> Option<u64> {
        self.evidence.figures.get(name).copied().map(u64::from)
    }

    fn number(&self, name: &str) -> Option<String> {
        Some(self.locale.number(self.figure(name)?))
    }

    fn topic(&self) -> Option<Cow<'_, str>> {
        let id = self.evidence.aspect.as_deref()?;
        let aspect = self.insights.aspects.iter().find(|one| one.id == id)?;
        Some(self.locale.name(&aspect.label))
    }

    fn overall(&self, business: &str) -> Option<Cow<'static, str>> {
        let texts = [
            ("business", business),
            ("positive", &self.number("positive")?),
            ("negative", &self.number("negative")?),
        ];
        let judged = self.figure("judged")?;
        Some(self.locale.counted_with("summary-overall", judged, &texts))
    }

    fn of_aspect(&self, id: &str) -> Option<Cow<'static, str>> {
        let topic = self.topic()?;
        let figures = ["positive", "negative", "judged"];
        let figures = figures.map(|name| (name, self.number(name).unwrap_or_default()));
        let figures = figures
            .iter()
            .map(|(name, number)| (*name, number.as_str()));
        let texts: Vec<(&str, &str)> = iter::once(("topic", &*topic)).chain(figures).collect();
        let mut words = self.locale.message_with(id, &texts).into_owned();
        if let Some(quote) = &self.evidence.quote {
            let texts = [("quote", quote.text.as_str())];
            words.push(' ');
            words += &self.locale.message_with("summary-complaint-quote", &texts);
        }
        Some(Cow::Owned(words))
    }

    /// `Curtis Hale (12 reviews)` for each name, by rank.
    fn with_counts(&self, names: Vec<String>) -> Option<String> {
        let counted = (1..).zip(names).map(|(rank, name)| {
            let reviews = self.figure(&format!("reviews_{rank}"))?;
            let reviews = self.locale.counted("reviews", reviews);
            let texts = [("name", name.as_str()), ("reviews", &reviews)];
            let words = self.locale.message_with("name-with-reviews", &texts);
            Some(words.into_owned())
        });
        Some(self.locale.list(&counted.collect::<Option<Vec<_>>>()?))
    }

    fn names(&self, id: &str, kind: MentionKind) -> Option<Cow<'static, str>> {
        let entities = self.insights.entities.of(kind);
        let name = |key: &String| {
            let found = entities
                .iter()
                .find(|one| one.id.as_ref() == Some(key) || one.name == *key);
            found.map_or_else(|| key.clone(), |one| one.name.clone())
        };
        let names = self.evidence.entities.as_ref()?.iter().map(name).collect();
        let names = self.with_counts(names)?;
        Some(self.locale.message_with(id, &[("names", &names)]))
    }
}
