//! Makes the content codings of what is out, ahead of anybody who asks. The newest edition wins: work for one that has
//! been superseded is dropped.

use std::sync::Arc;

use tokio::task::spawn_blocking;

use crate::ctx::Ctx;
use crate::edition::{Coding, Edition, Sheet};

/// Codes for one context.
#[derive(Debug, Clone)]
pub struct Code {
    ctx: Arc<Ctx>,
}

impl Code {
    /// The job for `ctx`.
    #[must_use]
    pub const fn new(ctx: Arc<Ctx>) -> Self {
        Self { ctx }
    }

    /// Makes every coding that is missing, small sheets first; says whether there was one.
    pub async fn run_once(&self) -> bool {
        let edition = self.ctx.current.load();
        let mut sheets: Vec<Arc<Sheet>> = edition.documents().map(|printed| Arc::clone(&printed.sheet)).collect();
        sheets.extend(self.ctx.fixed().iter().map(Arc::clone));
        sheets.sort_by_key(|sheet| sheet.content.len());
        let mut did_any = false;
        for sheet in sheets {
            for coding in Coding::ALL.into_iter().filter(|coding| sheet.coded(*coding).is_none()) {
                did_any |= self.code(Arc::clone(&edition), Arc::clone(&sheet), coding).await;
                if !self.is_wanted(&edition) {
                    return did_any;
                }
            }
        }
        did_any
    }

    async fn code(&self, edition: Arc<Edition>, sheet: Arc<Sheet>, coding: Coding) -> bool {
        let job = self.clone();
        let coded = spawn_blocking(move || {
            let bytes = coding.compress(&sheet.content.pieces, &|| !job.is_wanted(&edition))?;
            sheet.set_coded(coding, bytes);
            Some(())
        });
        // A panic in an encoder costs that coding; identity is always offered.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.token(), "coding.failed: the coding is not offered"))
            .is_ok_and(|done| done.is_some())
    }

    fn is_wanted(&self, edition: &Arc<Edition>) -> bool {
        self.ctx.current.is(edition) && !self.ctx.is_draining()
    }
}
