//! Selects the trigrams of a query that the text index can find: only characters that FTS5's trigram tokenizer folds as
//! we do (<https://www.sqlite.org/fts5.html#the_trigram_tokenizer>).

/// Ranges of folded characters, ascending, onto which we fold characters that FTS5 keeps apart: our Unicode version is
/// newer than FTS5's (6.1), which lacks for example old Cyrillic letterforms (U+1C80 to U+1C88) and capital ß. A range
/// may include other characters of the same alphabet. A test over all of Unicode verifies the list.
#[rustfmt::skip]
const UNLIKE: &[(char, char)] = &[
    ('\u{00DF}', '\u{00DF}'),
    ('\u{019B}', '\u{019B}'),
    ('\u{025C}', '\u{029E}'),
    ('\u{0390}', '\u{0390}'),
    ('\u{03B0}', '\u{03B0}'),
    ('\u{03F3}', '\u{03F3}'),
    ('\u{0432}', '\u{0432}'),
    ('\u{0434}', '\u{0434}'),
    ('\u{043E}', '\u{043E}'),
    ('\u{0441}', '\u{0442}'),
    ('\u{044A}', '\u{044A}'),
    ('\u{0463}', '\u{0463}'),
    ('\u{0529}', '\u{052F}'),
    ('\u{10D0}', '\u{10FF}'),
    ('\u{13A0}', '\u{13F5}'),
    ('\u{1C8A}', '\u{1C8A}'),
    ('\u{1D8E}', '\u{1D8E}'),
    ('\u{2C5F}', '\u{2C5F}'),
    ('\u{A64B}', '\u{A64B}'),
    ('\u{A699}', '\u{A69B}'),
    ('\u{A794}', '\u{A7F6}'),
    ('\u{AB4B}', '\u{AB53}'),
    ('\u{FB06}', '\u{FB06}'),
    ('\u{104D8}', '\u{104FB}'),
    ('\u{10597}', '\u{105BC}'),
    ('\u{10CC0}', '\u{10CF2}'),
    ('\u{10D70}', '\u{10D85}'),
    ('\u{118C0}', '\u{118DF}'),
    ('\u{16E60}', '\u{16E7F}'),
    ('\u{16EBB}', '\u{16ED3}'),
    ('\u{1DF41}', '\u{1DF7F}'),
    ('\u{1E922}', '\u{1E943}'),
];

/// Maximum number of a query's trigrams that are used; more would not narrow the search further.
const TRIGRAMS_MAX: usize = 12;

/// The distinct usable trigrams of folded texts, at most 12, spread evenly; empty if the texts are shorter or have
/// unusable characters.
#[must_use]
pub fn trigrams<'a>(folded: &[&'a str]) -> Vec<&'a str> {
    let mut trigrams: Vec<&str> = folded.iter().flat_map(|text| askable(text)).collect();
    trigrams.dedup();
    if trigrams.len() > TRIGRAMS_MAX {
        let last = trigrams.len() - 1;
        trigrams = (0..TRIGRAMS_MAX)
            .map(|number| trigrams[number * last / (TRIGRAMS_MAX - 1)])
            .collect();
    }
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}

/// The usable trigrams of one text.
fn askable(folded: &str) -> Vec<&str> {
    let starts: Vec<(usize, char)> = folded.char_indices().collect();
    let end = |last: usize| {
        starts
            .get(last + 1)
            .map_or(folded.len(), |(start, _)| *start)
    };
    let askable = starts
        .windows(3)
        .enumerate()
        .filter(|(_, three)| three.iter().all(|(_, character)| is_alike(*character)));
    askable
        .map(|(first, three)| &folded[three[0].0..end(first + 2)])
        .collect()
}

/// Whether FTS5 folds every character that we fold to this one in the same way. FTS5 does not index NUL.
fn is_alike(folded: char) -> bool {
    let at = UNLIKE.partition_point(|(_, last)| *last < folded);
    folded != '\0' && UNLIKE.get(at).is_none_or(|(first, _)| folded < *first)
}

/// An FTS5 expression for texts that contain all `trigrams`.
#[must_use]
pub fn expression(trigrams: &[&str]) -> String {
    let quoted: Vec<String> = trigrams
        .iter()
        .map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\"")))
        .collect();
    quoted.join(" AND ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{Connection, SqliteConnection};

    use super::{UNLIKE, expression, is_alike, trigrams};
    use crate::model::fold;

    #[tokio::test]
    async fn fts5_takes_every_character_of_unicode_as_our_fold_does_but_those_listed() {
        let mut classes: BTreeMap<char, Vec<char>> = BTreeMap::new();
        for character in '\u{1}'..=char::MAX {
            classes
                .entry(fold(&character.to_string()).chars().next().unwrap())
                .or_default()
                .push(character);
        }
        let mut index =
            SqliteConnection::connect_with(&SqliteConnectOptions::new().in_memory(true))
                .await
                .unwrap();
        sqlx::query("create virtual table f using fts5 (text, tokenize = 'trigram')")
            .execute(&mut index)
            .await
            .unwrap();
        sqlx::query("begin").execute(&mut index).await.unwrap();
        // All characters with others that fold to them, and one in 97 of the rest.
        let asked = classes
            .iter()
            .filter(|(folded, class)| class.len() > 1 || (**folded as u32).is_multiple_of(97));
        let asked: Vec<(char, &Vec<char>)> =
            asked.map(|(folded, class)| (*folded, class)).collect();
        for character in asked.iter().flat_map(|(_, class)| class.iter()) {
            let insert = sqlx::query("insert into f (rowid, text) values (?, ?)")
                .bind(i64::from(*character as u32));
            insert
                .bind(format!("<{character}>"))
                .execute(&mut index)
                .await
                .unwrap();
        }
        let mut unlike = Vec::new();
        for (folded, class) in asked {
            let match_one = sqlx::query_scalar("select count(*) from f where f match ?");
            let trigram = format!("<{folded}>");
            let found: i64 = match_one
                .bind(expression(&[trigram.as_str()]))
                .fetch_one(&mut index)
                .await
                .unwrap();
            if usize::try_from(found).unwrap() >= class.len() {
                continue;
            }
            unlike.push(folded);
        }
        assert!(
            unlike.iter().all(|character| !is_alike(*character)),
            "{unlike:?}"
        );
        assert!(
            UNLIKE.is_sorted()
                && UNLIKE
                    .iter()
                    .all(|(first, last)| unlike.contains(first) && unlike.contains(last))
        );
        assert!(
            (' '..='~')
                .chain(['é', 'ñ', 'ü', 'а', 'я', 'λ', '東', '🙂'])
                .all(is_alike)
        );
    }

    #[test]
    fn shorter_questions_and_those_of_other_characters_are_not_asked() {
        for (folded, expected) in [
            ("", vec![]),
            ("ab", vec![]),
            ("abc", vec!["abc"]),
            ("éàé", vec!["éàé"]),
            ("aaaaa", vec!["aaa"]),
            ("ab\0cd", vec![]),
            ("\"a\"", vec!["\"a\""]),
        ] {
            assert_eq!(trigrams(&[folded]), expected, "{folded:?}");
        }
        assert_eq!(trigrams(&["leak", "ab", "eak"]), ["eak", "lea"]);
        let long: String = (0..300)
            .map(|number| char::from_u32(0x4E00 + number).unwrap())
            .collect();
        assert_eq!(trigrams(&[&long]).len(), super::TRIGRAMS_MAX);
        assert!(
            trigrams(&[&long])
                .iter()
                .all(|trigram| trigram.chars().all(is_alike))
        );
        assert_eq!(expression(&["\"a\"", "and"]), r#""""a""" AND "and""#);
    }
}
