//! The commands for a firm's own reviews: importing, deciding, exporting and erasing.

use super::*;

fn rows(changes: &[(&str, Value)]) -> String {
    let row = |id: &str| {
        let mut row = json!({"id": id, "rating": 5, "date": "2024-11-01", "author": "Ann B.", "text": format!("Text of {id}.")});
        for (_, change) in changes.iter().filter(|(of, _)| *of == id) {
            change
                .as_object()
                .unwrap()
                .iter()
                .for_each(|(name, value)| row[name] = value.clone());
        }
        row.to_string()
    };
    ["r-1", "r-2", "r-3", "r-4"].map(row).join("\n")
}

impl Home {
    pub fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.0.path().join(name), content).unwrap();
        name.to_owned()
    }

    #[track_caller]
    pub fn run_ok(&self, words: impl Words, expected: &str) -> CommandOutput {
        let done = self.run(words);
        done.done();
        assert_has(&done.out, expected);
        done
    }

    /// Writes a file and imports it. The counts must contain `expected`.
    #[track_caller]
    pub fn import(&self, name: &str, content: &str, expected: &str) -> CommandOutput {
        self.file(name, content);
        self.run_ok(&["import", name], expected)
    }

    #[track_caller]
    pub fn run_err(&self, words: impl Words, expected: &str) {
        self.run(words).failed(expected);
    }

    /// All reviews as text.
    fn reviews(&self) -> String {
        let columns = "review_id, rating, reviewed_on, author, title, text, status, withheld_reason, response_text";
        sqlite3(
            &self.path(),
            &format!("select {columns} from review order by review_id"),
        )
    }
}

#[test]
fn init_creates_a_business_and_changes_only_stated_values() {
    let home = Home::new();
    home.steps(
        "init --name 'Desert Peak' → time zone   not set; `reviews init --time-zone ZONE` sets it",
    );
    let second = home.run_ok(
        "init --time-zone America/Phoenix --type HVACBusiness",
        "America/Phoenix",
    );
    assert_has(
        &second.out,
        "name        Desert Peak\ntype        HVACBusiness\n",
    );
    home.steps("init --time-zone america/phoenix ✗ write it like America/Phoenix");
    let shown = home.run_ok("business", "\"id\": \"desert-peak\"");
    // The printed business can be changed and loaded again.
    home.file(
        "business.json",
        &shown.out.replace(
            "\"services\": []",
            "\"services\": [{\"id\": \"ac\", \"name\": \"AC\"}]",
        ),
    );
    home.run_ok("business business.json", "1 service,");
    home.run_ok("business", "\"ac\"");
    let says = |setting: &str| shown.out.replace("\"full\"", setting);
    home.file("off.json", &says("\"off\""));
    home.run_ok("business off.json", "staff       off");
    // A file without `publish_staff` keeps the setting.
    home.file("silent.json", "{\"id\": \"dp\", \"name\": \"Desert Peak\"}");
    home.run_ok("business silent.json", "staff       off");
    home.file("some.json", &says("\"some\""));
    home.steps(
        r#"
        business some.json ✗ publish_staff: "some" is not one of full, first_name, off
        broken.json ← {\n "id": "x"\n}
        business broken.json --replace ✗ broken.json:3:1: name: missing
        "#,
    );
}

#[test]
fn an_export_does_not_list_completing_rows_as_deleted() {
    let home = Home::new();
    home.file("t.csv", "Date,Stars,Name,Said\n2026-10-02,4,Ann,On time.\n");
    home.run_ok("import t.csv --no-text --ignore-others", "1 new");
    home.run_ok("import t.csv --map text=Said", "1 updated");
    home.run_ok("export out.jsonl", "1 review, 0 IDs without a review");
}

#[test]
fn an_import_reports_how_many_updated_reviews_are_withheld() {
    let home = Home::new();
    home.import("first.jsonl", &rows(&[]), "4 new");
    for id in ["r-1", "r-2"] {
        home.run_ok(&["withhold", id, "--reason", "x"], "withheld");
    }
    let changed = |id| (id, json!({"text": "Another text."}));
    let done = home.import(
        "one.jsonl",
        &rows(&[changed("r-1"), changed("r-3")]),
        "0 new, 2 updated, 2 unchanged",
    );
    let line = "1 of the updated reviews is withheld, so its changes do not appear\n";
    assert_has(&done.out, line);
    // No message if all updated reviews are published, although others are withheld.
    let done = home.import(
        "two.jsonl",
        &rows(&[changed("r-1"), changed("r-3"), changed("r-4")]),
        "0 new, 1 updated, 3 unchanged",
    );
    assert!(!done.out.contains("of the updated"), "{}", done.out);
}

#[test]
fn a_failed_export_leaves_the_previous_one_unchanged() {
    let home = Home::new();
    home.import("in.jsonl", "{\"id\":\"r-1\",\"rating\":5,\"date\":\"2024-11-01\",\"author\":\"Ann\",\"text\":\"Fine.\"}", "1 new");
    let folder = home.0.path();
    let (former, link) = (folder.join("former.jsonl"), folder.join("link.jsonl"));
    home.run_ok("export former.jsonl", "1 review");
    symlink("former.jsonl", &link).unwrap();
    let whole = fs::read_to_string(&former).unwrap();
    home.sql("alter table review_source rename to elsewhere");
    for name in ["former.jsonl", "link.jsonl"] {
        home.run_err(&["export", name, "--force"], "review_source");
        assert_eq!(fs::read_to_string(&former).unwrap(), whole, "{name}");
    }
    home.run_err("export new.jsonl", "review_source");
    assert!(
        !folder.join("new.jsonl").exists(),
        "an incomplete export was left"
    );
    home.sql("alter table elsewhere rename to review_source");
    home.run_ok("withhold r-1 --reason x", "withheld");
    // The link is kept, and its target has the new content and mode 0600.
    home.run_ok("export link.jsonl --force", "1 review");
    assert!(link.is_symlink());
    let now = fs::read_to_string(&former).unwrap();
    assert!(now.contains("withheld") && now != whole, "{now}");
    assert_eq!(
        fs::metadata(&former).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let left = fs::read_dir(folder).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.contains(".new-")));
}

#[test]
fn a_decision_stays_but_publishing_ends_once_the_source_agrees() {
    let home = Home::new();
    let table = |shown: [&str; 3]| {
        let row =
            |(id, shown): (&str, &str)| format!("{id},2026-10-02,4,Ann,Words of {id}.,{shown}\n");
        let rows = ["p", "q", "w"].into_iter().zip(shown).map(row);
        let rows: String = rows.collect();
        home.file(
            "t.csv",
            &format!("ID,Date,Stars,Name,Comment,Veröffentlicht\n{rows}"),
        )
    };
    let public = "--public=Veröffentlicht=ja";
    let import = |shown| home.run_ok(&["import", &table(shown), public], "");
    import(["ja", "nein", "nein"]);
    home.steps(
        "
        publish p → p: is already published; the next import keeps it published
        publish q → q: published
        withhold w --reason 'not published at the source' → w: is already withheld (not published at the source); imports keep it withheld
        ",
    );
    let decided = home.reviews();
    for shown in [["nein", "nein", "ja"], ["ja", "ja", "nein"]] {
        import(shown);
        assert_eq!(home.reviews(), decided, "{shown:?}");
    }
    import(["nein", "nein", "ja"]);
    let statuses =
        "select group_concat(status, ' ') from (select status from review order by review_id)";
    assert_eq!(home.sql(statuses), "withheld withheld withheld");
    home.run_ok("publish p", "p: published");
    home.run_ok("publish w", "w: published");
    home.run_ok("withhold p --reason 'under dispute'", "p: withheld");
    let decided = home.reviews();
    import(["ja", "nein", "nein"]);
    assert_eq!(home.reviews(), decided);
}

/// A folder with sample data.
fn sample(home: &Home) -> String {
    let folder = home.0.path().join("sample");
    fs::create_dir(&folder).unwrap();
    for (name, content) in [
        (
            "business.json",
            r#"{"id": "s", "name": "Sample", "time_zone": "UTC"}"#.to_owned(),
        ),
        ("reviews.jsonl", rows(&[]).replace("r-", "s-")),
        (
            "editorial.json",
            r#"{"summary": {"text": "As the sample says."}}"#.to_owned(),
        ),
    ] {
        fs::write(folder.join(name), content).unwrap();
    }
    folder.display().to_string()
}

#[test]
fn sample_data_never_mixes_with_the_reviews_of_a_firm() {
    let home = Home::new();
    let seeds = sample(&home);
    home.file("own.jsonl", &rows(&[]));
    home.run_ok(&["seed", &seeds], "new");
    home.run_ok(&["seed", &seeds], "0 new, 0 updated");
    for command in ["init", "status"] {
        home.run_ok(command, "`reviews init --discard-sample --name NAME`");
    }
    home.steps(
        "
        import own.jsonl ✗ remove it with `reviews init --discard-sample --name NAME`
        init --discard-sample --name Mine → removed the sample data
        import own.jsonl → 4 new
        ",
    );
    assert_eq!(home.sql("select count(*) from review"), "4");
    home.run_err(&["seed", &seeds], "holds a business's own data");
    home.run_err("init --discard-sample", "does not hold only sample data");
    let mixed = Home::new();
    mixed.file("own.jsonl", &rows(&[]));
    mixed.run_ok(&["seed", &seeds], "new");
    mixed.run_ok("import own.jsonl --with-sample", "4 new");
    mixed.run_ok("import own.jsonl", "4 unchanged");
}

#[test]
fn loading_the_sample_again_keeps_changes_of_the_owner() {
    let home = Home::new();
    let seeds = sample(&home);
    home.run_ok(&["seed", &seeds], "new");
    home.run_ok("init --name Mine --telephone '+1 1'", "Mine");
    home.file("ed.json", r#"{"summary": {"text": "As the owner says."}}"#);
    home.run_ok("editorial ed.json", "As the owner says.");
    let (business, editorial) = (home.run("business").out, home.run("editorial").out);
    home.run_ok(&["seed", &seeds], "0 new, 0 updated");
    assert_eq!(home.run("business").out, business);
    assert_eq!(home.run("editorial").out, editorial);
}

#[test]
fn a_new_time_zone_changes_only_unedited_dates() {
    let home = Home::new();
    let row = |id: &str| json!({"name": format!("accounts/1/locations/7/reviews/{id}"), "starRating": "FIVE", "createTime": "2024-11-02T03:30:00Z", "reviewer": {"displayName": "Ann"}});
    home.file(
        "google.json",
        &json!({"reviews": [row("a"), row("b"), row("c")]}).to_string(),
    );
    home.run_err("import google.json", "reviews init --time-zone ZONE");
    home.run_ok("init --time-zone UTC", "UTC");
    home.run_ok("import google.json", "3 new");
    home.sql("update review set reviewed_on = '2024-10-30' where review_id = '7.b'");
    home.steps("init --time-zone America/Phoenix → 2 reviews to their days in America/Phoenix");
    let days = "select review_id, reviewed_on from review order by 1";
    assert_eq!(
        home.sql(days),
        "7.a|2024-11-01\n7.b|2024-10-30\n7.c|2024-11-01"
    );
    home.run_ok("import google.json", "0 new, 0 updated, 3 unchanged");
    assert_eq!(
        home.sql(days),
        "7.a|2024-11-01\n7.b|2024-10-30\n7.c|2024-11-01"
    );
}

/// Control characters of terminals (ECMA-48, including C1) and Unicode controls that change the text direction.
const CONTROLS: [char; 6] = ['\u{1b}', '\u{7}', '\r', '\u{9b}', '\u{202e}', '\u{2066}'];

#[test]
fn control_characters_of_reviews_never_reach_the_terminal() {
    let home = Home::new();
    let hostile = CONTROLS.iter().collect::<String>() + "31m";
    let text = format!("Will{hostile} was on time, and the price was fair. {hostile}");
    let row = json!({"id": "r-1", "rating": 5, "date": "2024-11-01", "author": format!("Ann {hostile}"), "title": hostile,
        "text": text, "source": {"name": format!("Google {hostile}")}});
    home.run_ok("init --name 'Desert Peak'", "Desert Peak");
    home.import("in.jsonl", &row.to_string(), "1 new");
    home.sql(&format!(
        "update business set name = 'Desert{hostile} Peak'"
    ));
    home.run_ok("insights rebuild", "1 review");
    for words in [
        &["show", "r-1"][..],
        &["insights"],
        &["insights", "explain", "r-1"],
        &["business"],
        &["export"],
        &["withhold", "r-1", "--reason", &hostile],
        &["show", "r-1"],
        &["publish", "r-1"],
        &["check"],
    ] {
        let done = home.run(words);
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.err);
        let printed = done.out + &done.err;
        assert!(!printed.contains(CONTROLS), "{words:?}: {printed:?}");
    }
    let shown = home.run("show r-1").out;
    assert_has(&shown, "Ann \\u001b\\u0007\\u000d\\u009b\\u202e\\u206631m");
    // The JSON is valid and has the original characters.
    let business: Value = serde_json::from_str(&home.run("business").out).unwrap();
    assert_eq!(business["name"], format!("Desert{hostile} Peak"));
    let serving = home.serve();
    assert!(
        serving.greeting.starts_with("Reviews of Desert\\u001b")
            && !serving.greeting.contains(CONTROLS),
        "{:?}",
        serving.greeting
    );
}

#[test]
fn an_exported_table_contains_no_formulas_and_imports_unchanged() {
    let home = Home::new();
    let begins = [
        "=", "+", "-", "@", "\t", "\r", "'=", "''@", "'", "'plain", "plain",
    ];
    let rows: Vec<String> = begins
        .iter()
        .enumerate()
        .map(|(number, begin)| {
            let cell = format!("{begin}1+cmd|' /C calc'!A0");
            json!({"id": format!("={number}"), "rating": 5, "date": "2024-11-01", "author": cell, "title": cell, "text": cell,
                "source": {"name": cell}, "mentions": {"technicians": [cell.trim()]}, "response": {"text": cell},
                "status": "withheld", "withheld_reason": cell})
            .to_string()
        })
        .collect();
    home.import("in.jsonl", &rows.join("\n"), "11 new");
    home.run_ok("export out.csv --format csv", "11 reviews");
    let table = fs::read(home.0.path().join("out.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(&table[..]);
    let mut cells = 0;
    for record in reader.records() {
        for cell in &record.unwrap() {
            cells += usize::from(cell.starts_with('\''));
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                "{cell:?}"
            );
        }
    }
    // 11 IDs and 7 cells of each row except `plain`; 2 technicians' names lost their leading tab or carriage return.
    assert_eq!(cells, 11 + 10 * 7 - 2);
    let other = Home::new();
    fs::write(other.0.path().join("in.csv"), &table).unwrap();
    other.run_ok("import in.csv", "11 new");
    assert_eq!(other.reviews(), home.reviews());
    other.run_ok("export out.csv --format csv", "11 reviews");
    assert_eq!(fs::read(other.0.path().join("out.csv")).unwrap(), table);
    other.run_err("export out.csv --format csv", "already exists");
    let words = ["export", "out.csv", "--format", "csv", "--force"];
    other.run_ok(&words, "11 reviews");
    assert_eq!(fs::read(other.0.path().join("out.csv")).unwrap(), table);
}

#[test]
fn an_apostrophe_is_kept_unless_the_table_is_marked_as_escaped() {
    for (column, cell) in [("", ""), (",escaped", ","), (",escaped", ",false")] {
        let home = Home::new();
        home.import("in.csv", &format!(
                "id,rating,date,author,text,decided,deleted{column}\nr-1,5,2024-11-01,Ann,'=1+1,,{cell}\n"
            ), "1 new");
        assert_has(&home.reviews(), "'=1+1");
    }
}

#[test]
fn the_file_name_of_an_export_decides_the_format() {
    let home = Home::new();
    home.run_ok("init --name K", "K");
    home.import("in.jsonl", &rows(&[]), "4 new");
    home.run_ok("export out.CSV", "a table cannot hold");
    home.run_ok("export out.jsonl", "4 reviews");
    let read = |name: &str| fs::read_to_string(home.0.path().join(name)).unwrap();
    assert!(read("out.CSV").starts_with("id,rating,date"));
    assert!(read("out.jsonl").starts_with("{\"business\""));
    for (file, format) in [("a.csv", "jsonl"), ("a.jsonl", "csv"), ("a.txt", "csv")] {
        home.run_err(
            &["export", file, "--format", format],
            "which --format contradicts",
        );
        assert!(!home.0.path().join(file).exists(), "{file}");
    }
    let printed = home.run("export --format csv");
    assert!(printed.out.starts_with("id,rating,date"), "{}", printed.out);
}

#[test]
fn an_export_keeps_notes_source_ids_and_column_decisions() {
    let (home, copy) = (Home::new(), Home::new());
    let header = "id,author,rating,date,text\n";
    let days_first = format!("{header}q-1,Ann,5,13/01/2026,On time\nq-2,Cy,4,02/01/2026,Tidy\n");
    home.file("houzz.csv", &days_first);
    home.file("angi.csv", &format!("{header}q-1,Bo,2,2026-01-05,Late\n"));
    home.run_ok("init --name K --time-zone UTC", "");
    home.run_ok("import houzz.csv --source Houzz", "2 new");
    home.run_ok("import angi.csv --source Angi", "1 new");
    let note = [
        "withhold",
        "q-2",
        "--reason",
        "under review",
        "--note",
        "asked Cy",
    ];
    home.run_ok(&note, "");
    home.run_ok("export all.jsonl", "3 reviews");
    copy.import(
        "all.jsonl",
        &fs::read_to_string(home.path().with_file_name("all.jsonl")).unwrap(),
        "3 new",
    );
    copy.run_ok("show q-2", "asked Cy");
    for home in [&home, &copy] {
        home.run_ok("source rename Angi 'Angi Leads'", "");
        home.file("angi.csv", &format!("{header}q-1,Bo,2,2026-01-05,Late\n"));
        home.steps("import angi.csv --source 'Angi Leads' → 0 new, 0 updated, 1 unchanged");
        // No date proves the order.
        home.file("houzz.csv", &format!("{header}q-2,Cy,4,02/01/2026,Tidy\n"));
        home.steps("import houzz.csv --source Houzz → 0 new, 0 updated, 1 unchanged");
    }
}
