//! Types that document a response in OpenAPI without building it: the response is already made.

use std::marker::PhantomData;

use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{
    MetaHeader, MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::Type;

use crate::web::PROBLEM;
use crate::wire::Problem;

/// The error of a response that is computed per request.
pub const CROWDED: (u16, &str) = (
    503,
    "Too many requests are waiting; retry after `Retry-After`.",
);

/// The documentation of a response.
pub trait ResponseSpec: Send {
    /// The schema of its content.
    type Content: Type;
    /// The content type of a 200.
    const CONTENT_TYPE: &'static str;
    /// The description of a 200.
    const DESCRIPTION: &'static str;
    const HAS_LAST_MODIFIED: bool;
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
        let ok = content(K::CONTENT_TYPE, K::Content::schema_ref());
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
        K::Content::register(registry);
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
