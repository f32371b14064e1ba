//! Asking a callback whether it means it (WebSub §5.3): the question's URL, and what an answer is
//! worth.

use super::store::Mode;
use crate::egress::with_parameters;

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
