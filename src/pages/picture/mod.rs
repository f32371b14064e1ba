//! `/og.png`: what apps show beside a link to a page: the name of the business, its rating and of how many reviews it is;
//! nothing that a customer wrote. Made once for a snapshot, when it is first asked for.

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

/// Where the picture is.
pub const PICTURE_PATH: &str = "/og.png";

/// The endpoint of `/og.png`.
pub struct Picture {
    /// Whose snapshot it shows.
    pub ctx: Arc<Ctx>,
    /// Where it is kept.
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

/// The picture of `snapshot` as PNG. That it cannot be made is a fault of ours.
///
/// # Errors
/// The font cannot be read, or the picture not be coded.
pub fn png(snapshot: &Snapshot) -> anyhow::Result<Vec<u8>> {
    steps::one();
    let font = font::Font::shipped()?;
    let input = &snapshot.input;
    let locale = Locale::of(&input.business);
    // An accent that stands alone is no character of the font, but most letters are with theirs.
    let name: String = input.business.name.nfc().collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let rating_counts = input.review_index.rating_counts();
    let mean = rating_counts.mean_hundredths();
    let shown = drawing::Shown {
        // Better none than one with gaps, or with its letters in the wrong order.
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
