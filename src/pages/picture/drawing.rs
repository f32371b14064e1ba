//! Draws the picture for link previews from texts and numbers; it is independent of reviews.

use anyhow::Context;
use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point, Rect,
    Shader, SpreadMode, Transform,
};

use super::font::{CAPITALS, Font};

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
pub struct Shown {
    /// Empty if the name cannot be drawn.
    pub name: String,
    /// The mean as text, and the end of the coloured part of its stars, from 0 to 1; `None` without reviews.
    pub mean: Option<(String, f32)>,
    /// The number of reviews in words.
    pub words: String,
}

impl Shown {
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

#[cfg(test)]
mod tests {
    use tiny_skia::Pixmap;

    use super::{Font, OFF, STAR, Shown};

    /// The pixels in the stars' colour, and those in the colour of unfilled stars.
    fn pixels(end: f32) -> [usize; 2] {
        let shown = Shown {
            name: String::new(),
            mean: Some(("4.55".to_owned(), end)),
            words: String::new(),
        };
        let png = shown.png(&Font::shipped().unwrap()).unwrap();
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
}
