//! An institution's accent color: the color of links and buttons on its pages. Text in that color and text on it must have a
//! contrast of at least 4.5:1 (WCAG 2.2, criterion 1.4.3), on light pages and on dark ones.

use std::fmt;

/// An sRGB color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color {
    red: u8,
    green: u8,
    blue: u8,
}

/// The least contrast between text and its background.
pub const LEAST: f64 = 4.5;

/// The backgrounds in `assets/tokens.css`: pages, and panels on them.
const LIGHT: [Color; 2] = [Color::new(0xfc, 0xfb, 0xf8), Color::new(0xf4, 0xf2, 0xec)];
const DARK: [Color; 2] = [Color::new(0x14, 0x18, 0x1a), Color::new(0x1c, 0x22, 0x24)];
const BLACK: Color = Color::new(0, 0, 0);
const WHITE: Color = Color::new(255, 255, 255);

impl Color {
    const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Parses six hex digits, such as `#7a1f3d`. The number sign is optional.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.strip_prefix('#').unwrap_or(text);
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self::new(part(0)?, part(2)?, part(4)?))
    }

    /// Six hex digits, without the number sign.
    pub fn hex(self) -> String {
        format!("{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// The contrast ratio of WCAG, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The lowest contrast with any of these backgrounds.
    fn least_contrast(self, backgrounds: &[Self]) -> f64 {
        backgrounds.iter().map(|background| self.contrast(*background)).fold(f64::INFINITY, f64::min)
    }

    /// Relative luminance, as WCAG defines it.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    fn mixed(self, other: Self, percent: u16) -> Self {
        let mix = |one: u8, other: u8| {
            let sum = u16::from(one) * (100 - percent) + u16::from(other) * percent;
            u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX)
        };
        Self::new(mix(self.red, other.red), mix(self.green, other.green), mix(self.blue, other.blue))
    }

    /// The first mixture with the other color that can be read on these backgrounds.
    fn readable(self, toward: Self, backgrounds: &[Self]) -> Self {
        let mixtures = (0..=100).map(|percent| self.mixed(toward, percent));
        mixtures.into_iter().find(|color| color.least_contrast(backgrounds) >= LEAST).unwrap_or(toward)
    }
}

/// `#7a1f3d`
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.hex())
    }
}

/// A color that can be read on light pages, and its variant for dark ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accent {
    pub light: Color,
    pub dark: Color,
}

/// A color that is too light for text on a light page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLight {
    pub given: Color,
    /// Its contrast with the background in tenths, rounded down.
    pub tenths: u16,
    /// The nearest darker shade that can be used.
    pub darker: Color,
}

impl Accent {
    /// Text on the color, for light and for dark pages. A color that can be read on a background also carries text that is
    /// lighter than a light background, or darker than a dark one.
    pub const ON: [Color; 2] = [WHITE, Color::new(0x10, 0x20, 0x1c)];

    /// The color itself must suit light pages. The variant for dark pages is derived: it is mixed with white until it can be
    /// read.
    pub fn new(color: Color) -> Result<Self, TooLight> {
        let contrast = color.least_contrast(&LIGHT);
        if contrast < LEAST {
            let tenths = (contrast * 10.0) as u16;
            return Err(TooLight { given: color, tenths, darker: color.readable(BLACK, &LIGHT) });
        }
        Ok(Self { light: color, dark: color.readable(WHITE, &DARK) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const TOKENS: &str = include_str!("../../assets/tokens.css");

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        for (one, other, ratio) in [
            ("#000000", "#ffffff", 21.0),
            ("#ffffff", "#ffffff", 1.0),
            ("#777777", "#ffffff", 4.478),
            ("#767676", "#ffffff", 4.542),
            ("#ff0000", "#ffffff", 3.998),
            ("#0000ff", "#ffffff", 8.592),
            ("#00ff00", "#000000", 15.304),
        ] {
            let found = color(one).contrast(color(other));
            assert!((found - ratio).abs() < 0.001, "{one} on {other}: {found}");
            assert!((found - color(other).contrast(color(one))).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn a_color_is_six_hex_digits() {
        for (given, shown) in [("#7A1F3D", "#7a1f3d"), (" 0d6151 ", "#0d6151")] {
            assert_eq!(color(given).to_string(), shown);
        }
        for given in ["", "#", "#fff", "red", "#12345g", "#1234567", "##12345", "#é1234", "+12345"] {
            assert_eq!(Color::parse(given), None, "{given}");
        }
    }

    #[test]
    fn a_dark_color_is_accepted_and_gets_a_lighter_variant() {
        for given in ["#7a1f3d", "#000000", "#003366", "#0d6151", "#b00020", "#5a5a00"] {
            let accent = Accent::new(color(given)).unwrap_or_else(|fault| panic!("{fault:?}"));
            assert_eq!(accent.light, color(given));
            for (shade, backgrounds, on) in
                [(accent.light, LIGHT, Accent::ON[0]), (accent.dark, DARK, Accent::ON[1])]
            {
                assert!(shade.least_contrast(&backgrounds) >= LEAST, "{given}: {shade}");
                assert!(shade.contrast(on) >= LEAST, "{given}: {on} on {shade}");
            }
        }
    }

    #[test]
    fn a_light_color_is_refused_with_the_nearest_darker_shade() {
        for (given, tenths) in [("#ffffff", 10), ("#ffd200", 12), ("#ff0000", 35), ("#767676", 40)] {
            let fault = Accent::new(color(given)).unwrap_err();
            assert_eq!(fault.tenths, tenths, "{given}");
            assert!(Accent::new(fault.darker).is_ok(), "{given}: {}", fault.darker);
        }
    }

    /// The colors in a rule of `tokens.css`.
    fn palette(selector: &str) -> BTreeMap<&'static str, Color> {
        let start = format!("{selector} {{\n");
        let (_, rest) = TOKENS.split_once(&start).unwrap_or_else(|| panic!("{selector}"));
        let (rule, _) = rest.split_once('}').unwrap();
        let declarations = rule.lines().filter_map(|line| line.trim().strip_prefix("--")?.split_once(": "));
        declarations
            .filter(|(_, value)| value.starts_with('#'))
            .map(|(name, value)| (name, color(value.trim_end_matches(';'))))
            .collect()
    }

    #[test]
    fn all_tokens_have_enough_contrast_in_light_and_in_dark() {
        let light = palette("\n:root");
        let dark = palette(":root:not([data-theme=light])");
        assert_eq!(dark, palette(":root[data-theme=dark]"), "the two dark palettes are the same");
        assert_eq!(light.keys().collect::<Vec<_>>(), dark.keys().collect::<Vec<_>>());
        for (theme, backgrounds, on) in [(&light, LIGHT, Accent::ON[0]), (&dark, DARK, Accent::ON[1])] {
            assert_eq!([theme["paper"], theme["raised"]], backgrounds, "the backgrounds of this file");
            assert_eq!(theme["on-accent"], on);
            for text in ["ink", "soft", "accent", "danger"] {
                let contrast = theme[text].least_contrast(&backgrounds);
                assert!(contrast >= LEAST, "{text} {}: {contrast}", theme[text]);
            }
            for (text, background) in [("on-accent", "accent"), ("on-danger", "danger")] {
                let contrast = theme[text].contrast(theme[background]);
                assert!(contrast >= LEAST, "{text}: {contrast}");
            }
            // The borders of controls (criterion 1.4.11).
            let contrast = theme["edge"].least_contrast(&backgrounds);
            assert!(contrast >= 3.0, "edge: {contrast}");
        }
    }
}
