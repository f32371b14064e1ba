//! A delivery: sends a subscriber the document that is out, signed where it gave a secret (WebSub
//! §7), and tells it when its subscription ends.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::verification::denied_url;
use super::{Exchange, VERIFY_BODY_MAX, VERIFY_TIMEOUT};
use crate::snapshot::{CachedBody, Snapshot};
use crate::websub::host_queues::Came;
use crate::websub::http_client::{Answer, Failure};
use crate::websub::schedule::{ATTEMPTS_MAX, DeliveryResult, NextStep, next};
use crate::websub::signature::sign;
use crate::websub::state::Event;
use crate::websub::store::{DueDelivery, Outcome};

/// For the whole of a delivery, plus a second for each MiB of it.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a delivery of so many bytes may take.
#[must_use]
pub fn delivery_timeout(bytes: u64) -> Duration {
    DELIVERY_TIMEOUT + Duration::from_secs(bytes.div_ceil(1 << 20))
}

impl Exchange {
    /// Sends a subscriber what is out.
    pub async fn deliver(&self, due: &DueDelivery, snapshot: &Snapshot) -> Came {
        let began = self.began();
        let printed = snapshot.document(due.document);
        let (pieces, version) = (&printed.body.content.pieces, printed.publication.version);
        let bytes = printed.body.content.len();
        let (link, signature) = (
            due.document.link(&self.links),
            due.secret.as_ref().map(|secret| sign(secret, pieces)),
        );
        let mut fields = vec![
            ("content-type", due.document.content_type()),
            ("link", link.as_str()),
        ];
        fields.extend(
            signature
                .as_deref()
                .map(|signature| ("x-hub-signature", signature)),
        );
        let timeout = delivery_timeout(bytes);
        let body = Body(Arc::clone(&printed.body));
        let answered = self
            .egress
            .post(&due.callback, &fields, body, timeout)
            .await;
        let is_ours =
            self.doubts
                .is_ours(due.subscription_id, answered.as_ref().err(), began.signs);
        let (result, status, reason) = delivery_result(&answered, is_ours);
        let step = next(&self.delays, due.failures, result, self.random.fraction());
        if step == NextStep::EndDenied {
            self.deny(due).await;
        }
        let outcome = self.delivery_outcome(due.subscription_id, step, version, bytes);
        let mut record = self.record(
            "delivery",
            due.document,
            &due.callback,
            began,
            status,
            reason.to_owned(),
        );
        record.version = Some(version);
        Came::To(outcome, record)
    }

    /// What the next step means for the subscription that was sent `bytes` of this version.
    fn delivery_outcome(
        &self,
        subscription_id: i64,
        step: NextStep,
        version: i64,
        bytes: u64,
    ) -> Outcome {
        match step {
            NextStep::Rest => Outcome::Delivered {
                subscription_id,
                version,
                bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
            },
            NextStep::Retry { failures, after } => Outcome::Retry {
                subscription_id,
                failures,
                at: self.clock.now()
                    + chrono::Duration::from_std(after).unwrap_or(chrono::Duration::MAX),
            },
            NextStep::EndDenied => Outcome::Ended {
                subscription_id,
                event: Event::DeliveriesFailed,
            },
            NextStep::EndGone => Outcome::Ended {
                subscription_id,
                event: Event::Gone,
            },
        }
    }

    /// Tells a subscriber that its subscription was ended (WebSub §5.2). Whatever it answers,
    /// nothing follows from it.
    async fn deny(&self, due: &DueDelivery) {
        let topic = self.links.absolute(due.document.path());
        let reason = format!("{ATTEMPTS_MAX} deliveries in a row failed; subscribe again to go on");
        let told = self
            .egress
            .get(
                &denied_url(&due.callback, &topic, &reason),
                VERIFY_BODY_MAX,
                VERIFY_TIMEOUT,
            )
            .await;
        let heard = told.map_or_else(
            |failure| failure.name().to_owned(),
            |answer| answer.status.to_string(),
        );
        tracing::info!(
            subscription.id = due.subscription_id,
            host = due.host,
            heard,
            "websub.ended: three deliveries in a row failed"
        );
    }
}

/// What an answer to a delivery comes to, with the status where it was none of success, and the
/// reason that operators are told.
fn delivery_result(
    answered: &Result<Answer, Failure>,
    is_ours: bool,
) -> (DeliveryResult, Option<u16>, &'static str) {
    match answered {
        Ok(Answer {
            status: 200..=299, ..
        }) => (DeliveryResult::Delivered, None, "ok"),
        Ok(Answer { status: 410, .. }) => (DeliveryResult::Gone, Some(410), "gone"),
        Ok(Answer {
            status,
            retry_after,
            ..
        }) => (
            DeliveryResult::Failed {
                retry_after: *retry_after,
            },
            Some(*status),
            "status",
        ),
        Err(failure) if is_ours => (DeliveryResult::Ours, None, failure.name()),
        Err(failure) => (
            DeliveryResult::Failed { retry_after: None },
            None,
            failure.name(),
        ),
    }
}

/// A delivery's body: the sheet that all subscribers of a topic share.
struct Body(Arc<CachedBody>);

impl AsRef<[Bytes]> for Body {
    fn as_ref(&self) -> &[Bytes] {
        &self.0.content.pieces
    }
}
