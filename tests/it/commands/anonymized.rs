//! `reviews anonymize`: the author's name goes, everywhere and for good, and the review stays.

use super::*;

/// The columns of what a test looks at.
const SHOWN: &str = "select distinct author, text from review";

/// Two imports of one review, of which the second changed the name.
fn home() -> Home {
    let home = Home::new();
    home.steps(
        r"
        first.csv ← author,rating,date,text,id\nZyxglint,2,2026-10-01,Two hours late.,t-1\n
        second.csv ← author,rating,date,text,id\nQuorvex,2,2026-10-01,Two hours late!,t-1\n
        first.toml ← [fields]\nid = 'id'\nrating = 'rating'\ndate = 'date'\nauthor = 'author'\ntext = 'text'\n
        import first.csv --format first.toml → 1 new
        backup copy.db → copy.db
        import second.csv → 1 updated
        ",
    );
    home
}

impl Home {
    #[track_caller]
    fn has_no_name(&self) {
        for name in ["Zyxglint", "Quorvex"] {
            assert!(!self.file_has(name), "{name} is in the file");
        }
    }
}

#[test]
fn an_anonymized_review_has_no_name_in_the_file() {
    let home = home();
    assert!(home.file_has("Zyxglint") && home.file_has("Quorvex"));
    home.steps(
        r"
        anonymize t-1 → t-1: by Anonymous, the name is gone, and erased from the file; imports do not bring it back\n
        show t-1 → decided         author: imports do not change that
        ",
    );
    home.has_no_name();
    home.finds(SHOWN, "Anonymous|Two hours late!");
    home.steps(
        "
        anonymize t-1 → by Anonymous
        anonymize t-2 ✗ no review t-2; the nearest ID is t-1
        check → ok
        ",
    );
}

#[test]
fn no_import_or_undo_brings_an_anonymized_name_back() {
    let home = home();
    home.steps(
        r"
        anonymize t-1 → by Anonymous
        undo → 1 left unchanged: t-1 (changed since)
        import first.csv → 1 kept edited: t-1 author
        hidden.csv ← author,rating,date,text,id\nAnonymous,2,2026-10-01,Two hours late.,t-1\n
        import hidden.csv → 1 unchanged
        import second.csv → 1 kept edited: t-1 author
        undo → 0 removed, 1 updated
        import second.csv --source Direct --accept-changes --doubtful same → 1 updated
        import second.csv --source Yelp → 1 kept anonymous
        export all.jsonl → 1 review
        delete t-1 --yes → deleted
        export none.jsonl → 0 reviews
        sql: delete from deleted_review
        import none.jsonl → 1 recorded as deleted
        import second.csv --source Yelp --restore → 1 brought back from deletion: yelp-t-1
        import second.csv --restore → 1 brought back from deletion: t-1
        ",
    );
    home.finds(SHOWN, "Anonymous|Two hours late!");
    home.has_no_name();
    let other = Home::new();
    other.file("all.jsonl", &home.read("all.jsonl"));
    other.file("second.csv", &home.read("second.csv"));
    other.steps("import all.jsonl → 1 new\nimport second.csv → 1 kept edited: t-1 author");
    other.finds(SHOWN, "Anonymous|Two hours late!");
    other.has_no_name();
}

/// Copies at two other sources, of which the owner anonymized one: it does not matter which of them comes first.
#[test]
fn anonymized_name_stays_away_beside_a_copy_that_keeps_it() {
    let format = home().read("first.toml");
    for anonymized in ["a-1", "m-1", "z-1"] {
        let home = Home::new();
        home.file("first.toml", &format);
        for (id, source) in [("a-1", "Yelp"), ("m-1", "Direct"), ("z-1", "Facebook")] {
            let row = format!("Quorvex,2,2026-10-01,Two hours late!,{id}");
            home.file("copy.csv", &format!("author,rating,date,text,id\n{row}\n"));
            let words = format!("import copy.csv --source {source} --format first.toml");
            home.run_ok(words, "1 new");
        }
        home.steps(&format!(
            r"
            anonymize {anonymized} → by Anonymous
            late.csv ← author,rating,date,text,id\nQuorvex,2,2026-10-01,Late!,n-1\n
            copy.csv ← author,rating,date,text,id\nQuorvex,2,2026-10-01,Two hours late!,n-1\n
            import copy.csv --source Angi --format first.toml → 1 kept anonymous
            import late.csv --source Angi --format first.toml → 1 new
            import copy.csv --source Angi → 1 kept anonymous
            sql: select count(*) from review where text = 'Two hours late!' → 3
            "
        ));
    }
}

#[test]
fn restore_takes_the_names_away_again_that_were_taken_since() {
    let home = home();
    home.steps("anonymize t-1 → by Anonymous\nrestore copy.db --yes → 1 anonymized again");
    home.finds(SHOWN, "Anonymous|Two hours late.");
    home.has_no_name();
    home.steps("import second.csv → 1 kept edited: t-1 author");
    home.has_no_name();
}
