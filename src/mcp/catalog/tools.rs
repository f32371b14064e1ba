//! The tools as listed: description, arguments and results.
//!
//! Descriptions are for models, at most 120 tokens: a verb first, when to use the tool and when not, the result,
//! limits. Schemas of arguments are those of the parameters, schemas of results those of the OpenAPI document.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::arguments::{Known, Object};
use super::results::{AspectArguments, ReviewArguments, SinceArguments};
use crate::model::named;
use crate::search::SearchParameters;
use crate::search::facets::PeriodsParameters;
use crate::search::insights::{EvidenceParameters, StageParameters};
use crate::wire::parameters::{Arguments as _, ParameterSpec};

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ToolKind {
        /// `get_business`: the business and its overall rating.
        Business = "get_business",
        /// `search_reviews`: whole reviews that match filters.
        Search = "search_reviews",
        /// `get_review`: one review by its ID.
        Review = "get_review",
        /// `get_reviews_since`: reviews from a date on.
        Since = "get_reviews_since",
        /// `get_insights`: opinions counted by aspect and entity.
        Insights = "get_insights",
        /// `get_evidence`: the sentences behind an aspect.
        Evidence = "get_evidence",
        /// `list_facets`: names and IDs with counts.
        Facets = "list_facets",
        /// `compare_periods`: two ranges of days side by side.
        Periods = "compare_periods",
    }
}

impl ToolKind {
    const fn title(self) -> &'static str {
        match self {
            Self::Business => "Business and overall rating",
            Self::Search => "Search reviews",
            Self::Review => "One review",
            Self::Since => "Reviews since a day",
            Self::Insights => "What the reviews say",
            Self::Evidence => "The sentences behind an aspect",
            Self::Facets => "Filters and their counts",
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
                 aspect (use get_evidence) or a known id (use get_review). query is one substring; match=words finds \
                 words. At most 48 KiB a page."
            }
            Self::Review => {
                "Get one review in full. Use when you have an id or a link. Do not use to find reviews (use search_reviews)."
            }
            Self::Since => {
                "Get the reviews from a day on, newest first. Use when asked what is new. Do not use to narrow by text, stars or \
                 names (use search_reviews)."
            }
            Self::Insights => {
                "Get counts of what the reviews say, in stages. Use without arguments first, for an overview with complaints, \
                 worst first; then with one argument for one aspect, technician, service or area with quotes, or one part. Do \
                 not use for sentences or dates (use get_evidence)."
            }
            Self::Evidence => {
                "Get the sentences about one aspect, newest first, each with the owner's answer, and counts of all matches by \
                 technician and service. Use for who is praised most for what, or what complaints say (aspect=price, \
                 polarity=negative). Do not use for whole reviews (use search_reviews). hits=false is shorter."
            }
            Self::Facets => {
                "List technicians, services, areas, sources, languages, aspects, years and ratings with counts. Use to spell names and \
                 ids right, or to rank. Do not use for contact details (use get_business). At most 100 values a list."
            }
            Self::Periods => {
                "Compare the reviews of two ranges of days, both ends included: verdict says whether the second is better. Use \
                 for changes, such as this year against last; aspect limits it to one. Do not use to read reviews (use \
                 search_reviews)."
            }
        }
    }

    /// The tool's arguments: the parameters of its REST operation.
    pub fn arguments(self) -> Vec<Known> {
        let specs = match self {
            Self::Business | Self::Facets => Vec::new(),
            Self::Search => SearchParameters::specs(),
            Self::Review => ReviewArguments::specs(),
            Self::Since => SinceArguments::specs(),
            Self::Insights => StageParameters::specs(),
            Self::Evidence => {
                let mut specs = AspectArguments::specs();
                specs.extend(EvidenceParameters::specs());
                specs
            }
            Self::Periods => PeriodsParameters::specs(),
        };
        let known = |spec: ParameterSpec| Known {
            name: spec.name.to_owned(),
            schema: plain(object(json!(spec.schema)), spec.description),
            is_required: spec.is_required,
        };
        specs.into_iter().map(known).collect()
    }

    /// The schema of its result, including the rows of lists; reviews are described in full only for `get_review`.
    fn output(self, document: ApiDocument<'_>) -> Object {
        let mut output = match self {
            Self::Business => document.answer("BusinessSummary", 2),
            Self::Search => document.answer("SearchResult", 1),
            Self::Review => document.answer("Review", usize::MAX),
            Self::Since => document.answer("SinceResult", 1),
            Self::Insights => document.answer("InsightsStage", 1),
            Self::Evidence => document.answer("AspectEvidence", 1),
            Self::Facets => document.answer("Facets", 1),
            Self::Periods => document.answer("Comparison", 2),
        };
        let mut members = Value::Null;
        if let Some(properties) = output.get_mut("properties") {
            members = properties.take();
        }
        match self {
            Self::Business => {
                members["left_out"] = json!({ "type": "array", "items": { "type": "string" } });
                // Technicians have the shape of services, and links need no description.
                for list in ["technicians", "review_links"] {
                    members["business"]["properties"][list]["items"] = json!({});
                }
            }
            Self::Since => {
                let search = document.answer("SearchResult", 1);
                for name in ["total", "next_cursor"] {
                    members[name] = search["properties"][name].clone();
                }
            }
            // These have the shape of others that are described.
            Self::Insights => {
                for list in ["by_aspect", "complaints", "services", "areas"] {
                    members[list]["items"] = json!({});
                }
            }
            Self::Facets => {
                for list in ["services", "service_areas", "sources", "languages"] {
                    members[list]["items"] = json!({});
                }
            }
            Self::Periods => {
                for like_first in ["second", "difference"] {
                    members[like_first] = json!({});
                }
            }
            Self::Evidence => {
                members["by_service"]["items"] = json!({});
                members["left_out"] = json!({ "type": "array" });
            }
            Self::Search | Self::Review => {}
        }
        output.insert("properties".to_owned(), members);
        output
    }

    /// The listed tool, with annotations: read-only, idempotent, and without access to other systems.
    pub fn tool(self, document: ApiDocument<'_>, known: &[Known]) -> Tool {
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
        let hints = ToolAnnotations::new()
            .read_only(true)
            .idempotent(true)
            .destructive(false)
            .open_world(false);
        Tool::new(self.name(), self.description(), Arc::new(input))
            .with_title(self.title())
            .with_raw_output_schema(Arc::new(self.output(document)))
            .with_annotations(hints)
    }
}

// Schemas of results, taken from the OpenAPI 3.1 document, so that MCP and REST promise the same. References are
// replaced by their targets. `$schema` is omitted, because clients' validators assume the protocol's dialect
// (2020-12) or know only their own, and these schemas mean the same in all.

/// Maximum depth of references; below it anything is allowed.
const REFERENCES_MAX: usize = 16;

#[derive(Debug, Clone, Copy)]
pub struct ApiDocument<'a>(pub &'a Value);

impl ApiDocument<'_> {
    /// The schema of a result, reduced to members and types because the list of tools is sent with every conversation;
    /// names and the API's documentation give the meaning. Below `depth` objects anything is allowed; rows of lists do
    /// not count.
    pub fn answer(self, name: &str, depth: usize) -> Object {
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        let required = self.resolve(&reference).remove("required");
        let mut schema = object(self.brief(&reference, depth, REFERENCES_MAX));
        schema.extend(required.map(|required| ("required".to_owned(), required)));
        schema
    }

    fn brief(self, schema: &Value, depth: usize, references: usize) -> Value {
        let references = references - usize::from(schema.get("$ref").is_some());
        let schema = self.resolve(schema);
        if references == 0 || (depth == 0 && schema.contains_key("properties")) {
            return json!({});
        }
        let mut brief = Map::new();
        for (name, member) in schema {
            let kept = match (name.as_str(), &member) {
                ("properties", Value::Object(properties)) => properties
                    .iter()
                    .map(|(name, property)| {
                        let depth = depth.saturating_sub(1);
                        (name.clone(), self.brief(property, depth, references))
                    })
                    .collect(),
                ("anyOf" | "oneOf", Value::Array(all)) => all
                    .iter()
                    .map(|one| self.brief(one, usize::MAX, references))
                    .collect(),
                ("items", _) => self.brief(&member, depth.saturating_add(1), references),
                ("additionalProperties", Value::Object(_)) => {
                    self.brief(&member, usize::MAX, references)
                }
                ("type" | "additionalProperties", _) => member,
                _ => continue,
            };
            brief.insert(name, kept);
        }
        Value::Object(brief)
    }

    /// The members of a schema and of its reference; members next to the reference take precedence.
    fn resolve(self, schema: &Value) -> Object {
        let mut members = object(schema.clone());
        if let Some(Value::String(reference)) = members.remove("$ref") {
            let target = self.0.pointer(reference.trim_start_matches('#'));
            for (name, member) in object(target.cloned().unwrap_or_default()) {
                members.entry(name).or_insert(member);
            }
        }
        members
    }
}

/// The schema of an argument in the form that every client accepts: Gemini's function declarations and `OpenAI`'s
/// strict ones reject most keywords, so limits and defaults are described in words. The parser of the argument
/// enforces them.
fn plain(schema: Object, description: &str) -> Object {
    let mut words = description.to_owned();
    let bound = |name: &str| schema.get(name).map(number);
    if let (Some(least), Some(most)) = (bound("minimum"), bound("maximum")) {
        words = format!("{} {least} to {most}.", words.trim_end());
    }
    if let Some(default) = bound("default") {
        words = format!("{} Default {default}.", words.trim_end());
    }
    let mut plain: Object = schema
        .into_iter()
        .filter(|(name, _)| matches!(name.as_str(), "type" | "enum" | "items"))
        .collect();
    plain.insert("description".to_owned(), Value::String(words));
    plain
}

fn number(bound: &Value) -> String {
    bound
        .as_f64()
        .map_or_else(|| bound.to_string(), |bound| bound.to_string())
}

/// The members of an object; empty for any other value.
pub fn object(value: Value) -> Object {
    if let Value::Object(members) = value {
        members
    } else {
        Map::new()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ApiDocument, object, plain};

    #[test]
    fn an_answer_is_described_by_members_and_types() {
        let document = json!({"components": {"schemas": {
            "A": {"title": "A", "type": "object", "required": ["b"], "properties": {
                "b": {"$ref": "#/components/schemas/B", "description": "mine"}, "title": {"type": "string"},
                "d": {"type": "array", "items": {"type": "object", "required": ["e"], "properties": {"e": {"type": "object", "properties": {}}}}}}},
            "B": {"title": "B", "type": "string", "format": "date", "description": "theirs"},
            "C": {"type": "array", "items": {"$ref": "#/components/schemas/C"}},
        }}});
        let schema = |name, depth| Value::Object(ApiDocument(&document).answer(name, depth));
        let row = json!({"type": "object", "properties": {"e": {}}});
        let mut expected = json!({"type": "object", "required": ["b"], "properties": {
            "b": {"type": "string"}, "title": {"type": "string"}, "d": {"type": "array", "items": row}}});
        assert_eq!(schema("A", 1), expected);
        let row = &mut expected["properties"]["d"]["items"];
        row["properties"]["e"] = json!({"type": "object", "properties": {}});
        assert_eq!(schema("A", 9), expected);
        // A recursive schema is cut and allows anything there.
        assert!(schema("C", 9).to_string().len() < 1_000);
    }

    #[test]
    fn bounds_of_arguments_are_described_in_words() {
        let schema = json!({"type": "integer", "format": "uint8", "minimum": 1.0, "maximum": 100.0, "default": 20});
        let expected = json!({"type": "integer",
            "description": "Maximum number of reviews to return. 1 to 100. Default 20."});
        let plain = plain(object(schema), "Maximum number of reviews to return.");
        assert_eq!(Value::Object(plain), expected);
    }
}
