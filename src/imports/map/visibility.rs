//! Determines whether a row is public at its source, by columns that no platform's entry names. The column's name
//! identifies them, and the words in them decide. Reviews hidden at the source are never published, so unknown words
//! are refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::imports::map::fields::{FieldError, shown};
use crate::imports::map::values::{flag, quoted, without_accent, words};
use crate::imports::platforms::{Names, names};

/// Reason for withholding a review that its source hides.
pub const NOT_PUBLISHED: &str = "not published at the source";

/// Maximum length of a column name, in letters and digits.
const NAME_BYTES_MAX: usize = 20;
/// Words that mean public, in English, German, Spanish, French, Italian, Dutch, Portuguese and Polish, without accents.
const PUBLIC: Names = "accepted, activated, active, approve, approved, display, displayed, enabled, featured, live, ok, online, \
    posted, public, publish, published, shown, visible, veroffentlicht, freigegeben, sichtbar, aktiv, genehmigt, \
    publicado, publicada, aprobado, aprobada, activo, activa, publie, publiee, approuve, approuvee, pubblicato, \
    pubblicata, approvato, approvata, attivo, gepubliceerd, goedgekeurd, zichtbaar, actief, aprovado, aprovada, \
    opublikowany, opublikowana, zatwierdzony, zatwierdzona, widoczny";
/// Words that mean not public, in the same languages.
const HIDDEN: Names = "archived, awaiting approval, awaiting moderation, blocked, deactivated, declined, deleted, denied, disabled, \
    disapproved, draft, expired, flagged, held, hidden, hide, hold, in moderation, in review, inactive, invisible, \
    junk, moderation, not approved, not displayed, not public, not published, not shown, not visible, obsolete, \
    offline, on hold, pending, pending approval, pending moderation, pending review, post trashed, private, \
    quarantined, refused, rejected, removed, reported, spam, suppressed, suspended, trash, trashed, unapproved, \
    under review, unpublished, versteckt, ausgeblendet, verborgen, entwurf, gesperrt, abgelehnt, ausstehend, \
    geloscht, nicht freigegeben, nicht veroffentlicht, unveroffentlicht, oculto, oculta, pendiente, borrador, \
    rechazado, rechazada, masque, masquee, en attente, brouillon, refuse, rejete, non publie, nascosto, nascosta, \
    in attesa, bozza, rifiutato, non pubblicato, in afwachting, concept, afgewezen, pendente, rascunho, rejeitado, \
    ukryty, ukryta, oczekujacy, szkic, odrzucony, withheld";

/// Names of such columns by their letters and digits, without accents.
const COLUMNS: [(Says, Names); 3] = [
    (
        Says::State,
        "state, status, reviewstate, reviewstatus, commentstatus, moderation, moderationstate, \
        moderationstatus, publishstate, publishstatus, publishedstatus, publishingstatus, publicationstate, \
        publicationstatus, approval, approvalstate, approvalstatus, displaystatus, visibility, \
        reviewvisibility, creativeworkstatus, estado, statut, stato, sichtbarkeit",
    ),
    (
        Says::Public,
        "approved, isapproved, commentapproved, reviewapproved, visible, isvisible, published, ispublished, \
        displayed, isdisplayed, display, reviewdisplay, public, ispublic, curated, iscurated, active, \
        isactive, enabled, isenabled, live, islive, veroffentlicht, freigegeben, sichtbar, publicado, \
        publicada, aprobado, publie, approuve, pubblicato, pubblicata, approvato, visibile, gepubliceerd, \
        goedgekeurd, zichtbaar, aprovado, visivel, opublikowano, opublikowany, opublikowana, zatwierdzony, \
        widoczny",
    ),
    (
        Says::Hidden,
        "hidden, ishidden, reviewhidden, deleted, isdeleted, spam, isspam, unpublished, isunpublished, \
        archived, isarchived, rejected, isrejected, private, isprivate, draft, isdraft, pending, ispending, \
        withheld, iswithheld, blocked, isblocked, suppressed, issuppressed, trashed, istrashed, versteckt, \
        ausgeblendet, verborgen, oculto, oculta, masque, nascosto, nascosta, ukryty, ukryta",
    ),
];
static COLUMN_NAMES: LazyLock<HashMap<&str, Says>> = LazyLock::new(|| {
    let named = |(says, list)| names(list).map(move |name| (name, says));
    COLUMNS.into_iter().flat_map(named).collect()
});

/// The meaning of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// The values are words for the state.
    State,
    /// Yes means public.
    Public,
    /// Yes means hidden.
    Hidden,
}

impl Says {
    /// By the column's name, ignoring case and punctuation.
    pub fn find(name: &str) -> Option<Self> {
        let mut plain = [0; NAME_BYTES_MAX];
        let mut length = 0;
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        for letter in letters.flat_map(char::to_lowercase).map(without_accent) {
            // No name here has a letter outside ASCII.
            *plain.get_mut(length)? = u8::try_from(letter).unwrap_or(u8::MAX);
            length += 1;
        }
        let name = std::str::from_utf8(&plain[..length]).ok()?;
        COLUMN_NAMES.get(name).copied()
    }

    /// `None` if the value is unknown.
    fn is_public(self, text: &str) -> Option<bool> {
        let word = words(text);
        let word = word.trim();
        let is_in = |list: Names| names(list).any(|its| its == word);
        match self {
            _ if is_in(PUBLIC) => Some(true),
            _ if is_in(HIDDEN) => Some(false),
            Self::State => None,
            // In a column in which yes means public, an empty value means hidden.
            Self::Public if word.is_empty() => Some(false),
            Self::Public => flag(text).ok(),
            Self::Hidden => flag(text).ok().map(|is_hidden| !is_hidden),
        }
    }

    /// `path` and `may_ignore` (whether the format allows `--map`) are for the message.
    pub fn read(self, path: &str, text: &str, may_ignore: bool) -> Result<bool, FieldError> {
        self.is_public(text)
            .ok_or_else(|| unknown(path, &quoted(text), may_ignore))
    }
}

/// Whether the members of an object make it public, except those that `is_taken`; `None` if no member determines this.
pub fn of_members(
    members: &Map<String, Value>,
    is_taken: impl Fn(&str) -> bool,
    may_ignore: bool,
) -> Result<Option<bool>, FieldError> {
    let mut public = None;
    for (name, value) in members {
        let Some(says) = Says::find(name).filter(|_| !is_taken(name)) else {
            continue;
        };
        let is_public = match value {
            Value::Null => continue,
            Value::String(text) if text.trim().is_empty() => continue,
            Value::String(text) => says.read(name, text, may_ignore)?,
            Value::Bool(_) | Value::Number(_) => says.read(name, &value.to_string(), may_ignore)?,
            Value::Array(_) | Value::Object(_) => {
                return Err(unknown(name, &shown(value), may_ignore));
            }
        };
        public = Some(is_public && public.unwrap_or(true));
    }
    Ok(public)
}

fn unknown(path: &str, value: &str, may_ignore: bool) -> FieldError {
    let ignore = if may_ignore {
        ", or ignore that column with --map status="
    } else {
        ""
    };
    let message = format!(
        "{value} does not say whether the review is public at its source; write published or withheld there{ignore}"
    );
    FieldError::new(path, message)
}

#[cfg(test)]
mod tests {
    use super::Says;

    #[test]
    fn a_column_is_known_by_its_name_and_read_by_its_words() {
        for (name, value, is_public) in [
            ("state", "published", Some(true)),
            ("State", "Unpublished", Some(false)),
            ("Review Status", "Pending review", Some(false)),
            ("state", "AZ", None),
            ("status", "1", None),
            ("comment_approved", "1", Some(true)),
            ("comment_approved", "0", Some(false)),
            ("comment_approved", "post-trashed", Some(false)),
            ("isPublished", "no", Some(false)),
            ("published", "2026-10-01", None),
            ("visible", "", Some(false)),
            ("hidden", "yes", Some(false)),
            ("is_hidden", "false", Some(true)),
            ("Veröffentlicht", "nein", Some(false)),
            ("Statut", "Masqué", Some(false)),
            ("Ukryta", "tak", Some(false)),
            ("Estado", "Publicada", Some(true)),
            ("curated", "spam", Some(false)),
        ] {
            let says = Says::find(name).unwrap();
            assert_eq!(says.is_public(value), is_public, "{name}: {value}");
        }
        for name in [
            "text",
            "états",
            "customer_status_of_the_year",
            "",
            "verified",
        ] {
            assert_eq!(Says::find(name), None, "{name}");
        }
    }
}
