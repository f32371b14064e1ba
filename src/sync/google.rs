//! Access tokens for the API of Google Business Profile, by a file of credentials as Google's tools write it
//! (`authorized_user`; RFC 6749 §6).

use std::path::Path;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use url::form_urlencoded::Serializer;
use url::{Origin, Url};

use super::client::check_scheme;
use crate::files::read_file;
use crate::http::read_body;

/// Where the token is sent unless the operator names another origin.
const API: &str = "https://mybusiness.googleapis.com";
const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
const FILE_MIB_MAX: u64 = 1;
/// A longer answer is none of a token server.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// If the server does not say how long a token lives; Google's live an hour.
const LIFETIME: Duration = Duration::from_hours(1);

#[derive(Deserialize)]
pub struct Credentials {
    #[serde(rename = "type")]
    kind: String,
    client_id: String,
    client_secret: String,
    refresh_token: String,
    token_uri: Option<String>,
    quota_project_id: Option<String>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: Option<String>,
    expires_in: Option<u64>,
    error: Option<String>,
}

impl Credentials {
    /// The origin that gets the token, unless the operator names another one.
    pub fn origin() -> Origin {
        Url::parse(API).map_or_else(|_| Origin::new_opaque(), |url| url.origin())
    }

    /// # Errors
    /// What is wrong with the file, without its content.
    pub fn read(path: &str) -> Result<Self, String> {
        let bytes = read_file(Path::new(path), FILE_MIB_MAX)
            .map_err(|error| format!("names a file that cannot be read ({})", error.kind()))?;
        let kind: Result<Self, _> = serde_json::from_slice(&bytes);
        let credentials = kind.ok().filter(|it| it.kind == "authorized_user");
        credentials.ok_or_else(|| {
            "names a file without credentials of the type authorized_user (client_id, client_secret, refresh_token)".to_owned()
        })
    }

    /// The project whose quota is used, if it is not the client's.
    pub fn quota_project(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.quota_project_id.as_ref()?).ok()
    }

    /// A new token, and how long it can be used.
    ///
    /// # Errors
    /// What to do about it.
    pub async fn access_token(&self, client: &Client) -> Result<(String, Duration), String> {
        let uri: Url = self
            .token_uri
            .as_deref()
            .unwrap_or(TOKEN_URI)
            .parse()
            .map_err(|_| "the file's token_uri is no URL".to_owned())?;
        check_scheme(&uri, false).map_err(|error| format!("the file's token_uri: {error}"))?;
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", &self.client_id)
            .append_pair("client_secret", &self.client_secret)
            .append_pair("refresh_token", &self.refresh_token)
            .finish();
        let post = client
            .post(uri)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        let unreachable = |_| "the token server cannot be reached".to_owned();
        let response = post.send().await.map_err(unreachable)?;
        let status = response.status();
        let body = read_body(response, ANSWER_BYTES_MAX).await;
        let body = body.map_err(unreachable)?;
        let answer: Option<TokenAnswer> = serde_json::from_slice(&body).ok();
        let error = answer.as_ref().and_then(|answer| answer.error.as_deref());
        match (error, answer.as_ref().and_then(|answer| answer.access_token.clone())) {
            (None, Some(token)) if status.is_success() && !token.is_empty() => {
                let lifetime = answer.and_then(|answer| answer.expires_in);
                Ok((token, lifetime.map_or(LIFETIME, Duration::from_secs)))
            }
            (Some("invalid_grant"), _) => Err(
                "Google no longer accepts the refresh token; get a new one and write it into the file (of a client in testing it ends \
                 after seven days; publish the client): docs/guides/google-business-profile.md"
                    .to_owned(),
            ),
            (Some("invalid_client" | "unauthorized_client"), _) => Err(
                "Google does not accept the client; compare client_id and client_secret in the file with those in Google's console"
                    .to_owned(),
            ),
            _ => Err(format!("the token server gave no token (status {})", status.as_u16())),
        }
    }
}
