//! Property tests of imports: the order of a row's fields does not matter.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// The fields of a row: the required ones and some of the others.
fn any_row(id: usize) -> impl Strategy<Value = Vec<(String, Value)>> {
    let needed = (1..=5_i64, 1..=28_u32, "[A-Z][a-z]{1,6}", "[a-z ,\"é]{0,12}").prop_map(
        move |(rating, day, author, text)| {
            vec![
                ("id", json!(format!("r-{id}"))),
                ("rating", json!(rating)),
                ("date", json!(format!("2026-10-{day:02}"))),
                ("author", json!(author)),
                ("text", json!(text)),
            ]
        },
    );
    let others = vec![
        ("title", json!("Tidy")),
        ("language", json!("en")),
        (
            "source",
            json!({"url": "https://a.example/1", "name": "Yelp"}),
        ),
        ("status", json!("withheld")),
        ("withheld_reason", json!("under dispute")),
        (
            "verification",
            json!({"verified": true, "method": "invite"}),
        ),
        ("response", json!({"text": "Thanks.", "date": "2026-11-01"})),
        (
            "mentions",
            json!({"technicians": ["Art"], "services": ["ac"]}),
        ),
        ("updated_at", json!("2026-11-02T00:00:00Z")),
    ];
    let count = others.len();
    (needed, prop::sample::subsequence(others, 0..=count)).prop_map(|(needed, others)| {
        let fields = needed.into_iter().chain(others);
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    })
}

/// Names and values of a row's fields, in file order.
type Row = Vec<(String, Value)>;

fn any_rows() -> impl Strategy<Value = Vec<Vec<(String, Value)>>> {
    (any_row(1), any_row(2), any_row(3)).prop_map(|(one, two, three)| vec![one, two, three])
}

/// Rows, and the same rows with their fields shuffled.
fn any_order() -> impl Strategy<Value = (Vec<Row>, Vec<Row>)> {
    any_rows().prop_flat_map(|rows| {
        let shuffled: Vec<_> = rows
            .iter()
            .map(|row| Just(row.clone()).prop_shuffle())
            .collect();
        (Just(rows), shuffled)
    })
}

fn json_lines(rows: &[Vec<(String, Value)>]) -> String {
    let member =
        |(name, value): &(String, Value)| format!("{}: {value}", Value::from(name.as_str()));
    let line = |row: &Vec<(String, Value)>| {
        format!(
            "{{{}}}\n",
            row.iter().map(member).collect::<Vec<_>>().join(", ")
        )
    };
    rows.iter().map(line).collect()
}

/// All stored data of the reviews, including the digests of their sources.
fn stored(bench: &Bench) -> String {
    let select = |table: &str| bench.sql(&format!("select * from {table} order by 1, 2"));
    ["review", "mention", "review_source", "review_change"]
        .map(select)
        .join("\n")
}

/// This number of cases, or a multiple of it.
pub(super) fn config_of(cases: usize) -> Config {
    Config {
        cases: u32::try_from(rounds(cases)).unwrap(),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Runs `law` for values of `strategy`.
fn for_all<S: Strategy>(
    strategy: &S,
    law: impl Fn(&tokio::runtime::Runtime, S::Value) -> Result<(), TestCaseError>,
) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    TestRunner::new(config_of(12))
        .run(strategy, |value| law(&runtime, value))
        .unwrap();
}

#[test]
fn the_order_of_the_members_in_a_line_does_not_matter() {
    for_all(&any_order(), |runtime, (rows, shuffled)| {
        runtime.block_on(async {
            let bench = bench().await;
            let (first, rejected) = bench.take(json_lines(&rows)).await;
            prop_assert_eq!((counts(&first), rejected.len()), ((3, 0, 0, 0), 0));
            let before = stored(&bench);
            let (second, _) = bench.take(json_lines(&shuffled)).await;
            prop_assert_eq!(counts(&second), (0, 0, 3, 0));
            prop_assert_eq!(stored(&bench), before);
            Ok(())
        })
    });
}
