//! `reviews serve`: greeting, publication of changes, stop and SIGKILL.

use super::*;

#[test]
fn serve_says_how_to_set_up_a_database_without_a_business() {
    let home = Home::new();
    let log = home.0.path().join("log");
    let serving = Serving::start_with_log(
        reviews(home.0.path()).args(["serve", "--database", "my firm.db"]),
        File::create(&log).unwrap(),
    );
    let command = "reviews init --name NAME --type TYPE --time-zone ZONE --country CC";
    let heading = "This service is not set up yet. In another terminal, set up your business:";
    assert_has(
        &serving.greeting,
        &format!("{heading}\n\n  {command} --database 'my firm.db'\n"),
    );
    assert!(serving.get("/").contains(command));
    let log = fs::read_to_string(log).unwrap();
    assert!(!log.contains("database.migrated"), "{log}");
}

#[test]
fn serve_prints_urls_database_and_counts() {
    let home = Home::with(7);
    home.run_ok("init --name 'Desert Peak'", "Desert Peak");
    home.sql("update review set status = 'withheld' where review_id = 'p-1'");
    let serving = home.serve();
    let greeting = serving.greeting.clone();
    assert!(
        greeting.starts_with("Reviews of Desert Peak: 6 published, 1 withheld\n"),
        "{greeting}"
    );
    assert!(greeting.contains("Database  reviews.db\n"), "{greeting}");
    let base = format!("http://{}", serving.address);
    let urls: Vec<&str> = greeting
        .split_whitespace()
        .filter(|word| word.starts_with("http://"))
        .collect();
    assert!(urls.len() >= 10, "{greeting}");
    // The hub and `/mcp` accept only POST.
    let (posted, read): (Vec<&str>, Vec<&str>) = urls
        .iter()
        .partition(|url| url.ends_with("/api/websub/hub") || url.ends_with("/mcp"));
    assert_eq!(posted.len(), 2);
    for url in read {
        serving.get(
            url.strip_prefix(&base)
                .unwrap_or_else(|| panic!("{url} is not below {base}")),
        );
    }
    for path in ["/reviews.json", "/docs"] {
        assert!(
            urls.contains(&format!("{base}{path}").as_str()),
            "{greeting}"
        );
    }
    assert_eq!(serving.ids().len(), 6);
}

#[test]
fn no_log_line_contains_a_secret_even_at_level_trace() {
    let (home, secret) = (Home::with(2), "s3cr3t-of-a-subscriber");
    let mut command = reviews(home.0.path());
    command.arg("serve").envs([
        ("RUST_LOG", "trace,tokio_cron_scheduler=trace"),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
    ]);
    let log = File::create(home.0.path().join("log")).unwrap();
    let serving = Serving::start_with_log(&mut command, log);
    let topic = format!("http://{}/reviews.json", serving.address);
    let form = format!(
        "hub.mode=subscribe&hub.topic={topic}&hub.callback=https://127.0.0.1:9/cb&hub.secret={secret}"
    );
    let head = "POST /api/websub/hub HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\nconnection: close";
    let mut stream = serving.connect();
    stream
        .write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n{form}", form.len()).as_bytes())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    wait_until("a delivery is recorded", || {
        home.sql("select count(last_outcome) from subscription;") != "0"
    });
    serving.signal("TERM");
    assert_eq!(serving.end().0.code(), Some(0));
    let log = fs::read_to_string(home.0.path().join("log")).unwrap();
    assert!(
        log.contains("TRACE") && log.contains("hub.nets_opened") && !log.contains(secret),
        "{} bytes",
        log.len()
    );
}

#[test]
fn committed_rows_survive_sigkill_of_the_service_and_the_writer() {
    let (shell, home) = (needs_shell!(), Home::with(20));
    let serving = home.serve();
    // A shell commits rows one by one and prints their numbers until both processes are killed.
    let mut shell = Command::new(&shell)
        .arg("-batch")
        .arg(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    let row = |number: usize| {
        format!(
            "insert into review (review_id, rating, reviewed_on, text) values ('k-{number}', 3, '2026-11-02', 'killed'); select {number};\n"
        )
    };
    input.write_all(b".timeout 5000\n").unwrap();
    let mut output = BufReader::new(shell.stdout.take().unwrap());
    for number in 1..=25 {
        input.write_all(row(number).as_bytes()).unwrap();
        let mut line = String::new();
        BufRead::read_line(&mut output, &mut line).unwrap();
        assert_eq!(line.trim(), number.to_string());
    }
    // Any number of these rows may be committed before the kill.
    (26..225).for_each(|number| input.write_all(row(number).as_bytes()).unwrap());
    serving.kill();
    shell.kill().unwrap();
    shell.wait().unwrap();
    home.run_ok("check", "reviews");
    let serving = home.serve();
    let ids = serving.ids();
    let count = home.sql("select count(*) from review");
    assert_eq!(ids.len().to_string(), count);
    for number in 1..=25 {
        let id = format!("k-{number}");
        assert!(ids.contains(&id), "committed row {number} is missing");
    }
    serving.signal("TERM");
    assert_eq!(serving.end().0.code(), Some(0));
    let check = home.run_ok("check", "ok ").out;
    assert!(!check.contains("behind"), "{check}");
}

#[test]
fn the_sample_data_is_served() {
    let home = Home::new();
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
    let serving = Serving::start(reviews(home.0.path()).args(["serve", "--seed", seeds]));
    assert!(
        !serving.greeting.contains("Unnamed business"),
        "{}",
        serving.greeting
    );
    let count = serving.ids().len();
    assert!(count > 50, "{count} reviews");
}

#[test]
fn a_replaced_database_is_not_written_until_the_service_stops() {
    for taken in ["db", "db-wal", "db-shm"] {
        let home = Home::with(3);
        let serving = home.serve();
        home.run_ok("respond p-1 'Thank you.'", "answered");
        serving.wait_for("/reviews.json", "Thank you.");
        if taken == "db" {
            home.run_ok("backup copy.db", "copy.db: ");
            fs::rename(home.0.path().join("copy.db"), home.path()).unwrap();
        } else {
            fs::remove_file(home.path().with_extension(taken)).unwrap();
        }
        let withhold = ["withhold", "p-2", "--reason", "libel"];
        home.run_err(&withhold, "stop the service with SIGTERM, then try again");
        serving.signal("TERM");
        assert!(serving.end().0.success());
        home.run_ok(&withhold, "withheld");
        home.run_ok("check", "3 reviews");
        home.run_ok("show p-1", "Thank you.");
        home.run_ok("show p-2", "withheld (libel)");
    }
}

#[test]
fn a_database_in_use_is_not_written_under_another_name() {
    let home = Home::with(3);
    let serving = home.serve();
    let other = home.0.path().join("other.db");
    fs::rename(home.path(), &other).unwrap();
    let withhold = "--database other.db withhold p-2 --reason libel";
    home.run_err(withhold, "stop the service with SIGTERM, then try again");
    fs::rename(&other, home.path()).unwrap();
    home.run_ok("withhold p-2 --reason libel", "withheld");
    serving.signal("TERM");
    assert!(serving.end().0.success());
    home.run_ok("check", "3 reviews");
}

/// A socket that receives notifications for systemd, and its path.
fn notify_socket(home: &Home) -> (UnixDatagram, PathBuf) {
    let path = home.0.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(NEVER)).unwrap();
    (socket, path)
}

fn notification(socket: &UnixDatagram) -> String {
    let mut message = [0; 256];
    let length = socket.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}

#[test]
fn sigterm_stops_the_service_cleanly_and_systemd_is_notified() {
    let home = Home::with(2);
    home.run_ok(
        "check",
        "behind  2 changes are not published yet; a running",
    );
    let (socket, path) = notify_socket(&home);
    // The database has reviews, so that no sample data is loaded.
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
    let mut command = reviews(home.0.path());
    let command = command
        .args(["serve", "--seed", seeds])
        .env("NOTIFY_SOCKET", &path);
    let serving = Serving::start(command);
    assert_eq!(notification(&socket), "READY=1\n");
    assert_eq!(serving.ids().len(), 2);
    serving.signal("TERM");
    assert_eq!(notification(&socket), "STOPPING=1\n");
    let (status, rest) = serving.end();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "Stopped.\n"));
    fs::remove_file(path).unwrap();
    let left = fs::read_dir(home.0.path()).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    // This file may exist: it names the process that sends for the hub.
    left.retain(|name| name != "reviews.db-sender");
    assert_eq!(left, ["reviews.db"], "other files were left");
    let sound = home.run_ok("check", "ok ").out;
    assert!(!sound.contains("behind"), "{sound}");
}

#[test]
fn a_failed_start_is_never_reported_as_ready() {
    let home = Home::with(1);
    let (socket, path) = notify_socket(&home);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = reviews(home.0.path());
    command
        .args(["serve", "--listen", &address])
        .env("NOTIFY_SOCKET", &path);
    output_of(&mut command).failed("set REVIEWS_LISTEN to another address");
    socket.set_nonblocking(true).unwrap();
    let nothing = socket.recv(&mut [0; 256]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
}
