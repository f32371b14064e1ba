//! Synthetic reviews: any number of them, each a function only of its number, similar to a real company's in all
//! properties that affect search.

use chrono::{Duration, NaiveDate, NaiveTime};
use reviews_service::model::business::{Business, Service, Technician};
use reviews_service::model::{Day, Method, Reply, Review, Status};
use serde_json::json;

use super::words::{Dice, Words};

/// The number of days in ten years.
const DAYS: usize = 3_652;
/// The mentioned technicians, most frequent first; the last two left after three years.
pub const TECHNICIANS: [&str; 12] = [
    "Joaquin Reyes",
    "Dana Whitfield",
    "Marcus Bell",
    "Priya Raman",
    "Curtis Hale",
    "Elena Soto",
    "Tomas Núñez",
    "Art Beecham",
    "Grace Lindqvist",
    "Owen Park",
    "Walt Fenner",
    "Irene Kovač",
];
const STAYED: usize = 10;
const LEFT_AFTER_DAYS: usize = 3 * 365;
const SERVICES: [&str; 12] = [
    "ac-repair",
    "furnace-repair",
    "water-heater",
    "drain-cleaning",
    "leak-detection",
    "heat-pump",
    "mini-split",
    "duct-cleaning",
    "thermostat",
    "repiping",
    "ac-installation",
    "tune-up",
];
const AREAS: [&str; 8] = [
    "Mesa",
    "Gilbert",
    "Tempe",
    "Chandler",
    "Apache Junction",
    "Queen Creek",
    "Gold Canyon",
    "San Tan Valley",
];
const NAMES: [&str; 16] = [
    "Jane", "Norma", "Ed", "Luis", "Karen", "Pat", "Sam", "Chris", "Ana", "Lee", "Robin", "Dale",
    "Mia", "Noah", "Ruth", "Zoë",
];
const SOURCES: [&str; 4] = ["Google", "Website", "Yelp", "Facebook"];
/// Non-ASCII words and characters in texts, besides the two below, which queries search for.
const UNICODE: [&str; 10] = [
    "café",
    "naïve",
    "—",
    "’s",
    "jalapeño",
    "🙂",
    "東京",
    "Ελληνικά",
    "ТЕСТ",
    "Ångström",
];

/// All synthetic reviews of one corpus.
#[derive(Debug)]
pub struct Corpus {
    rows: usize,
    words: Words,
}

impl Corpus {
    /// A corpus of `rows` reviews; each is generated on request.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            words: Words::new(),
        }
    }

    /// The numbers of all reviews in the order of publication: newest first, then by ID.
    pub fn newest_first(&self) -> impl Iterator<Item = usize> {
        let first_of = |day: usize| (day * self.rows).div_ceil(DAYS);
        (0..DAYS)
            .rev()
            .flat_map(move |day| first_of(day)..first_of(day + 1))
    }

    /// Every review, in the order of publication.
    pub fn reviews(&self) -> impl Iterator<Item = Review> {
        self.newest_first().map(|number| self.review(number))
    }

    /// The review of that number, counted from the oldest.
    ///
    /// # Panics
    /// Never for numbers below `rows`: every generated part is valid.
    #[must_use]
    pub fn review(&self, number: usize) -> Review {
        let mut dice = Dice::new(0xD1CE_0000_0000_0000 ^ number as u64);
        let days = number * DAYS / self.rows;
        let date = NaiveDate::from_ymd_opt(2016, 1, 1).unwrap()
            + Duration::days(i64::try_from(days).unwrap());
        let technician = dice.percent(70).then(|| technician(&mut dice, days));
        let text = self.text(&mut dice, number, technician);
        let services = if dice.percent(80) {
            vec![SERVICES[zipf(&mut dice, SERVICES.len())].to_owned()]
        } else {
            Vec::new()
        };
        let areas = if dice.percent(50) {
            vec![(*dice.pick(&AREAS)).to_owned()]
        } else {
            Vec::new()
        };
        let stars = match dice.below(100) {
            0..78 => 5,
            78..89 => 4,
            89..93 => 3,
            93..96 => 2,
            _ => 1,
        };
        let initial = char::from(b'A' + u8::try_from(dice.below(26)).unwrap());
        let at = date.and_time(NaiveTime::MIN).and_utc()
            + Duration::seconds(i64::try_from(dice.below(86_400)).unwrap());
        let reply = dice.percent(4).then(|| Reply {
            text: "Thank you for taking the time to write; we pass it on to the crew.".to_owned(),
            date: Day::new(date),
            author: Some("The office".to_owned()),
        });
        serde_json::from_value(json!({
            "id": format!("r-{number:07}"),
            "rating": stars,
            "date": date,
            "author": format!("{} {initial}.", dice.pick(&NAMES)),
            "text": text,
            "source": dice.pick(&SOURCES),
            "verification": Method::SourcePlatform,
            "mentions": { "technicians": technician.as_slice(), "services": services, "service_areas": areas },
            "owner_reply": reply,
            "status": Status::Published,
            "updated_at": at,
        }))
        .unwrap()
    }

    /// 40 to 120 words, with the technician's name and the rare words for this number.
    fn text(&self, dice: &mut Dice, number: usize, technician: Option<&'static str>) -> String {
        let count = 40 + dice.below(81);
        let extra = extra(dice, number).map(|extra| (dice.below(count), extra));
        let name = technician
            .and_then(|name| name.split(' ').next())
            .map(|name| (dice.below(count), name));
        let mut text = String::with_capacity(count * 8);
        let (mut before, mut starts_sentence) = ("", true);
        for at in 0..count {
            for (_, word) in extra.iter().chain(&name).filter(|(place, _)| *place == at) {
                text.push_str(word);
                text.push(' ');
                before = word;
            }
            let word = loop {
                let word = self.words.draw(dice);
                // Chance never generates these two pairs of common words: a text has the phrase of a query only if it
                // was inserted on purpose.
                let is_made = before.ends_with("the") && word.starts_with("was")
                    || before.ends_with("and") && word.starts_with("of");
                if !is_made {
                    break word;
                }
            };
            if starts_sentence {
                text.push(char::from(word.as_bytes()[0].to_ascii_uppercase()));
                text.push_str(&word[1..]);
            } else {
                text.push_str(word);
            }
            starts_sentence = at + 1 == count || dice.below(11) == 0;
            text.push_str(if starts_sentence {
                ". "
            } else if dice.below(14) == 0 {
                ", "
            } else {
                " "
            });
            before = word;
        }
        text.pop();
        text
    }

    /// The business of the reviews: its technicians, services and places.
    #[must_use]
    pub fn business() -> Business {
        let technicians = TECHNICIANS.iter().map(|name| Technician {
            id: name.split(' ').next().unwrap_or_default().to_lowercase(),
            name: (*name).to_owned(),
            aliases: Vec::new(),
        });
        let services = SERVICES.iter().map(|id| Service {
            id: (*id).to_owned(),
            name: id.replace('-', " "),
            synonyms: Vec::new(),
        });
        Business {
            id: "bench".to_owned(),
            name: "Bench Heating & Plumbing".to_owned(),
            services: services.collect(),
            technicians: technicians.collect(),
            service_areas: AREAS.map(str::to_owned).to_vec(),
            ..Business::default()
        }
    }
}

/// The rare words and phrases: by number, so that every size has its share, and 6% Unicode by chance.
fn extra(dice: &mut Dice, number: usize) -> Option<&'static str> {
    match number {
        number if number % 16_667 == 9_001 => Some("zyxglint"),
        number if number % 20_000 == 13_007 => Some("the was"),
        number if number % 300 == 42 => Some("quibblefax"),
        number if number % 2_200 == 1_234 => Some("warranty claim"),
        number if number % 660 == 77 => Some("crème brûlée"),
        _ => match dice.below(1_000) {
            0..8 => Some("€40"),
            8..60 => Some(*dice.pick(&UNICODE)),
            _ => None,
        },
    }
}

fn technician(dice: &mut Dice, days: usize) -> &'static str {
    TECHNICIANS[zipf(
        dice,
        if days < LEFT_AFTER_DAYS {
            TECHNICIANS.len()
        } else {
            STAYED
        },
    )]
}

/// A random number below `end`; the number n has 1/(n + 1) of the probability of 0.
fn zipf(dice: &mut Dice, end: usize) -> usize {
    let weight = |rank: usize| 27_720 / (rank + 1);
    let mut at = dice.below((0..end).map(weight).sum());
    (0..end)
        .find(|rank| {
            at.checked_sub(weight(*rank))
                .map(|rest| at = rest)
                .is_none()
        })
        .unwrap_or(0)
}
