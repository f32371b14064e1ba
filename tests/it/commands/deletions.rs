//! Deleted reviews are counted, whoever deletes them; what comes and goes otherwise is no deletion.

use super::*;

/// The marks: ID, source and reason of each.
const MARKS: &str = "select group_concat(review_id || ' ' || source_name || ' ' || coalesce(reason, '-'), ', ')
    from (select * from deleted_review as d where not exists (select 1 from review as r where r.review_id = d.review_id)
    order by review_id)";

/// Three reviews of Google and one that was typed in.
fn home() -> Home {
    let home = Home::new();
    let row = |id: &str| {
        json!({"id": id, "rating": 1, "date": "2026-10-01", "author": format!("Ann {id}"), "text": format!("Two hours late, and {id}."),
            "source": "Google"})
    };
    let rows: Vec<String> = ["a", "b", "c"].map(|id| row(id).to_string()).into();
    home.import("rows.jsonl", &rows.join("\n"), "3 new");
    home.sql("insert into review (review_id, rating, reviewed_on, text) values ('typed', 2, '2026-10-02', 'By post.')");
    home
}

impl Home {
    #[track_caller]
    fn marks(&self, expected: &str) {
        self.finds(MARKS, expected);
    }
}

#[test]
fn delete_says_that_it_is_counted_and_keeps_the_reason() {
    let home = home();
    home.run_ok("delete --help", "public for ever");
    home.run_err("delete a", "for ever; `reviews undo --source Google` takes");
    home.marks("");
    home.steps(
        r#"
        d.jsonl ← {"id": "d", "rating": 5, "date": "2026-10-05", "author": "Dan", "text": "On time.", "source": "Google"}
        import d.jsonl → 1 new
        delete a ✗ for ever; add --yes
        delete typed ✗ for ever; add --yes
        delete a --yes --reason ' ' ✗ --reason is empty
        delete a --yes --reason 'a threat' → /transparency counts it as deleted (a threat)
        delete typed --yes → /transparency counts it as deleted (not stated)
        a.jsonl ← {"id": "y", "rating": 1, "date": "2026-10-01", "author": "Ann a", "text": "Two hours late, and a.", "source": "Yelp"}
        edited.jsonl ← {"id": "a", "rating": 4, "date": "2026-10-01", "author": "Ann a", "text": "Two hours late, and a.", "source": "Google"}
        import edited.jsonl → kept deleted: a
        import a.jsonl → kept deleted: a
        import a.jsonl --restore → 1 brought back from deletion: y
        b.jsonl ← {"id": "b", "rating": 1, "date": "2026-10-01", "author": "Ann a", "text": "Two hours late, and a.", "source": "Google", "status": "withheld"}
        import b.jsonl → 0 new, 0 updated, 0 unchanged, 0 rejected\n1 kept deleted: a
        sql: select text, withheld_reason from review where review_id = 'b' → Two hours late, and b.|perhaps not published at the source
        sql: select count(*) from deleted_review where deleted_on glob '202?-??-??' and same_content is not null → 2
        "#,
    );
    home.marks("a Google a threat, typed Direct -");
}

#[test]
fn deletions_by_sqlite3_are_marked_and_replaced_rows_are_not() {
    let home = home();
    home.sql("insert or replace into review (review_id, rating, reviewed_on, source_name) values ('a', 5, '2026-10-01', 'Google')");
    home.sql("update review set review_id = 'd' where review_id = 'b'");
    home.marks("");
    // The file finds the review under its new ID.
    home.run_ok("import rows.jsonl", "0 new");
    home.finds("select count(*) from review where review_id = 'b'", "0");
    home.sql("pragma recursive_triggers = on; replace into review (review_id, rating, reviewed_on) values ('c', 5, '2026-10-01')");
    home.marks("");
    home.steps("sql: delete from review where review_id in ('d', 'typed')\nsql: select distinct deleted_on = date('now') from deleted_review → 1");
    home.marks("d Google -, typed Direct -");
    // It stands again.
    home.sql(
        "insert into review (review_id, rating, reviewed_on) values ('typed', 2, '2026-10-02')",
    );
    home.marks("d Google -");
}

#[test]
fn undo_gives_back_the_mark_of_a_restored_review() {
    let home = home();
    home.steps(
        "
        delete a --yes --reason 'a threat' → deleted
        sql: update deleted_review set deleted_on = '2026-10-05'
        import rows.jsonl → kept deleted: a
        import rows.jsonl --restore → 1 new
        sql: select count(*) from deleted_review → 0
        undo → 1 restored by the import, now deleted again
        sql: select source_name, reason, deleted_on from deleted_review → Google|a threat|2026-10-05
        import rows.jsonl --restore → 1 new
        delete a --yes --reason 'a threat again' → deleted
        undo → 1 deleted since
        ",
    );
    // Deleted again after it was restored: that is the mark that stays.
    home.marks("a Google a threat again");
}

#[test]
fn exports_and_restore_keep_marks_with_source_day_and_reason() {
    let home = home();
    home.steps(
        "
        backup copy.db → copy.db
        sql: update review set source_name = 'Maps' where review_id = 'b'
        delete a --yes --reason 'a threat' → deleted
        delete b --yes --reason 'a double' → deleted
        delete typed --yes → deleted
        sql: update deleted_review set deleted_on = '2026-10-05' where review_id = 'b'
        withhold c --reason x → withheld
        export all.jsonl → 1 review
        ",
    );
    let all = "select * from deleted_review order by 1";
    let marks = home.sql(all);
    let other = Home::new();
    other.file("all.jsonl", &home.read("all.jsonl"));
    other.run_ok("import all.jsonl", "3 recorded as deleted");
    other.finds(all, &marks);
    other.run_ok("undo --dry-run", "4 with your decisions, which are undone, too: a deleted, b deleted, c status, typed deleted");
    home.run_ok("restore copy.db", "3 deleted again");
    home.finds(all, &marks);
    home.finds("select review_id from review", "c");
}
