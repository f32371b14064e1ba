//! Verification of callbacks (rules 16, 17, 19, 22, 26, 29, 30, 33).

use super::{Hub, check_walks};
use crate::support::{Manner, Receiver, Reply};

#[tokio::test]
async fn rule_29_and_33_each_verification_has_another_challenge() {
    let hub = Hub::new().await;
    hub.walk(
        "
        subscribe /cb secret=x → active, 1 GET, 0 POST, 0 failures
        parameter hub.mode → subscribe
        parameter hub.topic → https://reviews.sample.test/reviews.json
        parameter hub.lease_seconds → 864000
        pass 64000 → -
        unsubscribe /cb → removed, 2 GET, 0 POST, 0 failures
        parameter hub.mode → unsubscribe
        parameter hub.topic → https://reviews.sample.test/reviews.json
        parameter hub.lease_seconds → 800000
        ",
    )
    .await;
    let mut challenges = std::collections::BTreeSet::new();
    for request in hub.receiver.requests() {
        let challenge = request.parameters("hub.challenge").concat();
        assert!(challenge.len() == 64 && challenges.insert(challenge));
        assert!(!request.target.contains("hub.secret"));
        let mut fields: Vec<&str> = request.fields.iter().map(|(name, _)| &**name).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["accept", "host", "user-agent"]);
    }
}

#[tokio::test]
async fn rule_30_an_answer_may_end_with_the_connection_but_only_whole() {
    for has_close_notify in [true, false] {
        let hub = Hub::new().await;
        for (characters, state) in [(63, "rejected"), (0, "rejected"), (64, "active")] {
            hub.receiver.script([Reply::UntilClosed {
                characters,
                has_close_notify,
            }]);
            hub.subscribe("/cb", &[]).await;
            assert_eq!(hub.state(), state, "{characters} {has_close_notify}");
        }
    }
}

#[tokio::test]
async fn rule_30_an_untrusted_certificate_confirms_nothing() {
    for manner in [Manner::Untrusted, Manner::OtherName, Manner::PlainText] {
        let mut hub = Hub::new().await;
        hub.receiver = Receiver::at(1, manner).await;
        hub.subscribe("/cb", &[]).await;
        hub.walk("pass 5 → rejected, 0 GET, 0 POST, 0 failures")
            .await;
    }
}

#[tokio::test]
async fn only_verified_requests_count_as_the_rules_say() {
    check_walks(
        "
        # rule 16: a later request replaces the earlier one when it is verified; it may also remove the secret
        subscribe /cb secret=first lease_seconds=1000 → active, 1 GET, 0 POST, 0 failures
        request /cb secret=never-verified → active, 1 GET, 0 POST, 0 failures
        request /cb secret=second lease_seconds=2000 → active, 1 GET, 0 POST, 0 failures
        select secret || ' ' || lease_ends_at from subscription → first 2026-11-20T12:16:40.000Z
        pass 0 → active, 2 GET, 0 POST, 0 failures
        select secret || ' ' || lease_ends_at from subscription → second 2026-11-20T12:33:20.000Z
        select count(*) from intent → 0
        subscribe /cb → active, 3 GET, 0 POST, 0 failures
        select secret is null from subscription → 1

        # rule 17: a failed renewal or unsubscription keeps everything
        subscribe /cb secret=first → active, 1 GET, 0 POST, 0 failures
        select secret || ' ' || lease_ends_at from subscription → first 2026-11-30T12:00:00.000Z
        replies wrong 404 → -
        pass 60 → active, 1 GET, 0 POST, 0 failures
        subscribe /cb secret=other lease_seconds=400 → active, 2 GET, 0 POST, 0 failures
        unsubscribe /cb → active, 3 GET, 0 POST, 0 failures
        select secret || ' ' || lease_ends_at from subscription → first 2026-11-30T12:00:00.000Z
        change c1 → active, 3 GET, 1 POST, 0 failures

        # an unsubscription undoes a subscription that is not verified yet, or a renewal, only once it is verified itself
        replies 503 404 challenge 503 → -
        request /cb → pending, 0 GET, 0 POST, 0 failures
        unsubscribe /cb → pending, 2 GET, 0 POST, 0 failures
        pass 5 → active, 3 GET, 0 POST, 0 failures
        request /cb → active, 3 GET, 0 POST, 0 failures
        unsubscribe /cb → removed, 5 GET, 0 POST, 0 failures
        pass 5 → removed, 5 GET, 0 POST, 0 failures

        # rule 26: nothing is delivered to a callback that refused
        always 404 → -
        subscribe /cb → rejected, 1 GET, 0 POST, 0 failures
        change c1 → rejected, 1 GET, 0 POST, 0 failures

        # rule 30: only a 2xx with exactly the challenge confirms; a rejected subscriber may try again
        replies wrong 307 endless → -
        subscribe /cb → rejected, 1 GET, 0 POST, 0 failures
        subscribe /cb → rejected, 2 GET, 0 POST, 0 failures
        subscribe /cb → rejected, 3 GET, 0 POST, 0 failures
        subscribe /cb → active, 4 GET, 0 POST, 0 failures

        # a failed verification is repeated once, after 5 seconds
        replies 500 → -
        subscribe /cb → pending, 1 GET, 0 POST, 0 failures
        pass 4 → pending, 1 GET, 0 POST, 0 failures
        pass 1 → active, 2 GET, 0 POST, 0 failures
        replies 503 close → -
        subscribe /other → active+pending, 3 GET, 0 POST, 0 failures
        pass 5 → active+rejected, 4 GET, 0 POST, 0 failures
        pass 3600 → active+rejected, 4 GET, 0 POST, 0 failures

        # a renewal requested before the end of the lease counts when it is verified after it
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        pass 863997 → active, 1 GET, 0 POST, 0 failures
        replies 503 → -
        subscribe /cb → active, 2 GET, 0 POST, 0 failures
        pass 4 → lapsed, 2 GET, 0 POST, 0 failures
        pass 1 → active, 3 GET, 0 POST, 0 failures
        change c1 → active, 3 GET, 1 POST, 0 failures
        ",
    )
    .await;
}
