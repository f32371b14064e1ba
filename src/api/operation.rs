//! What connects a handler with the OpenAPI document: extractors for its parameters, and the type that documents a response
//! whose bytes are ready. The only file that uses poem-openapi's `registry`, which changes with its releases.

use std::sync::Arc;

use hyper::body::Bytes;
use poem::http::header::CACHE_CONTROL;
use poem::http::{HeaderMap, StatusCode};
use poem::{Body, IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{
    MetaMediaType, MetaParamIn, MetaRequest, MetaResponse, MetaResponses, MetaSchema,
    MetaSchemaRef, Registry,
};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions, Tags};
use serde_json::json;

use crate::model::Day;
use crate::search::SinceParameters;
use crate::snapshot::{CachedBody, Snapshot};
use crate::web::context::Ctx;
use crate::web::{Cacheable, HttpProblem, PROBLEM};
use crate::wire::parameters::{DAY_ALLOWED, ParameterDescription};
use crate::wire::{self, Arguments, Issue, IssueCode, Parameters, Problem};

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

pub const JSON: &str = "application/json";
/// Of the hub's answers.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// The error of a response whose parameters can be wrong.
pub const INVALID: (u16, &str) = (400, "Invalid parameters, with one issue for each.");
/// The error of any response: an unknown parameter may make the target too long.
const TOO_LONG: (u16, &str) = (414, "The path and the query are longer than 16 KiB.");
/// The error of a response that is computed per request.
pub const CROWDED: (u16, &str) = (
    503,
    "Too many requests are waiting; retry after `Retry-After`.",
);

/// The documentation of a response with content of this schema.
pub trait ResponseSpec: Type {
    const CONTENT_TYPE: &'static str = JSON;
    /// Its specific errors: status and description.
    const ERRORS: &'static [(u16, &'static str)] = &[];
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
        ctx.respond(headers, snapshot, &body)
    }
}

impl<K: ResponseSpec> ApiResponse for Cacheable<K> {
    fn meta() -> MetaResponses {
        let answer = (K::CONTENT_TYPE, K::schema_ref());
        let mut responses = vec![
            response(200, "The answer.", Some(answer)),
            response(304, "Not modified.", None),
        ];
        for (status, meaning) in K::ERRORS.iter().chain([&TOO_LONG]) {
            let problem = (PROBLEM, Problem::schema_ref());
            responses.push(response(*status, meaning, Some(problem)));
        }
        responses.sort_by_key(|response| response.status);
        MetaResponses { responses }
    }

    fn register(registry: &mut Registry) {
        K::register(registry);
        Problem::register(registry);
    }
}

/// `content` is its type and schema.
fn response(
    status: u16,
    description: &'static str,
    content: Option<(&'static str, MetaSchemaRef)>,
) -> MetaResponse {
    let content = content.map(|(content_type, schema)| MetaMediaType {
        content_type,
        schema,
    });
    MetaResponse {
        description,
        status: Some(status),
        status_range: None,
        content: content.into_iter().collect(),
        headers: Vec::new(),
    }
}

// The framework's extractors of parameters stop at the first error and are
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
        // One that is no text in UTF-8 is absent.
        let text: String = request.path_params().unwrap_or_default();
        let day = text.parse().map_err(|_| {
            let (code, message) = (IssueCode::InvalidDate, DAY_ALLOWED);
            let issue = Issue::new("date", code, message, &text);
            HttpProblem::invalid_parameters(vec![issue])
        });
        Ok(Self(day?))
    }
}

/// The schema of an argument that stands for these parameters. The framework documents one parameter for each argument, and
/// the only place of a schema that takes any JSON is its example: this has the parameters as OpenAPI 3.1 writes them, and
/// `to_3_1` puts them in the place of that one.
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
            TOO_LONG,
            (415, "The body is not a form."),
            (429, "Too many requests; retry after `Retry-After`."),
            (503, "Not possible now; retry after `Retry-After`."),
        ];
        let responses = statuses.map(|(status, description)| {
            let line = ("text/plain", String::schema_ref());
            response(status, description, Some(line))
        });
        MetaResponses {
            responses: responses.into(),
        }
    }

    fn register(_: &mut Registry) {}
}
