//! All pages of an entry's answer, in a temporary folder.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use chrono_tz::Tz;
use encoding_rs::{Encoding, UTF_8};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use futures_util::FutureExt as _;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED,
};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use url::Url;

use super::client::{FetchedPage, NO_REVIEWS, PAGE_BYTES_MAX, SourceClient, SyncError, check_size};
use super::file::SyncEntry;
use super::paging::Pager;
use super::secrets::Secrets;
use crate::compute::run_long;
use crate::imports::{
    Format, INPUT_BYTES_MAX, ImportRequest, Mask, base_of, format_of, is_empty_by,
    is_page_without_reviews,
};
use crate::model::hex;
use crate::model::json::is_empty_list;
use crate::storage::reviews::KeptFormats;
use crate::storage::sync::SyncState;
use crate::storage::temporary_folder;

const PAGES_MAX: usize = 1_000;
/// A longer validator is not kept, and the next request is unconditional.
const VALIDATOR_BYTES_MAX: usize = 1 << 10;
const BROTLI_BUFFER: usize = 16 << 10;

/// What a run knows before it fetches.
pub struct Preparation {
    pub reading: ImportRequest,
    pub entry_digest: String,
    /// The formats that sources keep.
    pub kept: KeptFormats,
    /// Whether the entry succeeded before as it now stands.
    pub is_known: bool,
    /// As it was when the run began.
    pub state: SyncState,
    pub zone: Tz,
}

impl Preparation {
    /// The format of the answer, as far as the owner gave one or its source keeps one.
    fn known_format(&self) -> Option<Format> {
        let source = self.reading.source.as_ref().or(self.state.source.as_ref());
        let owners = match &self.reading.owner_format {
            Some(format) => format.clone(),
            None => Format::parse(self.kept.get(source?)?).ok()?,
        };
        let base = base_of(&owners).ok()?;
        Some(Format::combined(base.as_deref(), &owners))
    }
}

/// What a run imports.
pub struct Fetched {
    /// A file for each page, in their order.
    pub files: Vec<PathBuf>,
    /// The folder of the pages, which is removed with this value.
    pub folder: TempDir,
    pub pager: Pager,
    /// Whether the first page is an object in which rows must be found.
    pub needs_rows: bool,
    pub request_digest: String,
    /// The fields that make the next request conditional.
    pub validators: HashMap<String, String>,
    pub mask: Mask,
}

/// Fetches all pages; `None` if the answer is that of the last run. Only one run at a time has the `memory` to look at a page.
///
/// # Errors
/// If one page fails, all do.
pub async fn fetch(
    entry: &SyncEntry,
    client: &SourceClient,
    prepared: &Preparation,
    memory: &Semaphore,
) -> Result<Option<Fetched>, SyncError> {
    let secrets = Secrets::of(entry, client).await?;
    let (version, values) = (env!("CARGO_PKG_VERSION"), secrets.values);
    let request = json!([prepared.entry_digest, values, version, prepared.kept]);
    let request_digest = hex(&Sha256::digest(request.to_string()));
    let last = &prepared.state.last_import;
    let is_same = last.request_digest.as_ref() == Some(&request_digest);
    let conditions = is_same.then(|| HeaderMap::try_from(&last.validators));
    let conditions = conditions.and_then(Result::ok).unwrap_or_default();
    let mut fetched = Fetched {
        files: Vec::new(),
        folder: temporary_folder()?,
        pager: Pager::new(secrets.url),
        needs_rows: false,
        request_digest,
        validators: HashMap::new(),
        mask: secrets.mask,
    };
    let mut bytes_left = INPUT_BYTES_MAX;
    while let Some(url) = fetched.pager.next.take() {
        let number = fetched.files.len() + 1;
        if number > PAGES_MAX {
            let reason = format!(
                "the source has more than {PAGES_MAX} pages; ask for more reviews per page"
            );
            return Err(reason.into());
        }
        let mut headers = secrets.headers.clone();
        if number == 1 {
            headers.extend(conditions.clone());
        }
        let name = format!("page {number}");
        let file = fetched.folder.path().join(&name);
        let mask = &fetched.mask;
        let get = client.retry(|| client.get(&url, &headers, mask, &file, bytes_left).boxed());
        let page = get.await.map_err(|error| error.at_page(number))?;
        let status = page.status.as_u16();
        if number == 1 && status == 304 && !conditions.is_empty() {
            return Ok(None);
        }
        if fetched.pager.is_end(status) {
            break;
        }
        if status != 200 {
            return Err(SyncError::from(format!("status {status}")).at_page(number));
        }
        let _place = memory.acquire().await;
        let added = run_long(|| fetched.add_page(&name, &url, &page, prepared, bytes_left));
        bytes_left -= added.map_err(|error| error.at_page(number))?;
    }
    Ok(Some(fetched))
}

impl Fetched {
    /// Adds a page if it is the first one or has rows that no earlier page had, and finds the next one; returns the bytes of its body.
    ///
    /// # Errors
    /// If it is too large, or no page of reviews.
    fn add_page(
        &mut self,
        name: &str,
        url: &Url,
        page: &FetchedPage,
        prepared: &Preparation,
        bytes_left: u64,
    ) -> Result<u64, SyncError> {
        let file = self.folder.path().join(name);
        let body = read_body(page, &file, prepared)?;
        let bytes = body.len() as u64;
        check_size(bytes, bytes_left)?;
        // Bytes that are not UTF-8 say nothing of further pages, but are part of rows.
        let text = String::from_utf8_lossy(&body);
        let text = text.trim_start_matches('\u{feff}').trim();
        if is_page_without_reviews(text) {
            let reason = "the answer is a web page, perhaps one to log in, or XML";
            return Err(format!("{NO_REVIEWS}: {reason}").into());
        }
        let is_first = self.files.is_empty();
        let mut is_empty = is_empty_list(text);
        if is_first {
            if text.is_empty() {
                return Err(NO_REVIEWS.into());
            }
            let format = format_of(&body, &prepared.reading, &prepared.kept);
            let known = format.clone().or_else(|| prepared.known_format());
            is_empty |= known.is_some_and(|format| is_empty_by(text, &format));
            self.needs_rows = text.starts_with('{') && !is_empty;
            self.pager.format = format;
            self.pager.check_page_size()?;
        }
        let is_new = self.pager.turn(url, page, text)?;
        if !is_new && !is_first {
            return Ok(bytes);
        }
        if is_empty {
            // The import need not know the platform of an empty list.
            fs::write(&file, "[]")?;
        }
        if is_first && self.pager.next.is_none() {
            for (name, answered) in [(IF_NONE_MATCH, ETAG), (IF_MODIFIED_SINCE, LAST_MODIFIED)] {
                // One with a secret is not stored.
                let field = page
                    .header(answered)
                    .filter(|field| field.len() <= VALIDATOR_BYTES_MAX && !self.mask.is_in(field));
                let field = field.map(|field| (name.to_string(), field.to_owned()));
                self.validators.extend(field);
            }
        }
        self.files.push(name.into());
        Ok(bytes)
    }
}

/// The body of a page, without its coding. One that is not UTF-8 is decoded as the answer states, unless a format names the encoding.
/// Its file is written again.
fn read_body(
    page: &FetchedPage,
    file: &Path,
    prepared: &Preparation,
) -> Result<Vec<u8>, SyncError> {
    let sent = fs::read(file)?;
    let mut body = undo_coding(page, sent)?;
    let stated = page.header(CONTENT_TYPE).and_then(charset);
    let is_archive = body.starts_with(b"PK");
    if let Some(encoding) = stated.filter(|stated| !is_archive && *stated != UTF_8)
        && str::from_utf8(&body).is_err()
        && prepared
            .known_format()
            .is_none_or(|it| it.encoding.is_none())
    {
        body = encoding.decode(&body).0.into_owned().into_bytes();
    }
    fs::write(file, &body)?;
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
        _ => return Err("the answer has a content coding other than gzip, deflate and br".into()),
    };
    let mut decoded = Vec::new();
    let read = decoder.take(PAGE_BYTES_MAX + 1).read_to_end(&mut decoded);
    read.map_err(|_| "the answer has another content coding than it states")?;
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
