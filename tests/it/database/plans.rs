//! How SQLite reads the tables that grow: each statement that reads one from end to end is listed, with the reason.

use std::collections::BTreeSet;

use super::*;

/// The tables with a row or more for each review.
const GROWING: &[&str] = &[
    "deleted_review",
    "derived_analysis",
    "import_run_review",
    "mention",
    "review",
    "review_change",
    "review_fts",
    "review_source",
];

/// A part of each statement that reads such a table from end to end, and why it may.
const SCANS: &[(&str, &str)] = &[
    (
        "(?1 is null or rating = ?1) and (?2 is null or status = ?2)",
        "`list` shows or looks through all reviews",
    ),
    (
        "select review_id as \"id: Text\" from review",
        "an import gives no new review an ID that another has",
    ),
    (
        "select count(*) from review",
        "`serve` and `status` say how many there are",
    ),
    (
        "with own (name) as",
        "an import compares its rows with all reviews of their sources, and with all deleted ones",
    ),
    (
        "sum(status = 'published') as \"published!: i64\"",
        "`status` and imports count the reviews of each source",
    ),
    (
        "delete from source where name = ?1 and format is null",
        "`source rename` looks whether anything has the new name",
    ),
    (
        "select name as \"name!: Text\" from sync_state as y join review_source",
        "`undo` and `source rename` look whose runs brought a source's reviews",
    ),
    ("has_any!: bool", "ends at the first review"),
    (
        "with newest (review_no, part) as",
        "ends at the newest review with three characters; both counts are of whole tables",
    ),
    (
        "insert into review_fts (rowid, text, review_id)",
        "makes the whole text index again",
    ),
    (
        "'text index: review '",
        "`check` compares all texts with the index",
    ),
    ("delete from review_fts", "makes the whole text index again"),
    (
        "left join review_change as n on n.review_id = r.review_id order by r.review_id",
        "`check` reads all reviews",
    ),
    (
        "select r.source_name as \"name!: Text\"",
        "/transparency counts by source, once for each publication",
    ),
    (
        "from deleted_review as d where not exists (select 1 from review as r where r.review_id = d.review_id)\n",
        "/transparency counts deletions by their reasons",
    ),
];

/// Of each statement in `.sqlx`, those of the growing tables that it reads from end to end.
fn scans(path: &Path) -> Vec<(String, Vec<String>)> {
    let connection = connect(path);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let files = fs::read_dir(folder).unwrap();
    let statements = files.map(|file| {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file["query"].as_str().unwrap().to_owned()
    });
    let scans = statements.map(|statement| {
        let explain = format!("explain query plan {statement}");
        let mut prepared = connection.prepare(&explain).unwrap();
        let mut steps = prepared.raw_query();
        let mut tables = Vec::new();
        while let Some(step) = steps.next().unwrap() {
            let step: String = step.get("detail").unwrap();
            // `SCAN r USING INDEX review_newest`, or `SCAN f VIRTUAL TABLE INDEX 0:` without a key after the colon
            let scan = step.strip_prefix("SCAN ");
            let scan = scan.filter(|scan| !scan.contains("VIRTUAL") || scan.ends_with(':'));
            let name = scan
                .and_then(|scan| scan.split(' ').next())
                .unwrap_or_default();
            let names = |table: &&&str| {
                **table == name
                    || statement.contains(&format!("{table} as {name} "))
                    || statement.contains(&format!("{table} as {name}\n"))
            };
            tables.extend(GROWING.iter().find(names).map(|table| (*table).to_owned()));
        }
        (statement, tables)
    });
    scans.collect()
}

#[tokio::test]
async fn statements_that_read_a_whole_table_of_reviews_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    make(&path).await;
    let (mut unknown, mut met) = (Vec::new(), BTreeSet::new());
    for (statement, tables) in scans(&path) {
        if tables.is_empty() {
            continue;
        }
        let parts = SCANS.iter().map(|(part, _)| *part);
        let parts = parts.filter(|part| statement.contains(part));
        match parts.max_by_key(|part| part.len()) {
            Some(part) => drop(met.insert(part)),
            None => unknown.push(format!("{tables:?}: {statement}")),
        }
    }
    assert_eq!(unknown, [""; 0]);
    let listed: BTreeSet<&str> = SCANS.iter().map(|(part, _)| *part).collect();
    assert_eq!(met, listed, "listed, but not met");
}
