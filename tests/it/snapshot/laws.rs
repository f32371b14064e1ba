//! Laws: after any edits in any order, a snapshot depends only on the current reviews.

use super::*;

/// Enough reviews for several segments.
const REVIEWS: usize = 500;
const EDITS: usize = 20;
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
    (0..)
        .map(|suffix| format!("end-{suffix}"))
        .filter(|id| ends_segment(id))
        .nth(number)
        .unwrap()
}

/// A random edit of the tables.
fn edit(generator: &mut Generator) -> String {
    let (one, other) = (id(generator), id(generator));
    let (day, stars) = (generator.day(), 1 + generator.below(5));
    let text = generator.text(30).replace('\'', "''");
    let row = format!(
        "into review (review_id, rating, reviewed_on, author, text) values ('{one}', {stars}, '{day}', 'S', '{text}')"
    );
    match generator.below(16) {
        0 => format!("insert or replace {row}"),
        1 | 2 => format!("insert or ignore {row}"),
        3 => format!("delete from review where review_id = '{one}'"),
        4 => format!(
            "delete from review where review_id glob 'r-{:03}*'",
            generator.below(60)
        ),
        5 => {
            format!("update or replace review set review_id = '{other}' where review_id = '{one}'")
        }
        6 => format!("update or ignore review set review_id = '{other}' where review_id = '{one}'"),
        7 => format!("update review set reviewed_on = '{day}' where review_id = '{one}'"),
        8 => format!(
            "update review set rating = {stars}, text = '{text}' where review_id in ('{one}', '{other}')"
        ),
        9 => format!(
            "update review set status = 'withheld', withheld_reason = 'r{stars}' where review_id = '{one}'"
        ),
        10 => "update review set status = 'published' where status = 'withheld' and rating > 2"
            .to_owned(),
        11 => format!(
            "insert or ignore into mention values ('{one}', 'service', 'drain'), ('{other}', 'technician', 'T {stars}')"
        ),
        12 => format!(
            "delete from mention where review_id = '{one}'; delete from mention where value = 'T {stars}'"
        ),
        13 => format!("replace into business (business_id, name) values ('b', 'Name {stars}')"),
        14 => format!(
            "replace into editorial_faq (faq_id, question, answer) values ('q{stars}', 'Why?', 'Since {day}.')"
        ),
        _ => format!(
            "update review set reviewed_on = '{day}' where review_id glob 'r-{:03}*'",
            generator.below(60)
        ),
    }
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
    let dataset: serde_json::Value =
        serde_json::from_slice(&bytes(snapshot, Document::Reviews)).unwrap();
    let reviews = dataset["reviews"].as_array().unwrap();
    assert_eq!(reviews.len(), snapshot.input.entries.len());
    let mut known: Vec<&str> = reviews
        .iter()
        .map(|review| review["id"].as_str().unwrap())
        .collect();
    for review in reviews {
        let id = review["id"].as_str().unwrap();
        let entries = &snapshot.input.entries;
        let found = entries.find(&id.parse().unwrap());
        let at = found.unwrap_or_else(|| panic!("{id} is not found"));
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&entries.json(at).0).unwrap(),
            *review
        );
        let value = wire::Review::new(&entries[at].review, &links());
        assert_eq!(serde_json::to_value(value).unwrap(), *review);
    }
    known.sort_unstable();
    let numbered = (0..NUMBERS).map(|number| format!("r-{number:05}"));
    for id in numbered
        .chain((0..12).map(ending))
        .filter(|id| known.binary_search(&id.as_str()).is_err())
    {
        assert_eq!(
            snapshot.input.entries.find(&id.parse().unwrap()),
            None,
            "{id} is gone"
        );
    }
}

async fn check_sequence(seed: u64) {
    let rig = PublisherRig::open().await;
    let mut generator = Generator::new(seed);
    rig.write(&generator.reviews(REVIEWS)).await;
    let mut snapshot = rig.fresh().await;
    assert!(
        snapshot.input.entries.segments().len() > 2,
        "a snapshot of several blocks"
    );
    for round in 0..EDITS {
        let edits: Vec<String> = (0..=generator.below(3))
            .map(|_| edit(&mut generator))
            .collect();
        rig.run(&edits.join(";")).await;
        snapshot = next(&rig, snapshot).await;
        assert_same(
            &snapshot,
            &rig.fresh().await,
            &format!("seed {seed}, round {round}: {edits:#?}"),
        );
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

/// The reviews in another order, and the sizes of batches.
async fn rig_of(mut reviews: Vec<Review>, seed: u64) -> PublisherRig {
    let rig = PublisherRig::open().await;
    let mut generator = Generator::new(seed);
    let mut snapshot = rig.fresh().await;
    while !reviews.is_empty() {
        let count = reviews.len().min(1 + generator.below(120));
        let batch: Vec<Review> = (0..count)
            .map(|_| reviews.swap_remove(generator.below(reviews.len())))
            .collect();
        rig.write(&batch).await;
        snapshot = next(&rig, snapshot).await;
    }
    assert_eq!(snapshot.position, rig.fresh().await.position);
    rig
}

#[tokio::test]
async fn any_order_of_arrival_gives_the_same_bytes() {
    let reviews = Generator::new(35).reviews(REVIEWS);
    let straight = PublisherRig::open().await;
    straight.write(&reviews).await;
    let straight = straight.fresh().await;
    for seed in 36..39 {
        let other = rig_of(reviews.clone(), seed).await.fresh().await;
        assert_eq!(
            other.input.entries.segments().len(),
            straight.input.entries.segments().len()
        );
        for document in Document::ALL {
            assert_eq!(
                bytes(&other, document),
                bytes(&straight, document),
                "{document:?}, seed {seed}"
            );
            let digest =
                |snapshot: &Snapshot| snapshot.document(document).body.content.digest.clone();
            assert_eq!(
                digest(&other),
                digest(&straight),
                "{document:?}, seed {seed}"
            );
        }
    }
}

#[tokio::test]
async fn a_small_change_shares_the_other_segments() {
    let rig = PublisherRig::open().await;
    rig.write(&Generator::new(39).reviews(REVIEWS)).await;
    let before = rig.fresh().await;
    rig.run("update review set text = 'changed' where review_id = 'r-00250'")
        .await;
    let after = next(&rig, rig.fresh().await).await;
    let after_from_before = rig.publisher.next(&before).await.unwrap().unwrap();
    assert_same(&after, &after_from_before, "a change");
    let segments = before.input.entries.segments();
    let shared = |segment| segments.iter().any(|other| Arc::ptr_eq(segment, other));
    assert_eq!(
        after_from_before
            .input
            .entries
            .segments()
            .iter()
            .filter(|segment| !shared(segment))
            .count(),
        1
    );
}
