//! Which room may use which, and from which floor up HTTP is known.

use std::collections::BTreeMap;
use std::fs;

use super::{assert_none, files};

/// Every room and its floor. A room uses lower floors and never its own.
const FLOORS: &[(&str, u8)] = &[
    ("bounded_read", 0),
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

/// From here on up, HTTP is known.
const HTTP_FLOOR: u8 = 7;

fn floors() -> BTreeMap<&'static str, u8> {
    FLOORS.iter().copied().chain(TOP).collect()
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
            // The way to a cluster, whose nodes an operator names.
            || file.name().starts_with("src/db/rqlite/")
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
