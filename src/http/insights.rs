//! What stands behind the insights.

use std::sync::Arc;

use bytes::Bytes;
use poem::Response;
use poem::http::{HeaderMap, StatusCode};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::answers::{Answer, Kind};
use super::parameters::{Issues, Path, Query};
use super::{Group, nothing_of_that_name};
use crate::ctx::Ctx;
use crate::hash::hex;
use crate::insights::compile::Vote;
use crate::respond::{self, problem};
use crate::reviews::{LIMIT_DEFAULT, parameters};
use crate::search::evidence::{Page, PolarityParameter, Question, Supporting, evidence};
use crate::search::{Cursor, CursorParameter};
use crate::wire;

const JSON: &str = "application/json";

/// Handlers of what stands behind the insights.
pub struct Insights(pub(super) Arc<Ctx>);

/// `/insights/aspects/{id}/evidence.json`.
pub struct EvidenceKind;
impl Kind for EvidenceKind {
    type Content = wire::AspectEvidence;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "One page of the reviews that support the aspect, newest first.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] =
        &[(400, "Parameters are invalid: one issue for each."), (404, "There is no such aspect.")];
}

#[OpenApi]
#[expect(clippy::unused_async, reason = "poem-openapi takes async handlers alone; nothing here waits")]
impl Insights {
    /// Get the evidence of an aspect
    ///
    /// Every review that supports the aspect, newest first, with its findings: the words, how they speak, and the hits (rule,
    /// words, points) that add up to the score. `total` is the figure that `/insights.json` gives.
    ///
    /// For the next page send the same request again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and belongs
    /// to its aspect and polarity; with others it is a 400.
    #[oai(path = "/getAspectEvidence", method = "get", tag = "Group::Datasets")]
    async fn get_aspect_evidence(
        &self,
        headers: &HeaderMap,
        /// The aspect's id, for example `punctuality`.
        id: Path<parameters::Id>,
        /// Only reviews that vote so on the aspect.
        polarity: Query<PolarityParameter>,
        /// Most reviews to return.
        limit: Query<parameters::Limit>,
        /// `next_cursor` of an answer to the same request, for the page behind it.
        cursor: Query<CursorParameter>,
    ) -> Answer<EvidenceKind> {
        let mut issues = Issues::default();
        let vote = issues.take(polarity.0);
        let limit = issues.take(limit.0).unwrap_or(LIMIT_DEFAULT);
        let cursor = issues.take(cursor.0);
        if let Some(problem) = issues.problem() {
            return problem.into();
        }
        match id.0 {
            Ok(id) => self.evidence(headers, &id.unwrap_or_default(), vote, limit, cursor.as_ref()).into(),
            Err(_) => nothing_of_that_name().into(),
        }
    }
}

impl Insights {
    fn evidence(&self, headers: &HeaderMap, id: &str, vote: Option<Vote>, limit: u8, cursor: Option<&Cursor>) -> Response {
        let edition = self.0.current.load();
        let trade = edition.copy.reader.trade();
        let found = trade.aspect(id).and_then(|at| Some((u8::try_from(at).ok()?, &trade.aspects[at])));
        let Some((at, aspect)) = found else {
            return problem(StatusCode::NOT_FOUND, "There is no aspect of that id.");
        };
        let question = Question { aspect: at, vote };
        if let Some(cursor) = cursor.filter(|cursor| !cursor.belongs_to(&question.canonical(trade))) {
            return respond::invalid_parameters(vec![cursor.invalid().into()]);
        }
        let Page { total, reviews, next } = evidence(&edition, question, usize::from(limit), cursor);
        let body = wire::json(&wire::AspectEvidence {
            aspect: aspect.id.clone(),
            label: aspect.label.clone(),
            total,
            count: reviews.len() as u64,
            limit: u64::from(limit),
            next_cursor: next.map(|next| next.to_string()),
            reviews: reviews.into_iter().map(supporting).collect(),
        });
        let digest = hex(&Sha256::digest(&body));
        respond::pieces(headers, edition, JSON, &digest, None, || vec![Bytes::from(body)])
    }
}

fn supporting(found: Supporting) -> wire::EvidenceReview {
    let Supporting { review, vote, findings } = found;
    let finding = |finding| wire::EvidenceFinding::new(finding, &review.text);
    wire::EvidenceReview {
        findings: findings.into_iter().map(finding).collect(),
        review_id: review.id,
        url: review.url,
        date: review.date,
        stars: review.rating,
        polarity: vote.into(),
    }
}
