//! The accent colour of the frame: a hex colour with enough contrast to the frame's background (WCAG 2.2, 1.4.3).

use std::fmt;
use std::sync::Arc;

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::frame::{POLICY, protected};
use crate::web;
use crate::web::context::Ctx;
use crate::web::problem;

/// Minimum contrast of text to its background.
pub const CONTRAST_MIN: f64 = 4.5;
// As in the stylesheet, light and dark: `--bg`, `--accent` and `--star`.
const BACKGROUNDS: [Rgb; 2] = [Rgb(0xff, 0xff, 0xff), Rgb(0x12, 0x17, 0x1a)];
const ACCENTS: [Rgb; 2] = [Rgb(0x0a, 0x5a, 0x78), Rgb(0x7c, 0xc7, 0xe0)];
const STARS: [Rgb; 2] = [Rgb(0x9a, 0x53, 0x00), Rgb(0xf0, 0xb3, 0x5a)];

/// sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(u8, u8, u8);

impl Rgb {
    /// Accepts `#0a5a78`, `0a5a78`, `#05a` and `05a`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let digits: Vec<u8> = digits
            .chars()
            .map(|digit| {
                digit
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
            })
            .collect::<Option<_>>()?;
        match digits[..] {
            [r, g, b] => Some(Self(r * 17, g * 17, b * 17)),
            [r1, r0, g1, g0, b1, b0] => Some(Self(r1 * 16 + r0, g1 * 16 + g0, b1 * 16 + b0)),
            _ => None,
        }
    }

    /// The contrast to the light and to the dark background, 1 to 21.
    #[must_use]
    pub fn contrasts(self) -> [f64; 2] {
        BACKGROUNDS.map(|background| {
            let (one, other) = (self.luminance(), background.luminance());
            (one.max(other) + 0.05) / (one.min(other) + 0.05)
        })
    }

    /// A stylesheet that uses the colour as the accent of the light frame, the dark one or both, depending on its
    /// contrast.
    fn stylesheet(self) -> String {
        let [light, dark] = self.contrasts().map(|contrast| contrast >= CONTRAST_MIN);
        let of = |ours: [Self; 2]| {
            [
                if light { self } else { ours[0] },
                if dark { self } else { ours[1] },
            ]
        };
        let ([accent, accent_dark], [star, star_dark]) = (of(ACCENTS), of(STARS));
        format!(
            ":root{{--accent:#{accent};--star:#{star}}}\n@supports (color: light-dark(red, red)){{:root{{\
             --accent:light-dark(#{accent},#{accent_dark});--star:light-dark(#{star},#{star_dark})}}}}\n"
        )
    }

    /// The relative luminance, 0 to 1 (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The endpoint of `/embed/accent/{colour}.css`. A stylesheet, because the pages' policy forbids inline styles.
pub struct AccentStyle(pub Arc<Ctx>);

impl Endpoint for AccentStyle {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let path = request.uri().path();
        let name = path
            .rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".css"));
        let Some(colour) = name.and_then(Rgb::parse) else {
            return Ok(problem(
                StatusCode::NOT_FOUND,
                "Invalid colour; use three or six hex digits, as in /embed/accent/0a5a78.css.",
            ));
        };
        let snapshot = self.0.current.load();
        let response = web::whole_body(
            request.headers(),
            snapshot,
            "text/css; charset=utf-8",
            colour.stylesheet(),
        );
        Ok(protected(response, POLICY))
    }
}

#[cfg(test)]
mod tests {
    use super::Rgb;

    #[test]
    fn a_colour_is_three_or_six_hex_digits() {
        for (text, colour) in [
            ("#0a5a78", Some("0a5a78")),
            ("0A5A78", Some("0a5a78")),
            ("#05a", Some("0055aa")),
            ("", None),
            ("#", None),
            ("#12345", None),
            ("##05a", None),
            ("rebeccapurple", None),
            ("é05", None),
        ] {
            let parsed = Rgb::parse(text).map(|colour| colour.to_string());
            assert_eq!(parsed.as_deref(), colour, "{text}");
        }
    }

    #[test]
    fn contrasts_are_those_of_the_standard() {
        let contrasts = |text| Rgb::parse(text).unwrap().contrasts();
        assert!((contrasts("000000")[0] - 21.0).abs() < 1e-9);
        assert!((contrasts("ffffff")[0] - 1.0).abs() < 1e-9);
        // The lightest grey that is readable on white.
        assert!(contrasts("767676")[0] >= 4.5 && contrasts("777777")[0] < 4.5);
        assert!(contrasts("7cc7e0")[1] > 4.5 && contrasts("0a5a78")[1] < 4.5);
    }
}
