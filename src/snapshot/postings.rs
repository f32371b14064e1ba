//! Which of a segment's reviews mention what.

use super::entry::Mention;

/// Who mentions what: for each value, the positions in the segment, ascending.
#[derive(Debug, Clone, Default)]
pub struct Postings(Vec<Posting>);

/// One value and its positions.
#[derive(Debug, Clone)]
pub struct Posting {
    /// The name or id that the reviews mention.
    pub mention: Mention,
    /// The positions in the segment.
    pub positions: Vec<u32>,
}

impl Postings {
    pub(super) fn push(&mut self, position: usize, mention: &Mention) {
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        match self
            .0
            .iter_mut()
            .find(|posting| posting.mention.value == mention.value)
        {
            Some(posting) => posting.positions.push(position),
            None => self.0.push(Posting {
                mention: mention.clone(),
                positions: vec![position],
            }),
        }
    }

    /// Every value of the segment.
    pub fn iter(&self) -> impl Iterator<Item = &Posting> {
        self.0.iter()
    }

    pub(super) fn at(&self, position: usize) -> impl Iterator<Item = &Mention> {
        let holds =
            move |posting: &&Posting| posting.positions.iter().any(|at| *at as usize == position);
        self.0.iter().filter(holds).map(|posting| &posting.mention)
    }
}
