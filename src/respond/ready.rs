//! Ready responses: a path whose answer is a cached body keeps the heads of its answers, each made
//! once for the body, its coding and its status. What is left to do for a request is to choose one
//! and to hand out a copy.
//!
//! It must not know which path that is, nor wait for anything.

use std::sync::{Arc, OnceLock, Weak};

use arc_swap::{ArcSwap, Guard};
use poem::Response;
use poem::http::header::DATE;
use poem::http::{HeaderMap, HeaderName, HeaderValue};

use super::answer::{Facts, head, judge, sent, unchanged, whole};
use super::conditional::{Modified, Validators};
use super::shared::{date_beside, share};
use crate::clock::Clock;
use crate::snapshot::{CachedBody, Coding, Snapshot};

/// Answers one path from the cached bodies that come out there, one after the other.
#[derive(Debug)]
pub struct Ready {
    /// What its answers say besides, such as `Link`.
    fields: Vec<(HeaderName, HeaderValue)>,
    last: ArcSwap<Heads>,
}

/// The heads of the answers with one body: of a 200 and a 304, in each coding and in none.
#[derive(Debug, Default)]
struct Heads {
    body: Weak<CachedBody>,
    modified: Option<Modified>,
    whole: [OnceLock<HeaderMap>; 1 + Coding::ALL.len()],
    unchanged: [OnceLock<HeaderMap>; 1 + Coding::ALL.len()],
}

impl Ready {
    /// A path whose answers say this besides.
    #[must_use]
    pub fn new(fields: Vec<(HeaderName, HeaderValue)>) -> Self {
        Self {
            fields,
            last: ArcSwap::default(),
        }
    }

    /// Answers a request with these header fields with `body`, which is out while `snapshot` is and
    /// changed when `modified` says; `clock` is that of `Date`.
    #[must_use]
    pub fn answer(
        &self,
        headers: &HeaderMap,
        snapshot: &Arc<Snapshot>,
        body: &Arc<CachedBody>,
        modified: Option<Modified>,
        clock: &Clock,
    ) -> Response {
        let validators = Validators {
            digest: &body.content.digest,
            modified,
        };
        let (coding, is_sent) = match judge(headers, &body.codings(), &validators) {
            Ok(judged) => judged,
            Err(refusal) => return *refusal,
        };
        let heads = self.heads(body, modified);
        let place = coding.map_or(0, |coding| 1 + coding as usize);
        let make = |length| self.head(body, modified, coding, length);
        let mut response = if is_sent {
            let sent = sent(body, coding, snapshot);
            let head = heads.whole[place].get_or_init(|| make(Some(sent.left_bytes())));
            whole(head.clone(), sent)
        } else {
            unchanged(heads.unchanged[place].get_or_init(|| make(None)).clone())
        };
        if let Some(date) = modified.and_then(|modified| date_beside(modified.at, clock)) {
            response.headers_mut().insert(DATE, date);
        }
        response
    }

    /// The heads of answers with `body`: nothing yet, where another one was answered with last.
    fn heads(&self, body: &Arc<CachedBody>, modified: Option<Modified>) -> Guard<Arc<Heads>> {
        let last = self.last.load();
        // While it is held weakly, its address is not given to another.
        if std::ptr::eq(last.body.as_ptr(), Arc::as_ptr(body)) && last.modified == modified {
            return last;
        }
        let heads = Arc::new(Heads {
            body: Arc::downgrade(body),
            modified,
            ..Heads::default()
        });
        self.last.store(Arc::clone(&heads));
        Guard::from_inner(heads)
    }

    fn head(
        &self,
        body: &CachedBody,
        modified: Option<Modified>,
        coding: Option<Coding>,
        length: Option<u64>,
    ) -> HeaderMap {
        let facts = Facts {
            content_type: body.content_type,
            digest: &body.content.digest,
            modified,
        };
        let mut head = head(&facts, coding, length);
        head.extend(self.fields.iter().cloned());
        share(&mut head);
        head
    }
}
