//! A foreign writer: a plain SQLite connection with the settings of the `sqlite3` shell.
//!
//! Every call opens its own connection, like every call of the shell. It uses the library that the service links, because
//! two libraries in one process would ignore each other's locks.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, OpenFlags, Rows};
use serde_json::{Map, Value};

use super::cluster;

/// The limit of every wait.
const PATIENCE: Duration = Duration::from_mins(1);
/// The time that a foreign writer waits for a lock, like the shell's `.timeout 5000`.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// A backup copies all pages in one step.
const ALL_PAGES: std::ffi::c_int = -1;

/// A connection like the shell's, with foreign keys off; the linked library has them on by default.
pub fn connect(path: &Path) -> Connection {
    let connection =
        Connection::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    connection.busy_timeout(BUSY_TIMEOUT).unwrap();
    let set = connection.pragma_update(None, "foreign_keys", false);
    set.unwrap();
    connection
}

/// Runs `sql` and returns the rows as the shell prints them: `|` between columns, a line for each row, null as "".
///
/// # Panics
/// With SQLite's message if a statement fails; see [`refused`].
#[track_caller]
pub fn sqlite3(path: &Path, sql: &str) -> String {
    run(path, sql).unwrap_or_else(|error| panic!("{error}\n{sql}"))
}

/// Runs `sql`, which SQLite refuses, and returns its message.
#[track_caller]
pub fn refused(path: &Path, sql: &str) -> String {
    match run(path, sql) {
        Ok(printed) => panic!("not refused: {sql}\n{printed}"),
        Err(error) => error.to_string(),
    }
}

/// The rows of a query as objects, with a member for each column.
pub fn rows(path: &Path, query: &str) -> Vec<Value> {
    let mut objects = Vec::new();
    let connection = match cluster::api_of(path) {
        Some(_) => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap(),
        None => connect(path),
    };
    let done = each_result(&connection, query, |rows| {
        let names = rows.as_ref().unwrap().column_names();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        while let Some(row) = rows.next()? {
            let values = (0..).map(|at| json(row.get_ref_unwrap(at)));
            let members: Map<_, _> = names.iter().cloned().zip(values).collect();
            objects.push(Value::Object(members));
        }
        Ok(())
    });
    done.unwrap_or_else(|error| panic!("{error}\n{query}"));
    objects
}

/// Every row of every table, those of the text index included, for comparing two states of a database.
pub fn contents(path: &Path) -> String {
    let names = "select name from sqlite_schema where type = 'table' order by name";
    let mut text = String::new();
    for name in sqlite3(path, names).lines() {
        let rows = sqlite3(path, &format!("select * from \"{name}\""));
        text += &format!("{name}\n{rows}\n");
    }
    text
}

/// Copies the database at `path` to a new file while others use it, like the shell's `.backup`.
pub fn back_up(path: &Path, to: &Path) {
    copy(&connect(path), &mut Connection::open(to).unwrap());
}

/// Copies the pages of the database at `from` into the one at `path` while others use it, like the shell's `.restore`.
pub fn restore(path: &Path, from: &Path) {
    copy(&Connection::open(from).unwrap(), &mut connect(path));
}

fn copy(from: &Connection, to: &mut Connection) {
    let step = Backup::new(from, to).unwrap().step(ALL_PAGES).unwrap();
    assert_eq!(step, StepResult::Done, "the database was locked");
}

/// Waits until `query` returns `expected`, for processes that report their work in no other way.
#[expect(
    clippy::disallowed_methods,
    reason = "another process has no clock that a test could move"
)]
pub fn wait_for_rows(path: &Path, query: &str, expected: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let output = sqlite3(path, query);
        if output == expected {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "{query}: {output}, not {expected}"
        );
        // Without a pause, the queries would take the processor that the process needs.
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

fn run(path: &Path, sql: &str) -> rusqlite::Result<String> {
    assert!(
        !sql.starts_with('.'),
        "dot commands need the shell: use `refused`, `back_up`, `restore`"
    );
    if let Some(api) = cluster::api_of(path) {
        return run_on_cluster(path, api, sql);
    }
    let mut printed = String::new();
    each_result(&connect(path), sql, |rows| print(rows, &mut printed))?;
    printed.truncate(printed.trim_end().len());
    Ok(printed)
}

/// The same for a file of rqlited: writes use its API, with the statements between `begin` and `commit` as one transaction;
/// reads use the file.
fn run_on_cluster(path: &Path, api: u16, sql: &str) -> rusqlite::Result<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let failure =
        |failure| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(1), Some(failure));
    let (mut printed, mut open) = (String::new(), None::<Vec<String>>);
    let mut batch = Batch::new(&connection, sql);
    while let Some(mut statement) = batch.next()? {
        let text = statement.expanded_sql().unwrap_or_default();
        let text = text.trim().to_owned();
        let first = text.split([' ', ';']).next();
        let first = first.unwrap_or_default().to_lowercase();
        match (first.as_str(), &mut open) {
            ("begin", None) => open = Some(Vec::new()),
            ("commit", Some(_)) => {
                let all = open.take().unwrap_or_default();
                cluster::execute(api, &all).map_err(failure)?;
            }
            (_, Some(all)) => all.push(text),
            (_, None) if statement.readonly() => print(&mut statement.raw_query(), &mut printed)?,
            (_, None) => cluster::execute(api, &[text]).map_err(failure)?,
        }
    }
    printed.truncate(printed.trim_end().len());
    Ok(printed)
}

fn print(rows: &mut Rows<'_>, printed: &mut String) -> rusqlite::Result<()> {
    let columns = rows.as_ref().unwrap().column_count();
    while let Some(row) = rows.next()? {
        let cells: Vec<String> = (0..columns)
            .map(|at| text(row.get_ref_unwrap(at)))
            .collect();
        writeln!(printed, "{}", cells.join("|")).unwrap();
    }
    Ok(())
}

fn each_result(
    connection: &Connection,
    sql: &str,
    mut take: impl FnMut(&mut Rows<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut batch = Batch::new(connection, sql);
    while let Some(mut statement) = batch.next()? {
        take(&mut statement.raw_query())?;
    }
    Ok(())
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Real(number) => format!("{number:?}"),
        other => match json(other) {
            Value::Null => String::new(),
            Value::String(text) => text,
            number => number.to_string(),
        },
    }
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    }
}
