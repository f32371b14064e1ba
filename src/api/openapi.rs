//! The published OpenAPI document: the framework's, converted to 3.1; and what connects a handler with it: extractors
//! for its parameters, and the type that documents a response whose bytes are ready.
//!
//! The framework's extractors stop at the first error and are documented one by one, so the parameters of an operation
//! are one argument of its handler, [`Query`].

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock, Mutex};

use poem::endpoint::BoxEndpoint;
use poem::error::NotFoundError;
use poem::http::header::LINK;
use poem::http::{HeaderValue, Method};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{
    MetaApi, MetaHeader, MetaMediaType, MetaOperationParam, MetaParamIn, MetaResponse,
    MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::Type;
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ApiResponse, ContactObject, ExtractParamOptions, LicenseObject,
    OpenApi, OpenApiService, ServerObject, Tags,
};
use serde_json::{Map, Value, json};

use crate::compute::lock;
use crate::links::Links;
use crate::snapshot::{CachedBody, Content, Snapshot};
use crate::web::{HttpProblem, PROBLEM, QueryParameters, ReadyBody};
use crate::wire::parameters::{Arguments, Parameter, ParameterSpec, ParameterValue, parse};
use crate::wire::{self, Problem};

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

/// A 200 with content of the shape `K`; the middleware makes it a 304, 406 or 412.
pub struct Cacheable<K> {
    body: ReadyBody,
    link: Option<HeaderValue>,
    kind: PhantomData<fn() -> K>,
}

impl<K> From<ReadyBody> for Cacheable<K> {
    fn from(body: ReadyBody) -> Self {
        Self {
            body,
            link: None,
            kind: PhantomData,
        }
    }
}

impl<K> Cacheable<K> {
    /// With this `Link`.
    pub fn with_link(self, link: Option<HeaderValue>) -> Self {
        Self { link, ..self }
    }
}

impl<K: ResponseSpec> IntoResponse for Cacheable<K> {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        if let Some(link) = self.link {
            response.headers_mut().insert(LINK, link);
        }
        response
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

pub fn response(
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

// The document, made from the framework's.

/// The licence of the service and of this document (SPDX).
const LICENSE: &str = env!("CARGO_PKG_LICENSE");
/// Answers of the operations without parameters, by path.
const EXAMPLES: &str = include_str!("examples.json");

/// The OpenAPI 3.1 document of `api`.
pub fn describe<A: OpenApi>(api: A, links: &Links) -> Value {
    let spec = OpenApiService::new(Expanded(api), "Reviews Service", "1.0.0")
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
    // Generated by poem-openapi, and bundled.
    let [document, examples] = [&*spec, EXAMPLES].map(|json| {
        serde_json::from_str::<Value>(json)
            .unwrap_or_else(|error| unreachable!("this is JSON: {error}"))
    });
    let mut document = to_3_1(document);
    for (path, example) in examples.as_object().into_iter().flatten() {
        let answer = &mut document["paths"][path]["get"]["responses"]["200"];
        members(answer, "content").for_each(|content| content["example"] = example.clone());
    }
    document
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
        let oldest = snapshot.input.entries.last();
        let review_id = oldest.map(|oldest| oldest.id().to_string());
        let mut made = lock(&self.made);
        if let Some((_, body)) = made.as_ref().filter(|(id, _)| *id == review_id) {
            return Arc::clone(body);
        }
        let mut document = self.document.clone();
        if let Some(review_id) = &review_id {
            // The operation has one parameter.
            let review = &mut document["paths"]["/api/reviews/{id}"]["get"];
            review["parameters"][0]["example"] = json!(review_id);
        }
        let json = wire::json(&document);
        let body = Arc::new(CachedBody::new(JSON, Content::whole(json)));
        *made = Some((review_id, Arc::clone(&body)));
        body
    }
}

// Extractors for parameters.

/// The query parameters of an operation, parsed together, so that all issues are reported at once.
pub struct Query<T> {
    pub values: T,
    /// The query, with the issues so far.
    pub query: QueryParameters,
}

impl<'a, T: Arguments + Send> ApiExtractor<'a> for Query<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];

    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    /// An object with a property for each parameter, of which [`Expanded`] makes parameters.
    fn param_schema_ref() -> Option<MetaSchemaRef> {
        let mut object = MetaSchema::new("object");
        for spec in T::specs() {
            object
                .required
                .extend(spec.is_required.then_some(spec.name));
            let schema = MetaSchema {
                description: Some(spec.description),
                all_of: spec.component.into_iter().collect(),
                ..spec.schema
            };
            let schema = MetaSchemaRef::Inline(Box::new(schema));
            object.properties.push((spec.name, schema));
        }
        Some(MetaSchemaRef::Inline(Box::new(object)))
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let mut query = QueryParameters::new(request);
        let values = T::take_from(&mut query);
        Ok(Self { values, query })
    }
}

/// An API whose document has a parameter for each property of a [`Query`], because the derive documents one parameter for
/// each argument.
struct Expanded<A>(A);

impl<A: OpenApi> OpenApi for Expanded<A> {
    fn meta() -> Vec<MetaApi> {
        let mut apis = A::meta();
        let paths = apis.iter_mut().flat_map(|api| &mut api.paths);
        for operation in paths.flat_map(|path| &mut path.operations) {
            operation.params = operation.params.drain(..).flat_map(expand).collect();
        }
        apis
    }

    fn register(registry: &mut Registry) {
        A::register(registry);
    }

    fn add_routes(self, routes: &mut HashMap<String, HashMap<Method, BoxEndpoint<'static>>>) {
        self.0.add_routes(routes);
    }
}

fn expand(parameter: MetaOperationParam) -> Vec<MetaOperationParam> {
    let object = match parameter.schema {
        MetaSchemaRef::Inline(object) if object.ty == "object" => object,
        MetaSchemaRef::Inline(_) | MetaSchemaRef::Reference(_) => return vec![parameter],
    };
    let expanded = object.properties.into_iter().map(|(name, schema)| {
        let (mut schema, mut description) = (schema, None);
        if let MetaSchemaRef::Inline(property) = &mut schema {
            description = property.description.take().map(str::to_owned);
            if let Some(component) = property.all_of.pop() {
                schema = component;
            }
        }
        MetaOperationParam {
            name: name.to_owned(),
            schema,
            description,
            required: object.required.contains(&name),
            ..parameter
        }
    });
    expanded.collect()
}

/// A parameter of the path. poem-openapi's derive recognises path parameters by this type name.
pub struct Path<P: Parameter>(pub ParameterValue<P>);

impl<'a, P: Parameter> ApiExtractor<'a> for Path<P> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    const PARAM_IS_REQUIRED: bool = true;

    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Path)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        let spec = ParameterSpec::new::<P>("");
        Some(MetaSchemaRef::Inline(Box::new(spec.schema)))
    }

    /// poem leaves out a text that is not UTF-8; no resource has such a name.
    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        options: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let text = request.raw_path_param(options.name).ok_or(NotFoundError)?;
        let value =
            parse::<P>(text).map_err(|issue| HttpProblem::invalid_parameters(vec![issue]))?;
        Ok(Self(value.ok_or(NotFoundError)?))
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

/// Converts the document from 3.0.0, which poem-openapi writes, to 3.1.0; superfluous once the framework writes 3.1. It changes
/// only what our document contains. No operation needs a key (`security: []`).
pub fn to_3_1(mut document: Value) -> Value {
    for operation in members(&mut document, "paths")
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
    {
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            convert(&mut parameter["schema"]);
            complete(parameter);
        }
    }
    members(&mut document["components"], "schemas").for_each(convert);
    document["openapi"] = json!("3.1.0");
    document["jsonSchemaDialect"] = json!("https://spec.openapis.org/oas/3.1/dialect/base");
    document["security"] = json!([]);
    document
}

/// Moves the example from the schema to the parameter, and declares for each choice and flag in a query that an empty
/// value counts as absent. The schema of a text allows it anyway; an empty number or day is invalid, and a required
/// parameter may not be empty.
fn complete(parameter: &mut Value) {
    let schema = &mut parameter["schema"];
    let example = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("example"));
    // Of components, parameters refer only to enums.
    let is_choice =
        schema["type"] == "boolean" || schema.get("enum").is_some() || schema.get("$ref").is_some();
    if is_choice && parameter["in"] == "query" && parameter["required"] != true {
        parameter["allowEmptyValue"] = json!(true);
    }
    if let Some(example) = example {
        parameter["example"] = example;
    }
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
                    "get": {"parameters": [{"schema": before, "example": "stays", "in": "path"}]},
                    "post": {"responses": {}},
                }},
                "components": {"schemas": {"default": before}},
            }));
            let expected = json!({
                "openapi": "3.1.0",
                "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
                "info": {"title": "t"},
                "paths": {"/default": {
                    "get": {"parameters": [{"schema": after, "example": "stays", "in": "path"}]},
                    "post": {"responses": {}},
                }},
                "components": {"schemas": {"default": after}},
                "security": [],
            });
            assert_eq!(document, expected, "{name}");
        }
    }
}
