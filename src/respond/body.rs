//! A response body of pieces that many answers share: nothing is copied, and its length is known
//! before the first byte.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;

use crate::snapshot::{CachedBody, Coding, Snapshot};

/// How many bytes are handed over at a time: before each it is asked whether they still may be. A
/// coding of 100,000 reviews is one piece of some MB; a segment of reviews goes whole.
const FRAME_BYTES_MAX: usize = 128 * 1024;

/// Where the pieces are.
#[derive(Debug)]
enum Source {
    Cached(Arc<CachedBody>),
    Coded(Bytes),
    Own(Vec<Bytes>),
}

/// A body being sent. It ends with an error when its snapshot is revoked: the reader has been too
/// slow for four snapshots.
#[derive(Debug)]
pub struct Pieces {
    source: Source,
    snapshot: Arc<Snapshot>,
    next: usize,
    /// How many bytes of the next piece are handed over already.
    given_bytes: usize,
    left_bytes: u64,
}

impl Pieces {
    /// The bytes of `body` in a coding, or as they are where there is none, read while `snapshot` is
    /// out.
    #[must_use]
    pub fn of_cached(
        body: Arc<CachedBody>,
        coding: Option<Coding>,
        snapshot: Arc<Snapshot>,
    ) -> Self {
        let coded = coding.and_then(|coding| body.coded(coding)).cloned();
        let (left_bytes, source) = match coded {
            Some(coded) => (coded.len() as u64, Source::Coded(coded)),
            None => (body.content.len(), Source::Cached(body)),
        };
        Self {
            source,
            snapshot,
            next: 0,
            given_bytes: 0,
            left_bytes,
        }
    }

    /// These bytes, one behind the other, cut from `snapshot`.
    #[must_use]
    pub fn new(pieces: Vec<Bytes>, snapshot: Arc<Snapshot>) -> Self {
        let left_bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        Self {
            source: Source::Own(pieces),
            snapshot,
            next: 0,
            given_bytes: 0,
            left_bytes,
        }
    }

    fn pieces(&self) -> &[Bytes] {
        match &self.source {
            Source::Cached(body) => &body.content.pieces,
            Source::Coded(bytes) => std::slice::from_ref(bytes),
            Source::Own(pieces) => pieces,
        }
    }

    /// How many bytes are still to be sent.
    #[must_use]
    pub const fn left_bytes(&self) -> u64 {
        self.left_bytes
    }
}

impl From<Pieces> for poem::Body {
    fn from(pieces: Pieces) -> Self {
        Self::from(pieces.boxed())
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.snapshot.is_revoked() {
            return Poll::Ready(Some(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the reader is four snapshots behind",
            ))));
        }
        let Some(piece) = self.pieces().get(self.next) else {
            return Poll::Ready(None);
        };
        let end = piece.len().min(self.given_bytes + FRAME_BYTES_MAX);
        let (frame, is_whole) = (piece.slice(self.given_bytes..end), end == piece.len());
        (self.next, self.given_bytes) = if is_whole {
            (self.next + 1, 0)
        } else {
            (self.next, end)
        };
        self.left_bytes -= frame.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.left_bytes == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left_bytes)
    }
}
