//! Secrets are never shown.

use serde_json::{Value, json};

use super::{Hub, REVIEWS};
use crate::process::reviews;
use crate::support::assert_has;

const SECRET: &str = "s3cr3t-of-a-subscriber";

fn listed(hub: &Hub, flags: &[&str]) -> String {
    let folder = hub.app.folder();
    let output = reviews(folder).arg("subscriptions").args(flags).output();
    let output = output.unwrap();
    assert!(output.status.success());
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[tokio::test]
async fn the_list_of_subscriptions_shows_states_but_no_secret() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", SECRET)]).await;
    hub.walk("replies 500 → -").await;
    hub.change("c1").await;
    // The command uses the machine's clock.
    let lease = "update subscription set lease_ends_at =";
    hub.app.sql(&format!("{lease} '2126-11-30T12:00:00.000Z'"));
    let (table, json) = (listed(&hub, &[]), listed(&hub, &["--json"]));
    assert!(!table.contains(SECRET) && !json.contains(SECRET));
    for word in ["STATE", "active", "reviews", "500", "/cb", "2126-11-30"] {
        assert_has(&table, word);
    }
    let json: Value = serde_json::from_str(&json).unwrap();
    let members = ["state", "failures", "signed", "secret", "last_outcome"];
    assert_eq!(
        json!(members.map(|name| &json[0][name])),
        json!(["active", 1, true, null, "status 500"])
    );
    // As before the job that records the ends of leases.
    hub.app.sql(&format!("{lease} '2020-01-01T00:00:00.000Z'"));
    let json: Value = serde_json::from_str(&listed(&hub, &["--json"])).unwrap();
    assert_eq!(json[0]["state"], "lapsed");
}

#[tokio::test]
async fn no_answer_and_no_record_of_an_attempt_repeats_a_secret() {
    let hub = Hub::new().await;
    let good = hub.receiver.url("/cb");
    let mut texts = Vec::new();
    for (topic, callback) in [
        (REVIEWS, good.as_str()),
        ("https://other.example/", &good),
        (REVIEWS, "http://plain.example/"),
    ] {
        let secret = [("hub.secret", SECRET)];
        texts.push(hub.ask("subscribe", topic, callback, &secret).await.text());
    }
    hub.walk(
        "
        replies challenge 500 → -
        pass 0 → active, 1 GET, 0 POST, 0 failures
        change c1 → active, 1 GET, 1 POST, 1 failures
        ",
    )
    .await;
    texts.push(hub.app.sql("select * from intent"));
    texts.push(hub.field("callback || last_outcome"));
    texts.push(hub.app.text("/metrics").await);
    texts.push(format!("{:?}", hub.receiver.requests()));
    for text in texts {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[tokio::test]
async fn no_row_has_replaced_secrets_or_those_of_ended_subscriptions() {
    let hub = Hub::with(&["--hub-retry-delays=1s,1s"]).await;
    let secrets = "select secret from subscription union all select secret from intent";
    let held = |word: &str| hub.app.sql(secrets).contains(word);
    let targets = ["/stopped", "/gone", "/failed", "/lapsed"];
    for target in targets {
        hub.walk(&format!(
            "subscribe {target} secret=first-one lease_seconds=3000 → -"
        ))
        .await;
    }
    for target in targets {
        hub.walk(&format!(
            "
            request {target} secret=never-verified → -
            request {target} secret=second-one lease_seconds=3000 → -
            "
        ))
        .await;
    }
    assert!(!held("never-verified"), "it was replaced");
    hub.app.drain().await;
    assert!(!held("first-one") && held("second-one"));
    hub.walk(
        "
        unsubscribe /stopped → -
        always 410 → -
        change c1 → -
        ",
    )
    .await;
    for (target, reply) in [("/failed", 500), ("/lapsed", 200)] {
        hub.walk(&format!(
            "
            always challenge → -
            subscribe {target} secret=third-one lease_seconds=300 → -
            always {reply} → -
            change c{reply} → -
            pass 2 → -
            pass 2 → -
            "
        ))
        .await;
    }
    hub.walk(
        "
        request /lapsed secret=fourth-one → -
        always 404 → -
        pass 0 → -
        pass 300 → -
        select count(*) from subscription where state in ('removed', 'lapsed') → 4
        ",
    )
    .await;
    for word in ["second-one", "third-one", "fourth-one"] {
        assert!(!held(word), "{word}");
    }
}
