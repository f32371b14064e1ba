//! Host names as a setting lists them: `agents.example.com,app.example.com:8443`.

use std::fmt;
use std::str::FromStr;

use url::Host;

/// A host's name or address, and the port where one is meant alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName {
    /// The name in lower case, or the address.
    pub host: Host,
    /// The port; any where there is none.
    pub port: Option<u16>,
}

/// Host names, comma-separated; none where it is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts(pub Vec<HostName>);

impl FromStr for HostName {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let fault = || {
            format!(
                "`{given}` is no host name; write hosts like agents.example.com,app.example.com:8443"
            )
        };
        let ends_with_port = !given.ends_with(']')
            && given
                .rsplit_once(':')
                .is_some_and(|(_, port)| !port.is_empty());
        let (name, port) = match given.rsplit_once(':').filter(|_| ends_with_port) {
            Some((name, port)) => (name, Some(port.parse().map_err(|_| fault())?)),
            None => (given, None),
        };
        // A URL's parser would take a star; nobody's host is called so.
        let host = Host::parse(name)
            .ok()
            .filter(|_| !name.contains('*'))
            .ok_or_else(fault)?;
        Ok(Self { host, port })
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl FromStr for Hosts {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        given
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, host) in self.0.iter().enumerate() {
            write!(f, "{}{host}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn hosts_are_shown_as_they_are_compared() {
        for (given, shown) in [
            ("", ""),
            ("Agents.Example.com", "agents.example.com"),
            (" a.example , b.example:8443,", "a.example,b.example:8443"),
            (
                "192.0.2.1:80,[2001:DB8::1],[::1]:8080",
                "192.0.2.1:80,[2001:db8::1],[::1]:8080",
            ),
            ("bücher.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(
                given.parse::<Hosts>().unwrap().to_string(),
                shown,
                "{given}"
            );
        }
    }

    #[test]
    fn what_is_no_host_is_told_how_to_write_one() {
        for given in [
            "https://a.example",
            "*",
            "*.example",
            "a b",
            "a.example:port",
            "a.example:99999",
            "a/b",
            ":80",
        ] {
            let said = given.parse::<Hosts>().unwrap_err();
            assert!(
                said.contains(given) && said.contains("app.example.com:8443"),
                "{given}: {said}"
            );
        }
    }
}
