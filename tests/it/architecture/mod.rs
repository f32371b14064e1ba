//! Rules of `docs/ARCHITECTURE.md` that the compiler does not check: which module may use which, and where SQL, HTTP types
//! and public JSON types are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::documented::files_below;

/// A source file: its path from the root of the package, and its text.
struct File {
    path: PathBuf,
    text: String,
}

impl File {
    /// `snapshot` for `src/snapshot/publisher.rs`; "" for `src/main.rs` and `src/lib.rs`.
    fn module(&self) -> Option<&str> {
        let name = self.path.iter().nth(1)?.to_str()?;
        let name = name.trim_end_matches(".rs");
        (!["main", "lib"].contains(&name)).then_some(name)
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The lines of code, numbered from one, without comments and the unit tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines());
        let lines = lines.take_while(|(_, line)| *line != "#[cfg(test)]");
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// These lines as one text.
    fn code_text(&self) -> String {
        self.code().flat_map(|(_, line)| [line, "\n"]).collect()
    }
}

fn sources() -> Vec<File> {
    let mut files = Vec::new();
    for (path, text) in files_below("src") {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
            let path = path.to_owned();
            files.push(File { path, text });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Fails for every line of code outside `allowed` that contains one of `marks`.
#[track_caller]
fn assert_only_in(allowed: impl Fn(&File) -> bool, marks: &[&str]) {
    let mut faults = Vec::new();
    for file in sources().iter().filter(|file| !allowed(file)) {
        for (number, line) in file.code() {
            if marks.iter().any(|mark| line.contains(mark)) {
                faults.push(format!("{}:{number}: {}", file.name(), line.trim()));
            }
        }
    }
    assert_none(&faults);
}

/// The modules of `src/lib.rs` in order.
fn order() -> Vec<&'static str> {
    let lines = include_str!("../../../src/lib.rs").lines();
    let modules = lines.filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
    modules.collect()
}

/// The names after `crate::`, and all names in the braces of `crate::{…}`.
fn modules_used(code: &str) -> Vec<&str> {
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    let mut used = Vec::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            Some(list) => used.extend(list.split(';').next().unwrap_or_default().split(is_other)),
            None => used.extend(path.split(is_other).next()),
        }
    }
    used
}

#[test]
fn a_module_uses_those_before_it_in_lib_rs() {
    let order = order();
    let place = |module: &str| order.iter().position(|other| *other == module);
    for file in sources() {
        let Some(module) = file.module() else {
            continue;
        };
        for used in modules_used(&file.code_text()) {
            let is_before = used == module || place(used) < place(module);
            assert!(is_before, "{}: {module} uses {used}", file.name());
        }
    }
}

/// The paths of a `use` declaration's tree: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let (mut outer, mut path, mut paths) = (Vec::new(), String::new(), Vec::new());
    for c in tree.chars().filter(|c| !c.is_whitespace()).chain([',']) {
        match c {
            '{' => outer.push(path.clone()),
            ',' | '}' => {
                if !path.is_empty() && !path.ends_with("::") {
                    paths.push(path);
                }
                if c == '}' {
                    outer.pop();
                }
                path = outer.last().cloned().unwrap_or_default();
            }
            _ => path.push(c),
        }
    }
    paths
}

/// The file of `files` that defines, or exports again, the item at `path`, which is imported in `file`.
fn imported_file<'a>(files: &'a BTreeSet<String>, file: &str, path: &str) -> Option<&'a String> {
    let (mut module, mut item) = (file, path.trim_start_matches("self::"));
    while let Some(rest) = item.strip_prefix("super::") {
        (module, item) = (
            module.rsplit_once("::").map_or("", |(outer, _)| outer),
            rest,
        );
    }
    let absolute = match item.strip_prefix("crate::") {
        Some(absolute) => absolute.to_owned(),
        None => format!("{module}::{item}"),
    };
    std::iter::successors(Some(absolute.as_str()), |path| {
        Some(path.rsplit_once("::")?.0)
    })
    .find_map(|module| files.get(module))
}

#[test]
fn files_of_a_module_import_each_other_in_no_circle() {
    let sources: BTreeMap<String, File> = sources()
        .into_iter()
        .filter(|file| file.module().is_some())
        .map(|file| {
            let path = file.path.with_extension("");
            let names = path.iter().skip(1).filter_map(|name| name.to_str());
            let names: Vec<&str> = names.filter(|name| *name != "mod").collect();
            (names.join("::"), file)
        })
        .collect();
    let files: BTreeSet<String> = sources.keys().cloned().collect();
    let mut imports: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (name, file) in &sources {
        let code = file.code_text();
        let trees = code.split(';').filter_map(|statement| {
            let (visibility, tree) = statement.trim_start_matches('\n').split_once("use ")?;
            let visibilities = ["", "pub ", "pub(crate) ", "pub(super) "];
            visibilities.contains(&visibility).then_some(tree)
        });
        let paths = trees.flat_map(paths);
        let imported = paths.filter_map(|path| imported_file(&files, name, &path));
        let module = |name: &str| name.split("::").next().map(str::to_owned);
        let of_module = imported.filter(|other| *other != name && module(other) == module(name));
        imports.insert(name, of_module.collect());
    }
    // Files that import none of those left are in no circle.
    while let Some(free) = imports
        .iter()
        .find(|(_, imported)| !imported.iter().any(|other| imports.contains_key(other)))
        .map(|(name, _)| *name)
    {
        imports.remove(free);
    }
    let left = imports.iter().flat_map(|(name, imported)| {
        let circle = imported.iter().filter(|other| imports.contains_key(*other));
        circle.map(move |other| format!("{name} imports {other}"))
    });
    assert_none(&left.collect::<Vec<_>>());
}

#[test]
fn sql_is_only_in_storage_and_stores() {
    let marks = "sqlx::query query!( query_as!( query_scalar!( QueryBuilder raw_sql sqlx::migrate!";
    let marks: Vec<&str> = marks.split(' ').collect();
    let is_store = |file: &File| {
        file.module() == Some("storage")
            || file.name().ends_with("/store.rs")
            || file.name().contains("/store/")
    };
    assert_only_in(is_store, &marks);
}

#[test]
fn only_web_later_modules_and_http_clients_use_http_types() {
    let order = order();
    let place = |module: &str| order.iter().position(|other| *other == module);
    assert_only_in(
        |file| {
            file.module().is_none_or(|module| place(module) >= place("web"))
                || file.name() == "src/http.rs"
                || file.name().starts_with("src/websub/http_client/")
                // Its addresses are the owner's.
                || file.name().starts_with("src/sync/")
                // The operator names its nodes.
                || file.name() == "src/storage/cluster/client.rs"
                // Finished header fields, which only `web` sends.
                || file.name() == "src/snapshot/coding.rs"
                // The cryptography of the clients.
                || file.name() == "src/config/mod.rs"
        },
        &[
            "use poem::",
            " poem::",
            "hyper::",
            "hyper_util::",
            "http_body",
            "reqwest::",
        ],
    );
}

#[test]
fn only_wire_and_model_define_public_json_types() {
    // Staged or stored JSON rows and log lines also derive `Serialize`; the OpenAPI document has none of them.
    let is_stored = |file: &File| {
        ["imports", "insights"].contains(&file.module().unwrap_or_default())
            || file.name() == "src/cli/logging.rs"
            // Former values, by which an import is undone.
            || ["src/storage/reviews/rows.rs", "src/storage/reviews/runs.rs", "src/storage/reviews/source.rs", "src/storage/formats.rs"].contains(&file.name().as_str())
    };
    let mut faults = Vec::new();
    for file in sources()
        .iter()
        .filter(|file| !["wire", "model"].contains(&file.module().unwrap_or_default()))
    {
        for (number, line) in file.code().filter(|(_, line)| line.contains("derive(")) {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            let is_public = ["Object", "Enum", "Union", "NewType"]
                .iter()
                .any(|name| words.contains(name));
            if is_public || words.contains(&"Serialize") && !is_stored(file) {
                faults.push(format!("{}:{number}: {}", file.name(), line.trim()));
            }
        }
    }
    assert_none(&faults);
}
