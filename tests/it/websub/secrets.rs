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
async fn no_answer_record_or_list_of_subscriptions_shows_a_secret() {
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
    // The command uses the machine's clock.
    let lease = "update subscription set lease_ends_at =";
    hub.app.sql(&format!("{lease} '2126-11-30T12:00:00.000Z'"));
    let (table, json) = (listed(&hub, &[]), listed(&hub, &["--json"]));
    for word in ["STATE", "active", "reviews", "500", "/cb", "2126-11-30"] {
        assert_has(&table, word);
    }
    let shown: Value = serde_json::from_str(&json).unwrap();
    let members = ["state", "failures", "signed", "secret", "last_outcome"];
    assert_eq!(
        json!(members.map(|name| &shown[0][name])),
        json!(["active", 1, true, null, "status 500"])
    );
    texts.extend([table, json]);
    for text in texts {
        assert!(!text.contains(SECRET), "{text}");
    }
    // As before the job that records the ends of leases.
    hub.app.sql(&format!("{lease} '2020-01-01T00:00:00.000Z'"));
    let json: Value = serde_json::from_str(&listed(&hub, &["--json"])).unwrap();
    assert_eq!(json[0]["state"], "lapsed");
}
