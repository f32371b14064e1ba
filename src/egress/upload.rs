//! The body of a POST: shared pieces, none of them copied, with their length told ahead. Apart from
//! the client, because it is all that knows of `http_body`.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// A body of shared pieces, none of them copied.
pub struct Upload<P> {
    pieces: P,
    next: usize,
    left_bytes: u64,
}

impl<P: AsRef<[Bytes]>> Upload<P> {
    pub fn new(pieces: P) -> Self {
        let left_bytes = pieces.as_ref().iter().map(|piece| piece.len() as u64).sum();
        Self {
            pieces,
            next: 0,
            left_bytes,
        }
    }
}

impl<P: AsRef<[Bytes]> + Unpin> http_body::Body for Upload<P> {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(piece) = self.pieces.as_ref().get(self.next).cloned() else {
            return Poll::Ready(None);
        };
        self.next += 1;
        self.left_bytes -= piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left_bytes == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left_bytes)
    }
}
