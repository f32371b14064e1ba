//! Fetches all pages of a source into a temporary folder, or finds its files, which something else fills.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use indicatif::ProgressBar;
use reqwest::header::{
    ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use url::Url;

use super::client::{Answer, Page, PageRequest, SourceClient};
use super::paging::Pager;
use super::secret::{Secrets, SyncError};
use super::source::Source;
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{INPUT_BYTES_MAX, format_of, is_taken_from_folders};
use crate::model::hex;
use crate::storage::temporary_folder;

const PAGES_MAX: usize = 1_000;

/// What a run imports.
#[derive(Default)]
pub struct Fetched {
    /// A file for each page, or the files of a folder, in their order.
    pub files: Vec<PathBuf>,
    /// The folder of the pages, removed with this value.
    pub folder: Option<TempDir>,
    /// Whether the answer is that of the last whole run; then there are no files.
    pub is_same: bool,
    /// The number of reviews that the source says it has.
    pub total: Option<u64>,
    /// Files that changed a moment ago, and may still be written.
    pub waiting: usize,
    /// Whether the first page is an object without an empty list, so that the import must find rows.
    pub needs_rows: bool,
    /// Status and content type of the first page.
    pub answer: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub secrets: Secrets,
}

impl Fetched {
    /// A message of the import, without secrets and with pages instead of temporary files.
    pub fn clean(&self, message: &str) -> String {
        let message = match &self.folder {
            Some(folder) => message.replace(&format!("{}/", folder.path().display()), ""),
            None => message.to_owned(),
        };
        self.secrets.remove(&message)
    }
}

/// Fetches all pages, whose number and rows `bar` shows. With `is_conditional`, an answer like that of the last whole run is not sent again.
///
/// # Errors
/// If one page fails, all do.
pub async fn fetch_pages(
    config: &SyncConfig,
    clock: &Clock,
    source: &Source,
    is_conditional: bool,
    bar: &ProgressBar,
) -> Result<Fetched, SyncError> {
    let client = SourceClient::new(config, clock)?;
    let mut secrets = Secrets::of_source(source.name()).await?;
    let (first, headers) = request_of(source, &mut secrets)?;
    let conditions = if is_conditional {
        conditions(source)
    } else {
        HeaderMap::new()
    };
    let mut first_headers = headers.clone();
    first_headers.extend(conditions.clone());
    let reading = source.import_request()?;
    let format = |page: &Page| format_of(&page.body, &reading);
    let folder = temporary_folder().map_err(|error| unwritable(&error))?;
    let mut fetched = Fetched::default();
    let (mut bytes_left, mut url, mut pager) = (INPUT_BYTES_MAX, first.clone(), None::<Pager>);
    for number in 1.. {
        let is_first = number == 1;
        let request = PageRequest {
            url: url.clone(),
            allows_http: source.options.allow_http,
            headers: if is_first { &first_headers } else { &headers },
            secrets: &secrets,
            bytes_max: bytes_left,
        };
        let page = client.get(&request).await?;
        let (status, answer) = (page.status.as_u16(), Answer::of(&page.body));
        if is_first && status == 304 && !conditions.is_empty() {
            fetched.is_same = true;
            break;
        }
        if let Some(pager) = &pager
            && pager.is_end(status, &answer)
        {
            break;
        }
        let is_row = || format(&page).is_some_and(|format| format.name != "table");
        if status != 200 || answer.fault(is_row).is_some() {
            return Err(page_failure(&page, number, &secrets));
        }
        let pager = pager.get_or_insert_with(|| Pager::new(&first, format(&page), &answer));
        let turn = pager.turn(&url, &page, &answer);
        if !is_first && !turn.is_new {
            break;
        }
        bytes_left -= page.body.len() as u64;
        let file = folder.path().join(format!("page {number}"));
        // The import need not know the platform of an empty list.
        let body = if answer.is_empty_list() {
            b"[]".into()
        } else {
            secrets.strike(&page.body)
        };
        fs::write(&file, body).map_err(|error| unwritable(&error))?;
        fetched.files.push(file);
        fetched.total = pager.total;
        if is_first {
            fetched.answer = page.describe();
            fetched.needs_rows = answer.is_object() && !answer.is_empty_list();
        }
        bar.set_position(number as u64);
        bar.set_message(pager.rows().to_string());
        let Some(next) = turn.next else {
            if is_first {
                let field = |name| Some(page.headers.get(name)?.to_str().ok()?.to_owned());
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
    fetched.folder = Some(folder);
    fetched.secrets = secrets;
    Ok(fetched)
}

fn page_failure(page: &Page, number: usize, secrets: &Secrets) -> SyncError {
    let place = if number > 1 {
        format!("page {number}: ")
    } else {
        String::new()
    };
    let end = if page.status.as_u16() == 202 {
        "; the answer is not ready yet"
    } else {
        ""
    };
    SyncError::Failed(format!("{place}{}{end}", page.fault(secrets)))
}

fn unwritable(error: &io::Error) -> SyncError {
    SyncError::failed(format!(
        "the pages cannot be stored in the folder for temporary files: {error}; free some space, or set TMPDIR"
    ))
}

/// The first page's URL, with `USER:PASSWORD` if there are any, and the headers of every page, with the secrets of the
/// environment.
fn request_of(source: &Source, secrets: &mut Secrets) -> Result<(Url, HeaderMap), SyncError> {
    let (row, options) = (&source.row, &source.options);
    let mut url: Url = secrets.fill(&row.url)?.trim().parse().map_err(|error| {
        SyncError::failed(format!(
            "the URL cannot be used ({error}); write it like https://HOST/PATH"
        ))
    })?;
    url.set_fragment(None);
    if let Some(basic) = &options.basic {
        let basic = secrets.fill(basic)?;
        let (user, password) = basic.split_once(':').unwrap_or((&basic, ""));
        // A URL without a host takes no credentials, and is refused when it is fetched.
        let _ = (url.set_username(user)).and_then(|()| url.set_password(Some(password)));
    }
    let mut headers = HeaderMap::new();
    let mut set = |name: &str, value: &str| {
        let value = HeaderValue::from_str(value).ok();
        let pair = value.zip(HeaderName::from_bytes(name.as_bytes()).ok());
        let (mut value, name) = pair
            .ok_or_else(|| SyncError::failed(format!("the header {name} has an invalid value")))?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok::<(), SyncError>(())
    };
    for (name, value) in &options.headers {
        set(name, &secrets.fill(value)?)?;
    }
    let values = options.headers.iter().map(|(_, value)| value);
    let mut templates = values.chain(&options.basic).chain([&row.url]);
    let is_placed = templates.any(|template| template.contains("${token}"));
    if let Some(token) = secrets.token().filter(|_| !is_placed) {
        set("authorization", &format!("Bearer {token}"))?;
    }
    Ok((url, headers))
}

/// The validators of the last whole run's answer.
fn conditions(source: &Source) -> HeaderMap {
    let conditions = [
        (IF_NONE_MATCH, &source.row.etag),
        (IF_MODIFIED_SINCE, &source.row.last_modified),
    ];
    let valid = conditions
        .into_iter()
        .filter_map(|(name, value)| Some((name, HeaderValue::from_str(value.as_ref()?).ok()?)));
    valid.collect()
}

/// A file that changed within this time may still be written.
const SETTLED_AFTER: Duration = Duration::from_secs(10);
/// Folders deep to which an unpacked Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 6;

/// The finished files of a source, oldest first; none if `is_conditional` and they are those of the last whole run.
///
/// # Errors
/// If the source is not below the folder of `REVIEWS_SYNC_FILES`, links followed, or cannot be read.
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
    let found = find_below(root, path)
        .map_err(|error| fault(format!("cannot be read below REVIEWS_SYNC_FILES: {error}")))?;
    let all = found.len();
    let files = settled(found, (now - SETTLED_AFTER).into());
    let digest = digest(&files);
    let is_same = is_conditional && source.row.etag.as_ref() == Some(&digest);
    let new = files.iter().filter(|_| !is_same);
    Ok(Fetched {
        files: new.map(|(_, file)| file.clone()).collect(),
        is_same,
        waiting: all - files.len(),
        etag: Some(digest),
        ..Fetched::default()
    })
}

/// The file at `path`, or the files of the folder there.
fn find_below(root: &Path, path: &str) -> io::Result<Vec<(Metadata, PathBuf)>> {
    let root = root.canonicalize()?;
    let place = root.join(path).canonicalize()?;
    if !place.starts_with(&root) {
        return Err(io::Error::other("it leads out of that folder"));
    }
    let metadata = place.metadata()?;
    if metadata.is_file() {
        return Ok(vec![(metadata, place)]);
    }
    if !metadata.is_dir() {
        // Reading a pipe may never end.
        return Err(io::Error::other("it is neither a file nor a folder"));
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&place)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        if name.starts_with('.') || is_unfinished(&name) {
            continue;
        }
        // A link may lead anywhere; a folder may be an unpacked Takeout.
        let file = entry.path().canonicalize();
        let file = file.and_then(|file| Ok((file.metadata()?, file)));
        match file {
            Ok((metadata, file))
                if file.starts_with(&root)
                    && (metadata.is_file() || holds_reviews(&file, FOLDERS_DEEP_MAX)) =>
            {
                found.push((metadata, file));
            }
            Ok(_) => {}
            // It was removed since, or is a link to nothing.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io::Error::new(error.kind(), format!("{name}: {error}"))),
        }
    }
    Ok(found)
}

/// The files that did not change since `before`, oldest first.
fn settled(mut files: Vec<(Metadata, PathBuf)>, before: SystemTime) -> Vec<(Metadata, PathBuf)> {
    files.retain(|(metadata, _)| metadata.modified().is_ok_and(|at| at <= before));
    files.sort_by_key(|(metadata, file)| (metadata.mtime(), metadata.mtime_nsec(), file.clone()));
    files
}

/// Whether a name in lower case is that of a file that is still written.
fn is_unfinished(name: &str) -> bool {
    let end = Path::new(name).extension();
    end.is_some_and(|end| end == "part" || end == "tmp")
}

fn holds_reviews(folder: &Path, deep: usize) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_taken_from_folders(&entry.file_name().to_string_lossy())
            || (is_folder && deep > 0 && holds_reviews(&entry.path(), deep - 1))
    })
}

/// A digest of names, sizes and times.
fn digest(files: &[(Metadata, PathBuf)]) -> String {
    let mut digest = Sha256::new();
    for (metadata, file) in files {
        let (seconds, nanoseconds) = (metadata.mtime(), metadata.mtime_nsec());
        digest.update(format!(
            "{} {} {seconds}.{nanoseconds}\n",
            file.display(),
            metadata.len()
        ));
    }
    hex(&digest.finalize())
}
