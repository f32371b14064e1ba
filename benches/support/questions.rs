//! The classes of queries: each is easy or hard for search in its own way.

use std::convert::Infallible;
use std::future::ready;

use chrono::NaiveDate;
use reviews_service::model::Day;
use reviews_service::search::{ResultPage, SearchParameters, find_page};
use reviews_service::snapshot::Snapshot;

use super::corpus::TECHNICIANS;

/// A class of searches, represented by one search.
#[derive(Debug)]
pub struct Question {
    /// The name of the class.
    pub name: &'static str,
    /// The query and the filters of the search.
    pub arguments: SearchParameters,
    /// The goal for its CPU time.
    pub goal: Goal,
}

/// The limit on the CPU time of a response: see [`Goal::milliseconds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Common words: the newest reviews contain enough matches for the page.
    Common,
    /// Words that few reviews or none contain.
    Rare,
    /// All others: the limit grows with the time of the plain scan.
    Any,
}

impl Goal {
    /// Maximum CPU time in milliseconds for `rows` reviews if the plain scan takes `scan` milliseconds; the goals are
    /// set for 100,000 and 1,000,000 reviews.
    #[must_use]
    pub fn milliseconds(self, rows: usize, scan: f64) -> f64 {
        match (self, rows > 100_000) {
            (Self::Common, _) => 0.1,
            (Self::Rare, false) => 0.25,
            (Self::Rare, true) => 0.8,
            (Self::Any, false) => f64::max(1.6, 1.2 * scan),
            (Self::Any, true) => f64::max(19.0, 1.2 * scan),
        }
    }
}

impl Question {
    /// Searches, as for a request that has its turn.
    pub async fn find(&self, snapshot: &Snapshot) -> ResultPage {
        let Ok(found) =
            find_page(snapshot, &self.arguments, || ready(Ok::<_, Infallible>(()))).await;
        found
    }

    /// Its name in criterion's files.
    #[must_use]
    pub fn slug(&self) -> String {
        self.name
            .chars()
            .map(|character| {
                if character.is_ascii_alphanumeric() {
                    character
                } else {
                    '_'
                }
            })
            .collect()
    }
}

/// Every class of queries.
///
/// # Panics
/// Never: the dates and ratings are valid.
#[must_use]
pub fn all() -> Vec<Question> {
    let plain = |name, query: &str, goal| Question {
        name,
        arguments: text(query),
        goal,
    };
    let day = |year, month, day| Day::new(NaiveDate::from_ymd_opt(year, month, day).unwrap());
    let june = SearchParameters {
        since: day(2017, 6, 1),
        until: day(2017, 6, 30),
        ..text("zyxglint")
    };
    let one_star = SearchParameters {
        rating: Some(1),
        ..text("the")
    };
    let by = |technician: &str, query: &str| SearchParameters {
        mentions_technician: Some(technician.to_owned()),
        ..text(query)
    };
    let [top, .., old] = TECHNICIANS;
    vec![
        plain("rare word", "zyxglint", Goal::Rare),
        plain("medium word", "quibblefax", Goal::Rare),
        plain("common word", "the", Goal::Common),
        plain("3 characters", "joa", Goal::Common),
        plain("2 characters, common", "th", Goal::Common),
        plain("2 characters, rare", "zy", Goal::Any),
        plain("1 character, common", "e", Goal::Common),
        plain("1 character, €", "€", Goal::Any),
        plain("1 character, absent", "~", Goal::Any),
        plain("absent word", "qqzzxxw", Goal::Rare),
        plain("absent, common trigrams", "therathe", Goal::Any),
        plain("Unicode", "Crème Brûlée", Goal::Any),
        plain("phrase", "warranty claim", Goal::Any),
        plain("phrase of common words", "and the", Goal::Common),
        plain("common words, absent phrase", "and of", Goal::Any),
        plain("common words, rare phrase", "the was", Goal::Any),
        Question {
            name: "one star and a common word",
            arguments: one_star,
            goal: Goal::Any,
        },
        Question {
            name: "30 days and a rare word",
            arguments: june,
            goal: Goal::Any,
        },
        Question {
            name: "top technician and a common word",
            arguments: by(top, "the"),
            goal: Goal::Any,
        },
        Question {
            name: "old technician and a common word",
            arguments: by(old, "the"),
            goal: Goal::Any,
        },
        Question {
            name: "old technician and a medium word",
            arguments: by(old, "quibblefax"),
            goal: Goal::Any,
        },
    ]
}

fn text(query: &str) -> SearchParameters {
    SearchParameters {
        query: Some(query.to_owned()),
        limit: 20,
        ..SearchParameters::default()
    }
}
