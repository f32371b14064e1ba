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
    let request = Request::builder().uri_str(target).header("host", HOST);
    let request = request.header("accept-encoding", coding).finish();
    let response = app.app().endpoint.get_response(request).await;
    response.into_body().into_bytes_stream().boxed()
}

/// A write that changes every document.
async fn change(app: &TestApp, number: usize) {
    app.shell(&format!("replace into review (review_id, rating, reviewed_on, text) values ('c-{number}', 1, '2026-11-20', 'c')"))
        .await;
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
            app.app().precompress().await;
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
