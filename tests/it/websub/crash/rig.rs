//! The real binary with two hundred subscribers at five hosts, for kills.

use std::collections::HashSet;
use std::time::Duration;

use crate::process::hub::{serve, subscribe};
use crate::process::{Home, Serving};
use crate::support::{Manner, Received, Receiver, Reply, array_of, sqlite3, str_of, wait_for_rows};

/// The number of callbacks at all hosts.
pub const SUBSCRIBERS: usize = 200;
/// The number of hosts, each with at most four concurrent exchanges.
const HOSTS: usize = 5;
/// The deliveries that a kill may repeat: an unrecorded batch, and those in flight.
pub const UNRECORDED_MAX: usize = 100;
pub const IN_FLIGHT_MAX: usize = HOSTS * 4;
/// The limit of every wait.
const PATIENCE: Duration = Duration::from_mins(1);

/// The service and its subscribers' servers.
pub struct Rig {
    home: Home,
    serving: Option<Serving>,
    receivers: Vec<Receiver>,
}

impl Rig {
    pub async fn start() -> Self {
        let home = Home::with(20);
        let mut receivers = Vec::new();
        for last in 1..=HOSTS {
            let receiver = Receiver::at(u8::try_from(last).unwrap(), Manner::Https).await;
            receiver.always(Reply::Challenge);
            receivers.push(receiver);
        }
        let serving = Some(serve(&home));
        Self {
            home,
            serving,
            receivers,
        }
    }

    /// Kills the service and starts it again.
    pub fn kill_and_start(&mut self) {
        self.serving.take().unwrap().kill();
        self.serving = Some(serve(&self.home));
    }

    /// Requests the subscription with this number, which the hub accepts.
    pub fn subscribe(&self, number: usize) {
        let callback = self.receivers[number % HOSTS].url(&format!("/callback/{number}"));
        let answer = subscribe(self.serving.as_ref().unwrap(), &callback);
        assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    }

    /// Changes the text of one review to `text`.
    pub fn change(&self, text: &str) {
        sqlite3(
            &self.home.path(),
            &format!("update review set text = '{text}' where review_id = 'p-1'"),
        );
    }

    /// The number of verifications received.
    pub fn asked(&self) -> usize {
        self.count(|request| request.method == "GET")
    }

    fn count(&self, is_counted: impl Fn(&Received) -> bool) -> usize {
        self.receivers
            .iter()
            .map(|receiver| {
                receiver
                    .watch()
                    .borrow()
                    .iter()
                    .filter(|request| is_counted(request))
                    .count()
            })
            .sum()
    }

    /// Every delivery since the last call of `forget`: the callback, and the text of the changing review.
    pub fn deliveries(&self) -> Vec<(String, String)> {
        let mut deliveries = Vec::new();
        for request in self
            .receivers
            .iter()
            .flat_map(Receiver::requests)
            .filter(|request| request.method == "POST")
        {
            assert!(request.field("x-hub-signature").starts_with("sha256="));
            let feed: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            let items = array_of(&feed["items"]);
            let item = items
                .iter()
                .find(|item| str_of(&item["id"]).ends_with("p-1"))
                .unwrap();
            deliveries.push((request.target, str_of(&item["content_text"]).to_owned()));
        }
        deliveries
    }

    /// Drops every request received so far, at all hosts.
    pub fn forget(&self) {
        self.receivers.iter().for_each(Receiver::forget);
    }

    /// Waits for this many verifications.
    pub async fn asked_at_least(&self, count: usize) {
        self.until("verifications", || self.asked() >= count).await;
    }

    /// Waits for this many deliveries of `text`.
    pub async fn delivered_at_least(&self, text: &str, count: usize) {
        self.until(text, || {
            self.count(|request| contains_text(request, text)) >= count
        })
        .await;
    }

    /// Waits until all callbacks have received `text`.
    pub async fn all_have(&self, text: &str) {
        let has_all = || {
            let mut callbacks = HashSet::new();
            for receiver in &self.receivers {
                let watch = receiver.watch();
                callbacks.extend(
                    watch
                        .borrow()
                        .iter()
                        .filter(|it| contains_text(it, text))
                        .map(|request| request.target.clone()),
                );
            }
            callbacks.len() == SUBSCRIBERS
        };
        self.until(text, has_all).await;
    }

    /// Waits until all subscriptions are active and no verification is pending.
    pub fn all_active(&self) {
        self.until_rows(
            "select count(*) from subscription where state = 'active' and not exists (select 1 from intent)",
            &SUBSCRIBERS.to_string(),
        );
    }

    /// Waits until the database records that all subscribers have the current content.
    pub fn all_recorded(&self) {
        self.until_rows(
            "select count(*) from subscription join publication as p using (document)
             where delivered_version = p.version and failures = 0 and state = 'active'",
            &SUBSCRIBERS.to_string(),
        );
    }

    fn until_rows(&self, query: &str, wanted: &str) {
        wait_for_rows(&self.home.path(), query, wanted);
    }

    /// Waits until `is_so` is true; checks it again after each request received.
    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let mut watches: Vec<_> = self.receivers.iter().map(Receiver::watch).collect();
        let wait = async {
            while !is_so() {
                let more = watches.iter_mut().map(|watch| Box::pin(watch.changed()));
                futures_util::future::select_all(more).await.0.unwrap();
            }
        };
        tokio::time::timeout(PATIENCE, wait)
            .await
            .unwrap_or_else(|_| panic!("{what} did not happen in time"));
    }
}

/// Whether this is a delivery that contains the text.
fn contains_text(request: &Received, text: &str) -> bool {
    memchr::memmem::find(&request.body, text.as_bytes()).is_some()
}
