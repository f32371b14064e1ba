//! The one pass over all notes, newest first. Everything it fills has its place beforehand; nothing is allocated for a note.

use chrono::{Datelike, NaiveDate};

use super::figures::{Vote, Votes};
use super::quotes::{Shortlist, worth};
use super::roster::Roster;
use crate::insights::note::{NoteRef, Notes};
use crate::insights::reading::{Kind, Language, Polarity};

/// An aspect's number has to be one bit of a mask.
pub const ASPECTS_MAX: usize = 64;
/// How much better a quote of a job or a place is where the sentence names it.
const TOLD_WORTH: u32 = 3;
/// Months in a year.
const YEAR: i32 = 12;

/// What is counted of one aspect, or of one who or what is named.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Reviews by what they say of it.
    pub votes: Votes,
    /// How often it is judged or named in texts.
    pub mentions: u32,
    /// How often it may be meant, and nobody can tell.
    pub ambiguous: u32,
    /// Quotes that may be shown: praise, blame.
    pub quotes: [Shortlist; 2],
}

/// The reviews of one month.
#[derive(Debug, Clone)]
pub struct Month {
    /// Years times twelve, and the month from 0.
    pub number: i32,
    /// Reviews; of which positive, negative, mixed: of each aspect, then of each who or what is named.
    pub cells: Vec<[u32; 4]>,
}

/// All that is counted.
#[derive(Debug, Clone)]
pub struct Counted {
    /// How many reviews there are.
    pub reviews: u32,
    /// Of them with a text.
    pub with_text: u32,
    /// Of these analysed.
    pub analysed: u32,
    /// Of these in another language.
    pub foreign: u32,
    /// Sentences of what was analysed.
    pub sentences: u32,
    /// Days of the newest and of the oldest review.
    pub days: Option<(i32, i32)>,
    /// Analysed reviews by how they speak as a whole.
    pub overall: Votes,
    /// Of each aspect.
    pub aspects: Vec<Tally>,
    /// Of each who or what is named.
    pub entities: Vec<Tally>,
    /// Reviews that name somebody or something and judge an aspect: a row of aspects for each named.
    pub joint: Vec<u32>,
    /// Months with reviews, newest first.
    pub months: Vec<Month>,
}

impl Counted {
    /// Counts `blocks`, newest first, of a trade of so many aspects.
    #[must_use]
    pub fn new(blocks: &[&Notes], aspects: usize, roster: &Roster) -> Self {
        let (aspects, entities) = (aspects.min(ASPECTS_MAX), roster.known().len());
        let newest = blocks.iter().find(|block| !block.is_empty()).map(|block| block.get(0).head.day);
        let oldest = blocks.iter().rev().find_map(|block| Some(block.get(block.len().checked_sub(1)?).head.day));
        let mut counted = Self {
            reviews: 0,
            with_text: 0,
            analysed: 0,
            foreign: 0,
            sentences: 0,
            days: newest.zip(oldest),
            overall: Votes::default(),
            aspects: vec![Tally::default(); aspects],
            entities: vec![Tally::default(); entities],
            joint: vec![0; aspects * entities],
            months: Vec::new(),
        };
        let mut pass = Pass { roster, newest: newest.unwrap_or_default(), month_begins: i32::MAX, position: 0 };
        for note in blocks.iter().flat_map(|block| block.iter()) {
            pass.count(&mut counted, note);
        }
        counted
    }
}

/// What moves along.
struct Pass<'a> {
    roster: &'a Roster,
    newest: i32,
    /// The first day of the month that the last row of months is of.
    month_begins: i32,
    position: u32,
}

/// What one note says, as masks.
#[derive(Default)]
struct Masks {
    /// Aspects by polarity, in the order of [`at`].
    aspects: [u64; 4],
    /// Marks by polarity, in the order of [`at`].
    marks: [u32; 4],
    /// How good a quote each of them would be.
    worth: [u32; u32::BITS as usize],
}

const fn at(polarity: Polarity) -> usize {
    match polarity {
        Polarity::Positive => 0,
        Polarity::Negative => 1,
        Polarity::Neutral => 2,
        Polarity::Uncertain => 3,
    }
}

impl Pass<'_> {
    fn count(&mut self, counted: &mut Counted, note: NoteRef<'_>) {
        let head = note.head;
        counted.reviews += 1;
        counted.with_text += u32::from(head.sentences > 0 || head.language != Language::None);
        counted.foreign += u32::from(head.language == Language::Other);
        let is_analysed = head.language == Language::English;
        let overall = if is_analysed { whole(head.overall) } else { Vote::Neutral };
        if is_analysed {
            counted.analysed += 1;
            counted.sentences += u32::from(head.sentences);
            counted.overall.count(overall);
        }
        self.turn_to_month_of(counted, head.day);
        let judged = self.judgements(counted, note);
        self.names(counted, note, &judged, overall);
        self.position += 1;
    }

    fn turn_to_month_of(&mut self, counted: &mut Counted, day: i32) {
        if day >= self.month_begins {
            return;
        }
        let Some(date) = NaiveDate::from_num_days_from_ce_opt(day) else { return };
        self.month_begins = day - date.day0().cast_signed();
        let number = date.year() * YEAR + date.month0().cast_signed();
        counted.months.push(Month { number, cells: vec![[0; 4]; counted.aspects.len() + counted.entities.len()] });
    }

    /// Counts the aspects of a note; what it says as masks.
    fn judgements(&self, counted: &mut Counted, note: NoteRef<'_>) -> Masks {
        let mut masks = Masks::default();
        for (number, mark) in (0_u32..).zip(note.marks) {
            let Some(tally) = counted.aspects.get_mut(usize::from(mark.aspect)) else { continue };
            let polarity = at(mark.polarity);
            masks.aspects[polarity] |= 1 << mark.aspect;
            masks.marks[polarity] |= 1_u32.checked_shl(number).unwrap_or(0);
            tally.mentions += 1;
            if let Some(list) = tally.quotes.get_mut(polarity) {
                let worth = worth(mark, note, self.newest - note.head.day);
                if let Some(kept) = masks.worth.get_mut(number as usize) {
                    *kept = worth;
                }
                list.offer(self.position, worth, mark);
            }
        }
        let [praised, blamed, neutral, uncertain] = masks.aspects;
        let Some(month) = counted.months.last_mut() else { return masks };
        for aspect in bits(praised | blamed | neutral | uncertain) {
            let holds = |mask: u64| mask >> aspect & 1 == 1;
            let vote = Vote::fold(holds(praised), holds(blamed), holds(uncertain));
            counted.aspects[aspect].votes.count(vote);
            tick(&mut month.cells[aspect], vote);
        }
        masks
    }

    fn names(&self, counted: &mut Counted, note: NoteRef<'_>, masks: &Masks, overall: Vote) {
        let aspects = counted.aspects.len();
        let judged = masks.aspects.iter().fold(0, |all, mask| all | mask);
        for name in note.names {
            let Some(entity) = self.roster.find(name.key) else { continue };
            let tally = &mut counted.entities[entity];
            tally.ambiguous += u32::from(name.ambiguous);
            if !name.is_linked {
                continue;
            }
            tally.mentions += u32::from(name.mentions);
            let is_person = name.kind == Kind::Technician;
            let [praised, blamed, _, uncertain] = masks.marks.map(|marks| marks & name.told != 0);
            // Of a job and of a place a review speaks as a whole; of a person only where it says so.
            let said = Vote::fold(praised, blamed, uncertain);
            let vote = if said == Vote::Neutral && !is_person { overall } else { said };
            tally.votes.count(vote);
            for ((number, mark), worth) in note.marks.iter().enumerate().zip(masks.worth) {
                let is_told = name.told >> number & 1 == 1;
                // Nobody is praised or blamed by name with words against which the rest of the review speaks.
                let is_fit = if is_person { is_told && mark.polarity == note.head.overall } else { true };
                if let Some(list) = tally.quotes.get_mut(at(mark.polarity)).filter(|_| is_fit) {
                    list.offer(self.position, worth + TOLD_WORTH * u32::from(is_told), mark);
                }
            }
            if let Some(month) = counted.months.last_mut() {
                tick(&mut month.cells[aspects + entity], vote);
            }
            let joint = &mut counted.joint[entity * aspects..][..aspects];
            bits(judged).for_each(|aspect| joint[aspect] += 1);
        }
    }
}

/// A review's vote on an aspect; nothing where it does not speak of it.
#[must_use]
pub fn vote_of(note: NoteRef<'_>, aspect: u8) -> Option<Vote> {
    let says = |polarity| note.marks.iter().any(|mark| mark.aspect == aspect && mark.polarity == polarity);
    let is_spoken_of = note.marks.iter().any(|mark| mark.aspect == aspect);
    let vote = || Vote::fold(says(Polarity::Positive), says(Polarity::Negative), says(Polarity::Uncertain));
    is_spoken_of.then(vote)
}

/// The votes of these reviews on each of so many aspects.
pub fn votes_of<'a>(notes: impl Iterator<Item = NoteRef<'a>>, aspects: usize) -> Vec<Votes> {
    let mut votes = vec![Votes::default(); aspects];
    for note in notes {
        for (aspect, votes) in (0..).zip(&mut votes) {
            if let Some(vote) = vote_of(note, aspect) {
                votes.count(vote);
            }
        }
    }
    votes
}

/// The vote of a text as a whole.
pub const fn whole(polarity: Polarity) -> Vote {
    match polarity {
        Polarity::Positive => Vote::Positive,
        Polarity::Negative => Vote::Negative,
        Polarity::Neutral => Vote::Neutral,
        Polarity::Uncertain => Vote::Uncertain,
    }
}

fn tick([reviews, positive, negative, mixed]: &mut [u32; 4], vote: Vote) {
    *reviews += 1;
    *positive += u32::from(vote == Vote::Positive);
    *negative += u32::from(vote == Vote::Negative);
    *mixed += u32::from(vote == Vote::Mixed);
}

/// The bits that are set, ascending.
pub fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        bit
    })
}
