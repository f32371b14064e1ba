//! The font of the picture: its characters, text widths and outlines. One glyph per character, from left to right; the
//! font lacks scripts that need more.

use tiny_skia::PathBuilder;
use ttf_parser::{Face, FaceParsingError, OutlineBuilder};

/// Noto Sans, semi-bold, with only Latin, Greek and Cyrillic characters; see NOTICE.
const NOTO_SANS: &[u8] = include_bytes!("../assets/noto-sans.ttf");
/// The height of capitals and digits at size 1.
pub const CAPITALS: f32 = 0.714;

pub struct Font(Face<'static>);

impl Font {
    /// The built-in font.
    ///
    /// # Errors
    /// If the font file is invalid.
    pub fn shipped() -> Result<Self, FaceParsingError> {
        Face::parse(NOTO_SANS, 0).map(Self)
    }

    /// Whether every character of `text` has a glyph.
    #[must_use]
    pub fn has_all(&self, text: &str) -> bool {
        text.chars().all(|c| self.0.glyph_index(c).is_some())
    }

    #[must_use]
    pub fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|c| self.advance(c, size)).sum()
    }

    fn advance(&self, c: char, size: f32) -> f32 {
        let glyph = self.0.glyph_index(c);
        let units = glyph.and_then(|glyph| self.0.glyph_hor_advance(glyph));
        f32::from(units.unwrap_or_default()) * self.scale(size)
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.0.units_per_em())
    }

    /// `text` in at most `most` lines of this width, broken between words; a longer text ends with `…`.
    #[must_use]
    pub fn lines(&self, text: &str, size: f32, width: f32, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let is_last = lines.len() == most;
            match lines.last_mut() {
                // Text beyond the last line is cut off with it.
                Some(line) if is_last || self.width(&format!("{line} {word}"), size) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                Some(_) | None => lines.push(word.to_owned()),
            }
        }
        lines
            .iter()
            .map(|line| self.cut(line, size, width))
            .collect()
    }

    /// The start of `line` that fits, with `…` if it was cut.
    fn cut(&self, line: &str, size: f32, width: f32) -> String {
        if self.width(line, size) <= width {
            return line.to_owned();
        }
        let mut end = self.advance('…', size);
        let fitting = line.chars().take_while(|c| {
            end += self.advance(*c, size);
            end <= width
        });
        let fitting: String = fitting.collect();
        format!("{}…", fitting.trim_end())
    }

    /// Adds the outlines of `text` to `path`, from `x` on.
    pub fn outline(
        &self,
        text: &str,
        size: f32,
        (mut x, baseline): (f32, f32),
        path: &mut PathBuilder,
    ) {
        for c in text.chars() {
            if let Some(glyph) = self.0.glyph_index(c) {
                let mut pen = Pen {
                    path,
                    x,
                    baseline,
                    scale: self.scale(size),
                };
                // A space has no outline.
                let _ = self.0.outline_glyph(glyph, &mut pen);
            }
            x += self.advance(c, size);
        }
    }
}

/// Converts outlines, whose y axis points up, to one that points down.
struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    baseline: f32,
    scale: f32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.baseline - y * self.scale)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::Font;
    use crate::model::business::Business;
    use crate::pages::locale::Locale;

    #[test]
    fn the_font_has_every_character_of_the_words_and_numbers_of_each_language() {
        let font = Font::shipped().unwrap();
        for language in ["en", "es", "de", "fr"] {
            let locale = Locale::of(&Business {
                language: Some(language.to_owned()),
                ..Business::default()
            });
            for text in [
                locale.counted("rating-from", 1),
                locale.counted("rating-from", 1_234_567),
                locale.message("no-reviews"),
                locale.hundredths(455).into(),
                "…".into(),
            ] {
                assert!(font.has_all(&text), "{language}: {text}");
            }
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_never_wider_than_asked() {
        let font = Font::shipped().unwrap();
        let width = font.width("two words", 20.0);
        let lines = |text: &str| font.lines(text, 20.0, width, 2);
        assert_eq!(lines(""), [""; 0]);
        assert_eq!(lines("two words"), ["two words"]);
        assert_eq!(lines("two words more"), ["two words", "more"]);
        let cut = lines("two words and more of them");
        assert!(cut[0] == "two words" && cut[1].starts_with("and m") && cut[1].ends_with('…'));
        let cut = lines("inseparable");
        assert!(cut.len() == 1 && cut[0].starts_with("insep") && cut[0].ends_with('…'));
        for line in cut {
            assert!(font.width(&line, 20.0) <= width, "{line}");
        }
    }
}
