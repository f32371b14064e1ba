//! The format of a file: that of the call, what its source keeps, or the built-in one whose names its columns have.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::imports::fault::FileError;
use crate::imports::format::{Format, PublicColumn, PublicPart, basic_string};
use crate::imports::opened_file::{Fit, NativeForm, OpenedFile};
use crate::imports::platforms::{BUILT_IN, NATIVE, find_format, format_names};
use crate::imports::read::Table;
use crate::imports::read::text::decode;
use crate::imports::request::{FormatArgument, ImportRequest, SOURCE_DEFAULT};
use crate::model::fold;
use crate::model::text::{nearest, quote_for_shell};
use crate::storage::reviews::KeptFormats;

/// The table of one or several files, which have one format.
#[derive(Debug)]
pub struct TableInput {
    /// The number of its first file in the report.
    pub file: usize,
    pub choice: Choice,
    pub table: Table,
    /// The encodings that a file may have, each with a word; empty if it is known.
    pub encodings: Vec<(&'static str, String)>,
    /// The sheets, or the lists, of which one must be named, with their numbers of rows; empty if it is known.
    pub places: Vec<(String, usize)>,
}

/// The format of a file, as far as it is known.
#[derive(Debug, Clone)]
pub struct Choice {
    pub basis: Basis,
    /// The owner's keys.
    pub owners: Format,
    pub source: String,
}

/// What a file is read by besides the owner's keys.
#[derive(Debug, Clone)]
pub enum Basis {
    /// A built-in format, to which these add.
    BuiltIn(Arc<Format>),
    /// Nothing: their source keeps them, with its fields.
    Kept,
    /// The draft of what they do not say.
    Draft,
    /// A draft for a source of its own, because the one that it would be of keeps the format of another table.
    DraftOfOther,
}

impl Choice {
    pub fn base(&self) -> Option<&Format> {
        match &self.basis {
            Basis::BuiltIn(format) => Some(format),
            Basis::Kept | Basis::Draft | Basis::DraftOfOther => None,
        }
    }

    pub fn format(&self) -> Format {
        Format::combined(self.base(), &self.owners)
    }

    /// Whether two tables are read by one format.
    pub fn is_like(&self, other: &Self) -> bool {
        let [name, other_name] = [self, other].map(|it| it.base().map(|format| &format.name));
        name == other_name && self.source == other.source
    }
}

/// Chooses the format of a file.
pub struct FormatChooser<'r> {
    request: &'r ImportRequest,
    /// The formats that sources keep.
    kept: BTreeMap<String, Format>,
}

impl<'r> FormatChooser<'r> {
    pub fn new(request: &'r ImportRequest, kept: &KeptFormats) -> Self {
        // A format that cannot be read, as a shell may have written it, counts as none.
        let kept = kept.iter().filter_map(|(source, text)| {
            let format = Format::parse(text).ok()?;
            Some((source.clone(), format))
        });
        let kept = kept.collect();
        Self { request, kept }
    }

    /// The format of a file: the first of these that there is (`docs/IMPORT.md`, "Which format counts").
    ///
    /// # Errors
    /// If it is of another source, as far as its format or the names of its columns say.
    pub fn choose(&self, opened: &OpenedFile<'_>) -> Result<Choice, FileError> {
        // 1. That of `--format`, or the owner's answers.
        if let Some(choice) = self.choose_by_request() {
            return choice;
        }
        let named = self.request.source.as_deref();
        let source = named.unwrap_or(SOURCE_DEFAULT);
        // One that only says which built-in format the files had says nothing of the next one.
        let own_format = self.kept.get(source);
        let own_format = own_format
            .filter(|it| it.like.is_none() || it.without_seen() != Format::like(it.like.clone()));
        let own_fit =
            own_format.map_or(Fit::OtherTable, |own_format| opened.measure_fit(own_format));
        let other = self.find_other_source(opened);
        let lacks_public = other.is_some_and(|(_, fit)| fit == Fit::AllButPublic);
        // 2. Our own, whatever a source keeps: a format of tables may pass over our `status`. But where one says by other members what is
        // public, lines without a word on that are not published.
        let is_decided = lacks_public
            || own_fit >= Fit::Partly && own_format.is_some_and(|it| opened.is_decided_by(it));
        match opened.native_form {
            NativeForm::Export => return self.choose_built_in(&NATIVE),
            NativeForm::Lines if !is_decided => return self.choose_built_in(&NATIVE),
            NativeForm::No | NativeForm::Lines => {}
        }
        // 3. What the named `--source` keeps.
        if named.is_some()
            && let Some(own_format) =
                own_format.filter(|it| it.like.is_some() || own_fit != Fit::OtherTable)
        {
            return self.choose_owners(own_format, Basis::Kept);
        }
        // 4. The platform's, with what its source keeps beside it.
        if let Some(platform) = BUILT_IN.iter().find(|it| opened.has_keys(it)) {
            return self.choose_built_in(platform);
        }
        // 5. What `Direct` keeps, unless another source's reads more of the file.
        if let Some((other, other_fit)) = other
            && own_fit < other_fit
        {
            return Err(refuse_for_source(other, None));
        }
        if let Some(own_format) = own_format.filter(|_| own_fit != Fit::OtherTable) {
            return self.choose_owners(own_format, Basis::Kept);
        }
        // 6. A draft.
        Ok(Choice {
            basis: match own_format {
                Some(_) => Basis::DraftOfOther,
                None => Basis::Draft,
            },
            owners: Format::default(),
            source: source.to_owned(),
        })
    }

    /// The format of a file without rows, which has no names of columns.
    pub fn format_of_no_rows(&self) -> Result<Format, FileError> {
        let choice = self.choose_by_request().transpose()?;
        Ok(choice.map_or_else(|| Format::clone(&NATIVE), |choice| choice.format()))
    }

    fn choose_by_request(&self) -> Option<Result<Choice, FileError>> {
        match (&self.request.owner_format, &self.request.format) {
            (Some(owners), _) => Some(self.choose_owners(owners, Basis::Draft)),
            (None, Some(FormatArgument::BuiltIn(format))) => Some(self.choose_built_in(format)),
            (None, Some(FormatArgument::File(_) | FormatArgument::Draft) | None) => None,
        }
    }

    /// The other source that a file may be of if none is named, and how far its format reads it: the only one that reads it wholly, else one
    /// whose format needs another column, which says what is public.
    fn find_other_source(&self, opened: &OpenedFile<'_>) -> Option<(&str, Fit)> {
        if self.request.source.is_some() {
            return None;
        }
        let others = self.kept.iter().filter(|(name, _)| *name != SOURCE_DEFAULT);
        let fits = others.map(|(name, format)| (name.as_str(), opened.measure_fit(format)));
        let fits = fits.filter(|(_, fit)| *fit >= Fit::AllButPublic);
        let (wholly, without_public): (Vec<_>, Vec<_>) =
            fits.partition(|(_, fit)| *fit == Fit::Wholly);
        match wholly[..] {
            [only] => Some(only),
            _ => without_public.first().copied(),
        }
    }

    /// A built-in format, with what its source keeps beside it.
    fn choose_built_in(&self, format: &Arc<Format>) -> Result<Choice, FileError> {
        let source = self.source_of(format)?;
        let like = Some(format.name.clone()).filter(|_| !format.is_native());
        let kept = self.kept.get(&source);
        let kept = kept.filter(|kept| like.is_some() && kept.like == like);
        Ok(Choice {
            basis: Basis::BuiltIn(Arc::clone(format)),
            owners: kept.cloned().unwrap_or_else(|| Format::like(like)),
            source,
        })
    }

    /// The owner's format; `basis` is that of one with fields.
    fn choose_owners(&self, owners: &Format, basis: Basis) -> Result<Choice, FileError> {
        let built_in = base_of(owners)?;
        let source = self.source_of(built_in.as_deref().unwrap_or(owners))?;
        let mut owners = owners.clone();
        if let Some(kept) = self.kept.get(&source) {
            owners.add_seen(kept);
        }
        Ok(Choice {
            source,
            basis: match built_in {
                Some(format) => Basis::BuiltIn(format),
                None if owners.fields.is_empty() => Basis::Draft,
                None => basis,
            },
            owners,
        })
    }

    /// The source of the rows that name none, of a file of that format, in the spelling of the one that keeps a format.
    ///
    /// # Errors
    /// If it keeps none, but another source keeps one of the platform: the platform's own, until it was renamed.
    fn source_of(&self, format: &Format) -> Result<String, FileError> {
        let source = self.request.source_of(format);
        if let Some(stored) = self.kept.keys().find(|name| fold(name) == fold(source)) {
            return Ok(stored.clone());
        }
        let other = self.kept.iter().find(|(_, kept)| {
            let like = kept.like.as_deref().and_then(find_format);
            like.is_some_and(|like| like.source == format.source)
        });
        if let Some((other, _)) = other
            && self.request.source.is_none()
            && !format.keys.is_empty()
        {
            return Err(refuse_for_source(other, Some(source)));
        }
        Ok(source.to_owned())
    }
}

/// Why a file is not imported that seems to be of the source `other`; `own` is that of its format, if it is known.
fn refuse_for_source(other: &str, own: Option<&str>) -> FileError {
    let naming = |source: &str| {
        let (shell, entry) = (quote_for_shell(source), basic_string(source));
        format!("add --source {shell} (in an entry: source = {entry})")
    };
    let otherwise = own.map_or_else(|| "give its format".to_owned(), naming);
    let named = naming(other);
    FileError::new(format!(
        "may be of the source {other}; if it is, {named}, else {otherwise}"
    ))
}

/// The built-in format that an owner's is like.
///
/// # Errors
/// If there is none of that name.
pub fn base_of(format: &Format) -> Result<Option<Arc<Format>>, FileError> {
    let Some(name) = &format.like else {
        return Ok(None);
    };
    let found = find_format(name).filter(|it| !it.is_native());
    let Some(found) = found else {
        let near = nearest(name, format_names()).unwrap_or_default();
        return Err(FileError::new(format!(
            "the source's format is like {name:?}, which is no built-in format of a platform; the nearest is {near}"
        )));
    };
    for (part, blocks) in format.public_blocks() {
        let known = found.public_list_of(part);
        let mut unknown = blocks
            .iter()
            .filter(|block| block.is_of_base() && !known.iter().any(|it| it.is_named_by(block)));
        if let Some(block) = unknown.next() {
            let names = block.names.parts().join(", ");
            return Err(FileError::new(format!(
                "a block [[{part}]] of the source's format has no `values` for {names}, and {name} has no block of this column; write them, or \
                 take the block away"
            )));
        }
    }
    Ok(Some(found))
}

/// Whether a format, of which `owners` is the owner's part, publishes by fewer columns than `before`, which its source keeps and which may be
/// of another built-in format.
///
/// # Errors
/// If the former one is like a format that there is not.
pub fn loses_publication(
    choice: &Choice,
    owners: &Format,
    table: &Table,
    before: &Format,
) -> Result<bool, FileError> {
    let former_base = base_of(before)?;
    let mut former_whole = Format::combined(former_base.as_deref(), before);
    if let Some(base) = &former_base {
        former_whole.remove_unseen(base, before);
    }
    let next = Format::combined(choice.base(), owners);
    let mut lost = lost_parts(&former_whole, &next, table);
    if before.like != choice.owners.like {
        lost.extend(lost_parts(before, owners, table));
    }
    Ok(!lost.is_empty())
}

/// The parts for which a format has a column of publication that the next one lacks.
fn lost_parts(former: &Format, next: &Format, table: &Table) -> Vec<PublicPart> {
    let mut lost = Vec::new();
    let [former, next] = [former, next].map(|it| it.clone().split_public(&table.columns));
    for part in PublicPart::ALL {
        let [blocks, others] = [&former, &next].map(|format| {
            let blocks = format.public_list_of(part).iter();
            blocks.filter(|it| !it.is_of_base()).collect::<Vec<_>>()
        });
        // A column that the file lacks may be replaced.
        let [columns, other_columns] = [&blocks, &others].map(|blocks| {
            let columns = blocks.iter().flat_map(|it| table.columns_of(&it.names));
            columns.collect::<BTreeSet<usize>>()
        });
        if others.len() < blocks.len() || !columns.is_subset(&other_columns) {
            lost.push(part);
        }
    }
    lost
}

/// The columns by which the format with the first text decides what is public, and the other one not, or not so.
pub fn lost_public_columns(before: &str, after: &str) -> Vec<String> {
    let [before, after] =
        [before, after].map(|text| Format::parse(text).unwrap_or_default().split_public(&[]));
    let parts = std::iter::zip(before.public_blocks(), after.public_blocks());
    let lost = parts.flat_map(|((_, before), (_, after))| {
        let is_same = |it: &PublicColumn, other: &PublicColumn| {
            (&it.names, &it.values) == (&other.names, &other.values)
        };
        let blocks = before.iter().filter(|it| !it.is_of_base());
        blocks.filter(move |it| !after.iter().any(|other| is_same(it, other)))
    });
    let names = lost.flat_map(|it| it.names.parts());
    names.map(str::to_owned).collect()
}

/// The format by which further pages of a file are found: that by which it is imported; `None` if it is unknown.
pub fn format_of(content: &[u8], request: &ImportRequest, kept: &KeptFormats) -> Option<Format> {
    let chooser = FormatChooser::new(request, kept);
    if let Some(choice) = chooser.choose_by_request() {
        return Some(choice.ok()?.format());
    }
    let decoded = decode(content, None).ok()?;
    let opened = OpenedFile::of_text(&decoded).ok()??;
    let format = chooser.choose(&opened).ok()?.format();
    // Lines of the native form are rows without a list.
    (!format.is_native()).then_some(format)
}
