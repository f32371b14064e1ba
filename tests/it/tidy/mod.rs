//! The house rules that no compiler holds: which room may use which, where SQL, HTTP and public
//! shapes may stand, and how large a file may grow. `docs/ARCHITECTURE.md` says why.

mod circles;
mod queries;
mod templates;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every room and its floor. A room uses lower floors and never its own.
const FLOORS: &[(&str, u8)] = &[
    ("clock", 0),
    ("hash", 0),
    ("random", 0),
    ("links", 0),
    ("compute", 0),
    ("steps", 0),
    ("telemetry", 0),
    ("config", 1),
    ("db", 2),
    ("egress", 2),
    ("business", 3),
    ("reviews", 3),
    ("imports", 4),
    ("insights", 4),
    ("wire", 5),
    ("snapshot", 6),
    ("server", 6),
    ("search", 7),
    ("websub", 7),
    ("ctx", 8),
    ("respond", 8),
    ("http", 9),
    ("mcp", 9),
    ("pages", 9),
    ("jobs", 9),
];
/// The two rooms at the top, in their order.
const TOP: [(&str, u8); 2] = [("app", 10), ("cli", 11)];
/// Files above the bound since lines are shorter: to be split, never to be added to.
const STILL_LONG: &[&str] = &[
    "src/app/mod.rs",
    "src/egress/callback/tests.rs",
    "src/egress/client.rs",
    "src/egress/policy/tests.rs",
    "src/insights/aggregate/keyphrases.rs",
    "src/insights/aggregate/parts.rs",
    "src/insights/analyzer.rs",
    "src/insights/aspects/score.rs",
    "src/insights/linking/exclusions.rs",
    "src/insights/linking/people.rs",
    "src/insights/linking/tests.rs",
    "src/insights/linking/words.rs",
    "src/mcp/sdk/mod.rs",
    "src/respond/conditional/tests.rs",
    "src/respond/negotiation.rs",
    "src/respond/query/tests.rs",
    "src/reviews/merge/tests.rs",
    "src/reviews/store/read/mod.rs",
    "src/snapshot/index.rs",
    "src/snapshot/publisher.rs",
    "src/snapshot/segment.rs",
    "src/websub/exchange.rs",
    "src/websub/request/tests.rs",
    "src/websub/store/record.rs",
    "src/websub/worker.rs",
    "src/wire/agents.rs",
    "tests/it/change.rs",
    "tests/it/documented/mod.rs",
    "tests/it/documents/mod.rs",
    "tests/it/feeds.rs",
    "tests/it/imports/mod.rs",
    "tests/it/mcp/refused.rs",
    "tests/it/mcp/sessions.rs",
    "tests/it/openapi/mod.rs",
    "tests/it/process/outputs.rs",
    "tests/it/routing.rs",
    "tests/it/search/mod.rs",
    "tests/it/server/mod.rs",
    "tests/it/support/receiver.rs",
    "tests/it/tidy/mod.rs",
];
const SOURCE_LINES_MAX: usize = 350;
const TEST_LINES_MAX: usize = 400;
/// From here on up, HTTP is known.
const HTTP_FLOOR: u8 = 7;

/// A file of ours: its path from the package's root, and its lines.
struct File {
    path: PathBuf,
    text: String,
}

impl File {
    /// `snapshot` for `src/snapshot/publisher.rs`; nothing for `src/main.rs` and tests.
    fn room(&self) -> Option<&str> {
        let mut parts = self.path.iter().map(|part| part.to_str().unwrap());
        (parts.next() == Some("src")).then_some(())?;
        let name = parts.next()?.trim_end_matches(".rs");
        (!["main", "lib"].contains(&name)).then_some(name)
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The lines that are code, numbered from one: no comments, and nothing of the unit tests at
    /// the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..)
            .zip(self.text.lines())
            .take_while(|(_, line)| *line != "#[cfg(test)]");
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn is_unit_test(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == "tests.rs")
    }
}

fn files(folder: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = [root.join(folder)]
        .into_iter()
        .filter(|folder| folder.exists())
        .collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push(File {
                    path: path.strip_prefix(root).unwrap().to_owned(),
                    text,
                });
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn floors() -> BTreeMap<&'static str, u8> {
    FLOORS.iter().copied().chain(TOP).collect()
}

#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// The rooms named in a line of code, as in `crate::db::Text` and `use crate::{http, pages::home}`.
fn rooms_used(text: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        if at > 0
            && text[..at].ends_with(|before: char| {
                before.is_alphanumeric() || before == '_' || before == ':' || before == '$'
            })
        {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        let name = |text: &str| {
            text.trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect::<String>()
        };
        match rest.strip_prefix('{') {
            None => rooms.push(name(rest)),
            Some(list) => {
                // Commas outside of inner braces part the list.
                let (mut depth, mut item) = (0, String::new());
                for c in list.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => rooms.push(name(&std::mem::take(&mut item))),
                        _ => item.push(c),
                    }
                }
                rooms.push(name(&item));
            }
        }
    }
    rooms.retain(|room| !room.is_empty());
    rooms
}

#[test]
fn rooms_are_found_in_every_spelling_of_a_path() {
    assert_eq!(rooms_used("use crate::db::{Database, DbError};"), ["db"]);
    assert_eq!(
        rooms_used("use crate::{http, pages::{a, b}, wire};"),
        ["http", "pages", "wire"]
    );
    assert_eq!(
        rooms_used("fn f(id: crate::reviews::ReviewId) -> crate::wire::Review"),
        ["reviews", "wire"]
    );
    assert_eq!(
        rooms_used("use other_crate::db; pub(crate) fn f()"),
        [] as [&str; 0]
    );
}

#[test]
fn a_room_uses_lower_floors_alone() {
    let floors = floors();
    let mut faults = Vec::new();
    for file in files("src") {
        let Some(room) = file.room() else { continue };
        let Some(floor) = floors.get(room) else {
            faults.push(format!(
                "{}: the room {room} stands on no floor; add it to FLOORS",
                file.name()
            ));
            continue;
        };
        // Joined, so that lists over several lines are read whole; unit tests may look around.
        let code = file
            .code()
            .map(|(_, line)| line)
            .collect::<Vec<_>>()
            .join("\n");
        for used in rooms_used(&code).iter().filter(|used| *used != room) {
            match floors.get(used.as_str()) {
                None => faults.push(format!(
                    "{}: uses crate::{used}, which is no room",
                    file.name()
                )),
                Some(its) if its < floor => {}
                Some(its) => faults.push(format!(
                    "{}: {room} (floor {floor}) uses {used} (floor {its})",
                    file.name()
                )),
            }
        }
    }
    assert_none(&faults);
}

#[test]
fn every_room_of_the_library_has_a_floor_and_its_place_in_the_map() {
    let floors = floors();
    let lib = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let mut last = 0;
    for room in lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "))
        .map(|rest| rest.trim_end_matches(';'))
    {
        let floor = *floors
            .get(room)
            .unwrap_or_else(|| panic!("{room} has no floor"));
        assert!(
            floor >= last,
            "src/lib.rs lists the rooms from the lowest floor up; {room} is out of order"
        );
        last = floor;
    }
}

#[test]
fn sql_stands_in_stores_and_in_the_database_room_alone() {
    let marks = [
        "sqlx::query",
        "query!(",
        "query_as!(",
        "query_scalar!(",
        "query_as_unchecked!(",
        "QueryBuilder",
        "raw_sql",
        "sqlx::migrate!",
    ];
    let mut faults = Vec::new();
    for file in files("src") {
        let is_store = file
            .path
            .components()
            .any(|part| part.as_os_str() == "store")
            || file.path.file_name().is_some_and(|name| name == "store.rs");
        if is_store || file.room() == Some("db") {
            continue;
        }
        for (number, line) in file
            .code()
            .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
        {
            faults.push(format!(
                "{}:{number}: SQL belongs into a store: {}",
                file.name(),
                line.trim()
            ));
        }
    }
    assert_none(&faults);
}

#[test]
fn http_is_known_to_the_upper_floors_alone() {
    let floors = floors();
    let marks = [
        "poem::",
        "poem_openapi::",
        "hyper::",
        "hyper_util::",
        "http::",
        "http_body",
        "reqwest::",
        "axum::",
    ];
    let mut faults = Vec::new();
    for file in files("src") {
        let Some(room) = file.room() else { continue };
        if floors.get(room).is_none_or(|floor| *floor >= HTTP_FLOOR)
            || ["egress", "server"].contains(&room)
        {
            continue;
        }
        for (number, line) in file.code() {
            // A URL's scheme is no path, and shapes are described for poem-openapi.
            let line = line.replace("http://", "");
            let found = marks.iter().find(|mark| {
                line.contains(*mark) && !(room == "wire" && **mark == "poem_openapi::")
            });
            if let Some(mark) = found {
                faults.push(format!(
                    "{}:{number}: {mark} on floor {}",
                    file.name(),
                    floors[room]
                ));
            }
        }
    }
    assert_none(&faults);
}

#[test]
fn only_wire_makes_types_public_shapes() {
    // Deserialize alone reads what others wrote and promises nothing.
    let promises = [
        "Serialize",
        "Object",
        "Enum",
        "Union",
        "NewType",
        "JsonSchema",
    ];
    let mut faults = Vec::new();
    for file in files("src") {
        if file.room() == Some("wire") || file.is_unit_test() {
            continue;
        }
        let code: Vec<(usize, &str)> = file.code().collect();
        for (at, (number, line)) in code.iter().enumerate() {
            if !line.contains("derive(") {
                continue;
            }
            let list: String = code[at..]
                .iter()
                .map(|(_, line)| *line)
                .take_while(|line| !line.contains("struct ") && !line.contains("enum "))
                .collect();
            let derived = list
                .split("derive(")
                .nth(1)
                .and_then(|rest| rest.split(')').next())
                .unwrap_or_default();
            for name in derived
                .split(',')
                .map(|name| name.trim().rsplit("::").next().unwrap_or_default())
            {
                if promises.contains(&name) {
                    faults.push(format!(
                        "{}:{number}: {name} is derived outside of wire",
                        file.name()
                    ));
                }
            }
        }
    }
    assert_none(&faults);
}

#[test]
fn every_file_begins_with_what_it_is() {
    let (src, tests, benches) = (files("src"), files("tests"), files("benches"));
    let headless = |file: &&File| !file.text.starts_with("//! ");
    let faults: Vec<String> = src
        .iter()
        .chain(&tests)
        .chain(&benches)
        .filter(headless)
        .map(File::name)
        .collect();
    assert_none(&faults);
}

#[test]
fn files_stay_small() {
    let too_long = |files: Vec<File>, most: usize| {
        let long = files.into_iter().filter(move |file| {
            file.text.lines().count() > most && !STILL_LONG.contains(&file.name().as_str())
        });
        long.map(move |file| {
            format!(
                "{}: {} lines, at most {most}",
                file.name(),
                file.text.lines().count()
            )
        })
        .collect::<Vec<_>>()
    };
    assert_none(
        &[
            too_long(files("src"), SOURCE_LINES_MAX),
            too_long(files("tests"), TEST_LINES_MAX),
        ]
        .concat(),
    );
}

#[test]
fn names_say_what_a_thing_is() {
    let empty = [
        "utils", "util", "helpers", "helper", "common", "types", "manager", "service", "handler",
        "misc",
    ];
    let faults: Vec<String> = files("src")
        .iter()
        .chain(&files("tests"))
        .filter(|file| {
            let stem = file.path.file_stem().unwrap().to_str().unwrap();
            empty.contains(&stem)
                || file
                    .path
                    .iter()
                    .any(|part| empty.contains(&part.to_str().unwrap()))
        })
        .map(File::name)
        .collect();
    assert_none(&faults);
}

#[test]
fn tests_wait_for_facts() {
    let marks = [
        "tokio::time::sleep",
        "thread::sleep",
        "#[ignore",
        "fn test_",
    ];
    let mut faults = Vec::new();
    for file in files("tests")
        .into_iter()
        .filter(|file| !file.path.ends_with("tests/it/tidy/mod.rs"))
    {
        for (number, line) in file
            .code()
            .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
        {
            faults.push(format!("{}:{number}: {}", file.name(), line.trim()));
        }
    }
    assert_none(&faults);
}

#[test]
fn lists_in_checks_match_the_enums_that_they_mirror() {
    use reviews_service::reviews::Method;
    use reviews_service::snapshot::Document;
    let schema: String = ["0002_review", "0004_publication"]
        .map(|name| {
            fs::read_to_string(format!(
                "{}/migrations/{name}.sql",
                env!("CARGO_MANIFEST_DIR")
            ))
            .unwrap()
        })
        .concat();
    let listed = |names: Vec<&str>| {
        format!(
            "in ({})",
            names
                .iter()
                .map(|name| format!("'{name}'"))
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    assert!(
        schema.contains(&listed(Document::ALL.map(Document::name).to_vec())),
        "publication_document_known"
    );
    assert!(
        schema.contains(&listed(Method::ALL.map(Method::name).to_vec())),
        "review_verification_method_known"
    );
}
