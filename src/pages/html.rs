//! The frame of our own pages, and the one way for text to get into them.

use std::fmt::{self, Display, Write};

/// Nothing is loaded and nothing runs; the one inline style is ours.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE: &str = "body{font:1.05rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1c2326;background:#fff}\
    a{color:#0b5c7a}h1{font-size:1.6rem;line-height:1.25}.stars{color:#b4690e;letter-spacing:.1em}.text{white-space:pre-wrap;overflow-wrap:anywhere}\
    .muted{color:#5a666b}blockquote{margin:1.5rem 0;padding:.1rem 1.2rem;border-left:4px solid #d5dde0}dt{font-weight:600}dd{margin:0 0 .6rem}\
    @media(prefers-color-scheme:dark){body{color:#e6ebed;background:#14191b}a{color:#7cc7e0}.stars{color:#f0b35a}.muted{color:#9aa7ac}blockquote{border-color:#3a4549}}";

/// Text as HTML shows it: what means something to HTML is written as a reference.
pub struct Text<'a>(pub &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // No control character but these may stand in a page (HTML §13.2.3.5).
                c if c.is_control() && !matches!(c, '\n' | '\r' | '\t') => f.write_char(char::REPLACEMENT_CHARACTER)?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A whole page. `head` and `body` are HTML already; `title` is text.
#[must_use]
pub fn page(title: &str, head: &str, body: &str) -> String {
    let title = Text(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n{head}\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let hostile = "<script>alert(\"1\")</script> & 'x'\u{0}\u{8}\n";
        let shown = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;\u{FFFD}\u{FFFD}\n";
        assert_eq!(Text(hostile).to_string(), shown);
    }
}
