//! The filters of `/api/reviews/search` for people: the fields of the search form, with the given values and their
//! errors, and the active filters in words, because every filtered list names them (FTC 16 CFR 465).

use std::borrow::Cow;

use askama::Template;
use chrono::NaiveDate;

use super::frame::{Site, year_days};
use super::locale::Locale;
use super::query::PageQuery;
use crate::model::{SearchArguments, TextMatch, Vote};
use crate::search::facets::facets;
use crate::snapshot::Snapshot;
use crate::snapshot::input::SnapshotInput;
use crate::wire::{Facet, Issue};

/// Maximum number of values that a field offers; others can still be given in the address.
const VALUES_MAX: usize = 500;
/// Maximum number of years that are offered, newest first.
const YEARS_MAX: usize = 12;

/// In the order of forms.
pub const POLARITIES: [Vote; 5] = [
    Vote::Positive,
    Vote::Negative,
    Vote::Mixed,
    Vote::Neutral,
    Vote::Uncertain,
];

/// Value and label.
type FieldChoice = (String, String);

/// The form's choices for one snapshot, with the same counts as `/facets.json`.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    reviews: u64,
    fields: Vec<FormField>,
    /// Less common fields, folded.
    more: Vec<FormField>,
    years: Vec<(i32, String)>,
}

#[derive(Debug, Clone)]
struct FormField {
    name: &'static str,
    kind: FieldKind,
    /// The field's HTML without a value, as in most requests.
    plain: String,
}

impl Choices {
    /// The values in reviews and in the business's lists.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let business = &snapshot.input.business;
        let (facets, locale) = (facets(snapshot, VALUES_MAX), &Locale::of(business));
        let choice = |value: &str, words: &str, reviews: u64| {
            let words = format!("{words} ({})", locale.number(reviews));
            (value.to_owned(), words)
        };
        let named = |facet: &Facet| choice(&facet.name, &facet.name, facet.reviews);
        let stars = facets.ratings.iter().map(|facet| {
            let words = locale.counted("stars", facet.rating.into());
            choice(&facet.rating.to_string(), &words, facet.reviews)
        });
        let services = facets.services.iter().map(|facet| {
            let id = facet.id.as_deref().unwrap_or(&facet.name);
            choice(id, &facet.name, facet.reviews)
        });
        let (mut services, mut technicians) = (
            services.collect(),
            facets.technicians.iter().map(named).collect(),
        );
        let listed = business.services.iter();
        let listed = listed.map(|service| choice(&service.id, &service.name, 0));
        add(&mut services, listed);
        let listed = business.technicians.iter();
        let listed = listed.map(|one| choice(&one.name, &one.name, 0));
        add(&mut technicians, listed);
        let aspects = facets.aspects.iter();
        let aspects =
            aspects.map(|facet| choice(&facet.id, &locale.name(&facet.label), facet.reviews));
        let polarities = POLARITIES.map(|vote| {
            let words = polarity_words(vote, locale).into_owned();
            (vote.name().to_owned(), words)
        });
        // "1 or more" is any, and "5 or more" is 5.
        let bounds = |words: fn(&Locale, &str) -> Cow<'static, str>| {
            let stars = ["4", "3", "2"];
            let choices = stars.map(|stars| (stars.to_owned(), words(locale, stars).into_owned()));
            choices.to_vec()
        };
        let either = [
            ("true".to_owned(), locale.message("choice-yes").into_owned()),
            ("false".to_owned(), locale.message("choice-no").into_owned()),
        ];
        let as_written = locale.message("choice-substring").into_owned();
        let field = |name, choices| FormField::new(name, FieldKind::Choice(choices), locale);
        Self {
            reviews: facets.reviews,
            fields: vec![
                field("rating", stars.collect()),
                field("mentions_service", services),
                field("mentions_technician", technicians),
                field("source", facets.sources.iter().map(named).collect()),
                FormField::new("since", FieldKind::Day, locale),
                FormField::new("until", FieldKind::Day, locale),
            ],
            more: vec![
                field("match", vec![("substring".to_owned(), as_written)]),
                field(
                    "min_rating",
                    bounds(|locale, stars| {
                        locale.message_with("choice-or-more", &[("stars", stars)])
                    }),
                ),
                field(
                    "max_rating",
                    bounds(|locale, stars| {
                        locale.message_with("choice-or-fewer", &[("stars", stars)])
                    }),
                ),
                field("language", facets.languages.iter().map(named).collect()),
                field("aspect", aspects.collect()),
                field("polarity", polarities.to_vec()),
                field("has_text", either.to_vec()),
                field("has_response", either.to_vec()),
            ],
            years: (facets.years.iter().take(YEARS_MAX))
                .map(|facet| (facet.year, locale.number(facet.reviews)))
                .collect(),
        }
    }
}

impl FormField {
    fn new(name: &'static str, kind: FieldKind, locale: &Locale) -> Self {
        let plain = FieldFragment::new(name, &kind, &PageQuery::default(), locale);
        let plain = super::render(&plain);
        Self { name, kind, plain }
    }

    /// The field's HTML with the values of `query`; empty if there is nothing to choose from.
    fn html(&self, query: &PageQuery, locale: &Locale) -> String {
        if query.value(self.name).is_some() || query.issue(self.name).is_some() {
            return super::render(&FieldFragment::new(self.name, &self.kind, query, locale));
        }
        match &self.kind {
            FieldKind::Choice(choices) if choices.is_empty() => String::new(),
            FieldKind::Choice(_) | FieldKind::Text | FieldKind::Day => self.plain.clone(),
        }
    }
}

/// Adds missing values up to the limit.
fn add(choices: &mut Vec<FieldChoice>, more: impl Iterator<Item = FieldChoice>) {
    for (value, words) in more {
        let is_known = choices.iter().any(|(known, _)| *known == value);
        if !is_known && choices.len() < VALUES_MAX {
            choices.push((value, words));
        }
    }
}

#[derive(Debug, Clone, Template)]
#[template(path = "search_form_fragment.html")]
pub struct SearchFormFragment {
    locale: Locale,
    root: String,
    reviews: u64,
    text: FieldFragment,
    fields: Vec<String>,
    /// Year, address of its search, and number of reviews.
    years: Vec<(i32, String, String)>,
    more: Vec<String>,
    /// Whether one of `more` was given.
    is_open: bool,
    /// Whether one of the folded fields has an error.
    has_fault: bool,
    sort: String,
}

/// A field with its given value and its error.
#[derive(Debug, Clone, Template)]
#[template(path = "field_fragment.html")]
struct FieldFragment {
    name: &'static str,
    label: Cow<'static, str>,
    kind: FieldKind,
    /// The label of "no choice".
    none: Cow<'static, str>,
    value: String,
    fault: Option<Cow<'static, str>>,
}

#[derive(Debug, Clone)]
enum FieldKind {
    Text,
    Day,
    /// Value and label.
    Choice(Vec<FieldChoice>),
}

impl FieldFragment {
    fn new(name: &'static str, kind: &FieldKind, query: &PageQuery, locale: &Locale) -> Self {
        let value = query.value(name).unwrap_or_default();
        Self {
            name,
            label: label(name, locale).unwrap_or_default(),
            kind: kind.clone().with(value),
            none: if name == "match" {
                locale.message("choice-words")
            } else {
                locale.message("choice-any")
            },
            fault: query.issue(name).map(|issue| fault(issue, locale)),
            value: value.to_owned(),
        }
    }

    fn is(&self, value: &str) -> bool {
        self.value == value
    }

    /// Whether a date input accepts the value; an invalid one is shown in a text field, so that it can be corrected.
    fn is_day(&self) -> bool {
        self.value.is_empty() || NaiveDate::parse_from_str(&self.value, "%Y-%m-%d").is_ok()
    }
}

impl FieldKind {
    /// Adds the given value to the choices, because an address may contain others than the form offers.
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

/// The error of a parameter, in words for customers.
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

/// The label of a parameter; `None` if the form has no field for it.
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

/// The label of an opinion.
#[must_use]
pub fn polarity_words(vote: Vote, locale: &Locale) -> Cow<'static, str> {
    match vote {
        Vote::Positive => locale.message("positive"),
        Vote::Negative => locale.message("negative"),
        Vote::Mixed => locale.message("mixed"),
        Vote::Neutral => locale.message("neutral"),
        Vote::Uncertain => locale.message("uncertain"),
    }
}

impl SearchFormFragment {
    /// The form with the values of `query`.
    #[must_use]
    pub fn new(choices: &Choices, site: &Site, query: &PageQuery) -> Self {
        let locale = &site.locale;
        let html = |fields: &[FormField]| -> Vec<String> {
            let fields = fields.iter();
            fields.map(|field| field.html(query, locale)).collect()
        };
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
            text: FieldFragment::new("query", &FieldKind::Text, query, locale),
            years: years.collect(),
            has_fault: (choices.fields.iter().chain(&choices.more))
                .any(|field| query.issue(field.name).is_some()),
            fields: html(&choices.fields),
            is_open: (choices.more.iter()).any(|field| query.value(field.name).is_some()),
            more: html(&choices.more),
            sort: query.value("sort").unwrap_or_default().to_owned(),
        }
    }
}

// The active filters in words: every filtered list names them (FTC 16 CFR 465).

/// One filter: its parameters and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterWords {
    /// The parameter and the one that has no meaning without it; removing both removes the filter.
    pub names: [&'static str; 2],
    /// For example `5 stars`.
    pub words: Cow<'static, str>,
}

/// In the order of the form.
#[must_use]
pub fn filters(
    arguments: &SearchArguments,
    input: &SnapshotInput,
    locale: &Locale,
) -> Vec<FilterWords> {
    let SearchArguments {
        rating,
        min_rating,
        max_rating,
        since,
        until,
        query,
        text_match,
        plural_endings: _,
        mentions_technician,
        mentions_service,
        language,
        source,
        has_text,
        has_response,
        aspect,
        polarity: vote,
        sort: _,
    } = arguments;
    let (business, trade) = (&input.business, input.analyzer.trade());
    let service = mentions_service.as_deref().map(|id| {
        let listed = business.services.iter().find(|service| service.id == id);
        listed.map_or(id, |service| &service.name)
    });
    let aspect = aspect.as_deref().map(|id| {
        let label = trade.aspect(id).map(|at| trade.aspects[at].label.as_str());
        label.map_or(Cow::Borrowed(id), |label| locale.name(label))
    });
    let with = |name: &'static str, words: Option<Cow<'static, str>>| {
        let names = match name {
            "query" => [name, "match"],
            "aspect" => [name, "polarity"],
            _ => [name, name],
        };
        words.map(|words| FilterWords { names, words })
    };
    let all = [
        with(
            "query",
            query.as_deref().map(|text| match text_match {
                TextMatch::Words => locale.message_with("filter-words", &[("text", text)]),
                TextMatch::Substring => locale.message_with("filter-substring", &[("text", text)]),
            }),
        ),
        with(
            "rating",
            rating.map(|rating| locale.counted("stars", rating.stars().into())),
        ),
        with(
            "min_rating",
            min_rating.map(|least| {
                locale.message_with("filter-min-stars", &[("stars", &least.to_string())])
            }),
        ),
        with(
            "max_rating",
            max_rating.map(|most| {
                locale.message_with("filter-max-stars", &[("stars", &most.to_string())])
            }),
        ),
        with(
            "since",
            since.map(|first| {
                locale.message_with("filter-since", &[("day", &locale.day(first.date()))])
            }),
        ),
        with(
            "until",
            until.map(|last| {
                locale.message_with("filter-until", &[("day", &locale.day(last.date()))])
            }),
        ),
        with(
            "mentions_technician",
            (mentions_technician.as_deref())
                .map(|name| locale.message_with("filter-technician", &[("name", name)])),
        ),
        with(
            "mentions_service",
            service.map(|name| locale.message_with("filter-service", &[("name", name)])),
        ),
        with(
            "language",
            (language.as_deref())
                .map(|tag| locale.message_with("filter-language", &[("tag", tag)])),
        ),
        with(
            "source",
            (source.as_deref()).map(|name| locale.message_with("filter-source", &[("name", name)])),
        ),
        with(
            "aspect",
            aspect.map(|name| locale.message_with("filter-aspect", &[("name", &name)])),
        ),
        with(
            "polarity",
            vote.map(|vote| {
                let words = polarity_words(vote, locale);
                locale.message_with("filter-polarity", &[("polarity", &words)])
            }),
        ),
        with(
            "has_text",
            has_text.map(|has| {
                if has {
                    locale.message("filter-text")
                } else {
                    locale.message("filter-no-text")
                }
            }),
        ),
        with(
            "has_response",
            has_response.map(|has| {
                if has {
                    locale.message("filter-response")
                } else {
                    locale.message("filter-no-response")
                }
            }),
        ),
    ];
    all.into_iter().flatten().collect()
}
