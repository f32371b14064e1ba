//! Content codings of a rendered document (RFC 9110 §8.4.1), made once per snapshot and never per
//! request.
//!
//! Apart, because it takes time: it knows bytes and when to give up, and neither documents nor
//! requests. The same pieces give the same bytes, so a coding's strong entity tag stays true after
//! a restart: pieces are segments of reviews, and those are a function of the content. Brotli
//! gives the same bytes however the content is cut.

use std::collections::HashMap;
use std::io;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::render::Content;
use crate::compute::steps;

/// What encoders are given at a time, and after how much it is asked whether the result is still
/// wanted.
const UNIT_BYTES: usize = 256 * 1024;
/// Above this size, nothing is coded whole.
const WHOLE_BYTES_MAX: u64 = 8 * 1024 * 1024;
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW_LOG: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 64 * 1024;

/// A content coding that documents are offered in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coding {
    /// Brotli, `br` (RFC 7932).
    Brotli,
    /// Gzip, `gzip` (RFC 1952).
    Gzip,
}

impl Coding {
    /// Every coding, the preferred one first.
    pub const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// The codings that are made of a body of so many bytes, in the order in which they are wanted.
    ///
    /// Of large ones gzip alone: it is made by pieces, so that an edit costs what is new, while
    /// Brotli codes all of it again, for seconds.
    #[must_use]
    pub const fn for_length(bytes: u64) -> &'static [Self] {
        if bytes > WHOLE_BYTES_MAX {
            &[Self::Gzip]
        } else {
            &[Self::Gzip, Self::Brotli]
        }
    }

    /// Its name in `Accept-Encoding`, `Content-Encoding` and at the end of an entity tag.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The coded concatenation of `pieces`: one gzip member without a time, or one Brotli
    /// stream.
    ///
    /// `None` once `is_cancelled` says so, which is asked every 256 KiB; also where the encoder
    /// cannot get its memory: the coding is not offered then. What is `known` of the pieces is not
    /// made again.
    #[must_use]
    pub fn compress(
        self,
        pieces: &[Bytes],
        known: &Pieces,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<Bytes> {
        let size_bytes: usize = pieces.iter().map(Bytes::len).sum();
        let wanted = Cancellation {
            pieces,
            is_cancelled,
        };
        let coded = match self {
            Self::Brotli => wanted.brotli(size_bytes),
            Self::Gzip => known.member(pieces, |encoder, piece| {
                wanted.feed_pieces(encoder, std::slice::from_ref(piece))
            }),
        };
        let mut coded = coded.ok()?;
        // It is kept for as long as the snapshot is, and a grown vector may be half empty.
        coded.shrink_to_fit();
        Some(Bytes::from(coded))
    }
}

struct Cancellation<'a> {
    pieces: &'a [Bytes],
    is_cancelled: &'a dyn Fn() -> bool,
}

impl Cancellation<'_> {
    fn brotli(&self, size_bytes: usize) -> io::Result<Vec<u8>> {
        // Without the hint, quality 5 takes the hasher for small inputs, and 30 MB of reviews get
        // half as big again.
        let parameters = BrotliEncoderParams {
            quality: BROTLI_QUALITY,
            lgwin: BROTLI_WINDOW_LOG,
            size_hint: size_bytes,
            ..BrotliEncoderParams::default()
        };
        let mut encoder =
            CompressorWriter::with_params(Vec::new(), BROTLI_BUFFER_BYTES, &parameters);
        self.feed(&mut encoder)?;
        Ok(encoder.into_inner())
    }

    fn feed(&self, encoder: &mut impl Write) -> io::Result<()> {
        self.feed_pieces(encoder, self.pieces)
    }

    /// Gives the encoder units of one size: where an encoder is interrupted may show in what it
    /// makes.
    fn feed_pieces(&self, encoder: &mut impl Write, pieces: &[Bytes]) -> io::Result<()> {
        let length: usize = pieces.iter().map(Bytes::len).sum();
        let mut unit = Vec::with_capacity(UNIT_BYTES.min(length));
        for piece in pieces {
            let mut rest = &piece[..];
            while let Some((taken, left)) = rest.split_at_checked(UNIT_BYTES - unit.len()) {
                unit.extend_from_slice(taken);
                self.give(encoder, &mut unit)?;
                rest = left;
            }
            unit.extend_from_slice(rest);
        }
        self.give(encoder, &mut unit)
    }

    fn give(&self, encoder: &mut impl Write, unit: &mut Vec<u8>) -> io::Result<()> {
        if (self.is_cancelled)() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        steps::one();
        encoder.write_all(unit)?;
        unit.clear();
        Ok(())
    }
}

// One gzip member (RFC 1952) of content in pieces, each deflated by itself and ended at a byte's
// border (RFC 1951 §3.2.4), so that the next state of a document deflates only the pieces that are
// new. Under sustained changes a whole document could be deflated never: before it is through, it
// would be another.
//
// Knows bytes, and neither documents nor requests.

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

// A body that is sent to many: its bytes as they are, and in each coding as soon as that is made.
// Documents are cached bodies, and so are the pages and descriptions that never change while the
// service runs.

/// See the head of this file.
#[derive(Debug)]
pub struct CachedBody {
    /// The media type, as `Content-Type` gives it.
    pub content_type: &'static str,
    /// Its bytes and their digest.
    pub content: Content,
    coded: [OnceLock<Bytes>; Coding::ALL.len()],
}

impl CachedBody {
    /// A cached body that has no coding ready.
    #[must_use]
    pub fn new(content_type: &'static str, content: Content) -> Self {
        Self {
            content_type,
            content,
            coded: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// Its bytes in a coding, once they are ready.
    #[must_use]
    pub fn coded(&self, coding: Coding) -> Option<&Bytes> {
        self.coded[coding as usize].get()
    }

    /// Adds its bytes in a coding; the first that come stay, for all are the same.
    pub fn set_coded(&self, coding: Coding, bytes: Bytes) {
        let _ = self.coded[coding as usize].set(bytes);
    }

    /// The codings that are ready, best first.
    #[must_use]
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

    use super::{Coding, UNIT_BYTES};

    fn compress(coding: Coding, pieces: &[Bytes]) -> Option<Bytes> {
        coding.compress(pieces, &super::Pieces::default(), &|| false)
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
            // Not the decoder for several members: curl stops after the first one, too.
            Coding::Gzip => flate2::read::GzDecoder::new(coded)
                .read_to_end(&mut text)
                .unwrap(),
        };
        text
    }

    fn sample(size_bytes: usize) -> Bytes {
        let words = [
            "heat pump ",
            "Art Beecham ",
            "came out ",
            "five stars ",
            "{\"id\":\"",
            "2024-02-29",
        ];
        let text = (0_usize..).flat_map(|at| words[(at * at / 7 + at / 3) % words.len()].bytes());
        text.take(size_bytes).collect()
    }

    #[test]
    fn every_coding_gives_back_what_was_put_in() {
        for pieces in [
            vec![],
            vec![Bytes::new()],
            vec![sample(1)],
            vec![sample(70_000), Bytes::new(), sample(3), sample(2_500_000)],
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
    fn gzip_tells_no_time() {
        let coded = compress(Coding::Gzip, &[sample(10)]).unwrap();
        assert_eq!(coded[4..8], [0; 4], "MTIME (RFC 1952 §2.3.1)");
    }

    #[test]
    fn gzip_deflates_only_pieces_that_are_new_and_goes_on_where_it_was_cancelled() {
        let segments: Vec<Bytes> = (1..=40).map(|number| sample(1_000 * number)).collect();
        let whole: usize = segments.iter().map(Bytes::len).sum();
        let known = super::Pieces::default();
        // One unit a piece: each is asked for before it is deflated.
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
            // A change each time, and never the time to deflate more than ten.
            now[round] = Bytes::from(format!("changed {round}"));
            assert_eq!(deflate(&now, 10).0, None, "round {round}");
        }
        now[3] = Bytes::from_static(b"changed once more");
        let (coded, deflated) = deflate(&now, usize::MAX);
        assert!(
            deflated <= 40 - 30 + 4,
            "{deflated} pieces of 40 were deflated"
        );
        let coded = coded.unwrap();
        assert_eq!(decode(Coding::Gzip, &coded), now.concat());
        assert_eq!(
            coded,
            compress(Coding::Gzip, &now).unwrap(),
            "what was known shows"
        );
        assert!(coded.len() < whole / 3);
        assert_eq!(known.len(), 40, "pieces that are gone are forgotten");
    }

    #[test]
    fn a_cancelled_job_ends_within_a_unit() {
        for coding in Coding::ALL {
            let asked = Cell::new(0);
            let is_cancelled = || {
                asked.set(asked.get() + 1);
                asked.get() > 2
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
            assert_eq!(asked.get(), 3, "{coding:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn where_the_pieces_end_does_not_show(
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
