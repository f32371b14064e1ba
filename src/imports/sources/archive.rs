//! Zip archives: a Takeout's, whose members are read one by one, and workbooks, which are archives
//! too. Unpacked while they are read, never to disk, so a member's path cannot lead anywhere.

use std::io::{Read, Seek};

use zip::ZipArchive;

use super::folder::Found;
use super::{Input, Opened, Visit, folder};
use crate::imports::file_error::FileError;
use crate::imports::shape::Shape;
use crate::imports::table::workbook;

impl Visit<'_, '_> {
    /// What a zip archive holds.
    pub(super) fn archive(
        &mut self,
        name: &str,
        packed: impl Read + Seek,
    ) -> Result<(), FileError> {
        let fault = |error: zip::result::ZipError| FileError::Archive(error.to_string());
        let mut archive = ZipArchive::new(packed).map_err(fault)?;
        if archive.index_for_name("xl/workbook.xml").is_some() {
            return self.workbook(name, archive.into_inner());
        }
        let mut found = Found::default();
        let mut members = Vec::new();
        for index in 0..archive.len() {
            let Some(Ok(member)) = archive.name_for_index(index) else {
                continue;
            };
            let wanted = found.wants(member.rsplit(['/', '\\']).next().unwrap_or_default())?;
            if wanted || folder::location(&member).is_some() {
                members.push((member.into_owned(), index));
            }
        }
        found
            .any()
            .map_err(|fault| other_archive(&archive).unwrap_or(fault))?;
        // By name, so that the same archive packed in another order gives the same.
        members.sort();
        for (member, index) in members {
            let file = format!("{name}: {member}");
            let taken = archive.by_index(index).map_err(fault).and_then(|input| {
                match folder::location(&member) {
                    Some(location) => self.listing(location, input),
                    None => self.one(file.clone(), input),
                }
            });
            self.note(file, taken);
        }
        Ok(())
    }

    fn workbook(&mut self, name: &str, mut packed: impl Read + Seek) -> Result<(), FileError> {
        packed.rewind().map_err(FileError::Unreadable)?;
        let mut bytes = Vec::new();
        self.budget
            .bound(packed)
            .take(workbook::PACKED_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(FileError::reading)?;
        if bytes.len() as u64 > workbook::PACKED_BYTES_MAX {
            return Err(FileError::WorkbookTooLarge);
        }
        let (header, columns) = workbook::find(&bytes, self.wanted)?;
        let shape = Shape::of_workbook(header, columns);
        (self.take)(Opened::Reviews(Input {
            name: name.to_owned(),
            shape,
            all: Box::new(&bytes[..]),
        }))
    }
}

/// What an archive is that holds no reviews, where that can be seen.
fn other_archive<R: Read + Seek>(archive: &ZipArchive<R>) -> Option<FileError> {
    const KNOWN: [(&str, &str); 5] = [
        ("word/document.xml", "a document of Word"),
        ("ppt/presentation.xml", "a presentation of PowerPoint"),
        (
            "content.xml",
            "a document of OpenDocument; save a table as XLSX or CSV",
        ),
        ("META-INF/MANIFEST.MF", "a Java archive"),
        ("AndroidManifest.xml", "an Android app"),
    ];
    let known = KNOWN
        .iter()
        .find(|(name, _)| archive.index_for_name(name).is_some());
    known.map(|(_, what)| FileError::OtherArchive((*what).to_owned()))
}
