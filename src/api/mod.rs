//! REST handlers: read the parameters, make one call, respond.
//!
//! A handler's attribute names only the operation (`path = "/searchReviews"`). Its path and method are defined once,
//! in [`routes`], from which the OpenAPI document is also built.

mod datasets;
mod hub;
mod openapi;
mod reviews;

use std::collections::HashMap;
use std::sync::Arc;

use poem::http::Method;
use poem_openapi::{ContactObject, OpenApi, OpenApiService, ServerObject};
use serde_json::Value;

pub use hub::{HubEndpoint, hub_error, hub_method_not_allowed};
pub use openapi::{Description, DescriptionError};

use crate::links::{EVIDENCE_PATH, HUB_PATH, REVIEW_PATH, SEARCH_PATH};
use crate::snapshot::Document;
use crate::web::Route;
use crate::web::context::Ctx;
use datasets::DatasetsApi;
use openapi::describe;
use reviews::ReviewsApi;

pub struct ApiRoutes {
    /// The documents, which are listed first.
    pub documents: Vec<Route>,
    /// Endpoints with parameters, and the hub.
    pub others: Vec<Route>,
    /// The OpenAPI 3.1 document of both.
    pub description: Arc<Description>,
}

/// The routes of the API, and their OpenAPI document, to which `describe_more` adds what is not of the API.
///
/// # Errors
/// If an operation has no handler, or a handler no route.
pub fn routes(
    ctx: &Arc<Ctx>,
    hub: HubEndpoint,
    describe_more: fn(&mut Value),
) -> Result<ApiRoutes, DescriptionError> {
    let datasets = DatasetsApi::new(ctx);
    let api = (datasets.clone(), ReviewsApi(Arc::clone(ctx)), hub);
    // The framework's handlers, by the path and the method of their attributes.
    let mut handlers = HashMap::new();
    api.clone().add_routes(&mut handlers);
    let mut route = |pattern, method, operation: &'static str| {
        let methods = handlers.get_mut(&format!("/{operation}"));
        let handler = methods.and_then(|methods| methods.remove(&method));
        let handler = handler.ok_or_else(|| DescriptionError::NoHandler(operation.to_owned()))?;
        Ok(Route::new(pattern).on(method, operation, handler))
    };
    let documents = [
        (Document::Reviews, "getReviews", "All reviews"),
        (Document::Insights, "getInsights", "Insights"),
        (Document::JsonFeed, "getFeed", "JSON Feed of the 50 newest"),
        (
            Document::AtomFeed,
            "getAtomFeed",
            "Atom feed of the 50 newest",
        ),
    ];
    let documents = documents.map(|(document, operation, title)| {
        let datasets = datasets.clone();
        route(document.path(), Method::GET, operation).map(|route| {
            route
                .titled(title)
                .at_hand(move |headers| Some(datasets.document(headers, document)))
        })
    });
    let others = [
        route("/business.json", Method::GET, "getBusiness"),
        route("/facets.json", Method::GET, "getFacets"),
        route("/api/compare", Method::GET, "comparePeriods"),
        route(EVIDENCE_PATH, Method::GET, "getAspectEvidence"),
        route(SEARCH_PATH, Method::GET, "searchReviews").map(|route| route.titled("Search")),
        route("/api/reviews/since/:date", Method::GET, "getReviewsSince"),
        route(REVIEW_PATH, Method::GET, "getReview"),
        route(HUB_PATH, Method::POST, "hub"),
    ];
    let documents: Vec<Route> = documents.into_iter().collect::<Result<_, _>>()?;
    let others: Vec<Route> = others.into_iter().collect::<Result<_, _>>()?;
    if let Some((left, _)) = handlers
        .into_iter()
        .find(|(_, methods)| !methods.is_empty())
    {
        return Err(DescriptionError::NoRoute(left));
    }
    let operations: Vec<_> = documents
        .iter()
        .chain(&others)
        .flat_map(Route::operations)
        .collect();
    let links = ctx.links.clone();
    let describe = move || {
        // In the framework's document, an operation's ID takes the place of its path.
        let spec = OpenApiService::new(api, "Reviews Service", "1.0.0")
            .summary("The verified reviews of one business, read-only.")
            .description(
                "Read-only access to the published reviews, without a key. All documents change together. Send `If-None-Match` with \
                 the last `ETag` to get 304 without a body if the document is unchanged. Errors are `application/problem+json` (RFC \
                 9457); `issues` lists every invalid parameter. Lists are paged: repeat the request with `cursor` set to \
                 `next_cursor` of the last answer, until an answer has none.",
            )
            .contact(ContactObject::new().name("Reviews Service").url(links.home()))
            .server(ServerObject::new(links.absolute("")))
            .spec();
        let mut document = describe(&spec, &operations);
        hub::describe_request(&mut document, &links);
        describe_more(&mut document);
        document
    };
    Ok(ApiRoutes {
        documents,
        others,
        description: Arc::new(Description::new(describe)),
    })
}
