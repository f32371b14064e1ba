//! REST handlers of poem-openapi, at their real paths: parse, one call, respond. The OpenAPI document is made from them.
#![expect(
    clippy::unused_async,
    reason = "poem-openapi takes only async handlers; some do not wait"
)]

mod datasets;
mod hub;
mod openapi;
mod operation;
mod reviews;

use std::sync::Arc;

use poem_openapi::OpenApi;

pub use hub::{HubEndpoint, hub_error};
pub use openapi::Description;

use crate::web::context::Ctx;
use datasets::DatasetsApi;
use reviews::ReviewsApi;

pub fn operations(ctx: &Arc<Ctx>, hub: HubEndpoint) -> impl OpenApi + Clone + 'static {
    (
        DatasetsApi {
            ctx: Arc::clone(ctx),
        },
        ReviewsApi(Arc::clone(ctx)),
        hub,
    )
}
