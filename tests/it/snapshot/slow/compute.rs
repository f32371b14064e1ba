//! CPU work and the thread that accepts connections, which is the test's own thread here.

use super::*;

const COMPARED: &str = "/api/compare?first_since=2020-01-01&first_until=2020-12-31&second_since=2021-01-01&second_until=2021-12-31";
/// The number of requests of one peer that can wait for a slot.
const WAITING_MAX: usize = 64;

type Asked<'a> = Pin<Box<dyn Future<Output = Answer> + 'a>>;

/// A request that waits for a slot.
async fn waiting<'a>(app: &'a TestApp, peer: &'a str, target: &'a str) -> Asked<'a> {
    let mut asked: Asked<'_> = Box::pin(app.ask_from(Some(peer), Method::GET, target, &[], ()));
    assert!(poll!(&mut asked).is_pending(), "{target} was answered");
    asked
}

#[tokio::test]
async fn documents_small_searches_and_the_hub_need_no_slot() {
    let app = TestApp::seeded().await;
    let held = app.hold_slots();
    let targets = "/business.json /reviews.json /insights.json /insights.json?unknown=1 /api/feed.json /feed.xml \
        /healthz /readyz /docs /.well-known/openapi.json /badge.svg /api/reviews/since/2000-01-01 /api/reviews/search?rating=5 /api/reviews/search?query=zyxglint \
        /search?mentions_area=Mesa /search.atom?max_rating=2";
    for target in targets.split(' ') {
        assert_eq!(app.get(target).await.status, 200, "{target}");
    }
    let request = [
        ("hub.mode", "subscribe"),
        ("hub.topic", "https://reviews.sample.test/reviews.json"),
        ("hub.callback", "https://subscriber.example.com/"),
    ];
    assert_eq!(app.post_hub(&request).await.status, 202);
    drop(held);
}

#[tokio::test]
async fn a_peer_with_too_many_waiting_requests_gets_503() {
    let app = TestApp::with(&Generator::new(5).reviews(3)).await;
    let held = app.hold_slots();
    let mut greedy = Vec::new();
    for _ in 0..WAITING_MAX {
        greedy.push(waiting(&app, "192.0.2.1", COMPARED).await);
    }
    let refused = app.ask_from(Some("192.0.2.1"), Method::GET, COMPARED, &[], ());
    let refused = refused.await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
    let other = waiting(&app, "192.0.2.2", COMPARED).await;
    drop(greedy);
    drop(held);
    assert_eq!(other.await.status, 200);
}

#[tokio::test]
async fn publishing_leaves_the_accepting_thread_free() {
    let app = TestApp::empty().await;
    app.sql("insert into review (review_id, rating, reviewed_on, text) values ('a', 5, '2026-11-01', 'Great work.')");
    // More work than there are slots for jobs; it lasts until `release` is dropped.
    let (release, held) = mpsc::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let compute = &app.app().ctx.compute;
    let mut work = Vec::new();
    for _ in 0..64 {
        let held = Arc::clone(&held);
        let mut one = Box::pin(compute.run(move || held.lock().unwrap().recv().unwrap_err()));
        assert!(poll!(&mut one).is_pending());
        work.push(one);
    }
    let mut drain = Box::pin(app.drain());
    for _ in 0..100 {
        assert!(poll!(&mut drain).is_pending(), "published without a slot");
        let ready = app.json("/reviews.json").await;
        assert_eq!(ready["aggregate_rating"]["review_count"], 0);
        // Lets the reads of the publisher's other threads arrive.
        assert_eq!(app.sql("select count(*) from review"), "1");
    }
    drop(release);
    futures_util::future::join(futures_util::future::join_all(work), drain).await;
    let published = app.json("/reviews.json").await;
    assert_eq!(published["aggregate_rating"]["review_count"], 1);
}
