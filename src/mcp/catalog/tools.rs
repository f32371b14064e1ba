//! The tools as they are listed: what each is for, what it takes and what comes back.
//!
//! Descriptions are written for models: a verb first, when to use it and when not, what comes back,
//! limits; at most 120 tokens each. Schemas are cut from the API document, so that a bound is
//! written once.

use serde_json::{Value, json};

use super::arguments::Known;
use super::definitions::{Object, Tool};
use super::schema::{self, Cutter, answer, object, property};
use crate::reviews::parameters::{Aspect, Id, Limit, Parameter};
use crate::search::CursorParameter;

/// Which tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// `get_business`: the business and its overall rating.
    Business,
    /// `search_reviews`: whole reviews that match filters.
    Search,
    /// `get_review`: one review by its id.
    Review,
    /// `get_reviews_since`: reviews from a date on.
    Since,
    /// `get_insights`: what reviews say, counted by aspect and entity.
    Insights,
    /// `get_evidence`: the sentences behind an aspect.
    Evidence,
    /// `list_facets`: names and ids with counts.
    Facets,
    /// `compare_periods`: two ranges of days side by side.
    Periods,
}

impl ToolKind {
    /// Every tool, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Business,
        Self::Search,
        Self::Review,
        Self::Since,
        Self::Insights,
        Self::Evidence,
        Self::Facets,
        Self::Periods,
    ];

    /// What it is called by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Business => "get_business",
            Self::Search => "search_reviews",
            Self::Review => "get_review",
            Self::Since => "get_reviews_since",
            Self::Insights => "get_insights",
            Self::Evidence => "get_evidence",
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
            Self::Evidence => "The sentences behind an aspect",
            Self::Facets => "What reviews can be narrowed by",
            Self::Periods => "Compare two periods",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Business => {
                "Get the facts of the business and its overall rating. Use when asked who they are or how they are rated. Do not use for \
                 counts by technician, service or year (use list_facets)."
            }
            Self::Search => {
                "Search whole reviews; all filters must hold. Use to quote or read. Do not use for counts (use list_facets), for one \
                 aspect (use get_evidence) or a known id (use get_review). query is one substring: try \"leak\". Repeat with next_cursor \
                 as cursor for more; at most 48 KiB a page."
            }
            Self::Review => {
                "Get one review in full. Use when you have an id or a link. Do not use to find reviews (use search_reviews)."
            }
            Self::Since => {
                "Get the reviews of a day and all later ones, newest first. Use when asked what is new. Do not use to narrow by text, \
                 stars or names (use search_reviews). Repeat with next_cursor as cursor for more."
            }
            Self::Insights => {
                "Get what the reviews say, counted, in stages. Use without arguments first, for an overview; then with one argument for \
                 one aspect, technician, service or area with quotes, or one part. Do not use for sentences or dates (use get_evidence)."
            }
            Self::Evidence => {
                "Get the sentences in which reviews speak of one aspect, and counts of all that match by technician and service. Use for \
                 who is praised most for what, or what complaints say (aspect=price, polarity=negative). Do not use for whole reviews \
                 (use search_reviews). hits=false is shorter. Repeat with next_cursor as cursor for more."
            }
            Self::Facets => {
                "List technicians, services, areas, sources, languages, aspects, years and ratings with counts. Use to spell names and \
                 ids right, or to rank. Do not use for contact details (use get_business). At most 100 values a list."
            }
            Self::Periods => {
                "Compare the reviews of two ranges of days, both ends included. Use for change: this year against last. Do not use to \
                 read reviews (use search_reviews)."
            }
        }
    }

    /// The arguments that it takes, with the schemas of the OpenAPI document.
    #[must_use]
    pub fn known(self, cut: Cutter<'_>) -> Vec<Known> {
        match self {
            Self::Business | Self::Facets => Vec::new(),
            Self::Search => parameters(cut, SEARCH),
            Self::Review => parameters(cut, "getReview"),
            Self::Since => {
                let mut known = parameters(cut, "getReviewsSince");
                let mut paging = parameters(cut, SEARCH);
                paging.retain(|known| {
                    known.name == Limit::NAME || known.name == CursorParameter::NAME
                });
                for limit in paging.iter_mut().filter(|known| known.name == Limit::NAME) {
                    limit.schema.insert(
                        "description".to_owned(),
                        json!("Most reviews to return, 1 to 100; as many as fit where left out."),
                    );
                }
                known.extend(paging);
                known
            }
            Self::Insights => parameters(cut, "getInsights"),
            Self::Evidence => {
                let mut known = parameters(cut, "getAspectEvidence");
                for id in known.iter_mut().filter(|known| known.name == Id::NAME) {
                    Aspect::NAME.clone_into(&mut id.name);
                }
                known
            }
            Self::Periods => parameters(cut, "comparePeriods"),
        }
    }

    /// The schema of its whole result; what is listed is shortened.
    fn output(self, cut: Cutter<'_>) -> Object {
        let members = |name: &str, members: &[&'static str]| {
            let component = cut.component(name);
            members
                .iter()
                .map(|member| (*member, property(&component, member)))
                .collect::<Vec<_>>()
        };
        match self {
            Self::Business => {
                let mut schema = members(
                    "BusinessSummary",
                    &["business", "aggregate_rating", "withheld", "updated_at"],
                );
                let left_out = json!({ "type": "array", "items": { "type": "string" } });
                schema.push(("left_out", left_out));
                answer(schema, 3)
            }
            Self::Search => cut.component("SearchResult"),
            Self::Review => cut.component("Review"),
            Self::Since => {
                let mut schema = members("SinceResult", &["since", "count", "reviews"]);
                schema.extend(members("SearchResult", &["total", "next_cursor"]));
                answer(schema, 3)
            }
            Self::Insights => cut.component("InsightsStage"),
            Self::Evidence => cut.component("AspectEvidence"),
            Self::Facets => cut.component("Facets"),
            Self::Periods => cut.component("Comparison"),
        }
    }

    /// The same as far as it is told: down to the rows of lists.
    fn short_output(self, cut: Cutter<'_>) -> Object {
        let (depth, alike): (usize, &[&str]) = match self {
            // In full, for all others that have reviews.
            Self::Review => return self.output(cut),
            Self::Business => (2, &[]),
            Self::Periods => (2, &["difference"]),
            Self::Insights => (1, &["by_aspect", "services", "areas"]),
            Self::Search | Self::Since | Self::Evidence | Self::Facets => (1, &[]),
        };
        let mut output = Value::Object(self.output(cut));
        schema::shallow(&mut output, depth);
        let mut output = object(output);
        schema::alike(&mut output, alike);
        output
    }

    /// The tool as it is listed.
    #[must_use]
    pub fn tool(self, cut: Cutter<'_>, known: &[Known]) -> Tool {
        let properties: Object = known
            .iter()
            .map(|known| (known.name.clone(), Value::Object(known.schema.clone())))
            .collect();
        let required: Vec<&str> = known
            .iter()
            .filter(|known| known.is_required)
            .map(|known| known.name.as_str())
            .collect();
        let mut input = object(json!({ "type": "object", "properties": properties }));
        if !required.is_empty() {
            input.insert("required".to_owned(), json!(required));
        }
        Tool {
            name: self.name(),
            title: self.title(),
            description: self.description().to_owned(),
            input_schema: input,
            output_schema: schema::bare(self.short_output(cut)),
        }
    }
}

const SEARCH: &str = "searchReviews";

fn parameters(cut: Cutter<'_>, operation: &str) -> Vec<Known> {
    let known = |(name, schema, is_required)| Known {
        name,
        schema: schema::plain(schema),
        is_required,
    };
    cut.parameters(operation).into_iter().map(known).collect()
}
