//! The location of the database: a file, or an rqlite cluster with the file of this node's rqlited. Separate because
//! every command needs it. Opens nothing.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use sqlx::sqlite::SqliteConnectOptions;
use url::Url;

use super::ConfigError;

/// What every command needs to know: where the database is.
#[derive(Debug, Clone, Args)]
pub struct DatabaseConfig {
    /// The database: a file's path, sqlite://PATH, or an rqlite cluster's URL
    #[expect(clippy::doc_markdown, reason = "`--help` prints it as it is")]
    #[arg(
        long = "database",
        value_name = "PATH|URL",
        help_heading = "Global options",
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite://reviews.db",
        global = true
    )]
    pub url: String,
}

/// The parsed [`DatabaseConfig::url`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// A SQLite file that this program writes.
    File(PathBuf),
    Cluster(ClusterAddress),
}

/// An rqlite cluster, seen from one of its nodes.
#[derive(Clone, PartialEq, Eq)]
pub struct ClusterAddress {
    /// The nodes' HTTP APIs in the order of use, this node's own first; with user name and password if the cluster
    /// requires them.
    pub nodes: Vec<Url>,
    /// The SQLite file of this node's rqlited; read, never written.
    pub file: PathBuf,
}

impl fmt::Debug for ClusterAddress {
    /// Without user name and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes.iter().map(Url::as_str).map(without_credentials);
        f.debug_struct("ClusterAddress")
            .field("nodes", &nodes.collect::<Vec<_>>())
            .field("file", &self.file)
            .finish()
    }
}

impl DatabaseAddress {
    /// The file to read.
    #[must_use]
    pub fn file(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Cluster(cluster) => &cluster.file,
        }
    }
}

impl DatabaseConfig {
    /// The file to read: the database, or the replica of this node's rqlited.
    ///
    /// # Errors
    /// Those of [`DatabaseConfig::address`].
    pub fn path(&self) -> Result<PathBuf, ConfigError> {
        Ok(self.address()?.file().to_owned())
    }

    /// Parses the URL.
    ///
    /// # Errors
    /// If it is none of: a path, `sqlite://PATH` without parameters (an in-memory database could not be shared with
    /// another process), `rqlite://HOST:PORT?file=PATH`.
    pub fn address(&self) -> Result<DatabaseAddress, ConfigError> {
        if let Some(rest) = self.url.strip_prefix("rqlite://") {
            return cluster(rest).map(DatabaseAddress::Cluster);
        }
        // A text without a scheme and parameters is not a URL.
        if !self.url.is_empty() && !self.url.contains([':', '?', '@']) {
            return Ok(DatabaseAddress::File(PathBuf::from(&self.url)));
        }
        let fault = || ConfigError::Database(without_credentials(&self.url));
        let options = SqliteConnectOptions::from_str(&self.url).map_err(|_| fault())?;
        let path = options.get_filename();
        if !self.url.starts_with("sqlite:")
            || self.url.contains(":memory:")
            || self.url.contains("mode=memory")
            || path.as_os_str().is_empty()
        {
            return Err(fault());
        }
        // The default mode may be requested explicitly: read, write, create.
        match self.url.split_once('?') {
            None | Some((_, "" | "mode=rwc")) => Ok(DatabaseAddress::File(path.to_owned())),
            Some(_) => {
                let url = without_credentials(&self.url);
                let parameters = url.rsplit('?').next().unwrap_or_default().to_owned();
                Err(ConfigError::DatabaseParameters { url, parameters })
            }
        }
    }
}

/// The URL for errors: anything before an `@` may be a password, for any scheme.
fn without_credentials(url: &str) -> String {
    let Some((before, after)) = url.rsplit_once('@') else {
        return url.to_owned();
    };
    let scheme = before.find("://").map_or(0, |at| at + "://".len());
    format!("{}…@{after}", &url[..scheme])
}

/// `[USER:PASSWORD@]HOST:PORT[,HOST:PORT…]?file=PATH[&tls=on]`.
fn cluster(rest: &str) -> Result<ClusterAddress, ConfigError> {
    let fault = |reason| Err(ConfigError::Cluster(reason));
    let Some((authority, parameters)) = rest.split_once('?') else {
        return fault("the path of this node's file is missing");
    };
    let (mut file, mut scheme) = (None, "http");
    // In a path, a `+` is a plus sign and not a space.
    let parameters = parameters.replace('+', "%2B");
    for (name, value) in url::form_urlencoded::parse(parameters.as_bytes()) {
        match (name.as_ref(), value.as_ref()) {
            ("file", _) => {
                file.get_or_insert(value);
            }
            ("tls", "on") => scheme = "https",
            ("tls", "off") => scheme = "http",
            ("tls", _) => return fault("tls must be on or off"),
            _ => return fault("it has a parameter other than `file` and `tls`"),
        }
    }
    let Some(file) = file.filter(|file| !file.is_empty()) else {
        return fault("the path of this node's file is missing");
    };
    let (credentials, hosts) = match authority.rsplit_once('@') {
        Some((credentials, hosts)) => (format!("{credentials}@"), hosts),
        None => (String::new(), authority),
    };
    let mut nodes = Vec::new();
    for host in hosts.trim_end_matches('/').split(',') {
        let node = Url::parse(&format!("{scheme}://{credentials}{host}/"));
        match node {
            Ok(node) if node.host_str().is_some() && node.path() == "/" && host.contains(':') => {
                nodes.push(node);
            }
            Ok(_) | Err(_) => return fault("each node must be HOST:PORT"),
        }
    }
    Ok(ClusterAddress {
        nodes,
        file: PathBuf::from(file.as_ref()),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{DatabaseAddress, DatabaseConfig};

    fn address(url: &str) -> Result<DatabaseAddress, String> {
        DatabaseConfig {
            url: url.to_owned(),
        }
        .address()
        .map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_is_named_by_its_path_too() {
        for given in ["x.db", "./a b/x.db", "/var/lib/reviews/reviews.db"] {
            assert_eq!(address(given), Ok(DatabaseAddress::File(given.into())));
        }
        for given in [":memory:", "x.db?mode=ro", "host:4001", ""] {
            assert!(address(given).is_err(), "{given}");
        }
    }

    #[test]
    fn a_cluster_is_named_by_its_nodes_and_this_nodes_file() {
        let url = "rqlite://10.0.0.1:4001,10.0.0.2:4001?file=/var/lib/a%20b+c/db.sqlite";
        let Ok(DatabaseAddress::Cluster(cluster)) = address(url) else {
            panic!("a cluster");
        };
        let nodes: Vec<&str> = cluster.nodes.iter().map(url::Url::as_str).collect();
        assert_eq!(nodes, ["http://10.0.0.1:4001/", "http://10.0.0.2:4001/"]);
        assert_eq!(cluster.file, Path::new("/var/lib/a b+c/db.sqlite"));
    }

    #[test]
    fn credentials_and_tls_hold_for_every_node_and_are_not_printed() {
        let url = "rqlite://jo:secret@a:4001,b:4001?tls=on&file=db.sqlite";
        let Ok(DatabaseAddress::Cluster(cluster)) = address(url) else {
            panic!("a cluster");
        };
        for node in &cluster.nodes {
            assert_eq!((node.scheme(), node.username()), ("https", "jo"));
            assert_eq!(node.password(), Some("secret"));
        }
        assert!(!format!("{cluster:?}").contains("secret"));
    }

    #[test]
    fn no_error_shows_the_credentials_of_a_url_whatever_is_mistyped_in_it() {
        for url in [
            "rqlit://jo:secret@a:4001?file=db.sqlite",
            "rqlite:/jo:secret@a:4001?file=db.sqlite",
            "jo:secret@a:4001",
            "rqlite://jo:secret@a?file=db.sqlite",
            "rqlite://jo:secret@a:4001",
            "sqlite://jo:secret@a:4001?file=db.sqlite",
            "sqlite://jo:sec?ret@a:4001?file=db.sqlite",
            "RQLITE://jo:sec@ret@a:4001?file=db.sqlite",
        ] {
            let told = address(url).unwrap_err();
            assert!(
                !told.contains("sec") && !told.contains("ret@"),
                "{url}: {told}"
            );
        }
        let told = address("rqlit://jo:secret@a:4001?file=db.sqlite").unwrap_err();
        assert!(told.contains("rqlit://…@a:4001?file=db.sqlite"), "{told}");
    }

    #[test]
    fn a_cluster_that_is_named_badly_is_told_how_to_be_named() {
        for url in [
            "rqlite://127.0.0.1:4001",
            "rqlite://127.0.0.1:4001?file=",
            "rqlite://127.0.0.1?file=a",
            "rqlite://?file=a",
            "rqlite://a:1,,b:2?file=a",
            "rqlite://a:1/b?file=a",
            "rqlite://a:1?file=a&tls=maybe",
            "rqlite://a:1?file=a&level=none",
        ] {
            let told = address(url).unwrap_err();
            assert!(told.contains("rqlite://127.0.0.1:4001"), "{url}: {told}");
        }
    }
}
