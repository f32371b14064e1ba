//! Undoing an import gives back all of it: values, what sources said, withholdings and deletions.

use super::*;

/// The rows of a list: in each line an ID, a text, and further members.
fn rows(list: &str) -> String {
    let row = |line: &str| {
        let (start, more) = line.split_once(" {").unwrap_or((line, "}"));
        let (id, text) = start.trim().split_once(' ').unwrap();
        let mut row = json!({"id": id, "rating": 5, "date": "2026-10-01", "author": "Ann", "text": text, "source": "Google"});
        let more: Value = serde_json::from_str(&format!("{{{more}")).unwrap();
        let members = row.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        format!("{row}\n")
    };
    list.trim().lines().map(row).collect()
}

/// All values of reviews and of their sources, without the times of their changes.
fn content(home: &Home) -> String {
    home.sql("select review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name, source_url,
           verification, reply_text, reply_on, reply_author from review order by 1;
         select review_id, source_name, posted_at, said, same_author_and_day, same_content, same_text, id_at_source from review_source order by 1;
         select review_id, kind, value from mention order by 1, 2, 3; select * from deleted_review order by 1")
}

/// Two imports: the second one changes, hides and adds reviews. Returns the content between and after them.
fn imported_twice() -> (Home, [String; 2]) {
    let home = Home::new();
    home.import("one.jsonl", &rows("a First.\nb Second.\nc Third."), "3 new");
    home.run_ok("reply c 'My own answer.'", "replied");
    let before = content(&home);
    let newer = rows(
        r#"
        a First, edited. {"title": "Title", "mentions": {"services": ["drain"]}}
        b Second. {"status": "withheld", "withheld_reason": "spam"}
        c Third. {"owner_reply": {"text": "The platform's."}}
        d Quorvex.
        "#,
    );
    home.import("two.jsonl", &newer, "1 new, 2 updated");
    let after = content(&home);
    (home, [before, after])
}

#[test]
fn a_dry_run_of_undo_shows_what_it_would_do() {
    let (home, [_, after]) = imported_twice();
    let preview = home.run_ok("undo --dry-run", "dry run: nothing was changed\n");
    assert_has(&preview.out, "1 would be removed:\n  d  5 stars");
    assert_has(&preview.out, "    text: First, edited. → First.");
    assert_eq!(content(&home), after);
}

#[test]
fn undo_restores_the_values_of_the_review_and_of_the_source() {
    let (home, [before, _]) = imported_twice();
    // What the source hides now is left; all else is as before.
    let message = home.run_ok("undo", "1 removed, 1 updated\n").out;
    assert_has(&message, "1 left unchanged: b (its source hides it)");
    let [now, before] = [content(&home), before].map(|text| {
        let lines = text.lines().filter(|line| !line.starts_with("b|"));
        lines.collect::<String>()
    });
    assert_eq!(now, before);
}

#[test]
fn undo_erases_the_reviews_that_it_removes() {
    let (home, _) = imported_twice();
    home.run_ok("undo", "are gone, and erased from the file");
    assert!(!home.file_has("Quorvex"), "the text is still in the file");
}

#[test]
fn an_undone_import_can_be_repeated() {
    let (home, [_, after]) = imported_twice();
    home.run_ok("undo", "1 removed");
    // Its changes have higher numbers.
    let numbers = "select max(change_no) from review_change";
    let highest: i64 = home.sql(numbers).parse().unwrap();
    home.run_ok("import two.jsonl", "1 new, 1 updated, 2 unchanged");
    assert_eq!(content(&home), after);
    assert!(home.sql(numbers).parse::<i64>().unwrap() > highest);
    // An undone review is not a deleted one.
    home.steps("delete d --yes → deleted\nimport two.jsonl → kept deleted: d\ncheck → 3 reviews");
}

#[test]
fn undo_restores_all_but_hidden_parts_of_a_review() {
    let home = Home::new();
    let block = |part: &str| format!("[[{part}]]\nnames = [\"{part}\"]\nvalues = [\"yes\"]\n");
    home.file("f.toml", &[block("public"), block("public_reply")].concat());
    let head = "Name,Stars,Date,Review,Reply,public,public_reply\nBo,4,2026-03-05,Warm,Hi";
    home.file("a.csv", &format!("{head},no,yes\n"));
    home.file("b.csv", &format!("{head},yes,no\n"));
    home.steps("import a.csv --format f.toml → 1 new\nimport b.csv → 1 updated\nundo → in part");
    home.finds(
        "select status, reply_text is null from review",
        "withheld|1",
    );
}

#[test]
fn undo_gives_the_mark_of_a_restored_review_back_though_a_file_hid_it_since() {
    let home = Home::new();
    let hidden = "a First, again. {\"status\": \"withheld\", \"withheld_reason\": \"spam\"}";
    home.import("one.jsonl", &rows("a First.\nb Second."), "2 new");
    home.file("edited.jsonl", &rows("a First, again."));
    home.file("hidden.jsonl", &rows(hidden));
    home.steps(
        r"
        delete a --reason 'not ours' --yes → deleted
        import one.jsonl --restore → 1 new
        import edited.jsonl → 1 updated
        import hidden.jsonl → 1 updated
        undo → a (its source hides it)
        undo → a (changed since)
        sql: select status from review where review_id = 'a' → withheld
        undo → 1 restored by the import, now deleted again:\n  a
        sql: select review_id from review → b
        sql: select review_id, reason from deleted_review → a|not ours
        import one.jsonl → kept deleted: a
        ",
    );
}

#[test]
fn undo_publishes_withdrawn_reviews_again() {
    let home = Home::new();
    let row = |number| rows(&format!("g-{number} Words {number}."));
    home.file("all.jsonl", &(10..30).map(row).collect::<String>());
    home.file("cut.jsonl", &(10..29).map(row).collect::<String>());
    home.steps(
        "
        import all.jsonl → 20 new
        import cut.jsonl --withdraw-missing → 1 withdrawn
        undo → 1 published again
        import all.jsonl → 20 unchanged
        import cut.jsonl --withdraw-missing → 1 withdrawn
        ",
    );
    // What its source hid in between stays hidden.
    let withheld = row(29).replace('}', ", \"status\": \"withheld\"}");
    home.file("hidden.jsonl", &withheld);
    let nameless = row(28).replace("Ann", "Anonymous");
    home.file("nameless.jsonl", &nameless);
    home.steps(
        "
        import nameless.jsonl → 1 updated
        undo → g-28 in part (its source hides its author's name
        import hidden.jsonl → 1 updated
        undo → g-29 (its source hides it)
        undo → g-29 (changed since)
        ",
    );
}

/// Imports of two sources: the fourth has reviews of both.
fn imports_of_two_sources() -> Home {
    let home = Home::new();
    for [file, list] in table(
        r#"
        one.jsonl → a First.
        angi.jsonl → q Angi's. {"source": "Angi"}
        two.jsonl → a Second.
        both.jsonl → a Third.\nq Angi's, edited. {"source": "Angi"}
        angi2.jsonl → p Another. {"source": "Angi"}
        "#,
    ) {
        home.file(file, &rows(&list.replace("\\n", "\n")));
        home.run(&["import", file]).done();
    }
    home
}

#[test]
fn the_newest_import_of_a_source_goes_and_then_the_one_before() {
    let home = imports_of_two_sources();
    home.steps(
        r"
        undo → 5: 20
        status → angi2.jsonl: 1 new, 0 updated, undone
        undo → 4: 20
        undo --source google → 3: 20
        sql: select review_id, text from review order by 1 → a|First.\nq|Angi's.
        undo → 2: 20
        undo ✗ no import to undo; `reviews undo --source Google` takes back the newest one
        undo --source Google → 1: 20
        sql: select count(*) from review → 0
        ",
    );
}

#[test]
fn an_import_of_two_sources_waits_for_the_newer_one_of_either() {
    imports_of_two_sources().steps(
        "undo --source Google ✗ import 4 has reviews of Angi, too, of which import 5 is newer; `reviews undo --source Angi` takes",
    );
}

#[test]
fn where_there_is_no_import_nothing_is_undone() {
    let home = Home::new();
    home.steps("migrate → applied\nundo ✗ no import to undo");
    home.import("one.jsonl", &rows("a First."), "1 new");
    home.run_err("undo --source Yelp", "no import of Yelp to undo");
}

#[test]
fn an_import_that_changed_nothing_has_nothing_to_undo() {
    let home = Home::new();
    let angi = rows("q Angi's. {\"source\": \"Angi\"}");
    home.import("angi.jsonl", &angi, "1 new");
    home.steps(
        r"
        import angi.jsonl → 1 unchanged
        undo ✗ import 2 changed nothing, so there is nothing of it to take back; `reviews undo --source Angi` takes back import 1
        undo --dry-run ✗ import 2 changed nothing
        undo --source Angi → angi.jsonl: 1 new, 0 updated\n1 removed
        ",
    );
}

#[test]
fn newer_scheduled_fetch_is_undone_only_with_a_named_source() {
    let home = Home::new();
    home.import("google.jsonl", &rows("a First.\nb Second."), "2 new");
    let angi = rows("q Angi's. {\"source\": \"Angi\"}\nr Its. {\"source\": \"Angi\"}");
    home.import("angi.jsonl", &angi, "2 new");
    home.steps(
        "
        sql: update import_run set scheduled = 1 where run_id = 2
        undo ✗ import 2 was fetched by the service after the last one by hand; say whose newest import goes: `reviews undo --source Angi` or
        undo --dry-run ✗ import 2 was fetched by the service
        sql: select count(*) from review → 4
        sql: insert into import_run (run_id, started_at, files, sources, is_kept) select 99 + r, started_at, '[]', '[]', 0 from (select 1 as r union select 2), import_run where run_id = 1
        import angi.jsonl → 2 unchanged
        undo --source Google → 1: 20
        sql: select count(*) from review → 2
        undo --source Angi → 2: 20
        sql: select count(*) from review → 0
        ",
    );
}

#[test]
fn a_review_touched_since_stays_and_the_import_before_is_next() {
    let home = Home::new();
    home.import("one.jsonl", &rows("a First."), "1 new");
    let two = rows("a First.\nb Second.\nc Third.\nd Fourth.");
    home.import("two.jsonl", &two, "3 new");
    home.steps(
        r"
        reply b 'Thank you.' → replied
        publish c → c: published
        withhold d --reason x → withheld
        publish d → published
        undo → 3 left unchanged: b (changed since), c (changed since), d (changed since)
        undo → 1 removed
        sql: select review_id from review order by 1 → b\nc\nd
        ",
    );
}

#[test]
fn former_values_are_erased_with_the_review_or_after_30_days() {
    let home = Home::new();
    let first = rows("a Zyxglint first.\nb Quorvex first.");
    home.import("one.jsonl", &first, "2 new");
    let second = rows("a Another text.\nb One more.");
    home.import("two.jsonl", &second, "2 updated");
    assert!(home.file_has("Zyxglint"), "the former value is kept");
    home.run_ok("delete a --yes", "erased from the file");
    assert!(!home.file_has("Zyxglint") && home.file_has("Quorvex"));
    home.steps(
        "
        sql: update import_run set started_at = '2020-01-01T00:00:00Z'
        undo ✗ import 2 can no longer be undone
        import two.jsonl → 1 unchanged
        sql: select count(former) from import_run_review → 0
        ",
    );
}

#[test]
fn source_whose_first_import_is_undone_has_a_format_as_the_warning_says() {
    let sheet = "Name,Stars,Date,Review,Publish\nAnn,5,2026-03-01,Neat,yes\n";
    let format = "ignored = \"*\"\n[[public]]\nnames = [\"Publish\"]\nvalues = [\"yes\"]\n";
    for source in ["Direct", "Angi"] {
        let home = Home::new();
        home.file("sheet.csv", sheet);
        home.file("gate.toml", format);
        let name = [
            "import",
            "sheet.csv",
            "--format",
            "gate.toml",
            "--source",
            source,
        ];
        home.run(&name).done();
        let undone = home.run("undo");
        undone.done();
        assert_has(
            &undone.out,
            &format!("`reviews source format {source} FILE`"),
        );
        let shown = home.run(&["source", "format", source]);
        if source == "Direct" {
            shown.done();
            assert_has(&shown.out, "# Direct keeps no format");
        } else {
            shown.failed(&format!("`reviews source format {source} FILE` sets"));
        }
        let set = home.run(&["source", "format", source, "gate.toml"]);
        set.done();
        assert!(!set.out.contains("former rule"), "{}", set.out);
        let shown = home.run(&["source", "format", source]);
        shown.done();
        assert_has(&shown.out, "names = [\"Publish\"]");
        // One that lacks its rule says so.
        home.file("plain.toml", "ignored = \"*\"\n");
        let set = home.run(&["source", "format", source, "plain.toml"]);
        assert_has(&set.out, "the former rule by which \"Publish\" decided");
    }
}

#[test]
fn a_dry_run_names_changes_field_by_field_and_writes_nothing() {
    let home = Home::new();
    home.import("one.jsonl", &rows("a First.\nb Second."), "2 new");
    let newer = r#"
        a First, edited. {"rating": 3}
        b Second. {"status": "withheld", "withheld_reason": "spam"}
        bad x {"rating": 9}
        "#;
    // Twenty are shown, with the beginning of their texts.
    let long = "x".repeat(20_000);
    let many = (0..25).map(|n| rows(&format!("m{n:02} {long}")));
    home.file("two.jsonl", &(rows(newer) + &many.collect::<String>()));
    let before = content(&home);
    let done = home.run("import two.jsonl --dry-run --rejects rejects.jsonl");
    assert_eq!(done.code, Some(1), "{}", done.err);
    for part in [
        "\n    rating: 5 → 3\n    text: First. → First, edited.\n",
        "\n    status: published → withheld (spam)\n",
        "1 would be withheld:\n  b  5 stars, 2026-10-01, Ann: Second. (spam)\n",
        "25 would be new:\n  m00  5 stars",
        "…\n  and 5 more\ndry run: nothing was changed\n",
    ] {
        assert_has(&done.out, part);
    }
    assert_eq!(content(&home), before);
    assert!(!home.folder.path().join("rejects.jsonl").exists());
}
