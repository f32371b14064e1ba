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
use serde_json::{Value, json};

use crate::compute::lock;
use crate::links::Links;
use crate::snapshot::{CachedBody, Content, Snapshot};
use crate::web::{HttpProblem, PROBLEM, QueryParameters, ReadyBody, to_3_1};
use crate::wire;
use crate::wire::Problem;
use crate::wire::parameters::{Arguments, Parameter, ParameterSpec, ParameterValue, parse};

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
    // Generated by poem-openapi, so it is JSON.
    to_3_1(serde_json::from_str(&spec).unwrap_or_default())
}

/// The ID of the oldest review, so that new ones do not change the document; `None` without reviews.
fn example_review(snapshot: &Snapshot) -> Option<String> {
    let oldest = snapshot.input.entries.last()?;
    Some(oldest.id().to_string())
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
        let value = parse::<P>(text);
        let value = value.map_err(|issue| HttpProblem::invalid_parameters(vec![issue]))?;
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
