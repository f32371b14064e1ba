//! Content codings: every document is compressed ahead in each, with its own tag (RFC 9110 §8.4, §12.5.3).

use super::*;

fn decode(coding: &str, coded: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    match coding {
        "gzip" => {
            let mut decoder = flate2::bufread::GzDecoder::new(coded);
            decoder.read_to_end(&mut plain).unwrap();
            // curl stops after the first member, so there must not be a second.
            assert!(
                decoder.into_inner().is_empty(),
                "the gzip has several members"
            );
        }
        "br" => {
            brotli::Decompressor::new(coded, 4096)
                .read_to_end(&mut plain)
                .unwrap();
        }
        other => panic!("{other}"),
    }
    plain
}

async fn in_coding(app: &TestApp, target: &str, accepted: &str) -> Answer {
    app.get_with(target, &[("accept-encoding", accepted)]).await
}

#[tokio::test]
async fn every_document_is_offered_in_every_coding() {
    let app = service().await;
    for target in CODED {
        let plain = app.get(target).await;
        let digest = plain.header("etag").trim_matches('"').to_owned();
        assert!(plain.headers.get("content-encoding").is_none(), "{target}");
        let mut tags = vec![plain.header("etag").to_owned()];
        for coding in CODINGS {
            let coded = in_coding(&app, target, coding).await;
            assert_eq!(
                (coded.status, coded.header("content-encoding")),
                (200, coding),
                "{target}"
            );
            assert_eq!(
                coded.header("etag"),
                format!("\"{digest}-{coding}\""),
                "{target}"
            );
            assert!(
                coded.body.len() < plain.body.len(),
                "{target} in {coding} is not smaller"
            );
            assert_eq!(
                decode(coding, &coded.body),
                plain.body,
                "{target} in {coding}"
            );
            for same in [
                "content-type",
                "last-modified",
                "link",
                "vary",
                "cache-control",
            ] {
                assert_eq!(
                    coded.headers.get(same),
                    plain.headers.get(same),
                    "{target} in {coding}: {same}"
                );
            }
            assert_eq!(
                in_coding(&app, target, coding).await.body,
                coded.body,
                "{target} in {coding}: other bytes, same tag"
            );
            tags.push(coded.header("etag").to_owned());
        }
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 1 + CODINGS.len(), "{target}: {tags:?}");
        for tag in &tags {
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
        assert_eq!(
            (answer.status, &answer.headers, &answer.body),
            (200, &plain.headers, &plain.body),
            "{target}"
        );
        assert_eq!(
            in_coding(&app, target, "identity;q=0, gzip").await.status,
            406,
            "{target}"
        );
    }
}

#[tokio::test]
async fn a_client_that_accepts_no_coding_of_ours_gets_406() {
    let app = service().await;
    for target in TAGGED {
        let chosen = in_coding(&app, target, "identity;q=0, *").await;
        let is_coded = CODED.contains(&target) || target == "/";
        assert_eq!(chosen.status == 200, is_coded, "{target}");
        for accepted in ["*;q=0", "identity;q=0, br;q=0, gzip;q=0"] {
            let refused = in_coding(&app, target, accepted).await;
            assert_eq!(refused.status, 406, "{target}: {accepted}");
            assert_eq!(refused.header("vary"), "Accept-Encoding", "{target}");
        }
    }
}
