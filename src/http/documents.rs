//! The documents as they are answered: each from its cached body, with its own `Link`.

use std::sync::Arc;

use poem::Response;
use poem::http::header::LINK;
use poem::http::{HeaderMap, HeaderValue};

use crate::ctx::Ctx;
use crate::respond::{self, Ready};
use crate::snapshot::Document;

/// Answers with any of the documents of the snapshot that is out.
#[derive(Debug)]
pub struct Documents {
    ctx: Arc<Ctx>,
    ready: [Ready; Document::ALL.len()],
}

impl Documents {
    /// Nothing is answered yet.
    #[must_use]
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        let ready = Document::ALL.map(|document| {
            let link = document
                .is_topic()
                .then(|| HeaderValue::from_str(&document.link(&ctx.links)).ok());
            let link = link.flatten().map(|link| (LINK, link));
            Ready::new(link.into_iter().collect())
        });
        Self {
            ctx: Arc::clone(ctx),
            ready,
        }
    }

    /// Answers a request with these header fields.
    #[must_use]
    pub fn answer(&self, headers: &HeaderMap, document: Document) -> Response {
        let snapshot = self.ctx.current.peek();
        let published = snapshot.document(document);
        let modified = published.confirmed().map(respond::modified);
        self.ready[document.index()].answer(
            headers,
            &snapshot,
            &published.body,
            modified,
            &self.ctx.clock,
        )
    }
}
