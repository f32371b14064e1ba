//! `/insights`: aspects, mentions and trends of all reviews; and the row of an aspect on `/`.

use std::borrow::Cow;

use askama::Template;

use crate::insights::hides_criticism;
use crate::model::MentionKind;
use crate::pages::frame::{Frame, Site, render};
use crate::pages::locale::{Locale, PageLanguage};
use crate::snapshot::Snapshot;
use crate::wire::{self, SummaryTemplate};

/// Maximum number of entities shown per group, and how many of them before the fold; the rest is in `/insights.json`.
const ENTITIES: usize = 60;
const ENTITIES_UNFOLDED: usize = 4;
/// Number of questions before the fold.
const FAQ_UNFOLDED: usize = 5;

#[derive(Template)]
#[template(path = "insights_page.html")]
struct InsightsPage<'a> {
    frame: Frame<'a>,
    insights: &'a wire::Insights,
    /// The business's own text.
    editorial: Option<&'a str>,
    /// Sentences with the paths of their evidence.
    summary: Vec<(String, String)>,
    /// Each with the entities that are shown.
    groups: Vec<(MentionKind, Vec<&'a wire::Entity>)>,
    faq: Vec<FaqItem<'a>>,
}

/// A question of the FAQ, with the tag of its language if that is not the page's.
struct FaqItem<'a> {
    entry: &'a wire::Faq,
    language: Option<&'a str>,
}

/// Whether there is a bar for the legend to explain.
fn has_bars(insights: &wire::Insights) -> bool {
    let aspects = insights.aspects.iter().map(|aspect| &aspect.votes);
    let entities = groups(insights).into_iter().flat_map(|(_, shown)| shown);
    let mut votes = aspects.chain(entities.map(|entity| &entity.votes));
    votes.any(|votes| votes.judged_count >= JUDGED_MIN)
}

fn groups(insights: &wire::Insights) -> Vec<(MentionKind, Vec<&wire::Entity>)> {
    let groups = MentionKind::ALL.map(|kind| {
        let entities = insights.entities.of(kind).iter();
        let named = entities.filter(|entity| entity.votes.mention_count > 0);
        (kind, named.take(ENTITIES).collect())
    });
    groups
        .into_iter()
        .filter(|(_, entities): &(_, Vec<_>)| !entities.is_empty())
        .collect()
}

/// The ID of a kind's group on the page, and of the message with its heading.
const fn group(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Technician => "people",
        MentionKind::Service => "services",
        MentionKind::ServiceArea => "areas",
    }
}

/// The search for the reviews that mention an entity.
fn path(kind: MentionKind, entity: &wire::Entity, site: &Site<'_>) -> String {
    match kind {
        MentionKind::Technician => site.search("mentions_technician", &entity.name),
        MentionKind::Service => {
            let id = entity.id.as_ref().unwrap_or(&entity.name);
            site.search("mentions_service", id)
        }
        MentionKind::ServiceArea => site.search("mentions_area", &entity.name),
    }
}

/// The owner's own entries and, on a page in English, those that are made of reviews: these are English in the documents,
/// and the other parts of the page have the same figures in the reader's language.
fn faq<'a>(insights: &'a wire::Insights, site: &Site<'a>) -> Vec<FaqItem<'a>> {
    let page = site.locale.tag();
    let items = insights.faq.iter().filter_map(|entry| match entry.basis {
        wire::FaqBasis::Editorial => {
            let language = site.business.language.as_deref();
            let language = language.filter(|language| *language != page);
            Some(FaqItem { entry, language })
        }
        wire::FaqBasis::Reviews => (page == PageLanguage::English.name()).then_some(FaqItem {
            entry,
            language: None,
        }),
    });
    items.collect()
}

pub fn show(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let (business, insights) = (&snapshot.input.business, &*snapshot.insights);
    let site = Site::new(business, links);
    let locale = &site.locale;
    let named = [("business", business.name.as_str())];
    let summary = snapshot.input.editorial.summary.as_ref();
    render(&InsightsPage {
        insights,
        editorial: summary.map(|it| it.text.as_str()),
        summary: (insights.summary_sentences.iter())
            .map(|one| sentence(one, insights, &site))
            .collect(),
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

fn made_of(insights: &wire::Insights, locale: &Locale) -> Cow<'static, str> {
    let texts = locale.counted("texts", u64::from(insights.generated_from.analysed));
    let reviews = locale.counted("reviews", u64::from(insights.review_count));
    let range = insights.date_range;
    match range.earliest.zip(range.latest) {
        None => locale.message_with("made-of", &[("texts", &texts), ("reviews", &reviews)]),
        Some((from, to)) => locale.message_with(
            "made-of-period",
            &[
                ("texts", &texts),
                ("reviews", &reviews),
                ("from", &locale.day(from)),
                ("to", &locale.day(to)),
            ],
        ),
    }
}

pub fn how(method: &wire::InsightsMethod, locale: &Locale) -> Cow<'static, str> {
    let trade = locale.name(&method.trade.label);
    let id = if method.trade.is_measured {
        "method-measured"
    } else {
        "method-unmeasured"
    };
    locale.message_with(id, &[("trade", &trade)])
}

/// A sentence of the summary in the reader's language, and the path of its evidence: the search for the aspect's reviews, or the
/// aspects on this page. The documents contain the sentences in English, each with its form and figures, from which the page
/// builds its own.
fn sentence(
    one: &wire::SummarySentence,
    insights: &wire::Insights,
    site: &Site<'_>,
) -> (String, String) {
    let (evidence, locale) = (&one.evidence, &site.locale);
    let number = |name: &str| u64::from(evidence.figures.get(name).copied().unwrap_or_default());
    let (id, count) = match one.template {
        SummaryTemplate::Overall => ("summary-overall", "analysed"),
        SummaryTemplate::AspectPositive | SummaryTemplate::AspectNegative => {
            ("summary-aspect", "judged")
        }
        SummaryTemplate::NotAnalysed => ("summary-not-analysed", "foreign"),
    };
    let figures = evidence.figures.keys();
    let mut texts: Vec<(&str, String)> = figures
        .map(|name| (name.as_str(), locale.number(number(name))))
        .collect();
    let mut aspects = insights.aspects.iter();
    let aspect = aspects.find(|one| evidence.aspect.as_ref() == Some(&one.id));
    texts.extend(aspect.map(|one| ("topic", locale.name(&one.label).into_owned())));
    texts.extend(aspect.map(|one| ("figure", figure(&one.votes, locale))));
    let path = aspect.map_or("#aspects".to_owned(), |one| site.search("aspect", &one.id));
    let texts: Vec<_> = (texts.iter())
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let mut words = (locale.counted_with(id, number(count), &texts)).into_owned();
    if let Some(quote) = &evidence.quote {
        let texts = [("quote", quote.text.as_str())];
        words.push(' ');
        words += &locale.message_with("summary-complaint-quote", &texts);
    }
    (words, path)
}

// An aspect in a list: a row on `/`, and the figures of a section on `/insights`.

#[derive(Template)]
#[template(path = "aspect_row_fragment.html")]
pub struct AspectRowFragment<'a> {
    aspect: &'a wire::Aspect,
    site: &'a Site<'a>,
    label: Cow<'a, str>,
    figure: String,
    bar: Option<BarFragment>,
}

#[derive(Template)]
#[template(path = "figures_fragment.html")]
struct FiguresFragment {
    bar: Option<BarFragment>,
    figure: String,
    trend: Cow<'static, str>,
}

/// An aspect is in a list if this number of reviews has an opinion on it.
const LISTED_MIN: u32 = 3;

impl FiguresFragment {
    fn new(aspect: &wire::Aspect, locale: &Locale) -> Self {
        let mut words = figure(&aspect.votes, locale);
        if aspect.votes.neutral_count > 0 {
            words += "; ";
            words += &locale.counted("number-neutral", aspect.votes.neutral_count.into());
        }
        Self {
            bar: BarFragment::of(&locale.name(&aspect.label), &aspect.votes, locale),
            figure: words + ".",
            trend: match aspect.temporal.trend {
                wire::InsightTrend::Improving => locale.message("trend-up"),
                wire::InsightTrend::Declining => locale.message("trend-down"),
                wire::InsightTrend::Steady => locale.message("trend-flat"),
                wire::InsightTrend::TooFew => Cow::Borrowed(""),
            },
        }
    }
}

impl<'a> AspectRowFragment<'a> {
    /// `None` if few reviews have an opinion on the aspect, or more are uncertain, or criticism was not heard.
    pub fn new(
        aspect: &'a wire::Aspect,
        insights: &wire::Insights,
        site: &'a Site<'a>,
    ) -> Option<Self> {
        let locale = &site.locale;
        let judged = aspect.votes.judged_count;
        let (whole, low_rated) = (&insights.overall_sentiment, insights.method.low_rated);
        if judged < LISTED_MIN
            || aspect.votes.uncertain_count > judged
            || hides_criticism(&aspect.votes, whole, low_rated)
        {
            return None;
        }
        let label = locale.name(&aspect.label);
        Some(Self {
            aspect,
            site,
            figure: figure(&aspect.votes, locale),
            bar: BarFragment::of(&label, &aspect.votes, locale),
            label,
        })
    }
}

// Votes in words, and as a bar in inline SVG, whose text has the same figures for screen readers. Widths are attributes, because
// the pages' policy forbids inline styles.

/// Minimum number of reviews with an opinion for a share and a bar.
const JUDGED_MIN: u32 = 5;

/// A bar of opinions.
#[derive(Template)]
#[template(path = "bar_fragment.html")]
struct BarFragment {
    words: Cow<'static, str>,
    /// Class in the stylesheet, distance from the left and width, both in percent of the bar's width.
    parts: Vec<(&'static str, f64, f64)>,
}

impl BarFragment {
    /// `None` if too few reviews have an opinion.
    fn of(label: &str, votes: &wire::Votes, locale: &Locale) -> Option<Self> {
        let judged = votes.judged_count;
        if judged < JUDGED_MIN {
            return None;
        }
        let mut from = 0.0;
        let mut parts = Vec::new();
        for (class, votes) in [
            ("good", votes.positive_count),
            ("mixed", votes.mixed_count),
            ("bad", votes.negative_count),
        ] {
            let width = f64::from(votes) * 100.0 / f64::from(judged);
            if votes > 0 {
                parts.push((class, from, width));
            }
            from += width;
        }
        let figure = figure(votes, locale);
        let words = locale.message_with("bar", &[("name", label), ("figure", &figure)]);
        Some(Self { words, parts })
    }
}

/// The votes in words, for example `81% positive: 64 of 79, 9 mixed, 6 negative, 3 uncertain`.
fn figure(votes: &wire::Votes, locale: &Locale) -> String {
    let judged = votes.judged_count;
    if judged == 0 {
        return locale.message("figure-none").into_owned();
    }
    let [positive, of] = [votes.positive_count, judged].map(|count| locale.number(count.into()));
    let figures = [("positive", &*positive), ("judged", &of)];
    let is_praise_alone = votes.positive_count == judged;
    let share = votes.positive_share.as_ref();
    let mut parts = vec![match share.filter(|_| judged >= JUDGED_MIN) {
        // What is unclear may be a criticism.
        _ if is_praise_alone && votes.uncertain_count > 0 => {
            locale.message_with("figure-positive", &figures)
        }
        Some(share) => {
            let percent = locale.percent(share.value);
            let [positive, judged] = figures;
            locale.message_with("figure-share", &[("percent", &*percent), positive, judged])
        }
        None => locale.message_with("figure-positive-of", &figures),
    }];
    for (id, reviews) in [
        ("number-mixed", votes.mixed_count),
        ("number-negative", votes.negative_count),
        ("number-uncertain", votes.uncertain_count),
    ] {
        if reviews > 0 {
            parts.push(locale.counted(id, reviews.into()));
        }
    }
    parts.join(", ")
}
