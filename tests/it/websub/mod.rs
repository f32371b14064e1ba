//! The hub's rules (table in `README.md` beside it), with real HTTPS receivers and a clock that only tests advance.

mod attacked;
mod bounded;
mod crash;
mod delivered;
mod discovery;
mod ended;
mod hostile;
mod kept;
mod leased;
mod ours;
mod requested;
mod retried;
mod running;
mod secrets;
mod subscriber;
mod verified;

use chrono::TimeDelta;
use serde_json::Value;

use crate::support::{
    Answer, BASE, FakeDns, Generator, MakeHub, Received, Receiver, Reply, TestApp, rows, sqlite3,
};

/// The URLs of the topics.
const REVIEWS: &str = "https://reviews.sample.test/reviews.json";
const FEED: &str = "https://reviews.sample.test/api/feed.json";
const ATOM: &str = "https://reviews.sample.test/feed.xml";
/// The lease granted when none is requested.
const TEN_DAYS: i64 = 864_000;

/// A service with five reviews, and a receiver that by default confirms and accepts everything.
struct Hub {
    app: TestApp,
    receiver: Receiver,
    fake_dns: FakeDns,
}

impl Hub {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    /// With these additional flags.
    async fn with(flags: &'static [&'static str]) -> Self {
        let fake_dns = fake_dns();
        Self::made(MakeHub::opened(flags, fake_dns.clone()), fake_dns).await
    }

    async fn made(hub: MakeHub, fake_dns: FakeDns) -> Self {
        let app = TestApp::with_hub(&Generator::new(71).reviews(5), hub).await;
        let receiver = Receiver::start().await;
        receiver.always(Reply::Challenge);
        Self {
            app,
            receiver,
            fake_dns,
        }
    }

    /// With an active subscription of `/cb` to the dataset.
    async fn subscribed() -> Self {
        let hub = Self::new().await;
        hub.subscribe("/cb", &[]).await;
        hub
    }

    /// Sends a request; returns the hub's answer.
    async fn ask(&self, mode: &str, topic: &str, callback: &str, more: &[(&str, &str)]) -> Answer {
        let pairs = [
            ("hub.mode", mode),
            ("hub.topic", topic),
            ("hub.callback", callback),
        ];
        self.app.post_hub(&[&pairs, more].concat()).await
    }

    /// Requests the dataset for `callback`, without the verification.
    async fn request(&self, callback: &str) {
        let answer = self.ask("subscribe", REVIEWS, callback, &[]).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }

    /// Creates an active subscription whose callback is at `host`.
    async fn subscribe_name(&self, receiver: &Receiver, host: &str) {
        self.request(&receiver.url_of(host, "/cb")).await;
        self.app.drain().await;
    }

    /// Requests the dataset for `target`, without the verification.
    async fn ask_for(&self, target: &str, more: &[(&str, &str)]) {
        let answer = self
            .ask("subscribe", REVIEWS, &self.receiver.url(target), more)
            .await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }

    /// Requests the dataset for `target`, and runs the verification.
    async fn subscribe(&self, target: &str, more: &[(&str, &str)]) {
        self.ask_for(target, more).await;
        self.app.drain().await;
    }

    async fn unsubscribe(&self, target: &str, more: &[(&str, &str)]) {
        let answer = self
            .ask("unsubscribe", REVIEWS, &self.receiver.url(target), more)
            .await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        self.app.drain().await;
    }

    /// Publishes another review, and runs the deliveries.
    async fn change(&self, id: &str) {
        self.app.shell(&insert(id)).await;
    }

    /// Advances the clock, and runs the work that is due then.
    async fn pass(&self, seconds: i64) {
        self.app.advance(TimeDelta::seconds(seconds));
        self.app.drain().await;
    }

    /// Writes while the service runs, and waits until the change is published.
    async fn publish(&self, sql: &str) {
        // A condition that is never true: without one, the client sends two requests, between which the snapshot may change.
        let asked = [("if-none-match", "\"none\"")];
        let before = self.app.get_with("/reviews.json", &asked).await.body;
        sqlite3(&self.app.path(), sql);
        while self.app.get_with("/reviews.json", &asked).await.body == before {
            // The service looks for changes every 200 ms.
            self.app.advance(TimeDelta::milliseconds(200));
            tokio::task::yield_now().await;
        }
    }

    /// The verifications with this mode so far, or the denials.
    fn calls(&self, mode: &str) -> Vec<Received> {
        let mut requests = self.receiver.requests();
        requests.retain(|request| {
            request.method == "GET"
                && request
                    .parameters("hub.mode")
                    .last()
                    .is_some_and(|given| given == mode)
        });
        requests
    }

    /// The deliveries so far.
    fn deliveries(&self) -> Vec<Received> {
        let mut requests = self.receiver.requests();
        requests.retain(|request| request.method == "POST");
        requests
    }

    /// The value of `field` of the only subscription.
    fn field(&self, field: &str) -> Value {
        let rows = rows(
            &self.app.path(),
            &format!("select {field} as field from subscription;"),
        );
        let [row] = &rows[..] else {
            panic!("{} subscriptions", rows.len())
        };
        row["field"].clone()
    }

    fn state(&self) -> String {
        self.field("state").as_str().unwrap().to_owned()
    }
}

/// Names of this machine's receivers: `receiver.test` and all below it.
fn fake_dns() -> FakeDns {
    let fake_dns = FakeDns::default();
    fake_dns.set("receiver.test", &["127.0.0.1"]);
    fake_dns.set("*.receiver.test", &["127.0.0.1"]);
    fake_dns
}

fn insert(id: &str) -> String {
    format!(
        "insert into review (review_id, rating, reviewed_on, text) values ('{id}', 5, '2026-11-19', 'new: {id}');"
    )
}
