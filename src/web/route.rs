//! A route as a module exports it: path, methods, operation IDs and handlers.
//!
//! Separate from the table of all routes (`app::routes`), so that the modules do not depend on each other.

use std::fmt;
use std::sync::Arc;

use poem::endpoint::{BoxEndpoint, make_sync};
use poem::http::header::LOCATION;
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response};

/// Answers GET and HEAD of a path from the header fields without waiting. The server calls it before it converts the
/// request.
pub type AtHand = Arc<dyn Fn(&HeaderMap) -> Response + Send + Sync>;

pub struct Route {
    /// For example `/api/reviews/:id`; `:name` matches one segment.
    pub pattern: &'static str,
    /// The name under which the path is listed for people; `None` if it is not listed.
    pub title: Option<&'static str>,
    /// The redirect's target, relative to the pattern; `None` if the path is not a redirect.
    pub target: Option<&'static str>,
    handlers: Vec<RouteHandler>,
    at_hand: Option<AtHand>,
}

pub struct RouteHandler {
    pub method: Method,
    /// The operation ID in the OpenAPI document; `None` if it is not documented.
    pub operation: Option<&'static str>,
    endpoint: BoxEndpoint<'static>,
}

impl Route {
    #[must_use]
    pub const fn new(pattern: &'static str) -> Self {
        Self {
            pattern,
            title: None,
            target: None,
            handlers: Vec::new(),
            at_hand: None,
        }
    }

    /// A permanent redirect that keeps the query string (308, so that clients do not change the method). `target` is
    /// relative to `pattern`, so it holds below any base URL.
    #[must_use]
    pub fn leading_to(pattern: &'static str, target: &'static str) -> Self {
        let lead = move |request: Request| {
            let query = request.uri().query();
            let location = query.map(|query| format!("{target}?{query}"));
            let location = location.and_then(|url| HeaderValue::from_bytes(url.as_bytes()).ok());
            Response::builder()
                .status(StatusCode::PERMANENT_REDIRECT)
                .header(
                    LOCATION,
                    location.unwrap_or_else(|| HeaderValue::from_static(target)),
                )
                .finish()
        };
        Self {
            target: Some(target),
            ..Self::new(pattern).get(None, make_sync(lead))
        }
    }

    /// Adds an [`AtHand`] answer to GET and HEAD of this path without a query string. If the path has no other handler
    /// for GET, the answer also applies to requests with a query string.
    #[must_use]
    pub fn at_hand(
        mut self,
        answer: impl Fn(&HeaderMap) -> Response + Send + Sync + 'static,
    ) -> Self {
        let answer: AtHand = Arc::new(answer);
        self.at_hand = Some(Arc::clone(&answer));
        if self.endpoint(&Method::GET).is_some() {
            return self;
        }
        self.get(
            None,
            make_sync(move |request: Request| answer(request.headers())),
        )
    }

    #[must_use]
    pub const fn answer_at_hand(&self) -> Option<&AtHand> {
        self.at_hand.as_ref()
    }

    /// Adds a handler for GET and HEAD.
    #[must_use]
    pub fn get<E: Endpoint<Output: IntoResponse> + 'static>(
        self,
        operation: impl Into<Option<&'static str>>,
        endpoint: E,
    ) -> Self {
        self.on(Method::GET, operation, endpoint)
    }

    #[must_use]
    pub fn on<E>(
        mut self,
        method: Method,
        operation: impl Into<Option<&'static str>>,
        endpoint: E,
    ) -> Self
    where
        E: Endpoint<Output: IntoResponse> + 'static,
    {
        self.handlers.push(RouteHandler {
            method,
            operation: operation.into(),
            endpoint: endpoint.map_to_response().boxed(),
        });
        self
    }

    /// Lists the path for people under `title`.
    #[must_use]
    pub const fn titled(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    #[must_use]
    pub fn handlers(&self) -> &[RouteHandler] {
        &self.handlers
    }

    /// HEAD has the handler of GET (RFC 9110 §9.3.2).
    #[must_use]
    pub fn endpoint(&self, method: &Method) -> Option<&BoxEndpoint<'static>> {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.handlers
            .iter()
            .find(|handler| handler.method == *method)
            .map(|handler| &handler.endpoint)
    }

    /// The methods for `Allow`; OPTIONS is always included.
    #[must_use]
    pub fn methods(&self) -> Vec<Method> {
        let answered = self
            .handlers
            .iter()
            .flat_map(|handler| match handler.method {
                Method::GET => vec![Method::GET, Method::HEAD],
                ref other => vec![other.clone()],
            });
        answered.chain([Method::OPTIONS]).collect()
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("pattern", &self.pattern)
            .field("methods", &self.methods())
            .finish_non_exhaustive()
    }
}
