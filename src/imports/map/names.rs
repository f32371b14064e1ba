//! The exact names of fields (`names.toml`), by which a column of any table or JSON is known without asking.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::imports::map::ReviewField;
use crate::imports::map::values::header_key;
use crate::model::parse_toml;

/// The file `names.toml`.
pub static NAMES: LazyLock<HashMap<String, ReviewField>> = LazyLock::new(|| {
    let lists: BTreeMap<ReviewField, String> = parse_toml(include_str!("names.toml"));
    let key = |(field, list): (ReviewField, String)| {
        let keys: Vec<_> = list
            .split(", ")
            .map(|name| (header_key(name), field))
            .collect();
        keys
    };
    lists.into_iter().flat_map(key).collect()
});

/// The field of which a header is an exact name. The number of a question, marks at the end, and brackets at the end that hold words or
/// `1-5` do not count.
pub fn named_field(header: &str) -> Option<ReviewField> {
    let marks = ['.', '?', '!', '*', ':', ' '];
    let mut name = header.trim().trim_end_matches(marks);
    let number = name.split_once(' ').filter(|(number, _)| {
        let digits = number
            .trim_start_matches(['Q', 'q'])
            .strip_suffix(['.', ')', ':']);
        digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    });
    name = number.map_or(name, |(_, rest)| rest.trim_start());
    let whole = NAMES.get(&header_key(name));
    let within = || {
        let (before, inside) = name.strip_suffix([')', ']'])?.rsplit_once(['(', '['])?;
        let is_scale = ["1-5", "1 - 5", "1–5"].contains(&inside.trim());
        let has_digit = inside.contains(|c: char| c.is_ascii_digit());
        (is_scale || !has_digit).then(|| NAMES.get(&header_key(before.trim_end_matches(marks))))?
    };
    whole.or_else(within).copied()
}
