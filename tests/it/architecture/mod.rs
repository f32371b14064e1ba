//! Rules of `docs/ARCHITECTURE.md` that the compiler does not check: which module may use which, and where SQL is.

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
    let mut faults = Vec::new();
    for file in sources() {
        let name = file.name();
        let is_store = name.ends_with("/store.rs") || name.contains("/store/");
        if is_store || file.module() == Some("storage") {
            continue;
        }
        for (number, line) in file.code() {
            if marks.split(' ').any(|mark| line.contains(mark)) {
                faults.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert_none(&faults);
}
