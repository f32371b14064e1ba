//! The search form: the filters of `/api/reviews/search` as fields, with what was asked and, beside
//! each field, what is wrong with it.

use askama::Template;
use chrono::NaiveDate;

use super::frame::Site;
use super::query::PageQuery;
use crate::snapshot::Snapshot;

/// How many values a field offers; others can be asked for in the address.
const VALUES_MAX: usize = 500;
/// What a field of yes and no offers.
const EITHER: [(&str, &str); 2] = [("true", "yes"), ("false", "no")];

/// How an aspect is spoken of.
const POLARITIES: [&str; 5] = ["positive", "negative", "mixed", "neutral", "uncertain"];
/// The orders besides the one that holds where none is given.
const ORDERS: [(&str, &str); 3] = [
    ("oldest", "oldest first"),
    ("highest", "most stars first"),
    ("lowest", "fewest stars first"),
];

/// What the fields offer, of one snapshot.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    services: Vec<(String, String)>,
    technicians: Vec<(String, String)>,
    languages: Vec<(String, String)>,
    sources: Vec<(String, String)>,
    aspects: Vec<(String, String)>,
}

impl Choices {
    /// What the business lists, where and in which languages its reviews were written, and what of
    /// its trade they may speak of.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let (business, counts) = (&snapshot.input.business, snapshot.counts());
        let trade = snapshot.input.analyzer.trade();
        let same = |name: &String| (name.clone(), name.clone());
        let services = business.services.iter();
        let technicians = business.technicians.iter();
        Self {
            services: services
                .map(|service| (service.id.clone(), service.name.clone()))
                .take(VALUES_MAX)
                .collect(),
            technicians: technicians
                .map(|technician| same(&technician.name))
                .take(VALUES_MAX)
                .collect(),
            languages: (counts.languages.iter())
                .map(|one| same(&one.name))
                .take(VALUES_MAX)
                .collect(),
            aspects: (trade.aspects.iter())
                .map(|aspect| (aspect.id.clone(), aspect.label.clone()))
                .collect(),
            sources: (counts.sources.iter())
                .map(|one| same(&one.name))
                .take(VALUES_MAX)
                .collect(),
        }
    }
}

/// The form, to be shown on `/` and beside the results.
#[derive(Debug, Clone, Template)]
#[template(path = "search_form_fragment.html")]
pub struct SearchFormFragment {
    root: String,
    text: FieldFragment,
    fields: Vec<FieldFragment>,
    /// Those that fewer people need.
    more: Vec<FieldFragment>,
    /// Whether one of those was given.
    is_open: bool,
}

/// A parameter as a field: what was given for it, and what is wrong with that.
#[derive(Debug, Clone, Template)]
#[template(path = "field_fragment.html")]
struct FieldFragment {
    name: &'static str,
    label: &'static str,
    kind: FieldKind,
    value: String,
    fault: Option<String>,
}

#[derive(Debug, Clone)]
enum FieldKind {
    Text,
    Day,
    /// One of these: value and words.
    Choice(Vec<(String, String)>),
}

impl FieldFragment {
    fn new(name: &'static str, label: &'static str, kind: FieldKind, query: &PageQuery) -> Self {
        let given = query.pairs.iter().find(|(key, _)| key == name);
        let value = given.map(|(_, value)| value.clone()).unwrap_or_default();
        let issue = query
            .issues
            .iter()
            .find(|issue| issue.path.first().is_some_and(|key| key == name));
        Self {
            name,
            label,
            kind: kind.with(&value),
            fault: issue.map(|issue| issue.message.clone()),
            value,
        }
    }

    fn choice(
        name: &'static str,
        label: &'static str,
        choices: &[(String, String)],
        query: &PageQuery,
    ) -> Self {
        Self::new(name, label, FieldKind::Choice(choices.to_vec()), query)
    }

    fn is(&self, value: &str) -> bool {
        self.value == value
    }

    /// Whether a browser's field of days takes the value; what is no day has to stay visible, to be
    /// mended.
    fn is_day(&self) -> bool {
        self.value.is_empty() || NaiveDate::parse_from_str(&self.value, "%Y-%m-%d").is_ok()
    }

    fn is_used(&self) -> bool {
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

fn stars(words: fn(u8) -> String) -> Vec<(String, String)> {
    (1..=5)
        .rev()
        .map(|stars| (stars.to_string(), words(stars)))
        .collect()
}

impl SearchFormFragment {
    /// The form with nothing filled in.
    #[must_use]
    pub fn empty(choices: &Choices, site: &Site) -> Self {
        Self::filled(choices, site, &PageQuery::default())
    }

    /// The form as it was sent.
    #[must_use]
    pub fn filled(choices: &Choices, site: &Site, query: &PageQuery) -> Self {
        let owned = |(value, words): (&str, &str)| (value.to_owned(), words.to_owned());
        let same = |values: [&str; 5]| values.map(|value| owned((value, value)));
        let either = EITHER.map(owned);
        let choice =
            |name, label, choices: &[_]| FieldFragment::choice(name, label, choices, query);
        let day = |name, label| FieldFragment::new(name, label, FieldKind::Day, query);
        let exact = stars(|stars| stars.to_string());
        let least = stars(|stars| format!("{stars} or more"));
        let most = stars(|stars| format!("{stars} or fewer"));
        let as_written = [owned(("substring", "exactly as written"))];
        let more = vec![
            choice("match", "How the words are found", &as_written),
            choice("min_rating", "Stars, at least", &least),
            choice("max_rating", "Stars, at most", &most),
            choice("language", "Language", &choices.languages),
            choice("aspect", "Speaks of", &choices.aspects),
            choice("polarity", "How it speaks of that", &same(POLARITIES)),
            choice("sort", "Order", &ORDERS.map(owned)),
            choice("has_text", "Has words", &either),
            choice("has_response", "Has an answer", &either),
        ];
        let mut fields = vec![
            choice("rating", "Stars", &exact),
            choice("mentions_service", "Service", &choices.services),
        ];
        // Where nobody is shown, nobody is asked for.
        let technician = choice("mentions_technician", "Technician", &choices.technicians);
        if technician.is_used() || !choices.technicians.is_empty() {
            fields.push(technician);
        }
        fields.extend([
            choice("source", "Source", &choices.sources),
            day("since", "From day"),
            day("until", "To day"),
        ]);
        Self {
            root: site.root.clone(),
            text: FieldFragment::new("query", "Words in the text", FieldKind::Text, query),
            fields,
            is_open: more.iter().any(FieldFragment::is_used),
            more,
        }
    }
}
