//! Where security faults are reported, as `/.well-known/security.txt` says (RFC 9116 §2.5.3).

use std::fmt;
use std::str::FromStr;

use url::Url;

/// URIs of contacts, comma-separated, the preferred one first; none where it is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contacts(pub Vec<String>);

/// One contact: web addresses have to be https (RFC 9116 §2.5.3), and a URL that is kept as it was
/// parsed has no line breaks.
fn contact(given: &str) -> Result<String, String> {
    let fault = || {
        format!(
            "`{given}` is no contact; write mailto:security@example.com, https://example.com/security or tel:+1-201-555-0123"
        )
    };
    let url = Url::parse(given).map_err(|_| fault())?;
    let is_known = match url.scheme() {
        "https" => url.host().is_some(),
        "mailto" => url.path().contains('@'),
        "tel" => !url.path().is_empty(),
        _ => false,
    };
    if is_known {
        Ok(url.into())
    } else {
        Err(fault())
    }
}

impl FromStr for Contacts {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let given = given.split(',').map(str::trim);
        let contacts = given.filter(|part| !part.is_empty()).map(contact);
        contacts.collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::Contacts;

    #[test]
    fn contacts_are_addresses_that_somebody_reads() {
        let contacts: Contacts = "mailto:a@example.com, https://example.com/s"
            .parse()
            .unwrap();
        assert_eq!(
            contacts.to_string(),
            "mailto:a@example.com,https://example.com/s"
        );
        assert_eq!("".parse::<Contacts>().unwrap(), Contacts::default());
        for wrong in [
            "a@example.com",
            "http://example.com",
            "javascript:alert(1)",
            "mailto:nobody",
            "tel:",
        ] {
            let said = wrong.parse::<Contacts>().unwrap_err();
            assert!(
                said.starts_with(&format!("`{wrong}` is no contact")),
                "{said}"
            );
        }
    }
}
