//! Standard output and error whose readers stall or are closed, signals, and the limit of open files.

use super::*;

const DROPPED: &str = "reviews_output_lines_dropped_total{stream=\"stderr\"}";

/// Asserts that the service still publishes changes and stops on SIGTERM.
fn check_still_serves(home: &Home, serving: Serving) {
    home.sql("insert into review (review_id, rating, reviewed_on, text) values ('late', 4, '2026-11-02', 'late')");
    serving.wait_for("/reviews.json", "\"late\"");
    assert_eq!(serving.stop(), "Stopped.\n");
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing_and_is_counted() {
    let (reader, closed) = pipe().unwrap();
    drop(reader);
    let home = Home::with(3);
    let serving = Serving::start_with_log(&mut home.command("serve --log debug"), closed);
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
    let serving = Serving::start_with_log(&mut home.command("serve --log trace"), writer);
    check_still_serves(&home, serving);
    drop(reader);
}

#[test]
fn a_signal_during_the_start_stops_it() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::with(3);
        // The start waits while another process locks the database.
        let other = rusqlite::Connection::open(home.path()).unwrap();
        let lock = "pragma locking_mode = exclusive; begin exclusive";
        other.execute_batch(lock).unwrap();
        let mut command = home.command("serve");
        command.env("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // This event is logged before the database is opened.
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let is_logged = log.any(|line| line.unwrap().contains("hub.nets_opened"));
        assert!(is_logged, "the service exited before the signal");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{signal:?}");
        assert_eq!(output.stdout, b"Stopped before serving.\n");
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
    let expected = "Stopped at once by a second signal; requests in progress were cut off.\n";
    assert_eq!((status.code(), rest.as_str()), (Some(2), expected));
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
        .current_dir(home.folder.path())
        .env("REVIEWS_LISTEN", "127.0.0.1:0");
    command.args([
        "-c",
        "ulimit -Sn 200 && exec \"$0\" serve",
        env!("CARGO_BIN_EXE_reviews"),
    ]);
    let mut serving = Serving::start(&mut command);
    let limits = fs::read_to_string(format!("/proc/{}/limits", serving.child.id())).unwrap();
    let mut rows = limits.lines();
    let row = rows
        .find(|line| line.starts_with("Max open files"))
        .unwrap();
    let figures = row.split_whitespace().filter_map(|word| word.parse().ok());
    let figures: Vec<u64> = figures.collect();
    assert_eq!(figures[0], figures[1].min(65_536), "{row}");
    // It stops cleanly although nobody reads its output.
    drop(serving.out.take());
    serving.wait_for("/healthz", "ok");
    serving.stop();
}
