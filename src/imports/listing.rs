//! What a business calls one of its locations: Google Takeout says it in `additionalData.json`, beside the location's
//! reviews. Apart from the formats, because it holds no reviews.

use serde_json::Value;

/// How many bytes of such a file are read; it has a few thousand.
pub(super) const BYTES_MAX: u64 = 1 << 20;

/// A location, and what the business calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// As the folder says it, which is as the names of its reviews do.
    pub location: String,
    /// Its name, trimmed: 1 to 200 characters, no control characters.
    pub name: String,
}

/// The location whose listing the file at this path is: `…/location-77/additionalData.json`.
pub(super) fn location(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once(['/', '\\'])?;
    let folder = folder.rsplit(['/', '\\']).next()?;
    (file == "additionalData.json")
        .then(|| folder.strip_prefix("location-"))
        .flatten()
}

/// The listing in such a file. One that cannot be read is none: no review hangs on it.
pub(super) fn read(location: &str, json: &[u8]) -> Option<Listing> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let value: Value = serde_json::from_slice(json).ok()?;
    let attributes = value.get("attributes")?.as_array()?;
    let is_name = |attribute: &&Value| {
        attribute
            .pointer("/id/attributeType")
            .and_then(Value::as_str)
            == Some("LISTING_NAME")
    };
    let name = attributes.iter().find(is_name).and_then(|attribute| {
        let first = attribute
            .pointer("/values/0")
            .or_else(|| attribute.get("value"))?;
        ["/datum/listingName/text", "/listingName/text", "/text", ""]
            .iter()
            .find_map(|path| first.pointer(path).and_then(Value::as_str))
    })?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control) && name.chars().count() <= 200).then(
        || Listing {
            location: location.to_owned(),
            name: name.to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{location, read};

    #[test]
    fn the_name_of_a_listing_is_read_and_anything_else_is_none() {
        let named = r#"{"attributes": [{"id": {"attributeType": "PHONE"}, "values": [{"datum": {"phone": "5"}}]},
            {"id": {"attributeType": "LISTING_NAME"}, "values": [{"datum": {"listingName": {"text": " Desert Peak "}}}]}]}"#;
        assert_eq!(
            read("77", named.as_bytes()).map(|its| its.name).as_deref(),
            Some("Desert Peak")
        );
        for other in [
            "{}",
            "[",
            r#"{"attributes": [{"id": {"attributeType": "LISTING_NAME"}, "values": []}]}"#,
        ] {
            assert_eq!(read("77", other.as_bytes()), None, "{other}");
        }
        let path = "Takeout/Google Business Profile/account-1/location-77/additionalData.json";
        assert_eq!(location(path), Some("77"));
        assert_eq!(location("location-77/reviews.json"), None);
        assert_eq!(location("elsewhere/additionalData.json"), None);
    }
}
