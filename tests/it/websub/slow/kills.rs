//! Kills of the real binary during verifications and deliveries: no accepted request is lost, no subscriber misses the current
//! content, and only unrecorded deliveries are repeated. `tests/cluster/kills --file` does hundreds.

use std::collections::HashSet;
use std::time::Duration;

use crate::commands::Home;
use crate::process::ServingProcess;
use crate::process::hub::{serve, subscribe};
use crate::support::{Manner, Received, Receiver, Reply, wait_for_rows};

/// The number of callbacks, at several hosts, each with at most four concurrent exchanges.
const SUBSCRIBERS: usize = 160;
const HOSTS: usize = 4;
/// What one kill may repeat: an unrecorded batch, and what is in flight.
const REPEATED_MAX: usize = 100 + HOSTS * 4;
const KILLS: usize = 4;
/// The limit of every wait.
const PATIENCE: Duration = Duration::from_mins(1);

/// The service and its subscribers' servers.
struct Rig {
    home: Home,
    serving: Option<ServingProcess>,
    receivers: Vec<Receiver>,
}

impl Rig {
    async fn start() -> Self {
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

    fn kill_and_start(&mut self) {
        self.serving.take().unwrap().kill();
        self.serving = Some(serve(&self.home));
    }

    /// The targets of all requests that `is_counted` takes.
    fn targets(&self, is_counted: impl Fn(&Received) -> bool) -> Vec<String> {
        let requests = self.receivers.iter().flat_map(Receiver::requests);
        let counted = requests.filter(|request| is_counted(request));
        counted.map(|request| request.target).collect()
    }

    /// Waits until this many of those requests were received.
    async fn received(&self, count: usize, is_counted: impl Fn(&Received) -> bool) {
        let mut watches: Vec<_> = self.receivers.iter().map(Receiver::watch).collect();
        let wait = async {
            while self.targets(&is_counted).len() < count {
                let more = watches.iter_mut().map(|watch| Box::pin(watch.changed()));
                futures_util::future::select_all(more).await.0.unwrap();
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.expect("lost");
    }

    fn all(&self, condition: &str) {
        let query = format!(
            "select count(*) from subscription join publication as p using (document)
             where state = 'active' and failures = 0 and {condition}"
        );
        wait_for_rows(&self.home.path(), &query, &SUBSCRIBERS.to_string());
    }
}

fn is_verification(request: &Received) -> bool {
    request.method == "GET"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_loses_no_request_or_change_and_repeats_little() {
    let mut rig = Rig::start().await;
    for number in 0..SUBSCRIBERS {
        let callback = rig.receivers[number % HOSTS].url(&format!("/callback/{number}"));
        let answer = subscribe(rig.serving.as_ref().unwrap(), &callback);
        assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
        if number % (SUBSCRIBERS / KILLS) == SUBSCRIBERS / KILLS - 1 {
            rig.received(number / 2, is_verification).await;
            rig.kill_and_start();
        }
    }
    rig.all("not exists (select 1 from intent)");
    let verified = rig.targets(is_verification).len();
    assert!(verified <= SUBSCRIBERS + KILLS * REPEATED_MAX, "{verified}");

    for change in 0..KILLS {
        let text = format!("change {change}");
        let has_text = |request: &Received| {
            memchr::memmem::find(&request.body, text.as_bytes()).is_some()
                && request.field("x-hub-signature").starts_with("sha256=")
        };
        rig.home.sql(&format!(
            "update review set text = '{text}' where review_id = 'p-1'"
        ));
        rig.received(change * SUBSCRIBERS / 5, has_text).await;
        rig.kill_and_start();
        rig.all("delivered_version = p.version");
        let targets = rig.targets(has_text);
        let distinct: HashSet<&String> = targets.iter().collect();
        assert_eq!(distinct.len(), SUBSCRIBERS, "{text}");
        let repeated = targets.len() - SUBSCRIBERS;
        assert!(repeated <= REPEATED_MAX, "{text}: {repeated}");
    }
}
