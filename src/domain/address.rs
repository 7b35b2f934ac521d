//! Validation of URLs from untrusted sources.

/// URL parsers drop tabs and line breaks inside a URL and escape spaces, so the URL they accept differs from the one that is
/// stored and later put into a header or a page. Such URLs are rejected. Leading and trailing whitespace is harmless.
pub fn is_printable(address: &str) -> bool {
    !address.trim_ascii().chars().any(|c| c.is_control() || c.is_whitespace() || is_invisible(c))
}

/// Zero-width characters and direction marks make different URLs look the same.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_visible_word() {
        for good in [
            "https://lms.example.edu/auth?a=b%0d%0a#c",
            " https://lms.example.edu\n",
            "https://\u{fc}ber.example",
        ] {
            assert!(is_printable(good), "{good:?}");
        }
        for bad in [
            "https://lms.example.edu/\r\nSet-Cookie: a=b",
            "https://lms.example.edu/a\tb",
            "https://lms.example.edu/a b",
            "https://lms.example.edu/\u{0}",
            "https://lms.example.edu/\u{7f}",
            "https://lms.example.edu/\u{85}",
            "https://lms.example.edu/\u{a0}",
            "https://lms.example.edu/\u{2028}x",
            "https://lms\u{200b}.example.edu/",
            "https://lms.example.edu/\u{202e}x",
        ] {
            assert!(!is_printable(bad), "{bad:?}");
        }
    }
}
