//! No change is lost and nothing is sent needlessly: restarts, changes while the service is down, content that returns.

use super::{Hub, insert};
use crate::support::{Reply, sqlite3};

impl Hub {
    pub(super) async fn restart(self) -> Self {
        let Self {
            app,
            receiver,
            fake_dns,
        } = self;
        Self {
            app: app.restart().await,
            receiver,
            fake_dns,
        }
    }

    /// A change while the service is down.
    async fn restart_after(self, sql: &str) -> Self {
        self.app.database().close().await;
        sqlite3(&self.app.path(), sql);
        self.restart().await
    }
}

#[tokio::test]
async fn a_new_subscription_gets_changes_after_acceptance() {
    let hub = Hub::new().await;
    hub.ask_for("/cb", &[]).await;
    hub.receiver.script([Reply::status(503)]);
    hub.app.drain().await;
    hub.change("c1").await;
    assert_eq!(hub.deliveries().len(), 0, "it is not verified yet");
    hub.pass(5).await;
    assert_eq!(
        hub.deliveries().len(),
        1,
        "the change came after the acceptance"
    );
    hub.subscribe("/later", &[]).await;
    assert_eq!(hub.deliveries().len(), 1, "nothing changed since");
}

#[tokio::test]
async fn a_request_repeated_before_verification_loses_no_change() {
    let hub = Hub::new().await;
    hub.ask_for("/cb", &[]).await;
    hub.receiver.script([Reply::status(503)]);
    hub.app.drain().await;
    hub.change("c1").await;
    hub.subscribe("/cb", &[]).await;
    assert_eq!(
        hub.deliveries().len(),
        1,
        "the change came after the first request was accepted"
    );
}

#[tokio::test]
async fn a_write_that_changes_no_bytes_sends_nothing() {
    let hub = Hub::subscribed().await;
    for sql in [
        "update review set text = text",
        "replace into review select * from review",
        "update review set withheld_reason = withheld_reason; vacuum",
        "begin; delete from review; rollback",
    ] {
        hub.app.shell(sql).await;
        assert_eq!(hub.deliveries().len(), 0, "{sql}");
    }
}

#[tokio::test]
async fn a_change_of_another_topic_sends_nothing() {
    let hub = Hub::subscribed().await;
    hub.app
        .shell("insert into editorial_summary (text) values ('In our words.')")
        .await;
    assert_eq!(hub.deliveries().len(), 0, "only the insights changed");
}

#[tokio::test]
async fn a_change_during_downtime_is_delivered_at_the_next_start() {
    let hub = Hub::subscribed().await.restart_after(&insert("c1")).await;
    let sent = hub.deliveries();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].body == hub.app.get("/reviews.json").await.body);
    let hub = hub.restart().await;
    assert_eq!(hub.deliveries().len(), 1, "and once");
}

#[tokio::test]
async fn an_accepted_request_survives_a_restart() {
    let hub = Hub::new().await;
    hub.ask_for("/cb", &[("hub.secret", "x")]).await;
    let hub = hub.restart().await;
    assert_eq!(
        (hub.state().as_str(), hub.calls("subscribe").len()),
        ("active", 1)
    );
}

#[tokio::test]
async fn waits_and_failures_survive_a_restart() {
    let hub = Hub::subscribed().await;
    hub.receiver.script([Reply::status(500)]);
    hub.change("c1").await;
    let hub = hub.restart().await;
    assert_eq!(
        (hub.deliveries().len(), hub.field("failures")),
        (1, 1.into())
    );
    hub.pass(660).await;
    assert_eq!(hub.deliveries().len(), 2);
}

#[tokio::test]
async fn content_that_returns_after_a_failed_delivery_is_sent() {
    let hub = Hub::subscribed().await;
    let first = hub.app.get("/reviews.json").await.body;
    hub.receiver.script([Reply::status(500)]);
    hub.change("c1").await;
    hub.app
        .shell("delete from review where review_id = 'c1'")
        .await;
    hub.pass(660).await;
    let sent = hub.deliveries();
    assert_eq!(sent.len(), 2);
    assert!(
        sent[1].body == first && hub.app.get("/reviews.json").await.body == first,
        "a receiver that stored the failed delivery gets the content"
    );
    assert_eq!(hub.app.shell("select delivered_version = version from subscription join publication using (document)").await, "1");
}
