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
fn check_notes_published_days_and_instants_of_the_future() {
    let home = Home::with(3);
    home.sql("update review set reviewed_on = '2999-01-01' where review_id = 'p-1'");
    home.sql("update review set updated_at = '2999-01-01T00:00:00Z' where review_id = 'p-2'");
    let noted = home
        .run_ok("check", "note    reviews: p-1 is published with a day")
        .out;
    assert_has(&noted, "note    reviews: p-2 is published with a day");
    assert!(!noted.contains("p-3"), "{noted}");
}

#[test]
fn check_exits_with_2_if_something_is_wrong_and_names_it() {
    for [sql, expected] in table(
        "
        delete from review_fts where rowid = (select review_no from review_change where review_id = 'p-3') → wrong   text index: review p-3
        pragma ignore_check_constraints = on; update review set rating = 9 where review_id = 'p-4' → wrong   reviews: p-4 breaks
        pragma ignore_check_constraints = on; update review set status = 'withheld', reviewed_on = 'x' where review_id = 'p-5' → wrong   reviews: p-5 breaks
        drop trigger review_updated → wrong   schema: the trigger review_updated is missing
        alter table review rename column title to headline → reviews.db: the reviews cannot be read: no such column: r.title; undo the change
        drop table mention → the reviews cannot be read: no such table: mention; undo the change, or restore a backup|wrong   schema: the index mention_technician is missing|wrong   schema: the table mention is missing
        ",
    ) {
        let home = Home::with(5);
        home.sql(sql);
        let wrong = home.run("check");
        assert_eq!(wrong.code, Some(2), "{sql}: {}{}", wrong.out, wrong.err);
        let expected = expected.replace('|', "\n");
        assert!(wrong.out.contains(&expected), "{sql}: {}", wrong.out);
    }
}

#[test]
fn damaged_list_of_migrations_is_reported_with_advice() {
    let home = Home::with(5);
    let [page, size] = [
        "select rootpage from sqlite_schema where name = '_sqlx_migrations'",
        "pragma page_size",
    ]
    .map(|sql| home.sql(sql).parse::<usize>().unwrap());
    let mut bytes = fs::read(home.path()).unwrap();
    bytes[(page - 1) * size..page * size].fill(0xff);
    fs::write(home.path(), bytes).unwrap();
    for words in [
        &["status"][..],
        &["check"],
        &["list"],
        &["export"],
        &["withhold", "p-1", "--reason", "x"],
    ] {
        home.run_err(words, "the database reviews.db is damaged (");
    }
}

#[test]
fn flags_override_the_environment_and_it_overrides_defaults() {
    let home = Home::new();
    let config = |command: &mut Command, flags: &[&str]| {
        let done = output_of(command.args(["serve", "--print-config"]).args(flags));
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        done.out
    };
    insta::assert_snapshot!(
        "config",
        config(reviews(home.0.path()).env_remove("REVIEWS_LISTEN"), &[])
    );
    let flags = ["--listen", "127.0.0.1:82", "--database", "sqlite://flag.db"];
    let mut command = reviews(home.0.path());
    let shown = config(command.env("DATABASE_URL", "sqlite://other.db"), &flags);
    for line in [
        "DATABASE_URL=sqlite://flag.db",
        "REVIEWS_LISTEN=127.0.0.1:82",
        "REVIEWS_BASE_URL=http://127.0.0.1:82",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    assert!(
        fs::read_dir(home.0.path()).unwrap().next().is_none(),
        "a file was created"
    );
}

#[test]
fn a_bad_setting_exits_with_2_and_creates_nothing() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().to_string();
    for [name, value, message] in table(
        "
        DATABASE_URL → postgres://localhost/reviews → DATABASE_URL `postgres://localhost/reviews` does not name a SQLite file
        DATABASE_URL → sqlite://none/reviews.db → cannot create the database none/reviews.db
        DATABASE_URL → sqlite://reviews.db?mode=ro → asks for `mode=ro`, which is not supported
        RUST_LOG → reviews_service=loud → write it like info
        REVIEWS_LISTEN → 0.0.0.0:0 → write the line `REVIEWS_BASE_URL=https://YOUR-HOST` into /etc/reviews.env
        REVIEWS_LISTEN → localhost → invalid value 'localhost'
        REVIEWS_LISTEN → PORT → set REVIEWS_LISTEN to another address
        REVIEWS_BASE_URL → reviews.sample.test → REVIEWS_BASE_URL: the base URL `reviews.sample.test`
        REVIEWS_ALLOWED_HOSTS → https://agents.example.com → write hosts like agents.example.com
        REVIEWS_BASE_URL → https://reviews.sample.test/?a=b → has more than a scheme, host, port and path
        REVIEWS_BASE_URL → https://reviews.example.com → set REVIEWS_BASE_URL to the public URL of your service, in /etc/reviews.env
        ",
    ) {
        let (home, value) = (Home::new(), value.replace("PORT", &port));
        let refused = output_of(reviews(home.0.path()).env(name, &value).arg("serve"));
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (Some(2), ""),
            "{name}={value}: {}",
            refused.err
        );
        assert_eq!(
            refused.err.matches(message).count(),
            1,
            "{name}={value}: the message must appear once: {}",
            refused.err
        );
        assert!(!refused.err.contains("panicked"), "{}", refused.err);
        assert_has(&refused.err, name);
        assert!(
            fs::read_dir(home.0.path()).unwrap().next().is_none(),
            "{name}={value}: a file was created"
        );
    }
}

#[test]
fn invalid_command_lines_are_refused() {
    let home = Home::new();
    for words in [
        &[] as &[&str],
        &["server"],
        &["serve", "now"],
        &["check", "--fast"],
        &["import"],
    ] {
        let refused = home.run(words);
        assert_eq!(
            (refused.code, refused.out.as_str()),
            (Some(2), ""),
            "{words:?}"
        );
        assert!(refused.err.contains("Usage:"), "{words:?}: {}", refused.err);
    }
    home.steps("import a.csv --scale 0 ✗ write a whole number from 1 to 255");
}

#[test]
fn help_describes_each_command() {
    let home = Home::new();
    let commands: Vec<String> = Cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let whole = home.run("--help");
    assert_eq!((whole.code, whole.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("help", whole.out);
    for command in commands {
        let help = output_of(
            reviews(home.0.path())
                .env_remove("REVIEWS_LISTEN")
                .args([&command, "--help"]),
        );
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""), "{command}");
        assert!(help.out.contains("\nExamples:\n  reviews "), "{command}");
        insta::assert_snapshot!(format!("help_{command}"), help.out);
    }
    for command in [
        "insights explain",
        "insights rebuild",
        "source rename",
        "sync add",
        "sync list",
        "sync pause",
        "sync remove",
        "sync resume",
        "sync run",
    ] {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let example = format!("\nExamples:\n  reviews {command}");
        home.run_ok(&words, &example);
    }
}

#[test]
fn no_help_and_no_error_shows_the_credentials_of_a_cluster() {
    let home = Home::new();
    for url in [
        "rqlite://bob:s3cret@10.0.0.1:4001?file=db.sqlite",
        "rqlit://bob:s3cret@10.0.0.1:4001?file=db.sqlite",
    ] {
        for words in [
            &["--help"][..],
            &["init", "--help"],
            &["check"],
            &["serve"],
            &["no-command"],
            &["man"],
        ] {
            let mut command = reviews(home.0.path());
            let done = output_of(command.env("DATABASE_URL", url).args(words));
            let printed = done.out + &done.err;
            assert!(
                !printed.contains("s3cret") && !printed.contains("bob"),
                "{url} {words:?}: {printed}"
            );
        }
    }
}
