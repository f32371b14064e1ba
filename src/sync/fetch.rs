//! Fetches all pages of a source into a temporary folder, or finds the files of one that something else fills.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use chrono::{DateTime, Utc};
use encoding_rs::{Encoding, UTF_8};
use indicatif::ProgressBar;
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED,
};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Stat, fstat, statat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use super::client::{FetchedPage, PageRequest, SourceClient, unwritable};
use super::paging::{Announced, Pager, is_empty_list};
use super::secrets::Secrets;
use super::source::{Source, SyncError};
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{
    INPUT_BYTES_MAX, Mask, format_of, is_taken_from_folders, open_below, open_root,
};
use crate::model::hex;
use crate::storage::temporary_folder;

const PAGES_MAX: usize = 1_000;
/// A longer validator is not kept, and the next request is unconditional.
const VALIDATOR_BYTES_MAX: usize = 1 << 10;

/// What a run imports.
#[derive(Default)]
pub struct Fetched {
    /// A file for each page, or the files of a folder, in their order.
    pub files: Vec<PathBuf>,
    /// The folder of the files.
    pub below: Option<Arc<OwnedFd>>,
    /// The folder of the pages, which is removed with this value.
    pub folder: Option<TempDir>,
    /// Whether the answer is that of the last run; then there are no files.
    pub is_same: bool,
    /// The number of reviews that the source says it has, where the platform's file describes it.
    pub total: Option<u64>,
    /// What the answer says of further pages that nothing describes.
    pub announced: Announced,
    /// Files that changed a moment ago, and may still be written.
    pub waiting: usize,
    /// Whether the first page is an object or a page of HTML, in which rows must be found.
    pub needs_rows: bool,
    /// Status and kind of the first page.
    pub answer: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub mask: Mask,
}

/// Fetches all pages, whose number and rows `bar` shows. With `is_conditional`, an answer like that of the last run is not
/// sent again. One page at a time is in memory, in the only place of `memory`.
///
/// # Errors
/// If one page fails, all do.
pub async fn fetch_pages(
    config: &SyncConfig,
    clock: &Clock,
    memory: &Semaphore,
    source: &Source,
    is_conditional: bool,
    bar: &ProgressBar,
) -> Result<Fetched, SyncError> {
    let mut secrets = Secrets::of(source, clock)?;
    let client = SourceClient::new(config, clock)?;
    let first = secrets.url(source, &client.http).await?;
    let conditions = if is_conditional {
        conditions(source)
    } else {
        HeaderMap::new()
    };
    let reading = source.import_request()?;
    let folder = temporary_folder().map_err(|error| unwritable(&error))?;
    let mut fetched = Fetched::default();
    let (mut bytes_left, mut url, mut pager) = (INPUT_BYTES_MAX, first.clone(), None::<Pager>);
    for number in 1.. {
        let is_first = number == 1;
        let mut headers = secrets.headers(source, &client.http).await?;
        if is_first {
            headers.extend(conditions.clone());
        }
        let name = format!("page {number}");
        let file = folder.path().join(&name);
        let request = PageRequest {
            url: url.clone(),
            allows_http: source.options.allow_http,
            headers,
            mask: &secrets.mask,
            file: &file,
            bytes_left,
        };
        let page = match client.get(&request).await {
            Err(SyncError::Refused { message, .. }) => return Err(page_failure(number, &message)),
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
        bytes_left -= page.bytes;
        let _place = memory.acquire().await;
        let body = read_body(&page, &file)?;
        // Bytes that are not UTF-8 say nothing of further pages, but are part of rows.
        let text = String::from_utf8_lossy(&body);
        let text = text.trim_start_matches('\u{feff}').trim();
        if is_first && body.trim_ascii().is_empty() {
            return Err(page.no_reviews());
        }
        let pager = if let Some(pager) = &mut pager {
            pager
        } else {
            let format = format_of(&body, &reading);
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
        bar.set_position(number as u64);
        bar.set_message(pager.rows().to_string());
        let Some(next) = turn.next else {
            if is_first {
                let field = |name| {
                    let field = page.header(name)?;
                    let is_kept = field.len() <= VALIDATOR_BYTES_MAX && !secrets.mask.is_in(field);
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
        (fetched.total, fetched.announced) = (pager.total, pager.announced);
    }
    let below = open_root(folder.path()).map_err(|error| unwritable(&error))?;
    (fetched.below, fetched.folder) = (Some(Arc::new(below)), Some(folder));
    fetched.mask = secrets.mask;
    Ok(fetched)
}

fn page_failure(number: usize, reason: &str) -> SyncError {
    SyncError::failed(if number > 1 {
        format!("page {number}: {reason}")
    } else {
        reason.to_owned()
    })
}

/// The body of a page. One that is not UTF-8 is decoded as the answer states, unless the owner named the encoding, and its file is
/// written again.
fn read_body(page: &FetchedPage, file: &Path) -> Result<Vec<u8>, SyncError> {
    let body = fs::read(file).map_err(|error| unwritable(&error))?;
    let stated = page.header(CONTENT_TYPE).and_then(charset);
    let is_archive = body.starts_with(b"PK");
    match stated.filter(|_| !is_archive) {
        Some(encoding) if encoding != UTF_8 && str::from_utf8(&body).is_err() => {
            let decoded = encoding.decode(&body).0.into_owned().into_bytes();
            fs::write(file, &decoded).map_err(|error| unwritable(&error))?;
            Ok(decoded)
        }
        _ => Ok(body),
    }
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
fn conditions(source: &Source) -> HeaderMap {
    let conditions = [
        (IF_NONE_MATCH, &source.row.etag),
        (IF_MODIFIED_SINCE, &source.row.last_modified),
    ];
    let valid = conditions
        .into_iter()
        .filter_map(|(name, value): (HeaderName, _)| {
            Some((name, HeaderValue::from_str(value.as_ref()?).ok()?))
        });
    valid.collect()
}

// Files below the folder `REVIEWS_SYNC_FILES`. Links are not followed: who may write there must not choose other files of this
// machine.

/// A file that changed within this time may still be written.
const SETTLED_AFTER_SECONDS: u64 = 10;
/// Folders deep to which an unpacked Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 6;

/// The finished files of a source, oldest first; none if `is_conditional` and they are those of the last run.
///
/// # Errors
/// If the source is not below the folder of `REVIEWS_SYNC_FILES`, or cannot be read.
pub fn find_files(
    config: &SyncConfig,
    source: &Source,
    now: DateTime<Utc>,
    is_conditional: bool,
) -> Result<Fetched, SyncError> {
    let path = &source.row.url;
    let fault = |reason| SyncError::failed(format!("{path}: {reason}"));
    let Some(root) = &config.sync_files else {
        return Err(fault(
            "REVIEWS_SYNC_FILES is not set; set it to the folder with the files of sources"
                .to_owned(),
        ));
    };
    let unreadable = |error: io::Error| {
        fault(format!(
            "cannot be read below REVIEWS_SYNC_FILES: {error}; links are not followed there"
        ))
    };
    let below = open_root(root).map_err(unreadable)?;
    let mut files = Vec::new();
    collect_files(below.as_fd(), Path::new(path), &mut files).map_err(unreadable)?;
    let all = files.len();
    if files.is_empty() {
        return Err(fault("there is no file with reviews".to_owned()));
    }
    // One of the future was written by another clock.
    files.retain(|(stat, _)| now.timestamp().abs_diff(stat.st_mtime) >= SETTLED_AFTER_SECONDS);
    files.sort_by_key(|(stat, file)| (stat.st_mtime, stat.st_mtime_nsec, file.clone()));
    let digest = digest(&files);
    let is_same = is_conditional && source.row.etag.as_ref() == Some(&digest);
    let waiting = all - files.len();
    let new = files.into_iter().filter(|_| !is_same);
    Ok(Fetched {
        files: new.map(|(_, file)| file).collect(),
        below: Some(Arc::new(below)),
        is_same,
        waiting,
        etag: Some(digest),
        ..Fetched::default()
    })
}

/// Finds the file at `path`, or the files of the folder there.
fn collect_files(
    root: BorrowedFd<'_>,
    path: &Path,
    found: &mut Vec<(Stat, PathBuf)>,
) -> io::Result<()> {
    let opened = open_below(root, path)?;
    let stat = fstat(&opened)?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    if kind.is_file() {
        found.push((stat, path.to_owned()));
        return Ok(());
    }
    if !kind.is_dir() {
        return Err(io::Error::other("it is neither a file nor a folder"));
    }
    for (name, stat) in entries(&opened)? {
        let end = Path::new(&name).extension();
        let end = end.map(OsStr::to_ascii_lowercase).unwrap_or_default();
        if name.as_bytes().starts_with(b".") || end == "part" || end == "tmp" {
            continue;
        }
        let (child, kind) = (path.join(name), FileType::from_raw_mode(stat.st_mode));
        // Neither a link nor a pipe, whose reading may never end.
        if kind.is_file() {
            found.push((stat, child));
        } else if kind.is_dir() {
            find_unpacked(root, &child, FOLDERS_DEEP_MAX, found)?;
        }
    }
    Ok(())
}

/// Finds the files with reviews in an unpacked Takeout.
fn find_unpacked(
    root: BorrowedFd<'_>,
    folder: &Path,
    deep: usize,
    found: &mut Vec<(Stat, PathBuf)>,
) -> io::Result<()> {
    for (name, stat) in entries(open_below(root, folder)?)? {
        let (child, kind) = (folder.join(&name), FileType::from_raw_mode(stat.st_mode));
        if kind.is_dir() && deep > 0 {
            find_unpacked(root, &child, deep - 1, found)?;
        } else if kind.is_file() && is_taken_from_folders(&name.to_string_lossy()) {
            found.push((stat, child));
        }
    }
    Ok(())
}

/// The names in a folder, with what they are themselves, links included.
fn entries(folder: impl AsFd) -> io::Result<Vec<(OsString, Stat)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
        if name == "." || name == ".." {
            continue;
        }
        match statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => found.push((name, stat)),
            // It was removed since.
            Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// A digest of names, sizes and times.
fn digest(files: &[(Stat, PathBuf)]) -> String {
    let mut digest = Sha256::new();
    for (stat, file) in files {
        digest.update(format!(
            "{} {} {}.{}\n",
            file.display(),
            stat.st_size,
            stat.st_mtime,
            stat.st_mtime_nsec
        ));
    }
    hex(&digest.finalize())
}
