//! Where SQL and public shapes may stand, and which lists mirror which.

use std::fs;

use super::{assert_none, files};

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
