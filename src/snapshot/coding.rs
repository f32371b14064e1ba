//! Content codings of documents (RFC 9110 §8.4.1), made once per snapshot and never per request; those of Swagger UI
//! are made at its first request.
//!
//! The same pieces always give the same bytes, so a strong entity tag stays valid after a restart: pieces are
//! segments, which depend only on the content, and Brotli's output does not depend on the pieces.

use std::collections::{HashMap, HashSet};
use std::io;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};

use super::document::Content;
use crate::compute::lock;
use crate::model::named;

/// The size of the encoder's input, and the interval of checks for cancellation.
const UNIT_BYTES: usize = 256 * 1024;
/// A larger body is only coded by pieces.
const WHOLE_BYTES_MAX: u64 = 8 * 1024 * 1024;
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
    ///
    /// Only gzip for a large one: it is coded by pieces, so an edit costs only the changed pieces, while Brotli codes
    /// everything again, which takes seconds.
    pub const fn for_length(bytes: u64) -> &'static [Self] {
        if bytes > WHOLE_BYTES_MAX {
            &[Self::Gzip]
        } else {
            &[Self::Gzip, Self::Brotli]
        }
    }

    /// Compresses the concatenation of `pieces` to one gzip member without a time, or to one Brotli stream. The result
    /// is in pieces too, which share their bytes with `known`.
    ///
    /// `None` if `is_cancelled`, which is called every 256 KiB, or if the encoder cannot allocate memory; then the
    /// coding is not offered. Pieces in `known` are not compressed again.
    pub fn compress(
        self,
        pieces: &[Bytes],
        known: &Pieces,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<Vec<Bytes>> {
        let coded = match self {
            Self::Brotli => brotli(pieces, is_cancelled).map(|coded| vec![coded]),
            Self::Gzip => known.member(pieces, is_cancelled),
        };
        coded.ok()
    }
}

fn brotli(pieces: &[Bytes], is_cancelled: &dyn Fn() -> bool) -> io::Result<Bytes> {
    // Without the size hint, quality 5 uses the hasher for small inputs, and 30 MB of reviews compress to 1.5 times the
    // size.
    let parameters = BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW_LOG,
        size_hint: pieces.iter().map(Bytes::len).sum(),
        ..BrotliEncoderParams::default()
    };
    let mut encoder = CompressorWriter::with_params(Vec::new(), BROTLI_BUFFER_BYTES, &parameters);
    // Units of one size, because the output may depend on the boundaries of writes.
    let mut give = |unit: &mut Vec<u8>| -> io::Result<()> {
        if is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        encoder.write_all(unit)?;
        unit.clear();
        Ok(())
    };
    let length: usize = pieces.iter().map(Bytes::len).sum();
    let mut unit = Vec::with_capacity(UNIT_BYTES.min(length));
    for piece in pieces {
        let mut rest = &piece[..];
        while let Some((taken, left)) = rest.split_at_checked(UNIT_BYTES - unit.len()) {
            unit.extend_from_slice(taken);
            give(&mut unit)?;
            rest = left;
        }
        unit.extend_from_slice(rest);
    }
    give(&mut unit)?;
    Ok(encoder.into_inner().into_boxed_slice().into())
}

// One gzip member (RFC 1952) from pieces that are deflated separately and end on a byte boundary (RFC 1951 §3.2.4), so
// that the next version of a document deflates only new pieces. Under sustained changes, deflating a whole document
// might never finish before the next change.

const LEVEL: u32 = 6;
/// The least room for the output of each call of the encoder.
const OUTPUT_BYTES: usize = 32 * 1024;
/// No time, name or extra flags, unknown system: deterministic bytes (RFC 1952 §2.3).
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// An empty final segment (RFC 1951 §3.2.3: final, fixed codes, end of segment).
const LAST_SEGMENT: [u8; 2] = [3, 0];
/// Pieces of a content with fewer are not remembered: none would be used again.
const PIECES_MIN: usize = 2;

#[derive(Debug)]
struct Deflated {
    /// Keeps the allocation, so that no other piece gets its address.
    piece: Bytes,
    bytes: Bytes,
    crc: Crc,
}

/// The deflated pieces of the last large document, by memory address.
#[derive(Debug, Default)]
pub struct Pieces {
    known: Mutex<HashMap<(usize, usize), Arc<Deflated>>>,
}

impl Pieces {
    /// The gzip member of `pieces`, in pieces. If it is cancelled, pieces deflated before are remembered.
    fn member(&self, pieces: &[Bytes], is_cancelled: &dyn Fn() -> bool) -> io::Result<Vec<Bytes>> {
        if pieces.len() < PIECES_MIN {
            let parts: io::Result<Vec<_>> = pieces
                .iter()
                .map(|piece| deflate(piece, is_cancelled).map(Arc::new))
                .collect();
            // Nobody else holds the part, so one piece is enough.
            return Ok(vec![join(&parts?).concat().into()]);
        }
        let places: HashSet<_> = pieces.iter().map(place).collect();
        lock(&self.known).retain(|place, _| places.contains(place));
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let known = lock(&self.known).get(&place(piece)).map(Arc::clone);
            let part = match known {
                Some(known) => known,
                None => Arc::new(deflate(piece, is_cancelled)?),
            };
            lock(&self.known).insert(place(piece), Arc::clone(&part));
            parts.push(part);
        }
        Ok(join(&parts))
    }
}

fn place(piece: &Bytes) -> (usize, usize) {
    (piece.as_ptr().addr(), piece.len())
}

fn deflate(piece: &Bytes, is_cancelled: &dyn Fn() -> bool) -> io::Result<Deflated> {
    // Not `DeflateEncoder`: its `flush` asks for a sync flush once, and drops what does not fit into its buffer of 32 KiB.
    let mut encoder = Compress::new(Compression::new(LEVEL), false);
    let mut bytes = Vec::new();
    for unit in piece.chunks(UNIT_BYTES) {
        if is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        deflate_unit(&mut encoder, unit, FlushCompress::None, &mut bytes)?;
    }
    // A sync flush: an empty stored segment, after which the next piece starts on a byte boundary.
    deflate_unit(&mut encoder, &[], FlushCompress::Sync, &mut bytes)?;
    let mut crc = Crc::new();
    crc.update(piece);
    Ok(Deflated {
        piece: piece.clone(),
        // It lives as long as the snapshot, and a grown vector may be half empty.
        bytes: bytes.into_boxed_slice().into(),
        crc,
    })
}

/// Encodes all of `unit`, and flushes all of the output that `flush` asks for.
fn deflate_unit(
    encoder: &mut Compress,
    mut unit: &[u8],
    flush: FlushCompress,
    output: &mut Vec<u8>,
) -> io::Result<()> {
    loop {
        output.reserve(OUTPUT_BYTES);
        let before = encoder.total_in();
        encoder.compress_vec(unit, output, flush)?;
        let taken = usize::try_from(encoder.total_in() - before).unwrap_or(usize::MAX);
        unit = unit.get(taken..).unwrap_or_default();
        // Room that is left says that the encoder holds nothing more to write (zlib's manual, `deflate`).
        if output.len() < output.capacity() {
            return Ok(());
        }
    }
}

/// The member of these parts, which it shares.
fn join(parts: &[Arc<Deflated>]) -> Vec<Bytes> {
    let mut crc = Crc::new();
    parts.iter().for_each(|part| crc.combine(&part.crc));
    let size: u64 = parts.iter().map(|part| part.piece.len() as u64).sum();
    let mut tail = LAST_SEGMENT.to_vec();
    // RFC 1952 §2.3.1: both modulo 2^32.
    tail.extend_from_slice(&crc.sum().to_le_bytes());
    tail.extend_from_slice(&size.to_le_bytes()[..4]);
    let mut member = vec![Bytes::from_static(&HEAD)];
    member.extend(parts.iter().map(|part| part.bytes.clone()));
    member.push(tail.into());
    member
}

// A response body shared by many requests, with each coding once it is ready. Used for documents and for pages and
// descriptions that do not change while the service runs.

#[derive(Debug)]
pub struct CachedBody {
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    pub content: Content,
    /// In pieces.
    coded: [OnceLock<Vec<Bytes>>; Coding::ALL.len()],
}

impl CachedBody {
    /// A body without codings.
    pub fn new(content_type: &'static str, content: Content) -> Self {
        Self {
            content_type,
            content,
            coded: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The pieces of the body in that coding; `None` until it is ready.
    pub fn coded(&self, coding: Coding) -> Option<&[Bytes]> {
        self.coded[coding as usize].get().map(Vec::as_slice)
    }

    /// Later calls for the same coding do nothing, because all results are equal.
    pub fn set_coded(&self, coding: Coding, pieces: Vec<Bytes>) {
        let _ = self.coded[coding as usize].set(pieces);
    }

    /// The codings that are ready, most preferred first.
    pub fn codings(&self) -> Vec<Coding> {
        Coding::ALL
            .into_iter()
            .filter(|coding| self.coded(*coding).is_some())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Read;

    use bytes::Bytes;
    use proptest::prelude::*;

    use super::{Coding, UNIT_BYTES, lock};

    fn compress(coding: Coding, pieces: &[Bytes]) -> Option<Vec<u8>> {
        let coded = coding.compress(pieces, &super::Pieces::default(), &|| false);
        coded.map(|coded| coded.concat())
    }

    fn whole(pieces: &[Bytes]) -> Vec<u8> {
        pieces.concat()
    }

    fn decode(coding: Coding, coded: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        match coding {
            Coding::Brotli => brotli::Decompressor::new(coded, 4096)
                .read_to_end(&mut text)
                .unwrap(),
            // Not the multi-member decoder: curl also stops after the first member.
            Coding::Gzip => flate2::read::GzDecoder::new(coded)
                .read_to_end(&mut text)
                .unwrap(),
        };
        text
    }

    /// Letters of five bits each, which compress to more than half: a long piece gives a long output.
    fn sample(size_bytes: usize) -> Bytes {
        let mut state = 1_u64;
        let letters = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            b' ' + ((state >> 59) as u8) * 3
        });
        letters.take(size_bytes).collect()
    }

    #[test]
    fn every_coding_decodes_to_the_input() {
        for pieces in [
            vec![],
            vec![Bytes::new()],
            vec![sample(1)],
            vec![sample(70_000), Bytes::new(), sample(3), sample(2_500_000)],
            (1..=40).map(|number| sample(15_001 * number)).collect(),
        ] {
            for coding in Coding::ALL {
                let coded = compress(coding, &pieces).unwrap();
                assert_eq!(decode(coding, &coded), whole(&pieces), "{coding:?}");
                assert_eq!(
                    compress(coding, &pieces).unwrap(),
                    coded,
                    "{coding:?} twice"
                );
            }
        }
    }

    #[test]
    fn the_gzip_header_has_no_modification_time() {
        let coded = compress(Coding::Gzip, &[sample(10)]).unwrap();
        assert_eq!(coded[4..8], [0; 4], "MTIME (RFC 1952 §2.3.1)");
    }

    #[test]
    fn gzip_deflates_only_new_pieces_and_resumes_after_cancelling() {
        let segments: Vec<Bytes> = (1..=40).map(|number| sample(1_000 * number)).collect();
        let whole: usize = segments.iter().map(Bytes::len).sum();
        let known = super::Pieces::default();
        // One unit per piece: cancellation is checked before each.
        let deflate = |pieces: &[Bytes], units_max: usize| {
            let units = Cell::new(0);
            let is_cancelled = || {
                units.set(units.get() + 1);
                units.get() > units_max
            };
            (
                Coding::Gzip.compress(pieces, &known, &is_cancelled),
                units.get(),
            )
        };
        let mut now = segments;
        for round in 0..3 {
            // One change per round, and time for at most ten pieces.
            now[round] = Bytes::from(format!("changed {round}"));
            assert_eq!(deflate(&now, 10).0, None, "round {round}");
        }
        now[3] = Bytes::from_static(b"changed once more");
        let (coded, deflated) = deflate(&now, usize::MAX);
        assert!(
            deflated <= 40 - 30 + 4,
            "{deflated} pieces of 40 were deflated"
        );
        let coded = coded.unwrap().concat();
        assert_eq!(decode(Coding::Gzip, &coded), now.concat());
        assert_eq!(
            coded,
            compress(Coding::Gzip, &now).unwrap(),
            "what was known shows"
        );
        assert!(coded.len() < whole);
        assert_eq!(
            lock(&known.known).len(),
            40,
            "pieces that are gone are forgotten"
        );
    }

    #[test]
    fn a_cancelled_compression_ends_within_one_unit() {
        for coding in Coding::ALL {
            let calls = Cell::new(0);
            let is_cancelled = || {
                calls.set(calls.get() + 1);
                calls.get() > 2
            };
            assert_eq!(
                coding.compress(
                    &[sample(5 * UNIT_BYTES)],
                    &super::Pieces::default(),
                    &is_cancelled
                ),
                None,
                "{coding:?}"
            );
            assert_eq!(calls.get(), 3, "{coding:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_ends_of_pieces_do_not_change_the_decoded_bytes(
            size_bytes in 1_usize..700_000,
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let text = sample(size_bytes);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(size_bytes)).collect();
            cuts.extend([0, size_bytes]);
            cuts.sort_unstable();
            let pieces: Vec<Bytes> = cuts.windows(2).map(|cut| text.slice(cut[0]..cut[1])).collect();
            for coding in Coding::ALL {
                let coded = compress(coding, &pieces).unwrap();
                if coding != Coding::Gzip {
                    prop_assert_eq!(compress(coding, std::slice::from_ref(&text)).unwrap(), coded.clone());
                }
                prop_assert_eq!(compress(coding, &pieces).unwrap(), coded.clone());
                prop_assert_eq!(decode(coding, &coded), &text[..]);
            }
        }
    }
}
