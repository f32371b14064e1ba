//! Output and exit codes of commands.

use super::*;

#[test]
fn migrate_reports_applied_migrations_or_that_none_is_left() {
    let home = Home::new();
    let applied = "reviews.db\napplied 0001 business\napplied 0002 review\n";
    let first = home.run_ok("migrate", applied).out;
    let applied = first.lines().count() - 1;
    let expected = format!("reviews.db\nup to date: {applied} migrations\n");
    home.run_ok("migrate", &expected);
}

#[test]
fn check_exits_with_2_if_something_is_wrong_and_names_it() {
    for [sql, expected] in table(
        "
        delete from review_fts where rowid = (select review_no from review_change where review_id = 'p-3') → wrong   text index: review p-3
        update review_fts set text = 'something else' where rowid = 5 → is not indexed with its current text
        insert into review_fts (rowid, text, review_id) values (99999, 'stray', 'nobody') → row 99999 belongs to no review
        update review_fts_data set block = x'00' where id = 10 → integrity: fts5: checksum mismatch for table
        delete from review_change where review_id = 'p-3' → review p-3
        delete from review_fts where rowid = 5 → then start `reviews serve` again
        update review set author = cast(x'ff' as text) where review_id = 'p-2' → update review set author = 'TEXT' where review_id = 'p-2'
        insert into mention (review_id, kind, value) values ('p-2', 'service', cast(x'ff' as text)) → delete from mention where review_id = 'p-2'
        pragma ignore_check_constraints = on; update review set rating = 9 where review_id = 'p-4' → wrong   reviews: p-4 has bytes that are no UTF-8 or breaks
        alter table review rename column title to headline → damaged (missing or changed: the table review, the trigger review_updated)
        drop table mention → damaged (missing or changed: the table mention,
        ",
    ) {
        let home = Home::with(5);
        home.sql(sql);
        let wrong = home.run("check");
        assert_eq!(wrong.code, Some(2), "{sql}: {}{}", wrong.out, wrong.err);
        let said = wrong.out + &wrong.err;
        assert!(said.contains(expected), "{sql}: {said}");
    }
}

#[test]
fn a_bad_setting_exits_with_2_and_creates_nothing() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().to_string();
    for [name, value, message] in table(
        "
        DATABASE_URL → postgres://localhost/reviews → DATABASE_URL `postgres://localhost/reviews` does not name a SQLite file
        RUST_LOG → reviews_service=loud → write it like debug, or debug,rustls=info
        REVIEWS_LISTEN → 0.0.0.0:0 → write the line `REVIEWS_BASE_URL=https://YOUR-HOST` into /etc/reviews.env
        REVIEWS_LISTEN → PORT → set REVIEWS_LISTEN to another address
        REVIEWS_HUB_LEASE_SECONDS_MIN → 900000 → must be in ascending order
        REVIEWS_BASE_URL → reviews.sample.test → REVIEWS_BASE_URL: the base URL `reviews.sample.test`
        REVIEWS_BASE_URL → https://reviews.example.com → set REVIEWS_BASE_URL to the public URL of your service, in /etc/reviews.env
        ",
    ) {
        let (home, value) = (Home::new(), value.replace("PORT", &port));
        let refused = home.command("serve").env(name, &value).run();
        refused.failed(name);
        assert_eq!(refused.out, "", "{name}={value}");
        let times = refused.err.matches(message).count();
        assert_eq!(times, 1, "{name}={value}: {}", refused.err);
        assert_eq!(home.file_names(), [] as [&str; 0], "{name}={value}");
    }
}

#[test]
fn help_describes_each_command() {
    let home = Home::new();
    let whole = home.run("--help");
    assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("help", whole.out);
    for command in Cli::command().get_subcommands() {
        let command = command.get_name();
        let help = home.command(&[command, "--help"]);
        let help = help.env_remove("REVIEWS_LISTEN").run();
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""), "{command}");
        assert!(help.out.contains("\nExamples:\n  reviews "), "{command}");
        let place = |heading: &str| help.out.find(&format!("\n{heading}:\n"));
        let is_last = place("Global options").is_none_or(|global| Some(global) > place("Options"));
        assert!(is_last, "{command}: {}", help.out);
    }
    for command in ["insights explain", "source rename", "sync list", "sync run"] {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let example = format!("\nExamples:\n  reviews {command}");
        home.run_ok(&words, &example);
    }
}

#[test]
fn no_help_and_no_error_shows_the_credentials_of_a_cluster() {
    let home = Home::new();
    // A cluster, and URLs that are mistyped.
    for url in [
        "rqlite://bob:s3cret@10.0.0.1:4001?file=db.sqlite",
        "rqlit://bob:s3cret@10.0.0.1:4001?file=db.sqlite",
        "rqlite:/bob:s3cret@a:4001?file=db.sqlite",
        "bob:s3cret@a:4001",
        "rqlite://bob:s3cret@a?file=db.sqlite",
        "sqlite://bob:s3c?ret@a:4001?file=db.sqlite",
        "RQLITE://bob:s3c@ret@a:4001?file=db.sqlite",
    ] {
        for words in "--help|init --help|check|serve|no-command|man".split('|') {
            let done = home.command(words).env("DATABASE_URL", url).run();
            let printed = done.out + &done.err;
            let mut parts = ["bob", "s3c", "ret@"].into_iter();
            let is_shown = parts.any(|part| printed.contains(part));
            assert!(!is_shown, "{url} {words:?}: {printed}");
        }
    }
}
