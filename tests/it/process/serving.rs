//! A service until SIGTERM or SIGKILL, its whole log, and its metrics.

use socket2::{Domain, Socket, Type};

use super::*;

#[test]
fn no_log_line_contains_a_secret_even_at_level_trace() {
    let (home, secret) = (Home::with(2), "s3cr3t-of-a-subscriber");
    let mut command = home.process("serve");
    command.envs([
        ("RUST_LOG", "trace,tokio_cron_scheduler=trace"),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
    ]);
    let log = File::create(home.folder.path().join("log")).unwrap();
    let serving = ServingProcess::start_with_log(&mut command, log);
    let topic = format!("http://{}/reviews.json", serving.address);
    let answer = hub::post(
        &serving,
        &[
            ("hub.topic", &topic),
            ("hub.callback", "https://127.0.0.1:9/cb"),
            ("hub.secret", secret),
        ],
    );
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    wait_until("a delivery is recorded", || {
        home.sql("select count(last_outcome) from subscription;") != "0"
    });
    serving.stop();
    let log = home.read("log");
    assert!(log.contains("hub.nets_opened") && !log.contains(secret));
}

#[test]
#[ignore = "needs the shell `sqlite3`; run by ./verify"]
fn committed_rows_survive_sigkill_of_the_service_and_the_writer() {
    let home = Home::with(20);
    let serving = home.serve_process();
    // A shell commits rows one by one and prints their numbers until both processes are killed.
    let mut shell = Command::new("sqlite3");
    shell.arg("-batch").arg(home.path());
    let shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    let mut input = shell.stdin.take().unwrap();
    let insert = |number: usize| {
        format!(
            "insert into review (review_id, rating, reviewed_on, text) values ('k-{number}', 3, '2026-11-02', 'killed'); select {number};\n"
        )
    };
    input.write_all(b".timeout 5000\n").unwrap();
    let mut output = BufReader::new(shell.stdout.take().unwrap()).lines();
    for number in 1..=25 {
        input.write_all(insert(number).as_bytes()).unwrap();
        assert_eq!(output.next().unwrap().unwrap(), number.to_string());
    }
    // Any number of these rows may be committed before the kill.
    (26..225).for_each(|number| input.write_all(insert(number).as_bytes()).unwrap());
    serving.kill();
    shell.kill().unwrap();
    shell.wait().unwrap();
    home.run_ok("check", "reviews");
    let serving = home.serve_process();
    let ids = serving.ids();
    home.finds("select count(*) from review", &ids.len().to_string());
    for number in 1..=25 {
        let id = format!("k-{number}");
        assert!(ids.contains(&id), "committed row {number} is missing");
    }
    serving.stop();
    let check = home.run_ok("check", "ok ").out;
    assert!(!check.contains("behind"), "{check}");
}

#[test]
fn sigterm_stops_the_service_cleanly() {
    let home = Home::with(2);
    home.run_ok(
        "check",
        "behind  changes that are not published yet: 2; a running",
    );
    // The database has reviews, so that no sample data is loaded.
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
    let serving = ServingProcess::start(&mut home.process(&["serve", "--seed", seeds]));
    assert_eq!(serving.ids().len(), 2);
    serving.signal(Signal::TERM);
    let (status, rest) = serving.end();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "Stopped.\n"));
    assert_eq!(home.file_names(), ["reviews.db"], "other files were left");
    let sound = home.run_ok("check", "ok ").out;
    assert!(!sound.contains("behind"), "{sound}");
}

/// A service with an admin listener, whose address is in the greeting.
fn serve_with_admin(home: &Home) -> (ServingProcess, SocketAddr) {
    let serving = ServingProcess::start(&mut home.process("serve --admin-listen 127.0.0.1:0"));
    let admin = admin_address(&serving.greeting);
    (serving, admin)
}

#[test]
fn a_stopping_service_finishes_answers_and_says_so_to_the_end() {
    let home = Home::with(12);
    // 6 MB of JSON: the service's buffer holds 4 MB at most, and the client's next to nothing.
    home.sql("update review set author = hex(zeroblob(250000))");
    let (serving, admin) = serve_with_admin(&home);
    let slow = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    slow.set_recv_buffer_size(4_096).unwrap();
    slow.connect(&serving.address.into()).unwrap();
    let mut slow = TcpStream::from(slow);
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
    assert_eq!(whole["reviews"].as_array().unwrap().len(), 12);
    assert_eq!(serving.end().0.code(), Some(0));
}

#[test]
fn metrics_are_few_have_help_and_exist_from_the_start() {
    let home = Home::with(3);
    home.file(
        "reviews.sync.toml",
        "[google]\nurl = 'https://shop.test/r'\n",
    );
    let serving = home.serve_process();
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
