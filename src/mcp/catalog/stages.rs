//! `get_insights`: stages of the insights, the same as REST gives.

use serde_json::Value;

use super::arguments::Arguments;
use super::definitions::CallError;
use super::shape;
use super::views::View;
use crate::links::Links;
use crate::model::parameters::InsightsPart;
use crate::search::stages::{NoSuchStage, StageRequest, stage};

/// What a call of `get_insights` asks for: a stage, the overview where it does not say.
///
/// # Errors
/// Where an argument is wrong, or there is nobody and nothing of that name.
pub fn asked(view: &View, links: &Links, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let request = StageRequest::take_from(&mut arguments);
    let request = arguments.finish(Some(request))?;
    let request = request.unwrap_or(StageRequest::Part(InsightsPart::Overview));
    answer(view, links, &request)
}

/// The answer to such a request.
///
/// # Errors
/// Where there is nobody and nothing of that name.
pub fn answer(view: &View, links: &Links, request: &StageRequest) -> Result<Value, CallError> {
    let Some(insights) = view.rendered_insights() else {
        return Err(CallError::Arguments(
            "The insights cannot be read now; call list_facets instead.".to_owned(),
        ));
    };
    match stage(&view.snapshot, insights, view.counts(), links, request) {
        Ok(stage) => Ok(shape(&stage)),
        Err(NoSuchStage(told)) => Err(CallError::Arguments(told)),
    }
}
