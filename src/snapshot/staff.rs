//! The shown names of technicians. Reviews, analyses and the roster are converted before a snapshot is made, so a
//! snapshot has only shown names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::SqliteConnection;

use super::entries::Entry;
use crate::insights::{CompactAnalysis, name_key};
use crate::model::business::{Business, PublishStaff, Technician};
use crate::model::{MentionKind, Review, fold, short_name};
use crate::storage;
use crate::storage::reviews::recorded_technicians;

/// The technicians and their shown names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Staff {
    /// The business with full names and aliases. Private: it must not be published.
    own: Business,
    /// Full names that only reviews mention; empty if all names are shown in full.
    besides: Vec<String>,
    /// Shown names by folded full name; empty if all names are shown in full or none are shown.
    shown: BTreeMap<String, String>,
    /// The same, by [`name_key`] of every known spelling.
    keys: HashMap<u64, u64>,
}

impl Staff {
    /// Loads the shown names for `business`. `former` are full names that analyses may still have, because the roster
    /// has changed since.
    pub async fn load(
        connection: &mut SqliteConnection,
        business: Business,
        former: Vec<String>,
    ) -> sqlx::Result<(Self, Business)> {
        if business.publish_staff == PublishStaff::Full {
            let shown = business.clone();
            return Ok((Self::new(business, Vec::new()), shown));
        }
        let numbers = storage::business::technician_numbers(connection).await?;
        let mut spellings = recorded_technicians(connection).await?;
        spellings.extend(former);
        let staff = Self::new(business, spellings);
        let shown = staff.business(&numbers);
        Ok((staff, shown))
    }

    /// `besides` are names that only reviews mention.
    fn new(business: Business, besides: Vec<String>) -> Self {
        let mut staff = Self {
            own: business,
            besides,
            ..Self::default()
        };
        if staff.own.publish_staff == PublishStaff::FirstName {
            let listed = staff.own.technicians.iter().map(|one| one.name.as_str());
            let known: Vec<&str> = listed
                .chain(staff.besides.iter().map(String::as_str))
                .collect();
            let shown = first_names(&staff.own.technicians, &known);
            let key = |name: &str| name_key(MentionKind::Technician, name);
            staff.keys = known
                .iter()
                .filter_map(|name| Some((key(name), key(shown.get(&person(name))?))))
                .collect();
            staff.shown = shown;
        }
        staff
    }

    /// Whether `business` is the one that this was built from.
    pub fn is_of(&self, business: &Business) -> bool {
        self.own == *business
    }

    /// Whether rendering with either gives the same result.
    pub fn shows_as(&self, other: &Self) -> bool {
        self.own.publish_staff == other.own.publish_staff
            && (&self.shown, &self.keys) == (&other.shown, &other.keys)
    }

    /// The full names of the roster.
    pub(super) fn full_names(&self) -> impl Iterator<Item = &str> {
        self.own.technicians.iter().map(|one| one.name.as_str())
    }

    /// All names and aliases, shown or not, to distinguish names from other words.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.own
            .technicians
            .iter()
            .flat_map(|one| one.aliases.iter().chain([&one.name]))
            .chain(&self.besides)
            .map(String::as_str)
    }

    /// The business with its roster as shown; `numbers` are the technicians' numbers by the business's own ID.
    fn business(&self, numbers: &BTreeMap<String, i64>) -> Business {
        let mut shown = self.own.clone();
        match self.own.publish_staff {
            PublishStaff::Full => {}
            PublishStaff::FirstName => {
                shown.technicians = self
                    .own
                    .technicians
                    .iter()
                    .filter_map(|one| {
                        Some(Technician {
                            id: format!("technician-{}", numbers.get(&one.id)?),
                            name: self.public_name(&one.name)?,
                            aliases: Vec::new(),
                        })
                    })
                    .collect();
            }
            PublishStaff::Off => shown.technicians = Vec::new(),
        }
        shown
    }

    /// The shown name; `None` if the technician is not shown.
    fn public_name(&self, full: &str) -> Option<String> {
        match self.own.publish_staff {
            PublishStaff::Full => Some(full.to_owned()),
            PublishStaff::FirstName => self.shown.get(&person(full)).cloned(),
            PublishStaff::Off => None,
        }
    }

    /// The entry of a review with shown technicians only. `names` were found in its text, and are added to the recorded
    /// ones.
    pub fn entry(
        &self,
        review_no: Option<i64>,
        mut review: Review,
        names: &[(MentionKind, String)],
        analysis: Option<CompactAnalysis>,
    ) -> Entry {
        let is_full = self.own.publish_staff == PublishStaff::Full;
        if !is_full || !names.is_empty() {
            let recorded = review.mentions.pairs();
            let pairs = recorded.chain(names.iter().map(|(kind, name)| (*kind, name)));
            review.mentions = pairs
                .filter_map(|(kind, name)| match kind {
                    MentionKind::Technician => Some((kind, self.public_name(name)?)),
                    MentionKind::Service | MentionKind::ServiceArea => Some((kind, name.clone())),
                })
                .collect();
        }
        let renamed = |analysis: CompactAnalysis| {
            let shown = |key| self.keys.get(&key).copied();
            analysis.renamed(MentionKind::Technician, shown)
        };
        Entry {
            review_no,
            review,
            analysis: if is_full {
                analysis
            } else {
                analysis.map(renamed)
            },
        }
    }
}

/// The identity of a person: the folded full name with single spaces.
fn person(name: &str) -> String {
    fold(&name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The shown name of each of `known`, by [`person`]; technicians of the roster have priority.
fn first_names(listed: &[Technician], known: &[&str]) -> BTreeMap<String, String> {
    let by_alias = aliases(listed);
    let mut people: Vec<(String, &str)> = Vec::new();
    let mut seen = BTreeSet::new();
    for name in known {
        let person = person(name);
        if !by_alias.contains_key(&person) && seen.insert(person.clone()) {
            people.push((person, name));
        }
    }
    let mut same: BTreeMap<String, usize> = BTreeMap::new();
    for (_, name) in &people {
        *same.entry(fold(first_name(&short_name(name)))).or_default() += 1;
    }
    let (mut shown, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (person, name) in &people {
        let short = short_name(name);
        let first = first_name(&short);
        let is_alone = same.get(&fold(first)).is_some_and(|count| *count == 1);
        // A name without an initial is short as it is, or would be shown whole.
        let has_initial = short.ends_with('.') && short.split(' ').count() == 2;
        let short = if has_initial && !is_alone {
            &short
        } else {
            first
        };
        let numbered = (2..).map(|number| format!("{short} ({number})"));
        let mut candidates = std::iter::once(short.to_owned()).chain(numbered);
        // There are more numbers than people.
        let own = candidates
            .find(|candidate| taken.insert(fold(candidate)))
            .unwrap_or_else(|| short.to_owned());
        shown.insert(person.clone(), own);
    }
    let of_aliases: Vec<(String, String)> = by_alias
        .into_iter()
        .filter_map(|(alias, owner)| Some((alias, shown.get(&owner?)?.clone())))
        .collect();
    shown.extend(of_aliases);
    shown
}

/// The person of each alias that is not a name itself; `None` if several people have it.
fn aliases(listed: &[Technician]) -> BTreeMap<String, Option<String>> {
    let names: BTreeSet<String> = listed.iter().map(|one| person(&one.name)).collect();
    let mut owners: BTreeMap<String, Option<String>> = BTreeMap::new();
    for one in listed {
        let owner = person(&one.name);
        for alias in one.aliases.iter().map(|alias| person(alias)) {
            if names.contains(&alias) {
                continue;
            }
            owners
                .entry(alias)
                .and_modify(|known| *known = known.take().filter(|known| *known == owner))
                .or_insert_with(|| Some(owner.clone()));
        }
    }
    owners
}

/// The first word of a short name.
fn first_name(short: &str) -> &str {
    short.split(' ').next().unwrap_or(short)
}

#[cfg(test)]
mod tests {
    use super::first_names;
    use crate::model::business::Technician;

    fn technician(name: &str, aliases: &[&str]) -> Technician {
        Technician {
            id: name.to_lowercase().replace(' ', "-"),
            name: name.to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        }
    }

    #[test]
    fn equal_first_names_get_distinct_initials_or_numbers() {
        let listed = [
            technician("Mike Alvarez", &["Mikey"]),
            technician("Mike Anders", &[]),
            technician("Mike Brown", &["Big Mike"]),
            technician("Dana Cole", &["Dee"]),
            technician("Dean Drew", &["Dee"]),
            technician("Öberg,  Dana", &[]),
            technician("Dean Howe 2nd", &[]),
            technician("Cher", &[]),
        ];
        let mut known: Vec<&str> = listed.iter().map(|one| one.name.as_str()).collect();
        known.extend(["mike  alvarez", "Mikey", "Dee", "Dana"]);
        let shown = first_names(&listed, &known);
        let of = |name: &str| shown.get(name).map(String::as_str);
        for (name, expected) in [
            ("mike alvarez", Some("Mike A.")),
            ("mike anders", Some("Mike A. (2)")),
            ("mike brown", Some("Mike B.")),
            ("dana cole", Some("Dana C.")),
            ("dana", Some("Dana")),
            ("öberg, dana", Some("Dana Ö.")),
            ("dean howe 2nd", Some("Dean")),
            ("cher", Some("Cher")),
            ("dean drew", Some("Dean D.")),
            // An alias of one person resolves to that person; an alias of two to none.
            ("mikey", Some("Mike A.")),
            ("dee", None),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
    }
}
