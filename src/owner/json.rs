//! JSON texts by the paths of their values: the values in them without parsing these, and their positions.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The path of a member.
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The members of an object by name; empty if it is none.
pub fn members(object: &str) -> BTreeMap<String, &str> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(object).unwrap_or_default();
    members
        .into_iter()
        .map(|(name, value)| (name, value.get()))
        .collect()
}

/// The elements of an array; empty if it is none.
pub fn elements(array: &str) -> Vec<&str> {
    let elements: Vec<&RawValue> = serde_json::from_str(array).unwrap_or_default();
    elements.into_iter().map(RawValue::get).collect()
}

/// Line and column (both from 1) of the value at `path`, as `services[1].id`, or of the end of the object that lacks it.
pub fn locate(json: &str, path: &str) -> Option<(usize, usize)> {
    let mut value = serde_json::from_str::<&RawValue>(json).ok()?.get();
    let mut is_there = true;
    for step in path.replace('[', ".").replace(']', "").split('.') {
        let index = step.parse().unwrap_or(usize::MAX);
        let element = elements(value).get(index).copied();
        let Some(inner) = element.or_else(|| members(value).get(step).copied()) else {
            is_there = false;
            break;
        };
        value = inner;
    }
    let start = value.as_ptr() as usize - json.as_ptr() as usize;
    let at = if is_there {
        start
    } else {
        start + value.len() - 1
    };
    let before = &json[..at];
    let line = before.matches('\n').count() + 1;
    Some((line, at - before.rfind('\n').map_or(0, |end| end + 1) + 1))
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_json_path_is_located_by_line() {
        let json = "{\n \"id\": \"a\",\n \"services\": [\n  {\"id\": 1},\n  {\"id\": 2}\n ]\n}";
        assert_eq!(locate(json, "id").map(|at| at.0), Some(2));
        assert_eq!(locate(json, "services[1].id").map(|at| at.0), Some(5));
        assert_eq!(locate(json, "services[0].name").map(|at| at.0), Some(4));
        assert_eq!(locate(json, "name").map(|at| at.0), Some(7));
    }
}
