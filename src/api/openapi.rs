//! The published OpenAPI document: the framework's, converted to 3.1; and what connects a handler with it: extractors
//! for its parameters, and the type that documents a response whose bytes are ready. The only file that uses poem-openapi's
//! `registry`, which changes with its releases.

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock, Mutex};

use bytes::Bytes;
use poem::http::header::CACHE_CONTROL;
use poem::http::{HeaderMap, StatusCode};
use poem::{Body, IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{
    MetaHeader, MetaMediaType, MetaParamIn, MetaRequest, MetaResponse, MetaResponses, MetaSchema,
    MetaSchemaRef, Registry,
};
use poem_openapi::types::Type;
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ApiResponse, ContactObject, ExtractParamOptions, LicenseObject,
    OpenApi, OpenApiService, ServerObject, Tags,
};
use serde_json::{Map, Value, json};

use super::examples::answers;
use crate::compute::lock;
use crate::links::Links;
use crate::model::Day;
use crate::model::business::Business;
use crate::search::SinceParameters;
use crate::snapshot::{CachedBody, Entry, Snapshot};
use crate::web::context::Ctx;
use crate::web::{HttpProblem, PROBLEM};
use crate::wire::parameters::{DAY_ALLOWED, ParameterDescription};
use crate::wire::{self, Arguments, Issue, IssueCode, Parameters, Problem};

pub const JSON: &str = "application/json";
/// Of the hub's answers.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// The error of a response whose parameters can be wrong.
pub const INVALID: (u16, &str) = (400, "Invalid parameters, with one issue for each.");
/// The error of a response that is computed per request.
pub const CROWDED: (u16, &str) = (
    503,
    "Too many requests are waiting; retry after `Retry-After`.",
);

/// The documentation of a response with content of this schema.
pub trait ResponseSpec: Type {
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str;
    const HAS_LAST_MODIFIED: bool = false;
    /// Whether it is a WebSub topic.
    const IS_TOPIC: bool = false;
    /// Whether it may have a `Link` to a next page.
    const HAS_NEXT: bool = false;
    /// Its specific errors: status and description.
    const ERRORS: &'static [(u16, &'static str)] = &[];
}

/// What [`Ctx::respond`] answers with a body of the shape `K`.
pub struct Cacheable<K>(Response, PhantomData<fn() -> K>);

impl<K> From<Response> for Cacheable<K> {
    fn from(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<K: ResponseSpec> Cacheable<K> {
    /// The answer with bytes that were made for this request.
    pub fn whole(
        ctx: &Ctx,
        headers: &HeaderMap,
        snapshot: &Arc<Snapshot>,
        bytes: impl Into<Bytes>,
    ) -> Self {
        let body = CachedBody::whole(K::CONTENT_TYPE, bytes);
        ctx.respond(headers, snapshot, &body, None).into()
    }
}

impl<K: ResponseSpec> IntoResponse for Cacheable<K> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<K: ResponseSpec> ApiResponse for Cacheable<K> {
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
        for (status, meaning) in K::ERRORS {
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

// The document: what the framework writes from the handlers, and one step to 3.1.0.

/// The licence of the service and of this document (SPDX).
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

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

/// The OpenAPI 3.1 document of `api`.
pub fn describe<A: OpenApi>(api: A, links: &Links) -> Value {
    let spec = OpenApiService::new(api, "Reviews Service", "1.0.0")
        .summary("The published reviews of one business, read-only.")
        .description(
            "Read-only access to the published reviews, without a key. All documents change together. Send `If-None-Match` with \
             the last `ETag` to get 304 without a body if the document is unchanged. Errors are `application/problem+json` (RFC \
             9457); `issues` lists every invalid parameter. Lists are paged: repeat the request with `cursor` set to \
             `next_cursor` of the last answer, until an answer has none.",
        )
        .contact(ContactObject::new().name("Reviews Service").url(links.home()))
        .license(LicenseObject::new(LICENSE).identifier(LICENSE))
        .server(ServerObject::new(links.absolute("")))
        .spec();
    let document: Value = serde_json::from_str(&spec)
        .unwrap_or_else(|error| unreachable!("poem-openapi writes JSON: {error}"));
    to_3_1(document)
}

/// Converts the document from 3.0.0, which poem-openapi writes, to 3.1.0; superfluous once the framework writes 3.1. It changes
/// only what our document contains. No operation needs a key (`security: []`).
fn to_3_1(mut document: Value) -> Value {
    for operation in members(&mut document, "paths")
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
    {
        let Some(Value::Array(arguments)) = operation.get_mut("parameters").map(Value::take) else {
            continue;
        };
        let mut parameters = Vec::new();
        for mut argument in arguments {
            // 3.0 has the example of a parameter in its schema, if at all.
            let schema = argument["schema"].as_object_mut();
            match schema.and_then(|schema| schema.remove("example")) {
                // An argument of `documented_as`.
                Some(Value::Array(ready)) => parameters.extend(ready),
                Some(example) => {
                    argument["example"] = example;
                    parameters.push(argument);
                }
                None => parameters.push(argument),
            }
        }
        operation["parameters"] = Value::Array(parameters);
    }
    members(&mut document["components"], "schemas").for_each(convert);
    document["openapi"] = json!("3.1.0");
    document["jsonSchemaDialect"] = json!("https://spec.openapis.org/oas/3.1/dialect/base");
    document["security"] = json!([]);
    document
}

fn convert(schema: &mut Value) {
    // `true` and `false` are schemas too.
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    // 3.0 writes notes on a reference as `allOf: [{$ref}, {notes}]`; 3.1 allows them next to the reference, where the
    // framework repeats them.
    if let Some(mut parts) = keywords.remove("allOf") {
        keywords.insert("$ref".to_owned(), parts[0]["$ref"].take());
    }
    // JSON Schema has no `naive-date` and no unsigned formats.
    match keywords.get("format").and_then(Value::as_str) {
        Some("naive-date") => keywords["format"] = json!("date"),
        Some(unsigned) if unsigned.starts_with("uint") => {
            keywords.remove("format");
            keywords.entry("minimum").or_insert(json!(0));
        }
        Some(_) | None => {}
    }
    // The framework writes every bound as a float; a whole one loses its `.0`.
    for keyword in ["minimum", "maximum"] {
        let bound = keywords.get(keyword).and_then(Value::as_f64);
        if let Some(Ok(whole)) = bound.map(|bound| bound.to_string().parse::<i64>()) {
            keywords[keyword] = json!(whole);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(within) = keywords.get_mut(keyword) {
            convert(within);
        }
    }
    members(schema, "properties").for_each(convert);
}

/// The values of the object under `key`.
fn members<'a>(holder: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    holder
        .get_mut(key)
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
}

// `/.well-known/openapi.json`: the OpenAPI document, with examples made of the oldest review, if there is any. The body and
// its codings are reused while that review and the business stay the same.

pub struct Description {
    /// Without these examples; made when it is first read, which takes some milliseconds.
    document: LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>,
    links: Links,
    last: Mutex<Option<DescriptionBody>>,
}

struct DescriptionBody {
    oldest: Option<Arc<Entry>>,
    business: Business,
    body: Arc<CachedBody>,
}

impl Description {
    /// `make` makes the document without these examples.
    pub fn new(links: Links, make: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self {
            document: LazyLock::new(Box::new(make)),
            links,
            last: Mutex::default(),
        }
    }

    pub fn of(&self, snapshot: &Snapshot) -> Arc<CachedBody> {
        let (oldest, business) = (snapshot.input.entries.last(), &snapshot.input.business);
        let mut last = lock(&self.last);
        if let Some(last) = &*last
            && last.oldest.as_ref().map(Arc::as_ptr) == oldest.map(Arc::as_ptr)
            && last.business == *business
        {
            return Arc::clone(&last.body);
        }
        let mut document = self.document.clone();
        if let Some(oldest) = oldest {
            for (path, example) in answers(snapshot, oldest, &self.links) {
                let answer = &mut document["paths"][path]["get"]["responses"]["200"];
                members(answer, "content").for_each(|content| content["example"] = example.clone());
            }
            // The operation has one parameter.
            let review = &mut document["paths"]["/api/reviews/{id}"]["get"];
            review["parameters"][0]["example"] = json!(oldest.id().as_str());
        }
        let body = Arc::new(CachedBody::whole(JSON, wire::json(&document)));
        *last = Some(DescriptionBody {
            oldest: oldest.cloned(),
            business: business.clone(),
            body: Arc::clone(&body),
        });
        body
    }
}

// What connects a handler with the document. The framework's extractors of parameters stop at the first error and are
// documented one by one, so the parameters of an operation are one argument of its handler.

/// The query parameters of an operation, parsed together, so that all issues are reported at once.
pub struct Query<T> {
    pub values: T,
    /// The query, with the issues so far.
    pub query: Arguments,
}

impl<'a, T: Parameters + Send> ApiExtractor<'a> for Query<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];

    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(documented_as(T::describe(), "query"))
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let mut query = Arguments::query(request.uri().query().unwrap_or_default());
        let values = T::parse(&mut query);
        Ok(Self { values, query })
    }
}

/// An id in a path. The framework's own extractor depends on its numbers for parameters of paths.
pub struct IdInPath(pub String);

impl<'a> ApiExtractor<'a> for IdInPath {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = true;

    type ParamType = String;
    type ParamRawType = String;

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Path)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(String::schema_ref())
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<String>,
    ) -> poem::Result<Self> {
        Ok(Self(request.path_params()?))
    }
}

/// The day in a path. The framework's type for days accepts other spellings, and its error has no issue.
pub struct DayInPath(pub Day);

impl<'a> ApiExtractor<'a> for DayInPath {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = true;

    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Path)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(documented_as(SinceParameters::describe(), "path"))
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let text: String = request.path_params()?;
        let day = text.parse().map_err(|_| {
            let (code, message) = (IssueCode::InvalidDate, DAY_ALLOWED);
            let issue = Issue::new("date", code, message, &text);
            HttpProblem::invalid_parameters(vec![issue])
        });
        Ok(Self(day?))
    }
}

/// The schema of an argument that stands for these parameters: as its example, the parameters as OpenAPI 3.1 has them, which
/// [`to_3_1`] puts in the place of the one that the framework documents for the argument.
fn documented_as(parameters: Vec<ParameterDescription>, place: &str) -> MetaSchemaRef {
    let ready = parameters.into_iter().map(|parameter| {
        let mut ready = json!({
            "name": parameter.name, "in": place, "required": parameter.is_required,
            "description": parameter.description, "schema": parameter.schema,
        });
        if let Some(example) = parameter.example {
            ready["example"] = json!(example);
        }
        if parameter.allows_empty {
            ready["allowEmptyValue"] = json!(true);
        }
        ready
    });
    MetaSchemaRef::Inline(Box::new(MetaSchema {
        example: Some(ready.collect()),
        ..MetaSchema::new("array")
    }))
}

/// The body of a request to the hub, which reads it and parses it by the rules of WebSub.
pub struct HubForm(pub Body);

impl<'a> ApiExtractor<'a> for HubForm {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];

    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        wire::HubRequest::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        Some(MetaRequest {
            description: Some("The request, in UTF-8."),
            content: vec![MetaMediaType {
                content_type: "application/x-www-form-urlencoded",
                schema: wire::HubRequest::schema_ref(),
            }],
            required: true,
        })
    }

    async fn from_request(
        _: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        Ok(Self(body.take()?))
    }
}

/// The hub's acceptance of a request: 202. Its errors are lines of text too.
pub struct Accepted;

impl IntoResponse for Accepted {
    fn into_response(self) -> Response {
        Response::builder()
            .status(StatusCode::ACCEPTED)
            .content_type(TEXT)
            .header(CACHE_CONTROL, "no-store")
            .body("Accepted; the callback will be asked to confirm.\n")
    }
}

impl ApiResponse for Accepted {
    fn meta() -> MetaResponses {
        let statuses = [
            (202, "Accepted; the callback will be asked to confirm."),
            (400, "Invalid; the body lists what to change."),
            (408, "The body took too long to arrive."),
            (413, "The body is too large."),
            (415, "The body is not a form."),
            (429, "Too many requests; retry after `Retry-After`."),
            (503, "Not possible now; retry after `Retry-After`."),
        ];
        let responses = statuses.map(|(status, description)| {
            let content = MetaMediaType {
                content_type: "text/plain",
                schema: String::schema_ref(),
            };
            response(status, description, vec![content], Vec::new())
        });
        MetaResponses {
            responses: responses.into(),
        }
    }

    fn register(_: &mut Registry) {}
}

/// The schema of an object `T` for agents: its members and their types only, because the list of tools is sent with every
/// conversation. Names and the API's documentation give the meaning.
pub fn result_schema<T: Type>() -> Value {
    let mut registry = Registry::new();
    let object = registry.create_fake_schema::<T>();
    let properties: Map<String, Value> = (object.properties.iter())
        .map(|(name, member)| {
            // Without a type: one of several.
            let kind = match json_type(member, &registry) {
                "" => json!({}),
                kind => json!({ "type": kind }),
            };
            ((*name).to_owned(), kind)
        })
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !object.required.is_empty() {
        schema["required"] = json!(object.required);
    }
    schema
}

/// Empty for one of several.
fn json_type(schema: &MetaSchemaRef, registry: &Registry) -> &'static str {
    match schema {
        MetaSchemaRef::Reference(name) => registry.schemas.get(name).map_or("", |found| found.ty),
        // Notes on a reference.
        MetaSchemaRef::Inline(notes) => match notes.all_of.first() {
            Some(referred) => json_type(referred, registry),
            None => notes.ty,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::to_3_1;

    #[test]
    fn schemas_are_rewritten_for_openapi_3_1() {
        let reference = "#/components/schemas/Y";
        for (name, before, after) in [
            (
                "a reference with a default",
                json!({"allOf": [{"$ref": reference}, {"default": "x"}], "default": "x"}),
                json!({"$ref": reference, "default": "x"}),
            ),
            (
                "bounds",
                json!({"type": "number", "minimum": -1.0, "maximum": 2.5}),
                json!({"type": "number", "minimum": -1, "maximum": 2.5}),
            ),
            (
                "a bound that is too large for an integer",
                json!({"type": "number", "maximum": 1e300}),
                json!({"type": "number", "maximum": 1e300}),
            ),
            (
                "a day",
                json!({"type": "string", "format": "naive-date"}),
                json!({"type": "string", "format": "date"}),
            ),
            (
                "an instant",
                json!({"type": "string", "format": "date-time"}),
                json!({"type": "string", "format": "date-time"}),
            ),
            (
                "an unsigned integer",
                json!({"type": "integer", "format": "uint64"}),
                json!({"type": "integer", "minimum": 0}),
            ),
            (
                "an unsigned integer with its bounds",
                json!({"type": "integer", "format": "uint8", "minimum": 1.0, "maximum": 5.0}),
                json!({"type": "integer", "minimum": 1, "maximum": 5}),
            ),
            (
                "schemas within",
                json!({"type": "array", "items": {"additionalProperties": {"format": "uint8"}}}),
                json!({"type": "array", "items": {"additionalProperties": {"minimum": 0}}}),
            ),
            (
                "no other property",
                json!({"type": "object", "additionalProperties": false}),
                json!({"type": "object", "additionalProperties": false}),
            ),
            (
                "values that look like schemas",
                json!({"default": {"format": "uint8"}, "enum": [{"format": "uint8"}]}),
                json!({"default": {"format": "uint8"}, "enum": [{"format": "uint8"}]}),
            ),
            (
                "properties that are called like keywords",
                json!({"properties": {"format": {"format": "uint8"}, "minimum": true}}),
                json!({"properties": {"format": {"minimum": 0}, "minimum": true}}),
            ),
        ] {
            let document = to_3_1(json!({
                "openapi": "3.0.0",
                "info": {"title": "t"},
                "paths": {"/default": {
                    "get": {"parameters": [
                        {"name": "id", "schema": {"type": "string", "example": "x"}},
                        {"name": "query", "schema": {"type": "array", "example": [{"name": "a"}, {"name": "b"}]}},
                    ]},
                    "post": {"responses": {}},
                }},
                "components": {"schemas": {"default": before}},
            }));
            let expected = json!({
                "openapi": "3.1.0",
                "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
                "info": {"title": "t"},
                "paths": {"/default": {
                    "get": {"parameters": [
                        {"name": "id", "schema": {"type": "string"}, "example": "x"},
                        {"name": "a"},
                        {"name": "b"},
                    ]},
                    "post": {"responses": {}},
                }},
                "components": {"schemas": {"default": after}},
                "security": [],
            });
            assert_eq!(document, expected, "{name}");
        }
    }
}
