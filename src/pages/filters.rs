//! The filters of `/api/reviews/search` for people: the fields of the search form, with the given values, and
//! the active filters in words, because every filtered list names them (FTC 16 CFR 465).

use std::borrow::Cow;

use askama::Template;

use super::frame::{Site, year_days};
use super::locale::Locale;
use crate::model::Vote;
use crate::search::facets::facets;
use crate::search::{SearchParameters, TextMatch};
use crate::snapshot::Snapshot;
use crate::snapshot::input::SnapshotInput;
use crate::wire::{Arguments, Facet};

/// Maximum number of values that a field offers; others can still be given in the address.
const CHOICES_SHOWN: usize = 500;
/// Maximum number of years that are offered, newest first.
const YEARS_SHOWN: usize = 12;

/// Value and label.
type FieldChoice = (String, String);

/// The form's choices for one snapshot, with the same counts as `/facets.json`.
pub struct Choices {
    reviews: u64,
    fields: Vec<FormField>,
    /// Less common fields, folded.
    more: Vec<FormField>,
    years: Vec<(i32, String)>,
}

type FormField = (&'static str, FieldKind);

impl Choices {
    /// The values in reviews and in the business's lists, which the facets have, too.
    pub fn of(snapshot: &Snapshot) -> Self {
        let business = &snapshot.input.business;
        let (facets, locale) = (facets(snapshot, CHOICES_SHOWN), &Locale::of(business));
        let stars = facets.ratings.iter().map(|facet| {
            let words = locale.counted("stars", facet.rating.into());
            choice(&facet.rating.to_string(), &words, facet.reviews, locale)
        });
        let services = facets.services.iter().map(|facet| {
            let id = facet.id.as_deref().unwrap_or(&facet.name);
            choice(id, &facet.name, facet.reviews, locale)
        });
        let aspects = facets.aspects.iter().map(|facet| {
            let reviews = facet.votes.mention_count.into();
            choice(&facet.id, &locale.name(&facet.label), reviews, locale)
        });
        // A polarity is one of an aspect.
        let votes = Vote::ALL.iter().filter(|_| !facets.aspects.is_empty());
        let polarities = votes.map(|vote| {
            let words = locale.message(vote.name()).into_owned();
            (vote.name().to_owned(), words)
        });
        // "1 or more" is any, and "5 or more" is 5.
        let [min_ratings, max_ratings] = ["choice-or-more", "choice-or-fewer"].map(|id| {
            let choices = ["4", "3", "2"].map(|stars| {
                let words = locale.message_with(id, &[("stars", stars)]);
                (stars.to_owned(), words.into_owned())
            });
            choices.to_vec()
        });
        let either = [
            ("true".to_owned(), locale.message("choice-yes").into_owned()),
            ("false".to_owned(), locale.message("choice-no").into_owned()),
        ];
        let as_written = locale.message("choice-substring").into_owned();
        Self {
            reviews: facets.reviews,
            fields: vec![
                field("rating", stars.collect()),
                field("mentions_service", services.collect()),
                field("mentions_technician", names(&facets.technicians, locale)),
                field("mentions_area", names(&facets.service_areas, locale)),
                field("source", names(&facets.sources, locale)),
                ("since", FieldKind::Day),
                ("until", FieldKind::Day),
            ],
            more: vec![
                field("match", vec![("substring".to_owned(), as_written)]),
                field("min_rating", min_ratings),
                field("max_rating", max_ratings),
                field("language", names(&facets.languages, locale)),
                field("aspect", aspects.collect()),
                field("polarity", polarities.collect()),
                field("verified", either.to_vec()),
                field("has_text", either.to_vec()),
                field("has_reply", either.to_vec()),
            ],
            years: (facets.years.iter().take(YEARS_SHOWN))
                .map(|facet| (facet.year, locale.number(facet.reviews)))
                .collect(),
        }
    }
}

const fn field(name: &'static str, choices: Vec<FieldChoice>) -> FormField {
    (name, FieldKind::Choice(choices))
}

/// A value with its number of reviews.
fn choice(value: &str, words: &str, reviews: u64, locale: &Locale) -> FieldChoice {
    let words = format!("{words} ({})", locale.number(reviews));
    (value.to_owned(), words)
}

fn names(facets: &[Facet], locale: &Locale) -> Vec<FieldChoice> {
    let facets = facets.iter();
    facets
        .map(|facet| choice(&facet.name, &facet.name, facet.reviews, locale))
        .collect()
}

#[derive(Template)]
#[template(path = "search_form_fragment.html")]
pub struct SearchFormFragment<'a> {
    pub choices: Choices,
    pub site: &'a Site<'a>,
    pub query: &'a Arguments,
}

/// A field with its given value.
#[derive(Template)]
#[template(path = "field_fragment.html")]
struct FieldFragment<'a> {
    name: &'static str,
    kind: &'a FieldKind,
    value: &'a str,
    locale: &'a Locale,
}

#[derive(Debug, Clone)]
enum FieldKind {
    Text,
    Day,
    /// Value and label.
    Choice(Vec<FieldChoice>),
}

impl<'a> FieldFragment<'a> {
    fn new(
        name: &'static str,
        kind: &'a FieldKind,
        query: &'a Arguments,
        locale: &'a Locale,
    ) -> Self {
        Self {
            name,
            kind,
            // The form's empty choice of `match` is by words.
            value: (query.value(name))
                .filter(|value| name != "match" || *value != TextMatch::Words.name())
                .unwrap_or_default(),
            locale,
        }
    }

    fn is(&self, value: &str) -> bool {
        self.value == value
    }

    /// An address may contain other values than the form offers.
    fn is_other(&self, choices: &[FieldChoice]) -> bool {
        !self.value.is_empty() && choices.iter().all(|(known, _)| known != self.value)
    }
}

impl SearchFormFragment<'_> {
    /// The fields that have a value or something to choose from.
    fn shown<'f>(&'f self, fields: &'f [FormField]) -> impl Iterator<Item = FieldFragment<'f>> {
        let fields = fields.iter().filter(|(name, kind)| {
            let is_empty = matches!(kind, FieldKind::Choice(choices) if choices.is_empty());
            !is_empty || self.query.value(name).is_some()
        });
        fields.map(|(name, kind)| FieldFragment::new(name, kind, self.query, &self.site.locale))
    }

    /// Whether one of the less common fields was given.
    fn is_open(&self) -> bool {
        let mut fields = self.choices.more.iter();
        fields.any(|(name, _)| self.query.value(name).is_some())
    }

    /// The address of the search for a year's reviews.
    fn year(&self, year: i32) -> String {
        let days = year_days(year);
        let days = days.each_ref().map(|(name, day)| (*name, day.as_str()));
        let path = format!("{}/search", self.site.root);
        (self.query).address(&path, &["since", "until", "cursor"], &days)
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
pub fn filters(
    parameters: &SearchParameters,
    input: &SnapshotInput,
    locale: &Locale,
) -> Vec<FilterWords> {
    let (business, trade) = (&input.business, input.analyzer.trade);
    let mut pairs = parameters.pairs();
    pairs.sort_by_key(|(name, _)| *name != "query");
    let filters = pairs.into_iter().filter_map(|(name, text)| {
        let value = match name {
            "match" | "sort" => return None,
            "rating" => locale.counted("stars", parameters.rating?.into()),
            "since" => locale.day(parameters.since?.date()),
            "until" => locale.day(parameters.until?.date()),
            "mentions_service" => business.service_name(&text).to_owned().into(),
            "aspect" => match trade.aspect(&text) {
                Some(at) => locale.name(&trade.aspects[at].label).into_owned().into(),
                None => text.into(),
            },
            "polarity" => locale.message(parameters.polarity?.name()),
            _ => text.into(),
        };
        let texts = [("value", &*value), ("match", parameters.text_match.name())];
        let dependent = match name {
            "query" => "match",
            "aspect" => "polarity",
            _ => name,
        };
        Some(FilterWords {
            names: [name, dependent],
            words: locale.message_with(&format!("filter-{name}"), &texts),
        })
    });
    filters.collect()
}
