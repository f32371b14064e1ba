//! Fetches all pages of a source into a temporary folder, or finds its files.

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{
    ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use tempfile::TempDir;
use url::{Host, Url};

use super::answer::Answer;
use super::client::{Page, PageRequest, SourceClient};
use super::failure::Failure;
use super::paging::Pager;
use super::secret::Secrets;
use super::source::Source;
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{INPUT_BYTES_MAX, format_of};

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

/// Shows the number of pages and of rows so far.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);

/// Fetches all pages. With `is_conditional`, an answer like that of the last whole run is not sent again.
///
/// # Errors
/// If one page fails, all do.
pub async fn fetch_pages(
    config: &SyncConfig,
    clock: &Clock,
    source: &Source,
    is_conditional: bool,
    progress: Progress<'_>,
) -> Result<Fetched, Failure> {
    let client = SourceClient::new(config, clock)?;
    let mut secrets = Secrets::of_source(source.name()).await?;
    let (first, headers) = request_of(source, &mut secrets)?;
    let folder = tempfile::tempdir().map_err(|error| unwritable(&error))?;
    let mut fetched = Fetched::default();
    let (mut bytes_left, mut url, mut pager) = (INPUT_BYTES_MAX, first.clone(), None::<Pager>);
    let mut first_headers = headers.clone();
    let is_conditional =
        is_conditional && (source.row.etag.is_some() || source.row.last_modified.is_some());
    if is_conditional {
        add_conditions(source, &mut first_headers);
    }
    loop {
        let number = fetched.files.len() + 1;
        let request = PageRequest {
            url: url.clone(),
            headers: if number == 1 {
                &first_headers
            } else {
                &headers
            },
            secrets: &secrets,
            bytes_max: bytes_left,
        };
        let page = client.get(&request).await?;
        let status = page.status.as_u16();
        if number == 1 && status == 304 && is_conditional {
            fetched.is_same = true;
            break;
        }
        if pager.as_ref().is_some_and(|pager| pager.is_end(status)) {
            break;
        }
        if status != 200 || Answer::of(&page.body).fault().is_some() {
            return Err(page_failure(&page, number, &secrets));
        }
        let pager = if let Some(pager) = &mut pager {
            pager
        } else {
            let request = source.import_request()?;
            let format = format_of(&page.body, &request);
            let paging = format.and_then(|format| format.paging.as_ref());
            pager.insert(Pager::new(&first, paging))
        };
        let turn = pager.turn(&url, &page.headers, &page.body);
        if number > 1 && !turn.is_new {
            break;
        }
        bytes_left -= page.body.len() as u64;
        let file = folder.path().join(format!("page {number}"));
        fs::write(&file, &page.body).map_err(|error| unwritable(&error))?;
        fetched.files.push(file);
        progress(number, pager.rows());
        fetched.total = pager.total;
        (fetched.etag, fetched.last_modified) = (None, None);
        match turn.next {
            Some(_) if number == PAGES_MAX => {
                return Err(Failure::new(format!(
                    "the source has more than {PAGES_MAX} pages; ask for more reviews per page"
                )));
            }
            Some(next) => url = next,
            None => {
                if number == 1 {
                    let field = |name| {
                        page.headers
                            .get(name)
                            .and_then(|value: &HeaderValue| value.to_str().ok())
                            .map(str::to_owned)
                    };
                    (fetched.etag, fetched.last_modified) = (field(ETAG), field(LAST_MODIFIED));
                }
                break;
            }
        }
    }
    Ok(Fetched {
        folder: Some(folder),
        secrets,
        ..fetched
    })
}

fn page_failure(page: &Page, number: usize, secrets: &Secrets) -> Failure {
    let mut failure = page.fault(secrets);
    if page.status.as_u16() == 202 {
        failure.reason += "; the answer is not ready yet";
    }
    if number > 1 {
        failure.reason = format!("page {number}: {}", failure.reason);
    }
    failure
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure::new(format!(
        "the pages cannot be stored in the folder for temporary files: {error}; free some space, or set TMPDIR"
    ))
}

/// The first page's URL and the headers of every page, with the secrets of the environment.
fn request_of(source: &Source, secrets: &mut Secrets) -> Result<(Url, HeaderMap), Failure> {
    let (row, options) = (&source.row, &source.options);
    let invalid = |error: String| {
        Failure::new(format!(
            "the URL cannot be used ({error}); write it like https://HOST/PATH"
        ))
    };
    let filled = secrets.fill(&row.url)?;
    let mut url: Url = filled
        .trim()
        .parse()
        .map_err(|error: url::ParseError| invalid(error.to_string()))?;
    url.set_fragment(None);
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => {}
        "http" if is_loopback || options.allow_http => {}
        "http" => {
            return Err(Failure::new(
                "http:// sends secrets and reviews in the clear; use https://, or add --allow-http",
            ));
        }
        _ => return Err(invalid("only https is fetched".to_owned())),
    }
    let mut headers = HeaderMap::new();
    let mut set = |name: &str, value: &str| {
        let value = HeaderValue::from_str(value)
            .ok()
            .zip(HeaderName::from_bytes(name.as_bytes()).ok());
        let (mut value, name) =
            value.ok_or_else(|| Failure::new(format!("the header {name} has an invalid value")))?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok::<(), Failure>(())
    };
    let in_url = url.password().map(|password| {
        let decode = |text: &str| {
            percent_encoding::percent_decode_str(text)
                .decode_utf8_lossy()
                .into_owned()
        };
        format!("{}:{}", decode(url.username()), decode(password))
    });
    let basic = options
        .basic
        .as_ref()
        .map(|basic| secrets.fill(basic))
        .transpose()?;
    if let Some(basic) = basic.or(in_url) {
        secrets.add(&basic);
        if let Some((_, password)) = basic.split_once(':') {
            secrets.add(password);
        }
        set(
            "authorization",
            &format!("Basic {}", BASE64_STANDARD.encode(&basic)),
        )?;
    }
    for (name, value) in &options.headers {
        set(name, &secrets.fill(value)?)?;
    }
    let templates = options
        .headers
        .iter()
        .map(|(_, value)| value)
        .chain(&options.basic)
        .chain([&row.url]);
    let is_placed = templates
        .into_iter()
        .any(|template| template.contains("${token}"));
    if let Some(token) = secrets.token().filter(|_| !is_placed).map(str::to_owned) {
        set("authorization", &format!("Bearer {token}"))?;
    }
    // A URL without a host cannot have credentials, and was refused.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    Ok((url, headers))
}

fn add_conditions(source: &Source, headers: &mut HeaderMap) {
    for (name, value) in [
        (IF_NONE_MATCH, &source.row.etag),
        (IF_MODIFIED_SINCE, &source.row.last_modified),
    ] {
        if let Some(value) = value
            .as_ref()
            .and_then(|value| HeaderValue::from_str(value).ok())
        {
            headers.insert(name, value);
        }
    }
}
