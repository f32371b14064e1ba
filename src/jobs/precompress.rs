//! Makes the content codings of what is out, ahead of anybody who asks. The newest snapshot wins:
//! work for a document that has changed since is dropped, and work for one that has not goes on.

use std::sync::{Arc, Weak};

use crate::snapshot::{CachedBody, Coding, Snapshot, coding};
use crate::web::context::Ctx;

/// Makes what is worth making of each snapshot, and coding, ahead of anybody who asks.
pub type MakeAhead = Arc<dyn Fn(&Arc<Snapshot>) -> Vec<Arc<CachedBody>> + Send + Sync>;

/// Codes for one context.
#[derive(Clone)]
pub struct Precompress {
    ctx: Arc<Ctx>,
    fixed: Arc<[Arc<CachedBody>]>,
    make_ahead: MakeAhead,
    known: Arc<coding::Pieces>,
}

impl Precompress {
    /// The job for `ctx`, for bodies that stay the same while the service runs, and for what is made
    /// of each snapshot.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, fixed: Vec<Arc<CachedBody>>, make_ahead: MakeAhead) -> Self {
        Self {
            ctx,
            fixed: fixed.into(),
            make_ahead,
            known: Arc::default(),
        }
    }

    /// Makes every coding that is missing; says whether there was one.
    pub async fn run_once(&self) -> bool {
        self.make(&Coding::ALL).await
    }

    /// Makes gzip alone, which goes on where it was left, and so comes to its end however soon the
    /// next change comes; says whether any was missing.
    pub async fn run_quick_once(&self) -> bool {
        self.make(&[Coding::Gzip]).await
    }

    async fn make(&self, wanted: &[Coding]) -> bool {
        let (mut did_any, mut failed) = (false, Vec::new());
        let mut pages = PagesAhead::default();
        loop {
            pages = self.pages(pages).await;
            let Some((body, coding)) = self.next(&pages, wanted, &failed) else {
                break;
            };
            let is_made = self.code(Arc::clone(&body), coding, &pages).await;
            did_any |= is_made;
            if self.ctx.is_draining() {
                break;
            }
            // One that the encoder will not make is not tried again before the next snapshot.
            if !is_made && self.is_out(&body, &pages) {
                failed.push((body, coding));
            }
        }
        did_any
    }

    /// The pages of the snapshot that is out: those, or the ones of a newer snapshot.
    async fn pages(&self, last: PagesAhead) -> PagesAhead {
        let snapshot = self.ctx.current.load();
        if last.are_of(&snapshot) {
            return last;
        }
        let make_ahead = Arc::clone(&self.make_ahead);
        let of = Arc::downgrade(&snapshot);
        let bodies = self.ctx.compute.run(move || make_ahead(&snapshot)).await;
        // What panicked panics for who asks, too, and is told there.
        let bodies = bodies.unwrap_or_else(|error| {
            tracing::error!(%error, "pages.not_made_ahead: pages could not be rendered in advance; they are rendered on request");
            Vec::new()
        });
        PagesAhead { of, bodies }
    }

    /// What is to be made next of what is out now: gzip of everything first, and small bodies before
    /// large ones.
    fn next(
        &self,
        pages: &PagesAhead,
        wanted: &[Coding],
        failed: &[(Arc<CachedBody>, Coding)],
    ) -> Option<(Arc<CachedBody>, Coding)> {
        let snapshot = self.ctx.current.load();
        let mut bodies: Vec<&Arc<CachedBody>> = snapshot
            .documents()
            .map(|published| &published.body)
            .chain(&*self.fixed)
            .chain(pages.out(&snapshot))
            .collect();
        bodies.sort_by_key(|body| body.content.len());
        let codings = [Coding::Gzip, Coding::Brotli];
        let codings = codings.into_iter().filter(|coding| wanted.contains(coding));
        let missing = codings.flat_map(|coding| {
            let bodies = bodies.iter().filter(move |body| {
                Coding::for_length(body.content.len()).contains(&coding)
                    && body.coded(coding).is_none()
            });
            bodies.map(move |body| (*body, coding))
        });
        let mut missing = missing.filter(|(body, coding)| {
            !failed
                .iter()
                .any(|(its, no)| Arc::ptr_eq(its, body) && no == coding)
        });
        missing
            .next()
            .map(|(body, coding)| (Arc::clone(body), coding))
    }

    async fn code(&self, body: Arc<CachedBody>, coding: Coding, pages: &PagesAhead) -> bool {
        let (its, pages) = (self.clone(), pages.clone());
        let coded = self.ctx.compute.run(move || {
            let is_cancelled = || its.ctx.is_draining() || !its.is_out(&body, &pages);
            let bytes = coding.compress(&body.content.pieces, &its.known, &is_cancelled)?;
            body.set_coded(coding, bytes);
            Some(())
        });
        // A panic in an encoder costs that coding; identity is always offered.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.token(), "coding.failed: a content coding failed and is \
                not offered"))
            .is_ok_and(|done| done.is_some())
    }

    /// Whether that very cached body is out: of a document in the current snapshot, a page of it, or
    /// one that never changes.
    fn is_out(&self, body: &Arc<CachedBody>, pages: &PagesAhead) -> bool {
        let snapshot = self.ctx.current.load();
        snapshot
            .documents()
            .map(|published| &published.body)
            .chain(&*self.fixed)
            .chain(pages.out(&snapshot))
            .any(|its| Arc::ptr_eq(its, body))
    }
}

/// Pages that were made ahead, and of which snapshot; it is not kept alive for them.
#[derive(Debug, Clone, Default)]
struct PagesAhead {
    of: Weak<Snapshot>,
    bodies: Vec<Arc<CachedBody>>,
}

impl PagesAhead {
    fn are_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(snapshot))
    }

    /// Those of them that are out while `snapshot` is.
    fn out(&self, snapshot: &Arc<Snapshot>) -> &[Arc<CachedBody>] {
        if self.are_of(snapshot) {
            &self.bodies
        } else {
            &[]
        }
    }
}
