//! `/og.png`: the picture for link previews, with the name of the business, its rating and number of reviews, and no
//! text by customers. Rendered once per snapshot, on the first request.

mod drawing;
mod font;

use std::sync::Arc;

pub use drawing::{HEIGHT, WIDTH};
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};
use unicode_normalization::UnicodeNormalization;

use super::cached::Pages;
use super::frame::{POLICY, protected};
use super::locale::Locale;
use super::words::color_end;
use crate::compute::steps;

use crate::snapshot::Snapshot;
use crate::web;
use crate::web::context::Ctx;
use crate::web::{in_turn, problem};

pub const PICTURE_PATH: &str = "/og.png";

pub struct Picture {
    pub ctx: Arc<Ctx>,
    /// The cache of the picture.
    pub pages: Arc<Pages>,
}

impl Endpoint for Picture {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.ctx.current.load();
        let made = self.pages.of(&snapshot);
        let work = async {
            let response = match made.picture(&snapshot) {
                Some(body) => web::cached_body(request.headers(), &snapshot, body),
                None => problem(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "The picture could not be made; see the log.",
                ),
            };
            protected(response, POLICY)
        };
        Ok(in_turn(&request, &self.ctx.compute, work).await)
    }
}

/// Renders the picture as PNG.
///
/// # Errors
/// If the font is invalid or encoding fails, both of which are bugs.
pub fn png(snapshot: &Snapshot) -> anyhow::Result<Vec<u8>> {
    steps::one();
    let font = font::Font::shipped()?;
    let input = &snapshot.input;
    let locale = Locale::of(&input.business);
    // The font has most accented letters, but no combining accents.
    let name: String = input.business.name.nfc().collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let rating_counts = input.review_index.rating_counts();
    let mean = rating_counts.mean_hundredths();
    let shown = drawing::Shown {
        // No name is better than one with missing or misordered letters.
        name: if font.has_all(&name) {
            name
        } else {
            String::new()
        },
        mean: mean.map(|mean| {
            let tenths = u16::try_from(color_end(mean)).unwrap_or(1_000);
            (locale.hundredths(mean), f32::from(tenths) / 1_000.0)
        }),
        words: match mean {
            Some(_) => locale.counted("rating-from", rating_counts.total()),
            None => locale.message("no-reviews"),
        }
        .into_owned(),
    };
    shown.png(&font)
}
