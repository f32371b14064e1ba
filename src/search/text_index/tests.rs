//! Walking over the reviews, against reading everything.

use std::sync::Arc;

use chrono::DateTime;

use super::walk;
use crate::links::Links;
use crate::reviews::store::DatabasePosition;
use crate::reviews::{
    Mentions, Method, Rating, Review, ReviewFilter, SearchArguments, Source, Status, Verification,
    fold,
};
use crate::search::TOTAL_MAX;
use crate::snapshot::entry::Entry;
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::render::render;
use crate::snapshot::{
    CachedBody, Document, Publication, PublishedDocument, ReviewIndexBuilder, Snapshot,
};

const WORDS: [&str; 12] = [
    "leak",
    "Leaks",
    "fixed",
    "the",
    "was",
    "É té",
    "€",
    "東京都",
    "ß",
    "a",
    "thethe",
    "🙂🙂",
];

/// Newest first; what a review says is a function of its number.
fn reviews() -> Vec<Review> {
    let review = |number: usize| {
        let words =
            (0..number * 7 % 23).map(|at| WORDS[(number * 31 + at * at * 17 + at) % WORDS.len()]);
        let words: Vec<&str> = words.collect();
        let technicians = if number.is_multiple_of(3) {
            vec!["Zoë Ray".to_owned()]
        } else {
            Vec::new()
        };
        Review {
            id: format!("r-{number:05}").parse().unwrap(),
            rating: Rating::try_from(1 + i64::try_from(number % 5).unwrap()).unwrap(),
            date: format!("20{:02}-06-{:02}", 24 - number / 200, 28 - number % 200 / 8)
                .parse()
                .unwrap(),
            author: "A".to_owned(),
            title: None,
            text: words.join(if number.is_multiple_of(2) { " " } else { "" }),
            language: None,
            source: Source {
                name: "Direct".to_owned(),
                url: None,
            },
            verification: Verification {
                verified: true,
                method: Method::Manual,
                verified_at: None,
            },
            mentions: Mentions::new(technicians, Vec::new(), Vec::new()),
            response: None,
            status: Status::Published,
            updated_at: None,
        }
    };
    (0..2_600).map(review).collect()
}

fn snapshot(reviews: &[Review]) -> Snapshot {
    let links: Links = "https://reviews.example.com".parse().unwrap();
    let mut builder = ReviewIndexBuilder::default();
    for review in reviews {
        builder.push(&Entry::unanalyzed(review.clone(), &links));
    }
    let input = SnapshotInput {
        review_index: builder.finish(),
        ..SnapshotInput::default()
    };
    let documents = Document::ALL.map(|document| {
        let body = Arc::new(CachedBody::new(
            document.content_type(),
            render(document, &input, &links, DateTime::UNIX_EPOCH),
        ));
        let digest = body.content.digest.clone();
        let publication = Publication {
            version: 1,
            digest,
            changed_at: DateTime::UNIX_EPOCH,
            is_same_second: false,
        };
        Arc::new(PublishedDocument {
            document,
            body,
            publication,
            is_confirmed: true,
        })
    });
    Snapshot::new(DatabasePosition::default(), input, documents.into())
}

/// The ids of the reviews that are meant, found by reading every one.
fn scanned<'a>(reviews: &'a [Review], query: &str, arguments: &SearchArguments) -> Vec<&'a str> {
    let is_meant = |review: &&Review| {
        fold(&review.text).contains(&fold(query))
            && arguments
                .rating
                .is_none_or(|rating| review.rating == rating)
            && arguments.since.is_none_or(|since| review.date >= since)
            && (arguments.mentions_technician.is_none() || !review.mentions.technicians.is_empty())
    };
    reviews
        .iter()
        .filter(is_meant)
        .map(|review| review.id.as_str())
        .collect()
}

/// The ids that the search gives, page by page; each page tells the total.
fn walked(snapshot: &Snapshot, arguments: &SearchArguments, total: u64) -> Vec<String> {
    let filter = ReviewFilter::new(arguments);
    let (mut ids, mut cursor) = (Vec::new(), None);
    loop {
        let found = walk(snapshot, &filter, 70, cursor.as_ref());
        assert_eq!(
            (found.total, found.is_exact),
            (total.min(TOTAL_MAX), total <= TOTAL_MAX),
            "{arguments:?}"
        );
        ids.extend(
            found
                .reviews
                .iter()
                .map(|json| String::from_utf8_lossy(&json[7..14]).into_owned()),
        );
        cursor = found.next;
        if cursor.is_none() {
            break;
        }
    }
    ids
}

#[test]
fn what_is_found_is_what_reading_everything_finds() {
    let reviews = reviews();
    let snapshot = snapshot(&reviews);
    let pieces = [
        "leak fixed",
        "fixedthe",
        "e w",
        "te",
        "k f",
        "京都",
        "京都€",
        "🙂🙂 the",
        "s the was",
        "absent",
        "ksleak",
    ];
    let spoilt = ["leakz", "the waz", "東京x"];
    for query in WORDS.into_iter().chain(pieces).chain(spoilt) {
        for (rating, technician, since) in [
            (None, None, None),
            (Some(2), None, None),
            (None, Some("ZOË ray"), Some("2018-06-09")),
        ] {
            let arguments = SearchArguments {
                query: Some(query.to_owned()),
                rating: rating.map(|stars| Rating::try_from(stars).unwrap()),
                mentions_technician: technician.map(str::to_owned),
                since: since.map(|day| day.parse().unwrap()),
                ..SearchArguments::default()
            };
            let expected = scanned(&reviews, query, &arguments);
            let ids = walked(&snapshot, &arguments, expected.len() as u64);
            assert_eq!(ids, expected, "{arguments:?}");
        }
    }
}
