//! One exchange with a callback: a verification, a delivery, or the word that a subscription was
//! ended. What it came to is decided here and written down by the worker.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};

use super::addresses::Addresses;
use super::blame::Doubts;
use super::schedule::{ATTEMPTS_MAX, DeliveryResult, NextStep, next};
use super::signature::sign;
use super::slots::Came;
use super::state::Event;
use super::store::{AttemptRecord, DueDelivery, DueVerification, Outcome};
use super::turns::Turn;
use super::verify::{IntentVerification, Verdict, denied_url};
use crate::clock::{Clock, Monotonic};
use crate::config::RetryDelays;
use crate::egress::{Answer, Callback, Egress, Failure};
use crate::links::Links;
use crate::random::Random;
use crate::snapshot::{CachedBody, Document, Snapshot};

/// For the whole of a verification, and of the word that a subscription was ended.
const VERIFY_TIMEOUT: Duration = Duration::from_secs(10);
/// After an answer that may not have been one, a second question follows after this.
const VERIFY_AGAIN: chrono::Duration = chrono::Duration::seconds(5);
/// A challenge is 64 characters; what is longer is another body.
const VERIFY_BODY_MAX: usize = 1_024;
/// For the whole of a delivery, plus a second for each MiB of it.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a verification waits while our own network is down.
const OUTAGE_WAIT: chrono::Duration = chrono::Duration::seconds(60);

/// Sends verifications and deliveries, and says what became of each.
#[derive(Clone)]
pub struct Exchange {
    /// The only way out.
    pub egress: Arc<Egress>,
    /// The clock by which attempts are dated.
    pub clock: Clock,
    /// For challenges and jitter.
    pub random: Random,
    /// For topics and the hub.
    pub links: Links,
    /// The waits between attempts.
    pub delays: RetryDelays,
    /// How often one network may be asked to verify.
    pub by_address: Arc<Addresses>,
    /// Whose failures are in doubt.
    pub doubts: Doubts,
}

/// When an exchange began: the instant that is kept, and what its duration is measured from.
#[derive(Clone, Copy)]
struct Began {
    at: DateTime<Utc>,
    monotonic: Monotonic,
    /// How many signs of life there had been from outside.
    signs: u64,
}

impl Exchange {
    /// Asks a callback whether it means it; `turn` is the one that it had to wait for, if it had.
    #[expect(
        clippy::too_many_lines,
        reason = "to be split: lines are shorter than when it was written"
    )]
    pub async fn verify(&self, due: &DueVerification, turn: Option<&Turn>) -> Came {
        let began = self.began();
        let (subscription_id, serial) = (due.subscription_id, due.serial);
        let topic = self.links.absolute(due.document.path());
        let challenge = match (self.random.hex_128(), self.random.hex_128()) {
            (Ok(first), Ok(second)) => first + &second,
            (Err(error), _) | (_, Err(error)) => {
                tracing::error!(%error, "websub.no_randomness: a challenge must be random; trying again");
                let again = Outcome::VerifyAgain {
                    subscription_id,
                    serial,
                    at: began.at + VERIFY_AGAIN,
                };
                return Came::To(
                    again,
                    self.record(
                        "verification",
                        due.document,
                        &due.callback,
                        began,
                        None,
                        "no_randomness".to_owned(),
                    ),
                );
            }
        };
        let question = IntentVerification {
            callback: &due.callback,
            mode: due.mode,
            topic: &topic,
            challenge: &challenge,
            lease_seconds: due.lease_seconds,
        };
        let answered = match self.ask(due, &question.url(), turn).await {
            Ok(answered) => answered,
            // Somebody else's addresses are not ours to flood: later, and nothing is written down
            // about it.
            Err(turn) => return Came::Waits(turn),
        };
        let (verdict, status, reason) = match &answered {
            Ok(answer) => {
                let verdict = question.judge(answer.status, &answer.body);
                let reason = match verdict {
                    Verdict::Confirmed => "ok",
                    Verdict::Unheard | Verdict::Refused if !answer.is_success() => "status",
                    Verdict::Unheard | Verdict::Refused => "challenge_mismatch",
                };
                (verdict, Some(answer.status), reason)
            }
            Err(failure) if is_unheard(failure) => (Verdict::Unheard, None, failure.name()),
            Err(failure) => (Verdict::Refused, None, failure.name()),
        };
        // A silent callback counts at once: it ends nothing, and strangers could else have as many
        // waiting as they like.
        let failure = answered
            .as_ref()
            .err()
            .filter(|failure| **failure != Failure::TimedOut);
        let is_ours = self.doubts.is_ours(subscription_id, failure, began.signs);
        let outcome = match verdict {
            Verdict::Confirmed => Outcome::Verified {
                subscription_id,
                serial,
                mode: due.mode,
                // From the moment it was sent (WebSub §5.3).
                lease_ends_at: began.at + chrono::Duration::seconds(due.lease_seconds),
            },
            // Nothing was learnt about the callback: the request stays until our network is back.
            Verdict::Unheard | Verdict::Refused if is_ours => Outcome::VerifyLater {
                subscription_id,
                serial,
                at: self.clock.now() + OUTAGE_WAIT,
            },
            Verdict::Unheard if due.attempts == 0 => Outcome::VerifyAgain {
                subscription_id,
                serial,
                at: self.clock.now() + VERIFY_AGAIN,
            },
            Verdict::Unheard | Verdict::Refused => Outcome::NotVerified {
                subscription_id,
                serial,
            },
        };
        Came::To(
            outcome,
            self.record(
                "verification",
                due.document,
                &due.callback,
                began,
                status,
                reason.to_owned(),
            ),
        )
    }

    /// Looks the callback up, counts by the addresses found, and only then dials; 10 s for all of
    /// it. `Err` is the turn to wait for where those addresses have been asked often enough.
    async fn ask(
        &self,
        due: &DueVerification,
        url: &str,
        turn: Option<&Turn>,
    ) -> Result<Result<Answer, Failure>, Turn> {
        let exchange = async {
            let vetted = match self.egress.vet(url).await {
                Ok(vetted) => vetted,
                Err(failure) => return Ok(Err(failure)),
            };
            if !self.is_free(&due.callback) {
                self.by_address
                    .book(turn, vetted.addresses(), due.is_active)?;
            }
            Ok(self
                .egress
                .get_vetted(vetted, VERIFY_BODY_MAX, VERIFY_TIMEOUT)
                .await)
        };
        tokio::time::timeout(VERIFY_TIMEOUT, exchange)
            .await
            .unwrap_or(Ok(Err(Failure::TimedOut)))
    }

    /// Sends a subscriber what is out.
    #[expect(
        clippy::too_many_lines,
        reason = "to be split: lines are shorter than when it was written"
    )]
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
        let timeout = DELIVERY_TIMEOUT + Duration::from_secs(bytes.div_ceil(1 << 20));
        let body = Body(Arc::clone(&printed.body));
        let answered = self
            .egress
            .post(&due.callback, &fields, body, timeout)
            .await;
        let subscription_id = due.subscription_id;
        let is_ours = self
            .doubts
            .is_ours(subscription_id, answered.as_ref().err(), began.signs);
        let (attempt, status, reason) = match &answered {
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
        };
        let outcome = match next(&self.delays, due.failures, attempt, self.random.fraction()) {
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
            NextStep::EndDenied => {
                self.deny(due).await;
                Outcome::Ended {
                    subscription_id,
                    event: Event::DeliveriesFailed,
                }
            }
            NextStep::EndGone => Outcome::Ended {
                subscription_id,
                event: Event::Gone,
            },
        };
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

    /// Whether a callback surely leads into a net that the operator opened, and is free of the
    /// limits per host.
    #[must_use]
    pub fn is_free(&self, callback: &str) -> bool {
        let policy = self.egress.policy();
        Callback::parse(callback, policy).is_ok_and(|callback| callback.is_allowed_besides(policy))
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

    fn record(
        &self,
        kind: &'static str,
        document: Document,
        callback: &str,
        began: Began,
        status: Option<u16>,
        reason: String,
    ) -> AttemptRecord {
        let duration_ms = i64::try_from((self.clock.monotonic() - began.monotonic).as_millis())
            .unwrap_or(i64::MAX);
        AttemptRecord {
            kind,
            document,
            callback: callback.to_owned(),
            version: None,
            status,
            reason,
            at: began.at,
            duration_ms,
        }
    }

    fn began(&self) -> Began {
        Began {
            at: self.clock.now(),
            monotonic: self.clock.monotonic(),
            signs: self.doubts.signs_of_life(),
        }
    }
}

/// A delivery's body: the sheet that all subscribers of a topic share.
struct Body(Arc<CachedBody>);

impl AsRef<[Bytes]> for Body {
    fn as_ref(&self) -> &[Bytes] {
        &self.0.content.pieces
    }
}

/// Whether the callback may not have heard the question: then it is asked a second time
/// (`docs/WEBSUB.md`).
const fn is_unheard(failure: &Failure) -> bool {
    match failure {
        Failure::TimedOut
        | Failure::Connect(_)
        | Failure::ResolverDown(_)
        | Failure::NetworkDown(_)
        | Failure::HostUnreachable(_)
        | Failure::Closed(_) => true,
        Failure::Url(_)
        | Failure::Refused(_)
        | Failure::NameUnknown
        | Failure::Tls(_)
        | Failure::Protocol(_)
        | Failure::TooLong { .. }
        | Failure::Unsendable(_) => false,
    }
}
