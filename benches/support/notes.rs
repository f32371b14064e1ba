//! Made-up notes: of made-up reviews, with findings and names by chance, as many as real texts have.

use std::mem::size_of;

use reviews_service::business::Business;
use reviews_service::insights::compile::{Insights, Original, Sources, compile, topics};
use reviews_service::insights::text::Text;
use reviews_service::insights::trade::Aspect;
use reviews_service::insights::{Finding, Head, Kind, Language, Mark, Mention, Name, Note, Notes, Polarity, Reading, Span, Trade};
use reviews_service::reviews::Review;

use super::corpus::Corpus;
use super::words::Dice;

/// As many aspects as the built-in trade has.
const ASPECTS: usize = 11;
/// How many notes stand in one block, on average.
const BLOCK: usize = 128;

/// Notes in blocks, and the reviews that they are of.
pub struct Noted {
    blocks: Vec<Notes>,
    originals: Vec<Original>,
    trade: Trade,
    business: Business,
}

impl Noted {
    /// The notes of that many reviews.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        let mut trade = Trade::default();
        trade.aspects = (0..ASPECTS).map(aspect).collect();
        let (mut blocks, mut originals) = (Vec::new(), Vec::with_capacity(rows));
        let mut block = Notes::default();
        for (position, review) in Corpus::new(rows).reviews().enumerate() {
            block.push(Note::new(&reading(&review, position), &review, &trade).borrowed());
            if block.len() == BLOCK {
                blocks.push(std::mem::take(&mut block));
            }
            originals.push(Original {
                id: review.id.to_string(),
                stars: review.rating.stars(),
                date: review.date.date(),
                text: review.text,
            });
        }
        blocks.push(block);
        Self { blocks, originals, trade, business: Corpus::business() }
    }

    /// What they say.
    #[must_use]
    pub fn compile(&self) -> Insights {
        let blocks: Vec<&Notes> = self.blocks.iter().collect();
        compile(&Sources {
            blocks: &blocks,
            unread: 0,
            original: &|position| self.originals.get(position).cloned(),
            trade: &self.trade,
            business: &self.business,
            others: &[],
        })
    }

    /// How much memory they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let notes = self.blocks.iter().flat_map(Notes::iter);
        let of = |marks: &[Mark], names: &[Name], phrases: &[u32]| {
            size_of::<(Head, [u32; 3])>() + size_of_val(marks) + size_of_val(names) + size_of_val(phrases)
        };
        notes.map(|note| of(note.marks, note.names, note.phrases)).sum()
    }

    /// How many phrases they have.
    #[must_use]
    pub fn phrases(&self) -> usize {
        self.blocks.iter().flat_map(Notes::iter).map(|note| note.phrases.len()).sum()
    }

    /// A text of 110 words.
    #[must_use]
    pub fn text_of_110_words(&self) -> Text {
        let words: Vec<&str> = self.originals.iter().flat_map(|original| original.text.split(' ')).take(110).collect();
        Text::new(&words.join(" "))
    }
}

fn aspect(number: usize) -> Aspect {
    Aspect { id: format!("aspect_{number}"), label: format!("Aspect {number}"), question: "How?".to_owned() }
}

/// About every second sentence judges something, mostly well; the first one names whom the review is about.
fn reading(review: &Review, position: usize) -> Reading {
    let mut dice = Dice::new(position as u64);
    let text = Text::new(&review.text);
    let sentences: Vec<Span> = text.sentences().iter().map(|tokens| text.span(tokens.clone())).collect();
    let mut findings = Vec::new();
    for (sentence, span) in (0..).zip(&sentences) {
        if dice.percent(60) {
            let polarity = match dice.below(20) {
                0..2 => Polarity::Negative,
                2 => Polarity::Neutral,
                3 => Polarity::Uncertain,
                _ => Polarity::Positive,
            };
            findings.push(Finding {
                aspect: format!("aspect_{}", dice.below(ASPECTS)),
                sentence,
                span: *span,
                polarity,
                score: i32::try_from(dice.below(9)).unwrap(),
                hits: Vec::new(),
            });
        }
    }
    let mentions = review.mentions.technicians.iter().map(|name| Mention {
        kind: Kind::Technician,
        candidates: vec![name.clone()],
        sentence: 0,
        through: 1,
        span: Span::default(),
        rule: "full_name",
    });
    Reading {
        language: Language::English,
        mentions: mentions.collect(),
        sentences,
        findings,
        overall: (if dice.percent(90) { Polarity::Positive } else { Polarity::Negative }, 1),
        phrases: topics::phrases(&text),
    }
}
