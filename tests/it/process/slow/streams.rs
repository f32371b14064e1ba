//! A log whose reader stalls, and signals during the start.

use super::*;

#[test]
fn a_stalled_log_reader_blocks_nothing() {
    let home = Home::with(3);
    let (reader, mut writer) = pipe().unwrap();
    // Fill the pipe, so that writing to it blocks forever.
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b'x'; 4_096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    let serving = Serving::start_with_log(&mut home.command("serve --log trace"), writer);
    home.sql("insert into review (review_id, rating, reviewed_on, text) values ('late', 4, '2026-11-02', 'late')");
    serving.wait_for("/reviews.json", "\"late\"");
    serving.signal(Signal::INT);
    let (status, rest) = serving.end();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "Stopped.\n"));
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
