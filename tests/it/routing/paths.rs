//! Unknown paths, and other spellings of known ones.

use poem::http::Method;

use super::{GUESSED, service};

#[tokio::test]
async fn an_unknown_path_is_a_404_for_every_request() {
    let app = service().await;
    let unknown = "/nothing /reviews /reviews/ /reviews.json/ /reviews.jsonx /Reviews.json //reviews.json /insights.json/ /insights/ \
        /feed.xml/ /feed.json /api/ /api/feed.json/ /api/reviews/ /api/reviews/search/ /api/reviews/since /api/reviews/since/ \
        /api/reviews/since/2025-01-01/ /api/reviews/since/2025-01-01/2025-01-02 /api/reviews/none /api/reviews/r-00001/ \
        /api/reviews/r-00001/x /api/reviews/R-00001 /api/reviews/a%20b /api/reviews/%FF /api/reviews/%00 /api/reviews/.. \
        /api/reviews/%2e%2e%2fsearch /reviews/none /reviews/%FF /reviews/r-00001/ /reviews/%3Cscript%3E /docs// \
        /%2Freviews.json /api%2Freviews%2Fsearch /%2572eviews.json /docs/index.html /.well-known/openapi.json/ /.well-known/ \
        /healthz/ /metrics/x /.env /index.php?q=1";
    for target in unknown.split(' ') {
        for method in [Method::GET, Method::HEAD] {
            let answer = app.send(method.clone(), target, &[]).await;
            assert_eq!(answer.status, 404, "{method} {target}");
        }
        // A path that matches a route with an ID has the methods of that route.
        let other = app.send(Method::POST, target, &[]).await.status;
        assert!(other == 404 || other == 405, "POST {target}: {other}");
    }
    let unknown = app.json("/nothing").await;
    assert_eq!(
        (&unknown["type"], &unknown["title"]),
        (&"about:blank".into(), &"Not Found".into())
    );
    assert!(unknown.get("issues").is_none());
}

#[tokio::test]
async fn commonly_guessed_paths_redirect_to_the_right_ones() {
    let app = service().await;
    for (path, found) in GUESSED {
        for (method, query) in [
            (Method::GET, ""),
            (Method::HEAD, ""),
            (Method::GET, "?rating=5&query=a%20b"),
        ] {
            let answer = app.send(method, &format!("{path}{query}"), &[]).await;
            let location = answer.header("location");
            assert_eq!(answer.status, 308, "{path}");
            // Relative, because a proxy may strip the path of the base URL.
            let is_relative = !location.starts_with('/') && !location.contains("//");
            assert!(is_relative, "{location}");
            for base in ["https://reviews.sample.test", "https://example.com/reviews"] {
                let from: url::Url = format!("{base}{path}").parse().unwrap();
                let target = from.join(location).unwrap();
                assert_eq!(target.as_str(), format!("{base}{found}{query}"), "{path}");
            }
        }
        assert_eq!(app.get(found).await.status, 200, "{found}");
    }
}
