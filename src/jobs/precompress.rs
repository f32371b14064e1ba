//! Makes the content codings of what is out, ahead of anybody who asks. The newest snapshot wins:
//! work for a document that has changed since is dropped, and work for one that has not goes on.

use std::sync::{Arc, Weak};

use crate::snapshot::{CachedBody, Coding, Snapshot, coding};
use crate::web::context::Ctx;

/// Codes for one context.
#[derive(Debug, Clone)]
pub struct Precompress {
    ctx: Arc<Ctx>,
    known: Arc<coding::Pieces>,
}

impl Precompress {
    /// The job for `ctx`.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>) -> Self {
        Self {
            ctx,
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
        let mut pages = Pages::default();
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
            if !is_made && is_out(&self.ctx, &body, &pages) {
                failed.push((body, coding));
            }
        }
        did_any
    }

    /// The pages of the snapshot that is out: those, or the ones of a newer snapshot.
    async fn pages(&self, last: Pages) -> Pages {
        let snapshot = self.ctx.current.load();
        if last.are_of(&snapshot) {
            return last;
        }
        let Some(maker) = self.ctx.made_ahead().map(Arc::clone) else {
            return last;
        };
        let of = Arc::downgrade(&snapshot);
        let bodies = self.ctx.compute.run(move || maker.bodies(&snapshot)).await;
        // What panicked panics for who asks, too, and is told there.
        let bodies = bodies.unwrap_or_else(|error| {
            tracing::error!(%error, "pages.not_made_ahead: they are made when they are asked for");
            Vec::new()
        });
        Pages { of, bodies }
    }

    /// What is to be made next of what is out now: gzip of everything first, and small bodies before
    /// large ones.
    fn next(
        &self,
        pages: &Pages,
        wanted: &[Coding],
        failed: &[(Arc<CachedBody>, Coding)],
    ) -> Option<(Arc<CachedBody>, Coding)> {
        let snapshot = self.ctx.current.load();
        let mut bodies: Vec<&Arc<CachedBody>> = snapshot
            .documents()
            .map(|published| &published.body)
            .chain(self.ctx.fixed())
            .chain(pages.out(&snapshot))
            .collect();
        bodies.sort_by_key(|body| body.content.len());
        let codings = [Coding::Gzip, Coding::Brotli];
        let codings = codings.into_iter().filter(|coding| wanted.contains(coding));
        let missing = codings.flat_map(|coding| {
            let bodies = bodies.iter().filter(move |body| {
                Coding::wanted(body.content.len()).contains(&coding) && body.coded(coding).is_none()
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

    async fn code(&self, body: Arc<CachedBody>, coding: Coding, pages: &Pages) -> bool {
        let (ctx, known) = (Arc::clone(&self.ctx), Arc::clone(&self.known));
        let pages = pages.clone();
        let coded = self.ctx.compute.run(move || {
            let is_cancelled = || ctx.is_draining() || !is_out(&ctx, &body, &pages);
            let bytes = coding.compress(&body.content.pieces, &known, &is_cancelled)?;
            body.set_coded(coding, bytes);
            Some(())
        });
        // A panic in an encoder costs that coding; identity is always offered.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.token(), "coding.failed: the coding is not offered"))
            .is_ok_and(|done| done.is_some())
    }
}

/// Pages that were made ahead, and of which snapshot; it is not kept alive for them.
#[derive(Debug, Clone, Default)]
struct Pages {
    of: Weak<Snapshot>,
    bodies: Vec<Arc<CachedBody>>,
}

impl Pages {
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

/// Whether that very cached body is out: of a document in the current snapshot, a page of it, or
/// one that never changes.
fn is_out(ctx: &Ctx, body: &Arc<CachedBody>, pages: &Pages) -> bool {
    let snapshot = ctx.current.load();
    snapshot
        .documents()
        .map(|published| &published.body)
        .chain(ctx.fixed())
        .chain(pages.out(&snapshot))
        .any(|its| Arc::ptr_eq(its, body))
}
