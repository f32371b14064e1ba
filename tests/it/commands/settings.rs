//! Settings, JSON logs, the version, completions and manual pages.

use super::*;

type Settings = BTreeMap<String, String>;

/// The output of `serve --print-config` with only these variables set, and these flags.
fn printed(home: &Home, variables: &Settings, flags: &str) -> Settings {
    let command = home.command(format!("serve --print-config {flags}"));
    let done = command.env_remove("REVIEWS_LISTEN").envs(variables).run();
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
    let settings = table(
        "
        DATABASE_URL → sqlite://with a space.db
        REVIEWS_LISTEN → [::1]:81
        REVIEWS_BASE_URL → https://reviews.test/of/us/
        REVIEWS_ALLOWED_HOSTS → agents.example,app.example
        RUST_LOG → warn,reviews_service=info
        REVIEWS_LOG_FORMAT → json
        REVIEWS_TRUSTED_PROXIES → 10.0.0.0/8, fd00::/8
        REVIEWS_HUB_RETRY_DELAYS → 90s,2h
        REVIEWS_HUB_LEASE_SECONDS_MIN → 301
        ",
    );
    let settings = settings.into_iter();
    let settings = settings.map(|setting| setting.map(str::to_owned).into());
    for settings in [settings.collect(), BTreeMap::new()] {
        let shown = printed(&home, &settings, "");
        assert!(shown.keys().eq(&BTreeSet::from_iter(variables())));
        for (name, value) in &settings {
            let is_shown = value.trim_end_matches('/') == shown[name];
            assert!(is_shown, "{name}: {value} is shown as {}", shown[name]);
        }
        assert_eq!(printed(&home, &shown, ""), shown);
        // A flag overrides a variable.
        let flags = "--listen 127.0.0.1:82 --database sqlite://flag.db";
        let flagged = printed(&home, &settings, flags);
        assert_eq!(flagged["DATABASE_URL"], "sqlite://flag.db");
        assert_eq!(flagged["REVIEWS_LISTEN"], "127.0.0.1:82");
        let base = settings.get("REVIEWS_BASE_URL");
        let base = base.map_or("http://127.0.0.1:82", |url| url.trim_end_matches('/'));
        assert_eq!(flagged["REVIEWS_BASE_URL"], base);
    }
    let defaults = printed(&home, &BTreeMap::new(), "");
    assert_eq!(defaults["REVIEWS_BASE_URL"], "http://127.0.0.1:8080");
    assert_eq!(home.file_names(), [""; 0]);
    // An empty setting is an unset one, for other commands, too.
    let names = variables().into_iter();
    let empty: Settings = names.map(|name| (name, String::new())).collect();
    assert_eq!(printed(&home, &empty, ""), defaults);
    home.command("migrate").envs(&empty).run().done();
    assert!(home.path().exists());
    // Port 0 is chosen at the start, so the base URL is not known yet.
    let free = BTreeMap::from([("REVIEWS_LISTEN".to_owned(), "127.0.0.1:0".to_owned())]);
    assert_eq!(printed(&home, &free, "")["REVIEWS_BASE_URL"], "");
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let home = Home::new();
    let page = home.run_ok("man", ".TH reviews 1");
    let shells = ["bash", "fish"].map(|shell| home.run_ok(&["completions", shell], ""));
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        assert_has(&page.out, &format!("reviews\\-{name}(1)"));
        for made in &shells {
            assert_has(&made.out, name);
            assert_eq!(made.err, "");
        }
    }
    home.steps(
        "
        man sync run → .TH reviews-sync-run 1
        man server ✗ unknown command `server`
        completions cmd ✗ cmd
        ",
    );
}
