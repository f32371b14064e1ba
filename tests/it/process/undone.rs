//! Undoing an import gives back all of it: values, what sources said, withholdings and deletions.

use super::*;

const SHEET: &str = "author,rating,date,text\nAnn Baker,5,2026-10-12,On time and tidy.\nBo Cole,4,2026-10-11,Fair price.\n";

fn row(id: &str, text: &str, more: &[(&str, Value)]) -> String {
    let mut row = json!({"id": id, "rating": 5, "date": "2026-10-01", "author": "Ann", "text": text, "source": {"name": "Google"}});
    for (name, value) in more {
        row[name] = value.clone();
    }
    row.to_string()
}

/// All values of reviews and of their sources, without the times of their changes.
fn content(home: &Home) -> String {
    home.sql("select review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name, source_url,
           verified, response_text, response_on, response_author from review order by 1;
         select review_id, source_name, location, posted_at, responded_at, said, same_author_and_day, same_content, same_text, id_at_source from review_source order by 1;
         select review_id, kind, value from mention order by 1, 2, 3;
         select review_id from review_change where not exists (select 1 from review as r where r.review_id = review_change.review_id)
           and review_id not in (select review_id from undone_review) order by 1")
}

#[test]
fn undo_restores_the_values_of_the_review_and_of_the_source() {
    let home = Home::new();
    home.import(
        "one.jsonl",
        &[
            row("a", "First.", &[]),
            row("b", "Second.", &[]),
            row("c", "Third.", &[]),
        ]
        .join("\n"),
        "3 new",
    );
    home.run_ok("respond c 'My own answer.'", "answered");
    let before = content(&home);
    let newer = [
        row(
            "a",
            "First, edited.",
            &[
                ("title", json!("Title")),
                ("mentions", json!({"services": ["drain"]})),
            ],
        ),
        row(
            "b",
            "Second.",
            &[
                ("status", json!("withheld")),
                ("withheld_reason", json!("spam")),
            ],
        ),
        row(
            "c",
            "Third.",
            &[("response", json!({"text": "The platform's answer."}))],
        ),
        row("d", "Fourth.", &[]),
    ];
    home.import("two.jsonl", &newer.join("\n"), "1 new, 2 updated");
    let after = content(&home);
    // What the source hides now is left; all else is as before.
    let message = home.run_ok("undo", "1 removed").out;
    assert_has(
        &message,
        "1 changed back to the former values\n1 left unchanged: b (its source hides it)",
    );
    assert!(!message.contains("undone;"), "{message}");
    let of = |text: &str, id: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with(&format!("{id}|")))
            .map(str::to_owned)
            .collect()
    };
    for id in ["a", "c"] {
        assert_eq!(of(&content(&home), id), of(&before, id));
    }
    // Importing the file again does it again.
    home.run_ok("import two.jsonl", "1 new, 1 updated, 2 unchanged");
    assert_eq!(content(&home), after);
}

#[test]
fn undo_publishes_reviews_withheld_as_duplicates() {
    let home = Home::new();
    home.import("sheet.csv", SHEET, "2 new");
    home.steps("import sheet.csv --source Angi → 2 of these are there as Direct");
    let before = content(&home);
    home.steps("import sheet.csv --source Angi --skip-duplicates → 2 updated");
    assert_ne!(content(&home), before);
    let message = home
        .run_ok("undo", "undone; the same files can be imported again")
        .out;
    assert_has(
        &message,
        "2 changed back to the former values\n2 of these published again",
    );
    assert_eq!(content(&home), before);
    // The import before can be undone, too.
    home.run_ok("undo 2", "2 removed");
    home.run_ok("undo 1", "2 removed");
}

#[test]
fn of_each_source_the_newest_import_is_undone_first() {
    let home = Home::new();
    let of = |source: &str| ("source", json!({"name": source}));
    home.import("one.jsonl", &row("a", "First.", &[]), "1 new");
    home.import("angi.jsonl", &row("q", "Angi's.", &[of("Angi")]), "1 new");
    home.import("two.jsonl", &row("a", "Second.", &[]), "1 updated");
    let both = [
        row("a", "Third.", &[]),
        row("q", "Angi's, edited.", &[of("Angi")]),
    ];
    home.import("both.jsonl", &both.join("\n"), "2 updated");
    home.import("angi2.jsonl", &row("p", "Another.", &[of("Angi")]), "1 new");
    let before = content(&home);
    home.run_err("undo 3", "import 4 is a later one of Angi, Google");
    home.run_err("undo 4", "import 5 is a later one of Angi");
    home.run_ok("undo 1 --later --dry-run", "dry run: nothing was changed");
    assert_eq!(content(&home), before);
    // The later imports of all sources concerned, in one step.
    let done = home.run_ok("undo 3 --later", "undone").out;
    let runs: Vec<&str> = done
        .lines()
        .filter_map(|line| line.split_once(": 20"))
        .map(|(run, _)| run)
        .collect();
    assert_eq!(runs, ["5", "4", "3"], "{done}");
    assert_eq!(
        home.sql("select review_id, text from review order by 1"),
        "a|First.\nq|Angi's."
    );
    home.run_ok("undo 1", "1 removed");
    // An import that changes nothing does not count.
    home.run_ok("import angi.jsonl", "1 unchanged");
    home.run_ok("undo 2", "1 removed");
    home.run_ok("import angi.jsonl", "1 new");
    home.run_ok("import angi.jsonl", "1 unchanged");
    home.run_ok("undo", "1 removed");
}

#[test]
fn an_import_left_in_part_goes_before_the_earlier_ones() {
    let home = Home::new();
    home.import("one.jsonl", &row("a", "First.", &[]), "1 new");
    let two = [row("a", "First.", &[]), row("b", "Second.", &[])];
    home.import("two.jsonl", &two.join("\n"), "1 new");
    home.run_ok("respond b 'Thank you.'", "answered");
    home.run_ok("undo", "1 left unchanged: b (you changed response)");
    home.run_err("undo 1", "import 2 is a later one of Google");
    home.run_ok(
        "undo 1 --later",
        "1 left unchanged: b (you changed response)",
    );
    assert_eq!(home.sql("select review_id from review"), "b");
}

#[test]
fn undo_gives_a_deleted_review_its_former_digests() {
    let home = Home::new();
    home.import("sheet.csv", SHEET, "2 new");
    home.sql("delete from review where author = 'Bo Cole'");
    let deleted = || home.sql("select * from deleted_review");
    let before = deleted();
    home.file(
        "edited.csv",
        &SHEET.replace("Fair price.", "A price that is fair."),
    );
    let options = ["import", "edited.csv", "--doubtful", "same"];
    home.run_ok(&options, "1 kept deleted");
    assert_ne!(deleted(), before);
    home.run_ok("undo", "undone; the same files can be imported again");
    assert_eq!(deleted(), before);
    home.run_ok("import sheet.csv", "1 kept deleted");
    // Under another name of its source it stays deleted, too.
    home.run_ok(&options, "1 kept deleted");
    home.run_ok("source rename Direct Angi", "1 review is now from Angi");
    home.run_ok("undo", "undone; the same files can be imported again");
    home.run_ok("import sheet.csv --source Angi", "1 kept deleted");
}

#[test]
fn a_removed_answer_stays_removed() {
    let home = Home::new();
    let sheet = |reply: &str| {
        format!("author,rating,date,text,reply\nAnn Baker,5,2026-10-12,On time and tidy.,{reply}\n")
    };
    home.import("with.csv", &sheet("Sorry."), "1 new");
    home.file("without.csv", &sheet(""));
    let id = home.sql("select review_id from review");
    home.run_ok(
        &["respond", &id, "--remove"],
        "imports do not bring it back",
    );
    for file in ["without.csv", "with.csv"] {
        home.run_ok(&["import", file], "0 new, 0 updated");
        assert_eq!(home.sql("select response_text from review"), "");
    }
    assert_has(
        &home.run_ok(&["show", &id], "").out,
        "decided         response",
    );
}

#[test]
fn an_import_undone_in_part_is_tried_again_by_the_next_undo() {
    let home = Home::new();
    home.import(
        "one.jsonl",
        &[row("a", "First.", &[]), row("b", "Second.", &[])].join("\n"),
        "2 new",
    );
    home.run_ok("respond a 'Thank you.'", "answered");
    home.run_ok("undo", "1 left unchanged: a (you changed response)");
    assert!(!home.run_ok("status", "").out.contains("undone"));
    home.run_ok("delete a", "deleted");
    home.run_ok("undo", "1 deleted since");
    home.run_err("undo", "import 1 was already undone");
}

#[test]
fn former_values_are_erased_with_the_review_or_after_30_days() {
    let home = Home::new();
    home.file(
        "one.jsonl",
        &[
            row("a", "Zyxglint first.", &[]),
            row("b", "Quorvex first.", &[]),
        ]
        .join("\n"),
    );
    home.file(
        "two.jsonl",
        &[row("a", "Another text.", &[]), row("b", "One more.", &[])].join("\n"),
    );
    home.run_ok("import one.jsonl", "2 new");
    home.run_ok("import two.jsonl", "2 updated");
    let file = || fs::read(home.path()).unwrap();
    let has = |word: &[u8]| file().windows(word.len()).any(|part| part == word);
    assert!(has(b"Zyxglint"), "the former value is kept");
    home.run_ok("delete a", "erased from the file");
    assert!(!has(b"Zyxglint") && has(b"Quorvex"));
    home.sql("update import_run set started_at = '2020-01-01T00:00:00Z'");
    home.run_err("undo", "import 2 can no longer be undone");
    home.run_ok("import two.jsonl", "1 unchanged");
    assert_eq!(home.sql("select count(former) from import_run_review"), "0");
}

#[test]
fn a_source_is_renamed_with_all_reviews() {
    let home = Home::new();
    home.import(
        "sheet.csv",
        &format!("{SHEET}Anonymous,5,2026-10-09,\nAnonymous,5,2026-10-09,\n"),
        "4 new",
    );
    home.steps(
        r"
        source → Direct: 4 published, 0 withheld\n
        source rename Yelp Angi ✗ no review is from Yelp
        source rename Direct ' ' ✗ NEW is empty
        source rename Direct Angi → 4 reviews are now from Angi, which was Direct
        source → Angi: 4 published, 0 withheld\n
        import sheet.csv --source Angi → 0 new, 0 updated, 4 unchanged
        ",
    );
    // The owner decided nothing by it.
    assert!(!home.run_ok("export", "").out.contains("\"decided\""));
}

#[test]
fn a_rename_joins_sources_that_imports_tell_apart() {
    let home = Home::new();
    let table = |rows: &[&str]| format!("id,author,rating,date,text\n{}\n", rows.join("\n"));
    home.file(
        "one.csv",
        &table(&[
            "q1,Ann,5,2026-10-12,On time.",
            "q2,Bo,4,2026-10-11,Fair price.",
        ]),
    );
    home.file("two.csv", &table(&["a9,Cy,5,2026-10-10,Great work."]));
    home.run_ok("import one.csv", "2 new");
    home.run_ok("import two.csv --source Angi", "1 new");
    // A name that differs only in case is the stored one.
    home.run_ok(
        "source rename direct ANGI",
        "2 reviews are now from Angi, which was Direct; Angi had 1 review before\n",
    );
    home.run_ok("source", "Angi: 3 published, 0 withheld\n");
    for (file, count) in [("one.csv", 2), ("two.csv", 1)] {
        let counts = format!("0 new, 0 updated, {count} unchanged");
        home.run_ok(&["import", file, "--source", "Angi"], &counts);
    }
}

#[test]
fn a_rename_that_would_mix_two_sources_is_refused() {
    let table = |rows: &[&str]| format!("id,author,rating,date,text\n{}\n", rows.join("\n"));
    let own = table(&[
        "q1,Ann,5,2026-10-12,On time.",
        "q2,Bo,4,2026-10-11,Fair price.",
    ]);
    let same_ids = table(&["q1,Cy,1,2026-09-12,Never came.", "q7,Di,2,2026-09-11,Rude."]);
    let same_rows = table(&["z1,Ann,5,2026-10-12,On time."]);
    let counting = "q,author,rating,date,text\n1,Ed,5,2026-08-12,Neat.\n2,Fay,4,2026-08-11,Late.\n";
    let counting = counting.replace("q,", "id,");
    for (other, named) in [
        (&same_ids, "author, day, stars and text (q1)"),
        (&same_rows, "author, day, stars and text (q1 and z1)"),
        (
            &counting,
            "the column id is read in one way in files of Direct",
        ),
    ] {
        let home = Home::new();
        home.file("own.csv", &own);
        home.file("other.csv", other);
        home.run_ok("import own.csv", "2 new");
        let counts = if *other == counting {
            " --ignore id"
        } else {
            ""
        };
        home.run_ok(&*format!("import other.csv --source Angi{counts}"), " new");
        let before = content(&home);
        home.run_err("source rename Direct Angi", named);
        assert_eq!(content(&home), before);
    }
    // A deleted review with the ID would be taken for the other one.
    let home = Home::new();
    home.file("own.csv", &own);
    home.file("other.csv", &same_ids);
    home.run_ok("import other.csv --source Angi", "2 new");
    home.run_ok("import own.csv", "2 new");
    home.run_ok("delete q1", "deleted");
    home.steps("source rename Direct Angi ✗ author, day, stars and text (q1)");
    // What the message says works.
    let home = Home::new();
    home.file("own.csv", &own);
    home.file("other.csv", &same_rows);
    home.run_ok("import own.csv", "2 new");
    home.run_ok("import other.csv --source Angi", "1 new");
    home.run_ok("undo 2", "1 removed");
    home.run_ok("source rename Direct Angi", "2 reviews are now from Angi");
}

#[test]
fn undo_of_a_restored_row_keeps_the_digests_of_the_deleted_one() {
    let sheet = |text: &str| {
        format!("author,rating,date,text\nAnn,5,2026-10-12,On time.\nBo,4,2026-10-11,{text}\n")
    };
    let home = Home::new();
    for (file, text) in [
        ("1.csv", "Fair price."),
        ("2.csv", "Fair price!"),
        ("3.csv", "A fair price!"),
    ] {
        home.file(file, &sheet(text));
    }
    home.run_ok("import 1.csv", "2 new");
    home.run_ok("import 2.csv", "1 updated");
    home.sql("delete from review where author = 'Bo'");
    let deleted = || home.sql("select * from deleted_review");
    let before = deleted();
    home.run_ok("import 3.csv --restore --doubtful same", "1 new");
    home.run_ok("undo", "1 restored by the import, now deleted again");
    assert_eq!(deleted(), before);
    home.run_ok("export e.jsonl", "");
    let other = Home::new();
    for file in ["e.jsonl", "2.csv"] {
        other.file(file, &fs::read_to_string(home.0.path().join(file)).unwrap());
    }
    other.run_ok("import e.jsonl", "1 new");
    for home in [&home, &other] {
        home.run_ok("import 2.csv", "1 kept deleted");
    }
}

#[test]
fn a_published_review_that_the_owner_publishes_stays_published() {
    let home = Home::new();
    let table = |verified: &str| {
        format!("id,author,rating,date,text,verified\na1,Ann,5,2026-10-12,On time.,{verified}\n")
    };
    home.file("yes.csv", &table("yes"));
    home.file("no.csv", &table("no"));
    home.run_ok("import yes.csv --map verified=verified", "1 new");
    home.steps("publish a1 → is already published; the next import keeps it published");
    for _ in 0..2 {
        home.run_ok("import no.csv", "1 kept edited: a1 status and verification");
        let status = home.sql("select status from review");
        assert_eq!(status, "published");
    }
}

#[test]
fn copies_of_other_people_with_like_names_are_not_named() {
    let home = Home::new();
    let sheet = |author: &str| format!("author,rating,date,text\n{author},5,2026-10-12,On time.\n");
    home.file("one.csv", &sheet("Ann Bell"));
    home.file("two.csv", &sheet("Ann Brown"));
    home.file("three.csv", &sheet("Ann B."));
    home.run_ok("import one.csv", "1 new");
    home.run_ok("import two.csv --source Angi", "1 new");
    home.run_ok("import three.csv --source Yelp", "1 new");
    let id = home.sql("select review_id from review where author = 'Ann Bell'");
    let done = home.run_ok(&["delete", &id], "of Yelp has the same author");
    assert!(!done.out.contains("of Angi"), "{}", done.out);
}

#[test]
fn withhold_and_delete_name_copies_and_notes_stay_private() {
    let home = Home::new();
    home.import("sheet.csv", SHEET, "2 new");
    home.run_ok("import sheet.csv --source Angi", "2 new");
    let id = |source: &str| {
        home.sql(&format!(
            "select review_id from review where source_name = '{source}' and author glob 'Ann*'"
        ))
    };
    let (direct, angi) = (id("Direct"), id("Angi"));
    let copy = format!("{angi} of Angi has the same author, day and text, and is published\n");
    let done = home.run_ok(
        &[
            "withhold",
            &direct,
            "--reason",
            "in dispute",
            "--note",
            "Called her on Monday.",
        ],
        &copy,
    );
    assert_has(&done.out, "the reason is public; the note is not public");
    home.run_ok(
        &["show", &direct],
        "note, not public:\n  Called her on Monday.",
    );
    home.run_ok(&["delete", &direct], &copy);
    assert_eq!(home.sql("select count(*) from review_note"), "0");
}

#[test]
fn a_dry_run_names_changes_field_by_field_and_writes_nothing() {
    let home = Home::new();
    home.import(
        "one.jsonl",
        &[row("a", "First.", &[]), row("b", "Second.", &[])].join("\n"),
        "2 new",
    );
    let newer = [
        row("a", "First, edited.", &[("rating", json!(3))]),
        row(
            "b",
            "Second.",
            &[
                ("status", json!("withheld")),
                ("withheld_reason", json!("spam")),
            ],
        ),
        row("c", "Third.", &[]),
        row("bad", "x", &[("rating", json!(9))]),
    ];
    home.file("two.jsonl", &newer.join("\n"));
    let before = content(&home);
    let done = home.run("import two.jsonl --dry-run --rejects rejects.jsonl");
    assert_eq!(done.code, Some(1), "{}", done.err);
    let expected = "2 would be updated:\n  a  3 stars, 2026-10-01, Ann: First, edited.\n    rating: 5 → 3\n    text: First. → First, edited.\n  \
        b  5 stars, 2026-10-01, Ann: Second.\n    status: published → withheld (spam)\n1 would be withheld:\n  \
        b  5 stars, 2026-10-01, Ann: Second. (spam)\n1 would be new:\n  c  5 stars, 2026-10-01, Ann: Third.\ndry run: nothing was changed\n";
    assert!(done.out.ends_with(expected), "{}", done.out);
    assert_eq!(content(&home), before);
    assert!(!home.0.path().join("rejects.jsonl").exists());
    let long = "x".repeat(20_000);
    let many = (0..25).map(|n| row(&format!("m{n:02}"), &long, &[]));
    home.file("many.jsonl", &many.collect::<Vec<_>>().join("\n"));
    let shown = home
        .run_ok("import many.jsonl --dry-run", "25 would be new:")
        .out;
    assert!(
        shown.contains("  m19  ") && !shown.contains("  m20  "),
        "{shown}"
    );
    assert_has(&shown, "  and 5 more\n");
    assert_has(&shown, "xxx…\n");
    assert!(
        shown.lines().all(|line| line.chars().count() < 200),
        "{shown}"
    );
}

#[test]
fn an_import_is_undone_after_moves_that_nobody_decided() {
    let home = Home::new();
    home.steps("init --name 'Desert Peak' --time-zone America/Phoenix → Phoenix");
    home.import(
        "sheet.csv",
        &format!("{SHEET}Cy Dorn,5,2026-10-09T03:00:00Z,Late.\n"),
        "3 new",
    );
    home.run_ok("source rename Direct Angi", "3 reviews");
    home.run_ok(
        "init --time-zone Europe/Berlin",
        "moved       1 review to its day",
    );
    home.run_ok("undo", "3 removed");
    assert_eq!(home.sql("select count(*) from review"), "0");
}

#[test]
fn deleted_rows_without_ids_stay_deleted_in_another_database() {
    let row = |author: &str, text: &str| format!("{author},5,2026-10-12,{text}\n");
    let sheet = |rows: &[String]| format!("author,rating,date,text\n{}", rows.concat());
    let first = sheet(&[
        row("Ann", "On time."),
        row("Bo", "Fair price."),
        row("Cy", "Late but friendly."),
    ]);
    let edited = sheet(&[
        row("Ann", "On time."),
        row("Bo", "Fair price!"),
        row("Cy", "Late but very friendly."),
    ]);
    for name in ["export.jsonl", "export.csv"] {
        let home = Home::new();
        home.file("first.csv", &first);
        home.file("edited.csv", &edited);
        home.run_ok("import first.csv", "3 new");
        home.run_ok("import edited.csv", "2 updated");
        home.run_ok("source rename Direct Angi", "3 reviews");
        home.sql("delete from review where author <> 'Ann'");
        home.run_ok(&["export", name], "");
        let other = Home::new();
        for file in [name, "edited.csv"] {
            other.file(file, &fs::read_to_string(home.0.path().join(file)).unwrap());
        }
        other.run_ok(&["import", name], "1 new");
        for home in [&home, &other] {
            home.steps("import edited.csv --source Angi → 0 new, 0 updated, 1 unchanged");
            assert_eq!(home.sql("select author from review"), "Ann", "{name}");
        }
    }
}

#[test]
fn columns_of_an_export_are_taken_beside_a_business() {
    let home = Home::new();
    let init = ["init", "--name", "Desert Peak", "--country", "US"];
    let numbered = "Web,author,rating,date,text\nyes,Ann,5,2026-10-12,On time.\nno,Bo,4,2026-10-11,Fair price.\n";
    home.run_ok(&init, "Desert Peak");
    home.file("sheet.csv", numbered);
    home.run_ok("import sheet.csv --public Web=yes", "2 new");
    home.run_ok("export export.jsonl", "");
    let other = Home::new();
    other.run_ok(&init, "Desert Peak");
    other.import(
        "export.jsonl",
        &fs::read_to_string(home.0.path().join("export.jsonl")).unwrap(),
        "2 new",
    );
    let kept = |home: &Home| {
        home.sql("select source_name, header, field, public_values, withheld_values, decided_by from source_column order by 1, 2")
    };
    assert_eq!(kept(&other), kept(&home));
}

#[test]
fn undo_names_the_duplicates_of_removed_reviews() {
    let home = Home::new();
    home.import("t.csv", SHEET, "2 new");
    let angi = ["import", "t.csv", "--source", "Angi"];
    home.run_ok(
        &[&angi[..], &["--skip-duplicates"]].concat(),
        "duplicate: 2",
    );
    let undone = home.run_ok(&["undo", "1"], "2 removed");
    let named = "withheld as duplicates of removed reviews: table-";
    assert!(undone.out.contains(named), "{}", undone.out);
    home.run_ok(&angi, "0 new, 2 updated");
    home.run_ok(&angi, "0 new, 0 updated, 2 unchanged");
    let published = "select count(*) from review where status = 'published'";
    assert_eq!(home.sql(published), "2");
}
