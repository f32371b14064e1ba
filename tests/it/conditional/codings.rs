//! Content codings: every document is compressed ahead in each, with its own tag (RFC 9110 §8.4, §12.5.3).

use super::*;

fn decode(coding: &str, coded: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    if coding == "br" {
        let mut decoder = brotli::Decompressor::new(coded, 4096);
        decoder.read_to_end(&mut plain).unwrap();
        return plain;
    }
    let mut decoder = flate2::bufread::GzDecoder::new(coded);
    decoder.read_to_end(&mut plain).unwrap();
    // curl stops after the first member, so there must not be a second.
    assert!(decoder.into_inner().is_empty());
    plain
}

async fn in_coding(app: &TestApp, target: &str, accepted: &str) -> Answer {
    app.get_with(target, &[("accept-encoding", accepted)]).await
}

#[tokio::test]
async fn every_document_is_offered_in_every_coding() {
    // Enough for several segments.
    let app = TestApp::with(&Generator::new(54).reviews(500)).await;
    app.app().precompress().await;
    for target in CODED {
        let plain = app.get(target).await;
        let digest = plain.header("etag").trim_matches('"').to_owned();
        assert!(plain.headers.get("content-encoding").is_none(), "{target}");
        for coding in CODINGS {
            let place = format!("{target} in {coding}");
            let coded = in_coding(&app, target, coding).await;
            assert_eq!(coded.header("content-encoding"), coding, "{place}");
            let tag = format!("\"{digest}-{coding}\"");
            assert_eq!(coded.header("etag"), tag, "{place}");
            assert!(coded.body.len() < plain.body.len(), "{place}");
            assert!(decode(coding, &coded.body) == plain.body, "{place}");
            for same in "content-type last-modified link vary cache-control".split(' ') {
                assert_eq!(coded.header(same), plain.header(same), "{place}");
            }
            let again = in_coding(&app, target, coding).await;
            assert!(again.body == coded.body, "{place}: other bytes, same tag");
        }
    }
}

#[tokio::test]
async fn a_tag_of_any_coding_is_that_of_the_same_document() {
    let app = service().await;
    for target in CODED {
        let plain = app.get(target).await;
        let tag = plain.header("etag").trim_matches('"');
        for suffix in ["", "-gzip", "-br"] {
            let tag = format!("\"{tag}{suffix}\"");
            for accepted in ["identity", "gzip", "br"] {
                let headers = [
                    ("if-none-match", tag.as_str()),
                    ("accept-encoding", accepted),
                ];
                let answer = app.get_with(target, &headers).await;
                assert_eq!(answer.status, 304, "{target} {headers:?}");
                answer.check_repeats(&in_coding(&app, target, accepted).await, target);
            }
        }
    }
}

#[tokio::test]
async fn answers_made_for_one_request_are_not_compressed() {
    let app = service().await;
    for target in [
        "/api/reviews/since/2024-01-01",
        "/api/reviews/search?limit=100",
        "/api/reviews/r-00001",
    ] {
        let plain = app.get(target).await;
        let answer = in_coding(&app, target, "gzip, br, zstd, *;q=0.1").await;
        assert_eq!(answer.headers, plain.headers, "{target}");
        assert!(answer.body == plain.body, "{target}");
    }
}
