//! Unknown paths, and other spellings of known ones.

use poem::http::Method;

use super::service;

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
    // No condition changes an error.
    let condition = ("if-none-match", "*");
    for target in unknown.split(' ') {
        for method in [Method::GET, Method::HEAD] {
            let answer = app.send(method.clone(), target, &[condition]).await;
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
