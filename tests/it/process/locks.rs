//! Locks between processes.

use crate::commands::restore::home;

#[test]
fn nothing_is_restored_while_a_service_uses_the_database() {
    let home = home();
    let serving = home.serve_process();
    home.steps("restore copy.db ✗ reviews.db is in use by another process; stop `reviews serve`");
    // A second service only reads, but also uses the database.
    let second = home.serve_process();
    drop(serving);
    home.run_err("restore copy.db", "is in use by another process");
    drop(second);
    let done = home.run_ok("restore copy.db", "restored");
    assert!(!done.out.contains("what changed since"), "{}", done.out);
    assert_eq!(home.previous_files().len(), 1);
}
