//! The tools as they are listed: what each is for, what it takes and what comes back.
//!
//! Descriptions are written for models: a verb first, when to use it and when not, what comes back, limits; at most 120 tokens each.
//! Schemas are cut from the API document, so that a bound is written once.

use serde_json::{Value, json};

use super::arguments::Known;
use super::excerpt::{left_out_schema, place};
use super::listing::{Object, Tool};
use super::schema::{self, Cutter, answer, object, property};
use super::{insights, views};
use crate::reviews::parameters::{Aspect, Limit, Parameter};
use crate::search::CursorParameter;

/// Which tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `get_business`.
    Business,
    /// `search_reviews`.
    Search,
    /// `get_review`.
    Review,
    /// `get_reviews_since`.
    Since,
    /// `get_insights`.
    Insights,
    /// `list_facets`.
    Facets,
    /// `compare_periods`.
    Periods,
}

impl Kind {
    /// Every tool, in the order in which they are listed.
    pub const ALL: [Self; 7] =
        [Self::Business, Self::Search, Self::Review, Self::Since, Self::Insights, Self::Facets, Self::Periods];

    /// What it is called by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Business => "get_business",
            Self::Search => "search_reviews",
            Self::Review => "get_review",
            Self::Since => "get_reviews_since",
            Self::Insights => "get_insights",
            Self::Facets => "list_facets",
            Self::Periods => "compare_periods",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Business => "Business and overall rating",
            Self::Search => "Search reviews",
            Self::Review => "One review",
            Self::Since => "Reviews since a day",
            Self::Insights => "What the reviews say",
            Self::Facets => "What reviews can be narrowed by",
            Self::Periods => "Compare two periods",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Business => {
                "Get the facts of the business (name, address, services, technicians, service areas) and its overall rating. Use when \
                 asked who they are, how they are rated, or how many reviews there are. Do not use for counts by technician, service or \
                 year (use list_facets). Returns business, aggregate_rating with a distribution by stars, withheld, updated_at. Takes no arguments."
            }
            Self::Search => {
                "Search the reviews; all filters must hold; newest first. Use when you need reviews themselves, to quote or read. Do not \
                 use for counts (use list_facets, compare_periods) or a known id (use get_review). query is one substring, not a list of \
                 words: try \"leak\". Returns total, reviews with url to cite, and next_cursor while there are more: repeat the call with \
                 it as cursor. At most 48 KiB, so a page may end before limit."
            }
            Self::Review => {
                "Get one review in full by its id. Use when you have an id from another answer or a link to a review. Do not use to find \
                 reviews (use search_reviews). Returns the review: rating, date, author, text, mentions, the owner's response, url to cite."
            }
            Self::Since => {
                "Get the reviews of a day and all later ones, newest first. Use when asked what is new. Do not use to narrow by text, \
                 stars or names (use search_reviews). Returns count and reviews with url to cite; where not all fit (48 KiB, or limit), \
                 also total and next_cursor: repeat the call with it as cursor."
            }
            Self::Insights => {
                "Get what the reviews say, counted: aspects, people and services they name, topics, FAQ, summary. Use for overall \
                 questions, such as what customers praise. Do not use to read reviews (use search_reviews) or compare dates (use \
                 compare_periods). Give aspect for one aspect in detail. At most 48 KiB: left_out names parts that did not fit."
            }
            Self::Facets => {
                "List technicians, services, service areas, years and ratings, each with its count of reviews. Use before searching, to \
                 spell names and ids right, or to rank by count. Do not use for contact details (use get_business). A technician's name is \
                 what mentions_technician takes, a service's id what mentions_service takes. At most 100 values a list, the most mentioned first."
            }
            Self::Periods => {
                "Compare the reviews of two ranges of days. Use for questions about change: this year against last, before and after a \
                 date. Do not use to read reviews (use search_reviews). Both ends count. Returns count, mean rating, distribution and \
                 aspects of first and second, and difference (second less first). Example: 2025-01-01 to 2025-12-31, 2026-01-01 to 2026-12-31."
            }
        }
    }

    /// What it takes.
    #[must_use]
    pub fn known(self, cut: Cutter<'_>) -> Vec<Known> {
        match self {
            Self::Business | Self::Facets => Vec::new(),
            Self::Search => parameters(cut, SEARCH),
            Self::Review => parameters(cut, "getReview"),
            Self::Since => {
                let mut known = parameters(cut, "getReviewsSince");
                let mut paging = parameters(cut, SEARCH);
                paging.retain(|known| known.name == Limit::NAME || known.name == CursorParameter::NAME);
                for limit in paging.iter_mut().filter(|known| known.name == Limit::NAME) {
                    limit.schema.remove("default");
                    limit.schema.insert("description".to_owned(), json!("Most reviews to return; as many as fit where left out."));
                }
                known.extend(paging);
                known
            }
            Self::Insights => {
                let schema = json!({ "type": "string", "description": "Id of one aspect, from an answer without it." });
                vec![Known { name: Aspect::NAME.to_owned(), schema: object(schema), is_required: false }]
            }
            Self::Periods => parameters(cut, "comparePeriods"),
        }
    }

    /// What comes back.
    fn output(self, cut: Cutter<'_>) -> Object {
        let members = |name: &str, members: &[&'static str]| {
            let component = cut.component(name);
            members.iter().map(|member| (*member, property(&component, member))).collect::<Vec<_>>()
        };
        match self {
            Self::Business => {
                let mut schema = members("BusinessSummary", &["business", "aggregate_rating", "withheld", "updated_at"]);
                schema.push(("left_out", left_out_schema()));
                relaxed(answer(schema, 3), &views::BUSINESS_PARTS)
            }
            Self::Search => cut.component("SearchResult"),
            Self::Review => cut.component("Review"),
            Self::Since => {
                let mut schema = members("SinceResult", &["since", "count", "reviews"]);
                schema.extend(members("SearchResult", &["total", "next_cursor"]));
                for (member, description) in [
                    ("count", "How many reviews this answer has."),
                    ("total", "How many there are; absent where this answer has them all."),
                    ("next_cursor", "Give it back as `cursor`, with the same date, for the next page."),
                ] {
                    for (_, schema) in schema.iter_mut().filter(|(name, _)| *name == member) {
                        schema["description"] = json!(description);
                    }
                }
                answer(schema, 3)
            }
            Self::Insights => {
                let mut schema = cut.component("Insights");
                if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                    properties.insert("left_out".to_owned(), left_out_schema());
                }
                // An answer about one aspect has no others, and none of the parts beside them.
                let mut schema = Value::Object(relaxed(schema, &insights::PARTS));
                schema::shallow(&mut schema, INSIGHTS_DEPTH);
                object(schema)
            }
            Self::Facets => cut.component("Facets"),
            Self::Periods => cut.component("Comparison"),
        }
    }

    /// The tool as it is listed.
    #[must_use]
    pub fn tool(self, cut: Cutter<'_>, known: &[Known]) -> Tool {
        let properties: Object = known.iter().map(|known| (known.name.clone(), Value::Object(known.schema.clone()))).collect();
        let required: Vec<&str> = known.iter().filter(|known| known.is_required).map(|known| known.name.as_str()).collect();
        let mut input = object(json!({ "type": "object", "properties": properties, "additionalProperties": false }));
        if !required.is_empty() {
            input.insert("required".to_owned(), json!(required));
        }
        Tool {
            name: self.name(),
            title: self.title(),
            description: self.description().to_owned(),
            input_schema: input,
            output_schema: schema::lean(self.output(cut)),
        }
    }
}

const SEARCH: &str = "searchReviews";
/// How many objects deep the insights are described: down to what is said of each aspect, and of each entity.
const INSIGHTS_DEPTH: usize = 3;

fn parameters(cut: Cutter<'_>, operation: &str) -> Vec<Known> {
    let known = |(name, schema, is_required)| Known { name, schema, is_required };
    cut.parameters(operation).into_iter().map(known).collect()
}

/// The schema without the promise that these parts, as [`place`] reads them, are there.
fn relaxed(schema: Object, parts: &[&str]) -> Object {
    let mut schema = Value::Object(schema);
    for part in parts {
        let (within, name) = place(part);
        let within = match within {
            Some(member) => schema.get_mut("properties").and_then(|properties| properties.get_mut(member)),
            None => Some(&mut schema),
        };
        if let Some(within) = within {
            schema::relax(within, name);
        }
    }
    object(schema)
}
