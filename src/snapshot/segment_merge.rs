//! The segments after a change: those that it touches are built anew, all others are shared. Apart
//! from the index, which only knows which reviews are gone and which are new. Where all are built
//! anew, they share what is the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::entry::{Entry, Key};
use super::segment::{Segment, SegmentBuilder, ends_segment};
use crate::steps;

/// The segments without `gone` and with `new`.
pub fn merge(
    segments: &[Arc<Segment>],
    gone: &BTreeSet<Key>,
    new: BTreeMap<Key, Entry>,
) -> Vec<Arc<Segment>> {
    let mut revised = Vec::with_capacity(segments.len() + 1);
    let mut builder = SegmentBuilder::default();
    let mut gone = gone.iter().peekable();
    let mut new = new.into_iter().peekable();
    for segment in segments {
        let last = segment.sort_key(segment.len() - 1);
        let is_open = !ends_segment(segment.id(segment.len() - 1));
        let is_touched = !builder.is_empty()
            || gone.peek().is_some_and(|key| key.sort_key() <= last)
            || new
                .peek()
                .is_some_and(|(key, _)| is_open || key.sort_key() <= last);
        if !is_touched {
            revised.push(Arc::clone(segment));
            continue;
        }
        for index in 0..segment.len() {
            steps::one();
            let place = segment.sort_key(index);
            while let Some((_, entry)) = new.next_if(|(key, _)| key.sort_key() <= place) {
                push(&mut builder, &mut revised, &entry);
            }
            if gone.next_if(|key| key.sort_key() == place).is_none() {
                builder.push_from(segment, index);
                finish_if(ends_segment(segment.id(index)), &mut builder, &mut revised);
            }
        }
    }
    for (_, entry) in new {
        push(&mut builder, &mut revised, &entry);
    }
    finish_if(!builder.is_empty(), &mut builder, &mut revised);
    revised
}

/// Lets `segments`, which nobody else has yet, keep the JSON of those of `known` that say the same:
/// a document that has not changed holds it anyway, and what is deflated of it is found again.
pub fn share_json(segments: &mut [Arc<Segment>], known: &[Arc<Segment>]) {
    let known: HashMap<_, _> = known.iter().map(|one| (one.digest(), one.json())).collect();
    for segment in segments.iter_mut().filter_map(Arc::get_mut) {
        if let Some(json) = known.get(segment.digest()) {
            segment.set_json((*json).clone());
        }
    }
}

fn push(builder: &mut SegmentBuilder, segments: &mut Vec<Arc<Segment>>, entry: &Entry) {
    builder.push(entry);
    finish_if(ends_segment(&entry.key.id), builder, segments);
}

fn finish_if(is_complete: bool, builder: &mut SegmentBuilder, segments: &mut Vec<Arc<Segment>>) {
    if is_complete {
        segments.push(Arc::new(builder.finish()));
    }
}
