//! Fetches all pages of an entry into a temporary folder.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use encoding_rs::{Encoding, UTF_8};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use indicatif::ProgressBar;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED,
};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use super::client::{
    FetchedPage, PAGE_BYTES_MAX, PageRequest, SourceClient, check_size, unwritable,
};
use super::credentials::Secrets;
use super::error::SyncError;
use super::file::Entry;
use super::paging::{Pager, is_empty_list};
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{INPUT_BYTES_MAX, ImportRequest, Mask, format_of};
use crate::storage::sync::SyncState;
use crate::storage::temporary_folder;

const PAGES_MAX: usize = 1_000;
/// A longer validator is not kept, and the next request is unconditional.
const VALIDATOR_BYTES_MAX: usize = 1 << 10;
/// A body is coded at most so often.
const CODINGS_MAX: usize = 4;
const BROTLI_BUFFER: usize = 16 << 10;

/// What a run imports.
#[derive(Default)]
pub struct Fetched {
    /// A file for each page, in their order.
    pub files: Vec<PathBuf>,
    /// The folder of the pages, which is removed with this value.
    pub folder: Option<TempDir>,
    /// Whether the answer is that of the last run; then there are no files.
    pub is_same: bool,
    /// The number of reviews that the source says it has, where the format describes it.
    pub total: Option<u64>,
    /// Whether the answer names a next page that nothing reads.
    pub has_further_page: bool,
    /// Whether the first page is an object or a page of HTML, in which rows must be found.
    pub needs_rows: bool,
    /// Status and kind of the first page.
    pub answer: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub mask: Mask,
}

/// What a run fetches, and what it knows of the last answer.
pub struct Fetch<'f> {
    pub config: &'f SyncConfig,
    pub clock: &'f Clock,
    /// One place: one page at a time is in memory.
    pub memory: &'f Semaphore,
    pub entry: &'f Entry,
    pub reading: &'f ImportRequest,
    /// Whether a format says in which encoding the answer is.
    pub has_encoding: bool,
    /// The state whose validators still hold; an answer like that of the last run is not sent again then.
    pub conditions: Option<&'f SyncState>,
    /// Shows the number of pages and rows.
    pub bar: &'f ProgressBar,
}

impl Fetch<'_> {
    /// Fetches all pages.
    ///
    /// # Errors
    /// If one page fails, all do.
    pub async fn run(&self) -> Result<Fetched, SyncError> {
        let mut secrets = Secrets::of(self.entry, self.clock).await?;
        let client = SourceClient::new(self.config, self.clock)?;
        let first = secrets.url()?;
        let conditions = self.conditions.map(conditions).unwrap_or_default();
        let folder = temporary_folder().map_err(|error| unwritable(&error))?;
        let mut fetched = Fetched::default();
        let (mut bytes_left, mut url, mut pager) = (INPUT_BYTES_MAX, first.clone(), None::<Pager>);
        for number in 1.. {
            let is_first = number == 1;
            let mut headers = secrets.headers(&client.http).await?;
            if is_first {
                headers.extend(conditions.clone());
            }
            let name = format!("page {number}");
            let file = folder.path().join(&name);
            let request = PageRequest {
                url: url.clone(),
                allows_http: self.entry.allows_http,
                headers,
                mask: &secrets.mask,
                file: &file,
                bytes_left,
            };
            let page = match client.get(&request).await {
                Err(SyncError::Refused { message, .. }) => {
                    return Err(page_failure(number, &message));
                }
                got => got?,
            };
            let status = page.status.as_u16();
            if is_first && status == 304 && !conditions.is_empty() {
                fetched.is_same = true;
                break;
            }
            if pager.as_ref().is_some_and(|pager| pager.is_end(status)) {
                break;
            }
            if status != 200 {
                return Err(page_failure(number, &page.describe()));
            }
            let _place = self.memory.acquire().await;
            let body = self.read_body(&page, &file, bytes_left)?;
            bytes_left -= body.len() as u64;
            // Bytes that are not UTF-8 say nothing of further pages, but are part of rows.
            let text = String::from_utf8_lossy(&body);
            let text = text.trim_start_matches('\u{feff}').trim();
            if is_first && body.trim_ascii().is_empty() {
                return Err(page.no_reviews());
            }
            let pager = if let Some(pager) = &mut pager {
                pager
            } else {
                let format = format_of(&body, self.reading);
                // Our own form has nothing but its own members, so an empty list in it is one.
                let is_own = format.as_ref().is_some_and(|it| it.is_ours());
                fetched.needs_rows = text.starts_with(['{', '<']) && !is_own;
                fetched.answer = page.describe();
                pager.insert(Pager::new(&first, format))
            };
            let turn = pager.turn(&url, &page, text);
            let turn = turn.map_err(|error| page_failure(number, &error.to_string()))?;
            if !is_first && !turn.is_new {
                break;
            }
            if is_empty_list(text) {
                // The import need not know the platform of an empty list.
                fs::write(&file, "[]").map_err(|error| unwritable(&error))?;
            }
            fetched.files.push(name.into());
            self.bar.set_position(number as u64);
            self.bar.set_message(pager.rows().to_string());
            let Some(next) = turn.next else {
                if is_first {
                    let field = |name| {
                        let field = page.header(name)?;
                        let is_kept =
                            field.len() <= VALIDATOR_BYTES_MAX && !secrets.mask.is_in(field);
                        is_kept.then(|| field.to_owned())
                    };
                    (fetched.etag, fetched.last_modified) = (field(ETAG), field(LAST_MODIFIED));
                }
                break;
            };
            if number == PAGES_MAX {
                return Err(SyncError::failed(format!(
                    "the source has more than {PAGES_MAX} pages; ask for more reviews per page"
                )));
            }
            url = next;
        }
        if let Some(pager) = pager {
            (fetched.total, fetched.has_further_page) = (pager.total, pager.has_further_page);
        }
        fetched.folder = Some(folder);
        fetched.mask = secrets.mask;
        Ok(fetched)
    }

    /// The body of a page, without codings. One that is not UTF-8 is decoded as the answer states, unless a format names the encoding.
    /// Its file is written again if it differs.
    fn read_body(
        &self,
        page: &FetchedPage,
        file: &Path,
        bytes_left: u64,
    ) -> Result<Vec<u8>, SyncError> {
        let sent = fs::read(file).map_err(|error| unwritable(&error))?;
        let mut body = undo_codings(page, sent)?;
        check_size(body.len() as u64, bytes_left)?;
        let stated = page.header(CONTENT_TYPE).and_then(charset);
        let is_archive = body.starts_with(b"PK");
        if let Some(encoding) = stated.filter(|_| !is_archive && !self.has_encoding)
            && encoding != UTF_8
            && (!encoding.is_ascii_compatible() || str::from_utf8(&body).is_err())
        {
            body = encoding.decode(&body).0.into_owned().into_bytes();
        }
        fs::write(file, &body).map_err(|error| unwritable(&error))?;
        Ok(body)
    }
}

/// Undoes the content codings of a body (RFC 9110 §8.4), the last one first.
fn undo_codings(page: &FetchedPage, mut body: Vec<u8>) -> Result<Vec<u8>, SyncError> {
    let fields = page.headers.get_all(CONTENT_ENCODING).iter();
    let fields = fields.filter_map(|field| field.to_str().ok());
    let codings = fields.flat_map(|field| field.split(','));
    let codings: Vec<String> = codings
        .map(|coding| coding.trim().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != "identity")
        .collect();
    if codings.len() > CODINGS_MAX {
        return Err(SyncError::failed("the answer is coded too often"));
    }
    for coding in codings.iter().rev() {
        body = match coding.as_str() {
            "gzip" | "x-gzip" => decode(MultiGzDecoder::new(&*body))?,
            "br" => decode(brotli::Decompressor::new(&*body, BROTLI_BUFFER))?,
            // Some servers send it without the wrapping that the name means.
            "deflate" if body.first().is_some_and(|first| first & 15 == 8) => {
                decode(ZlibDecoder::new(&*body))?
            }
            "deflate" => decode(DeflateDecoder::new(&*body))?,
            _ => {
                return Err(SyncError::failed(
                    "the answer has a content coding other than gzip, deflate and br",
                ));
            }
        };
    }
    Ok(body)
}

/// What a decoder gives, up to one byte more than a page may have.
fn decode(decoder: impl Read) -> Result<Vec<u8>, SyncError> {
    let mut decoded = Vec::new();
    let read = decoder.take(PAGE_BYTES_MAX + 1).read_to_end(&mut decoded);
    read.map_err(|_: io::Error| {
        SyncError::failed("the answer has another content coding than it states")
    })?;
    Ok(decoded)
}

fn page_failure(number: usize, reason: &str) -> SyncError {
    SyncError::failed(if number > 1 {
        format!("page {number}: {reason}")
    } else {
        reason.to_owned()
    })
}

/// The parameter `charset` of a media type (RFC 9110 §8.3.1).
fn charset(media_type: &str) -> Option<&'static Encoding> {
    let mut parameters = media_type.split(';').skip(1);
    let label = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"'))
    });
    Encoding::for_label(label?.as_bytes())
}

/// The validators of the last run's answer.
fn conditions(state: &SyncState) -> HeaderMap {
    let conditions = [
        (IF_NONE_MATCH, &state.etag),
        (IF_MODIFIED_SINCE, &state.last_modified),
    ];
    let valid = conditions
        .into_iter()
        .filter_map(|(name, value): (HeaderName, _)| {
            Some((name, HeaderValue::from_str(value.as_ref()?).ok()?))
        });
    valid.collect()
}
