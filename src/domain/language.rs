//! Languages of the interface. The language of a name is something else.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    #[default]
    English,
    Spanish,
    French,
    German,
    Portuguese,
    Chinese,
    Arabic,
}

impl Language {
    pub const ALL: [Self; 7] = [
        Self::English,
        Self::Spanish,
        Self::French,
        Self::German,
        Self::Portuguese,
        Self::Chinese,
        Self::Arabic,
    ];

    /// The BCP 47 tag: in `lang` attributes, in the database and in the names of catalogs.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::German => "de",
            Self::Portuguese => "pt",
            Self::Chinese => "zh",
            Self::Arabic => "ar",
        }
    }

    /// The name of the language in itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
            Self::French => "Français",
            Self::German => "Deutsch",
            Self::Portuguese => "Português",
            Self::Chinese => "简体中文",
            Self::Arabic => "العربية",
        }
    }

    /// The `dir` attribute.
    pub const fn direction(self) -> &'static str {
        match self {
            Self::Arabic => "rtl",
            _ => "ltr",
        }
    }

    /// Parses a tag by its primary language, such as `pt-BR`.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// Chooses from an `Accept-Language` header: the supported language with the highest weight.
    pub fn accepted(header: &str) -> Option<Self> {
        let mut best: Option<(Self, f32)> = None;
        for range in header.split(',').take(32) {
            let mut parts = range.split(';');
            let Some(language) = parts.next().and_then(Self::parse) else { continue };
            let weight =
                parts.find_map(|part| part.trim().strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok());
            let Some(weight) = weight.filter(|weight| *weight > 0.0) else { continue };
            if best.is_none_or(|(_, so_far)| weight > so_far) {
                best = Some((language, weight));
            }
        }
        best.map(|(language, _)| language)
    }
}

/// The languages that a person and their institution have set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LanguageSettings {
    pub personal: Option<Language>,
    pub institution: Option<Language>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_supported_language_with_the_highest_weight_is_chosen() {
        for (header, chosen) in [
            ("de", Some(Language::German)),
            ("pt-BR,pt;q=0.9,en;q=0.8", Some(Language::Portuguese)),
            ("ja, fr;q=0.5, es;q=0.7", Some(Language::Spanish)),
            ("zh-Hans-CN", Some(Language::Chinese)),
            ("AR-eg", Some(Language::Arabic)),
            ("fr;q=0, en;q=0.1", Some(Language::English)),
            ("en;q=x, fr", Some(Language::French)),
            ("ja, ko", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(Language::accepted(header), chosen, "{header}");
        }
    }
}
