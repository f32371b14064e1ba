//! Writes `src/insights/trades/shared/background.tsv`: the frequency of words in reviews of other trades. Run `cargo
//! run --example background -- DIR > src/insights/trades/shared/background.tsv`, with `mams/*.xml` (MAMS-for-ABSA) and
//! `uci_sentences/yelp_labelled.txt` (Sentiment Labelled Sentences) in DIR.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "it prints a table and panics on errors"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use reviews_service::insights::text::{Capitalisation, TokenizedText};

/// Minimum number of sentences with a word; rarer words are omitted.
const SENTENCES_MIN: u32 = 3;
const MAMS: [&str; 6] = [
    "acsa_train",
    "acsa_val",
    "acsa_test",
    "atsa_train",
    "atsa_val",
    "atsa_test",
];

fn main() {
    let folder = env::args().nth(1).expect("the folder of the data");
    let read = |path: String| {
        fs::read_to_string(Path::new(&folder).join(path)).expect("a file of the data")
    };
    let mut sentences = BTreeSet::new();
    for name in MAMS {
        sentences.extend(
            read(format!("mams/{name}.xml"))
                .split("<text>")
                .skip(1)
                .filter_map(text_of),
        );
    }
    let yelp = read("uci_sentences/yelp_labelled.txt".to_owned());
    sentences.extend(
        yelp.lines()
            .filter_map(|line| line.split('\t').next())
            .map(|text| text.trim().to_owned()),
    );

    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for sentence in &sentences {
        let text = TokenizedText::new(sentence);
        let words = (0..text.tokens().len()).filter(|at| {
            !matches!(
                text.tokens()[*at].shape,
                Capitalisation::Mark | Capitalisation::Number
            )
        });
        for word in words.map(|at| text.word(at)).collect::<BTreeSet<_>>() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    println!(
        "# In how many of {} sentences of reviews of other trades a word stands.",
        sentences.len()
    );
    println!(
        "# Derived by examples/background.rs from MAMS-for-ABSA (Apache-2.0) and from Sentiment Labelled Sentences"
    );
    println!("# (D. Kotzias et al. 2015, CC BY 4.0), see NOTICE.");
    for (word, count) in counts
        .into_iter()
        .filter(|(_, count)| *count >= SENTENCES_MIN)
    {
        println!("{word}\t{count}");
    }
}

/// The text up to the closing tag, unescaped.
fn text_of(rest: &str) -> Option<String> {
    let text = rest.split("</text>").next()?.trim();
    let escapes = [
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    Some(
        escapes
            .into_iter()
            .fold(text.to_owned(), |text, (escape, plain)| {
                text.replace(escape, plain)
            }),
    )
}
