//! Which format a file has: that of the call, what its source keeps, or the built-in one whose names its columns have.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::imports::fault::FileError;
use crate::imports::format::{Format, Reader, basic_string};
use crate::imports::opened_file::OpenedFile;
use crate::imports::platforms::{LINKED_DATA, PLATFORMS, find_format, format_names};
use crate::imports::read::text::decode;
use crate::imports::request::{FormatArgument, ImportRequest, SOURCE_DEFAULT};
use crate::model::text::{nearest, quote_for_shell};
use crate::storage::formats::KeptFormats;

/// The format of a file, as far as it is known.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The built-in format; `None` for an owner's.
    pub base: Option<Arc<Format>>,
    /// The owner's part of the format.
    pub own: Format,
    pub source: String,
    pub is_kept: bool,
    /// Whether the table needs a source of its own, since the source that it would be of has another format.
    pub needs_source: bool,
}

impl Choice {
    pub fn whole(&self) -> Format {
        Format::whole(self.base.as_deref(), &self.own)
    }

    /// Whether two tables are read by one format.
    pub fn is_like(&self, other: &Self) -> bool {
        let name = |choice: &Self| choice.base.as_ref().map(|base| base.name.clone());
        name(self) == name(other) && self.source == other.source
    }
}

/// The formats that a call may use.
pub struct Formats<'r> {
    request: &'r ImportRequest,
    /// By source. One that cannot be read, as a shell may have written it, counts as none.
    kept: BTreeMap<String, Format>,
}

impl<'r> Formats<'r> {
    pub fn new(request: &'r ImportRequest, kept: &KeptFormats) -> Self {
        let parsed = kept.iter().filter_map(|(source, text)| {
            let format = Format::parse(text).ok()?;
            Some((source.clone(), format))
        });
        Self {
            request,
            kept: parsed.collect(),
        }
    }

    /// The owner's format that the call or the named source gives.
    pub fn stated(&self) -> Option<&Format> {
        let named = self.request.source.as_ref();
        let own = self.request.own_format.as_ref();
        own.or_else(|| self.kept.get(named?))
    }

    /// # Errors
    /// If it has the columns of what another source keeps.
    pub fn choose(&self, opened: &OpenedFile<'_>) -> Result<Choice, FileError> {
        let (request, parts) = (self.request, &opened.parts);
        if let Some(own) = &request.own_format {
            return self.of_owner(own, false, opened);
        }
        if let Some(FormatArgument::BuiltIn(base)) = &request.format {
            return Ok(self.of_base(base));
        }
        let source = request.source.as_deref().unwrap_or(SOURCE_DEFAULT);
        let kept = self.kept.get(source);
        let has_part = |kept: &&Format| parts.iter().any(|part| !part.is_other(kept));
        let fits = |format: &Format| parts.iter().any(|part| part.fits(format));
        let is_unnamed = request.source.is_none();
        let others = self.kept.iter().filter(|(name, format)| {
            let mut parts = parts.iter();
            is_unnamed && *name != source && parts.any(|part| part.may_be_of(format))
        });
        let others: Vec<(&String, &Format)> = others.collect();
        // A file without a column that says what is public never becomes one of another source without a question.
        let lacks_public = |(_, format): &&(&String, &Format)| {
            let mut parts = parts.iter().filter(|part| part.may_be_of(format));
            parts.any(|part| part.lacks_public(format))
        };
        let deciding = others.iter().find(lacks_public);
        if let Some(form) = &opened.own_form {
            let is_kept = kept.is_some_and(|it| it.like.is_none() && has_part(&it));
            if form.is_certain || !is_kept && deciding.is_none() {
                return Ok(self.of_base(&form.format));
            }
        }
        let named = kept.filter(|_| request.source.is_some());
        if let Some(kept) = named.filter(|kept| kept.like.is_some() || has_part(kept)) {
            return self.of_owner(kept, true, opened);
        }
        if let Some(base) = find_platform(opened) {
            return Ok(self.of_base(&base));
        }
        if request.source.is_none() {
            if let Some(kept) = kept.filter(|kept| fits(kept)) {
                return self.of_owner(kept, true, opened);
            }
            let only = others.first().filter(|_| others.len() == 1);
            if let Some((other, _)) = deciding.or(only) {
                return Err(FileError::new(format!(
                    "has the columns of the source {other}; if it is a file of it, add --source {} (in an entry: source = {}), else give \
                     its format",
                    quote_for_shell(other),
                    basic_string(other)
                )));
            }
            if let Some(kept) = kept.filter(has_part) {
                return self.of_owner(kept, true, opened);
            }
        }
        Ok(Choice {
            base: None,
            own: Format::default(),
            source: source.to_owned(),
            is_kept: false,
            needs_source: kept.is_some(),
        })
    }

    /// A built-in format, with what its source keeps beside it.
    fn of_base(&self, base: &Arc<Format>) -> Choice {
        let source = self.request.source_of(base).to_owned();
        let like = Some(base.name.clone()).filter(|_| !base.is_ours());
        let kept = self.kept.get(&source);
        let kept = kept.filter(|kept| like.is_some() && kept.like == like);
        Choice {
            base: Some(Arc::clone(base)),
            own: kept.cloned().unwrap_or_else(|| Format {
                like,
                ..Format::default()
            }),
            source,
            is_kept: kept.is_some(),
            needs_source: false,
        }
    }

    fn of_owner(
        &self,
        own: &Format,
        is_kept: bool,
        opened: &OpenedFile<'_>,
    ) -> Result<Choice, FileError> {
        let of_page = || opened.is_page().then(|| Arc::clone(&LINKED_DATA));
        let base = base_of(own)?.or_else(of_page);
        let source = match &base {
            Some(base) => self.request.source_of(base),
            None => self.request.source.as_deref().unwrap_or(SOURCE_DEFAULT),
        };
        Ok(Choice {
            source: source.to_owned(),
            base,
            own: own.clone(),
            is_kept,
            needs_source: false,
        })
    }
}

/// The built-in format that an owner's is like.
///
/// # Errors
/// If there is none of that name.
pub fn base_of(format: &Format) -> Result<Option<Arc<Format>>, FileError> {
    let Some(name) = &format.like else {
        return Ok(None);
    };
    let found = find_format(name).filter(|it| !it.is_ours());
    if found.is_none() {
        let near = nearest(name, format_names()).unwrap_or_default();
        return Err(FileError::new(format!(
            "the source's format is like {name:?}, which is no built-in format of a platform; the nearest is {near}"
        )));
    }
    Ok(found)
}

/// The format by which further pages of a file are found: that of the call, or the built-in one; `None` if it is unknown.
pub fn format_of(content: &[u8], request: &ImportRequest) -> Option<Arc<Format>> {
    if let Some(FormatArgument::BuiltIn(format)) = &request.format {
        return Some(Arc::clone(format));
    }
    if let Some(own) = &request.own_format {
        return Some(Arc::new(Format::whole(base_of(own).ok()?.as_deref(), own)));
    }
    let decoded = decode(content, None, request.country()).ok()?;
    let opened = OpenedFile::of_text(&decoded).ok()??;
    let own = opened.own_form.as_ref();
    let own = own.filter(|form| form.format.reader == Reader::Document);
    own.map(|form| Arc::clone(&form.format))
        .or_else(|| find_platform(&opened).filter(|_| !opened.is_page()))
}

/// The platform's format that a file has.
fn find_platform(opened: &OpenedFile<'_>) -> Option<Arc<Format>> {
    if opened.is_page() {
        return Some(Arc::clone(&LINKED_DATA));
    }
    let has_keys = |format: &&Arc<Format>| opened.parts.iter().any(|part| part.has_keys(format));
    PLATFORMS.iter().find(has_keys).cloned()
}
