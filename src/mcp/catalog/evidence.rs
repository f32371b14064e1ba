//! `get_evidence`: the body of the REST document, of as many whole reviews as fit.

use serde_json::{Value, json};

use super::arguments::{Arguments, refusal};
use super::definitions::CallError;
use super::size_budget::RESULT_BYTES_MAX;
use super::views::View;
use super::{shape, text};
use crate::reviews::parameters::{self, ParameterSource};
use crate::reviews::{Day, fold};
use crate::search::Cursor;
use crate::search::evidence::{EvidenceQuery, EvidenceRequest, answer};
use crate::wire::AspectEvidence;

/// How much of a name that nobody has is given back.
const NAME_CHARACTERS_MAX: usize = 100;

/// The sentences behind an aspect.
///
/// # Errors
/// Where an argument is wrong, there is no such aspect, or the cursor belongs to other filters.
pub fn evidence(view: &View, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let aspect = arguments.require::<parameters::Aspect>();
    let request = EvidenceRequest::take_from(&mut arguments);
    let (aspect, request) = arguments.finish(aspect.map(|aspect| (aspect, request)))?;
    let trade = view.snapshot.input.analyzer.trade();
    let wanted = fold(&aspect);
    let mut aspects = trade.aspects.iter();
    let found = aspects.find(|one| fold(&one.id) == wanted || fold(&one.label) == wanted);
    let query = found.and_then(|found| EvidenceQuery::about(trade, &found.id, &request));
    let Some(query) = query else {
        let said: String = aspect.chars().take(NAME_CHARACTERS_MAX).collect();
        return Err(CallError::Arguments(format!(
            "There is no aspect {}; there are {}.",
            text(&json!(said)),
            trade.aspect_ids().join(", ")
        )));
    };
    if let Some(cursor) = query.foreign_cursor() {
        return Err(refusal(&[cursor.invalid().into()]));
    }
    let all = answer(&view.snapshot, view.counts(), &query);
    Ok(fitting(all, &query))
}

/// As many of the reviews as fit; the first always does.
fn fitting(mut answer: AspectEvidence, query: &EvidenceQuery<'_>) -> Value {
    loop {
        let value = shape(&answer);
        let bytes = text(&value).len();
        if bytes <= RESULT_BYTES_MAX || answer.reviews.len() < 2 {
            return value;
        }
        let fewer = answer.reviews.len() * RESULT_BYTES_MAX / bytes;
        answer.reviews.truncate(fewer.max(1));
        answer.count = answer.reviews.len() as u64;
        let last = answer.reviews.last();
        answer.next_cursor = last.and_then(|last| {
            let day = Day::new(last.date)?.number();
            Some(Cursor::within(&query.canonical(), day, &last.review_id).to_string())
        });
    }
}
