//! `match=words`: each word of the query, in singular or plural, begins a word of the text, in any order; or the text contains
//! the whole query.

use super::*;

/// Words of one or several reviews, shortened, in the plural, in any case and order.
pub fn question(generator: &mut Generator, reviews: &[Review]) -> String {
    if generator.once_in(5) {
        return fragment(generator, reviews);
    }
    let mut text = reviews[generator.below(reviews.len())].text.clone();
    let mut words = Vec::new();
    for _ in 0..=generator.below(4) {
        if generator.once_in(4) {
            text.clone_from(&reviews[generator.below(reviews.len())].text);
        }
        let text_words: Vec<&str> = text.split_whitespace().chain(["leaks"]).collect();
        let word = text_words[generator.below(text_words.len())];
        let letters: Vec<char> = word.chars().collect();
        let kept = match generator.below(4) {
            0 => 1 + generator.below(letters.len()),
            _ => letters.len(),
        };
        let word: String = letters[..kept].iter().collect();
        words.push(match generator.below(6) {
            0 => format!("{word}s"),
            1 => format!("{word}es"),
            2 => word.to_uppercase(),
            _ => word,
        });
    }
    words.join(generator.pick(&[" ", " ", "  ", ", ", "-"]))
}

#[tokio::test]
async fn plural_endings_of_the_query_are_ignored() {
    let texts = "A water heater|New batteries|The gas bill|Movies";
    let app = with_texts(&texts.split('|').collect::<Vec<_>>()).await;
    let found =
        "water+heaters waters+heater batteries battery new+battery batters gas gas+bills movie";
    for (queries, count) in [(found, 1), ("battier heating", 0)] {
        for query in queries.split(' ') {
            let target = format!("{SEARCH}?query={query}&match=words");
            assert_eq!(app.json(&target).await["matched"], count, "{query}");
        }
    }
}
