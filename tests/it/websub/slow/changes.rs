//! No change is lost and nothing is sent needlessly: restarts, changes while the service is down, content that returns.

use super::{Hub, check_walks, insert};
use crate::support::sqlite3;

impl Hub {
    async fn restart(self) -> Self {
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
}

#[tokio::test]
async fn requests_waits_failures_and_changes_survive_a_restart() {
    let hub = Hub::new().await;
    hub.walk("request /cb secret=x → pending, 0 GET, 0 POST, 0 failures")
        .await;
    let hub = hub.restart().await;
    hub.walk(
        "
        pass 0 → active, 1 GET, 0 POST, 0 failures
        replies 500 → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        ",
    )
    .await;
    let hub = hub.restart().await;
    hub.walk(
        "
        pass 0 → active, 1 GET, 1 POST, 1 failures
        pass 660 → active, 1 GET, 2 POST, 0 failures
        ",
    )
    .await;
    // What changes while the service is down is delivered once.
    hub.app.database().close().await;
    sqlite3(&hub.app.path(), &insert("c2"));
    let hub = hub.restart().await;
    hub.walk("pass 0 → active, 1 GET, 3 POST, 0 failures\nbody 2 → current")
        .await;
    let hub = hub.restart().await;
    hub.walk("pass 0 → active, 1 GET, 3 POST, 0 failures").await;
}

#[tokio::test]
async fn each_change_of_the_topic_is_sent_and_nothing_else() {
    check_walks(
        "
        # a new subscription gets changes after the acceptance, also before the verification
        request /cb → pending, 0 GET, 0 POST, 0 failures
        replies 503 → -
        pass 0 → pending, 1 GET, 0 POST, 0 failures
        change c1 → pending, 1 GET, 0 POST, 0 failures
        pass 5 → active, 2 GET, 1 POST, 0 failures
        subscribe /later → active, 3 GET, 1 POST, 0 failures

        # a request repeated before the verification loses no change
        request /cb → pending, 0 GET, 0 POST, 0 failures
        replies 503 → -
        pass 0 → pending, 1 GET, 0 POST, 0 failures
        change c1 → pending, 1 GET, 0 POST, 0 failures
        subscribe /cb → active, 2 GET, 1 POST, 0 failures

        # a write that changes no bytes of the topic sends nothing
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        sql update review set text = text → active, 1 GET, 0 POST, 0 failures
        sql replace into review select * from review → active, 1 GET, 0 POST, 0 failures
        sql update review set withheld_reason = withheld_reason; vacuum → active, 1 GET, 0 POST, 0 failures
        sql begin; delete from review; rollback → active, 1 GET, 0 POST, 0 failures
        sql insert into editorial_summary (text) values ('In our words.') → active, 1 GET, 0 POST, 0 failures

        # rule 7: writes of any program are detected
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        change c1 → active, 1 GET, 1 POST, 0 failures
        sql update review set text = 'other' where review_id = 'c1' → active, 1 GET, 2 POST, 0 failures
        sql insert into business (business_id, name) values ('b', 'Peak') → active, 1 GET, 3 POST, 0 failures
        sql delete from review where review_id = 'c1' → active, 1 GET, 4 POST, 0 failures

        # content that returns is sent to a receiver that may have stored the failed delivery
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        replies 500 → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        sql delete from review where review_id = 'c1' → active, 1 GET, 1 POST, 1 failures
        body 0 → other
        pass 660 → active, 1 GET, 2 POST, 0 failures
        body 1 → current
        select delivered_version = version from subscription join publication using (document) → 1
        ",
    )
    .await;
}
