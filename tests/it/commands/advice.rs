//! The advice of messages works when followed literally.

use super::*;

#[test]
fn the_command_advised_for_a_missing_database_creates_it() {
    for words in ["check", "show r-1", "export", "business", "mcp"] {
        let home = Home::new();
        let refused = home.run(words);
        refused.failed("error: no database at reviews.db; create one with `");
        assert!(!home.path().exists(), "{words}");
        let advice = quoted_command(&refused.err, "reviews init");
        home.run_ok(&advice, "name        NAME");
        let again = home.run(words).err;
        assert!(!again.contains("no database"), "{words}: {again}");
    }
}

/// The arguments of the command in backticks that begins with `begin`.
fn quoted_command(message: &str, begin: &str) -> Vec<String> {
    let line = message.split('`').find(|part| part.starts_with(begin));
    let line = line.unwrap_or_else(|| panic!("no `{begin}` in: {message}"));
    shlex::split(line).unwrap().split_off(1)
}

impl Home {
    /// Runs a command, then the command that begins with `begin` in its output, with placeholders replaced by `values`. The
    /// output of the second must contain `expected`.
    #[track_caller]
    fn follow_advice(&self, words: &str, begin: &str, values: &[(&str, &str)], expected: &str) {
        let first = self.run(words);
        let mut command = quoted_command(&(first.out + &first.err), begin);
        for word in &mut command {
            if let Some((_, value)) = values.iter().find(|(name, _)| name == word) {
                (*value).clone_into(word);
            }
        }
        self.run_ok(&command, expected);
    }
}

const ROW: &str = r#"{"id":"r-1","rating":5,"date":"2026-11-01","author":"Ann","text":"Good."}"#;

#[test]
fn every_next_step_advised_for_an_empty_database_works() {
    let business = [
        ("NAME", "Desert Peak"),
        ("TYPE", "Plumber"),
        ("ZONE", "America/Phoenix"),
    ];
    let file = [("FILE", "rows.jsonl")];
    for words in ["status", "list"] {
        let home = Home::new();
        home.run_ok("init --name Peak --time-zone UTC", "Peak");
        home.file("rows.jsonl", ROW);
        home.follow_advice(words, "reviews import", &file, "1 new");
        // A deleted review returns only with the advised option.
        home.run_ok("delete r-1 --yes", "deleted");
        home.follow_advice("show r-1", "reviews import", &file, "1 new");
    }
    for words in ["status", "business"] {
        let home = Home::new();
        home.run_ok("migrate", "");
        home.follow_advice(words, "reviews init", &business, "name        Desert Peak");
    }
    for words in ["status", "init"] {
        let home = Home::new();
        home.run_ok("init --name 'Desert Peak'", "not set");
        let zone = "time zone   America/Phoenix";
        home.follow_advice(words, "reviews init --time-zone", &business, zone);
    }
}

#[test]
fn commands_advised_after_a_decision_work() {
    let home = Home::new();
    home.run_ok("init --name Peak --time-zone UTC", "Peak");
    let rows = ["r-1", "r-12"].map(|id| ROW.replace("r-1", id)).join("\n");
    home.import("rows.jsonl", &rows, "2 new");
    let withhold = "withhold r-12 --reason 'under dispute'";
    home.follow_advice(withhold, "reviews publish", &[], "r-12: published");
    for unknown in ["show r", "show r-99"] {
        home.follow_advice(unknown, "reviews list", &[], "r-12  ★★★★★");
    }
    home.follow_advice("backup copy.db", "reviews restore", &[], "copy.db");
    // An import leaves out the business and editorial texts of an export; the advised commands load such files.
    let other = Home::new();
    other.run_ok("init --name Mesa --time-zone UTC", "Mesa");
    let exported = other.run_ok("export", "\"business\"").out;
    home.file("theirs.jsonl", &exported);
    home.steps(
        r#"
        business.json ← {"telephone": "+1 602 555 0100"}
        editorial.json ← {"summary": {"text": "Open since 1998."}}
        "#,
    );
    for (begin, file, expected) in [
        ("reviews business", "business.json", "+1 602 555 0100"),
        ("reviews editorial", "editorial.json", "changed     summary"),
    ] {
        home.follow_advice("import theirs.jsonl", begin, &[("FILE", file)], expected);
    }
}

#[test]
fn the_advice_of_check_repairs_the_reported_faults() {
    let rows = ["r-1", "r-12"].map(|id| ROW.replace("r-1", id)).join("\n");
    let whole = Home::new();
    whole.run_ok("init --name Peak --time-zone UTC", "Peak");
    whole.import("rows.jsonl", &rows, "2 new");
    whole.analyze();
    let firm = || {
        let home = Home::new();
        home.file("rows.jsonl", &rows);
        fs::copy(whole.path(), home.path()).unwrap();
        home
    };
    let is_sound = |home: &Home| home.run_ok("check", "ok      schema");
    // An invalid row, which can be deleted and imported again, and an analysis that does not match its text.
    let unreadable = "pragma ignore_check_constraints = on; update review set rating = 9 where review_id = 'r-1'";
    let home = firm();
    home.sql(unreadable);
    home.sql("update derived_analysis set analysis = json_set(analysis, '$.overall[1]', 4711)");
    for words in ["show r-1", "withhold r-1 --reason x"] {
        let refused = home.run(words);
        refused.failed("cannot be read");
        assert_eq!(quoted_command(&refused.err, "reviews check"), ["check"]);
    }
    let partial = home.run("export all.jsonl");
    assert_eq!(partial.code, Some(1), "{}", partial.err);
    assert_has(&partial.err, "1 row cannot be read");
    assert_has(&partial.out, "1 review, 0 IDs without a review");
    assert_eq!(quoted_command(&partial.err, "reviews check"), ["check"]);
    let wrong = home.run("check").out;
    assert!(!wrong.contains("Keep a copy of the file"), "{wrong}");
    assert_has(&wrong, "a file that has only this review");
    home.run_ok("status", "1 published, 0 withheld");
    let mut delete = quoted_command(&wrong, "reviews delete");
    // There is no terminal to ask at.
    delete.push("--yes".to_owned());
    home.run_ok(&delete, "r-1: deleted");
    home.sql("delete from derived_analysis");
    home.run_ok("check", "`reviews serve` catches up");
    home.run_ok("export rest.jsonl", "1 review");
    home.run_ok("list", "r-12");
    is_sound(&home);
    let home = firm();
    home.sql(unreadable);
    let import = home.run("import rows.jsonl");
    assert_has(&import.err, "the stored review r-1 has bytes");
    home.run_ok("delete r-1 --yes", "deleted");
    home.run_ok("import rows.jsonl --restore", "back from deletion: r-1");
    is_sound(&home);
    // A damaged database is restored from a backup, or its readable reviews are exported into a new one.
    let home = firm();
    home.run_ok("backup copy.db", "copy.db");
    home.sql("drop trigger review_updated");
    let wrong = home.run("check").err;
    let wrong = wrong.replace("COPY", "copy.db");
    let wrong = wrong.replace("FILE", "saved.jsonl");
    home.run_ok(&quoted_command(&wrong, "reviews export"), "2 reviews");
    Home::new().import("saved.jsonl", &home.read("saved.jsonl"), "2 new");
    home.run_ok(&quoted_command(&wrong, "reviews restore"), "copy.db");
    is_sound(&home);
}
