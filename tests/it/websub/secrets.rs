//! Secrets are never shown, and tables accept only valid states.

use super::{Hub, REVIEWS};
use crate::support::{Reply, rows, sqlite3};

const SECRET: &str = "s3cr3t-of-a-subscriber";

fn listed(hub: &Hub, flags: &[&str]) -> String {
    let database = format!("sqlite://{}", hub.app.path().display());
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_reviews"))
        .env_clear()
        .args(["subscriptions", "--database", &database])
        .args(flags)
        .output()
        .unwrap();
    assert!(output.status.success());
    format!(
        "{}{}",
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap()
    )
}

#[tokio::test]
async fn the_list_of_subscriptions_shows_states_but_no_secret() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", SECRET)]).await;
    hub.receiver.script([Reply::status(500)]);
    hub.change("c1").await;
    // The command uses the machine's clock.
    hub.app
        .shell("update subscription set lease_ends_at = '2126-11-30T12:00:00.000Z'")
        .await;
    let (table, json) = (listed(&hub, &[]), listed(&hub, &["--json"]));
    assert!(!table.contains(SECRET) && !json.contains(SECRET));
    for word in ["STATE", "active", "reviews", "500", "/cb", "2126-11-30"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let one = &json[0];
    assert_eq!(
        (&one["state"], &one["failures"], &one["signed"]),
        (&"active".into(), &1.into(), &true.into()),
        "{one}"
    );
    assert_eq!(
        (one.get("secret"), &one["last_outcome"]),
        (None, &"status 500".into())
    );
    // As before the job that records the ends of leases.
    let over = "update subscription set lease_ends_at = '2020-01-01T00:00:00.000Z'";
    hub.app.shell(over).await;
    let json: serde_json::Value = serde_json::from_str(&listed(&hub, &["--json"])).unwrap();
    assert_eq!(json[0]["state"], "lapsed");
}

#[tokio::test]
async fn no_answer_and_no_record_of_an_attempt_repeats_a_secret() {
    let hub = Hub::new().await;
    let good = hub.receiver.url("/cb");
    for (topic, callback) in [
        (REVIEWS, good.as_str()),
        ("https://other.example/", &good),
        (REVIEWS, "http://plain.example/"),
    ] {
        let answer = hub
            .ask("subscribe", topic, callback, &[("hub.secret", SECRET)])
            .await;
        assert!(!answer.text().contains(SECRET));
    }
    hub.receiver.script([Reply::Challenge, Reply::status(500)]);
    hub.app.drain().await;
    hub.change("c1").await;
    for sql in [
        "select * from intent;",
        "select callback, last_outcome from subscription;",
    ] {
        let rows = rows(&hub.app.path(), sql);
        assert!(!format!("{rows:?}").contains(SECRET), "{sql}");
    }
    assert!(!hub.app.text("/metrics").await.contains(SECRET));
    assert!(
        hub.receiver
            .requests()
            .iter()
            .all(|request| !format!("{request:?}").contains(SECRET)),
        "it is never sent"
    );
}

#[tokio::test]
async fn no_row_has_replaced_secrets_or_those_of_ended_subscriptions() {
    let hub = Hub::with(&["--hub-retry-delays", "1s,1s"]).await;
    let held = |word: &str| {
        let rows = sqlite3(
            &hub.app.path(),
            "select secret from subscription union all select secret from intent",
        );
        rows.contains(word)
    };
    for target in ["/stopped", "/gone", "/failed", "/lapsed"] {
        hub.subscribe(
            target,
            &[("hub.secret", "first-one"), ("hub.lease_seconds", "3000")],
        )
        .await;
    }
    for target in ["/stopped", "/gone", "/failed", "/lapsed"] {
        hub.ask_for(target, &[("hub.secret", "never-verified")])
            .await;
        hub.ask_for(
            target,
            &[("hub.secret", "second-one"), ("hub.lease_seconds", "3000")],
        )
        .await;
    }
    assert!(
        !held("never-verified"),
        "it was replaced before it was verified"
    );
    hub.app.drain().await;
    assert!(!held("first-one") && held("second-one"));
    hub.unsubscribe("/stopped", &[]).await;
    hub.receiver.always(Reply::status(410));
    hub.change("c1").await;
    hub.receiver.always(Reply::Challenge);
    for (target, reply) in [("/failed", 500), ("/lapsed", 200)] {
        hub.subscribe(
            target,
            &[("hub.secret", "third-one"), ("hub.lease_seconds", "300")],
        )
        .await;
        hub.receiver.always(Reply::status(reply));
        hub.change(&format!("c{reply}")).await;
        for _ in 0..2 {
            hub.pass(2).await;
        }
        hub.receiver.always(Reply::Challenge);
    }
    hub.ask_for("/lapsed", &[("hub.secret", "fourth-one")])
        .await;
    hub.receiver.always(Reply::status(404));
    hub.app.drain().await;
    hub.pass(300).await;
    let states = "select count(*) from subscription where state in ('removed', 'lapsed')";
    assert_eq!(hub.app.shell(states).await, "4");
    for word in ["second-one", "third-one", "fourth-one"] {
        assert!(!held(word), "{word}");
    }
}
