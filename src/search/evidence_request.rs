//! What is asked for of an aspect's evidence, and of which aspect: the same for REST, for agents and
//! for pages.

use super::cursor::{Cursor, CursorParameter};
use crate::insights::Trade;
use crate::insights::aggregate::Vote;
use crate::insights::trades::AspectDefinition;
use crate::model::parameters;
use crate::model::parameters::ParameterSource;
use crate::model::{Day, LIMIT_DEFAULT};

/// What is asked for of an aspect's evidence, from whatever source its parameters come.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceRequest {
    /// How the aspect is to be spoken of.
    pub polarity: Option<Vote>,
    /// Of whom: name, id or alias.
    pub technician: Option<String>,
    /// In reviews about what: id, name or synonym.
    pub service: Option<String>,
    /// First day that matches, inclusive.
    pub since: Option<Day>,
    /// Last day that matches, inclusive.
    pub until: Option<Day>,
    /// Whether the reasons are wanted too.
    pub has_hits: bool,
    /// How many reviews a page has.
    pub limit: u8,
    /// Where the page begins, if not with the first review.
    pub cursor: Option<Cursor>,
}

impl EvidenceRequest {
    /// What `source` asks for; what is wrong with it is kept there.
    pub fn take_from(source: &mut impl ParameterSource) -> Self {
        // In the order of the description, in which issues are listed.
        Self {
            polarity: source.take::<parameters::Polarity>(),
            technician: source.take::<parameters::Technician>(),
            service: source.take::<parameters::Service>(),
            since: source.take::<parameters::Since>(),
            until: source.take::<parameters::Until>(),
            has_hits: source.take::<parameters::Hits>().unwrap_or(true),
            limit: source.take::<parameters::Limit>().unwrap_or(LIMIT_DEFAULT),
            cursor: source.take::<CursorParameter>(),
        }
    }

    /// The same of a page that can be narrowed by polarity alone.
    pub fn take_polarity_from(source: &mut impl ParameterSource) -> Self {
        Self {
            polarity: source.take::<parameters::Polarity>(),
            technician: None,
            service: None,
            since: None,
            until: None,
            has_hits: false,
            limit: source.take::<parameters::Limit>().unwrap_or(LIMIT_DEFAULT),
            cursor: source.take::<CursorParameter>(),
        }
    }
}

/// The same about one aspect of a trade.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceQuery<'a> {
    /// The aspect that is asked about.
    pub aspect: &'a AspectDefinition,
    /// What is asked for.
    pub request: &'a EvidenceRequest,
    /// Its place in the trade.
    pub at: u8,
}

impl<'a> EvidenceQuery<'a> {
    /// About the aspect of that id; `None` where the trade has none.
    #[must_use]
    pub fn about(trade: &'a Trade, id: &str, request: &'a EvidenceRequest) -> Option<Self> {
        let at = trade.aspect(id)?;
        Some(Self {
            aspect: &trade.aspects[at],
            request,
            at: u8::try_from(at).ok()?,
        })
    }

    /// What stands for it in a cursor: the aspect's id, for another trade, or another release of
    /// one, has another aspect in that place; and the filters.
    #[must_use]
    pub fn canonical(&self) -> String {
        let EvidenceRequest {
            polarity,
            technician,
            service,
            since,
            until,
            ..
        } = self.request;
        let first = format!("evidence {} {polarity:?}", self.aspect.id);
        // Later filters are named where they matter alone, so that cursors of earlier releases go
        // on.
        if technician.is_none() && service.is_none() && since.is_none() && until.is_none() {
            return first;
        }
        format!("{first} {technician:?} {service:?} {since:?} {until:?}")
    }

    /// The cursor of the request, where it belongs to another question.
    #[must_use]
    pub fn foreign_cursor(&self) -> Option<&'a Cursor> {
        let cursor = self.request.cursor.as_ref();
        cursor.filter(|cursor| !cursor.belongs_to(&self.canonical()))
    }
}

#[cfg(test)]
mod tests {
    use super::{EvidenceQuery, EvidenceRequest};
    use crate::insights::Trade;
    use crate::search::cursor::Cursor;

    #[test]
    fn a_cursor_belongs_to_the_aspect_and_not_to_its_place_in_the_trade() {
        let trade = Trade::built_in().unwrap();
        let mut other = Trade::built_in().unwrap();
        other.aspects.rotate_left(1);
        let request = EvidenceRequest {
            polarity: None,
            technician: None,
            service: None,
            since: None,
            until: None,
            has_hits: true,
            limit: 20,
            cursor: None,
        };
        let [first, second] = [0, 1].map(|at| trade.aspects[at].id.clone());
        let about = |trade, id: &str| {
            EvidenceQuery::about(trade, id, &request)
                .unwrap()
                .canonical()
        };
        let cursor = Cursor::within(&about(&trade, &second), 739_000, "r-1");
        assert!(cursor.belongs_to(&about(&trade, &second)));
        assert!(
            cursor.belongs_to(&about(&other, &second)),
            "the same aspect in another place"
        );
        assert!(
            !cursor.belongs_to(&about(&trade, &first)),
            "in its place is another aspect"
        );
        let of_one = EvidenceRequest {
            technician: Some("Mike Alvarez".to_owned()),
            ..request.clone()
        };
        let filtered = EvidenceQuery::about(&trade, &second, &of_one).unwrap();
        assert!(!cursor.belongs_to(&filtered.canonical()), "other filters");
    }
}
