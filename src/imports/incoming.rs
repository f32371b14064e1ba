//! A review as its source states it: what `row` makes of each row of a file, and `merge` merges.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::imports::fault::Position;
use crate::imports::format::Format;
use crate::imports::request::SOURCE_DEFAULT;
use crate::model::{
    Day, Digests, LastStatement, Method, Review, ReviewId, Statement, Status, Unit, Verification,
    source_day,
};

/// A review as its source states it: the result of reading one row, for every format.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else of the row"
)]
pub struct Incoming {
    /// Its ID is the one that the row states, or derived from the row.
    pub statement: Statement,
    pub has_id: bool,
    /// The author's name, if it is not published.
    pub hidden_name: Option<Box<str>>,
    /// Whether its answer is not published.
    pub is_answer_hidden: bool,
    /// Whether it is withheld for a value that the owner did not name.
    pub has_new_value: bool,
    /// Whether its source gives an instant, whose day depends on the time zone.
    pub has_instant: bool,
    pub unpublished: Unpublished,
}

/// What a row has besides the review. All but the first are only in exports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unpublished {
    /// Time of the review, if its source gave an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// The source's ID of the review if it has another one here.
    pub id_at_source: Option<String>,
    /// The source's former name, if the owner renamed it.
    pub imported_from: Option<String>,
    /// The owner's note.
    pub note: Option<String>,
    /// What the source last said.
    pub last_statement: Option<LastStatement>,
    /// Digests of what the source last gave, if they differ from those of the review.
    pub digests: Option<Digests>,
}

impl Incoming {
    /// The source's name before the owner renamed it; `None` if the row states none.
    pub fn source_name(&self) -> Option<&str> {
        let Statement {
            review, unstated, ..
        } = &self.statement;
        let named = (!unstated.contains(&Unit::Source)).then_some(review.source.name.as_str());
        self.unpublished.imported_from.as_deref().or(named)
    }

    /// Whether its source hides the review or a part of it.
    pub fn hides(&self) -> bool {
        self.statement.review.status != Status::Published || !self.hidden_parts().is_empty()
    }

    /// The members of the review that the source hides.
    pub fn hidden_parts(&self) -> Vec<&'static str> {
        let mut parts = Vec::new();
        parts.extend(self.hidden_name.is_some().then_some("author"));
        parts.extend(self.is_answer_hidden.then_some("owner_reply"));
        parts
    }
}

/// Verification of a row without one: the owner who imports the row vouches for it.
pub const VOUCHED: Verification = Verification {
    method: Some(Method::Manual),
    verified_at: None,
};

/// A row of a file.
#[derive(Debug)]
pub struct ReviewRow {
    /// Index of its file in the report.
    pub file: usize,
    pub at: Position,
    pub format: Arc<Format>,
    pub incoming: Incoming,
    /// Of what its source gives.
    pub digests: Digests,
}

impl ReviewRow {
    pub fn new(file: usize, at: Position, format: &Arc<Format>, incoming: Incoming) -> Self {
        let (review, unpublished) = (&incoming.statement.review, &incoming.unpublished);
        let author = incoming.hidden_name.as_deref().unwrap_or(&review.author);
        let digests = match unpublished.digests {
            Some(digests) => digests,
            None => Digests::new(review, author, unpublished.posted_at),
        };
        Self {
            file,
            at,
            format: Arc::clone(format),
            incoming,
            digests,
        }
    }

    pub const fn review(&self) -> &Review {
        &self.incoming.statement.review
    }

    /// The ID that the row states, or one derived from the row.
    pub const fn id(&self) -> &ReviewId {
        &self.review().id
    }

    /// The author as the source names it, published or not.
    pub fn author(&self) -> &str {
        let hidden = self.incoming.hidden_name.as_deref();
        hidden.unwrap_or(&self.review().author)
    }

    /// Its day at the source.
    pub fn source_day(&self) -> Day {
        source_day(self.review().date, self.incoming.unpublished.posted_at)
    }

    /// Its ID at the source, if the review has another one, which is `id`.
    pub fn id_at_source(&self, id: &ReviewId) -> Option<String> {
        let exported = self.incoming.unpublished.id_at_source.clone();
        let stated = (self.incoming.has_id && self.id() != id).then(|| self.id().to_string());
        exported.or(stated)
    }

    /// The name of its source.
    pub fn source(&self) -> &str {
        self.incoming.source_name().unwrap_or(SOURCE_DEFAULT)
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let unpublished = &self.incoming.unpublished;
        let others = [
            Some(self.author()),
            Some(self.source()),
            unpublished.note.as_deref(),
            unpublished.id_at_source.as_deref(),
        ];
        self.review().texts().chain(others.into_iter().flatten())
    }
}
