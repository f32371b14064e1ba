//! Metrics, readiness and liveness of a running service, and the admin listener.

use super::*;

/// A service with an admin listener, whose address is in the greeting.
fn serve_with_admin(home: &Home) -> (Serving, SocketAddr) {
    let serving = home.command("serve --admin-listen 127.0.0.1:0").serve();
    let admin = admin_address(&serving.greeting);
    (serving, admin)
}

#[test]
fn with_an_admin_listener_metrics_are_served_only_there() {
    let home = Home::with(3);
    let (serving, admin) = serve_with_admin(&home);
    assert_has(&serving.greeting, &format!("http://{admin}/metrics"));
    for [target, of_admin, of_service] in table(
        "
        /metrics → 200 → 404
        /healthz → 200 → 200
        /readyz → 200 → 200
        /reviews.json → 404 → 200
        / → 404 → 200
        ",
    ) {
        for (address, status) in [(admin, of_admin), (serving.address, of_service)] {
            let answer = response(address, target);
            let is_right = answer.starts_with(&format!("HTTP/1.1 {status} "));
            assert!(is_right, "{address}{target}: {answer}");
        }
    }
    assert_has(&response(admin, "/metrics"), "\nreviews_published 3\n");
    home.run_err(
        format!("serve --admin-listen {admin}"),
        "set REVIEWS_ADMIN_LISTEN to another address",
    );
}

#[test]
fn a_damaged_text_index_is_built_again_at_the_next_start() {
    let home = Home::with(3);
    home.serve().stop();
    home.sql("update review_fts_data set block = zeroblob(3)");
    let serving = home.serve();
    assert_eq!(serving.get("/readyz"), "ready\n");
    serving.stop();
    home.run("check").done();
    home.sql("update review_fts_content set c0 = 'other' where id = 1");
    let advice = "insert into review_fts (review_fts) values ('rebuild'); delete from review_fts";
    assert_has(&home.run("check").out, advice);
    home.sql(advice);
    home.serve().stop();
    home.run("check").done();
}

#[test]
fn healthcheck_uses_the_address_of_the_service() {
    let home = Home::with(1);
    let serving = home.serve();
    let address = serving.address.to_string();
    let check = |words: &str| home.command(words).env("REVIEWS_LISTEN", &address).run();
    let every = format!("healthcheck --listen 0.0.0.0:{}", serving.address.port());
    for words in ["healthcheck", &every] {
        let ready = check(words);
        ready.done();
        assert_eq!(ready.out, "ready\n");
    }
    serving.stop();
    check("healthcheck").failed("check that the service is running");
}
