//! The entities that are counted: first the business's own lists, then other names in reviews. Each has a number.

use crate::insights::analysis::MentionKind;
use crate::insights::packed_analysis::name_key;
use crate::model::business::Business;

/// A technician, service or place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RosterEntry {
    pub kind: MentionKind,
    /// Id chosen by the owner; `None` for places and for names that are not in the business's lists.
    pub id: Option<String>,
    /// The name in the business's list, or as recorded in reviews.
    pub name: String,
    key: u64,
}

/// All counted entities.
#[derive(Debug, Clone)]
pub struct Roster {
    known: Vec<RosterEntry>,
    /// Open addressing by key; a slot contains the entity's number, from 1.
    slots: Vec<u32>,
}

impl Roster {
    /// The business's technicians, services and places in its own order; each kind is followed by the remaining values
    /// of `others`, in their order.
    #[must_use]
    pub fn new(business: &Business, others: &[(MentionKind, String)]) -> Self {
        let one = |kind, id: Option<&String>, name: &str, value: &str| RosterEntry {
            kind,
            id: id.cloned(),
            name: name.to_owned(),
            key: name_key(kind, value),
        };
        let technicians = business
            .technicians
            .iter()
            .map(|its| one(MentionKind::Technician, Some(&its.id), &its.name, &its.name));
        let services = business
            .services
            .iter()
            .map(|its| one(MentionKind::Service, Some(&its.id), &its.name, &its.id));
        let areas = business
            .service_areas
            .iter()
            .map(|name| one(MentionKind::ServiceArea, None, name, name));
        let slots = 4
            * (business.technicians.len()
                + business.services.len()
                + business.service_areas.len()
                + others.len());
        let mut roster = Self {
            known: Vec::new(),
            slots: vec![0; slots.next_power_of_two().max(16)],
        };
        let listed: [Vec<RosterEntry>; 3] =
            [technicians.collect(), services.collect(), areas.collect()];
        for (kind, listed) in [
            MentionKind::Technician,
            MentionKind::Service,
            MentionKind::ServiceArea,
        ]
        .into_iter()
        .zip(listed)
        {
            let besides = others
                .iter()
                .filter(|(its, _)| *its == kind)
                .map(|(_, value)| one(kind, None, value, value));
            listed
                .into_iter()
                .chain(besides)
                .for_each(|known| roster.add(known));
        }
        roster
    }

    fn add(&mut self, known: RosterEntry) {
        let slot = self.slot(known.key);
        if self.slots[slot] == 0 {
            self.known.push(known);
            self.slots[slot] = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        }
    }

    /// All entries: technicians, then services, then places.
    #[must_use]
    pub fn entries(&self) -> &[RosterEntry] {
        &self.known
    }

    /// The number of the entity with that key.
    #[must_use]
    pub fn find(&self, key: u64) -> Option<usize> {
        (self.slots[self.slot(key)] as usize).checked_sub(1)
    }

    /// The slot with that key, or the free slot for it. There is always a free slot.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = usize::try_from(key >> 32).unwrap_or_default() & mask;
        while let Some(at) = (self.slots[slot] as usize).checked_sub(1) {
            if self.known[at].key == key {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }
}
