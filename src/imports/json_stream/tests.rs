//! Elements are found as they stand, and what is broken is named by its place.

use std::io::BufReader;

use super::{ELEMENT_BYTES_MAX, Met, each};

/// What is found, read through a buffer of `buffer` bytes.
fn found(json: &str, path: &str, buffer: usize) -> Result<Vec<String>, String> {
    let mut input = BufReader::with_capacity(buffer, json.as_bytes());
    let path: Vec<String> = path
        .split('.')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    let mut found = Vec::new();
    let take = &mut |met: Met<'_>| {
        found.push(match met {
            Met::Element(element) => format!(
                "{}@{} {}",
                element.index,
                element.line,
                String::from_utf8_lossy(element.text)
            ),
            Met::Beside(text) => format!("beside {}", String::from_utf8_lossy(text)),
        });
        Ok(())
    };
    each(&mut input, &path, Some("business"), take).map_err(|fault| fault.to_string())?;
    Ok(found)
}

#[test]
fn elements_are_found_whatever_the_size_of_the_buffer() {
    let json = "{\"a\": [1, {\"r\": \"}]\\\"\"}],\n \"business\": {\"n\": 1},\n \"d\": {\"x\": null, \"r\": [\n {\"t\": \"[\\\\\"}\n, 7, \"s\"]}}";
    for buffer in [1, 2, 7, 4096] {
        let expected = [
            "beside {\"n\": 1}",
            "0@4 {\"t\": \"[\\\\\"}",
            "1@5 7",
            "2@5 \"s\"",
        ];
        assert_eq!(found(json, "d.r", buffer).unwrap(), expected, "{buffer}");
        assert_eq!(
            found("[{}, [1]]", "", buffer).unwrap(),
            ["0@1 {}", "1@1 [1]"]
        );
        assert_eq!(
            found("{\"a\":\n1}\n\n{\"a\":2}", "", buffer).unwrap(),
            ["0@1 {\"a\":\n1}", "1@4 {\"a\":2}"]
        );
        assert_eq!(found("{\"d\": 5}", "d.r", buffer).unwrap(), [] as [&str; 0]);
    }
}

#[test]
fn what_is_cut_off_or_broken_is_named_by_line_and_column() {
    for (json, said) in [
        (
            "{\"d\": {\"r\": [{\"a\": 1},\n {\"a\": ",
            "line 2, column 8: the JSON is broken (the file ends in the middle of a value)",
        ),
        ("{\"d\": {\"r\": [{} {}]}}", "`,` or `]` is missing"),
        ("{\"d\": {\"r\": [{}]", "`,` or `}` is missing"),
        ("{d: 1}", "a member's name in \"quotes\" is missing"),
        ("{\"d\" 1}", "`:` is missing"),
        ("  ", "nothing but blanks"),
    ] {
        let fault = found(json, "d.r", 4096).unwrap_err();
        assert!(fault.contains(said), "{json}: {fault}");
    }
}

#[test]
fn an_element_is_kept_up_to_its_bound_and_the_next_is_whole() {
    let json = format!("[\"{}\", 2]", "x".repeat(3 * ELEMENT_BYTES_MAX));
    let mut seen = Vec::new();
    each(&mut json.as_bytes(), &[], None, &mut |met| {
        if let Met::Element(element) = met {
            seen.push((element.index, element.text.len(), element.is_whole));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, [(0, ELEMENT_BYTES_MAX, false), (1, 1, true)]);
}
