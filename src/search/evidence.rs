//! Which reviews support an aspect: found in the notes of an edition, and read once more for their reasons.

use super::cursor::Cursor;
use crate::edition::Edition;
use crate::insights::compile::{Vote, vote_of};
use crate::insights::{Finding, Subject, Trade};
use crate::reviews::Mentions;
use crate::reviews::parameters::{Choice, Parameter};
use crate::wire;

/// What is asked: the place of an aspect in the trade, and how it is to be spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The aspect.
    pub aspect: u8,
    /// The vote; any where there is none.
    pub vote: Option<Vote>,
}

/// One page.
#[derive(Debug)]
pub struct Page {
    /// How many reviews support the aspect so.
    pub total: u64,
    /// Those of the page, newest first.
    pub reviews: Vec<Supporting>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
}

/// A review that supports an aspect.
#[derive(Debug)]
pub struct Supporting {
    /// The review.
    pub review: wire::Review,
    /// Its vote.
    pub vote: Vote,
    /// Its findings of the aspect.
    pub findings: Vec<Finding>,
}

/// The parameter that asks for one vote.
#[derive(Debug)]
pub struct PolarityParameter;

impl Parameter for PolarityParameter {
    type Kind = Choice<Vote>;
    const NAME: &'static str = "polarity";
    const KIND: Choice<Vote> = Choice(&[
        ("positive", Vote::Positive),
        ("negative", Vote::Negative),
        ("neutral", Vote::Neutral),
        ("mixed", Vote::Mixed),
        ("uncertain", Vote::Uncertain),
    ]);
}

impl Question {
    /// What stands for it in a cursor: the aspect's id, for another trade, or another release of one, has another aspect in
    /// that place.
    #[must_use]
    pub fn canonical(&self, trade: &Trade) -> String {
        let id = trade.aspects.get(usize::from(self.aspect)).map_or("", |aspect| aspect.id.as_str());
        format!("evidence {id} {:?}", self.vote)
    }
}

/// A page of at most `limit` reviews, from the beginning or behind `cursor`.
#[must_use]
pub fn evidence(edition: &Edition, question: Question, limit: usize, cursor: Option<&Cursor>) -> Page {
    let (copy, shelf) = (&edition.copy, &edition.copy.shelf);
    let after = cursor.map_or(0, |cursor| shelf.count_through(cursor.day, &cursor.id));
    let (mut total, mut position, mut reviews, mut last, mut is_more) = (0, 0, Vec::new(), None, false);
    for block in shelf.blocks() {
        for (index, note) in block.notes() {
            let Some(vote) = vote_of(note, question.aspect) else { continue };
            if question.vote.is_some_and(|wanted| wanted != vote) {
                continue;
            }
            total += 1;
            if position + index < after {
                continue;
            }
            if reviews.len() == limit {
                is_more = true;
                continue;
            }
            last = Some((block.days()[index], block.id(index)));
            let Ok(review) = serde_json::from_slice::<wire::Review>(&block.json_of(index)) else { continue };
            let recorded = Mentions::default();
            let (text, language) = (review.text.as_str(), review.language.as_deref());
            let subject = Subject { text, language, author: &review.author, recorded: &recorded };
            let mut findings = copy.reader.read(&subject).findings;
            findings.retain(|finding| copy.reader.trade().aspect(&finding.aspect) == Some(usize::from(question.aspect)));
            reviews.push(Supporting { review, vote, findings });
        }
        position += block.len();
    }
    let next = last.filter(|_| is_more).map(|(day, id)| Cursor::within(&question.canonical(copy.reader.trade()), day, id));
    Page { total, reviews, next }
}

#[cfg(test)]
mod tests {
    use super::Question;
    use crate::insights::Trade;
    use crate::search::cursor::Cursor;

    #[test]
    fn a_cursor_belongs_to_the_aspect_and_not_to_its_place_in_the_trade() {
        let trade = Trade::built_in().unwrap();
        let mut other = Trade::built_in().unwrap();
        other.aspects.rotate_left(1);
        let second = Question { aspect: 1, vote: None };
        let cursor = Cursor::within(&second.canonical(&trade), 739_000, "r-1");
        assert!(cursor.belongs_to(&second.canonical(&trade)));
        assert!(!cursor.belongs_to(&second.canonical(&other)), "in that place is another aspect");
        assert!(cursor.belongs_to(&Question { aspect: 0, vote: None }.canonical(&other)), "the same aspect in another place");
    }
}
