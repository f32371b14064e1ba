//! Generated reviews: deterministic for a seed, in many scripts, with characters that are hard to search and render.

use reviews_service::model::{
    Day, Mentions, Method, Rating, Reply, Review, Source, Status, Verification,
};

const WORDS: &str = "the|and|a|to|they|was|technician|water|heater|leak|furnace|on|time|price|Furnace|WATER|fixed|clean|again|called|\
    warranty|claim|crème|brûlée|Straße|STRASSE|ÉTÉ|été|İstanbul|ıssız|Σίσυφος|ΣΊΣΥΦΟΣ|東京|修理|отлично|ОТЛИЧНО|ممتاز|🙂|👩‍🔧|\
    100%|a_c|a/c|it's|\"quoted\"|<b>|&amp;|\u{212A}elvin|e\u{301}tude";
const GLUE: [&str; 6] = [" ", " ", " ", ", ", ".\n", " — "];
/// Full names, two of which share a first name.
pub const TECHNICIANS: [&str; 5] = [
    "Mike Alvarez",
    "Mike Sorensen",
    "Dana Öberg",
    "Will Grant",
    "Roberto \"Beto\" Ruiz",
];
/// IDs of services that reviews may mention.
const SERVICES: [&str; 4] = ["ac-repair", "furnace-repair", "water-heater", "drain"];

/// Deterministic random numbers (`SplitMix64`) and reviews.
#[derive(Debug, Clone)]
pub struct Generator(u64);

impl Generator {
    /// A generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    /// True with a probability of one in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these, each equally likely; panics if there are none.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of the words in this list, which `|` separates.
    pub fn word(&mut self, list: &'static str) -> &'static str {
        self.pick(&list.split('|').collect::<Vec<_>>())
    }

    /// A text of at most `words` words; sometimes empty.
    pub fn text(&mut self, words: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(words + 1) {
            text.push_str(self.word(WORDS));
            text.push_str(self.pick(&GLUE));
        }
        text
    }

    /// A day of the three years before November 2026.
    pub fn day(&mut self) -> Day {
        let first = chrono::NaiveDate::from_ymd_opt(2023, 11, 1).unwrap();
        Day::new(first + chrono::Duration::days(self.below(1_100) as i64)).unwrap()
    }

    /// The review with this number.
    pub fn review(&mut self, number: usize) -> Review {
        let mut some = |of: &[&str], times| {
            let some = of.iter().filter(|_| self.once_in(times));
            some.map(|name| (*name).to_owned()).collect()
        };
        let (technicians, services) = (some(&TECHNICIANS, 8), some(&SERVICES, 6));
        let mentions = Mentions::new(technicians, services, some(&["Mesa", "Tempe"], 5));
        let date = self.day();
        let withheld = self.once_in(40);
        Review {
            id: format!("r-{number:05}").parse().unwrap(),
            rating: Rating::try_from(self.pick(&[1, 2, 3, 4, 4, 5, 5, 5, 5, 5])).unwrap(),
            date,
            author: format!("Author {}", self.below(500)),
            title: self
                .once_in(9)
                .then(|| self.text(3))
                .filter(|title| !title.is_empty()),
            text: self.text(40),
            language: self.once_in(7).then(|| "es-MX".to_owned()),
            source: Source {
                name: "Google".to_owned(),
                url: None,
            },
            verification: Verification {
                method: Some(Method::SourcePlatform),
                verified_at: None,
            },
            mentions,
            reply: self.once_in(5).then(|| Reply {
                text: "Thank you!".to_owned(),
                date: Some(date.next()),
                author: None,
            }),
            status: if withheld {
                Status::Withheld {
                    reason: Some("duplicate".to_owned()),
                }
            } else {
                Status::Published
            },
            updated_at: Some(date.date().and_hms_opt(9, 30, 0).unwrap().and_utc()),
        }
    }

    /// This many reviews, numbered from 0.
    pub fn reviews(&mut self, count: usize) -> Vec<Review> {
        (0..count).map(|number| self.review(number)).collect()
    }
}

/// A published review with this text on a separate day: the lower its number, the newer.
pub fn review_with_text(number: usize, text: impl Into<String>) -> Review {
    let newest: Day = "2026-01-01".parse().unwrap();
    let date = newest.date() - chrono::Duration::days(number as i64);
    Review {
        id: format!("s-{number:04}").parse().unwrap(),
        date: Day::new(date).unwrap(),
        text: text.into(),
        status: Status::Published,
        mentions: Mentions::default(),
        ..Generator::new(1).review(number)
    }
}

/// The published ones of these reviews in the order of the dataset.
pub fn published(reviews: &[Review]) -> Vec<&Review> {
    let mut published: Vec<&Review> = reviews.iter().collect();
    published.retain(|review| review.status == Status::Published);
    published.sort_by_key(|review| (std::cmp::Reverse(review.date), review.id.clone()));
    published
}
