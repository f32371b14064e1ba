//! Compresses published bodies before they are requested. Work for a document that has changed since is dropped; work
//! for an unchanged one continues.

use std::sync::{Arc, Weak};

use crate::snapshot::{CachedBody, Coding, Snapshot, coding};
use crate::web::context::Ctx;

/// Renders the pages of a snapshot before they are requested.
pub type MakeAhead = Arc<dyn Fn(&Arc<Snapshot>) -> Vec<Arc<CachedBody>> + Send + Sync>;

#[derive(Clone)]
pub struct Precompress {
    ctx: Arc<Ctx>,
    fixed: Arc<[Arc<CachedBody>]>,
    make_ahead: MakeAhead,
    known: Arc<coding::Pieces>,
}

impl Precompress {
    /// `fixed` are bodies that do not change while the service runs; `make_ahead` renders pages of each snapshot.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, fixed: Vec<Arc<CachedBody>>, make_ahead: MakeAhead) -> Self {
        Self {
            ctx,
            fixed: fixed.into(),
            make_ahead,
            known: Arc::default(),
        }
    }

    /// Makes every missing coding; returns whether any was missing.
    pub async fn run_once(&self) -> bool {
        self.make(&Coding::ALL).await
    }

    /// Makes only gzip, which resumes where it was interrupted, so it completes under any rate of changes; returns
    /// whether any was missing.
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
            // A failed coding is not retried before the next snapshot.
            if !is_made && self.is_out(&body, &pages) {
                failed.push((body, coding));
            }
        }
        did_any
    }

    /// The pages of the current snapshot: `last`, or those of a newer snapshot.
    async fn pages(&self, last: PagesAhead) -> PagesAhead {
        let snapshot = self.ctx.current.load();
        if last.are_of(&snapshot) {
            return last;
        }
        let make_ahead = Arc::clone(&self.make_ahead);
        let of = Arc::downgrade(&snapshot);
        let bodies = self.ctx.compute.run(move || make_ahead(&snapshot)).await;
        // A panic recurs for the request that renders the page, and is reported there.
        let bodies = bodies.unwrap_or_else(|error| {
            tracing::error!(%error, "pages.not_made_ahead: pages could not be rendered in advance; they are rendered on request");
            Vec::new()
        });
        PagesAhead { of, bodies }
    }

    /// The next missing coding: gzip of everything first, and small bodies before large ones.
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
            let pieces = coding.compress(&body.content.pieces, &its.known, &is_cancelled)?;
            body.set_coded(coding, pieces);
            Some(())
        });
        // After a panic in an encoder the coding is not offered; identity always is.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.token(), "coding.failed: a content coding failed and is \
                not offered"))
            .is_ok_and(|done| done.is_some())
    }

    /// Whether this very body is published: as a document or a page of the current snapshot, or as a fixed body.
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

/// Pages rendered in advance, with a weak reference to their snapshot.
#[derive(Debug, Clone, Default)]
struct PagesAhead {
    of: Weak<Snapshot>,
    bodies: Vec<Arc<CachedBody>>,
}

impl PagesAhead {
    fn are_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(snapshot))
    }

    /// The pages if they are those of `snapshot`, otherwise none.
    fn out(&self, snapshot: &Arc<Snapshot>) -> &[Arc<CachedBody>] {
        if self.are_of(snapshot) {
            &self.bodies
        } else {
            &[]
        }
    }
}
