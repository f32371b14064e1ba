//! Standard output and error whose readers stall or are closed, signals, and the limit of open files.

use super::*;

const DROPPED: &str = "reviews_output_lines_dropped_total{stream=\"stderr\"}";

/// Asserts that the service still publishes changes and stops on SIGTERM.
fn check_still_serves(home: &Home, serving: Serving) {
    home.sql("insert into review (review_id, rating, reviewed_on, text) values ('late', 4, '2026-11-02', 'late')");
    serving.wait_for("/reviews.json", "\"late\"");
    serving.signal("TERM");
    let (status, rest) = serving.end();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "Stopped.\n"));
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing_and_is_counted() {
    let (reader, closed) = pipe().unwrap();
    drop(reader);
    let home = Home::with(3);
    let mut command = reviews(home.0.path());
    let serving = Serving::start_with_log(command.args(["serve", "--log", "debug"]), closed);
    serving.wait_for("/metrics", DROPPED);
    check_still_serves(&home, serving);
}

#[test]
fn a_stalled_log_reader_blocks_nothing() {
    let home = Home::with(3);
    let (reader, mut writer) = pipe().unwrap();
    // Fill the pipe, so that writing to it blocks forever.
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b'x'; 4_096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    let serving = Serving::start_with_log(
        reviews(home.0.path()).args(["serve", "--log", "trace"]),
        writer,
    );
    check_still_serves(&home, serving);
    drop(reader);
}

#[test]
fn a_signal_during_the_start_stops_it() {
    for signal in ["TERM", "INT"] {
        let home = Home::with(3);
        // The start waits while another process locks the database.
        let other = rusqlite::Connection::open(home.path()).unwrap();
        other
            .execute_batch("pragma locking_mode = exclusive; begin exclusive")
            .unwrap();
        let mut command = reviews(home.0.path());
        command
            .arg("serve")
            .env("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        // This event is logged before the database is opened.
        while !line.contains("hub.nets_opened") {
            line.clear();
            assert_ne!(
                log.read_line(&mut line).unwrap(),
                0,
                "the service exited before the signal"
            );
        }
        let number = match signal {
            "TERM" => Signal::TERM,
            _ => Signal::INT,
        };
        kill_process(Pid::from_child(&child), number).unwrap();
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), printed.as_str()),
            (Some(0), "Stopped before serving.\n"),
            "SIG{signal}"
        );
        other.execute_batch("commit").unwrap();
    }
}

#[test]
fn a_second_signal_ends_the_service_at_once() {
    let home = Home::large();
    let serving = home.serve();
    let (mut slow, mut answer) = serving.stop_in_flight();
    serving.signal("INT");
    let (status, rest) = serving.end();
    assert_eq!(
        (status.code(), rest.as_str()),
        (
            Some(2),
            "Stopped at once by a second signal; requests in progress were cut off.\n"
        )
    );
    let _ = slow.read_to_end(&mut answer);
    assert!(
        answer.len() < 16_000_000,
        "the second signal did not cut the request in flight: {} bytes",
        answer.len()
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_service_raises_the_file_limit_and_needs_no_reader() {
    let home = Home::with(1);
    let mut command = Command::new("/bin/sh");
    command
        .env_clear()
        .current_dir(home.0.path())
        .env("REVIEWS_LISTEN", "127.0.0.1:0");
    command.args([
        "-c",
        "ulimit -Sn 200 && exec \"$0\" serve",
        env!("CARGO_BIN_EXE_reviews"),
    ]);
    let mut serving = Serving::start(&mut command);
    let limits = fs::read_to_string(format!("/proc/{}/limits", serving.child.id())).unwrap();
    let row = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .unwrap();
    let figures: Vec<u64> = row
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    assert_eq!(figures[0], figures[1].min(65_536), "{row}");
    // It stops cleanly although nobody reads its output.
    drop(serving.out.take());
    serving.wait_for("/healthz", "ok");
    serving.signal("TERM");
    assert_eq!(serving.end().0.code(), Some(0));
}
