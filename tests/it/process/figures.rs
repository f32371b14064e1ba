//! Metrics, readiness and liveness of a running service, and the admin listener.

use super::*;

/// The value of a series in `/metrics`.
fn value(figures: &str, series: &str) -> Option<f64> {
    let lines = figures.lines().filter_map(|line| line.rsplit_once(' '));
    lines
        .filter(|(its, _)| *its == series)
        .find_map(|(_, value)| value.parse().ok())
}

fn series_count(metric: &Metric) -> usize {
    metric
        .labels
        .iter()
        .map(|(_, values)| values.len())
        .product()
}

#[test]
fn metrics_are_few_have_help_and_exist_from_the_start() {
    let home = Home::with(3);
    home.sql("insert into sync_source (name, url, next_run_at) values ('google', 'https://shop.test/r', '2999-01-01T00:00:00Z')");
    let serving = home.serve();
    for probe in ["/healthz", "/readyz", "/metrics"] {
        let _ = serving.get(probe);
    }
    let figures = serving.get("/metrics");
    let series = figures
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let count = series.count();
    assert!(count <= 300, "{count} series of an idle service");
    // All assets share one route label, because their names change with each release.
    assert!(figures.contains(r#"route="/assets/:file""#));
    assert_eq!(figures.matches("route=\"/assets/").count(), 2, "{figures}");
    // A source has series once the service has read it.
    serving.wait_for("/metrics", "\nreviews_sync_interval_seconds{");
    let figures = serving.get("/metrics");
    for metric in metrics::ALL {
        let help = format!("# HELP {} {}\n", metric.name, metric.help);
        assert!(figures.contains(&help), "{help}");
        let kind = match metric.kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram(_) => "histogram",
        };
        assert!(
            figures.contains(&format!("# TYPE {} {kind}\n", metric.name)),
            "{} is not a {kind}",
            metric.name
        );
        let begin = match metric.kind {
            MetricKind::Histogram(_) => format!("{}_count", metric.name),
            MetricKind::Counter | MetricKind::Gauge => metric.name.to_owned(),
        };
        let found = figures.lines().filter(|line| {
            line.strip_prefix(&begin)
                .is_some_and(|rest| rest.starts_with(['{', ' ']))
        });
        assert!(
            found.count() >= series_count(metric).max(1),
            "{}",
            metric.name
        );
    }
    for series in [
        r#"reviews_http_requests_total{route="/reviews.json",status="5xx"}"#,
        r#"reviews_http_requests_total{route="/mcp",status="5xx"}"#,
        r#"reviews_http_connections_refused_total{reason="peer"}"#,
        r#"reviews_websub_failed_total{kind="delivery",reason="timed_out"}"#,
        "reviews_publish_failures_total",
        "reviews_publish_seconds_count",
        "reviews_websub_oldest_due_seconds",
    ] {
        assert_eq!(value(&figures, series), Some(0.0), "{series}");
    }
    let before = r#"reviews_http_requests_total{route="/reviews.json",status="2xx"}"#;
    assert_eq!(value(&figures, before), Some(0.0));
    let _ = serving.get("/reviews.json");
    let figures = serving.get("/metrics");
    assert_eq!(value(&figures, before), Some(1.0));
    let all = r#"reviews_http_request_seconds_bucket{route="/reviews.json",le="+Inf"}"#;
    assert_eq!(value(&figures, all), Some(1.0));
}

#[test]
fn every_failure_reason_of_the_hub_is_a_label_value() {
    let (_, reasons) = metrics::HUB_FAILED.labels[1];
    for name in Failure::ALL.map(Failure::name) {
        assert!(reasons.contains(&name), "no series for {name}");
    }
}

#[test]
fn process_snapshot_and_database_are_measured_at_every_scrape() {
    let home = Home::with(40);
    let serving = home.serve();
    let figures = serving.get("/metrics");
    let of = |series: &str| value(&figures, series).unwrap_or_else(|| panic!("no {series}"));
    assert!(of("process_resident_memory_bytes") > 10_000_000.0);
    assert!(of("process_virtual_memory_bytes") >= of("process_resident_memory_bytes"));
    assert!(of("process_open_fds") > 3.0 && of("process_open_fds") < of("process_max_fds"));
    assert!(of("process_threads") >= 2.0);
    assert!((0.0..3_600.0).contains(&of("process_cpu_seconds_total")));
    assert!((of("reviews_published") - 40.0).abs() < 0.5);
    let dataset = serving.get("/reviews.json").len();
    assert!(
        of(r#"reviews_snapshot_bytes{coding="identity"}"#)
            > f64::from(u32::try_from(dataset).unwrap())
    );
    let file = fs::metadata(home.path()).unwrap().len();
    assert!(
        (of(r#"reviews_database_bytes{file="main"}"#) - f64::from(u32::try_from(file).unwrap()))
            .abs()
            < 0.5
    );
    assert!(of("reviews_snapshot_age_seconds") < NEVER.as_secs_f64());
    assert!(of("reviews_snapshot_behind_seconds").abs() < 0.001);
    assert!(of("process_start_time_seconds") > 1_700_000_000.0);
    let release = figures
        .lines()
        .find(|line| line.starts_with("reviews_build_info{"))
        .unwrap();
    for label in [
        concat!("version=\"", env!("CARGO_PKG_VERSION"), "\""),
        "commit=\"",
        "sqlite=\"3.",
    ] {
        assert!(release.contains(label), "{release}");
    }
    // The process that started first sends for the hub.
    serving.wait_for("/metrics", "\nreviews_websub_sender 1\n");
    let second = home.serve();
    assert_eq!(
        value(&second.get("/metrics"), "reviews_websub_sender"),
        Some(0.0)
    );
}

/// The address of the admin listener, from the greeting.
fn admin_address(serving: &Serving) -> SocketAddr {
    let (_, rest) = serving.greeting.split_once("for operators on ").unwrap();
    rest.lines().next().unwrap().parse().unwrap()
}

/// The answer, with head and body.
fn response(address: SocketAddr, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(NEVER)).unwrap();
    stream.write_all(request(target).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn with_an_admin_listener_metrics_are_served_only_there() {
    let home = Home::with(3);
    let serving = Serving::start(
        reviews(home.0.path())
            .arg("serve")
            .env("REVIEWS_ADMIN_LISTEN", "127.0.0.1:0"),
    );
    let admin = admin_address(&serving);
    assert_has(&serving.greeting, &format!("http://{admin}/metrics"));
    for (address, target, status) in [
        (admin, "/metrics", "200"),
        (admin, "/healthz", "200"),
        (admin, "/readyz", "200"),
        (admin, "/reviews.json", "404"),
        (admin, "/", "404"),
        (serving.address, "/metrics", "404"),
        (serving.address, "/healthz", "200"),
        (serving.address, "/readyz", "200"),
        (serving.address, "/reviews.json", "200"),
    ] {
        let answer = response(address, target);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{address}{target}: {answer}"
        );
    }
    assert!(response(admin, "/metrics").contains("\nreviews_published 3\n"));
    let taken =
        output_of(reviews(home.0.path()).args(["serve", "--admin-listen", &admin.to_string()]));
    assert_eq!(taken.code, Some(2));
    assert_has(&taken.err, "set REVIEWS_ADMIN_LISTEN to another address");
}

#[test]
fn a_stopping_service_finishes_answers_and_says_so_to_the_end() {
    let home = Home::large();
    let serving = Serving::start(
        reviews(home.0.path())
            .arg("serve")
            .env("REVIEWS_ADMIN_LISTEN", "127.0.0.1:0"),
    );
    let admin = admin_address(&serving);
    let (mut slow, mut answer) = serving.stop_in_flight();
    assert!(response(admin, "/readyz").starts_with("HTTP/1.1 503 "));
    assert!(response(admin, "/healthz").starts_with("HTTP/1.1 200 "));
    let check = output_of(reviews(home.0.path()).args([
        "healthcheck",
        "--admin-listen",
        &admin.to_string(),
    ]));
    assert_eq!(check.code, Some(2), "{}", check.out);
    assert_has(&check.err, "503: The service is stopping");
    slow.read_to_end(&mut answer).unwrap();
    let whole: Value = serde_json::from_str(&body(&answer, "/reviews.json")).unwrap();
    assert_eq!(whole["reviews"].as_array().unwrap().len(), 32);
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn healthcheck_uses_the_address_of_the_service() {
    let home = Home::with(1);
    let serving = home.serve();
    let address = serving.address.to_string();
    let check = |words: &[&str]| {
        output_of(
            reviews(home.0.path())
                .env("REVIEWS_LISTEN", &address)
                .arg("healthcheck")
                .args(words),
        )
    };
    let ready = check(&[]);
    assert_eq!(
        (ready.code, ready.out.as_str()),
        (Some(0), "ready\n"),
        "{}",
        ready.err
    );
    let every = format!("0.0.0.0:{}", serving.address.port());
    assert_eq!(check(&["--listen", &every]).code, Some(0));
    let free = check(&["--listen", "127.0.0.1:0"]);
    free.failed("--listen ADDR:PORT");
    serving.kill();
    let gone = check(&[]);
    gone.failed("check that the service is running");
}

#[test]
fn a_search_for_a_word_asks_the_text_index() {
    let home = Home::new();
    home.run_ok(
        &["seed", concat!(env!("CARGO_MANIFEST_DIR"), "/seeds")],
        "264 new",
    );
    let serving = home.serve();
    let counts = || {
        let figures = serving.get("/metrics");
        ["index", "texts", "failed"].map(|way| {
            let series = format!("reviews_text_searches_total{{way=\"{way}\"}}");
            value(&figures, &series).unwrap().to_string()
        })
    };
    assert_eq!(counts(), ["0", "0", "0"]);
    for (target, expected) in [
        ("/api/reviews/search?query=leak", ["1", "0", "0"]),
        ("/search.atom?query=water+heaters", ["2", "0", "0"]),
        ("/search?query=water+heaters", ["3", "0", "0"]),
        // Two letters; few reviews; a text that is not ASCII and is in no review, so that its words are searched, too.
        ("/api/reviews/search?query=ac", ["3", "1", "0"]),
        ("/api/reviews/search?query=the&rating=1", ["3", "2", "0"]),
        (
            "/api/reviews/search?query=calefacci%C3%B3n",
            ["4", "3", "0"],
        ),
    ] {
        let _ = serving.get(target);
        assert_eq!(counts(), expected, "{target}");
    }
    home.sql("drop table review_fts");
    assert!(
        serving
            .get("/api/reviews/search?query=leak")
            .contains("\"total\":")
    );
    assert_eq!(counts(), ["4", "3", "1"]);
}
