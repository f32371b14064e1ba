//! What an operator asks a running service: figures, readiness, and both on a listener of their own.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use reviews_service::metrics;
use reviews_service::metrics::{Metric, MetricKind};
use reviews_service::websub::http_client::Failure;

use super::{Home, NEVER, Serving, request, reviews, said};
use crate::support::sqlite3;

/// The value of a series, as `/metrics` shows it.
fn value(figures: &str, series: &str) -> Option<f64> {
    let lines = figures.lines().filter_map(|line| line.rsplit_once(' '));
    lines
        .filter(|(its, _)| *its == series)
        .find_map(|(_, value)| value.parse().ok())
}

fn count_of(metric: &Metric) -> usize {
    metric
        .labels
        .iter()
        .map(|(_, values)| values.len())
        .product()
}

#[test]
fn every_metric_has_its_help_and_every_series_that_alerts_ask_for_is_there_before_its_first_event()
{
    let serving = Home::with(3);
    let serving = serving.serve();
    // Latencies of a route begin with its first answer.
    let _ = serving.get("/healthz");
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
            "{} is no {kind}",
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
        assert!(found.count() >= count_of(metric).max(1), "{}", metric.name);
    }
    for series in [
        r#"reviews_http_requests_total{route="/reviews.json",status="5xx"}"#,
        r#"reviews_http_requests_total{route="/mcp",status="5xx"}"#,
        r#"reviews_http_connections_refused_total{reason="peer"}"#,
        r#"reviews_search_index_total{outcome="failed"}"#,
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
fn an_idle_service_has_at_most_300_series() {
    let serving = Home::with(3);
    let serving = serving.serve();
    for probe in ["/healthz", "/readyz", "/metrics"] {
        let _ = serving.get(probe);
    }
    let figures = serving.get("/metrics");
    let series = figures
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let count = series.count();
    assert!(count <= 300, "{count} series");
    // Names of assets change with each release.
    assert!(figures.contains(r#"route="/assets/:file""#));
    assert_eq!(figures.matches("route=\"/assets/").count(), 2, "{figures}");
}

#[test]
fn the_process_is_measured_as_every_client_of_prometheus_does() {
    let home = Home::with(3);
    let serving = home.serve();
    let figures = serving.get("/metrics");
    let of = |name: &str| value(&figures, name).unwrap_or_else(|| panic!("no {name}"));
    assert!(of("process_resident_memory_bytes") > 10_000_000.0);
    assert!(of("process_virtual_memory_bytes") >= of("process_resident_memory_bytes"));
    assert!(of("process_open_fds") > 3.0 && of("process_open_fds") < of("process_max_fds"));
    assert!(of("process_threads") >= 2.0);
    assert!((0.0..3_600.0).contains(&of("process_cpu_seconds_total")));
}

#[test]
fn every_reason_for_which_an_exchange_can_fail_is_known_ahead() {
    let (_, reasons) = metrics::HUB_FAILED.labels[1];
    for name in Failure::ALL.map(Failure::name) {
        assert!(reasons.contains(&name), "{name} is no series");
    }
}

#[test]
fn the_snapshot_and_the_database_are_measured_when_they_are_asked_for() {
    let home = Home::with(40);
    let serving = home.serve();
    let figures = serving.get("/metrics");
    let of = |series: &str| value(&figures, series).unwrap_or_else(|| panic!("no {series}"));
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
    // The first to come sends for the hub, and says so.
    serving.wait_for("/metrics", "\nreviews_websub_sender 1\n");
    let second = home.serve();
    assert_eq!(
        value(&second.get("/metrics"), "reviews_websub_sender"),
        Some(0.0)
    );
}

/// Where a service that was started with a listener for operators has it.
fn operators(serving: &Serving) -> SocketAddr {
    let (_, rest) = serving.greeting.split_once("for operators on ").unwrap();
    rest.lines().next().unwrap().parse().unwrap()
}

/// The whole answer, head and body.
fn ask(address: SocketAddr, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(NEVER)).unwrap();
    stream.write_all(request(target).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn operators_have_a_listener_of_their_own_and_the_figures_are_nowhere_else() {
    let home = Home::with(3);
    let serving = Serving::start(
        reviews(home.0.path())
            .arg("serve")
            .env("REVIEWS_ADMIN_LISTEN", "127.0.0.1:0"),
    );
    let admin = operators(&serving);
    assert!(
        serving
            .greeting
            .contains(&format!("http://{admin}/metrics"))
    );
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
        let answer = ask(address, target);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{address}{target}: {answer}"
        );
    }
    assert!(ask(admin, "/metrics").contains("\nreviews_published 3\n"));
    let taken = said(reviews(home.0.path()).args(["serve", "--admin-listen", &admin.to_string()]));
    assert_eq!(taken.code, Some(2));
    assert!(
        taken
            .err
            .contains("set REVIEWS_ADMIN_LISTEN to another address"),
        "{}",
        taken.err
    );
}

#[test]
fn while_it_stops_operators_are_told_so_to_the_end() {
    let home = Home::with(60);
    // Some 20 MB, of which the sockets hold only a part.
    sqlite3(
        &home.path(),
        "update review set author = hex(zeroblob(160000))",
    );
    let serving = Serving::start(
        reviews(home.0.path())
            .arg("serve")
            .env("REVIEWS_ADMIN_LISTEN", "127.0.0.1:0"),
    );
    let admin = operators(&serving);
    let mut slow = serving.connect();
    slow.write_all(request("/reviews.json").as_bytes()).unwrap();
    let mut answer = vec![0; 1_000];
    slow.read_exact(&mut answer).unwrap();
    serving.signal("TERM");
    while TcpStream::connect_timeout(&serving.address, NEVER).is_ok() {
        std::thread::yield_now();
    }
    assert!(ask(admin, "/readyz").starts_with("HTTP/1.1 503 "));
    assert!(ask(admin, "/healthz").starts_with("HTTP/1.1 200 "));
    let check =
        said(reviews(home.0.path()).args(["healthcheck", "--admin-listen", &admin.to_string()]));
    assert_eq!(check.code, Some(2), "{}", check.out);
    assert!(
        check.err.contains("503: The service is stopping"),
        "{}",
        check.err
    );
    slow.read_to_end(&mut answer).unwrap();
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn healthcheck_asks_where_the_service_listens() {
    let home = Home::with(1);
    let serving = home.serve();
    let address = serving.address.to_string();
    let check = |words: &[&str]| {
        said(
            reviews(home.0.path())
                .env("REVIEWS_LISTEN", &address)
                .arg("healthcheck")
                .args(words),
        )
    };
    let (ready, live) = (check(&[]), check(&["--live"]));
    assert_eq!(
        (ready.code, ready.out.as_str()),
        (Some(0), "ready\n"),
        "{}",
        ready.err
    );
    assert_eq!(
        (live.code, live.out.as_str()),
        (Some(0), "ok\n"),
        "{}",
        live.err
    );
    let every = format!("0.0.0.0:{}", serving.address.port());
    assert_eq!(check(&["--listen", &every]).code, Some(0));
    let free = check(&["--listen", "127.0.0.1:0"]);
    assert!(
        free.code == Some(2) && free.err.contains("--listen ADDR:PORT"),
        "{}",
        free.err
    );
    serving.kill();
    let gone = check(&[]);
    assert!(
        gone.code == Some(2) && gone.err.contains("check that the service is running"),
        "{}",
        gone.err
    );
}
