//! `reviews serve`: greeting, publication of changes, stop and SIGKILL.

use super::*;

#[test]
fn serve_says_how_to_set_up_a_database_without_a_business() {
    let home = Home::new();
    let log = home.folder.path().join("log");
    let mut command = home.command("serve --database 'my firm.db'");
    let serving = Serving::start_with_log(&mut command, File::create(log).unwrap());
    let command = "reviews init --name NAME --type TYPE --time-zone ZONE --country CC";
    let heading = "This service is not set up yet. In another terminal, set up your business:";
    let advice = format!("{heading}\n\n  {command} --database 'my firm.db'\n");
    assert_has(&serving.greeting, &advice);
    assert!(serving.get("/").contains(command));
    let log = home.read("log");
    assert!(!log.contains("database.migrated"), "{log}");
}

#[test]
fn serve_prints_urls_database_and_counts() {
    let home = Home::with(7);
    home.run_ok("init --name 'Desert Peak'", "Desert Peak");
    home.sql("update review set status = 'withheld' where review_id = 'p-1'");
    let serving = home.serve();
    for part in [
        "Reviews of Desert Peak: 6 published, 1 withheld\n",
        "Database  reviews.db\n",
    ] {
        assert_has(&serving.greeting, part);
    }
    let base = format!("http://{}", serving.address);
    let urls = serving.greeting.split_whitespace();
    let paths = urls.filter_map(|word| word.strip_prefix(&base));
    let paths: Vec<&str> = paths.collect();
    assert!(paths.len() >= 10, "{}", serving.greeting);
    for path in ["/reviews.json", "/docs", "/mcp", "/api/websub/hub"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
    // The hub and `/mcp` accept only POST.
    let is_read = |path: &&&str| !["/api/websub/hub", "/mcp"].contains(*path);
    for path in paths.iter().filter(is_read) {
        serving.get(path);
    }
    assert_eq!(serving.ids().len(), 6);
}

#[test]
fn no_log_line_contains_a_secret_even_at_level_trace() {
    let (home, secret) = (Home::with(2), "s3cr3t-of-a-subscriber");
    let mut command = home.command("serve");
    command.envs([
        ("RUST_LOG", "trace,tokio_cron_scheduler=trace"),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
    ]);
    let log = File::create(home.folder.path().join("log")).unwrap();
    let serving = Serving::start_with_log(&mut command, log);
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
    let serving = home.serve();
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
    let serving = home.serve();
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
    let serving = Serving::start(&mut home.command(&["serve", "--seed", seeds]));
    assert_eq!(serving.ids().len(), 2);
    serving.signal(Signal::TERM);
    let (status, rest) = serving.end();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "Stopped.\n"));
    assert_eq!(home.file_names(), ["reviews.db"], "other files were left");
    let sound = home.run_ok("check", "ok ").out;
    assert!(!sound.contains("behind"), "{sound}");
}
