//! `/og.png`: the picture for link previews, with the name of the business, its rating and number of reviews, and no
//! text by customers. Rendered once per snapshot, on the first request.

use anyhow::Context;
use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point, Rect,
    Shader, SpreadMode, Transform,
};
use ttf_parser::{Face, FaceParsingError, OutlineBuilder};
use unicode_normalization::UnicodeNormalization;

use super::locale::Locale;
use super::words::color_end;
use crate::snapshot::Snapshot;

pub const PICTURE_PATH: &str = "/og.png";

/// Renders the picture as PNG.
///
/// # Errors
/// If the font is invalid or encoding fails, both of which are bugs.
pub fn png(snapshot: &Snapshot) -> anyhow::Result<Vec<u8>> {
    let font = Font::new()?;
    let input = &snapshot.input;
    let locale = Locale::of(&input.business);
    // The font has most accented letters, but no combining accents.
    let name: String = input.business.name.nfc().collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let rating_counts = input.review_index.rating_counts();
    let mean = rating_counts.mean_hundredths();
    let shown = PictureContent {
        // No name is better than one with missing or misordered letters.
        name: if font.has_all(&name) {
            name
        } else {
            String::new()
        },
        mean: mean.map(|mean| {
            let tenths = u16::try_from(color_end(mean)).unwrap_or(1_000);
            (locale.hundredths(mean), f32::from(tenths) / 1_000.0)
        }),
        words: match mean {
            Some(_) => locale.counted("rating-from", rating_counts.total()),
            None => locale.message("no-reviews"),
        }
        .into_owned(),
    };
    shown.png(&font)
}

// Draws the picture for link previews from texts and numbers; it is independent of reviews.

/// The size that apps expect, 1.91 to 1.
pub const WIDTH: u16 = 1_200;
/// See [`WIDTH`].
pub const HEIGHT: u16 = 630;

// The colours of style.css for light pages.
const BACKGROUND: [u8; 3] = [0xff, 0xff, 0xff];
const TEXT: [u8; 3] = [0x1b, 0x21, 0x24];
const MUTED: [u8; 3] = [0x54, 0x5f, 0x66];
const ACCENT: [u8; 3] = [0x0a, 0x5a, 0x78];
const STAR: [u8; 3] = [0x9a, 0x53, 0x00];
/// The opacity of the unfilled part of a star.
const OFF: f32 = 0.25;

const MARGIN: f32 = 80.0;
/// The height of the bar at the bottom.
const BAR: f32 = 24.0;
/// A name that is too long for one line gets a smaller size, then two lines.
const NAME_SIZE_MAX: f32 = 76.0;
const NAME_SIZE_MIN: f32 = 56.0;
const NAME_LINE: f32 = 74.0;
/// The distance between the name and the figures.
const GAP: f32 = 76.0;
const MEAN_SIZE: f32 = 220.0;
const WORDS_SIZE: f32 = 48.0;
/// The distance between the mean and the stars.
const SPACE: f32 = 44.0;

/// The star of `stars_fragment.html`: its top, then the corners relative to the previous one; its box and the distance
/// to the next star.
const STAR_TOP: (f32, f32) = (9.0, 0.0);
const STAR_CORNERS: [(f32, f32); 9] = [
    (2.3, 6.2),
    (6.7, 0.3),
    (-5.2, 4.2),
    (1.8, 6.4),
    (-5.6, -3.7),
    (-5.6, 3.7),
    (1.8, -6.4),
    (-5.2, -4.2),
    (6.7, -0.3),
];
const STAR_STEP: f32 = 20.0;
const STARS_WIDTH: f32 = 98.0;
/// The scale of the stars in the picture.
const STAR_SCALE: f32 = 5.0;

/// The content of the picture.
pub struct PictureContent {
    /// Empty if the name cannot be drawn.
    pub name: String,
    /// The mean as text, and the end of the coloured part of its stars, from 0 to 1; `None` without reviews.
    pub mean: Option<(String, f32)>,
    /// The number of reviews in words.
    pub words: String,
}

impl PictureContent {
    /// Draws the picture as PNG.
    ///
    /// # Errors
    /// If encoding fails.
    pub fn png(&self, font: &Font) -> anyhow::Result<Vec<u8>> {
        let pixmap = Pixmap::new(WIDTH.into(), HEIGHT.into()).context("a picture of no size")?;
        let mut canvas = Canvas { pixmap, font };
        canvas.pixmap.fill(color(BACKGROUND, 1.0));
        let (width, height) = (f32::from(WIDTH), f32::from(HEIGHT) - BAR);
        let bar = Rect::from_xywh(0.0, height, width, BAR).map(PathBuilder::from_rect);
        canvas.fill(bar, Shader::SolidColor(color(ACCENT, 1.0)));

        let width = width - 2.0 * MARGIN;
        let needed = font.width(&self.name, NAME_SIZE_MAX).max(width);
        let size = (NAME_SIZE_MAX * width / needed).max(NAME_SIZE_MIN);
        let lines = font.lines(&self.name, size, width, 2);
        let figures = if self.mean.is_some() {
            MEAN_SIZE
        } else {
            WORDS_SIZE
        };
        let name = match lines.len() {
            0 => 0.0,
            1 => size * CAPITALS + GAP,
            _ => size * CAPITALS + NAME_LINE + GAP,
        };
        // The content is centred vertically.
        let all = name + figures * CAPITALS;
        let mut y = (height - all) / 2.0;
        for line in &lines {
            canvas.text(line, size, (MARGIN, y + size * CAPITALS), TEXT);
            y += NAME_LINE;
        }
        let baseline = f32::midpoint(height, all);
        let mut x = MARGIN;
        if let Some((mean, color_end)) = &self.mean {
            canvas.text(mean, MEAN_SIZE, (x, baseline), TEXT);
            x += font.width(mean, MEAN_SIZE) + SPACE;
            canvas.stars((x, baseline - MEAN_SIZE * CAPITALS), *color_end);
        }
        let room = MARGIN + width - x;
        let needed = font.width(&self.words, WORDS_SIZE).max(room);
        canvas.text(
            &self.words,
            WORDS_SIZE * room / needed,
            (x, baseline),
            MUTED,
        );
        Ok(canvas.pixmap.encode_png()?)
    }
}

struct Canvas<'a> {
    pixmap: Pixmap,
    font: &'a Font,
}

impl Canvas<'_> {
    /// Does nothing for an empty path.
    fn fill(&mut self, path: Option<Path>, shader: Shader<'_>) {
        let paint = Paint {
            shader,
            ..Paint::default()
        };
        if let Some(path) = path {
            let transform = Transform::identity();
            self.pixmap
                .fill_path(&path, &paint, FillRule::Winding, transform, None);
        }
    }

    fn text(&mut self, text: &str, size: f32, start: (f32, f32), rgb: [u8; 3]) {
        let mut path = PathBuilder::new();
        self.font.outline(text, size, start, &mut path);
        self.fill(path.finish(), Shader::SolidColor(color(rgb, 1.0)));
    }

    /// Five stars, coloured up to `end`.
    fn stars(&mut self, (left, top): (f32, f32), end: f32) {
        let mut path = PathBuilder::new();
        let mut star = left;
        for _ in 0..5 {
            let (mut x, mut y) = (
                star + STAR_TOP.0 * STAR_SCALE,
                top + STAR_TOP.1 * STAR_SCALE,
            );
            path.move_to(x, y);
            for (right, down) in STAR_CORNERS {
                x += right * STAR_SCALE;
                y += down * STAR_SCALE;
                path.line_to(x, y);
            }
            path.close();
            star += STAR_STEP * STAR_SCALE;
        }
        let ends = [left, left + STARS_WIDTH * STAR_SCALE].map(|x| Point::from_xy(x, top));
        let stops = [1.0, OFF].map(|alpha| GradientStop::new(end, color(STAR, alpha)));
        let shader = LinearGradient::new(
            ends[0],
            ends[1],
            stops.into(),
            SpreadMode::Pad,
            Transform::identity(),
        );
        if let Some(shader) = shader {
            self.fill(path.finish(), shader);
        }
    }
}

fn color([red, green, blue]: [u8; 3], alpha: f32) -> Color {
    let mut color = Color::from_rgba8(red, green, blue, 255);
    color.apply_opacity(alpha);
    color
}

// The font of the picture: its characters, text widths and outlines. One glyph per character, from left to right; the
// font lacks scripts that need more.

/// Noto Sans, semi-bold, with only Latin, Greek and Cyrillic characters; see NOTICE.
const NOTO_SANS: &[u8] = include_bytes!("assets/noto-sans.ttf");
/// The height of capitals and digits at size 1.
pub const CAPITALS: f32 = 0.714;

pub struct Font(Face<'static>);

impl Font {
    /// The built-in font.
    ///
    /// # Errors
    /// If the font file is invalid.
    pub fn new() -> Result<Self, FaceParsingError> {
        Face::parse(NOTO_SANS, 0).map(Self)
    }

    /// Whether every character of `text` has a glyph.
    pub fn has_all(&self, text: &str) -> bool {
        text.chars().all(|c| self.0.glyph_index(c).is_some())
    }

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
        let scale = self.scale(size);
        for c in text.chars() {
            let mut pen = Pen::default();
            // A space has no outline.
            if let Some(glyph) = self.0.glyph_index(c) {
                let _ = self.0.outline_glyph(glyph, &mut pen);
            }
            // The font's y axis points up.
            let place = Transform::from_row(scale, 0.0, 0.0, -scale, x, baseline);
            let outline = pen.0.finish().and_then(|outline| outline.transform(place));
            if let Some(outline) = outline {
                path.push_path(&outline);
            }
            x += self.advance(c, size);
        }
    }
}

/// The outline of a glyph, in the font's units.
#[derive(Default)]
struct Pen(PathBuilder);

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use tiny_skia::Pixmap;

    use super::{Font, OFF, PictureContent, STAR};
    use crate::model::business::Business;
    use crate::pages::locale::Locale;

    /// The pixels in the stars' colour, and those in the colour of unfilled stars.
    fn pixels(end: f32) -> [usize; 2] {
        let shown = PictureContent {
            name: String::new(),
            mean: Some(("4.55".to_owned(), end)),
            words: String::new(),
        };
        let png = shown.png(&Font::new().unwrap()).unwrap();
        let pixmap = Pixmap::decode_png(&png).unwrap();
        [1.0, OFF].map(|alpha| {
            // Blended over white.
            let color = STAR.map(|part| 255.0 - f32::from(255 - part) * alpha);
            let of_color = pixmap.pixels().iter().filter(|one| {
                let mut parts = [one.red(), one.green(), one.blue()].into_iter().zip(color);
                parts.all(|(part, wanted)| (f32::from(part) - wanted).abs() < 2.0)
            });
            of_color.count()
        })
    }

    #[test]
    fn stars_are_in_color_as_far_as_the_mean_goes() {
        let ([none, all_off], [all, none_off]) = (pixels(0.0), pixels(1.0));
        assert!(all > 10_000 && all_off > 10_000, "{all}, {all_off}");
        // Some pixels at an edge match either colour.
        assert!(none < 500 && none_off < 500, "{none}, {none_off}");
        let [half, half_off] = pixels(0.5);
        let is_half = |part: usize, all: usize| part.abs_diff(all / 2) < 500;
        assert!(is_half(half, all) && is_half(half_off, all_off), "{half}");
    }

    #[test]
    fn the_font_has_every_character_of_the_words_and_numbers_of_each_language() {
        let font = Font::new().unwrap();
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
        let font = Font::new().unwrap();
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
