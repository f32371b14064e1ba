//! Laws: after any edits in any order, a snapshot depends only on the current reviews.

use std::collections::HashSet;

use super::*;

/// Enough reviews for several segments.
const REVIEWS: usize = 500;
const ROUNDS: usize = 20;
/// The number of possible IDs: those of existing reviews and some others.
const NUMBERS: usize = 560;

/// A possible ID. Every eighth one ends its segment.
fn id(generator: &mut Generator) -> String {
    let number = generator.below(NUMBERS);
    if generator.once_in(8) {
        ending(number % 12)
    } else {
        format!("r-{number:05}")
    }
}

/// The ID with this number among those that end a segment.
fn ending(number: usize) -> String {
    let ids = (0..).map(|suffix| format!("end-{suffix}"));
    let mut endings = ids.filter(|id| ends_segment(id));
    endings.nth(number).unwrap()
}

/// Edits of the tables; DIGITS are three digits of an ID, and NAME is `T` and a number.
const EDITS: &str = "
    insert or replace ROW
    insert or ignore ROW
    insert or ignore ROW
    delete from review where review_id = 'ONE'
    delete from review where review_id glob 'r-DIGITS*'
    update or replace review set review_id = 'OTHER' where review_id = 'ONE'
    update or ignore review set review_id = 'OTHER' where review_id = 'ONE'
    update review set reviewed_on = 'DAY' where review_id = 'ONE'
    update review set rating = STARS, text = 'TEXT' where review_id in ('ONE', 'OTHER')
    update review set status = 'withheld', withheld_reason = 'rSTARS' where review_id = 'ONE'
    update review set status = 'published' where status = 'withheld' and rating > 2
    insert or ignore into mention values ('ONE', 'service', 'drain'), ('OTHER', 'technician', 'T STARS')
    delete from mention where review_id = 'ONE'; delete from mention where value = 'T STARS'
    replace into business (business_id, name) values ('b', 'Name STARS')
    replace into editorial_faq (faq_id, question, answer) values ('qSTARS', 'Why?', 'Since DAY.')
    update review set reviewed_on = 'DAY' where review_id glob 'r-DIGITS*'
";

/// A random edit of the tables.
fn edit(generator: &mut Generator) -> String {
    let [edit] = generator.pick(&table(EDITS));
    let row = "into review (review_id, rating, reviewed_on, author, text) values ('ONE', STARS, 'DAY', 'S', 'TEXT')";
    let values = [
        ("ROW", row.to_owned()),
        ("ONE", id(generator)),
        ("OTHER", id(generator)),
        ("DAY", generator.day().to_string()),
        ("STARS", (1 + generator.below(5)).to_string()),
        ("DIGITS", format!("{:03}", generator.below(60))),
        ("TEXT", generator.text(30).replace('\'', "''")),
    ];
    let fill = |edit: String, (name, value): &(&str, String)| edit.replace(name, value);
    values.iter().fold(edit.to_owned(), fill)
}

/// The snapshot after `previous`, or `previous` if nothing changed.
async fn next(rig: &PublisherRig, previous: Snapshot) -> Snapshot {
    rig.publisher
        .next(&previous)
        .await
        .unwrap()
        .unwrap_or(previous)
}

/// Every review is found by its ID, and deleted ones are not.
fn check_index(snapshot: &Snapshot) {
    let entries = &snapshot.input.entries;
    let dataset: Value = serde_json::from_slice(&bytes(snapshot, Document::Reviews)).unwrap();
    let reviews = array_of(&dataset["reviews"]);
    assert_eq!(reviews.len(), entries.len());
    let find = |id: &str| entries.find(&id.parse().unwrap());
    for review in reviews {
        let at = find(str_of(&review["id"])).expect("every review is found");
        let json = entries.json(at).0;
        assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), *review);
        let url = links().review(entries[at].id().as_str());
        let value = PublishedReview::new(&entries[at].review, url);
        assert_eq!(serde_json::to_value(value).unwrap(), *review);
    }
    let known: HashSet<&str> = reviews.iter().map(|review| str_of(&review["id"])).collect();
    let numbered = (0..NUMBERS).map(|number| format!("r-{number:05}"));
    for id in numbered.chain((0..12).map(ending)) {
        assert_eq!(find(&id).is_some(), known.contains(id.as_str()), "{id}");
    }
}

async fn check_sequence(seed: u64) {
    let rig = PublisherRig::open().await;
    let mut generator = Generator::new(seed);
    rig.write(&generator.reviews(REVIEWS)).await;
    let mut snapshot = rig.fresh().await;
    assert!(snapshot.input.entries.segments().len() > 2, "the premise");
    for round in 0..ROUNDS {
        let count = 1 + generator.below(4);
        let edits: Vec<String> = (0..count).map(|_| edit(&mut generator)).collect();
        rig.run(&edits.join(";")).await;
        snapshot = next(&rig, snapshot).await;
        let label = format!("seed {seed}, round {round}: {edits:#?}");
        assert_same(&snapshot, &rig.fresh().await, &label);
    }
    check_index(&snapshot);
    // All remaining reviews are deleted, and added again.
    rig.run("delete from review").await;
    snapshot = next(&rig, snapshot).await;
    assert_same(&snapshot, &rig.fresh().await, "the end");
    assert!(snapshot.input.entries.is_empty());
    rig.write(&Generator::new(seed).reviews(3)).await;
    snapshot = next(&rig, snapshot).await;
    assert_same(&snapshot, &rig.fresh().await, "a new beginning");
}

#[tokio::test]
async fn any_sequence_of_edits_equals_a_fresh_render() {
    for seed in (31..).take(rounds(1)) {
        check_sequence(seed).await;
    }
}
