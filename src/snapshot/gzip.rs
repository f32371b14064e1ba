//! One gzip member (RFC 1952) of content in pieces, each deflated by itself and ended at a byte's
//! border (RFC 1951 §3.2.4), so that the next state of a document deflates only the pieces that are
//! new. Under sustained changes a whole document could be deflated never: before it is through, it
//! would be another.
//!
//! Knows bytes, and neither documents nor requests.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

const LEVEL: u32 = 6;
/// No time, no name, no extra flags, system unknown: the same bytes at any time and place (RFC 1952
/// §2.3).
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// A last segment that holds nothing (RFC 1951 §3.2.3: final, fixed codes, end of segment).
const LAST_SEGMENT: [u8; 2] = [3, 0];
/// Content in fewer pieces is deflated anew: none of them would be found again.
const PIECES_MIN: usize = 2;

/// One piece of a body, deflated on its own.
#[derive(Debug)]
struct Deflated {
    /// Held, so that no other piece can come to lie at its address.
    piece: Bytes,
    bytes: Vec<u8>,
    crc: Crc,
}

/// The deflated pieces of the last large document, by where they lie in memory.
#[derive(Debug, Default)]
pub struct Pieces {
    known: Mutex<HashMap<(usize, usize), Arc<Deflated>>>,
}

impl Pieces {
    /// The gzip member of `pieces`. `write` gives a piece to the encoder, or fails where the result
    /// is not wanted any more; what was deflated until then is remembered.
    ///
    /// # Errors
    /// What `write` said.
    pub fn member(
        &self,
        pieces: &[Bytes],
        mut write: impl FnMut(&mut DeflateEncoder<Vec<u8>>, &Bytes) -> io::Result<()>,
    ) -> io::Result<Vec<u8>> {
        let is_remembered = pieces.len() >= PIECES_MIN;
        if is_remembered {
            self.retain(pieces);
        }
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let part = match self.find(piece).filter(|_| is_remembered) {
                Some(known) => known,
                None => Arc::new(deflate(piece, &mut write)?),
            };
            if is_remembered {
                self.lock().insert(place(piece), Arc::clone(&part));
            }
            parts.push(part);
        }
        Ok(join(&parts))
    }

    /// How many pieces are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no piece is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all pieces but these.
    fn retain(&self, pieces: &[Bytes]) {
        let wanted: std::collections::HashSet<_> = pieces.iter().map(place).collect();
        self.lock().retain(|place, _| wanted.contains(place));
    }

    fn find(&self, piece: &Bytes) -> Option<Arc<Deflated>> {
        self.lock().get(&place(piece)).map(Arc::clone)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(usize, usize), Arc<Deflated>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(piece: &Bytes) -> (usize, usize) {
    (piece.as_ptr().addr(), piece.len())
}

fn deflate(
    piece: &Bytes,
    write: &mut impl FnMut(&mut DeflateEncoder<Vec<u8>>, &Bytes) -> io::Result<()>,
) -> io::Result<Deflated> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    write(&mut encoder, piece)?;
    // A synchronising flush: an empty stored segment, after which the next piece begins at a byte.
    encoder.flush()?;
    let mut bytes = std::mem::take(encoder.get_mut());
    bytes.shrink_to_fit();
    let mut crc = Crc::new();
    crc.update(piece);
    Ok(Deflated {
        piece: piece.clone(),
        bytes,
        crc,
    })
}

fn join(parts: &[Arc<Deflated>]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.bytes.len()).sum();
    let mut member = Vec::with_capacity(HEAD.len() + length + LAST_SEGMENT.len() + 8);
    member.extend_from_slice(&HEAD);
    let mut crc = Crc::new();
    for part in parts {
        member.extend_from_slice(&part.bytes);
        crc.combine(&part.crc);
    }
    member.extend_from_slice(&LAST_SEGMENT);
    // RFC 1952 §2.3.1: both modulo 2^32.
    member.extend_from_slice(&crc.sum().to_le_bytes());
    let size: u64 = parts.iter().map(|part| part.piece.len() as u64).sum();
    member.extend_from_slice(&size.to_le_bytes()[..4]);
    member
}
