//! The commands `reviews insights` and `reviews check`.

use std::sync::OnceLock;

use super::*;
use crate::process::Home;
use crate::support::assert_has;

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
    let shown = home.run("insights");
    assert_eq!((shown.code, shown.err.as_str()), (Some(0), ""));
    assert!(
        shown
            .out
            .starts_with("Saltbush Air & Plumbing: 256 reviews, 242 with a text, 2"),
        "{}",
        shown.out
    );
    for line in [
        "ASPECT ",
        "Punctuality ",
        "TECHNICIAN ",
        "Mike Alvarez ",
        "SERVICE ",
        "SERVICE AREA ",
        "Topics: ",
        "Method ",
    ] {
        assert!(
            shown.out.lines().any(|shown| shown.starts_with(line)),
            "{line}: {}",
            shown.out
        );
    }
    let columns = "REVIEWS  POSITIVE  NEGATIVE  NEUTRAL  MIXED  UNCERTAIN  SHARE";
    assert_eq!(shown.out.matches(columns).count(), 4, "{}", shown.out);
    for row in ["Punctuality ", "Mike Alvarez ", "AC repair ", "Mesa "] {
        let line = shown
            .out
            .lines()
            .find(|line| line.starts_with(row))
            .unwrap();
        let cells = line[row.len()..]
            .split_whitespace()
            .filter_map(|cell| cell.parse().ok());
        let cells: Vec<u32> = cells.take(6).collect();
        assert_eq!(cells[0], cells[1..].iter().sum::<u32>(), "{line}");
    }
    assert_has(&shown.out, "Behind: 256 reviews are not analysed yet");
    assert_eq!(
        sqlite3(&home.path(), "select count(*) from derived_analysis;"),
        "0",
        "`reviews insights` stores nothing"
    );
    let rebuilt = home.run("insights rebuild");
    assert_eq!(
        (rebuilt.code, rebuilt.err.as_str()),
        (Some(0), ""),
        "no progress bar without a terminal"
    );
    assert!(
        rebuilt
            .out
            .starts_with("0 analyses deleted\n256 reviews read, "),
        "{}",
        rebuilt.out
    );
    let again = home.run("insights");
    assert!(
        again.out.ends_with("Up to date with the reviews.\n"),
        "{}",
        again.out
    );
    assert_eq!(
        again.out.split("Method").next(),
        shown.out.split("Method").next()
    );
}

#[tokio::test]
async fn a_rebuild_changes_no_row_document_or_editorial_text() {
    let app = TestApp::seeded().await;
    let editorial = "select * from editorial_summary; select * from editorial_faq order by 1;";
    let texts = sqlite3(&app.path(), editorial);
    assert_ne!(texts, "");
    let (first, before) = (sqlite3(&app.path(), DERIVED), bytes(&app));
    let count = sqlite3(&app.path(), "select count(*) from derived_finding;");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_reviews"))
        .args(["insights", "rebuild"])
        .env("DATABASE_URL", format!("sqlite://{}", app.path().display()))
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.starts_with("256 analyses deleted\n")
            && output.contains(&format!(": {count} findings")),
        "{output}"
    );
    app.drain().await;
    assert!(
        bytes(&app) == before,
        "the documents of the running service"
    );
    assert!(sqlite3(&app.path(), DERIVED) == first);
    assert_eq!(sqlite3(&app.path(), editorial), texts);
    let app = app.restart().await;
    assert!(bytes(&app) == before);
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
    for (sql, code, expected) in [
        (
            &*format!(
                "update review set text = text || '!' where review_id = 'r-1150';
                 delete from derived_analysis where review_id = {other}"
            ),
            0,
            &["behind  insights: 2 "][..],
        ),
        (
            "update technician set name = name || 'x' where technician_id = 't-01'",
            0,
            &["behind  insights: 3 "],
        ),
        (
            &*format!(
                "update derived_analysis set analysis = json_set(analysis, '$.findings', json('[]')) where review_id = 'r-1150';
                 update derived_analysis set analysis = json_remove(analysis, '$.mentions') where review_id = {other};
                 insert into derived_analysis values ('nobody', '', '', '{{}}')"
            ),
            2,
            &[
                "wrong   insights: r-1150 has findings that do not match",
                &*format!("wrong   insights: {last} has findings that do not match"),
                "wrong   insights: analyses of reviews that are not published: 1",
            ],
        ),
    ] {
        std::fs::write(home.path(), &copy).unwrap();
        sqlite3(&home.path(), sql);
        let checked = home.run("check");
        assert_eq!(checked.code, Some(code), "{sql}: {}", checked.out);
        for part in expected {
            assert!(checked.out.contains(part), "{sql}: {}", checked.out);
        }
    }
    home.run("insights rebuild");
    let well = home.run("check");
    assert!(
        well.code == Some(0) && !well.out.contains("insights:"),
        "{}",
        well.out
    );
}

#[test]
fn explain_shows_the_sums_of_an_analysis() {
    let home = home();
    let done = home.run("insights explain r-1150");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    for part in [
        "r-1150, 2021-11-18, 5 of 5\n",
        "communication positive (",
        " sum\n",
        "technician Curtis Hale (first_name, \"Curtis\")",
    ] {
        assert!(done.out.contains(part), "{part}: {}", done.out);
    }
    let missing = home.run("insights explain nobody");
    missing.failed("no review nobody");
}
