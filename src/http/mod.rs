//! REST: typed handlers with the specification's operation ids. Parse (the door did it), one call, respond.

mod answers;
mod datasets;
mod door;
mod forwarded;
mod hub;
mod insights;
mod paging;
mod reviews;

use std::sync::Arc;

pub use door::Door;
pub use hub::{Hub, describe_request, explained, told};
use poem_openapi::{ContactObject, OpenApiService, ServerObject, Tags};

use crate::ctx::Ctx;
use crate::edition::Document;
use crate::links::HUB_PATH;
use datasets::Datasets;
use insights::Insights;
use reviews::Reviews;

/// Where the API answers.
pub const PATHS: [&str; 9] = [
    Document::Reviews.path(),
    Document::Insights.path(),
    Document::JsonFeed.path(),
    Document::AtomFeed.path(),
    "/insights/aspects/:id/evidence.json",
    "/api/reviews/search",
    "/api/reviews/since/:date",
    "/api/reviews/:id",
    HUB_PATH,
];

/// The groups in which Swagger UI shows the operations.
#[derive(Tags)]
enum Group {
    /// Everything at once, printed ahead.
    Datasets,
    /// Single reviews, and parts of the dataset.
    Reviews,
    /// Be told of every change.
    Hub,
}

/// The service's API: its handlers and its description.
#[must_use]
pub fn api(ctx: &Arc<Ctx>, hub: Hub) -> OpenApiService<(Datasets, Insights, Reviews, Hub), ()> {
    OpenApiService::new(
        (Datasets(Arc::clone(ctx)), Insights(Arc::clone(ctx)), Reviews(Arc::clone(ctx)), hub),
        "Reviews Service",
        "1.0.0",
    )
    .summary("The verified reviews of one business, read-only.")
    .description(
        "Every answer comes from one edition: a change of the data is seen in all documents at once. \
             Send `If-None-Match` with the last `ETag` and an unchanged answer costs you a 304. \
             Errors are `application/problem+json` (RFC 9457).",
    )
    .contact(ContactObject::new().name("Reviews Service").url(ctx.links.home()))
    .server(ServerObject::new(ctx.links.absolute("")))
}
