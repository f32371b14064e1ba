//! Settings, JSON logs, the version, completions and manual pages.

use super::*;

/// The output of `serve --print-config` with only these variables set.
fn printed(home: &Home, variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut command = reviews(home.0.path());
    let done = output_of(
        command
            .env_remove("REVIEWS_LISTEN")
            .envs(variables)
            .args(["serve", "--print-config"]),
    );
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    done.out
        .lines()
        .map(|line| {
            let (name, value) = line.split_once('=').unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect()
}

/// Every variable that `serve` reads.
fn variables() -> Vec<String> {
    let cli = Cli::command();
    let serve = cli.find_subcommand("serve").unwrap();
    cli.get_arguments()
        .chain(serve.get_arguments())
        .filter_map(|argument| Some(argument.get_env()?.to_str().unwrap().to_owned()))
        .collect()
}

#[test]
fn print_config_shows_every_setting_and_loads_back_unchanged() {
    let home = Home::new();
    let given = [
        ("DATABASE_URL", "sqlite://with a space.db"),
        ("REVIEWS_LISTEN", "[::1]:81"),
        ("REVIEWS_ADMIN_LISTEN", "127.0.0.1:9090"),
        ("REVIEWS_BASE_URL", "https://reviews.test/of/us/"),
        ("REVIEWS_ALLOWED_HOSTS", "agents.example,app.example:8443"),
        ("REVIEWS_SECURITY_CONTACT", "mailto:a@example.com"),
        ("REVIEWS_CONNECTIONS_PER_PEER_MAX", "9"),
        ("REVIEWS_REQUEST_LOG", "errors"),
        ("REVIEWS_TRADE", "food"),
        ("RUST_LOG", "warn,reviews_service=debug"),
        ("REVIEWS_LOG_FORMAT", "json"),
        ("REVIEWS_TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8"),
        ("REVIEWS_HUB_RETRY_DELAYS", "90s,2h"),
        ("REVIEWS_HUB_LEASE_SECONDS_MIN", "301"),
        ("REVIEWS_HUB_LEASE_SECONDS_DEFAULT", "302"),
        ("REVIEWS_HUB_LEASE_SECONDS_MAX", "303"),
        ("REVIEWS_HUB_CA_FILE", "roots.pem"),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
        ("REVIEWS_HUB_PENDING_MAX", "7"),
    ];
    let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
    for settings in [BTreeMap::from(given), BTreeMap::new()] {
        let shown = printed(&home, &settings);
        for name in variables() {
            assert!(shown.contains_key(&name), "{name} is not shown");
        }
        assert_eq!(shown.len(), variables().len());
        for (name, value) in &settings {
            let is_shown = value.trim_end_matches('/') == shown[name];
            assert!(is_shown, "{name}: {value} is shown as {}", shown[name]);
        }
        assert_eq!(printed(&home, &shown), shown);
    }
    // Port 0 is chosen at the start, so the base URL is not known yet.
    let free = BTreeMap::from([("REVIEWS_LISTEN".to_owned(), "127.0.0.1:0".to_owned())]);
    assert_eq!(printed(&home, &free)["REVIEWS_BASE_URL"], "");
}

#[test]
fn an_empty_setting_equals_an_unset_one() {
    let home = Home::new();
    let empty = variables().into_iter().map(|name| (name, String::new()));
    assert_eq!(
        printed(&home, &empty.collect()),
        printed(&home, &BTreeMap::new())
    );
    let empty = variables().into_iter().map(|name| (name, String::new()));
    let done = output_of(reviews(home.0.path()).envs(empty).arg("migrate"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(home.path().exists());
}

/// Parses lines of JSON, and asserts that each has the members common to all.
fn objects(log: &str) -> Vec<Value> {
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        for member in ["timestamp", "level", "message", "target"] {
            assert!(line[member].is_string(), "{member} of {line}");
        }
        line
    };
    log.lines().map(read).collect()
}

/// Starts a service that logs JSON with this filter. Returns it with its log until it listens, and a reader of the rest.
fn serve_json(home: &Home, filter: &str) -> (Serving, String, BufReader<ChildStderr>) {
    let mut command = reviews(home.0.path());
    command.arg("serve").envs([
        ("REVIEWS_LOG_FORMAT", "json"),
        ("RUST_LOG", filter),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
    ]);
    let (out, err) = (Stdio::piped(), Stdio::piped());
    let mut child = command.stdout(out).stderr(err).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let (mut logged, mut address) = (String::new(), None);
    while address.is_none() {
        let mut line = String::new();
        assert_ne!(
            log.read_line(&mut line).unwrap(),
            0,
            "the service exited: {logged}"
        );
        let object = &objects(&line)[0];
        if object["event"] == "server.listening" {
            address = object["fields"]["address"].as_str().unwrap().parse().ok();
        }
        logged.push_str(&line);
    }
    let serving = Serving {
        address: address.unwrap(),
        greeting: String::new(),
        out: child.stdout.take().map(BufReader::new),
        child,
    };
    (serving, logged, log)
}

#[test]
fn with_json_every_log_line_is_one_object_with_an_event() {
    let home = Home::with(2);
    let printed = home.serve();
    let (serving, mut log, mut rest) = serve_json(&home, "debug");
    // The event of the start has every URL of the greeting.
    let urls = |text: &str, address: SocketAddr| -> BTreeSet<String> {
        let words = text.split(['"', ' ', '\n']);
        let paths = words.filter_map(|word| word.strip_prefix(&format!("http://{address}")));
        paths.map(str::to_owned).collect()
    };
    let expected = urls(&printed.greeting, printed.address);
    assert!(expected.len() >= 12, "{expected:?}");
    let started = log.lines().find(|line| line.contains("server.started"));
    assert_eq!(urls(started.unwrap(), serving.address), expected);
    drop(printed);
    home.insert(10, 12);
    while !log.contains("snapshot.published") {
        assert_ne!(
            rest.read_line(&mut log).unwrap(),
            0,
            "the service exited: {log}"
        );
    }
    let address = serving.address;
    serving.signal("TERM");
    let (status, out) = serving.end();
    assert_eq!((status.code(), out.as_str()), (Some(0), ""));
    rest.read_to_string(&mut log).unwrap();
    let lines = objects(&log);
    let of = |event: &str| lines.iter().find(|line| line["event"] == event).cloned();
    let place = |event: &str| lines.iter().position(|line| line["event"] == event);
    let story = ["started", "listening", "stopping", "stopped"];
    let story = story.map(|name| place(&format!("server.{name}")).expect(name));
    assert!(story.is_sorted(), "{story:?}");
    let started = of("server.started").unwrap();
    assert_eq!(
        started["message"],
        "not set up yet; run `reviews init --name NAME --type TYPE --time-zone ZONE --country CC`"
    );
    let fields = &started["fields"];
    assert_eq!(
        (&fields["published"], &fields["withheld"]),
        (&2.into(), &0.into())
    );
    assert_eq!(
        (&fields["database"], &fields["listen"]),
        (&"reviews.db".into(), &address.to_string().into())
    );
    assert_eq!(
        of("server.stopping").unwrap()["fields"]["signal"],
        "SIGTERM"
    );
    // SQL statements are not logged.
    assert!(!log.contains("\"target\":\"sqlx::query\""), "{log}");
    let opened = of("hub.nets_opened").unwrap();
    assert_eq!(opened["level"], "WARN");
    assert!(
        opened["message"]
            .as_str()
            .unwrap()
            .starts_with("callbacks may reach 127.0.0.0/8")
    );
    assert_eq!(of("snapshot.published").unwrap()["fields"]["reviews"], 5);
}

#[test]
fn the_info_log_has_start_and_stop_but_no_events_of_libraries() {
    let home = Home::with(2);
    let log = File::create(home.0.path().join("log")).unwrap();
    let mut command = reviews(home.0.path());
    command.args(["serve", "--log", "info"]);
    let serving = Serving::start_with_log(&mut command, log);
    serving.get("/healthz");
    serving.signal("INT");
    assert_eq!(serving.end().1, "Stopped.\n");
    let log = fs::read_to_string(home.0.path().join("log")).unwrap();
    let foreign: Vec<&str> = log
        .lines()
        .filter(|line| !line.contains(" reviews_service::"))
        .collect();
    assert_eq!(foreign, [] as [&str; 0]);
    for event in ["server.listening", "server.stopping", "server.stopped"] {
        assert_eq!(log.matches(event).count(), 1, "{event}: {log}");
    }
}

#[test]
fn with_json_the_error_of_a_failed_command_is_one_object() {
    let home = Home::new();
    for [words, reason] in table(
        "
        check → no database at
        serve --listen abc → invalid value 'abc' for '--listen <ADDR:PORT>'
        ",
    ) {
        let mut command = reviews(home.0.path());
        let command = command.env("REVIEWS_LOG_FORMAT", "json").args(words.list());
        let failed = output_of(command);
        assert_eq!(failed.code, Some(2));
        let [line] = &objects(&failed.err)[..] else {
            panic!("{}", failed.err)
        };
        assert_eq!(line["event"], "command.failed");
        assert_eq!(line["level"], "ERROR");
        assert_has(line["message"].as_str().unwrap(), reason);
    }
}

#[test]
fn the_version_names_the_commit_and_the_sqlite_release() {
    let home = Home::new();
    for word in ["--version", "-V"] {
        let version = home.run(&[word]);
        assert_eq!((version.code, version.err.as_str()), (Some(0), ""));
        let (release, rest) = version.out.split_once(" (commit ").unwrap();
        assert_eq!(release, format!("reviews {}", env!("CARGO_PKG_VERSION")));
        let (commit, sqlite) = rest.split_once(", SQLite ").unwrap();
        assert!(!commit.is_empty(), "{}", version.out);
        assert_eq!(sqlite, format!("{})\n", rusqlite::version()));
    }
}

#[test]
fn completions_name_every_command() {
    let home = Home::new();
    let commands: Vec<String> = Cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    for shell in ["bash", "fish"] {
        let made = home.run(&["completions", shell]);
        assert_eq!((made.code, made.err.as_str()), (Some(0), ""), "{shell}");
        for command in &commands {
            assert!(made.out.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(home.run("completions cmd").code, Some(2));
}

#[test]
fn the_program_and_each_command_have_a_manual_page() {
    let home = Home::new();
    let page = home.run_ok("man", ".TH reviews 1").out;
    for command in Cli::command().get_subcommands() {
        assert_has(&page, &format!("reviews\\-{}(1)", command.get_name()));
    }
    for name in ["import", "undo"] {
        let page = home
            .run_ok(&["man", name], &format!(".TH reviews-{name} 1"))
            .out;
        let sections = page.lines().filter_map(|line| line.strip_prefix(".SH "));
        let sections: Vec<&str> = sections.map(|section| section.trim_matches('"')).collect();
        let expected = [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "EXAMPLES",
            "VERSION",
            "EXIT STATUS",
            "ENVIRONMENT",
            "FILES",
        ];
        assert!(
            sections.starts_with(&expected[..4]) && sections.ends_with(&expected[4..]),
            "{sections:?}"
        );
        assert_has(&page, "DATABASE_URL");
    }
    let page = home.run_ok("man sync add", ".TH reviews-sync-add 1").out;
    assert_has(&page, "withdraw");
    home.run_err("man server", "name one of serve");
}

#[test]
fn no_command_has_an_argument_with_the_name_of_a_global_one() {
    let cli = Cli::command();
    let global: Vec<&str> = cli
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.get_id().as_str())
        .collect();
    assert_eq!(global.len(), 3);
    // clap stores both under one name, although their types differ.
    for command in cli.get_subcommands() {
        for argument in command.get_arguments() {
            let name = argument.get_id().as_str();
            assert!(!global.contains(&name), "{}: {name}", command.get_name());
        }
    }
}

#[test]
fn wrong_numbers_and_files_are_refused_with_advice() {
    let home = Home::new();
    home.run_ok("init --name Mine", "Mine");
    home.run_err("list --limit abc", "write a whole number");
    home.run_err("undo 99999999999999999999", "write a smaller number");
    home.steps("import reviews.db ✗ is a database; `reviews restore FILE` takes a backup");
}
