//! The parts of a review that a file may leave unsaid: verification, status, mentions, the owner's
//! answer.

use crate::imports::fields::Problem;
use crate::imports::incoming::{IncomingResponse, Posted};
use crate::imports::platform::{Field, NO_STARS, When};
use crate::imports::row::{Found, Row};
use crate::imports::values::visibility::{self, NOT_PUBLISHED, Says};
use crate::imports::values::{flag, quoted};
use crate::reviews::NOT_VERIFIED;
use crate::reviews::{Mentions, Method, Stated, Status, Verification};

use super::Plan;

impl Plan<'_> {
    pub(super) fn verification(&self, row: Row<'_>) -> Result<Stated<Verification>, Problem> {
        let matched = self.text(row, Field::Matched)?.is_some_and(|text| {
            self.platform
                .matched
                .is_some_and(|value| value.eq_ignore_ascii_case(text.trim()))
        });
        let verified_at = match self
            .dated(row, Field::VerifiedAt)?
            .map(|dated| dated.posted)
        {
            Some(Posted::Instant(instant)) => Some(instant),
            Some(Posted::Day(_)) | None => None,
        };
        if self.platform.vouches {
            let method = if matched {
                Method::JobMatch
            } else {
                Method::SourcePlatform
            };
            return Ok(Stated::Given(Verification {
                verified: true,
                method,
                verified_at: verified_at.filter(|_| matched),
            }));
        }
        let verified = row
            .get(self.field(Field::Verified))
            .map(|found| flag(&found.text()?).map_err(|error| found.problem(error)))
            .transpose()?;
        let named = |found: Found<'_>| {
            let text = found.text()?;
            let allowed = || Method::ALL.map(Method::name).join(", ");
            Method::find(text.trim()).ok_or_else(|| {
                found.problem(format!("{} is not one of {}", quoted(&text), allowed()))
            })
        };
        let method = row.get(self.field(Field::Method)).map(named).transpose()?;
        Ok(match (verified, method) {
            (None, None) => Stated::Unsaid,
            (verified, method) => Stated::Given(Verification {
                verified: verified.unwrap_or(true),
                method: method.unwrap_or(Method::Manual),
                verified_at,
            }),
        })
    }

    pub(super) fn status(
        &self,
        row: Row<'_>,
        starless: bool,
        verification: Option<&Stated<Verification>>,
    ) -> Result<Stated<Status>, Problem> {
        let withheld = |reason: &str| {
            Ok(Stated::Given(Status::Withheld {
                reason: Some(reason.to_owned()),
            }))
        };
        for (lookup, hidden) in &self.hidden {
            let Some(found) = row.get(lookup) else {
                continue;
            };
            let text = found.text()?;
            let hides = match hidden.when {
                When::Yes => flag(&text).map_err(|error| found.problem(error))?,
                When::No => !flag(&text).map_err(|error| found.problem(error))?,
                When::NoneOf(shown) => !shown
                    .iter()
                    .any(|value| value.eq_ignore_ascii_case(text.trim())),
            };
            if hides {
                return withheld(hidden.reason);
            }
        }
        if starless {
            return withheld(NO_STARS);
        }
        let reason = self.text(row, Field::Reason)?;
        if verification.is_some_and(|its| matches!(its, Stated::Given(its) if !its.verified)) {
            return withheld(reason.as_deref().unwrap_or(NOT_VERIFIED));
        }
        match self.is_public(row)? {
            Some(false) => withheld(reason.as_deref().unwrap_or(NOT_PUBLISHED)),
            Some(true) => Ok(Stated::Given(Status::Published)),
            _ if reason.is_some() => Ok(Stated::Given(Status::Withheld { reason })),
            _ if self
                .hidden
                .iter()
                .any(|(lookup, _)| row.get(lookup).is_some()) =>
            {
                Ok(Stated::Given(Status::Published))
            }
            _ => Ok(Stated::Unsaid),
        }
    }

    /// Whether a column or member of which the platform's entry says nothing says that the row is public.
    fn is_public(&self, row: Row<'_>) -> Result<Option<bool>, Problem> {
        let Some(states) = &self.states else {
            return match row {
                Row::Json(members) => {
                    visibility::of_members(members, |name| self.takes(name), true)
                }
                Row::Cells(..) => Ok(None),
            };
        };
        let mut public = None;
        for (lookup, says) in states {
            let text = match (row.get(lookup), row) {
                (Some(found), _) => found.text()?,
                (None, Row::Cells(..)) if *says == Says::Public => String::new(),
                (None, _) => continue,
            };
            let is_public = says.read(&row.path(lookup), &text, true)?;
            public = Some(is_public && public.unwrap_or(true));
        }
        Ok(public)
    }

    pub(super) fn mentions(&self, row: Row<'_>) -> Result<Stated<Mentions>, Problem> {
        let mut any = false;
        let mut names = |field| {
            let Some(found) = row.get(self.field(field)) else {
                return Ok(Vec::new());
            };
            any = true;
            let names = found.texts()?;
            // The rows of a review's mentions are read packed between control characters.
            let broken = names.iter().any(|name| name.contains(char::is_control));
            if broken {
                Err(found.problem("has a control character; remove it"))
            } else {
                Ok(names)
            }
        };
        let mentions = Mentions::new(
            names(Field::Technicians)?,
            names(Field::Services)?,
            names(Field::ServiceAreas)?,
        );
        Ok(if any {
            Stated::Given(mentions)
        } else {
            Stated::Unsaid
        })
    }

    pub(super) fn response(&self, row: Row<'_>) -> Result<Stated<IncomingResponse>, Problem> {
        let Some(text) = self.text(row, Field::ResponseText)? else {
            return Ok(if row.has(self.field(Field::ResponseText)) {
                Stated::None
            } else {
                Stated::Unsaid
            });
        };
        let (posted, author) = (
            self.dated(row, Field::ResponseDate)?,
            self.text(row, Field::ResponseAuthor)?,
        );
        Ok(Stated::Given(IncomingResponse {
            text,
            posted,
            author,
        }))
    }
}
