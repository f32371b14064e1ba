//! What is open in a source's format: asked at a terminal, printed as a draft elsewhere, and kept for the source.

use super::*;

const FORMS: &str = "ID,Start time,Completion time,Email,Name,Overall how would you rate our work?,What went well?,May we publish your answer?\n\
    1,3/14/26 12:51:45,3/14/26 12:54:25,a@x.test,Ann Bee,5,The crew was on time and tidy,Yes\n\
    2,3/15/26 10:15:30,3/15/26 10:18:45,b@x.test,Bo Cee,2,HIDDEN They came two hours late,No\n";
const SHEET: &str =
    "Name,Stars,Date,Review,Publish\nAnn,5,2026-03-01,Neat,yes\nBo,2,2026-03-02,Late,no\n";

/// A home with a business, so that instants have a time zone. Its country is not set, so that it decides no order of dates.
fn home() -> Home {
    static SET_UP: LazyLock<Vec<u8>> =
        LazyLock::new(|| Home::made_by("init --name Peak --time-zone America/Phoenix"));
    Home::holding(&SET_UP)
}

/// The authors of the published reviews.
fn published(home: &Home) -> String {
    home.sql("select author from review where status = 'published' order by author")
}

#[test]
fn printed_command_imports_the_answered_draft() {
    let home = Home::new();
    home.file("sheet.csv", SHEET);
    let asked = home.run("import sheet.csv --source Angi");
    asked.failed("nothing was imported");
    assert!(!home.path().exists());
    let printed = "import sheet.csv --source Angi --format sheet.toml";
    assert_has(&asked.err, &format!("reviews {printed}"));
    assert_has(&asked.out, "ignored = \"?\"");
    home.file("sheet.toml", &asked.out);
    home.run_err(printed, "ignored");
    let answered = asked.out.replace("ignored = \"?\"\n", "ignored = \"*\"\n");
    let answered = answered + "\n[[public]]\nnames = [\"Publish\"]\nvalues = [\"yes\"]\n";
    home.file("sheet.toml", &answered);
    home.run_ok(printed, "2 new");
    assert_eq!(published(&home), "Ann");
    home.run_ok("import sheet.csv --source Angi", "2 unchanged");
    // What is kept has neither comments nor cells.
    let kept = home.run_ok("source format Angi", "names = [\"Publish\"]");
    let kept = kept.out;
    assert!(!kept.contains('#') && !kept.contains("Ann"), "{kept}");
}

#[test]
fn replaced_format_of_a_platform_asks_for_columns_that_were_there() {
    let head = "id,review_score,date,display_name,title,review_content,published";
    let row = "1,5,2026-03-01,Ann,Good,Neat.,true";
    let (home, like) = (home(), "like = \"yotpo\"\n");
    home.file("a.csv", &format!("{head},deleted\n{row},false\n"));
    home.file("b.csv", &format!("{head}\n{row}\n"));
    home.file("like.toml", like);
    // Where no file had the column, none is asked about.
    home.run_ok("source format Yotpo like.toml", "kept for Yotpo");
    home.run_ok("import b.csv", "1 new");
    home.run_ok("import a.csv", "1 unchanged");
    let open = "public.0.missing: the file lacks deleted";
    home.run("import b.csv").failed(open);
    home.run_ok("source format Yotpo like.toml", "names = [\"deleted\"]");
    home.run("import b.csv").failed(open);
    // What was answered is forgotten with the format, and not that it was asked.
    let hidden = format!("{like}[[public]]\nnames = [\"deleted\"]\nmissing = \"hidden\"\n");
    home.file("hidden.toml", &hidden);
    home.run_ok("import b.csv --format hidden.toml", "1 updated");
    home.run_ok("source format Yotpo like.toml", "names = [\"deleted\"]");
    home.run("import b.csv").failed(open);
    home.run("import b.csv --format like.toml").failed(open);
    assert_eq!(published(&home), "");
}

#[test]
fn printed_command_takes_the_place_of_no_file_of_the_call() {
    let home = Home::new();
    for table in ["sheet.toml", "Sheet.TOML", "sheet.csv"] {
        home.file(table, SHEET);
        let asked = home.run(&["import", table]);
        let file = match table {
            "sheet.csv" => "sheet.toml",
            "sheet.toml" => "sheet-format.toml",
            _ => "Sheet-format.toml",
        };
        assert_has(
            &asked.err,
            &format!("reviews import {table} --format {file}"),
        );
    }
    let asked = home.run("import sheet.csv sheet.toml");
    assert_has(&asked.err, "--format sheet-format.toml");
    home.file("sheet-format.toml", SHEET);
    let asked = home.run("import sheet-format.toml sheet.toml");
    assert_has(&asked.err, "--format sheet-format-format.toml");
}

#[test]
fn a_column_that_a_layout_of_a_platform_lacks_is_asked_about_once() {
    let home = home();
    let header = "ID,post_title,post_content,post_date,post_status,client_name,star_rating";
    let rows = "31,Great,On time.,2026-02-01 10:00:00,publish,Ann B,5\n32,Draft,Not yet.,2026-02-02 10:00:00,draft,Bo S,2";
    home.file("pages.csv", &format!("{header}\n{rows}\n"));
    let asked = home.run("import pages.csv");
    asked.failed(
        "public.0.missing: the file lacks post_password, which says which reviews are public",
    );
    assert_has(
        &asked.err,
        "run: reviews import pages.csv --format pages.toml",
    );
    let draft = "like = \"strong_testimonials\"\n\n[[public]]\n";
    assert_has(&asked.out, draft);
    let open = "missing = \"?\"";
    home.file("pages.toml", &asked.out);
    home.run_err("import pages.csv --format pages.toml", "public.0.missing");
    home.file(
        "pages.toml",
        &asked.out.replace(open, "missing = \"public\""),
    );
    home.run_ok("import pages.csv --format pages.toml", "2 new");
    assert_eq!(published(&home), "Ann B");
    home.run_ok("import pages.csv", "2 unchanged");
    // At a terminal the same is a question.
    let other = self::home();
    other.file("pages.csv", &format!("{header}\n{rows}\n"));
    let answered = other.at_screen("import pages.csv", &["perhaps", "hidden"]);
    assert_has(&answered.err, "perhaps is neither; write public or hidden");
    assert_eq!(published(&other), "");
    other.finds("select count(*) from review", "2");
    // It holds until a file has the column.
    let with = rows.replace("5\n", "5,\n") + ",";
    home.file("pages.csv", &format!("{header},post_password\n{with}\n"));
    home.run_ok("import pages.csv", "2 unchanged");
    home.file("pages.csv", &format!("{header}\n{rows}\n"));
    home.run_err("import pages.csv", "public.0.missing");
}

#[test]
fn draft_shows_no_private_cell() {
    let home = Home::new();
    home.file(
        "my feedback.csv",
        "Name,Stars,Date,Words,E-mail,Phone,Notes to us,Publish\n\
         Ann,5,2026-03-01,They came on time again,ann@mail.test,+1 602 555 0188,PRIVATE-NOTE call her husband first,yes\n\
         Bo,2,2026-03-02,The pump still leaks badly,bo@mail.test,+1 602 555 0199,PRIVATE-NOTE never pays in time,no\n",
    );
    let asked = home.run("import 'my feedback.csv'");
    asked.failed("fields.text");
    let shown = asked.out.clone() + &asked.err;
    for private in ["mail.test", "555 01", "PRIVATE-NOTE", "husband", "leaks"] {
        assert!(!shown.contains(private), "{private}: {shown}");
    }
    insta::assert_snapshot!("draft", asked.out);
    home.steps(
        r#"
        import 'my feedback.csv' --format draft → [fields]
        own.jsonl ← {"id": "1", "rating": 5, "date": "2026-03-02", "author": "Ann"}\n
        import own.jsonl --format draft ✗ needs no format
        "#,
    );
    let stdin = home
        .command("import - --format draft")
        .input(home.read("my feedback.csv"))
        .run();
    assert_has(&stdin.out, "text = \"?\"");
}

#[test]
fn answers_at_a_terminal_are_used_and_kept() {
    let home = home();
    home.file("forms.csv", FORMS);
    // An empty line or the end of the input leaves.
    for typed in [&[""][..], &["6"], &["6", "7", ""]] {
        let left = home.at_screen("import forms.csv", typed);
        assert_eq!(left.code, Some(2), "{typed:?}: {}", left.err);
        assert_eq!(home.sql("select count(*) from review"), "0");
    }
    // Wrong answers are followed by the same question.
    let typed = [
        "9", "some", "6", "6", "7", "maybe", "5", "8", "4", "1", "7", "Yes", "n",
    ];
    let done = home.at_screen("import forms.csv", &typed);
    assert_eq!(done.code, Some(0), "{}", done.err);
    for part in [
        "   4  Email: (address), (address)\n",
        "9 is none of them; write one of them, or the number before it\n",
        "4 columns are left: 1 ID, 2 Start time, 4 Email, 8 May we publish your answer?\n",
        "Name is the author already; name another column\n",
        "public: May we publish your answer? = \"Yes\"\n",
        "The format is kept for Direct.",
    ] {
        assert_has(&done.err, part);
    }
    assert_eq!(published(&home), "Ann Bee");
    // Nothing is asked again.
    let again = home.at_screen("import forms.csv", &[]);
    assert_has(&again.err, "2 unchanged");
    // What files without the column mean is said once, and what it hid stays hidden.
    let gone = FORMS.replace(",May we publish your answer?", "");
    let gone = gone.replace(",Yes", "").replace(",No", "");
    home.file("forms.csv", &gone);
    let asked = home.run("import forms.csv");
    assert_has(&asked.out, "missing = \"?\"");
    let answered = home.at_screen("import forms.csv", &["n", "public"]);
    assert_has(&answered.err, "n is none of them");
    assert_eq!(published(&home), "Ann Bee");
    home.run_ok("import forms.csv", "2 unchanged");
    // It holds until a file has the column.
    home.file("forms.csv", FORMS);
    home.run_ok("import forms.csv", "2 unchanged");
    home.file("forms.csv", &gone);
    home.run_err("import forms.csv", "public.0.missing");
}

/// A table with `\n` for its line ends, what is typed, a query, and what it finds.
const ASKED: &str = r#"
    Name,Stars,Date,Review\nAnn,10,2026-03-01,Neat\nBo,2,2026-03-02,Late\n → 5|ten|10 → select rating from review order by 1 → 1\n5
    Name,Stars,Date,Review\nAnn,5,03/04/2026,Neat\nBo,2,05/04/2026,Late\n → 2 → select reviewed_on from review order by 1 → 2026-04-03\n2026-04-05
    Reviewer,Customer Name,Stars,Date,Review\nAnnie,Ann Baker,5,2026-03-01,Neat\nBob,Bo Cole,2,2026-03-02,Late\n → 2|- → select author from review where rating = 5 → Ann Baker
    Name,Stars,Date,Words\nAnn,5,2026-03-01,They came on time again\nBo,2,2026-03-02,The pump still leaks badly\n → n|n → select count(*) from review where text = '' → 2
    Stars,Date,Review\n5,2026-03-01,Neat\n → n → select author from review → Anonymous
    Name,Stars,Date,Review,Location\nAnn,5,2026-03-01,Neat,2\nBo,2,2026-03-02,Late,1\n → 2 → select author from review → Ann
    Name,Stars,Date,Review,Location\nAnn,5,2026-03-01,Neat,Mesa\nBo,2,2026-03-02,Late,Tempe\n → n|n → select count(*) from review → 2
    Name,Stars,Date,Review,Reply,Reply OK,By name\nAnn,5,2026-03-01,Neat,Thanks Ann,1,ja\nBo,4,2026-03-02,Good,Thanks Bo,0,nein\n → 6|2|1|7|3|ja → select author, reply_text from review order by rating → Anonymous|\nAnn|Thanks Ann
    Name,Stars,Date,Review,hidden\nAnn,5,2026-03-01,Neat,0\nBo,4,2026-03-02,Good,0\nCy,1,2026-03-03,Late,1\n → 5|1|1,|2|0 → select author from review where status = 'published' order by 1 → Ann\nBo
    Name,Stars,Date,Review,Consent\nAnn,5,2026-03-01,Neat,"Yes, you may publish it"\nBo,1,2026-03-02,Late,"No, please do not publish it"\n → 5|1|1 → select author from review where status = 'published' → Ann
    {"2025": [{"Name": "Cy", "Stars": 5, "Date": "2025-03-01", "Review": "Good"}], "2026": [{"Name": "Ann", "Stars": 5, "Date": "2026-03-01", "Review": "Neat", "Show": "yes"}, {"Name": "Bo", "Stars": 1, "Date": "2026-03-02", "Review": "Late", "Show": "no"}]} → 2|4|1|yes → select author from review where status = 'published' → Ann
    Name,Stars,Date,Review,ÄUSSERUNG\nAnn,5,2026-03-01,Neat,Öffentlich\nBo,1,2026-03-02,Late,nein\n → äusserung|1|öffentlich|n → select author from review where status = 'published' → Ann
    Name,Stars,Date,Review,Consent\nAnn,5,2026-03-01,Neat,yes\nBo,4,2026-03-02,Good,No\nCy,3,2026-03-03,Fair,\n → 5|1|No|1, 3 → select author from review where status = 'published' order by 1 → Ann\nCy
"#;

#[test]
fn each_question_is_answered_at_a_terminal() {
    for [sheet, typed, select, found] in table(ASKED) {
        let home = home();
        home.file("sheet.csv", &sheet.replace("\\n", "\n"));
        home.run("import sheet.csv").failed("nothing was imported");
        let typed: Vec<&str> = typed.split('|').collect();
        let done = home.at_screen("import sheet.csv", &typed);
        assert_eq!(done.code, Some(0), "{typed:?}: {}", done.err);
        assert_eq!(home.sql(select), found.replace("\\n", "\n"), "{}", done.err);
        assert!(!done.err.contains("not shown for (text)"), "{}", done.err);
        home.run_ok("import sheet.csv", "0 new, 0 updated");
    }
}

#[test]
fn format_of_a_source_is_shown_and_replaced() {
    let home = home();
    home.file("sheet.csv", SHEET);
    home.steps(
        r#"
        sheet.toml ← [[public]]\nnames = ["Publish"]\nvalues = ["yes"]\n
        import sheet.csv --format sheet.toml → 2 new
        "#,
    );
    let kept = home.run("source format Direct").out;
    home.file("all.toml", &kept.replace("\"yes\"", "\"yes\", \"no\""));
    home.steps(
        r#"
        source format Direct all.toml → kept for Direct
        import sheet.csv → 1 updated
        sql: select count(*) from review where status = 'published' → 2
        gate.toml ← [[public]]\nnames = ["Publish"]\nvalues = ["yes"]\n
        source format Direct gate.toml → kept for Direct
        import sheet.csv → 1 updated
        source format google gate.toml ✗ write `like = "google"` above it: files of Google are read by
        yelp.toml ← like = "yelp"\n
        source format google yelp.toml ✗ `like = "yelp"` is of another source: files of Google are read by
        part.toml ← date_format = "dd/mm/yyyy"\n
        source format Direct part.toml → kept for Direct
        import sheet.csv ✗ open in the draft:
        broken.toml ← scales = 10\n
        source format Direct broken.toml ✗ broken.toml: line 1: scales is no key here; the nearest is scale
        open.toml ← ignored = "?"\n
        source format Direct open.toml ✗ ignored is open
        like.toml ← like = "judgemee"\n
        source format Direct like.toml ✗ the nearest is judgeme
        source format Directs ✗ no source Directs; `reviews source` lists
        import sheet.csv --format jugdeme ✗ the nearest is judgeme
        "#,
    );
}
