//! REST handlers of poem-openapi, at their real paths: parse, one call, respond. The OpenAPI document is made from them.
#![expect(
    clippy::unused_async,
    reason = "poem-openapi takes only async handlers; some do not wait"
)]

mod datasets;
mod examples;
mod hub;
mod openapi;
mod reviews;

use std::sync::Arc;

use poem_openapi::OpenApi;
use serde_json::Value;

pub use hub::{HubEndpoint, hub_error};
pub use openapi::{Description, result_schema};

use crate::web::context::Ctx;
use datasets::DatasetsApi;
use openapi::describe;
use reviews::ReviewsApi;
pub use reviews::search_feed_url;

pub fn operations(ctx: &Arc<Ctx>, hub: HubEndpoint) -> impl OpenApi + Clone + 'static {
    (
        DatasetsApi {
            ctx: Arc::clone(ctx),
        },
        ReviewsApi(Arc::clone(ctx)),
        hub,
    )
}

/// The OpenAPI document of `api`, to which `describe_more` adds what is not of the API.
pub fn description(
    ctx: &Arc<Ctx>,
    api: impl OpenApi + Send + 'static,
    describe_more: fn(&mut Value),
) -> Arc<Description> {
    let links = ctx.links.clone();
    Arc::new(Description::new(ctx.links.clone(), move || {
        let mut document = describe(api, &links);
        hub::describe_request(&mut document, &links);
        describe_more(&mut document);
        document
    }))
}
