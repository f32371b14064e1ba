//! `.sqlx` in step with the sources. That each query has its file is the compiler's to say; that
//! each file has its query is said here, without sqlx-cli and without a database.

use std::collections::BTreeSet;
use std::fs;

use super::{assert_none, files};

/// How many texts one query is put together of at most: `query!("…" + "…")` in a macro.
const PARTS_MAX: usize = 4;

/// The texts in `code`, as the compiler sees them: plain ones without their escapes, raw ones as
/// they are.
fn texts(code: &str) -> Vec<String> {
    let (mut texts, mut rest) = (Vec::new(), code);
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, found) = rest.split_at(at);
        rest = &found[1..];
        if found.starts_with("//") {
            rest = found.split_once('\n').map_or("", |(_, rest)| rest);
        } else if found.starts_with('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let is_raw = before[..before.len() - hashes].ends_with('r');
            let end = if is_raw {
                found[1..].find(&format!("\"{}", "#".repeat(hashes)))
            } else {
                end_of_plain(&found[1..])
            };
            let end = end.unwrap_or(found.len() - 1);
            texts.push(if is_raw {
                found[1..=end].to_owned()
            } else {
                unescaped(&found[1..=end])
            });
            rest = found.get(end + 2..).unwrap_or_default();
        } else if found.starts_with('\'') {
            // A character that opens nothing; what is no character is a lifetime.
            let is_escaped = found[1..].starts_with('\\');
            let length = if is_escaped {
                2
            } else {
                found[1..].chars().next().map_or(0, char::len_utf8)
            };
            if found
                .get(1 + length..)
                .is_some_and(|rest| rest.starts_with('\''))
            {
                rest = &found[2 + length..];
            }
        }
    }
    texts
}

fn end_of_plain(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

fn unescaped(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let escaped = after.chars().next().unwrap_or_default();
        rest = &after[escaped.len_utf8()..];
        match escaped {
            'n' => plain.push('\n'),
            't' => plain.push('\t'),
            // A text that goes on in the next line.
            '\n' => rest = rest.trim_start(),
            other => plain.push(other),
        }
    }
    plain + rest
}

fn is_made_of(query: &str, texts: &BTreeSet<String>, parts: usize) -> bool {
    texts.contains(query)
        || (parts > 1
            && texts.iter().filter(|text| !text.is_empty()).any(|text| {
                query
                    .strip_prefix(text.as_str())
                    .is_some_and(|rest| !rest.is_empty() && is_made_of(rest, texts, parts - 1))
            }))
}

#[test]
fn each_file_of_sqlx_belongs_to_a_query() {
    let texts: BTreeSet<String> = files("src")
        .iter()
        .chain(&files("benches"))
        .chain(&files("tests"))
        .flat_map(|file| texts(&file.text))
        .collect();
    let mut faults = Vec::new();
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.sqlx")).unwrap() {
        let path = entry.unwrap().path();
        let file: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let query = file["query"].as_str().unwrap();
        if !is_made_of(query, &texts, PARTS_MAX) {
            faults.push(format!(
                "{}: no query asks this any more; run `just prepare`: {query}",
                path.display()
            ));
        }
    }
    assert_none(&faults);
}

#[test]
fn a_query_is_found_however_it_is_written_and_a_stale_one_is_not() {
    let code = "f('\"', &'a str); // \"a comment\"\nquery!(r#\"select \"x!\" \"#, \"from\\n t \\\n    where y = '\\\"'\")";
    let texts: BTreeSet<String> = texts(code).into_iter().collect();
    assert_eq!(
        texts,
        ["select \"x!\" ", "from\n t where y = '\"'"]
            .map(str::to_owned)
            .into()
    );
    assert!(is_made_of(
        "select \"x!\" from\n t where y = '\"'",
        &texts,
        2
    ));
    assert!(
        !is_made_of("select \"x!\" from\n u", &texts, 2) && !is_made_of("a comment", &texts, 2)
    );
}
