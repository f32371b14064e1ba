//! Clients that read an answer while snapshots change, and compression of superseded snapshots.

use super::*;

/// A client that has read the beginning of an answer.
struct Reader {
    first: Bytes,
    rest: BoxStream<'static, std::io::Result<Bytes>>,
}

impl Reader {
    async fn begin(app: &TestApp, target: &str, coding: &str) -> Self {
        let mut rest = stream(app, target, coding).await;
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

/// The pieces of an answer's body.
async fn stream(
    app: &TestApp,
    target: &str,
    coding: &str,
) -> BoxStream<'static, std::io::Result<Bytes>> {
    let request = Request::builder()
        .uri_str(target)
        .header("host", HOST)
        .header("accept-encoding", coding)
        .finish();
    let response = app.app().endpoint.get_response(request).await;
    response.into_body().into_bytes_stream().boxed()
}

/// A write that changes every document.
async fn change(app: &TestApp, number: usize) {
    app.shell(&format!("replace into review (review_id, rating, reviewed_on, text) values ('c-{number}', 1, '2026-11-20', 'c')"))
        .await;
}

#[tokio::test]
async fn a_half_read_answer_ends_with_bytes_of_the_same_snapshot() {
    let app = TestApp::with(&Generator::new(51).reviews(400)).await;
    let targets = "/reviews.json /api/feed.json /feed.xml /insights.json /api/reviews/since/2024-06-01 \
        /api/reviews/search?limit=100";
    for target in targets.split(' ') {
        let before = app.get(target).await.body;
        let reader = Reader::begin(&app, target, "identity").await;
        app.shell(
            "update review set author = author || '!', rating = 6 - rating, reviewed_on = date(reviewed_on, '+1 day');
             delete from review where review_id in (select review_id from review limit 20)",
        )
        .await;
        assert!(app.get(target).await.body != before, "{target}");
        assert!(reader.finish().await.unwrap() == before, "{target}");
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
            let accepted = [("accept-encoding", coding)];
            let whole = app.get_with("/reviews.json", &accepted).await;
            let sent = whole.header("content-encoding");
            assert_eq!(sent, coding.trim_start_matches("identity"));
            assert!(whole.body.len() > 131_072, "{}", whole.body.len());
            let reader = Reader::begin(&app, "/reviews.json", coding).await;
            readers.push((reader, whole.body));
            change(&app, number).await;
        }
        // Only the oldest is five snapshots behind.
        for (number, (reader, whole)) in readers.into_iter().enumerate() {
            let body = reader.finish().await.ok();
            let expected = (number > 0).then_some(whole);
            assert!(body == expected, "{coding}: reader {number}");
        }
    }
}

#[tokio::test]
async fn a_snapshot_is_kept_for_a_reader_and_then_freed() {
    let app = TestApp::with(&Generator::new(54).reviews(300)).await;
    let whole = app.get("/reviews.json").await.body;
    let mut old: Vec<Weak<Snapshot>> = Vec::new();
    let reader = Reader::begin(&app, "/reviews.json", "identity").await;
    for number in 0..7 {
        old.push(Arc::downgrade(&app.app().ctx.current.load()));
        change(&app, number).await;
    }
    // One reader holds one snapshot.
    let held: Vec<usize> = old.iter().map(Weak::strong_count).collect();
    assert_eq!(held, [1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(reader.finish().await.unwrap(), whole);
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
    let current = CurrentSnapshot::new(first);
    let ctx = Ctx::new(current, rig.clock.clone(), Nets::default());
    let ctx = Arc::new(ctx);
    let precompress = Precompress::new(Arc::clone(&ctx), Vec::new(), Arc::new(|_| Vec::new()));
    let first = ctx.current.load();
    let codings = [Coding::Gzip, Coding::Brotli];
    let mut coding = Box::pin(precompress.run_once(&codings));
    // Another thread makes the first coding.
    assert_eq!(coding.as_mut().now_or_never(), None);
    ctx.current.swap(second);
    coding.await;
    precompress.run_once(&codings).await;
    let ready = |snapshot: &Snapshot| {
        let documents = snapshot.documents();
        let codings = documents.map(|document| document.body.codings().count());
        codings.sum::<usize>()
    };
    // Codings of documents that both snapshots share are also in the second one; of the others at most the one in progress.
    // The largest body, which comes last, was not started.
    let mut of_first = first.document(Document::Reviews).body.codings();
    assert_eq!(of_first.next(), None);
    let now = ctx.current.load();
    assert_eq!(ready(&now), Document::ALL.len() * Coding::ALL.len());
    assert!(ready(&first) < ready(&now));
}

#[tokio::test]
async fn a_long_body_pauses_after_each_burst() {
    let app = TestApp::uncoded(&Generator::new(77).reviews(3_000)).await;
    let mut body = stream(&app, "/reviews.json", "identity").await;
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
