//! The Content Security Policy of a page.

use axum::http::HeaderValue;

use crate::domain::institution::parse_framing_origin;

/// What a page may load and which sites may frame it. Never inline code or other origins; by default no scripts and
/// no framing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy<'a> {
    pub scripts: bool,
    /// Scripts may call our API (`connect-src`).
    pub asks: bool,
    /// The page plays takes that it has recorded and not sent yet.
    pub takes: bool,
    pub frames: Frames<'a>,
    pub forms: Forms<'a>,
    /// One additional origin for images.
    pub pictures_of: Option<&'a str>,
    /// The origin of recordings and photos, if it is not ours.
    pub media_of: Option<&'a str>,
}

impl<'a> Policy<'a> {
    /// Of a page outside of frames that records. `media_of` is the origin of recordings, if it is not ours.
    pub fn for_recording(media_of: Option<&'a str>) -> Self {
        Self { scripts: true, asks: true, takes: true, forms: Forms::SelfOnly, media_of, ..Self::default() }
    }
}

/// `frame-ancestors`: which sites may frame the page.
#[derive(Debug, Clone, Copy, Default)]
pub enum Frames<'a> {
    #[default]
    Nobody,
    Anybody,
    Of(&'a [String]),
}

impl Frames<'_> {
    fn sources(self) -> String {
        let none = || "'none'".to_owned();
        match self {
            Self::Nobody => none(),
            // `*` covers network schemes only; local files and mobile apps have their own.
            Self::Anybody => "* file: capacitor: ionic:".to_owned(),
            Self::Of(origins) => {
                let known: Vec<String> =
                    origins.iter().filter_map(|origin| parse_framing_origin(origin)).collect();
                if known.is_empty() { none() } else { known.join(" ") }
            }
        }
    }
}

/// `form-action`: where the forms of a page may be sent.
#[derive(Debug, Clone, Copy, Default)]
pub enum Forms<'a> {
    #[default]
    None,
    SelfOnly,
    /// Also to these origins, separated by spaces.
    SelfAnd(&'a str),
}

impl Policy<'_> {
    pub fn header(self) -> HeaderValue {
        let scripts = if self.scripts { "script-src 'self'; " } else { "" };
        let asks = if self.asks { "connect-src 'self'; " } else { "" };
        let also = |origin: Option<&str>| origin.map(|origin| format!(" {origin}")).unwrap_or_default();
        let (pictures, media) = (also(self.pictures_of), also(self.media_of));
        let takes = if self.takes { " blob:" } else { "" };
        let forms = match self.forms {
            Forms::None => "'none'".to_owned(),
            Forms::SelfOnly => "'self'".to_owned(),
            Forms::SelfAnd(origin) => format!("'self' {origin}"),
        };
        let ancestors = self.frames.sources();
        let policy = format!(
            "default-src 'none'; {scripts}{asks}style-src 'self'; img-src 'self' data:{pictures}{media}; media-src 'self'{takes}{media}; \
             base-uri 'none'; form-action {forms}; frame-ancestors {ancestors}"
        );
        HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_are_played_only_where_a_page_records() {
        let played = |takes| Policy { takes, ..Policy::default() }.header();
        assert!(played(true).to_str().unwrap().contains("media-src 'self' blob:;"));
        assert!(!played(false).to_str().unwrap().contains("blob:"));
    }

    #[test]
    fn only_origins_may_frame_a_page() {
        let of = |origins: &[&str]| {
            Frames::Of(&origins.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()).sources()
        };
        assert_eq!(of(&[]), "'none'");
        assert_eq!(
            of(&["https://lms.example.edu/", "*", "https://a; script-src *"]),
            "https://lms.example.edu"
        );
        assert_eq!(of(&["https://*.Example.com"]), "https://*.example.com");
        assert_eq!(of(&["https://*.*", "https://*."]), "'none'");
    }
}
