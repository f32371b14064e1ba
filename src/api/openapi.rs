//! The published OpenAPI document: the framework's, converted to 3.1, with the paths and operation IDs of the routes;
//! and what connects a handler with it: extractors for its parameters, and the types that document a response without
//! building it, because the response is already made.
//!
//! An extractor returns its value or its error, so that all errors are reported at once; the framework's extractors stop
//! at the first. Each argument of a handler documents one parameter under the argument's name, which must be the
//! parameter's; the test `what_is_described_is_what_is_answered` checks it.

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock, Mutex};

use poem::http::{Method, StatusCode};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{
    MetaHeader, MetaMediaType, MetaParamIn, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef,
    Registry,
};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions, Tags};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::compute::lock;
use crate::links::REVIEW_PATH;
use crate::snapshot::{CachedBody, Content, Snapshot};
use crate::web::{PROBLEM, problem, to_3_1};
use crate::wire;
use crate::wire::Problem;
use crate::wire::parameters::{Parameter, schema};

pub const JSON: &str = "application/json";
/// The error of a response whose parameters can be wrong.
pub const INVALID: (u16, &str) = (400, "Invalid parameters, with one issue for each.");
/// The error of a response that is computed per request.
pub const CROWDED: (u16, &str) = (
    503,
    "Too many requests are waiting; retry after `Retry-After`.",
);

/// The documentation of a response with content of this schema.
pub trait ResponseSpec: Type {
    /// The content type of a 200.
    const CONTENT_TYPE: &'static str = JSON;
    /// The description of a 200.
    const DESCRIPTION: &'static str;
    const HAS_LAST_MODIFIED: bool = false;
    /// Whether it is a WebSub topic.
    const IS_TOPIC: bool = false;
    /// Whether it may have a `Link` to a next page.
    const HAS_NEXT: bool = false;
    /// Its specific errors: status and description.
    const ERRORS: &'static [(u16, &'static str)] = &[];
}

/// A finished response, documented by `K`.
pub struct Documented<K>(pub Response, PhantomData<fn() -> K>);

impl<K> From<Response> for Documented<K> {
    fn from(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<K: ResponseSpec> IntoResponse for Documented<K> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<K: ResponseSpec> ApiResponse for Documented<K> {
    fn meta() -> MetaResponses {
        let content = |content_type, schema| {
            vec![MetaMediaType {
                content_type,
                schema,
            }]
        };
        let ok = content(K::CONTENT_TYPE, K::schema_ref());
        let mut responses = vec![
            response(200, K::DESCRIPTION, ok, headers::<K>()),
            response(304, "Not modified.", Vec::new(), headers::<K>()),
        ];
        for (status, meaning) in [
            (406, "No acceptable content coding is available."),
            (412, "A precondition failed."),
        ]
        .iter()
        .chain(K::ERRORS)
        {
            responses.push(response(
                *status,
                meaning,
                content(PROBLEM, Problem::schema_ref()),
                Vec::new(),
            ));
        }
        responses.sort_by_key(|response| response.status);
        MetaResponses { responses }
    }

    fn register(registry: &mut Registry) {
        K::register(registry);
        Problem::register(registry);
    }
}

fn response(
    status: u16,
    description: &'static str,
    content: Vec<MetaMediaType>,
    headers: Vec<MetaHeader>,
) -> MetaResponse {
    MetaResponse {
        description,
        status: Some(status),
        status_range: None,
        content,
        headers,
    }
}

fn headers<K: ResponseSpec>() -> Vec<MetaHeader> {
    let mut headers = vec![
        header("ETag", "Strong; differs for each content coding."),
        header("Cache-Control", "How long the response may be cached."),
        header("Vary", "Request fields on which the response depends."),
    ];
    if K::HAS_LAST_MODIFIED {
        headers.push(header("Last-Modified", "When the content last changed."));
    }
    if K::IS_TOPIC {
        headers.push(header(
            "Link",
            "The topic itself (`self`) and the hub to subscribe at (`hub`).",
        ));
    }
    if K::HAS_NEXT {
        let link = header(
            "Link",
            "The next page (`next`), if there is one; a link above 4 KiB is left out, use `next_cursor`.",
        );
        headers.push(MetaHeader {
            required: false,
            ..link
        });
    }
    headers
}

fn header(name: &str, description: &str) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: MetaSchemaRef::Inline(Box::new(MetaSchema::new("string"))),
    }
}

// The document, made from the framework's and the routes.

/// The licence of the service and of this document (SPDX).
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// Routes and handlers do not match. Every start checks this, so no release can have the error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DescriptionError {
    #[error("the operation `{0}` of the route table has no handler of that name and method")]
    NoHandler(String),
    #[error("the handler `{0}` is at no path of the route table")]
    NoRoute(String),
}

/// The document of `operations` (pattern, method and ID); in the framework's `spec`, an operation's ID takes the place
/// of its path.
pub fn describe(spec: &str, operations: &[(&'static str, Method, &'static str)]) -> Value {
    // Generated by poem-openapi from the attributes of all handlers, so it is JSON and has every operation.
    let mut document = to_3_1(serde_json::from_str(spec).unwrap_or_default());
    let mut by_operation = document["paths"].take();
    let mut paths = Map::new();
    for (pattern, method, operation) in operations {
        let method = method.as_str().to_ascii_lowercase();
        let mut described = by_operation[&format!("/{operation}")][&method].take();
        described["operationId"] = json!(operation);
        if let Some(Value::Array(parameters)) = described.get_mut("parameters") {
            for parameter in parameters {
                complete(parameter, operation);
            }
        }
        let item = paths.entry(template(pattern)).or_insert_with(|| json!({}));
        item[method] = described;
    }
    document["paths"] = Value::Object(paths);
    document["info"]["license"] = json!({ "name": LICENSE, "identifier": LICENSE });
    document
}

/// Adds the example, and declares for each choice and flag in a query that an empty value counts as absent. The schema
/// of a text allows it anyway; an empty number or day is invalid, and a required parameter may not be empty.
fn complete(parameter: &mut Value, operation: &str) {
    let schema = &parameter["schema"];
    // Of components, parameters refer only to enums.
    let is_choice =
        schema["type"] == "boolean" || schema.get("enum").is_some() || schema.get("$ref").is_some();
    if is_choice && parameter["in"] == "query" && parameter["required"] != true {
        parameter["allowEmptyValue"] = json!(true);
    }
    let mut examples = EXAMPLES.iter();
    let is_its = |(its, name, _): &&(_, _, _)| *its == operation && parameter["name"] == *name;
    if let Some((_, _, value)) = examples.find(is_its) {
        parameter["example"] = json!(value);
    }
}

/// A pattern in the syntax of OpenAPI: `{id}` for `:id`.
fn template(pattern: &str) -> String {
    let segments = pattern.split('/');
    let segments = segments.map(|segment| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Examples that work with every database: operation, parameter, value. Swagger UI fills its forms with them, so that
/// every operation succeeds without changes to its form.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("searchReviews", "query", "on time"),
    ("getReviewsSince", "date", "2026-01-01"),
    ("getAspectEvidence", "id", "punctuality"),
    ("comparePeriods", "first_since", "2025-01-01"),
    ("comparePeriods", "first_until", "2025-12-31"),
    ("comparePeriods", "second_since", "2026-01-01"),
    ("comparePeriods", "second_until", "2026-12-31"),
];

/// The ID of the oldest review, so that new ones do not change the document; `None` without reviews.
fn example_review(snapshot: &Snapshot) -> Option<String> {
    let segments = snapshot.input.review_index.segments();
    let oldest = segments.iter().rev().find(|segment| !segment.is_empty())?;
    Some(oldest.id(oldest.len() - 1).to_owned())
}

// `/.well-known/openapi.json`: the OpenAPI document, with the ID of an existing review as an example; without reviews
// there is none. The body and its codings are reused while the example stays the same.

pub struct Description {
    /// Without that example; made when it is first read, which takes some milliseconds.
    pub document: LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>,
    /// The last body, with the review ID of its example.
    made: Mutex<Option<(Option<String>, Arc<CachedBody>)>>,
}

impl Description {
    /// `make` makes the document without that example.
    pub fn new(make: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self {
            document: LazyLock::new(Box::new(make)),
            made: Mutex::new(None),
        }
    }

    pub fn of(&self, snapshot: &Snapshot) -> Arc<CachedBody> {
        let review_id = example_review(snapshot);
        let mut made = lock(&self.made);
        if let Some((_, body)) = made.as_ref().filter(|(its, _)| *its == review_id) {
            return Arc::clone(body);
        }
        let mut document = self.document.clone();
        if let Some(review_id) = &review_id {
            // The operation has one parameter.
            let review = &mut document["paths"][template(REVIEW_PATH)]["get"];
            review["parameters"][0]["example"] = json!(review_id);
        }
        let json = wire::json(&document);
        let body = Arc::new(CachedBody::new(JSON, Content::whole(json)));
        *made = Some((review_id, Arc::clone(&body)));
        body
    }
}

// Extractors for parameters.

/// Documents a parameter and reads nothing: its value is taken from the request, like those of other parameter sources.
pub struct ParameterSpec<P: Parameter, const IS_IN_PATH: bool>(PhantomData<fn() -> P>);

/// A parameter of the query string.
pub type Query<P> = ParameterSpec<P, false>;
/// A parameter of the path. The framework's derive recognises path parameters by this type name.
pub type Path<P> = ParameterSpec<P, true>;

impl<'a, P: Parameter, const IS_IN_PATH: bool> ApiExtractor<'a> for ParameterSpec<P, IS_IN_PATH> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = IS_IN_PATH || P::IS_REQUIRED;

    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(if IS_IN_PATH {
            MetaParamIn::Path
        } else {
            MetaParamIn::Query
        })
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(schema::<P>())
    }

    async fn from_request(
        _: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        Ok(Self(PhantomData))
    }
}

/// The groups in which Swagger UI shows the operations.
#[derive(Tags)]
pub enum OperationGroup {
    /// Whole documents: all reviews, the insights, the feeds, and summaries of them.
    Datasets,
    /// Search the reviews, get one of them, or compare two periods.
    Reviews,
    /// Subscribe to a document and be sent every new version of it (W3C WebSub).
    Hub,
}

/// The response to a path that is not UTF-8, because no resource has such a name.
pub fn nothing_of_that_name() -> Response {
    problem(StatusCode::NOT_FOUND, "Unknown address; see /docs.")
}
