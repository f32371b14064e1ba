//! The owner's daily commands: finding reviews, deciding about them, undoing imports, and their help.

use super::*;

/// A review in the native format.
fn row(id: &str, day: &str, stars: u8, author: &str, source: &str, text: &str) -> String {
    json!({"id": id, "rating": stars, "date": day, "author": author, "text": text, "source": {"name": source}}).to_string()
}

/// A business with five reviews of three sources, some with long IDs.
fn home() -> Home {
    let home = Home::new();
    home.steps("init --name 'Desert Peak' --time-zone America/Phoenix → Desert Peak");
    let rows = [
        row(
            "3692820271974439325.AbFvOqk2",
            "2026-10-03",
            5,
            "Ann Baker",
            "Google",
            "They came on time, fixed the furnace and explained every line of the bill to us.",
        ),
        row(
            "3692820271974439325.Zz",
            "2026-10-01",
            4,
            "Bob",
            "Google",
            "Fast.",
        ),
        row(
            "trustpilot-77",
            "2026-09-20",
            1,
            "Cyd Cole",
            "Trustpilot",
            "STRASSE gesperrt, nobody came.",
        ),
        row("trustpilot-78", "2026-10-02", 2, "Dan", "Trustpilot", ""),
        row("r-1", "2026-08-01", 3, "Eve", "Direct", "All right."),
    ];
    home.import("rows.jsonl", &rows.join("\n"), "5 new");
    home
}

impl Home {
    /// The IDs that `list` prints with these arguments.
    fn listed(&self, words: &[&str]) -> Vec<String> {
        let words = [&["list", "--json"], words].concat();
        let listed: Value = serde_json::from_str(&self.run_ok(&words, "").out).unwrap();
        let id = |review: &Value| review["id"].as_str().unwrap().to_owned();
        listed.as_array().unwrap().iter().map(id).collect()
    }

    fn status(&self) -> Value {
        serde_json::from_str(&self.run_ok("status --json", "").out).unwrap()
    }
}

#[test]
fn reviews_are_listed_newest_first_in_at_most_80_columns() {
    let home = home();
    let message = home.run_ok("list", "").out;
    let firsts: Vec<&str> = message
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let expected = [
        "3692820271974439325.AbFvOqk2",
        "trustpilot-78",
        "3692820271974439325.Zz",
        "trustpilot-77",
        "r-1",
    ];
    assert_eq!(firsts, expected, "{message}");
    assert_has(
        &message,
        "3692820271974439325.AbFvOqk2  ★★★★★  2026-10-03  published\n    Ann Baker: They came on time",
    );
    assert!(
        message.lines().all(|line| line.chars().count() <= 80),
        "{message}"
    );
    home.run_ok("withhold r-1 --reason 'under dispute'", "r-1: withheld");
    home.run_ok("list --status withheld", "★★★☆☆  2026-08-01  Eve");
    // Generated IDs are so long that the author is on the next line.
    let table = Home::new();
    table.file(
        "table.csv",
        "Name,Rating,Date,Review\nChristopher Featherstone,4,2026-11-01,Came on time and left the kitchen as clean as it had been before\nJo,5,2026-11-02,\n",
    );
    table.run_ok("init --name Peak --time-zone UTC", "Peak");
    table.run_ok("import table.csv", "2 new");
    let message = table
        .run_ok(
            "list",
            "  ★★★★☆  2026-11-01  published\n    Christopher Feath…: Came",
        )
        .out;
    assert_has(&message, "  ★★★★★  2026-11-02  published\n    Jo\n");
    assert!(
        message.lines().all(|line| line.chars().count() <= 80),
        "{message}"
    );
    let few = home.run_ok("list --limit 2", "More reviews match; `--limit 4`");
    assert_eq!(few.out.lines().filter(|line| line.contains('★')).count(), 2);
}

#[test]
fn a_list_is_filtered_by_stars_status_source_and_words() {
    let home = home();
    home.run_ok("withhold r-1 --reason x", "withheld");
    assert_eq!(home.listed(&[]).len(), 5);
    for (words, ids) in [
        (&["--rating", "1"][..], &["trustpilot-77"][..]),
        (&["--status", "withheld"], &["r-1"]),
        (
            &["--source", "trustPILOT"],
            &["trustpilot-78", "trustpilot-77"],
        ),
        (&["--query", "strasse"], &["trustpilot-77"]),
        (&["--query", "ann b"], &["3692820271974439325.AbFvOqk2"]),
        (&["--query", "straße"], &[]),
        (
            &["--source", "Google", "--rating", "4"],
            &["3692820271974439325.Zz"],
        ),
        (&["--limit", "1"], &["3692820271974439325.AbFvOqk2"]),
    ] {
        assert_eq!(home.listed(words), ids, "{words:?}");
    }
    home.run_ok("list --query 'nothing has this'", "No review matches");
    home.run_err("list --rating 6", "6 is not in 1..=5");
    home.run_err("list --status hidden", "published, withheld");
    let empty = Home::new();
    empty.run_ok("migrate", "applied");
    empty.run_ok("list", "No reviews yet; `reviews import FILE` adds some.");
}

#[test]
fn every_command_accepts_a_unique_prefix_or_the_permalink_as_id() {
    let home = home();
    let whole = "3692820271974439325.AbFvOqk2";
    for (words, expected) in [
        ("show 3692820271974439325.A", "Ann Baker"),
        (
            "show https://reviews.sample.test/reviews/trustpilot-77",
            "trustpilot-77",
        ),
        ("show /reviews/r-1", "r-1"),
        ("withhold 3692820271974439325.A --reason x", whole),
        ("publish 3692820271974439325.A", whole),
        ("respond trustpilot-78 Sorry.", "trustpilot-78: answered"),
        ("insights explain 3692820271974439325.A", whole),
        ("delete http://127.0.0.1:8080/reviews/r-1", "r-1: deleted"),
    ] {
        home.run_ok(words, expected);
    }
    home.steps(
        "
        delete trustpilot- ✗ trustpilot- is the beginning of several IDs: trustpilot-77, trustpilot-78; give more characters, `reviews list` shows the IDs
        withhold trustpiolt-77 --reason x ✗ no review trustpiolt-77; the nearest ID is trustpilot-77; `reviews list` shows the IDs
        show '' ✗ no review
        ",
    );
    assert_eq!(home.listed(&[]).len(), 4);
    // The ID of a deleted review is not taken as the prefix of another one.
    home.import(
        "more.jsonl",
        &row("r-10", "2026-08-01", 3, "Eve", "Direct", "x"),
        "1 new",
    );
    home.run_err("delete r-1", "the review r-1 was deleted");
}

#[test]
fn show_prints_a_review_as_text_or_json() {
    let home = home();
    home.steps("respond 3692820271974439325.A 'Thank you, Ann.' → answered");
    let message = home.run_ok("show 3692820271974439325.A", "").out;
    for line in [
        "rating          ★★★★★ 5 of 5\n",
        "author          Ann Baker\n",
        "status          published\n",
        "decided         response: imports do not change that\n",
        "\n  They came on time, fixed the furnace and explained every line of the bill to\n  us.\n",
        "\nanswer:\n  Thank you, Ann. (",
    ] {
        assert!(message.contains(line), "{line}: {message}");
    }
    let shown = home.run_ok("show 3692820271974439325.A --json", "").out;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["response"]["text"], "Thank you, Ann.");
    assert_eq!(shown["decided"], json!(["response"]));
}

#[test]
fn commands_print_the_text_of_the_owner_that_they_replace() {
    let home = home();
    home.steps(
        r#"
        respond r-1 'First answer.' → r-1: answered\n
        respond r-1 'Second answer.' → was:\n  First answer.\n
        respond r-1 --remove → was:\n  Second answer.\n
        withhold r-1 --reason one → r-1: withheld (one);
        withhold r-1 --reason two → r-1: withheld (two), was withheld before (one)
        editorial.json ← {"summary": {"text": "We come on time."}, "faq": [{"id": "a", "question": "Sundays?", "answer": "Yes."}]}
        editorial editorial.json → + summary {"text":"We come on time."}
        faq.json ← {"faq": []}
        editorial faq.json → - faq {"answer":"Yes.","id":"a","question":"Sundays?"}\n
        "#,
    );
    let shown: Value = serde_json::from_str(&home.run_ok("editorial", "").out).unwrap();
    assert_eq!(
        shown,
        json!({"summary": {"text": "We come on time."}, "faq": []})
    );
    home.file("blank.json", r#"{"summary": "", "faq": ""}"#);
    home.run_ok("editorial blank.json", "nothing changed");
    home.file("none.json", r#"{"summary": null}"#);
    home.run_ok("editorial none.json", "- summary");
    home.run_ok("editorial none.json", "nothing changed");
}

#[test]
fn an_answer_above_the_limit_is_refused_even_within_a_character() {
    let home = home();
    let limit = 1 << 20;
    for (answer, refusal) in [
        ("é".repeat(limit), "has more than 1 MiB"),
        ("\n".to_owned(), "the answer is empty"),
    ] {
        home.file("answer.txt", &answer);
        let input = File::open(home.0.path().join("answer.txt")).unwrap();
        let mut command = reviews(home.0.path());
        let refused = output_of(command.args(["respond", "r-1", "-"]).stdin(input));
        refused.failed(refusal);
    }
}

#[test]
fn editorial_texts_are_stored_and_file_errors_are_located() {
    let home = home();
    home.file(
        "editorial.json",
        r#"{"faq": [{"id": "a", "question": "Do you work on Sundays?", "answer": "Yes."}]}"#,
    );
    home.run_ok("editorial editorial.json", "+ faq");
    // Without an ID, an entry has one of its question, so that loading it again changes nothing.
    let unnamed = r#"{"faq": [{"question": "Do you work on Sundays?", "answer": "Yes."}]}"#;
    home.file("unnamed.json", unnamed);
    home.steps(
        r#"
        editorial unnamed.json → do-you-work-on-sundays
        editorial unnamed.json → nothing changed
        twice.json ← {"faq": [{"question": "Why?", "answer": "A"}, {"question": "Why", "answer": "B"}]}
        editorial twice.json ✗ faq[1].question: "why" appears twice
        "#,
    );
    for (content, expected) in [
        ("{\n \"fqa\": []}", "wrong.json:2:"),
        (r#"{"fqa": []}"#, "fqa: is unknown, did you mean faq?"),
        (
            r#"{"faq": [{"id": "a", "question": "Q", "anser": "A"}]}"#,
            "faq[0].anser: is unknown, did you mean answer?",
        ),
        (
            r#"{"faq": [{"id": "a", "question": "Q"}]}"#,
            "faq[0].answer: missing",
        ),
        (r#"{"summary": "text"}"#, "summary"),
        ("{", "the JSON is broken"),
    ] {
        home.file("wrong.json", content);
        home.run_err("editorial wrong.json", expected);
    }
    home.run_err("editorial none.json", "none.json: cannot be read");
    home.run_ok("editorial", "Do you work on Sundays?");
}

#[test]
fn an_export_includes_the_business_and_the_editorial_texts() {
    let home = home();
    home.steps(
        r#"
        business.json ← {"telephone": "+1 602 555 0100", "publish_staff": "first_name", "technicians": [{"id": "t1", "name": "Mike Alvarez"}]}
        business business.json → + telephone
        editorial.json ← {"summary": {"text": "We come on time."}}
        editorial editorial.json → + summary
        export out.jsonl → 5 reviews
        "#,
    );
    let exported = fs::read_to_string(home.0.path().join("out.jsonl")).unwrap();
    let first: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    assert_eq!(first["business"]["name"], "Desert Peak");
    assert_eq!(first["editorial"]["summary"]["text"], "We come on time.");
    assert_eq!(exported.lines().count(), 6);

    let other = Home::new();
    other.import("out.jsonl", &exported, "business: Desert Peak");
    for command in ["business", "editorial", "export"] {
        assert_eq!(
            other.run_ok(&[command], "").out,
            home.run_ok(&[command], "").out,
            "{command}"
        );
    }
    // An existing business is kept, with a note.
    let own = Home::new();
    own.run_ok("init --name Own", "Own");
    let done = own.import("out.jsonl", &exported, "5 new");
    assert_has(
        &done.out,
        "note: the business and the editorial texts of the file were left out",
    );
    own.run_ok("business", "\"name\": \"Own\"");
    own.run_ok("editorial", "\"faq\": []");
    let dry = Home::new();
    dry.file("out.jsonl", &exported);
    dry.run_ok("import out.jsonl --dry-run", "business: Desert Peak");
    assert!(!dry.path().exists());
    home.steps(
        "export out.csv --format csv → note: a table cannot hold the business and the editorial texts",
    );
}

#[test]
fn importing_an_export_leaves_an_unset_time_zone_unset() {
    let home = Home::new();
    home.run_ok("init --name 'Desert Peak'", "not set");
    home.run_ok("export out.jsonl", "0 reviews");
    let other = Home::new();
    let exported = fs::read_to_string(home.0.path().join("out.jsonl")).unwrap();
    other.import("out.jsonl", &exported, "business: Desert Peak");
    other.run_ok("init", "time zone   not set");
}

#[test]
fn status_shows_counts_and_imports_and_names_the_next_step() {
    let none = Home::new();
    none.run_ok("migrate", "applied");
    none.run_ok("status", "`reviews init --name NAME");
    let home = home();
    home.run_ok("withhold r-1 --reason x", "withheld");
    let status = home.status();
    assert_eq!(status["business"], "Desert Peak");
    assert_eq!(status["reviews"]["published"], 4);
    assert_eq!(
        status["reviews"]["by_source"],
        json!([{"source": "Direct", "published": 0, "withheld": 1}, {"source": "Google", "published": 2, "withheld": 0},
            {"source": "Trustpilot", "published": 2, "withheld": 0}])
    );
    assert_eq!(status["unpublished_changes"], 5);
    let run = &status["imports"][0];
    assert_eq!(
        (run["run"].as_i64(), run["new"].as_i64()),
        (Some(1), Some(5))
    );
    assert_eq!(run["files"], json!(["rows.jsonl"]));
    assert_has(status["next_step"].as_str().unwrap(), "reviews serve");
    home.run_ok("status", "reviews       4 published, 1 withheld\n");
    // As a service has it.
    let lock = File::create(home.0.path().join("reviews.db-sender")).unwrap();
    lock.lock().unwrap();
    home.run_ok("status", "service       running\n");
    drop(lock);
    let folder = home.0.path().join("private folder");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("secret-place.jsonl"),
        row("n-1", "2026-08-01", 5, "A", "Direct", "x"),
    )
    .unwrap();
    home.run_ok("import 'private folder/secret-place.jsonl'", "1 new");
    let printed = home.run_ok("status", "2: ").out;
    assert!(
        printed.contains("secret-place.jsonl") && !printed.contains("private folder"),
        "{printed}"
    );
}

#[test]
fn undo_keeps_reviews_that_the_owner_published() {
    let home = home();
    let rows = ["u-1", "u-2", "u-3"].map(|id| row(id, "2026-10-05", 5, "Al", "Google", id));
    home.import("more.jsonl", &rows.join("\n"), "3 new");
    // u-1 is published already; the command only marks this as the owner's decision.
    home.run_ok("publish u-1", "u-1: is already published");
    home.run_ok("withhold u-2 --reason x", "u-2: withheld");
    home.run_ok("publish u-2", "u-2: published");
    let message = home.run_ok("undo", "1 removed").out;
    assert_has(
        &message,
        "2 left unchanged: u-1 (you changed status, verification), u-2 (you changed status, verification)",
    );
    let ids = home.listed(&[]);
    assert!(
        ids.contains(&"u-1".to_owned()) && ids.contains(&"u-2".to_owned()) && ids.len() == 7,
        "{ids:?}"
    );
}

#[test]
fn a_wrong_import_is_undone_and_the_correct_file_imported() {
    let home = home();
    let before = home.sql("select group_concat(review_id) from review");
    let wrong = [
        row(
            "w-1",
            "2026-10-05",
            1,
            "Al",
            "Google",
            "Wrong firm one quorvex.",
        ),
        row("w-2", "2026-10-05", 1, "Al", "Google", "Wrong firm two."),
        row("w-3", "2026-10-05", 1, "Al", "Google", "Wrong firm three."),
        row("r-1", "2026-08-01", 5, "Eve", "Direct", "All right."),
    ];
    home.import("wrong.jsonl", &wrong.join("\n"), "3 new, 1 updated");
    home.run_ok("respond w-3 'Who are you?'", "answered");
    let dry = home.run_ok("undo --dry-run", "2 removed");
    assert!(
        dry.out.ends_with("dry run: nothing was changed\n"),
        "{}",
        dry.out
    );
    assert_eq!(home.listed(&[]).len(), 8);
    let message = home
        .run_ok(
            "undo",
            "the removed reviews are gone, and erased from the file",
        )
        .out;
    for part in [
        "2: ",
        "wrong.jsonl",
        "1 left unchanged: w-3 (you changed response)",
        "1 changed back to the former values",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let bytes = fs::read(home.path()).unwrap();
    assert!(
        !bytes.windows(7).any(|part| part == b"quorvex"),
        "the text is still in the file"
    );
    home.run_ok("delete w-3", "deleted");
    assert_eq!(
        home.sql("select group_concat(review_id) from review"),
        before
    );
    // Undone reviews do not count as deleted: the export omits them and imports add them again.
    let exported = home.run_ok("export", "").out;
    assert_has(&exported, "{\"deleted\":true,");
    assert_has(&exported, "\"id\":\"w-3\"");
    assert!(!exported.contains("w-1"), "{exported}");
    let numbers = "select max(change_no) from review_change";
    let highest: i64 = home.sql(numbers).parse().unwrap();
    home.import(
        "right.jsonl",
        &row("w-1", "2026-10-05", 4, "Al", "Google", "Right."),
        "1 new",
    );
    assert!(home.sql(numbers).parse::<i64>().unwrap() > highest);
    // Deleting one with the command still counts.
    home.run_ok("delete w-1", "deleted");
    home.run_ok("import wrong.jsonl", "kept deleted: w-1, w-3");
    home.run_ok("check", "6 reviews");
}

#[test]
fn an_import_is_undone_once_and_an_older_one_by_number() {
    let home = home();
    home.file(
        "two.jsonl",
        &row("n-1", "2026-10-05", 5, "Al", "Direct", "Two."),
    );
    home.file(
        "three.jsonl",
        &row("n-2", "2026-10-06", 5, "Al", "Direct", "Three."),
    );
    home.run_ok("import two.jsonl", "1 new");
    home.run_ok("import three.jsonl", "1 new");
    home.run_err("undo 2", "import 3 is a later one of Direct");
    home.run_ok("undo", "1 removed");
    home.run_err("undo", "import 3 was already undone");
    home.run_err("undo", "`reviews undo 2` undoes the one before");
    home.run_ok("undo 2", "1 removed");
    home.run_err("undo 9", "there is no import 9");
    home.run_ok("status", "three.jsonl: 1 new, 0 updated, undone\n");
    home.run_ok("undo 1", "5 removed");
    let none = Home::with(2);
    none.run_err("undo", "no import to undo");
}

#[test]
fn undo_publishes_reviews_again_that_the_import_withdrew() {
    let home = Home::new();
    let all: Vec<String> = (0..20)
        .map(|n| {
            row(
                &format!("g-{n:02}"),
                "2026-10-01",
                5,
                "Ann",
                "Google",
                &format!("Text {n}."),
            )
        })
        .collect();
    home.file("all.jsonl", &all.join("\n"));
    home.file("cut.jsonl", &all[..19].join("\n"));
    home.run_ok("import all.jsonl", "20 new");
    home.run_ok("import cut.jsonl --withdraw-missing", "1 withdrawn");
    assert_eq!(home.listed(&["--status", "withheld"]), ["g-19"]);
    home.run_ok("undo", "1 of these published again");
    assert_eq!(home.listed(&["--status", "withheld"]), [] as [&str; 0]);
    home.run_ok("import all.jsonl", "0 new, 0 updated, 20 unchanged");
    home.run_ok("import cut.jsonl --withdraw-missing", "1 withdrawn");
}

#[test]
fn init_accepts_all_values_as_options_and_prints_a_next_step() {
    let home = Home::new();
    let done = home.run_ok("init --name 'Desert Peak' --type HVACBusiness --time-zone America/Phoenix --url https://desert-peak.example/ --telephone '+1 602 555 0100' --address '12 Main St, Mesa, AZ 85201, US'",
        "telephone   +1 602 555 0100\naddress     12 Main St, Mesa, AZ, 85201, US\n",
    );
    let notes: Vec<&str> = (done.out.lines())
        .filter(|line| line.starts_with("note"))
        .collect();
    assert!(
        notes.len() == 1 && notes[0].contains("review_policy"),
        "no option states the policy: {notes:?}"
    );
    assert!(
        done.out.ends_with(
            "next        `reviews import FILE` adds reviews, then `reviews serve` publishes them\n"
        ),
        "{}",
        done.out
    );
    let shown: Value = serde_json::from_str(&home.run_ok("business", "").out).unwrap();
    assert_eq!(shown["address"]["postal_code"], "85201");
    home.run_ok(
        "init --telephone '+1 602 555 0199'",
        "address     12 Main St",
    );
    home.run_err("init --address 'a, b, c, d, e, f'", "STREET, TOWN, REGION");
    home.run_ok("init --country us", "country     US");
    home.run_ok("init --telephone 1", "country     US");
    home.run_err("init --country USA", "two letters of ISO 3166");
}

#[test]
fn status_of_a_node_reports_if_the_cluster_is_served() {
    let home = home();
    assert_eq!(home.status()["is_served"], false);
    let lease = "insert into lease (name, holder, ends_at) values ('sender', 'other', ";
    home.sql(&format!("{lease} '9999-01-01T00:00:00.000Z')"));
    assert_eq!(home.status()["is_served"], true);
    let over = "update lease set ends_at = '2026-01-01T00:00:00.000Z'";
    home.sql(over);
    assert_eq!(home.status()["is_served"], false);
}
