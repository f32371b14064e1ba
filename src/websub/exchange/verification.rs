//! A verification of intent: asks a callback whether it means it (WebSub §5.3), and decides what
//! follows from the answer.

use chrono::{DateTime, Utc};

use super::{Exchange, VERIFY_BODY_MAX, VERIFY_TIMEOUT};
use crate::websub::host_queues::Came;
use crate::websub::http_client::{Answer, Failure, with_parameters};
use crate::websub::limits::Turn;
use crate::websub::store::{DueVerification, Mode, Outcome};

/// After an answer that may not have been one, a second question follows after this.
const VERIFY_AGAIN: chrono::Duration = chrono::Duration::seconds(5);

/// How long a verification waits while our own network is down.
const OUTAGE_WAIT: chrono::Duration = chrono::Duration::seconds(60);

impl Exchange {
    /// Asks a callback whether it means it; `turn` is the one that it had to wait for, if it had.
    pub async fn verify(&self, due: &DueVerification, turn: Option<&Turn>) -> Came {
        let began = self.began();
        let record = |status: Option<u16>, reason: &str| {
            let (document, callback) = (due.document, &due.callback);
            self.record(
                "verification",
                document,
                callback,
                began,
                status,
                reason.to_owned(),
            )
        };
        let challenge = match self.challenge() {
            Ok(challenge) => challenge,
            Err(error) => {
                tracing::error!(%error, "websub.no_randomness: a challenge must be random; trying again");
                let again = Outcome::VerifyAgain {
                    subscription_id: due.subscription_id,
                    serial: due.serial,
                    at: began.at + VERIFY_AGAIN,
                };
                return Came::To(again, record(None, "no_randomness"));
            }
        };
        let question = IntentVerification {
            callback: &due.callback,
            mode: due.mode,
            topic: &self.links.absolute(due.document.path()),
            challenge: &challenge,
            lease_seconds: due.lease_seconds_at(began.at),
        };
        let answered = match self.ask(due, &question.url(), turn).await {
            Ok(answered) => answered,
            // Somebody else's addresses are not ours to flood: later, and no attempt is recorded.
            Err(turn) => {
                let waits = Outcome::Waits {
                    subscription_id: due.subscription_id,
                    network: turn.networks.first().copied(),
                };
                return Came::Waits(turn, waits, record(None, "waits"));
            }
        };
        let (verdict, status, reason) = judge(&question, &answered);
        // A silent callback counts at once: it ends nothing, and strangers could else have as many
        // waiting as they like.
        let failure = answered
            .as_ref()
            .err()
            .filter(|failure| **failure != Failure::TimedOut);
        let is_ours = self
            .doubts
            .is_ours(due.subscription_id, failure, began.signs);
        let outcome = self.verification_outcome(due, verdict, is_ours, began.at);
        Came::To(outcome, record(status, reason))
    }

    /// 64 random characters.
    fn challenge(&self) -> std::io::Result<String> {
        Ok(self.random.hex_128()? + &self.random.hex_128()?)
    }

    /// What a verdict means for the request; `sent_at` is when it was asked.
    fn verification_outcome(
        &self,
        due: &DueVerification,
        verdict: Verdict,
        is_ours: bool,
        sent_at: DateTime<Utc>,
    ) -> Outcome {
        let (subscription_id, serial) = (due.subscription_id, due.serial);
        match verdict {
            Verdict::Confirmed => Outcome::Verified {
                subscription_id,
                serial,
                mode: due.mode,
                // From the moment it was sent (WebSub §5.3).
                lease_ends_at: sent_at + chrono::Duration::seconds(due.lease_seconds_at(sent_at)),
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
        }
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
}

/// What an answer is worth, with its status and the reason that operators are told.
fn judge(
    question: &IntentVerification<'_>,
    answered: &Result<Answer, Failure>,
) -> (Verdict, Option<u16>, &'static str) {
    match answered {
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

// Asking a callback whether it means it (WebSub §5.3): the question's URL, and what an answer is
// worth.

/// What a verification asks.
#[derive(Debug, Clone, Copy)]
pub struct IntentVerification<'a> {
    /// The callback, kept byte for byte.
    pub callback: &'a str,
    /// What it is asked to confirm.
    pub mode: Mode,
    /// The topic's absolute URL.
    pub topic: &'a str,
    /// A random value that the callback has to echo; each is used once.
    pub challenge: &'a str,
    /// The lease that is offered; on unsubscribing, what is left of the running one.
    pub lease_seconds: i64,
}

/// What an answer is worth.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Any 2xx with exactly the challenge.
    Confirmed,
    /// It may not have been heard: worth a second question.
    Unheard,
    /// Anything else: 3xx and 4xx, and 2xx with another body.
    Refused,
}

impl IntentVerification<'_> {
    /// The callback's URL with our parameters at its end. Its own query stays as it is, even where
    /// names are the same.
    #[must_use]
    pub fn url(&self) -> String {
        let lease = self.lease_seconds.to_string();
        let parameters = [
            ("hub.mode", self.mode.name()),
            ("hub.topic", self.topic),
            ("hub.challenge", self.challenge),
            ("hub.lease_seconds", &lease),
        ];
        with_parameters(self.callback, &parameters)
    }

    /// What an answer to it is worth.
    pub fn judge(&self, status: u16, body: &[u8]) -> Verdict {
        match status {
            200..=299 if body == self.challenge.as_bytes() => Verdict::Confirmed,
            500..=599 => Verdict::Unheard,
            _ => Verdict::Refused,
        }
    }
}

/// The URL that tells a callback that its subscription was ended by us (WebSub §5.2).
#[must_use]
pub fn denied_url(callback: &str, topic: &str, reason: &str) -> String {
    with_parameters(
        callback,
        &[
            ("hub.mode", "denied"),
            ("hub.topic", topic),
            ("hub.reason", reason),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_19_the_callbacks_query_is_kept_and_ours_comes_last() {
        for (callback, begins) in [
            (
                "https://s.example/cb",
                "https://s.example/cb?hub.mode=subscribe&",
            ),
            (
                "https://s.example/cb?",
                "https://s.example/cb?hub.mode=subscribe&",
            ),
            (
                "https://s.example/cb?a=%7E+b&hub.mode=x",
                "https://s.example/cb?a=%7E+b&hub.mode=x&hub.mode=subscribe&",
            ),
            (
                "https://s.example/cb?a=1&",
                "https://s.example/cb?a=1&hub.mode=subscribe&",
            ),
        ] {
            let question = IntentVerification {
                callback,
                mode: Mode::Subscribe,
                topic: "https://r.example/feed.xml",
                challenge: "c0ffee",
                lease_seconds: 60,
            };
            let url = question.url();
            assert!(url.starts_with(begins), "{url}");
            assert!(
                url.ends_with("hub.topic=https%3A%2F%2Fr.example%2Ffeed.xml&hub.challenge=c0ffee&hub.lease_seconds=60"),
                "{url}"
            );
        }
    }

    #[test]
    fn rule_30_any_2xx_with_exactly_the_challenge_confirms() {
        let question = IntentVerification {
            callback: "",
            mode: Mode::Subscribe,
            topic: "",
            challenge: "c0ffee",
            lease_seconds: 60,
        };
        for (status, body, verdict) in [
            (200, "c0ffee", Verdict::Confirmed),
            (201, "c0ffee", Verdict::Confirmed),
            (204, "", Verdict::Refused),
            (200, "c0ffee\n", Verdict::Refused),
            (200, "", Verdict::Refused),
            (302, "c0ffee", Verdict::Refused),
            (404, "c0ffee", Verdict::Refused),
            (503, "c0ffee", Verdict::Unheard),
        ] {
            assert_eq!(
                question.judge(status, body.as_bytes()),
                verdict,
                "{status} {body}"
            );
        }
    }
}
