//! The hub's rules (table in `README.md` beside it), with real HTTPS receivers and a clock that only tests advance.

mod addresses;
mod leases;
mod limits;
mod requests;
mod secrets;
mod slow;

use chrono::TimeDelta;
use reviews_service::app::HubOptions;

use crate::support::{
    Answer, BASE, FakeDns, Generator, Received, Receiver, Reply, TestApp, opened_hub, sqlite3,
    table,
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
    async fn with(flags: &[&str]) -> Self {
        let fake_dns = fake_dns();
        Self::made(opened_hub(flags, fake_dns.clone()), fake_dns).await
    }

    async fn made(hub: HubOptions, fake_dns: FakeDns) -> Self {
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

    /// Requests the dataset for a callback at `host`, and runs the verification.
    async fn subscribe_name(&self, host: &str) {
        self.request(&self.receiver.url_of(host, "/cb")).await;
        self.app.drain().await;
    }

    /// Requests the dataset for `target`, without the verification.
    async fn ask_for(&self, target: &str, more: &[(&str, &str)]) {
        let callback = self.receiver.url(target);
        let answer = self.ask("subscribe", REVIEWS, &callback, more).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }

    /// Requests the dataset for `target`, and runs the verification.
    async fn subscribe(&self, target: &str, more: &[(&str, &str)]) {
        self.ask_for(target, more).await;
        self.app.drain().await;
    }

    async fn unsubscribe(&self, target: &str) {
        let callback = self.receiver.url(target);
        let answer = self.ask("unsubscribe", REVIEWS, &callback, &[]).await;
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
        let condition = [("if-none-match", "\"none\"")];
        let before = self.app.get_with("/reviews.json", &condition).await.body;
        sqlite3(&self.app.path(), sql);
        while self.app.get_with("/reviews.json", &condition).await.body == before {
            // The service looks for changes every 200 ms.
            self.app.advance(TimeDelta::milliseconds(200));
            tokio::task::yield_now().await;
        }
    }

    /// The verifications with this mode so far, or the denials.
    fn calls(&self, mode: &str) -> Vec<Received> {
        let mut requests = self.receiver.requests();
        let has_mode =
            |request: &Received| request.parameters("hub.mode").ends_with(&[mode.to_owned()]);
        requests.retain(|request| request.method == "GET" && has_mode(request));
        requests
    }

    /// The deliveries so far.
    fn deliveries(&self) -> Vec<Received> {
        let mut requests = self.receiver.requests();
        requests.retain(|request| request.method == "POST");
        requests
    }

    /// The value of `field` of the only subscription.
    fn field(&self, field: &str) -> String {
        sqlite3(
            &self.app.path(),
            &format!("select {field} from subscription"),
        )
    }

    fn state(&self) -> String {
        self.field("state")
    }

    /// A reply by its name, or by its status.
    fn reply(&self, name: &str) -> Reply {
        match name {
            "challenge" => Reply::Challenge,
            "close" => Reply::Close,
            "endless" => Reply::Endless,
            "never" => Reply::Never,
            "wrong" => Reply::body("something else"),
            status => Reply::status(status.parse().unwrap())
                .field("location", &self.receiver.url("/elsewhere")),
        }
    }

    /// The states of the subscriptions, the requests that the receiver got, and the failures in a row.
    fn summary(&self) -> String {
        let query =
            "select coalesce(group_concat(distinct state), 'none'), coalesce(sum(failures), 0)
            from (select * from subscription order by state)";
        let rows = sqlite3(&self.app.path(), query);
        let (states, failures) = rows.split_once('|').unwrap();
        let states = states.replace(',', "+");
        let requests = self.receiver.requests();
        let posted = requests.iter().filter(|request| request.method == "POST");
        let posted = posted.count();
        let got = requests.len() - posted;
        format!("{states}, {got} GET, {posted} POST, {failures} failures")
    }

    /// Runs the lines of a walk, `step → result`: the result is [`Self::summary`], or `-` for any; that of `select …` are its
    /// rows, that of `parameter NAME` is the value in the receiver's last request, and that of `body NUMBER` is whether the
    /// delivery with this number has the current dataset.
    async fn walk(&self, lines: &str) {
        for [step, expected] in table(lines) {
            let (name, rest) = step.split_once(' ').unwrap();
            let mut words = rest.split(' ');
            let mut result = None;
            match name {
                "replies" => self.receiver.script(words.map(|name| self.reply(name))),
                "always" => self.receiver.always(self.reply(rest)),
                "change" => self.change(rest).await,
                "pass" => self.pass(rest.parse().unwrap()).await,
                "sql" => drop(self.app.shell(rest).await),
                "select" => result = Some(self.app.sql(step)),
                "body" => {
                    let sent = &self.deliveries()[rest.parse::<usize>().unwrap()];
                    let current = self.app.get("/reviews.json").await.body;
                    let is_current = sent.body == current;
                    result = Some(if is_current { "current" } else { "other" }.to_owned());
                }
                "parameter" => {
                    let last = self.receiver.requests().pop().unwrap();
                    result = Some(last.parameters(rest).concat());
                }
                "unsubscribe" => self.unsubscribe(rest).await,
                "request" | "subscribe" => {
                    let target = words.next().unwrap();
                    let words: Vec<String> = words.map(|word| format!("hub.{word}")).collect();
                    let more = words.iter().map(|word| word.split_once('=').unwrap());
                    self.ask_for(target, &more.collect::<Vec<_>>()).await;
                    if name == "subscribe" {
                        self.app.drain().await;
                    }
                }
                other => panic!("no step {other}"),
            }
            let result = result.unwrap_or_else(|| self.summary());
            let is_expected = expected == "-" || result == expected;
            assert!(is_expected, "{step} → {result} in:\n{lines}");
        }
    }
}

/// Runs walks, each with a new hub; empty lines separate them.
async fn check_walks(walks: &str) {
    for walk in walks.split("\n\n") {
        Hub::new().await.walk(walk).await;
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
