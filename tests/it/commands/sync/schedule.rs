//! When entries are fetched, by which process, and what a clock that was wrong or a kill leaves.

use std::thread;

use super::*;

/// Whether the next run lies in the future.
pub const IS_LATER: &str = "julianday(next_run_at) > julianday('now')";

/// What holds an answer back until it is dropped, and tells when it was asked for.
pub struct Gate {
    is_reached: mpsc::Receiver<()>,
    _go_on: mpsc::Sender<()>,
}

/// Answers with these reviews from now on, on a page that waits for the end of the gate.
pub fn hold(site: &Site, numbers: std::ops::Range<usize>) -> Gate {
    let ((reached, is_reached), (go_on, may_go_on)) = (mpsc::channel(), mpsc::channel::<()>());
    site.answer(move |_| {
        let _ = reached.send(());
        let _ = may_go_on.recv();
        google_page(numbers.clone(), None, numbers.len())
    });
    Gate {
        is_reached,
        _go_on: go_on,
    }
}

impl Gate {
    pub fn wait(&self) {
        self.is_reached.recv_timeout(NEVER).unwrap();
    }
}

#[test]
fn stopped_service_imports_nothing_of_a_run() {
    let (home, site) = added(1, "");
    let gate = hold(&site, 0..9);
    make_due(&home);
    let serving = home.serve();
    gate.wait();
    serving.stop();
    drop(gate);
    let found = [count(&home, "true"), column(&home, "last_failure")];
    assert_eq!(found, ["1", ""]);
    answer_with(&site, 9);
    make_due(&home);
    home.serve().wait_for("/reviews.json", "Bread number 8 ");
}

#[test]
fn missed_run_is_made_up_once_after_a_start() {
    let (home, site) = added(2, "");
    site.answer(|_| google_page(0..3, None, 3));
    site.take_targets();
    home.sql("update sync_state set next_run_at = '2020-01-01T00:00:00Z', last_success_at = null");
    let serving = home.serve();
    wait_for_success(&home, "google");
    assert_eq!(site.take_targets().len(), 1);
    let is_recorded = format!("last_success_at is not null and {IS_LATER}");
    assert_eq!(column(&home, &is_recorded), "1");
    serving.wait_for("/reviews.json", "Bread number 2");
}

#[test]
fn entry_never_runs_beside_itself() {
    let (home, site) = added(1, "");
    let gate = hold(&site, 0..2);
    make_due(&home);
    let _serving = home.serve();
    gate.wait();
    for words in ["sync run google", "sync run --dry-run"] {
        let reason = "google: it is being fetched just now; try again when that is done";
        home.run_err(words, reason);
    }
    drop(gate);
    wait_for_success(&home, "google");
    home.run("sync run google").done();
    has(&home, 2, "true");
}

#[test]
fn command_fetches_by_itself_while_the_service_waits_for_others() {
    let (home, slow) = (home(), google_site(1));
    for name in ["a", "b", "c", "d"] {
        add(&home, name, &slow.url("/slow"), "").done();
    }
    let site = Site::start(|request| {
        assert_eq!(request.header("x-key"), "key-1");
        google_page(5..7, None, 2)
    });
    let home = home.with_variable("REVIEWS_SYNC_KEY", "key-1");
    let header = "headers = { X-Key = '${KEY}' }";
    add(&home, "quick", &site.url("/r"), header).done();
    let gate = hold(&slow, 0..1);
    home.sql("update sync_state set next_run_at = '2020-01-01T00:00:00Z' where name <> 'quick'");
    // The service does not know the secret.
    let serving = home.command("serve").env_remove("REVIEWS_SYNC_KEY").serve();
    gate.wait();
    site.answer(|_| google_page(5..8, None, 3));
    home.run("sync run quick").done();
    serving.wait_for("/reviews.json", "Bread number 7");
    // Fetching holds no lock of the database, and the merge reads what stands then.
    home.run("withhold g0 --reason spam").done();
    drop(gate);
    for name in ["a", "b", "c", "d"] {
        wait_for_success(&home, name);
    }
    has(&home, 1, "review_id = 'g0' and status = 'withheld'");
}

#[test]
fn undo_during_a_run_stays_undone() {
    let (home, site) = added(2, "");
    let gate = hold(&site, 0..3);
    let run = thread::scope(|scope| {
        let run = scope.spawn(|| home.run("sync run google"));
        gate.wait();
        home.run("undo").done();
        drop(gate);
        run.join().unwrap()
    });
    assert_has(&run.err, "the entry was held during the run");
    has(&home, 0, "true");
}
