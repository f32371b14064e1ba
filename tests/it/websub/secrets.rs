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
}

#[tokio::test]
async fn the_list_shows_failures_rejections_and_lapsed_leases() {
    let hub = Hub::with(&["--hub-retry-delays", "1s,1s"]).await;
    for target in ["/failed", "/lapsed"] {
        hub.subscribe(target, &[]).await;
    }
    hub.receiver.always(Reply::body("yes"));
    hub.subscribe("/mistaken", &[]).await;
    hub.receiver.always(Reply::status(404));
    hub.subscribe("/refused", &[]).await;
    hub.change("c1").await;
    for _ in 0..2 {
        hub.pass(2).await;
    }
    // As before the job that records the ends of leases.
    let lapsed = hub.receiver.url("/lapsed");
    let over = "state = 'active', lease_ends_at = '2020-01-01T00:00:00.000Z'";
    sqlite3(
        &hub.app.path(),
        &format!("update subscription set {over} where callback = '{lapsed}'"),
    );
    let json: serde_json::Value = serde_json::from_str(&listed(&hub, &["--json"])).unwrap();
    let listed = |target: &str| {
        let callback = hub.receiver.url(target);
        let one = json
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["callback"] == *callback)
            .unwrap();
        let word = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
        (
            word("state"),
            word("last_outcome"),
            one["failures"].as_u64().unwrap(),
        )
    };
    let expected =
        |state: &str, outcome: &str, failures| (state.to_owned(), outcome.to_owned(), failures);
    assert_eq!(listed("/failed"), expected("removed", "status 404", 3));
    assert_eq!(listed("/lapsed").0, "lapsed");
    assert_eq!(
        listed("/mistaken"),
        expected("rejected", "challenge_mismatch", 0)
    );
    assert_eq!(listed("/refused"), expected("rejected", "status 404", 0));
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
    assert!(!hub.app.get("/metrics").await.text().contains(SECRET));
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
