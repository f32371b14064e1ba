//! The commands `reviews insights` and `reviews check`.

use std::sync::OnceLock;

use super::*;
use crate::process::Home;
use crate::support::{assert_has, table};

/// A home with the sample data, which are loaded once and copied.
fn home() -> Home {
    static DATABASE: OnceLock<Vec<u8>> = OnceLock::new();
    let home = Home::new();
    let database = DATABASE.get_or_init(|| {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
        assert_eq!(home.run(&["seed", seeds.to_str().unwrap()]).code, Some(0));
        std::fs::read(home.path()).unwrap()
    });
    std::fs::write(home.path(), database).unwrap();
    home
}

#[test]
fn insights_are_shown_with_whether_they_are_up_to_date() {
    let home = home();
    let begin = "Saltbush Air & Plumbing: 256 reviews, 242 with a text, 2";
    let shown = home.run_ok("insights", begin).out;
    assert!(shown.starts_with(begin), "{shown}");
    for line in [
        "ASPECT ",
        "TECHNICIAN ",
        "SERVICE ",
        "SERVICE AREA ",
        "Topics: ",
        "Method ",
    ] {
        assert_has(&shown, &format!("\n{line}"));
    }
    let columns = "REVIEWS  POSITIVE  NEGATIVE  NEUTRAL  MIXED  UNCERTAIN  SHARE";
    assert_eq!(shown.matches(columns).count(), 4, "{shown}");
    for row in ["Punctuality ", "Mike Alvarez ", "AC repair ", "Mesa "] {
        let cells = shown.lines().find_map(|line| line.strip_prefix(row));
        let cells = cells.unwrap().split_whitespace();
        let cells: Vec<u32> = cells.filter_map(|cell| cell.parse().ok()).take(6).collect();
        assert_eq!(cells[0], cells[1..].iter().sum::<u32>(), "{row}");
    }
    assert_has(&shown, "Behind: 256 reviews are not analysed yet");
    // `reviews insights` stores nothing.
    home.finds("select count(*) from derived_analysis", "0");
    home.run_ok("insights rebuild", "0 analyses deleted\n256 reviews read, ");
    let again = home
        .run_ok("insights", "Up to date with the reviews.\n")
        .out;
    let figures = |text: &str| text.split("Method").next().unwrap().to_owned();
    assert_eq!(figures(&again), figures(&shown));
}

#[tokio::test]
async fn a_rebuild_changes_no_row_document_or_editorial_text() {
    let app = TestApp::seeded().await;
    let editorial = "select * from editorial_summary; select * from editorial_faq order by 1";
    let state = |app: &TestApp| (app.sql(editorial), app.sql(DERIVED), bytes(app));
    let before = state(&app);
    assert_ne!(before.0, "");
    let count = app.sql("select count(*) from derived_finding");
    let output = crate::process::reviews(app.folder())
        .args(["insights", "rebuild"])
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(output.starts_with("256 analyses deleted\n"), "{output}");
    assert_has(&output, &format!(": {count} findings"));
    app.drain().await;
    assert!(state(&app) == before);
    assert!(state(&app.restart().await) == before);
}

#[test]
fn check_distinguishes_outdated_analyses_from_wrong_ones() {
    let home = home();
    // Each check analyses all reviews again.
    sqlite3(
        &home.path(),
        "delete from review where review_id not in (
           select review_id from review where status = 'published' order by review_id <> 'r-1150', review_id limit 3)",
    );
    home.run("insights rebuild");
    let copy = std::fs::read(home.path()).unwrap();
    let other = "(select max(review_id) from review where review_id <> 'r-1150')";
    let last = sqlite3(&home.path(), &format!("select {other};"));
    for [sql, code, expected] in table(
        "
        update review set text = text || '!' where review_id = 'r-1150'; delete from derived_analysis where review_id = OTHER → 0 → behind  insights: 2
        update technician set name = name || 'x' where technician_id = 't-01' → 0 → behind  insights: 3
        update derived_analysis set analysis = json_set(analysis, '$.findings', json('[]')) where review_id = 'r-1150' → 2 → wrong   insights: r-1150 has findings that do not match
        update derived_analysis set analysis = json_remove(analysis, '$.mentions') where review_id = OTHER → 2 → wrong   insights: LAST has findings that do not match
        ",
    ) {
        std::fs::write(home.path(), &copy).unwrap();
        home.sql(&sql.replace("OTHER", other));
        let checked = home.run("check");
        let code = code.parse().ok();
        assert_eq!(checked.code, code, "{sql}: {}", checked.out);
        assert_has(&checked.out, &expected.replace("LAST", &last));
    }
    home.run("insights rebuild");
    let well = home.run_ok("check", "ok ").out;
    assert!(!well.contains("insights:"), "{well}");
}

#[test]
fn explain_shows_the_sums_of_an_analysis() {
    let home = home();
    let explained = home.run_ok("insights explain r-1150", " sum\n").out;
    for part in [
        "r-1150, 2021-11-18, 5 of 5\n",
        "communication positive (",
        "technician Curtis Hale (first_name, \"Curtis\")",
    ] {
        assert_has(&explained, part);
    }
    home.run_err("insights explain nobody", "no review nobody");
}
