//! `reviews source`: giving a source another name, and the format that is kept for it.

use super::*;

/// Four reviews of the source `Direct`.
fn home() -> Home {
    let home = Home::new();
    home.steps(
        r"
        sheet.csv ← author,rating,date,text\nAnn Baker,5,2026-10-12,On time and tidy.\nBo Cole,4,2026-10-11,Fair price.\nAnonymous,5,2026-10-09,\nAnonymous,5,2026-10-09,\n
        import sheet.csv → 4 new
        ",
    );
    home
}

#[test]
fn sources_are_listed_with_their_reviews() {
    home().run_ok("source", "Direct: 4 published, 0 withheld\n");
}

#[test]
fn only_a_source_that_is_there_gets_a_name_that_is_one() {
    home().steps(
        "
        source rename Yelp Angi ✗ there is no source Yelp
        source rename Direct ' ' ✗ it is empty; give the name of a source
        ",
    );
}

#[test]
fn a_renamed_source_keeps_its_reviews() {
    let home = home();
    home.steps(
        r"
        source rename direct Houzz → 4 reviews are now from Houzz, which was Direct
        source rename houzz HOUZZ → 4 reviews are now from HOUZZ, which was Houzz
        import sheet.csv --source Houzz → 4 unchanged
        newer.csv ← author,rating,date,text\nBo Cole,2,2026-10-11,Fair price.\n
        import newer.csv --source houzz → 1 updated
        ",
    );
    // The owner decided nothing by it.
    assert!(!home.run_ok("export", "").out.contains("\"decided\""));
}

#[test]
fn a_renamed_source_keeps_the_marks_of_its_deleted_reviews() {
    home().steps(
        "
        sql: delete from review where review_id = (select min(review_id) from review where text <> '')
        source rename Direct Houzz → 3 reviews are now from Houzz
        import sheet.csv --source Houzz → 3 unchanged
        sql: select count(*) from deleted_review where source_name = 'Houzz' → 1
        ",
    );
}

#[test]
fn the_imports_of_a_renamed_source_can_be_undone() {
    home().steps(
        r"
        newer.csv ← author,rating,date,text\nBo Cole,2,2026-10-11,Fair price.\n
        import newer.csv → 1 updated
        source rename Direct Porch → 4 reviews are now from Porch
        undo --source porch → 0 removed, 1 updated
        import sheet.csv --source Porch → 4 unchanged
        undo --source porch → 4 removed
        ",
    );
}

#[test]
fn two_sources_do_not_become_one() {
    home().steps(
        r#"
        two.csv ← author,rating,date,text\nCy,5,2026-10-10,Great work on our boiler.\n
        import two.csv --source Houzz → 1 new
        source rename Direct HOUZZ ✗ Houzz has reviews already
        gone.jsonl ← {"id": "gone", "rating": 5, "date": "2026-10-01", "author": "Ann", "source": "Gone"}
        import gone.jsonl → 1 new
        delete gone --yes → deleted
        source rename Direct Gone ✗ has reviews already
        "#,
    );
}

#[test]
fn a_source_that_has_only_a_format_makes_way() {
    home().steps(
        r"
        kept.toml ← [[public]]\nnames = 'OK'\nvalues = ['y']\n
        source format Direkt kept.toml → # kept for Direkt, which is a new source (the nearest is Direct)
        source → Direkt: 0 published, 0 withheld\n
        source rename Direct Direkt ✗ `reviews source rename Direkt NAME`, then
        source rename Direkt Home → 0 reviews are now from Home
        source rename Direct Direkt → 4 reviews are now from Direkt
        ",
    );
}

#[test]
fn undo_gives_the_format_of_before_back() {
    Home::new().steps(
        r"
        two.csv ← author,rating,date,text,OK\nCy,5,2026-10-10,Great work on our boiler.,y\n
        two.toml ← [[public]]\nnames = 'OK'\nvalues = ['y']\n
        import two.csv --source Houzz --format two.toml → 1 new
        why.toml ← [[public]]\nnames = 'OK'\nvalues = ['y']\nreason = 'asked'\n
        import two.csv --source Houzz --format why.toml → 1 unchanged
        undo --source Houzz → note: Houzz is read as before again\n
        undo --source Houzz → 1 removed, 0 updated\nwarning: Houzz is read as before again, without the later rule
        ",
    );
}

/// A review of Google, with a format that adds a column to Google's.
fn home_with_google() -> Home {
    let home = Home::new();
    home.steps(
        r#"
        google.json ← [{"reviewId": "g", "starRating": "ONE", "createTime": "2026-10-01", "updateTime": "2026-10-01"}]
        import google.json → 1 new
        ok.toml ← like = "google"\n[[public]]\nnames = "ok"\nvalues = ["yes"]\n
        "#,
    );
    home
}

#[test]
fn files_of_a_renamed_platform_are_imported_with_its_new_name() {
    home_with_google().steps(
        r#"
        source rename Google Maps → 1 review is now from Maps
        import google.json ✗ add --source Maps (in an entry: source = "Maps"), else add --source Google
        import google.json --format ok.toml ✗ add --source Maps
        import google.json --source Maps → 1 unchanged
        "#,
    );
}

#[test]
fn a_format_of_a_platforms_files_adds_to_that_of_the_platform() {
    home_with_google().steps(
        r#"
        bare.toml ← [[public]]\nnames = "ok"\nvalues = ["yes"]\n
        source format Google bare.toml ✗ write `like = "google"` above it
        source format google ok.toml → kept for Google
        import google.json ✗ public.0.missing
        own.toml ← [fields]\nrating = "Stars"\ndate = "Day"\n[[public]]\nnames = "ok"\nvalues = ["yes"]\n
        source format google own.toml → kept for Google
        import google.json ✗ for another source
        "#,
    );
}
