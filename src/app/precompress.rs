//! Compresses published bodies before they are requested. Work for a document that has changed since is dropped; work
//! for an unchanged one continues.

use std::sync::{Arc, Weak};

use crate::snapshot::{CachedBody, Coding, Snapshot};
use crate::web::context::Ctx;

/// Renders the pages of a snapshot before they are requested.
pub type MakeAhead = Arc<dyn Fn(&Arc<Snapshot>) -> Vec<Arc<CachedBody>> + Send + Sync>;

#[derive(Clone)]
pub struct Precompress {
    ctx: Arc<Ctx>,
    fixed: Arc<[Arc<CachedBody>]>,
    make_ahead: MakeAhead,
}

impl Precompress {
    /// `fixed` are bodies that do not change while the service runs; `make_ahead` renders pages of each snapshot.
    pub fn new(ctx: Arc<Ctx>, fixed: Vec<Arc<CachedBody>>, make_ahead: MakeAhead) -> Self {
        Self {
            ctx,
            fixed: fixed.into(),
            make_ahead,
        }
    }

    /// Makes every missing body in these codings, those of the first coding first, until the snapshot is replaced; returns
    /// whether any was missing.
    pub async fn run_once(&self, codings: &[Coding]) -> bool {
        let snapshot = self.ctx.current.load();
        // A weak reference, so that a superseded snapshot is freed.
        let of = Arc::downgrade(&snapshot);
        let bodies = self.bodies(snapshot).await;
        let mut did_any = false;
        // A failed coding is not retried before the next snapshot.
        for &coding in codings {
            for body in &bodies {
                let is_offered = Coding::for_length(body.content.length()).contains(&coding);
                if !is_offered || body.coded(coding).is_some() {
                    continue;
                }
                did_any |= self.code(body, coding, &of).await;
                if self.ctx.draining.is_cancelled() || !self.is_current(&of) {
                    return did_any;
                }
            }
        }
        did_any
    }

    /// The documents and pages of `snapshot` and the fixed bodies, small ones first.
    async fn bodies(&self, snapshot: Arc<Snapshot>) -> Vec<Arc<CachedBody>> {
        let documents = snapshot.documents().map(|published| &published.body);
        let mut bodies: Vec<_> = documents.chain(&*self.fixed).cloned().collect();
        let make_ahead = Arc::clone(&self.make_ahead);
        match self.ctx.compute.run(move || make_ahead(&snapshot)).await {
            Ok(pages) => bodies.extend(pages),
            // A panic recurs for the request that renders the page, and is reported there.
            Err(error) => tracing::error!(
                %error,
                "pages.not_made_ahead: pages could not be rendered in advance; they are rendered on request"
            ),
        }
        bodies.sort_by_key(|body| body.content.length());
        bodies
    }

    /// Compresses a body of the snapshot `of`, unless it is replaced meanwhile; returns whether it is done.
    async fn code(&self, body: &Arc<CachedBody>, coding: Coding, of: &Weak<Snapshot>) -> bool {
        let (job, body, of) = (self.clone(), Arc::clone(body), Weak::clone(of));
        let coded = self.ctx.compute.run(move || {
            let is_cancelled = || job.ctx.draining.is_cancelled() || !job.is_published(&body, &of);
            let coded = coding.compress(&body.content.pieces, &is_cancelled)?;
            body.set_coded(coding, coded);
            Some(())
        });
        // After a panic in an encoder the coding is not offered; identity always is.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.name(), "coding.failed: a content coding failed and is \
                not offered"))
            .is_ok_and(|done| done.is_some())
    }

    fn is_current(&self, snapshot: &Weak<Snapshot>) -> bool {
        std::ptr::eq(snapshot.as_ptr(), Arc::as_ptr(&self.ctx.current.load()))
    }

    /// Whether this body of the snapshot `of` is published: a newer snapshot may share its documents, but no pages.
    fn is_published(&self, body: &Arc<CachedBody>, of: &Weak<Snapshot>) -> bool {
        let current = self.ctx.current.load();
        let documents = current.documents().map(|published| &published.body);
        let mut kept = documents.chain(&*self.fixed);
        self.is_current(of) || kept.any(|other| Arc::ptr_eq(other, body))
    }
}
