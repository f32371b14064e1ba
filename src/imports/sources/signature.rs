//! What a file is by its first bytes, before anything reads it as text: an archive, a text of two
//! bytes a letter, or no text at all.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::imports::file_error::FileError;

/// Whether it is a zip archive.
pub(super) fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The encoding of a text of two bytes a letter. Refuses what is no text at all.
pub(super) fn wide(head: &[u8]) -> Result<Option<&'static Encoding>, FileError> {
    match head {
        [0x1F, 0x8B, ..] => Err(FileError::Packed("gzip")),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Err(FileError::Packed("zstd")),
        [b'B', b'Z', b'h', ..] => Err(FileError::Packed("bzip2")),
        [0xFD, b'7', b'z', b'X', b'Z', ..] => Err(FileError::Packed("xz")),
        [b'7', b'z', 0xBC, 0xAF, ..] => Err(FileError::Packed("7-Zip")),
        [b'%', b'P', b'D', b'F', ..] => Err(FileError::Binary("a PDF document")),
        [0xD0, 0xCF, 0x11, 0xE0, ..] => Err(FileError::Binary(
            "an old Excel workbook (.xls) or another document of Microsoft Office; save it as XLSX or CSV",
        )),
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Ok(Some(UTF_16LE)),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Ok(Some(UTF_16BE)),
        _ => Ok(None),
    }
}
