//! The commands `reviews insights explain` and `reviews check`.

use std::sync::OnceLock;

use super::*;
use crate::commands::Home;
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
fn check_distinguishes_outdated_analyses_from_wrong_ones() {
    let home = home();
    // Each check analyses all reviews again.
    sqlite3(
        &home.path(),
        "delete from review where review_id not in (
           select review_id from review where status = 'published' order by review_id <> 'r-1150', review_id limit 3)",
    );
    home.analyze();
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
    home.sql("delete from derived_analysis");
    home.analyze();
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
        "technician Curtis Hale (\"Curtis\")",
    ] {
        assert_has(&explained, part);
    }
    home.run_err("insights explain nobody", "no review nobody");
}
