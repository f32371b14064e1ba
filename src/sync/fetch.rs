//! A run of an entry: what it is asked to do, what it knows before it fetches, and all pages in a temporary folder.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use chrono_tz::Tz;
use clap::Args;
use encoding_rs::{Encoding, UTF_8};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use futures_util::FutureExt as _;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED,
};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::client::{
    FetchedPage, NO_REVIEWS, PAGE_BYTES_MAX, SourceClient, SyncError, check_size, unwritable,
};
use super::file::Entry;
use super::paging::{Pager, is_empty_list};
use super::secrets::Secrets;
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{Doubtful, INPUT_BYTES_MAX, ImportRequest, Mask, format_of};
use crate::storage::sync::SyncState;
use crate::storage::{Database, temporary_folder};

const PAGES_MAX: usize = 1_000;
/// A longer validator is not kept, and the next request is unconditional.
const VALIDATOR_BYTES_MAX: usize = 1 << 10;
const BROTLI_BUFFER: usize = 16 << 10;

/// What `sync run` is asked to do.
#[derive(Debug, Clone, Default, Args)]
pub struct RunOptions {
    /// Show what the run would change
    #[arg(long)]
    pub dry_run: bool,
    /// Take the run as it is: with other text or stars of more than half of the source's reviews, many rejected rows, or another
    /// kind of file
    #[arg(long)]
    pub accept_changes: bool,
    /// Import all doubtful rows as new reviews, or take each as the one review that it may be
    #[arg(long, value_enum, requires = "name")]
    pub doubtful: Option<Doubtful>,
    /// Withhold reviews that the entry stated and its answer lacks, and publish them again when they return
    #[arg(long, requires = "name")]
    pub withdraw_missing: bool,
}

/// A run of an entry.
pub struct Run<'r> {
    pub entry: &'r Entry,
    /// Of a run by schedule, the defaults.
    pub options: &'r RunOptions,
    pub is_scheduled: bool,
    pub stop: &'r CancellationToken,
}

/// What a run knows before it fetches.
pub struct Preparation {
    pub reading: ImportRequest,
    pub entry_digest: String,
    /// Of all that says how the answer is read.
    pub reading_digest: String,
    /// Whether a format says in which encoding the answer is.
    pub has_encoding: bool,
    /// As it was when the run began.
    pub state: SyncState,
    pub zone: Tz,
}

impl Preparation {
    /// Whether the entry succeeded before as it now stands.
    pub fn is_known(&self) -> bool {
        self.state.entry_digest.as_ref() == Some(&self.entry_digest)
    }
}

pub struct SyncRunner {
    pub database: Database,
    pub clock: Clock,
    pub config: SyncConfig,
    /// One place: pages are looked at and imported one after another, so that the memory of one import is enough.
    pub memory: Semaphore,
}

impl SyncRunner {
    pub fn new(database: &Database, clock: &Clock, config: SyncConfig) -> Self {
        Self {
            database: database.clone(),
            clock: clock.clone(),
            config,
            memory: Semaphore::new(1),
        }
    }
}

/// What a run imports.
pub struct Fetched {
    /// A file for each page, in their order.
    pub files: Vec<PathBuf>,
    /// The folder of the pages, which is removed with this value.
    pub folder: TempDir,
    /// The number of reviews that the source says it has, where the format describes it.
    pub total: Option<u64>,
    /// Whether the answer names a next page that nothing reads.
    pub has_further_page: bool,
    /// Whether the first page is an object or a page of HTML, in which rows must be found.
    pub needs_rows: bool,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub mask: Mask,
}

impl SyncRunner {
    /// Fetches all pages; `None` if the answer is that of the last run.
    ///
    /// # Errors
    /// If one page fails, all do.
    pub(super) async fn fetch(
        &self,
        run: &Run<'_>,
        prepared: &Preparation,
    ) -> Result<Option<Fetched>, SyncError> {
        let client = SourceClient::new(&self.config, &self.clock, run.entry.allows_http)?;
        let Secrets { url, headers, mask } = Secrets::of(run.entry, &client).await?;
        let mut fetched = Fetched {
            files: Vec::new(),
            folder: temporary_folder().map_err(|error| unwritable(&error))?,
            total: None,
            has_further_page: false,
            needs_rows: false,
            etag: None,
            last_modified: None,
            mask,
        };
        let conditions = prepared.conditions(run);
        let (mut bytes_left, mut next, mut pager) = (INPUT_BYTES_MAX, Some(url.clone()), None);
        for number in 1.. {
            let Some(url) = next.take() else { break };
            if number > PAGES_MAX {
                return Err(SyncError::failed(format!(
                    "the source has more than {PAGES_MAX} pages; ask for more reviews per page"
                )));
            }
            let at_page = |error: SyncError| {
                if let SyncError::Failed { message, .. } = &error
                    && number > 1
                {
                    return SyncError::failed(format!("page {number}: {message}"));
                }
                error
            };
            let mut headers = headers.clone();
            if number == 1 {
                headers.extend(conditions.clone());
            }
            let name = format!("page {number}");
            let file = fetched.folder.path().join(&name);
            let mask = &fetched.mask;
            let get = client.retry(|| client.get(&url, &headers, mask, &file, bytes_left).boxed());
            let page = get.await.map_err(at_page)?;
            let status = page.status.as_u16();
            if number == 1 && status == 304 && !conditions.is_empty() {
                return Ok(None);
            }
            if (pager.as_ref()).is_some_and(|pager: &Pager| pager.is_end(status)) {
                break;
            }
            if status != 200 {
                return Err(at_page(SyncError::failed(format!("status {status}"))));
            }
            let _place = self.memory.acquire().await;
            let body = read_body(&page, &file, prepared.has_encoding)?;
            check_size(body.len() as u64, bytes_left)?;
            bytes_left -= body.len() as u64;
            // Bytes that are not UTF-8 say nothing of further pages, but are part of rows.
            let text = String::from_utf8_lossy(&body);
            let text = text.trim_start_matches('\u{feff}').trim();
            if number == 1 {
                if text.is_empty() {
                    return Err(SyncError::failed(NO_REVIEWS));
                }
                let format = format_of(&body, &prepared.reading);
                // Our own form has nothing but its own members, so an empty list in it is one.
                let is_own = format.as_ref().is_some_and(|it| it.is_ours());
                fetched.needs_rows = text.starts_with(['{', '<']) && !is_own;
                pager = Some(Pager::new(&url, format));
            }
            let Some(pager) = &mut pager else { break };
            let turn = pager.turn(&url, &page, text).map_err(at_page)?;
            if number > 1 && !turn.is_new {
                break;
            }
            if is_empty_list(text) {
                // The import need not know the platform of an empty list.
                fs::write(&file, "[]").map_err(|error| unwritable(&error))?;
            }
            if number == 1 && turn.next.is_none() {
                (fetched.etag, fetched.last_modified) = (
                    validator(&page, ETAG, &fetched.mask),
                    validator(&page, LAST_MODIFIED, &fetched.mask),
                );
            }
            fetched.files.push(name.into());
            next = turn.next;
        }
        if let Some(pager) = pager {
            (fetched.total, fetched.has_further_page) = (pager.total, pager.has_further_page);
        }
        Ok(Some(fetched))
    }
}

/// A header that makes the next request conditional; one with a secret is not stored.
fn validator(page: &FetchedPage, name: HeaderName, mask: &Mask) -> Option<String> {
    let field = page.header(name)?;
    let is_kept = field.len() <= VALIDATOR_BYTES_MAX && !mask.is_in(field);
    is_kept.then(|| field.to_owned())
}

/// The body of a page, without its coding. One that is not UTF-8 is decoded as the answer states, unless a format names the encoding.
/// Its file is written again.
fn read_body(page: &FetchedPage, file: &Path, has_encoding: bool) -> Result<Vec<u8>, SyncError> {
    let sent = fs::read(file).map_err(|error| unwritable(&error))?;
    let mut body = undo_coding(page, sent)?;
    let stated = page.header(CONTENT_TYPE).and_then(charset);
    let is_archive = body.starts_with(b"PK");
    if let Some(encoding) = stated.filter(|_| !is_archive && !has_encoding)
        && encoding != UTF_8
        && str::from_utf8(&body).is_err()
    {
        body = encoding.decode(&body).0.into_owned().into_bytes();
    }
    fs::write(file, &body).map_err(|error| unwritable(&error))?;
    Ok(body)
}

/// Undoes the content coding of a body (RFC 9110 §8.4).
fn undo_coding(page: &FetchedPage, body: Vec<u8>) -> Result<Vec<u8>, SyncError> {
    let coding = page.header(CONTENT_ENCODING).unwrap_or_default();
    let coding = coding.trim().to_ascii_lowercase();
    let decoder: Box<dyn Read + '_> = match &*coding {
        "" | "identity" => return Ok(body),
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(&*body)),
        "deflate" => Box::new(ZlibDecoder::new(&*body)),
        "br" => Box::new(brotli::Decompressor::new(&*body, BROTLI_BUFFER)),
        _ => {
            return Err(SyncError::failed(
                "the answer has a content coding other than gzip, deflate and br",
            ));
        }
    };
    let mut decoded = Vec::new();
    let read = decoder.take(PAGE_BYTES_MAX + 1).read_to_end(&mut decoded);
    read.map_err(|_| SyncError::failed("the answer has another content coding than it states"))?;
    Ok(decoded)
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

impl Preparation {
    /// The validators of the last answer, if a scheduled run would read it in the same way.
    fn conditions(&self, run: &Run<'_>) -> HeaderMap {
        let is_read_alike = self.state.reading_digest.as_ref() == Some(&self.reading_digest);
        let conditions = [
            (IF_NONE_MATCH, &self.state.etag),
            (IF_MODIFIED_SINCE, &self.state.last_modified),
        ];
        let conditions = conditions.into_iter();
        let valid = conditions
            .filter(|_| run.is_scheduled && is_read_alike)
            .filter_map(|(name, value)| Some((name, HeaderValue::from_str(value.as_ref()?).ok()?)));
        valid.collect()
    }
}
