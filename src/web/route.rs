//! A route as a room exports it: path, methods, operation ids and what answers, written once.
//!
//! Apart from the table that holds all of them (`app::routes`), so that `http`, `mcp` and `pages`
//! say theirs without knowing each other.

use std::fmt;
use std::sync::Arc;

use poem::endpoint::{BoxEndpoint, make_sync};
use poem::http::header::LOCATION;
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response};

/// Answers GET and HEAD of a path from what is at hand: it sees the header fields alone, and waits
/// for nothing. The server asks it before anything is made of a request.
pub type AtHand = Arc<dyn Fn(&HeaderMap) -> Response + Send + Sync>;

/// One path and everything that may be done there.
pub struct Route {
    /// For example `/api/reviews/:id`; `:name` stands for one segment.
    pub pattern: &'static str,
    /// What it is called where people are shown the way; `None` where they are not.
    pub title: Option<&'static str>,
    /// Where it leads to, relative to itself; `None` where it answers.
    pub target: Option<&'static str>,
    handlers: Vec<RouteHandler>,
    at_hand: Option<AtHand>,
}

/// What answers one method.
pub struct RouteHandler {
    /// The HTTP method that the handler answers.
    pub method: Method,
    /// Its id in the description of the API; `None` where it is not described.
    pub operation: Option<&'static str>,
    endpoint: BoxEndpoint<'static>,
}

impl Route {
    /// A path that answers nothing yet.
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

    /// A path that is not there, for whoever types it: it leads to another one for good, with the query string as it came (308, as
    /// nobody may make another method of it). `target` is relative to `pattern`, so that it holds below any base URL.
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

    /// With an answer at hand to GET, and to HEAD like it, of that very path without a query string;
    /// with one, too, where nothing else answers GET.
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

    /// What answers GET at once, if anything does.
    #[must_use]
    pub const fn answer_at_hand(&self) -> Option<&AtHand> {
        self.at_hand.as_ref()
    }

    /// With what answers GET, and HEAD like it.
    #[must_use]
    pub fn get<E: Endpoint<Output: IntoResponse> + 'static>(
        self,
        operation: impl Into<Option<&'static str>>,
        endpoint: E,
    ) -> Self {
        self.on(Method::GET, operation, endpoint)
    }

    /// With what answers a method.
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

    /// Shown to people under that name.
    #[must_use]
    pub const fn titled(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// What answers, one for each method.
    #[must_use]
    pub fn handlers(&self) -> &[RouteHandler] {
        &self.handlers
    }

    /// What answers that method; HEAD is answered like GET (RFC 9110 §9.3.2).
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

    /// Every method that is answered, as `Allow` lists them; OPTIONS is answered everywhere.
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
