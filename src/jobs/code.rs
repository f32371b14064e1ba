//! Makes the content codings of what is out, ahead of anybody who asks. The newest edition wins: work for a document that
//! has changed since is dropped, and work for one that has not goes on.

use std::sync::Arc;

use crate::ctx::Ctx;
use crate::edition::{Coding, Sheet, gzip};

/// Codes for one context.
#[derive(Debug, Clone)]
pub struct Code {
    ctx: Arc<Ctx>,
    known: Arc<gzip::Pieces>,
}

impl Code {
    /// The job for `ctx`.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>) -> Self {
        Self { ctx, known: Arc::default() }
    }

    /// Makes every coding that is missing, small sheets first and of each the one that goes on where it was left; says
    /// whether there was one.
    pub async fn run_once(&self) -> bool {
        let (mut did_any, mut failed) = (false, Vec::new());
        while let Some((sheet, coding)) = self.next(&failed) {
            let is_made = self.code(Arc::clone(&sheet), coding).await;
            did_any |= is_made;
            if self.ctx.is_draining() {
                break;
            }
            // One that the encoder will not make is not tried again before the next edition.
            if !is_made && is_out(&self.ctx, &sheet) {
                failed.push((sheet, coding));
            }
        }
        did_any
    }

    /// What is to be made next of what is out now.
    fn next(&self, failed: &[(Arc<Sheet>, Coding)]) -> Option<(Arc<Sheet>, Coding)> {
        let edition = self.ctx.current.load();
        let mut sheets: Vec<&Arc<Sheet>> = edition.documents().map(|printed| &printed.sheet).chain(self.ctx.fixed()).collect();
        sheets.sort_by_key(|sheet| sheet.content.len());
        let missing = sheets.into_iter().flat_map(|sheet| {
            let codings = [Coding::Gzip, Coding::Zstd, Coding::Brotli];
            codings.into_iter().filter(|coding| sheet.coded(*coding).is_none()).map(move |coding| (sheet, coding))
        });
        let mut missing = missing.filter(|(sheet, coding)| !failed.iter().any(|(its, no)| Arc::ptr_eq(its, sheet) && no == coding));
        missing.next().map(|(sheet, coding)| (Arc::clone(sheet), coding))
    }

    async fn code(&self, sheet: Arc<Sheet>, coding: Coding) -> bool {
        let (ctx, known) = (Arc::clone(&self.ctx), Arc::clone(&self.known));
        let coded = self.ctx.compute.run(move || {
            let is_cancelled = || ctx.is_draining() || !is_out(&ctx, &sheet);
            let bytes = coding.compress(&sheet.content.pieces, &known, &is_cancelled)?;
            sheet.set_coded(coding, bytes);
            Some(())
        });
        // A panic in an encoder costs that coding; identity is always offered.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.token(), "coding.failed: the coding is not offered"))
            .is_ok_and(|done| done.is_some())
    }
}

/// Whether that very sheet is out: of a document in the current edition, or one that never changes.
fn is_out(ctx: &Ctx, sheet: &Arc<Sheet>) -> bool {
    let edition = ctx.current.load();
    edition.documents().map(|printed| &printed.sheet).chain(ctx.fixed()).any(|its| Arc::ptr_eq(its, sheet))
}
