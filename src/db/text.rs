//! Text as it stands in the file. Nothing keeps a shell from writing bytes there that are no UTF-8,
//! and one such row must not stop the others: they are mended with U+FFFD.

use sqlx::error::BoxDynError;
use sqlx::sqlite::{Sqlite, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Type};

/// A text column, read whatever its bytes are. Name it in queries: `name as "name: Text"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(String);

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Type<Sqlite> for Text {
    fn type_info() -> SqliteTypeInfo {
        <str as Type<Sqlite>>::type_info()
    }

    fn compatible(kind: &SqliteTypeInfo) -> bool {
        <[u8] as Type<Sqlite>>::compatible(kind)
    }
}

impl<'r> Decode<'r, Sqlite> for Text {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let bytes = <Vec<u8> as Decode<Sqlite>>::decode(value)?;
        let mended = |error: std::string::FromUtf8Error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        };
        Ok(Self(String::from_utf8(bytes).unwrap_or_else(mended)))
    }
}
