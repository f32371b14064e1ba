//! The hub's HTTP client: its requests, the addresses it connects to, and its limits.

mod addresses;
mod faulty_receivers;

use std::sync::Arc;
use std::time::Duration;

use reviews_service::clock::Clock;
use reviews_service::snapshot::{CachedBody, Content};
use reviews_service::websub::http_client::{Answer, Egress, Failure, Policy, Roots};

use crate::support::{FakeDns, Receiver, Reply, ca_pem};

/// Longer than any exchange here takes.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a test waits for an event that must not happen.
const IMPATIENCE: Duration = Duration::from_millis(300);

/// A client with a fake resolver.
struct Out {
    egress: Egress,
    fake_dns: FakeDns,
}

impl Out {
    /// A client for this machine's receivers: `receiver.test` and all names below it.
    fn to_receivers() -> Self {
        Self::allowing(&["127.0.0.0/8"])
    }

    /// A client for the public Internet and these networks.
    fn allowing(nets: &[&str]) -> Self {
        let fake_dns = FakeDns::default();
        let clock = Clock::manual("2026-11-20T12:00:00Z".parse().unwrap());
        fake_dns.set("receiver.test", &["127.0.0.1"]);
        fake_dns.set("*.receiver.test", &["127.0.0.1"]);
        let allowed = nets.iter().map(|net| net.parse().unwrap()).collect();
        let policy = Arc::new(Policy { allowed });
        let roots = Roots::load(Some(ca_pem().as_bytes())).unwrap();
        let egress = Egress::new(policy, &roots, Arc::new(fake_dns.clone()), clock).unwrap();
        Self { egress, fake_dns }
    }

    async fn get(&self, url: &str) -> Result<Answer, Failure> {
        self.egress.get(url, 1_024, PATIENCE).await
    }

    async fn post(&self, url: &str, body: &str) -> Result<Answer, Failure> {
        self.egress
            .post(url, &[], shared(Content::whole(body.to_owned())), PATIENCE)
            .await
    }
}

fn shared(content: Content) -> Arc<CachedBody> {
    Arc::new(CachedBody::new("application/json", content))
}

#[tokio::test]
async fn a_get_returns_status_and_body_and_sends_few_headers() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    receiver.always(Reply::Challenge);
    let target = "/cb?a=1&hub.challenge=x%20y";
    let url = receiver.url_of("receiver.test", target);
    let answer = out.get(&url).await.unwrap();
    assert_eq!((answer.status, &*answer.body), (200, &b"x y"[..]));
    assert_eq!(answer.retry_after, None);
    assert_eq!(answer.address, receiver.address().ip());

    let [request] = &receiver.received(1).await[..] else {
        panic!()
    };
    assert_eq!((&*request.method, &*request.target), ("GET", target));
    // No referer, no cookies, no codings.
    let mut fields: Vec<&str> = request.fields.iter().map(|(name, _)| &**name).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["accept", "host", "user-agent"]);
    let agent = "ReviewsService/1.0 (+WebSub hub)";
    assert_eq!(request.field("user-agent"), agent);
    let host = format!("receiver.test:{}", receiver.address().port());
    assert_eq!(request.field("host"), host);
}
