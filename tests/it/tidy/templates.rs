//! Templates are named by one scheme: a struct `…Page` is a whole document, `…Fragment` a part of
//! one, and the file is called like the struct.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{assert_none, files};

const FOLDER: &str = "src/pages/templates";
/// What all documents extend.
const BASE: &str = "base.html";

/// `AspectRowFragment` is in `aspect_row_fragment.html`.
fn file_of(name: &str) -> String {
    let mut file = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !file.is_empty() {
            file.push('_');
        }
        file.extend(c.to_lowercase());
    }
    file + ".html"
}

#[test]
fn templates_are_pages_or_fragments_and_called_like_their_structs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let mut unused: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    unused.remove(BASE);
    let mut faults = Vec::new();
    for file in files("src/pages") {
        for part in file.text.split("#[template(path = \"").skip(1) {
            let (path, rest) = part.split_once('"').unwrap();
            let name = rest.split_once("struct ").unwrap().1;
            let name = name.split([' ', ';', '(', '<']).next().unwrap();
            let text = fs::read_to_string(folder.join(path)).unwrap_or_default();
            let is_document = text.starts_with("{% extends") || text.starts_with("<!DOCTYPE");
            let suffix = if is_document { "Page" } else { "Fragment" };
            if !name.ends_with(suffix) || file_of(name) != path {
                faults.push(format!("{}: {name} in {path}", file.name()));
            }
            unused.remove(path);
        }
    }
    faults.extend(
        unused
            .into_iter()
            .map(|path| format!("{path} is no struct's")),
    );
    assert_none(&faults);
}
