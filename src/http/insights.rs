//! What stands behind the insights.

use std::sync::Arc;

use bytes::Bytes;
use poem::Response;
use poem::http::{HeaderMap, StatusCode};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use sha2::{Digest, Sha256};

use super::Group;
use super::answers::{Answer, Kind};
use super::paging::Paging;
use crate::ctx::Ctx;
use crate::hash::hex;
use crate::respond::{self, problem};
use crate::search::Cursor;
use crate::search::evidence::{Page, Question, Supporting, evidence};
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
    /// For the next page send the same request again with one more parameter, `cursor`, set to the answer's `next_cursor`.
    /// A cursor is opaque and belongs to its aspect and polarity; with others it is a 400.
    #[oai(
        path = "/insights/aspects/:id/evidence.json",
        method = "get",
        operation_id = "getAspectEvidence",
        tag = "Group::Datasets"
    )]
    async fn get_aspect_evidence(
        &self,
        headers: &HeaderMap,
        /// The aspect's id, for example `punctuality`.
        id: Path<String>,
        /// Only reviews that vote so on the aspect.
        polarity: Query<Option<wire::Polarity>>,
        /// Most reviews to return.
        #[oai(default = "limit_default", validator(minimum(value = "1"), maximum(value = "100")))]
        limit: Query<u8>,
        paging: Paging,
    ) -> Answer<EvidenceKind> {
        self.evidence(headers, &id.0, polarity.0, limit.0, paging.0.as_ref()).into()
    }
}

fn limit_default() -> u8 {
    crate::reviews::LIMIT_DEFAULT
}

impl Insights {
    fn evidence(
        &self,
        headers: &HeaderMap,
        id: &str,
        polarity: Option<wire::Polarity>,
        limit: u8,
        cursor: Option<&Cursor>,
    ) -> Response {
        let edition = self.0.current.load();
        let trade = edition.copy.reader.trade();
        let found = trade.aspect(id).and_then(|at| Some((u8::try_from(at).ok()?, &trade.aspects[at])));
        let Some((at, aspect)) = found else {
            return problem(StatusCode::NOT_FOUND, "There is no aspect of that id.");
        };
        let question = Question { aspect: at, vote: polarity.map(Into::into) };
        if let Some(cursor) = cursor.filter(|cursor| !cursor.belongs_to(&question.canonical(trade))) {
            return respond::invalid_parameters(vec![respond::invalid_cursor(&cursor.to_string())]);
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
