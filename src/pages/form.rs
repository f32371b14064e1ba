//! The search form: the filters of `/api/reviews/search` as fields, with what was asked and, beside
//! each field, what is wrong with it.

use std::borrow::Cow;

use askama::Template;
use chrono::NaiveDate;

use super::frame::Site;
use super::locale::Locale;
use super::query::PageQuery;
use crate::model::Vote;
use crate::search::facets::facets;
use crate::snapshot::Snapshot;
use crate::wire::Issue;

/// How many values a field offers; others can be asked for in the address.
const VALUES_MAX: usize = 500;
/// How many years are offered, the newest first.
const YEARS_MAX: usize = 12;

/// How an aspect is spoken of.
const POLARITIES: [Vote; 5] = [
    Vote::Positive,
    Vote::Negative,
    Vote::Mixed,
    Vote::Neutral,
    Vote::Uncertain,
];

/// A value and its words.
type Choice = (String, String);

/// What the fields offer of one snapshot, with the counts that `/facets.json` has.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    reviews: u64,
    stars: Vec<Choice>,
    services: Vec<Choice>,
    technicians: Vec<Choice>,
    languages: Vec<Choice>,
    sources: Vec<Choice>,
    aspects: Vec<Choice>,
    years: Vec<(i32, String)>,
}

impl Choices {
    /// What reviews mention, speak of and are from, and whom and what else the business lists.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let business = &snapshot.input.business;
        let (facets, locale) = (facets(snapshot, VALUES_MAX), Locale::of(business));
        let choice = |value: &str, words: &str, reviews: u64| {
            let words = format!("{words} ({})", locale.number(reviews));
            (value.to_owned(), words)
        };
        let named = |facet: &crate::wire::Facet| choice(&facet.name, &facet.name, facet.reviews);
        let stars = facets.ratings.iter().map(|facet| {
            let words = locale.counted("stars", facet.rating.into());
            choice(&facet.rating.to_string(), &words, facet.reviews)
        });
        let services = facets.services.iter().map(|facet| {
            let id = facet.id.as_deref().unwrap_or(&facet.name);
            choice(id, &facet.name, facet.reviews)
        });
        let mut choices = Self {
            reviews: facets.reviews,
            stars: stars.collect(),
            services: services.collect(),
            technicians: facets.technicians.iter().map(named).collect(),
            languages: facets.languages.iter().map(named).collect(),
            sources: facets.sources.iter().map(named).collect(),
            aspects: (facets.aspects.iter())
                .map(|facet| choice(&facet.id, &facet.label, facet.reviews))
                .collect(),
            years: (facets.years.iter().take(YEARS_MAX))
                .map(|facet| (facet.year, locale.number(facet.reviews)))
                .collect(),
        };
        let services = business.services.iter();
        let services = services.map(|service| choice(&service.id, &service.name, 0));
        add(&mut choices.services, services);
        let technicians = business.technicians.iter();
        let technicians = technicians.map(|one| choice(&one.name, &one.name, 0));
        add(&mut choices.technicians, technicians);
        choices
    }
}

/// Adds what is not there yet, as long as there is room.
fn add(choices: &mut Vec<Choice>, more: impl Iterator<Item = Choice>) {
    for (value, words) in more {
        let is_known = choices.iter().any(|(known, _)| *known == value);
        if !is_known && choices.len() < VALUES_MAX {
            choices.push((value, words));
        }
    }
}

/// The form, to be shown beside the results.
#[derive(Debug, Clone, Template)]
#[template(path = "search_form_fragment.html")]
pub struct SearchFormFragment {
    locale: Locale,
    root: String,
    reviews: u64,
    text: FieldFragment,
    fields: Vec<FieldFragment>,
    /// Year, address of its search, and how many reviews it has.
    years: Vec<(i32, String, String)>,
    /// Those that fewer people need.
    more: Vec<FieldFragment>,
    /// Whether one of those was given.
    is_open: bool,
    /// Whether anything behind the fold is wrong.
    has_fault: bool,
    sort: String,
}

/// A parameter as a field: what was given for it, and what is wrong with that.
#[derive(Debug, Clone, Template)]
#[template(path = "field_fragment.html")]
struct FieldFragment {
    name: &'static str,
    label: Cow<'static, str>,
    kind: FieldKind,
    /// The choice of nothing.
    none: Cow<'static, str>,
    value: String,
    fault: Option<Cow<'static, str>>,
}

#[derive(Debug, Clone)]
enum FieldKind {
    Text,
    Day,
    /// One of these: value and words.
    Choice(Vec<Choice>),
}

impl FieldFragment {
    fn is(&self, value: &str) -> bool {
        self.value == value
    }

    /// Whether a browser's field of days takes the value; what is no day has to stay visible, to be
    /// mended.
    fn is_day(&self) -> bool {
        self.value.is_empty() || NaiveDate::parse_from_str(&self.value, "%Y-%m-%d").is_ok()
    }

    const fn is_used(&self) -> bool {
        !self.value.is_empty()
    }
}

impl FieldKind {
    /// What was given stays a choice, for who searches again: an address may ask for more than the
    /// form offers.
    fn with(self, value: &str) -> Self {
        match self {
            Self::Choice(mut choices)
                if !value.is_empty() && choices.iter().all(|(known, _)| known != value) =>
            {
                choices.push((value.to_owned(), value.to_owned()));
                Self::Choice(choices)
            }
            kind @ (Self::Choice(_) | Self::Text | Self::Day) => kind,
        }
    }
}

/// What a customer is told of a parameter that cannot be used.
#[must_use]
pub fn fault(issue: &Issue, locale: &Locale) -> Cow<'static, str> {
    match issue.path.first().map_or("", String::as_str) {
        "rating" | "min_rating" | "max_rating" => locale.message("fault-stars"),
        "since" | "until" => locale.message("fault-day"),
        "query" => locale.message("fault-text"),
        "polarity" => locale.message("fault-polarity"),
        "limit" => locale.message("fault-limit"),
        "cursor" => locale.message("fault-page"),
        _ => locale.message("fault-choice"),
    }
}

/// What a parameter is called for people; none where the form has no field for it.
#[must_use]
pub fn label(name: &str, locale: &Locale) -> Option<Cow<'static, str>> {
    Some(match name {
        "query" => locale.message("field-words"),
        "rating" => locale.message("field-stars"),
        "min_rating" => locale.message("field-min-stars"),
        "max_rating" => locale.message("field-max-stars"),
        "mentions_service" => locale.message("field-service"),
        "mentions_technician" => locale.message("field-technician"),
        "source" => locale.message("field-source"),
        "since" => locale.message("field-since"),
        "until" => locale.message("field-until"),
        "language" => locale.message("field-language"),
        "aspect" => locale.message("field-aspect"),
        "polarity" => locale.message("field-polarity"),
        "match" => locale.message("field-match"),
        "has_text" => locale.message("field-has-text"),
        "has_response" => locale.message("field-has-response"),
        "sort" => locale.message("find-order"),
        _ => return None,
    })
}

/// What an aspect is spoken of as.
#[must_use]
pub fn polarity(vote: Vote, locale: &Locale) -> Cow<'static, str> {
    match vote {
        Vote::Positive => locale.message("polarity-positive"),
        Vote::Negative => locale.message("polarity-negative"),
        Vote::Mixed => locale.message("polarity-mixed"),
        Vote::Neutral => locale.message("polarity-neutral"),
        Vote::Uncertain => locale.message("polarity-uncertain"),
    }
}

impl SearchFormFragment {
    /// The form as it was sent.
    #[must_use]
    pub fn filled(choices: &Choices, site: &Site, query: &PageQuery) -> Self {
        let locale = &site.locale;
        let field = |name: &'static str, kind: FieldKind| {
            let value = query.value(name).unwrap_or_default();
            let mut issues = query.issues.iter();
            let issue = issues.find(|issue| issue.path.first().is_some_and(|key| key == name));
            FieldFragment {
                name,
                label: label(name, locale).unwrap_or_default(),
                kind: kind.with(value),
                none: locale.message("choice-any"),
                fault: issue.map(|issue| fault(issue, locale)),
                value: value.to_owned(),
            }
        };
        let choice = |name, choices: &[Choice]| field(name, FieldKind::Choice(choices.to_vec()));
        let bounds = |words: fn(&Locale, &str) -> Cow<'static, str>| -> Vec<Choice> {
            // 1 or more is any, and 5 or more is 5.
            let stars = (2..=4).rev().map(|stars: u8| stars.to_string());
            stars
                .map(|stars| (stars.clone(), words(locale, &stars).into_owned()))
                .collect()
        };
        let least =
            bounds(|locale, stars| locale.message_with("choice-or-more", &[("stars", stars)]));
        let most =
            bounds(|locale, stars| locale.message_with("choice-or-fewer", &[("stars", stars)]));
        let either: [Choice; 2] = [
            ("true".to_owned(), locale.message("choice-yes").into_owned()),
            ("false".to_owned(), locale.message("choice-no").into_owned()),
        ];
        let polarities = POLARITIES.map(|vote| {
            let words = polarity(vote, locale).into_owned();
            (vote.name().to_owned(), words)
        });
        let as_written = [(
            "substring".to_owned(),
            locale.message("choice-substring").into_owned(),
        )];
        let more = vec![
            FieldFragment {
                none: locale.message("choice-words"),
                ..choice("match", &as_written)
            },
            choice("min_rating", &least),
            choice("max_rating", &most),
            choice("language", &choices.languages),
            choice("aspect", &choices.aspects),
            choice("polarity", &polarities),
            choice("has_text", &either),
            choice("has_response", &either),
        ];
        let mut fields = vec![
            choice("rating", &choices.stars),
            choice("mentions_service", &choices.services),
        ];
        // Where nobody is shown, nobody is asked for.
        let technician = choice("mentions_technician", &choices.technicians);
        if technician.is_used() || !choices.technicians.is_empty() {
            fields.push(technician);
        }
        fields.extend([
            choice("source", &choices.sources),
            field("since", FieldKind::Day),
            field("until", FieldKind::Day),
        ]);
        let path = format!("{}/search", site.root);
        let years = choices.years.iter().map(|(year, reviews)| {
            let days = year_days(*year);
            let days = days.each_ref().map(|(name, day)| (*name, day.as_str()));
            let address = query.address(&path, &["since", "until", "cursor"], &days);
            (*year, address, reviews.clone())
        });
        Self {
            locale: locale.clone(),
            root: site.root.clone(),
            reviews: choices.reviews,
            text: field("query", FieldKind::Text),
            years: years.collect(),
            has_fault: (fields.iter().chain(&more)).any(|field| field.fault.is_some()),
            fields,
            is_open: more.iter().any(FieldFragment::is_used),
            more,
            sort: query.value("sort").unwrap_or_default().to_owned(),
        }
    }
}

/// The parameters of a search for one calendar year.
#[must_use]
pub fn year_days(year: i32) -> [(&'static str, String); 2] {
    [
        ("since", format!("{year:04}-01-01")),
        ("until", format!("{year:04}-12-31")),
    ]
}
