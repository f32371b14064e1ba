//! From the shelf to `/insights.json`: hands the notes to the compiler, and finds the reviews that it quotes.

use std::collections::BTreeSet;

use super::block::Block;
use super::postings::Postings;
use super::print::Copy;
use crate::insights::compile::{Original, Sources, compile};
use crate::insights::model::Model;
use crate::insights::{Kind, Notes, quality};
use crate::links::Links;
use crate::steps;
use crate::wire;

/// What the reviews of `copy` say.
#[must_use]
pub fn insights(copy: &Copy, links: &Links) -> wire::Insights {
    let blocks: Vec<&Notes> = copy.shelf.blocks().iter().map(|block| block.column_of_notes()).collect();
    let mut starts = Vec::with_capacity(blocks.len());
    let mut read = 0;
    for notes in &blocks {
        steps::add(notes.len());
        starts.push(read);
        read += notes.len();
    }
    let original = |position: usize| {
        let block = starts.partition_point(|start| *start <= position).checked_sub(1)?;
        let noted = &copy.shelf.blocks()[block];
        let (index, _) = noted.notes().nth(position - starts[block])?;
        let review: wire::Review = serde_json::from_slice(&noted.json_of(index)).ok()?;
        Some(Original { id: review.id, stars: review.rating, date: review.date, text: review.text })
    };
    let insights = compile(&Sources {
        blocks: &blocks,
        unread: copy.shelf.len() - read,
        original: &original,
        trade: copy.reader.trade(),
        business: &copy.business,
        others: &others(copy),
    });
    wire::Insights::new(&insights, &copy.editorial, method(copy), links)
}

/// What reviews name that is in none of the firm's lists, sorted.
fn others(copy: &Copy) -> Vec<(Kind, String)> {
    let business = &copy.business;
    let technicians: BTreeSet<&str> = business.technicians.iter().map(|one| one.name.as_str()).collect();
    let services: BTreeSet<&str> = business.services.iter().map(|one| one.id.as_str()).collect();
    let areas: BTreeSet<&str> = business.service_areas.iter().map(String::as_str).collect();
    let mut others = BTreeSet::new();
    for (kind, listed) in [(Kind::Technician, technicians), (Kind::Service, services), (Kind::ServiceArea, areas)] {
        let named = copy.shelf.blocks().iter().flat_map(|block| postings(block, kind).iter());
        let unlisted = named.map(|posting| posting.mention.value.as_str()).filter(|value| !listed.contains(value));
        others.extend(unlisted.map(|value| (kind, value)));
    }
    others.into_iter().map(|(kind, value)| (kind, value.to_owned())).collect()
}

const fn postings(block: &Block, kind: Kind) -> &Postings {
    match kind {
        Kind::Technician => block.technicians(),
        Kind::Service => block.services(),
        Kind::ServiceArea => block.service_areas(),
    }
}

fn method(copy: &Copy) -> wire::Method {
    let engine = copy.reader.engine();
    let model = engine.judge().model();
    let mut figures = model.map(quality::of_model).unwrap_or_default();
    if engine.is_built_in() {
        figures.splice(0..0, quality::measured());
    }
    wire::Method {
        engine: concat!("reviews-service ", env!("CARGO_PKG_VERSION")).to_owned(),
        description:
            "Every text is read by rules and small integer weights; the stars have no part in it. A review has one vote for \
                      each aspect. The same reviews give the same bytes."
                .to_owned(),
        trade_sha256: copy.reader.trade().digest().to_owned(),
        weights_sha256: wire::Weights {
            detector: engine.judge().detector().digest().to_owned(),
            polarity: model.map(Model::digest).unwrap_or_default().to_owned(),
        },
        deterministic: true,
        offset_unit: "code_point".to_owned(),
        quality: figures.into_iter().map(Into::into).collect(),
    }
}
