//! Files inside a module form no import cycle, `mod.rs` included, so you can read each file before the files that use it.
//! The check follows re-exports to the file that defines a name. Declaring or re-exporting a child is not a use of it.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, assert_none, sources};

/// A module of the library: its path, as in `["db", "error"]`, and the content of its file.
struct Module {
    path: Vec<String>,
    /// Every path that it names, from the root of the crate.
    uses: BTreeSet<Vec<String>>,
    /// Its re-exports and imports by name.
    names: BTreeMap<String, Vec<String>>,
}

fn module_path(file: &File) -> Vec<String> {
    let mut parts: Vec<String> = file
        .path
        .iter()
        .skip(1)
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    let last = parts.pop().unwrap();
    if !["mod.rs", "lib.rs", "main.rs"].contains(&last.as_str()) {
        parts.push(last.trim_end_matches(".rs").to_owned());
    }
    parts
}

/// The tokens of code without comments and strings: names, `::`, and single characters.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    tokens
}

/// The path from the root of the crate for a path written in `module`; `None` if it leaves the crate.
fn absolute(module: &[String], written: &[&str]) -> Option<Vec<String>> {
    let mut path: Vec<String> = match *written.first()? {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module[..module.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    for name in &written[1..] {
        if *name == "super" {
            path.pop()?;
        } else if *name != "self" {
            path.push((*name).to_owned());
        }
    }
    Some(path)
}

/// Reads one tree of a `use` from `at`, below `prefix`; returns the named paths and the end.
fn tree<'a>(
    tokens: &[&'a str],
    mut at: usize,
    prefix: &[&'a str],
    take: &mut impl FnMut(Vec<&'a str>, &'a str),
) -> usize {
    let mut path = prefix.to_vec();
    while at < tokens.len() {
        match tokens[at] {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    let next = tree(tokens, at, &path, take);
                    // A string may look like a `use`.
                    if next == at && tokens[at] != "," {
                        return at;
                    }
                    at = next + usize::from(tokens.get(next) == Some(&","));
                }
                return at + 1;
            }
            "::" => at += 1,
            "as" => {
                take(path, tokens[at + 1]);
                return at + 2;
            }
            "," | "}" | ";" => break,
            name => {
                path.push(name);
                at += 1;
            }
        }
    }
    let name = path.last().copied().unwrap_or_default();
    take(path, name);
    at
}

fn module(file: &File) -> Module {
    let path = module_path(file);
    let code = file
        .code()
        .map(|(_, line)| line.split(" // ").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let tokens = tokens(&code);
    let (mut uses, mut names) = (BTreeSet::new(), BTreeMap::new());
    let children: BTreeSet<&str> = tokens
        .windows(3)
        .filter(|three| three[0] == "mod" && three[2] == ";")
        .map(|three| three[1])
        .collect();
    // A child can be named without `self`.
    let target = |written: &[&str]| match written.first() {
        Some(first) if children.contains(first) => absolute(&path, &[&["self"], written].concat()),
        _ => absolute(&path, written),
    };
    let mut at = 0;
    while at < tokens.len() {
        // `impl Trait + use<>` lists captured lifetimes, and a string may contain the word; neither is an import.
        let begins = at == 0 || [";", "}", "{", "pub", ")", "]"].contains(&tokens[at - 1]);
        if tokens[at] == "use" && begins {
            let is_re_export = at > 0 && ["pub", ")"].contains(&tokens[at - 1]);
            at = tree(&tokens, at + 1, &[], &mut |written, name| {
                if let Some(target) = target(&written) {
                    names.insert(name.to_owned(), target.clone());
                    // A re-export is not a use.
                    let is_named = || tokens.iter().filter(|token| **token == name).count() > 1;
                    if !is_re_export || is_named() {
                        uses.insert(target);
                    }
                }
            });
        } else if (["crate", "super", "self"].contains(&tokens[at])
            || children.contains(tokens[at]))
            && tokens.get(at + 1) == Some(&"::")
            && (at == 0 || tokens[at - 1] != "::")
        {
            let mut written = vec![tokens[at]];
            while tokens.get(at + 1) == Some(&"::")
                && tokens
                    .get(at + 2)
                    .is_some_and(|next| next.starts_with(char::is_alphabetic))
            {
                written.push(tokens[at + 2]);
                at += 2;
            }
            uses.extend(target(&written));
            at += 1;
        } else {
            at += 1;
        }
    }
    Module { path, uses, names }
}

/// The module that defines what `path` names, through re-exports.
fn defines<'a>(
    modules: &'a BTreeMap<Vec<String>, Module>,
    path: &[String],
    depth: usize,
) -> Option<&'a Module> {
    let at = (0..=path.len())
        .rev()
        .find(|length| modules.contains_key(&path[..*length]))?;
    let module = &modules[&path[..at]];
    let Some(name) = path.get(at) else {
        return Some(module);
    };
    match module.names.get(name) {
        Some(target) if depth > 0 && target != path => {
            let target = [target.as_slice(), &path[at + 1..]].concat();
            defines(modules, &target, depth - 1)
        }
        _ => Some(module),
    }
}

/// Groups of files that use each other, each sorted.
fn cycles(files: &[File]) -> Vec<Vec<String>> {
    let modules: BTreeMap<Vec<String>, Module> = files
        .iter()
        .map(module)
        .map(|one| (one.path.clone(), one))
        .collect();
    let mut edges: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for module in modules.values().filter(|module| !module.path.is_empty()) {
        let targets = module
            .uses
            .iter()
            .filter_map(|path| defines(&modules, path, 8));
        let targets = targets
            .map(|target| target.path.as_slice())
            .filter(|target| {
                *target != module.path
                    && !target.is_empty()
                    && target.first() == module.path.first()
            });
        edges.insert(&module.path, targets.collect());
    }
    let reaches = |from: &[String]| {
        let (mut seen, mut next): (BTreeSet<&[String]>, Vec<&[String]>) =
            (BTreeSet::new(), Vec::new());
        next.extend(edges.get(from).into_iter().flatten());
        while let Some(one) = next.pop() {
            if seen.insert(one) {
                next.extend(edges.get(one).into_iter().flatten());
            }
        }
        seen
    };
    let reach: BTreeMap<&[String], BTreeSet<&[String]>> =
        edges.keys().map(|one| (*one, reaches(one))).collect();
    let mut cycles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (one, reached) in reach.iter().filter(|(one, reached)| reached.contains(*one)) {
        let cycle = reached.iter().filter(|other| reach[*other].contains(one));
        cycles.insert(cycle.map(|path| path.join("/")).collect());
    }
    cycles.into_iter().collect()
}

#[test]
fn files_of_a_module_form_no_import_cycle() {
    assert_none(
        &cycles(&sources())
            .into_iter()
            .map(|cycle| format!("a cycle of imports: {}", cycle.join(" -> ")))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn a_cycle_through_a_re_export_is_found_and_a_chain_is_not_a_cycle() {
    let file = |path: &str, text: &str| File {
        path: path.into(),
        text: text.to_owned(),
    };
    let parent = file(
        "src/room/mod.rs",
        "mod one;\nmod two;\nmod three;\npub use two::{Two, other};\npub struct Shared;",
    );
    let one = file(
        "src/room/one.rs",
        "use super::{Shared, Two};\nuse super::three::Three;",
    );
    let two = file(
        "src/room/two.rs",
        "fn two() { crate::room::one::one() }\n// use super::three;",
    );
    let three = file(
        "src/room/three.rs",
        "use super::Shared;\n#[cfg(test)]\nmod tests { use super::super::one; }",
    );
    assert_eq!(
        cycles(&[parent, one, two, three]),
        [["room/one", "room/two"]]
    );
    let both = [
        file(
            "src/p/mod.rs",
            "mod b;\npub struct Shared;\nfn parent() { b::child() }",
        ),
        file("src/p/b.rs", "use super::Shared;"),
    ];
    assert_eq!(cycles(&both), [["p", "p/b"]]);
    let line = [
        file("src/a/mod.rs", "mod b; mod c;"),
        file("src/a/b.rs", "use super::c::C;"),
        file("src/a/c.rs", "pub struct C;"),
    ];
    assert_eq!(cycles(&line), [] as [Vec<String>; 0]);
}
