//! Metrics, readiness and liveness of a running service, and the admin listener.

use super::*;

/// The value of a series in `/metrics`.
fn value(figures: &str, series: &str) -> Option<f64> {
    let lines = figures.lines().filter_map(|line| line.rsplit_once(' '));
    let mut values = lines.filter(|(its, _)| *its == series);
    values.find_map(|(_, value)| value.parse().ok())
}

#[test]
fn metrics_are_few_have_help_and_exist_from_the_start() {
    let home = Home::with(3);
    home.file(
        "reviews.sync.toml",
        "[google]\nurl = 'https://shop.test/r'\n",
    );
    let serving = home.serve();
    for probe in ["/healthz", "/readyz", "/metrics"] {
        let _ = serving.get(probe);
    }
    let figures = serving.get("/metrics");
    let lines = figures.lines();
    let series = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let count = series.count();
    assert!(count <= 300, "{count} series of an idle service");
    // All assets share one route label, because their names change with each release.
    assert!(figures.contains(r#"route="/assets/:file""#));
    assert_eq!(figures.matches("route=\"/assets/").count(), 2, "{figures}");
    // An entry has series once the service has read it.
    serving.wait_for("/metrics", "\nreviews_sync_gone{");
    let figures = serving.get("/metrics");
    for metric in metrics::ALL {
        let name = metric.name;
        let (kind, first) = match metric.kind {
            MetricKind::Counter => ("counter", name.to_owned()),
            MetricKind::Gauge => ("gauge", name.to_owned()),
            MetricKind::Histogram(_) => ("histogram", format!("{name}_count")),
        };
        assert_has(&figures, &format!("# HELP {name} {}\n", metric.help));
        assert_has(&figures, &format!("# TYPE {name} {kind}\n"));
        let rests = figures.lines().filter_map(|line| line.strip_prefix(&first));
        let found = rests.filter(|rest| rest.starts_with(['{', ' '])).count();
        let labels = metric.labels.iter().map(|(_, values)| values.len());
        assert!(found >= labels.product::<usize>().max(1), "{name}");
    }
    // Every failure of the hub is a label value.
    let (_, reasons) = metrics::HUB_FAILED.labels[1];
    let mut failures = Failure::ALL.iter();
    assert!(failures.all(|failure| reasons.contains(&failure.name())));
    let before = r#"reviews_http_requests_total{route="/reviews.json",status="2xx"}"#;
    assert_eq!(value(&figures, before), Some(0.0));
    let _ = serving.get("/reviews.json");
    let figures = serving.get("/metrics");
    assert_eq!(value(&figures, before), Some(1.0));
    let all = r#"reviews_http_request_seconds_bucket{route="/reviews.json",le="+Inf"}"#;
    assert_eq!(value(&figures, all), Some(1.0));
}

/// A service with an admin listener, whose address is in the greeting.
fn serve_with_admin(home: &Home) -> (Serving, SocketAddr) {
    let serving = Serving::start(&mut home.command("serve --admin-listen 127.0.0.1:0"));
    let (_, rest) = serving.greeting.split_once("for operators on ").unwrap();
    let admin = rest.lines().next().unwrap().parse().unwrap();
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
fn a_stopping_service_finishes_answers_and_says_so_to_the_end() {
    let home = Home::large();
    let (serving, admin) = serve_with_admin(&home);
    let mut slow = serving.connect();
    slow.write_all(request("/reviews.json").as_bytes()).unwrap();
    let mut start = [0; 1_000];
    slow.read_exact(&mut start).unwrap();
    serving.signal(Signal::TERM);
    // The stop begins with closing the listener.
    wait_until("the listener is closed", || {
        TcpStream::connect_timeout(&serving.address, NEVER).is_err()
    });
    for (target, status) in [("/readyz", "503"), ("/healthz", "200")] {
        let head = format!("HTTP/1.1 {status} ");
        assert!(response(admin, target).starts_with(&head), "{target}");
    }
    let check = format!("healthcheck --admin-listen {admin}");
    home.run_err(&*check, "The service is stopping");
    let mut answer = String::from_utf8(start.into()).unwrap();
    slow.read_to_string(&mut answer).unwrap();
    let whole: Value = serde_json::from_str(&body(&answer, "/reviews.json")).unwrap();
    assert_eq!(whole["reviews"].as_array().unwrap().len(), 32);
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn healthcheck_uses_the_address_of_the_service() {
    let home = Home::with(1);
    let serving = home.serve();
    let address = serving.address.to_string();
    let check = |words: &str| output_of(home.command(words).env("REVIEWS_LISTEN", &address));
    let every = format!("healthcheck --listen 0.0.0.0:{}", serving.address.port());
    for words in ["healthcheck", &every] {
        let ready = check(words);
        ready.done();
        assert_eq!(ready.out, "ready\n");
    }
    serving.kill();
    check("healthcheck").failed("check that the service is running");
}
