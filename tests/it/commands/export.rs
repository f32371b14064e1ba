//! A firm's own reviews: exports as lines and tables, sample data, and the days of another time zone.

use super::*;

/// Four reviews whose IDs begin so.
fn rows(id: &str) -> String {
    let row = |number| {
        let text = format!("Text of {number}.");
        let row = json!({"id": format!("{id}-{number}"), "rating": 5, "date": "2024-11-01", "author": "Ann B.", "text": text});
        format!("{row}\n")
    };
    (1..5).map(row).collect()
}

/// A database with a business, editorial texts, a private note, a format with a date format, and one id in two sources.
fn exported_home() -> Home {
    let home = Home::new();
    home.steps(
        r#"
        init --name 'Desert Peak' → not set
        business.json ← {"telephone": "+1 602 555 0100", "publish_staff": "off", "technicians": [{"id": "t1", "name": "Mike Alvarez"}]}
        business business.json → changed     publish_staff, technicians, telephone
        editorial.json ← {"summary": {"text": "We come on time."}}
        editorial editorial.json → changed     summary
        houzz.csv ← id,author,rating,date,text,Web\nq-1,Ann,5,13/01/2026,On time,yes\nq-2,Cy,4,02/01/2026,Tidy,no\n
        houzz.toml ← date_format = "dd/mm/yyyy"\n[fields]\nid = "id"\nauthor = "author"\nrating = "rating"\ndate = "date"\ntext = "text"\n[[public]]\nnames = ["Web"]\nvalues = ["yes"]\nreason = "hidden"\n
        import houzz.csv --source Houzz --format houzz.toml → 2 new
        angi.csv ← id,author,rating,date,text\nq-1,Bo,2,2026-01-05,Late\n
        import angi.csv --source Angi → 1 new
        withhold q-2 --reason 'under review' --note 'asked Cy' → withheld
        t.csv ← Date,Stars,Name,Said\n2026-10-02,4,Di,On time.\n
        bare.toml ← ignored = ["Said"]\n[fields]\nrating = "Stars"\ndate = "Date"\nauthor = "Name"\ntext = ""\n
        full.toml ← [fields]\nrating = "Stars"\ndate = "Date"\nauthor = "Name"\ntext = "Said"\n
        import t.csv --format bare.toml → 1 new
        import t.csv --format full.toml → 1 updated
        "#,
    );
    home
}

#[test]
fn an_export_has_all_that_the_owner_decided() {
    let home = exported_home();
    // The name of the file decides the form.
    home.steps(
        "
        export out.CSV → 4 reviews
        export --format csv → id,rating,date
        export a.txt --format csv → 4 reviews
        ",
    );
    for name in ["out.CSV", "a.txt"] {
        assert!(home.read(name).starts_with("id,rating,date"), "{name}");
    }
    // A row that completed a review is no deleted one.
    home.run_ok("export all.jsonl", "4 reviews, 0 IDs without a review");
    let exported = home.read("all.jsonl");
    let first: Value = exported.lines().next().unwrap().parse().unwrap();
    assert_eq!(first["business"]["name"], "Desert Peak");
    assert_eq!(first["editorial"]["summary"]["text"], "We come on time.");
    let copy = Home::new();
    copy.file("all.jsonl", &exported);
    copy.run_ok("import all.jsonl --dry-run", "business: Desert Peak");
    assert!(!copy.path().exists());
    copy.run_ok("import all.jsonl", "business: Desert Peak");
    for words in "business;editorial;export;init;source format Houzz".split(';') {
        let both = [&copy, &home].map(|home| home.run_ok(words, "").out);
        assert_eq!(both[0], both[1], "{words}");
    }
    copy.run_ok("init", "time zone   not set");
    copy.run_ok("show q-2", "asked Cy");
    for home in [&home, &copy] {
        // Nothing is asked, and no date of the second file proves the order.
        home.steps(
            r"
            source rename Angi 'Angi Leads' → 1 review
            angi.csv ← id,author,rating,date,text\nq-1,Bo,2,2026-01-05,Late\n
            import angi.csv --source 'Angi Leads' → 0 new, 0 updated, 1 unchanged
            houzz.csv ← id,author,rating,date,text,Web\nq-2,Cy,4,02/01/2026,Tidy,no\n
            import houzz.csv --source Houzz → 0 new, 0 updated, 1 unchanged
            ",
        );
    }
    // An existing business and the format of a source stay, with a note.
    let own = Home::new();
    let format = home.read("houzz.toml").replace("\"yes\"", "\"no\"");
    own.file("houzz.toml", &format);
    own.steps(
        r"
        init --name Own → Own
        houzz.csv ← id,author,rating,date,text,Web\nq-9,Ed,4,25/01/2026,Tidy,no\n
        import houzz.csv --source Houzz --format houzz.toml → 1 new
        ",
    );
    let done = own.import("all.jsonl", &exported, "4 new");
    let note = "note: the business and the editorial texts of the file were left out";
    assert_has(&done.out, note);
    own.steps("business → \"name\": \"Own\"\neditorial → \"faq\": []");
    let kept = "select format like '%[\"no\"]%' from source where name = 'Houzz'";
    own.finds(kept, "1");
}

/// A folder with sample data.
fn sample(home: &Home) {
    fs::create_dir(home.folder.path().join("sample")).unwrap();
    home.file("sample/reviews.jsonl", &rows("s"));
    home.steps(
        r#"
        sample/business.json ← {"id": "s", "name": "Sample", "time_zone": "UTC"}
        sample/editorial.json ← {"summary": {"text": "As the sample says."}}
        seed sample → new
        seed sample → 0 new, 0 updated
        "#,
    );
}

#[test]
fn sample_data_never_mixes_with_the_reviews_of_a_firm() {
    let home = Home::new();
    sample(&home);
    home.file("own.jsonl", &rows("r"));
    home.steps(
        r#"
        init → `reviews init --database my.db --name NAME`
        status → `reviews init --database my.db --name NAME`
        init --name Mine ✗ `reviews init --database my.db --name NAME`
        import own.jsonl ✗ `reviews init --database my.db --name NAME`
        sql: select (select count(*) from review), (select name from business) → 4|Sample
        init --database my.db --name Mine → Mine
        import own.jsonl --database my.db → 4 new
        seed sample --database my.db ✗ `reviews seed DIR --database sample.db`
        ed.json ← {"summary": {"text": "As the owner says."}}
        editorial ed.json → changed     summary
        seed sample → 0 new, 0 updated
        editorial → As the owner says.
        "#,
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
        "text": text, "source": format!("Google {hostile}")});
    home.run_ok("init --name 'Desert Peak'", "Desert Peak");
    home.import("in.jsonl", &row.to_string(), "1 new");
    let name = format!("Desert{hostile} Peak");
    home.sql(&format!("update business set name = '{name}'"));
    let withhold = format!("withhold r-1 --reason '{hostile}'");
    for words in [
        "insights explain r-1",
        "business",
        "export",
        &withhold,
        "show r-1",
        "publish r-1",
        "check",
    ] {
        let done = home.run(words);
        done.done();
        let printed = done.out + &done.err;
        assert!(!printed.contains(CONTROLS), "{words:?}: {printed:?}");
    }
    let escaped = r"Ann \u001b\u0007\u000d\u009b\u202e\u206631m";
    home.run_ok("show r-1", escaped);
    // The JSON is valid and has the original characters.
    assert_eq!(home.json("business")["name"], name);
    let greeting = home.serve().greeting.clone();
    assert!(!greeting.contains(CONTROLS), "{greeting:?}");
    assert_has(&greeting, "Reviews of Desert\\u001b");
}

#[test]
fn control_characters_of_arguments_never_reach_the_terminal() {
    let hostile = CONTROLS.iter().collect::<String>() + "31m\u{200f}";
    let hostile = hostile.replace('\r', "");
    let home = Home::with(1);
    for words in [
        &["list", "--rating", &hostile][..],
        &["list", "--status", &hostile],
        &["list", "--limit", "1", &hostile],
        &["list", &format!("--{hostile}")],
        &[&*hostile],
        &["show", &hostile],
        &["import", &hostile],
        &["status", "--log", &format!("{hostile}=")],
        &["status", "--database", &format!("http://{hostile}")],
        &["serve", "--listen", &hostile],
        &["serve", "--hub-retry-delays", &hostile],
        &["man", &hostile],
    ] {
        let done = home.run(words);
        done.failed("error: ");
        let printed = done.out + &done.err;
        assert!(
            !printed.contains(CONTROLS) && !printed.contains('\u{200f}'),
            "{words:?}: {printed:?}"
        );
        assert_has(&printed, "31m");
    }
    let home = Home::new().with_variable("REVIEWS_LISTEN", &hostile);
    let done = home.run("serve");
    done.failed("REVIEWS_LISTEN");
    assert!(!done.err.contains(CONTROLS), "{}", done.err);
}

#[test]
fn an_exported_table_contains_no_formulas() {
    let home = Home::new();
    let begins = [
        "=", "+", "-", "@", "\t", "\r", "'=", "''@", "'", "'plain", "plain", "\n", "＝", "＠",
        "a;=", "a;'-", "a|\"@", "a\n+", "a\n\n- b", "a\t－",
    ];
    let row = |(number, begin): (usize, &&str)| {
        let cell = format!("{begin}1+cmd|' /C calc'!A0");
        let row = json!({"id": format!("={number}"), "rating": 5, "date": "2024-11-01", "author": cell, "title": cell, "text": cell,
            "source": cell, "mentions": {"technicians": [cell.trim().replace(char::is_control, "")]}, "owner_reply": {"text": cell},
            "status": "withheld", "withheld_reason": cell});
        format!("{row}\n")
    };
    let rows: String = begins.iter().enumerate().map(row).collect();
    home.import("in.jsonl", &rows, "20 new");
    home.run_ok("export out.csv", "20 reviews");
    let table = home.read("out.csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    for record in reader.records() {
        for cell in &record.unwrap() {
            assert!(!cell.starts_with(['\t', '\r', '\n']), "{cell:?}");
            for part in cell.split([';', '\t', '|', '\r', '\n']) {
                let part = part.trim_start_matches('"');
                let is_formula = part.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
                assert!(!is_formula, "{cell:?}");
            }
        }
    }
    home.steps(
        "
        export out.csv ✗ already exists
        export out.csv --force → 20 reviews
        ",
    );
    assert_eq!(home.read("out.csv"), table);
}

#[test]
fn own_export_is_no_word_of_the_source() {
    let home = Home::new();
    home.steps(
        r#"
        bare.toml ← [fields]\nrating = "Stars"\ndate = "Date"\nauthor = "Name"\ntext = "Review"\nreply_text = "Reply"\n
        bare.csv ← Name,Stars,Date,Review,Reply\nAnn Bell,5,2026-03-01,Fast and clean,\nCy Tell,3,2026-03-03,All fine,\n
        shown.csv ← Name,Stars,Date,Review,Reply,Shown\nAnn Bell,5,2026-03-01,Fast and clean,,no\nCy Tell,3,2026-03-03,All fine,,yes\n
        shown.toml ← [fields]\nrating = "Stars"\ndate = "Date"\nauthor = "Name"\ntext = "Review"\nreply_text = "Reply"\n[[public_name]]\nnames = "Shown"\nvalues = ["yes"]\n
        import shown.csv --format shown.toml → 2 new
        sql: update review set reply_text = 'Thank you.' where author = 'Cy Tell'
        export own.jsonl → 2 reviews
        import own.jsonl → 2 unchanged
        import shown.csv → 2 unchanged
        source format Direct bare.toml → kept for Direct
        import bare.csv → 2 unchanged
        sql: select author, reply_text from review order by 1 → Anonymous|\nCy Tell|Thank you.
        "#,
    );
}
