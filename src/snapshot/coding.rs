//! Content codings of documents (RFC 9110 §8.4.1), made once per snapshot and never per request.
//!
//! The same pieces always give the same bytes, so a strong entity tag stays valid after a restart: pieces are
//! segments, which depend only on the content.

use std::io::Write;
use std::slice;
use std::sync::OnceLock;

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use poem::http::header::{CACHE_CONTROL, VARY};
use poem::http::{HeaderMap, HeaderValue};

use super::document::Content;
use super::store::Publication;
use crate::model::named;

/// The size of the encoder's input, and the interval of checks for cancellation.
const UNIT_BYTES: usize = 256 * 1024;
/// A larger body is not coded by Brotli, which takes seconds for it.
const BROTLI_BYTES_MAX: u64 = 8 * 1024 * 1024;
const GZIP_LEVEL: u32 = 6;
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW_LOG: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 64 * 1024;

named! {
    /// Most preferred first; the name is that in `Accept-Encoding` and `Content-Encoding`, and the suffix of an entity tag.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Coding {
        /// RFC 7932.
        Brotli = "br",
        /// RFC 1952.
        Gzip = "gzip",
    }
}

impl Coding {
    /// The codings for a body of this size, in the order in which they are made.
    pub const fn for_length(bytes: u64) -> &'static [Self] {
        if bytes > BROTLI_BYTES_MAX {
            &[Self::Gzip]
        } else {
            &[Self::Gzip, Self::Brotli]
        }
    }

    /// Compresses the concatenation of `pieces` to one gzip member without a time, or to one Brotli stream.
    ///
    /// `None` if `is_cancelled`, which is called every 256 KiB, or if the encoder cannot allocate memory; then the
    /// coding is not offered.
    pub fn compress(self, pieces: &[Bytes], is_cancelled: &dyn Fn() -> bool) -> Option<Bytes> {
        let coded = match self {
            Self::Brotli => {
                let parameters = BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    lgwin: BROTLI_WINDOW_LOG,
                    size_hint: pieces.iter().map(Bytes::len).sum(),
                    ..BrotliEncoderParams::default()
                };
                let encoder =
                    CompressorWriter::with_params(Vec::new(), BROTLI_BUFFER_BYTES, &parameters);
                feed(encoder, pieces, is_cancelled)?.into_inner()
            }
            Self::Gzip => {
                let encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
                feed(encoder, pieces, is_cancelled)?.finish().ok()?
            }
        };
        Some(coded.into_boxed_slice().into())
    }
}

fn feed<W: Write>(mut encoder: W, pieces: &[Bytes], is_cancelled: &dyn Fn() -> bool) -> Option<W> {
    for unit in pieces.iter().flat_map(|piece| piece.chunks(UNIT_BYTES)) {
        if is_cancelled() {
            return None;
        }
        encoder.write_all(unit).ok()?;
    }
    Some(encoder)
}

// A response body shared by many requests, with each coding once it is ready. Used for documents, and for pages and
// descriptions that are made once for each snapshot or start.

/// Capacity for a response's header fields, those that are added later included: a clone keeps the size of the table.
const HEAD_FIELDS: usize = 16;
/// How long caches may keep an answer, and how long they may serve a stale one while they revalidate or cannot reach the
/// service.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("max-age=60, stale-while-revalidate=600, stale-if-error=86400");

#[derive(Debug)]
pub struct CachedBody {
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    pub content: Content,
    coded: [OnceLock<Bytes>; Coding::ALL.len()],
    /// The header fields of an answer, also of a 304, but for `ETag`. Finished, because a 304 costs little else.
    pub head: HeaderMap,
    /// In identity, then in each coding, ready or not. They are strong: `"<digest>"`, or `"<digest>-gzip"`.
    etags: [HeaderValue; 1 + Coding::ALL.len()],
    /// The publication whose last change is also that of the body, if its row is stored.
    pub publication: Option<Publication>,
}

impl CachedBody {
    /// A body without codings.
    pub fn new(content_type: &'static str, content: Content) -> Self {
        let digest = &content.digest;
        let [brotli, gzip] = Coding::ALL.map(|coding| format!("\"{digest}-{coding}\""));
        let mut head = HeaderMap::with_capacity(HEAD_FIELDS);
        head.insert(CACHE_CONTROL, CACHEABLE);
        head.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        Self {
            coded: Coding::ALL.map(|_| OnceLock::new()),
            head,
            etags: [format!("\"{digest}\""), brotli, gzip].map(|etag| {
                HeaderValue::try_from(etag)
                    .unwrap_or_else(|fault| unreachable!("hexadecimal digits: {fault}"))
            }),
            publication: None,
            content_type,
            content,
        }
    }

    /// A body in one piece, without codings.
    pub fn whole(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        Self::new(content_type, Content::whole(bytes))
    }

    /// With `Last-Modified`, if the publication is confirmed.
    #[must_use]
    pub fn dated(mut self, publication: &Publication) -> Self {
        if publication.is_confirmed {
            // RFC 9110 §5.6.7.
            let date = publication.changed_at.format("%a, %d %b %Y %H:%M:%S GMT");
            self.add("last-modified", &date.to_string());
            self.publication = Some(publication.clone());
        }
        self
    }

    /// Adds a field to the answers in all codings.
    pub fn add(&mut self, name: &'static str, value: &str) {
        // A date or URLs, which are always valid.
        if let Ok(value) = HeaderValue::from_str(value) {
            self.head.insert(name, value);
        }
    }

    /// The body in that coding, in one piece; `None` until it is ready.
    pub fn coded(&self, coding: Coding) -> Option<&[Bytes]> {
        self.coded[coding as usize].get().map(slice::from_ref)
    }

    /// The entity tag of the body in that coding; `None` is identity.
    pub fn etag(&self, coding: Option<Coding>) -> &HeaderValue {
        &self.etags[coding.map_or(0, |coding| 1 + coding as usize)]
    }

    /// Whether it is the entity tag of the body in any coding.
    pub fn has_etag(&self, tag: &[u8]) -> bool {
        self.etags.iter().any(|etag| etag == tag)
    }

    /// The codings that are ready, most preferred first.
    pub fn codings(&self) -> impl DoubleEndedIterator<Item = Coding> {
        let codings = Coding::ALL.into_iter();
        codings.filter(|coding| self.coded(*coding).is_some())
    }

    /// Later calls for the same coding do nothing, because all results are equal.
    pub fn set_coded(&self, coding: Coding, coded: Bytes) {
        let _ = self.coded[coding as usize].set(coded);
    }
}
