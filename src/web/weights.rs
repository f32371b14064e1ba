//! Weights in `Accept` and `Accept-Encoding` (RFC 9110 §12.4.2).

use poem::http::HeaderMap;
use poem::http::header::ACCEPT;

/// `member [;q=0.123]`, with the weight in thousandths; `None` for any other text.
pub(super) fn member(text: &str) -> Option<(&str, u16)> {
    let ows: [char; 2] = [' ', '\t'];
    let Some((coding, weight)) = text.split_once(';') else {
        return Some((text.trim_matches(ows), 1_000));
    };
    let (name, weight) = weight.trim_matches(ows).split_once('=')?;
    let weight = name
        .eq_ignore_ascii_case("q")
        .then(|| thousandths(weight))??;
    Some((coding.trim_matches(ows), weight))
}

/// `0[.ddd]` or `1[.000]` (RFC 9110 §12.4.2).
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{fraction:0<3}").parse::<u16>().ok()?;
    match (whole, fraction) {
        ("0", thousandths) => Some(thousandths),
        ("1", 0) => Some(1_000),
        _ => None,
    }
}

/// Whether `Accept` prefers `text/html`, as browsers do when they navigate: no other kind has a higher weight or comes
/// before it with the same one.
pub fn wants_html(headers: &HeaderMap) -> bool {
    let accept = headers.get_all(ACCEPT).iter();
    let accept = accept.map(|line| String::from_utf8_lossy(line.as_bytes()));
    let (mut best, mut has_html) = ((0, false), false);
    for line in accept {
        for (kind, weight) in line.split(',').filter_map(member) {
            let is_html = kind.eq_ignore_ascii_case("text/html");
            let is_page = is_html || kind.eq_ignore_ascii_case("application/xhtml+xml");
            has_html |= is_html && weight > 0;
            if weight > best.0 {
                best = (weight, is_page);
            }
        }
    }
    has_html && best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_prefers_html() {
        let chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        for (accept, expected) in [
            (chromium, true),
            ("application/xhtml+xml, text/html", true),
            ("TEXT/HTML", true),
            ("application/json;q=0.5, text/html", true),
            ("*/*", false),
            ("", false),
            ("application/json, text/html", false),
            ("text/html;q=0.1, application/json", false),
            ("text/html;q=0", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            assert_eq!(wants_html(&headers), expected, "{accept}");
        }
    }
}
