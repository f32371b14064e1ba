//! Questions that owners and customers ask, answered by one call each: the figure is the one that a query of the file gives, the
//! message is small, and what it quotes has a permalink that answers.

use super::*;
use crate::support::{BASE, sqlite3, str_of};

/// Maximum size of an answer in bytes: an overview has 8 KiB, as text and as structured content.
const ANSWER_BYTES_MAX: usize = 16_384;

/// The question, the tool with its arguments, where the answer has the figure, and the query of the file. `$P` is the condition of
/// published reviews; `$NAMED` has a row for each review and each name that it mentions.
const QUESTIONS: &str = include_str!("questions.txt");
const PUBLISHED: &str = "status = 'published'";
const NAMED: &str = "review join (select review_id, kind, value from mention
    union select review_id, kind, value from derived_mention) using (review_id)";

/// The value at a path; an element of a list by its number or its ID.
fn figure(answer: &Value, path: &str) -> String {
    let found = path.split('/').skip(1).fold(answer, |value, part| {
        let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let by_id = elements.iter().find(|element| element["id"] == part);
        let by_number = part.parse().ok().and_then(|at: usize| elements.get(at));
        by_id.or(by_number).unwrap_or(&value[part])
    });
    let text = found.as_str().map(str::to_owned);
    text.unwrap_or_else(|| found.to_string())
}

/// The permalinks in an answer.
fn permalinks(answer: &Value) -> Vec<&str> {
    match answer {
        Value::Array(elements) => elements.iter().flat_map(permalinks).collect(),
        Value::Object(members) => {
            let links = members.get("url").and_then(Value::as_str).into_iter();
            let links = links.filter_map(|url| url.strip_prefix(BASE));
            let links = links.filter(|path| path.starts_with("/reviews/"));
            links.chain(members.values().flat_map(permalinks)).collect()
        }
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn fifty_questions_are_answered_with_the_figures_of_the_file() {
    let tools = Tools::seeded().await;
    let (mut faults, path) = (Vec::new(), tools.app.path());
    let questions = table(QUESTIONS);
    assert_eq!(questions.len(), 50);
    for [question, tool, arguments, place, query] in questions {
        let arguments = serde_json::from_str(arguments).unwrap();
        let (bytes, result) = tools.wire_result(tool, arguments).await;
        let answer = &result["structuredContent"];
        let text = str_of(&result["content"][0]["text"]);
        assert_eq!(text.parse::<Value>().unwrap(), *answer, "{question}");
        let query = query.replace("$P", PUBLISHED).replace("$NAMED", NAMED);
        let (shown, expected) = (figure(answer, place), sqlite3(&path, &query));
        if shown != expected.trim_end_matches('\n') || expected.is_empty() {
            faults.push(format!("{question} {shown}, but the file has {expected}"));
        }
        if bytes > ANSWER_BYTES_MAX {
            faults.push(format!("{question} has an answer of {bytes} bytes"));
        }
        for permalink in permalinks(answer) {
            assert_eq!(tools.app.get(permalink).await.status, 200, "{permalink}");
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
