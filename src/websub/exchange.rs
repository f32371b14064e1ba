//! One exchange with a callback: a verification of intent (WebSub §5.3), a delivery (§7) or a denial (§5.2). It
//! decides the outcome, which the worker records: also when a failed delivery is repeated, and whether the failure
//! counts.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit, Mac};
use hyper::body::Bytes;
use sha2::Sha256;
use tokio::sync::Semaphore;

use super::http_client::{Answer, Callback, Egress, Failure, with_parameters};
use super::limits::RateLimits;
use super::request::Secret;
use super::store::{Attempt, AttemptOutcome, Due, DueDelivery, DueVerification, Subscriber};
use crate::clock::Clock;
use crate::compute::run_long_if;
use crate::config::RetryDelays;
use crate::config::bounds::CHALLENGE_BODY_BYTES_MAX;
use crate::links::Links;
use crate::model::hex;
use crate::random;
use crate::snapshot::Snapshot;

/// Timeout of a whole verification, and of a denial.
pub const VERIFY_TIMEOUT: Duration = Duration::from_secs(10);
/// The delay before the second attempt when the callback may not have received the first.
const VERIFY_AGAIN: Duration = Duration::from_secs(5);
/// The delay after an attempt that did not leave this machine, or a panic; such attempts do not count.
const OUTAGE_DELAY: Duration = Duration::from_mins(1);
/// Timeout of a whole delivery, plus a second per MiB.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes that are signed in about 200 µs.
const SIGNED_AT_ONCE: u64 = 64 << 10;
/// Consecutive failed attempts that end a subscription: one more than there are delays in [`RetryDelays`].
const ATTEMPTS: u32 = 3;
/// Delays are extended by up to this share, so that simultaneous failures are not retried simultaneously.
const JITTER_SHARE: f64 = 0.1;

pub struct Exchange {
    pub egress: Egress,
    pub clock: Clock,
    /// For the URLs of topics and the hub.
    pub links: Links,
    pub delays: RetryDelays,
    /// Rate limits: verifications per network and host, bytes per host.
    pub rates: Arc<RateLimits>,
    /// One place: bodies are signed one after another, which is faster than sending them, so that requests have the other processors.
    pub signing: Semaphore,
}

/// The outcome, the recorded status, and the reason shown to operators.
type Conclusion = (AttemptOutcome, Option<u16>, &'static str);

impl Exchange {
    /// Runs an exchange; if it panics, it is repeated like after an outage.
    pub async fn run(&self, due: &Due, snapshot: &Snapshot) -> Attempt {
        let at = self.clock.now();
        let subscriber = due.subscriber();
        let exchange = async {
            match due {
                Due::Verify(due) => self.verify(due, at).await,
                Due::Deliver(due) => self.deliver(due, snapshot).await,
            }
        };
        let concluded = AssertUnwindSafe(exchange).catch_unwind().await;
        let (outcome, status, reason) = concluded.unwrap_or_else(|_| {
            tracing::error!(
                host = subscriber.host,
                "websub.panicked: an exchange ended without a result; it is repeated in a minute"
            );
            let outcome = match due {
                Due::Verify(due) => self.verify_later(due, due.attempts, OUTAGE_DELAY, None),
                Due::Deliver(due) => self.retry_after(due.failures, OUTAGE_DELAY),
            };
            (outcome, None, "panicked")
        });
        let kind = match due {
            Due::Verify(_) => "verification",
            Due::Deliver(_) => "delivery",
        };
        Attempt {
            subscriber: subscriber.clone(),
            kind,
            status,
            reason,
            at,
            outcome,
        }
    }

    /// `sent_at` is when the verification is sent.
    async fn verify(&self, due: &DueVerification, sent_at: DateTime<Utc>) -> Conclusion {
        let serial = due.serial;
        // 64 random characters.
        let challenge = random::hex_128() + &random::hex_128();
        let topic = self.links.absolute(due.subscriber.document.path());
        // The offered lease; when unsubscribing, the rest of the running one.
        let lease_seconds = due.lease_seconds_at(sent_at);
        let parameters = [
            ("hub.mode", due.mode.name()),
            ("hub.topic", &topic),
            ("hub.challenge", &challenge),
            ("hub.lease_seconds", &lease_seconds.to_string()),
        ];
        let url = with_parameters(&due.subscriber.callback, &parameters);
        let answered = match self.send_verification(due, &url).await {
            Ok(answered) => answered,
            // The verification waits, so that networks of third parties are not flooded; no attempt is recorded.
            Err((wait, network)) => {
                let waits = self.verify_later(due, due.attempts, wait, Some(network));
                return (waits, None, "waits");
            }
        };
        let (is_confirmed, status, reason) = match &answered {
            Ok(answer) if answer.is_success() && answer.body == challenge.as_bytes() => {
                (true, Some(answer.status), "ok")
            }
            Ok(answer) if answer.is_success() => (false, Some(answer.status), "challenge_mismatch"),
            Ok(answer) => (false, Some(answer.status), "status"),
            Err(failure) => (false, None, failure.name()),
        };
        let outcome = match answered {
            _ if is_confirmed => AttemptOutcome::Verified {
                serial,
                mode: due.mode,
                lease_ends_at: sent_at + TimeDelta::seconds(lease_seconds),
            },
            Err(Failure::NetworkDown) => self.verify_later(due, due.attempts, OUTAGE_DELAY, None),
            // The callback may not have received it.
            Err(Failure::TimedOut | Failure::Unreachable) | Ok(Answer { status: 500.., .. })
                if due.attempts == 0 =>
            {
                self.verify_later(due, 1, VERIFY_AGAIN, None)
            }
            Ok(_) | Err(_) => AttemptOutcome::NotVerified { serial },
        };
        (outcome, status, reason)
    }

    fn verify_later(
        &self,
        due: &DueVerification,
        attempts: i64,
        wait: Duration,
        full_network: Option<String>,
    ) -> AttemptOutcome {
        AttemptOutcome::VerifyLater {
            serial: due.serial,
            attempts,
            at: self.clock.now() + wait,
            full_network,
        }
    }

    /// Resolves the callback, applies the rate limits of its addresses and connects, in 10 s in total. The outer `Err` has
    /// the time to wait if a limit is reached, and the network that reached it.
    async fn send_verification(
        &self,
        due: &DueVerification,
        url: &str,
    ) -> Result<Result<Answer, Failure>, (Duration, String)> {
        let exchange = async {
            let vetted = match self.egress.vet(url).await {
                Ok(vetted) => vetted,
                Err(failure) => return Ok(Err(failure)),
            };
            if !self.is_exempt(&due.subscriber.callback) {
                let (addresses, is_active) = (&vetted.addresses, due.lease_ends_at.is_some());
                let id = due.subscriber.subscription_id;
                self.rates.book_verification(id, addresses, is_active)?;
            }
            Ok(self.egress.get(vetted, CHALLENGE_BODY_BYTES_MAX).await)
        };
        let sent = tokio::time::timeout(VERIFY_TIMEOUT, exchange).await;
        sent.unwrap_or(Ok(Err(Failure::TimedOut)))
    }

    async fn deliver(&self, due: &DueDelivery, snapshot: &Snapshot) -> Conclusion {
        let document = due.subscriber.document;
        let body = &snapshot.document(document).body;
        let link = document.link(&self.links);
        let signature = match &due.secret {
            Some(secret) => {
                let _place = self.signing.acquire().await;
                let is_long = body.content.length() > SIGNED_AT_ONCE;
                Some(run_long_if(is_long, || sign(secret, &body.content.pieces)))
            }
            None => None,
        };
        let mut fields = vec![
            ("content-type", document.content_type()),
            ("link", link.as_str()),
        ];
        fields.extend((signature.as_deref()).map(|signature| ("x-hub-signature", signature)));
        let exchange = async {
            let vetted = self.egress.vet(&due.subscriber.callback).await?;
            self.egress.post(vetted, &fields, Arc::clone(body)).await
        };
        let timeout = delivery_timeout(body.content.length());
        let posted = tokio::time::timeout(timeout, exchange).await;
        match posted.unwrap_or(Err(Failure::TimedOut)) {
            Ok(answer) if answer.is_success() => {
                let version = snapshot.document(document).publication.version;
                (AttemptOutcome::Delivered { version }, None, "ok")
            }
            Ok(Answer { status: 410, .. }) => {
                let failures = due.failures;
                (AttemptOutcome::Ended { failures }, Some(410), "status")
            }
            Ok(answer) => (self.retry_or_deny(due).await, Some(answer.status), "status"),
            // Nothing is known about the subscriber, so the failure does not count.
            Err(failure @ Failure::NetworkDown) => {
                let outcome = self.retry_after(due.failures, OUTAGE_DELAY);
                (outcome, None, failure.name())
            }
            Err(failure) => (self.retry_or_deny(due).await, None, failure.name()),
        }
    }

    /// Another attempt after a failure of the subscriber, or the end with a denial.
    async fn retry_or_deny(&self, due: &DueDelivery) -> AttemptOutcome {
        // There is a delay after every attempt but the last.
        if let Some(delay) = self.delays.0.get(due.failures as usize) {
            return self.retry_after(due.failures + 1, delay.0);
        }
        self.deny(due).await;
        AttemptOutcome::Ended { failures: ATTEMPTS }
    }

    fn retry_after(&self, failures: u32, wait: Duration) -> AttemptOutcome {
        let wait = wait.mul_f64(1.0 + JITTER_SHARE * random::fraction());
        AttemptOutcome::Retry {
            failures,
            at: self.clock.now() + wait,
        }
    }

    /// Notifies a subscriber that its subscription was ended (WebSub §5.2). The response is ignored.
    async fn deny(&self, due: &DueDelivery) {
        tracing::info!(
            subscription.id = due.subscriber.subscription_id,
            host = due.subscriber.host,
            "websub.ended: {ATTEMPTS} deliveries in a row failed"
        );
        let topic = self.links.absolute(due.subscriber.document.path());
        let reason = format!("{ATTEMPTS} deliveries in a row failed; subscribe again to continue");
        let parameters = [
            ("hub.mode", "denied"),
            ("hub.topic", topic.as_str()),
            ("hub.reason", reason.as_str()),
        ];
        let url = with_parameters(&due.subscriber.callback, &parameters);
        let exchange = async {
            let vetted = self.egress.vet(&url).await?;
            self.egress.get(vetted, 0).await
        };
        let _ = tokio::time::timeout(VERIFY_TIMEOUT, exchange).await;
    }

    /// Whether the callback's address is certainly in a network that the operator allows, which exempts it from the
    /// limits per host.
    pub fn is_exempt(&self, callback: &str) -> bool {
        let policy = &self.egress.policy;
        !policy.allowed.is_empty()
            && Callback::parse(callback, policy)
                .is_ok_and(|callback| callback.is_allowed_besides(policy))
    }

    /// The host whose exchanges wait for each other, with its port if the callback is exempt: on a machine of the operator,
    /// each port is another subscriber.
    pub fn queue_of<'s>(&self, subscriber: &'s Subscriber) -> &'s str {
        let authority = subscriber.callback.split('/').nth(2);
        let authority = authority.filter(|_| self.is_exempt(&subscriber.callback));
        authority.unwrap_or(&subscriber.host)
    }
}

/// The longest time of an exchange that delivers so many bytes: the last failed delivery is followed by a denial.
pub fn longest_delivery(bytes: u64) -> Duration {
    delivery_timeout(bytes) + VERIFY_TIMEOUT
}

fn delivery_timeout(bytes: u64) -> Duration {
    DELIVERY_TIMEOUT + Duration::from_secs(bytes.div_ceil(1 << 20))
}

/// The value of `X-Hub-Signature` (WebSub §7.1): `sha256=` and the HMAC of the whole body in hexadecimal (§8.3 asks for
/// at least SHA-256).
pub fn sign(secret: &Secret, body: &[Bytes]) -> String {
    let mut signature = String::from("sha256=");
    // HMAC accepts keys of every length (RFC 2104 §3).
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) {
        body.iter().for_each(|piece| mac.update(piece));
        signature.push_str(&hex(&mac.finalize().into_bytes()));
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_rfc_4231() {
        // RFC 4231 §4.3, test case 2.
        let body =
            ["what do ya want ", "for nothing?"].map(|text| Bytes::from_static(text.as_bytes()));
        assert_eq!(
            sign(&Secret::new("Jefe".to_owned()), &body),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
