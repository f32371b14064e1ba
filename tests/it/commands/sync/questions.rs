//! Columns of fetched tables: decided in a run by hand, and never by a scheduled one.

use super::*;

/// A sheet with a column that says whether a review may be published.
fn sheet_of(values: &[&str]) -> String {
    let row = |(number, value): (usize, &&str)| {
        let day = number % 28 + 1;
        format!("Guest {number},5,2026-10-{day:02},Loaf number {number} was warm,{value}\n")
    };
    let rows: String = values.iter().enumerate().map(row).collect();
    format!("author,rating,date,text,Publish\n{rows}")
}

/// The sheet's format, in which these values of Publish are public.
fn format_of(values: &[&str]) -> String {
    format!(
        "[fields]\nauthor = \"author\"\nrating = \"rating\"\ndate = \"date\"\ntext = \"text\"\n
[[public]]\nnames = [\"Publish\"]\nvalues = {values:?}\nreason = \"not agreed\"\n"
    )
}

/// Replaces the format of the sheet's reviews.
#[track_caller]
fn set_format(home: &Home, format: &str) {
    let file = home.file("new.toml", format);
    home.run(&["source", "format", "Direct", &file]).done();
}

fn with_city(sheet: &str) -> String {
    let wide = sheet.replace('\n', ",Hidden Lane\n");
    wide.replacen("Hidden Lane", "City", 1)
}

/// A home whose sheet's reviews are public where Publish is yes, with the entry `sheet` of these values, and its site.
fn with_sheet(values: &[&str]) -> (Home, Site) {
    let (home, site) = (home(), csv_site(&sheet_of(values)));
    home.file("by_hand.csv", &sheet_of(values));
    let format = home.file("sheet.toml", &format_of(&["yes"]));
    home.run_ok(&["import", "by_hand.csv", "--format", &format], "");
    add(&home, "sheet", &site.url("/r"), "").done();
    (home, site)
}

fn kept(home: &Home) -> String {
    home.sql("select coalesce(max(format), '') from source where name = 'Direct'")
}

/// Asserts that no cell of the sheet is shown as the reason of a failure.
#[track_caller]
fn assert_reason_without_cells(home: &Home) {
    let shown = column(home, "last_failure") + &shown(home);
    for cell in ["Hidden Lane", "Guest", "Loaf number", "maybe"] {
        assert!(!shown.contains(cell), "{cell}: {shown}");
    }
}

#[test]
fn first_run_asks_at_a_terminal_and_prints_the_draft_elsewhere() {
    let (home, site) = (home(), csv_site(&sheet_of(&["yes", "no", "yes"])));
    write_entry(&home, "sheet", &site.url("/r"), "");
    let words = ["sync", "run", "sheet"];
    let digest = || column(&home, "last_import ->> 'entry_digest'");
    let stored = || [digest(), count(&home, "true"), kept(&home)];
    for options in [&[][..], &["--dry-run"]] {
        let refused = home.run(&[&words, options].concat());
        refused.failed("Publish");
        assert_has(&refused.err, "format = \"./sheet.toml\"");
        assert_has(&refused.out, "ignored = \"?\"");
        assert_eq!(stored(), ["", "0", ""]);
    }
    home.at_terminal(&words, &[""])
        .failed("nothing was imported");
    assert_eq!(stored(), ["", "0", ""]);
    home.file("sheet.toml", &format_of(&["yes"]));
    let keys = "format = './sheet.toml'";
    add(&home, "sheet", &site.url("/r"), keys).done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["3", "1"]);
    assert_has(&kept(&home), "values = [\"yes\"]");
    sync(&home).done();
    // Other bytes of the format's file are another entry.
    home.file("sheet.toml", &format_of(&["yes", "no"]));
    home.run_ok("sync list", "never succeeded as it now stands");
    sync(&home).done();
    assert_eq!(withheld(&home), "0");
}

#[test]
fn sentence_of_a_server_is_no_table_to_be_drafted() {
    let (home, site) = (home(), csv_site(""));
    for answer in [
        "Sorry, the hush is down\n",
        "Sorry, the hush is down.\n\nTry again, please, in an hour, or two",
        "hush;hush\n",
    ] {
        give_csv(&site, answer);
        let failed = add(&home, "sheet", &site.url("/r"), "");
        failed.failed("no reviews found");
        let shown = failed.out + &failed.err + &column(&home, "last_failure");
        assert!(!shown.contains("hush"), "{shown}");
    }
    // Nor of an entry that succeeded.
    give_csv(
        &site,
        &sheet_of(&["yes"])
            .replace(",Publish", "")
            .replace(",yes", ""),
    );
    sync(&home).done();
    give_csv(&site, "Sorry,the hush\nis,down\n");
    let failed = sync(&home);
    failed.failed("no reviews found");
    assert!(!(failed.out + &failed.err).contains("hush"));
}

#[test]
fn sentence_of_a_server_is_cut_where_names_of_columns_are_shown() {
    for answer in [
        "Stars,Date,You have used up the hush of your plan\n5,2026-10-01,1\n",
        "Sorry the sheet has hush,Stars\nno,5\n",
    ] {
        let (home, site) = (home(), csv_site(answer));
        let failed = add(&home, "sheet", &site.url("/r"), "");
        failed.failed("nothing was imported");
        let terminal = home.at_terminal(&["sync", "run", "sheet"], &[""]);
        let shown = failed.out + &failed.err + &terminal.out + &terminal.err;
        assert!(!(shown + &column(&home, "last_failure")).contains("hush"));
    }
}

#[test]
fn draft_takes_the_place_of_no_file_of_entries() {
    let (home, site) = (home(), csv_site(&sheet_of(&["yes"])));
    let home = home.with_variable("REVIEWS_SYNC_FILE", "Sheet.toml");
    home.file(
        "Sheet.toml",
        &format!("[sheet]\nurl = '{}'\n", site.url("/r")),
    );
    let refused = home.run("sync run sheet");
    refused.failed("format = \"./sheet-format.toml\"");
}

#[test]
fn first_run_answered_at_a_terminal_keeps_the_format() {
    let (home, site) = (home(), csv_site(&sheet_of(&["yes", "no", "yes"])));
    // Answers would be lost beside a file that counts each time.
    home.file("part.toml", "[fields]\nrating = 'rating'\n");
    let url = site.url("/r");
    write_entry(&home, "sheet", &url, "format = './part.toml'");
    let refused = home.at_screen("sync run sheet", &[]);
    refused.failed("/part.toml, and run `reviews sync run sheet` again");
    write_entry(&home, "sheet", &url, "");
    let run = home.at_screen("sync run sheet", &["5", "1", "yes"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert_eq!([count(&home, "true"), withheld(&home)], ["3", "1"]);
    assert_has(&kept(&home), "values = [\"yes\"]");
    make_due(&home);
    let _serving = home.serve();
    wait_for_success(&home, "sheet");
}

#[test]
fn run_with_a_new_column_fails_until_it_is_decided() {
    let undecided = "`reviews sync run sheet` shows what";
    let (home, site) = with_sheet(&["yes"; 20]);
    give_csv(&site, &with_city(&sheet_of(&["yes"; 21])));
    sync(&home).failed("City");
    make_due(&home);
    let _serving = home.serve();
    wait_for_failure(&home, "sheet");
    assert_has(&column(&home, "last_failure"), undecided);
    assert!(!column(&home, "last_failure").contains("City"));
    assert_reason_without_cells(&home);
    has(&home, 20, "true");
    let ignored = format!("ignored = [\"City\"]\n{}", format_of(&["yes"]));
    set_format(&home, &ignored);
    make_due(&home);
    wait_for_success(&home, "sheet");
    assert_eq!([count(&home, "true"), withheld(&home)], ["21", "0"]);
}

#[test]
fn file_of_an_entry_requires_columns_of_the_first_run() {
    let rows = |head: &str, cells: &str| {
        format!("author,rating,date,text,{head}\nA,5,2026-03-01,Fine,{cells}\n")
    };
    let (home, site) = (home(), csv_site(&rows("A,B", "yes,no")));
    let format = format_of(&["yes"]).replace("\"Publish\"", "\"A\", \"B\"");
    home.file("own.toml", &format!("ignored = \"*\"\n{format}"));
    add(&home, "sheet", &site.url("/r"), "format = \"own.toml\"").done();
    give_csv(&site, &rows("A", "yes"));
    sync(&home).failed("says what may be published");
    give_csv(&site, &rows("A,B,C", "yes,yes,no"));
    sync(&home).failed("ignored");
    assert_eq!(withheld(&home), "1");
}

#[test]
fn run_without_a_kept_column_fails() {
    let (home, site) = with_sheet(&["yes"; 20]);
    let sheet = sheet_of(&["yes"; 21]);
    for [header, name, cell, left] in table(
        "
        public.0.missing → ,Publish → ,yes → -
        rating → ,rating → ,5, → ,
        open: → ,rating,date,text → ,yes → ,yes
        ",
    ) {
        let without = sheet.replace(name, "");
        let without = without.replace(cell, left.trim_matches('-'));
        give_csv(&site, &without);
        sync(&home).failed(header);
        assert_has(&column(&home, "last_failure"), "sync run sheet");
        assert_reason_without_cells(&home);
        assert_eq!([count(&home, "true"), withheld(&home)], ["20", "0"]);
    }
}

#[test]
fn run_without_a_platforms_column_fails_until_it_is_said_what_that_means() {
    let home = home();
    let site = Site::start(|_| SiteAnswer::json("[]"));
    let give = |count: usize, status: Option<&'static str>| {
        site.answer(move |_| {
            let rows = (0..count).map(|number| {
                let mut row = json!({"id": format!("t{number}"), "stars": 5, "text": "A fine loaf", "createdAt": "2026-10-15T07:00:00Z",
                    "consumer": {"id": "c", "displayName": format!("Guest {number}")}});
                if let Some(status) = status {
                    row["status"] = status.into();
                }
                row
            });
            SiteAnswer::value(&rows.collect::<Value>())
        });
    };
    let scheduled = |outcome: &str| {
        make_due(&home);
        let _serving = home.serve();
        wait_for_end(&home, "shop", outcome);
    };
    // Trustpilot has a layout without the column.
    give(1, None);
    add(&home, "shop", &site.url("/r"), "").done();
    scheduled("last_success_at");
    give(2, Some("active"));
    scheduled("last_success_at");
    // Once it was there, no run decides what the want of it means.
    give(3, None);
    scheduled("last_failure");
    assert_has(
        &column(&home, "last_failure"),
        "`reviews sync run shop` shows what",
    );
    has(&home, 2, "status = 'published'");
    let asked = home.run("sync run shop");
    asked.failed("public.0.missing: the file lacks status");
    home.at_screen("sync run shop", &["public"]).done();
    scheduled("last_success_at");
    has(&home, 3, "status = 'published'");
    // The same said in a file of the entry holds in runs by schedule until the column is there.
    let said = asked.out.replace("missing = \"?\"", "missing = \"public\"");
    home.file("shop.toml", &said);
    add(&home, "shop", &site.url("/r"), "format = './shop.toml'").done();
    give(4, None);
    scheduled("last_success_at");
    give(4, Some("active"));
    scheduled("last_success_at");
    give(5, None);
    scheduled("last_failure");
    has(&home, 4, "status = 'published'");
    // By hand it does not decide again, until the file is another, or is kept for the source once more.
    for _ in 0..2 {
        let asked = home.run("sync run shop");
        asked.failed("public.0.missing: the file lacks status");
        assert_has(&asked.err, "`reviews source format Trustpilot ");
        has(&home, 4, "status = 'published'");
    }
    home.run("source format Trustpilot shop.toml").done();
    home.run("sync run shop").done();
    scheduled("last_success_at");
    has(&home, 5, "status = 'published'");
    give(5, Some("active"));
    scheduled("last_success_at");
    give(6, None);
    scheduled("last_failure");
    home.run("sync run shop").failed("public.0.missing");
    home.file("shop.toml", &format!("# Once more.\n{said}"));
    home.run("sync run shop").done();
    scheduled("last_success_at");
    has(&home, 6, "status = 'published'");
}

#[test]
fn run_by_hand_asks_once_the_column_of_a_table_was_there() {
    let (home, site) = (home(), csv_site(&sheet_of(&["yes", "no", "yes"])));
    let own = format_of(&["yes"]) + "missing = \"public\"\n";
    home.file("own.toml", &own);
    write_entry(&home, "sheet", &site.url("/r"), "format = \"own.toml\"");
    let without = sheet_of(&["", "", "", ""]).replace(",Publish", "");
    let without = without.replace(",\n", "\n");
    give_csv(&site, &without);
    home.run("sync run sheet").done();
    assert_eq!([count(&home, "true"), withheld(&home)], ["4", "0"]);
    give_csv(&site, &sheet_of(&["yes", "no", "yes"]));
    home.run("sync run sheet").done();
    assert_eq!(withheld(&home), "1");
    give_csv(&site, &without);
    for options in ["", " --dry-run", " --accept-changes"] {
        let asked = home.run(&*format!("sync run sheet{options}"));
        asked.failed("public.0.missing: the file lacks Publish");
        assert_has(&asked.out, "missing = \"?\"");
        assert_has(&asked.err, "`reviews source format Direct ");
    }
    // Nor does another address say it again.
    let other = site.url("/r?more=1");
    write_entry(&home, "sheet", &other, "format = \"own.toml\"");
    home.run("sync run sheet")
        .failed("public.0.missing: the file lacks Publish");
    assert!(!kept(&home).contains("missing"));
    home.run("source format Direct own.toml").done();
    home.run("sync run sheet").done();
    assert_has(&kept(&home), "missing = \"public\"");
    // What it hid stays hidden.
    assert_eq!(withheld(&home), "1");
}

#[test]
fn few_new_values_withhold_and_many_fail_unless_accepted() {
    let (home, site) = with_sheet(&["yes"; 20]);
    let give = |count: usize, value| {
        let mut values = ["yes"; 20];
        values[..count].fill(value);
        give_csv(&site, &sheet_of(&values));
    };
    give(11, "maybe");
    home.run("sync run sheet").failed("--accept-changes");
    let unnamed = "values that the format does not name";
    assert_has(&column(&home, "last_failure"), unnamed);
    assert_reason_without_cells(&home);
    assert_eq!(withheld(&home), "0");
    give(3, "maybe");
    let run = home.run_ok("sync run", "Publish");
    assert_eq!(withheld(&home), "3", "{}", run.out);
    // A value that only a run has seen is named by nobody.
    give(19, "maybe");
    sync(&home).failed(unnamed);
    home.run("sync run sheet --accept-changes").done();
    assert_eq!(withheld(&home), "19");
    // The decision brings them back, if that is accepted.
    set_format(&home, &format_of(&["yes", "maybe"]));
    sync(&home).failed("that the source withheld would become public");
    home.run("sync run sheet --accept-changes").done();
    assert_eq!(withheld(&home), "0");
    // A format without the column is refused for that.
    let less = format_of(&["yes"]).replace("[[public]]", "[[public_reply]]");
    home.file("less.toml", &less);
    let run = add(&home, "less", &site.url("/r"), "format = './less.toml'");
    run.failed("less: the format lacks a column");
}

#[test]
fn member_that_a_platform_adds_is_named_and_does_not_fail_a_run() {
    let (home, site) = added(2, "");
    site.answer(|_| {
        let mut page = json!({"reviews": [row(GOOGLE, 0), row(GOOGLE, 1)], "totalReviewCount": 2});
        for review in page["reviews"].as_array_mut().unwrap() {
            review["onOurSite"] = false.into();
        }
        SiteAnswer::value(&page)
    });
    let run = sync(&home);
    run.done();
    assert_has(&(run.out + &run.err), "onOurSite");
    assert_eq!([count(&home, "true"), withheld(&home)], ["2", "0"]);
}
