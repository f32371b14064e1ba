//! A log whose reader stalls, and signals during the start.

use super::*;

#[test]
fn a_signal_during_the_start_stops_it() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::with(3);
        // The start waits while another process locks the database.
        let other = rusqlite::Connection::open(home.path()).unwrap();
        let lock = "pragma locking_mode = exclusive; begin exclusive";
        other.execute_batch(lock).unwrap();
        let mut command = home.process("serve");
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
