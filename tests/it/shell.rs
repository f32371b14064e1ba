//! Writes of the machine's `sqlite3` shell, another process with another release of SQLite, have the same effect as those
//! that `change` tests.

use std::process::Command;

use crate::support::{Generator, TestApp, check_in_step};

/// Runs a command in the shell, with its defaults.
fn run(app: &TestApp, command: &str) -> String {
    let mut shell = Command::new("sqlite3");
    let output = shell.arg("-batch").arg(app.path()).arg(command).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let is_done = output.status.success() && errors.is_empty();
    assert!(is_done, "{command}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
#[ignore = "needs the shell `sqlite3`; run by ./verify"]
async fn writes_of_the_real_shell_keep_all_surfaces_consistent() {
    let app = TestApp::with(&Generator::new(11).reviews(60)).await;
    // As other writers are assumed to have them.
    assert_eq!(run(&app, "pragma foreign_keys"), "0\n");
    let columns = "review (review_id, rating, reviewed_on, text)";
    for sql in [
        &format!("insert into {columns} values ('a', 2, '2026-11-19', 'typed into a shell')"),
        &format!(
            "insert or replace into {columns} values ('a', 3, '2026-11-19', 'replaced in a shell')"
        ),
        "update review set text = text || ' shell' where rating = 5",
        "update or replace review set review_id = 'r-00001' where review_id = 'a'",
        "insert into mention values ('r-00002', 'technician', 'Dana Öberg')",
        "replace into review select * from review where rating < 4",
        "delete from review where rating = 2",
        "vacuum",
    ] {
        run(&app, sql);
        app.drain().await;
        check_in_step(&app).await;
    }
}
