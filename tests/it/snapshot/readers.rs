//! Clients that read an answer while snapshots change, and compression of superseded snapshots.

use super::*;

/// A client that has read the beginning of an answer.
struct Reader {
    first: Bytes,
    rest: BoxStream<'static, std::io::Result<Bytes>>,
}

impl Reader {
    async fn begin(app: &TestApp, target: &str) -> Self {
        Self::begin_in(app, target, "identity").await
    }

    async fn begin_in(app: &TestApp, target: &str, coding: &str) -> Self {
        let request = Request::builder()
            .uri(target.parse().unwrap())
            .header("host", HOST)
            .header("accept-encoding", coding)
            .finish();
        let response = app.app().endpoint.get_response(request).await;
        let mut rest = response.into_body().into_bytes_stream().boxed();
        let first = rest.next().await.unwrap().unwrap();
        Self { first, rest }
    }

    async fn finish(self) -> std::io::Result<Vec<u8>> {
        let mut whole = self.first.to_vec();
        let mut rest = self.rest;
        while let Some(piece) = rest.next().await {
            whole.extend_from_slice(&piece?);
        }
        Ok(whole)
    }
}

/// A write that changes every document.
async fn change(app: &TestApp, number: usize) {
    app.shell(&format!("replace into review (review_id, rating, reviewed_on, text) values ('c-{number}', 1, '2026-11-20', 'c')"))
        .await;
}

#[tokio::test]
async fn a_half_read_answer_ends_with_bytes_of_the_same_snapshot() {
    let app = TestApp::with(&Generator::new(51).reviews(400)).await;
    for target in [
        "/reviews.json",
        "/api/feed.json",
        "/feed.xml",
        "/insights.json",
        "/api/reviews/since/2024-06-01",
        "/api/reviews/search?limit=100",
    ] {
        let before = app.get(target).await.body;
        let reader = Reader::begin(&app, target).await;
        app.shell(
            "update review set author = author || '!', rating = 6 - rating, reviewed_on = date(reviewed_on, '+1 day');
             delete from review where review_id in (select review_id from review limit 20)",
        )
        .await;
        assert!(app.get(target).await.body != before, "{target} has changed");
        assert!(
            reader.finish().await.unwrap() == before,
            "{target} did not change"
        );
    }
}

#[tokio::test]
async fn readers_are_served_for_four_snapshots_and_then_cut_off() {
    // More than one frame of 128 KiB in every coding.
    let mut generator = Generator::new(52);
    let mut reviews = generator.reviews(60);
    for review in &mut reviews {
        let digits = (0..300).map(|_| format!("{:016x}", generator.below(usize::MAX)));
        review.title = Some(digits.collect());
    }
    for coding in ["identity", "br", "gzip"] {
        let app = TestApp::with(&reviews).await;
        let mut readers = Vec::new();
        for number in 0..5 {
            let whole = app
                .get_with("/reviews.json", &[("accept-encoding", coding)])
                .await;
            let sent = whole.header("content-encoding");
            assert!(
                sent == coding || sent.is_empty() && coding == "identity",
                "{sent}"
            );
            assert!(whole.body.len() > 131_072, "{}", whole.body.len());
            readers.push((
                Reader::begin_in(&app, "/reviews.json", coding).await,
                whole.body,
            ));
            change(&app, number).await;
        }
        for (number, (reader, whole)) in readers.into_iter().enumerate() {
            match reader.finish().await {
                Ok(body) => assert!(number > 0 && body == whole, "{coding}: reader {number}"),
                Err(_) => assert_eq!(
                    number, 0,
                    "{coding}: only the oldest is five snapshots behind"
                ),
            }
        }
    }
}

#[tokio::test]
async fn a_single_reader_is_served_despite_many_changes() {
    let app = TestApp::with(&Generator::new(53).reviews(300)).await;
    let whole = app.get("/reviews.json").await.body;
    let reader = Reader::begin(&app, "/reviews.json").await;
    for number in 0..8 {
        change(&app, number).await;
    }
    assert_eq!(reader.finish().await.unwrap(), whole);
}

#[tokio::test]
async fn snapshots_without_readers_are_freed() {
    let app = TestApp::with(&Generator::new(54).reviews(50)).await;
    let mut old: Vec<Weak<Snapshot>> = Vec::new();
    let reader = Reader::begin(&app, "/reviews.json").await;
    for number in 0..7 {
        old.push(Arc::downgrade(&app.app().ctx.current.load()));
        change(&app, number).await;
    }
    assert_eq!(
        old.iter().map(Weak::strong_count).collect::<Vec<_>>(),
        [1, 0, 0, 0, 0, 0, 0],
        "one reader holds one snapshot"
    );
    drop(reader);
    assert_eq!(old[0].strong_count(), 0);
}

#[tokio::test]
async fn compression_of_a_superseded_snapshot_is_abandoned() {
    let rig = PublisherRig::open().await;
    rig.write(&Generator::new(55).reviews(300)).await;
    let first = rig.fresh().await;
    rig.run("update review set author = 'changed', text = 'changed too'")
        .await;
    let second = rig.publisher.next(&first).await.unwrap().unwrap();
    let ctx = Arc::new(Ctx::new(
        CurrentSnapshot::new(first),
        links(),
        rig.clock.clone(),
        Nets::default(),
    ));
    let (code, first) = (
        Precompress::new(Arc::clone(&ctx), Vec::new(), Arc::new(|_| Vec::new())),
        ctx.current.load(),
    );
    let codings = [Coding::Gzip, Coding::Brotli];
    let mut coding = Box::pin(code.run_once(&codings));
    // Another thread makes the first coding.
    assert_eq!(coding.as_mut().now_or_never(), None);
    ctx.current.swap(second);
    coding.await;
    code.run_once(&codings).await;
    let ready = |snapshot: &Snapshot| {
        snapshot
            .documents()
            .map(|printed| printed.body.codings().count())
            .sum::<usize>()
    };
    // Codings of documents that both snapshots share are also in the second one; of the others at most the one in progress.
    let mut of_first = first.document(Document::Reviews).body.codings();
    assert_eq!(
        of_first.next(),
        None,
        "the largest body, which comes last, was not started"
    );
    let now = ctx.current.load();
    assert_eq!(
        ready(&now),
        Document::ALL.len() * Coding::ALL.len(),
        "all codings of the newest"
    );
    assert!(ready(&first) < ready(&now));
}

#[tokio::test]
async fn a_long_body_pauses_after_each_burst() {
    let app = TestApp::uncoded(&Generator::new(77).reviews(3_000)).await;
    let request = Request::builder()
        .uri("/reviews.json".parse().unwrap())
        .header("host", HOST)
        .finish();
    let response = app.app().endpoint.get_response(request).await;
    let mut body = response.into_body().into_bytes_stream().boxed();
    let (mut burst, mut longest, mut bytes) = (0, 0, 0);
    loop {
        match futures_util::poll!(body.next()) {
            Poll::Ready(Some(frame)) => burst += frame.unwrap().len(),
            Poll::Ready(None) => break,
            Poll::Pending => (longest, bytes, burst) = (longest.max(burst), bytes + burst, 0),
        }
    }
    assert!(bytes > 1 << 20, "{bytes}");
    assert!(longest < (256 + 128) * 1024, "{longest} at a time");
}
