//! Leases (rules 31, 32 and 34).

use super::{Hub, TEN_DAYS, check_walks};

#[tokio::test]
async fn rule_32_nothing_is_delivered_after_the_end_of_the_lease() {
    let hub = Hub::subscribed().await;
    hub.app.advance(chrono::TimeDelta::seconds(TEN_DAYS));
    // Only the worker runs here, so the state stays the same.
    hub.app
        .serving(async {
            hub.ask_for("/fresh", &[]).await;
            hub.receiver.received(2).await;
            hub.publish(&super::insert("c1")).await;
            hub.receiver.received(3).await;
        })
        .await;
    let sent = hub.deliveries();
    assert_eq!((sent.len(), sent[0].target.as_str()), (1, "/fresh"));
}

#[tokio::test]
async fn rule_32_no_lease_is_longer_than_the_bound() {
    let flags = &[
        "--hub-lease-seconds-default=1000",
        "--hub-lease-seconds-max=2000",
    ];
    Hub::with(flags)
        .await
        .walk(
            "
        subscribe /a → active, 1 GET, 0 POST, 0 failures
        subscribe /b lease_seconds=99999999999999999999999999 → active, 2 GET, 0 POST, 0 failures
        select min(lease_ends_at) from subscription → 2026-11-20T12:16:40.000Z
        select max(lease_ends_at) from subscription → 2026-11-20T12:33:20.000Z
        ",
        )
        .await;
}

#[tokio::test]
async fn a_renewal_never_shortens_the_lease_and_states_the_result() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "first")]).await;
    hub.app.advance(chrono::TimeDelta::milliseconds(3_600_500));
    // The secret is that of the newest verified request. Without a running lease, the requested one counts; one that its
    // subscriber ended is not running either.
    hub.walk(
        "
        subscribe /cb lease_seconds=300 secret=second → active, 2 GET, 0 POST, 0 failures
        parameter hub.lease_seconds → 860399
        select lease_ends_at from subscription → 2026-11-30T12:00:00.000Z
        select secret from subscription → second
        subscribe /cb → active, 3 GET, 0 POST, 0 failures
        parameter hub.lease_seconds → 864000
        select lease_ends_at from subscription → 2026-11-30T13:00:00.500Z
        pass 864000 → lapsed, 3 GET, 0 POST, 0 failures
        subscribe /cb lease_seconds=300 → active, 4 GET, 0 POST, 0 failures
        parameter hub.lease_seconds → 300
        select lease_ends_at from subscription → 2026-11-30T13:05:00.500Z
        subscribe /cb → active, 5 GET, 0 POST, 0 failures
        unsubscribe /cb → removed, 6 GET, 0 POST, 0 failures
        subscribe /cb lease_seconds=300 → active, 7 GET, 0 POST, 0 failures
        parameter hub.lease_seconds → 300
        ",
    )
    .await;
}

#[tokio::test]
async fn leases_begin_end_and_are_renewed_as_the_rules_say() {
    check_walks(
        "
        # rule 31: a lease starts with the confirmed verification
        replies 503 → -
        subscribe /cb lease_seconds=600 → pending, 1 GET, 0 POST, 0 failures
        pass 5 → active, 2 GET, 0 POST, 0 failures
        select lease_ends_at from subscription → 2026-11-20T12:10:05.000Z

        # rule 32: an unrenewed lease lapses, and the secret is deleted
        subscribe /cb secret=x lease_seconds=300 → active, 1 GET, 0 POST, 0 failures
        pass 299 → active, 1 GET, 0 POST, 0 failures
        change c1 → active, 1 GET, 1 POST, 0 failures
        pass 1 → lapsed, 1 GET, 1 POST, 0 failures
        change c2 → lapsed, 1 GET, 1 POST, 0 failures
        select secret is null from subscription → 1

        # rule 34: a callback is not verified again during the lease, and a renewal in time leaves no gap
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        pass 863990 → active, 1 GET, 0 POST, 0 failures
        subscribe /cb → active, 2 GET, 0 POST, 0 failures
        change c1 → active, 2 GET, 1 POST, 0 failures
        pass 863990 → active, 2 GET, 1 POST, 0 failures
        subscribe /cb → active, 3 GET, 1 POST, 0 failures
        change c2 → active, 3 GET, 2 POST, 0 failures
        ",
    )
    .await;
}
