//! A verification of intent: asks a callback whether it means it (WebSub §5.3), and decides what
//! follows from the answer.

use chrono::{DateTime, Utc};

use super::{Exchange, VERIFY_BODY_MAX, VERIFY_TIMEOUT};
use crate::egress::{Answer, Failure};
use crate::websub::slots::Came;
use crate::websub::store::{DueVerification, Outcome};
use crate::websub::turns::Turn;
use crate::websub::verify::{IntentVerification, Verdict};

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
