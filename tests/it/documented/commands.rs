//! Commands in the docs are run, or parsed as the program does.

use clap::CommandFactory;
use reviews_service::cli::Cli;

use super::{pages, route_of};
use crate::support::{Generator, TestApp};

/// The lines of all shell blocks without comments.
fn shell_lines(text: &str) -> Vec<String> {
    let blocks = text.split("```sh\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    // A backslash at the end continues the line.
    let whole = blocks.collect::<String>().replace("\\\n", " ");
    let lines = whole.lines().filter_map(|line| line.split(" #").next());
    let lines = lines.map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// The SQL of a line that calls `sqlite3`.
fn statement(line: &str) -> String {
    let rest = line.split_once('"').map_or("", |(_, rest)| rest);
    let sql = rest.rsplit_once('"').map_or("", |(sql, _)| sql);
    sql.replace("\\\"", "\"")
}

/// Asserts that the arguments of a `reviews` command can be parsed.
fn parse(words: &[&str], line: &str) {
    // Remove brackets for optional arguments and the ellipsis for repetition.
    let is_optional = |word: &str| word.starts_with('[') || word.ends_with(']');
    let words = words.iter().filter(|word| !is_optional(word));
    let words = words.map(|word| word.trim_end_matches('…'));
    let error = Cli::command().try_get_matches_from(words).err();
    assert!(error.is_none(), "`{line}` is not a command: {error:?}");
}

/// Asserts that a route exists for the URL of a `curl` command.
fn check_url(app: &TestApp, words: &[&str], line: &str) {
    let url = words.iter().find(|word| word.contains("://")).expect(line);
    let path = url.trim_matches(['"', '\'']).splitn(4, '/').nth(3);
    let path = format!("/{}", path.unwrap_or_default());
    assert!(
        route_of(app, &path).is_some(),
        "{line}: no route for {path}"
    );
}

#[tokio::test]
async fn every_command_in_the_docs_exists() {
    let app = TestApp::with(&Generator::new(1).reviews(20)).await;
    let mut count = 0;
    for (_, text) in pages() {
        for line in &shell_lines(&text) {
            count += 1;
            // Skip NAME=VALUE, which sets an environment variable for the command.
            let is_setting = |word: &&str| {
                word.split_once('=')
                    .is_some_and(|(name, _)| name == name.to_uppercase())
            };
            let words = shlex::split(line).unwrap_or_default();
            let words = words.iter().map(String::as_str);
            let words: Vec<&str> = words.skip_while(is_setting).collect();
            match words.as_slice() {
                ["reviews", ..] => parse(&words, line),
                ["cargo", "run", "--", rest @ ..] => parse(&[&["reviews"], rest].concat(), line),
                ["sqlite3", ..] => drop(app.sql(&statement(line))),
                ["curl", ..] => check_url(&app, &words, line),
                // Other programs are not run here.
                _ => {}
            }
        }
    }
    assert!(count >= 8, "{count} commands");
    app.drain().await;
    assert_eq!(app.get("/readyz").await.status, 200);
}
