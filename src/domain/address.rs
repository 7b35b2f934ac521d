//! Web addresses that others have told us.

/// Parsers drop tabs and line breaks inside an address and escape blanks, so that what they accept is not what is stored and
/// later put into a header or a page. Such an address is refused as a whole. Blanks at either end do no harm.
pub fn is_printable(address: &str) -> bool {
    !address.trim_ascii().chars().any(|c| c.is_control() || c.is_whitespace() || is_invisible(c))
}

/// Zero-width characters and direction marks make two different addresses look the same.
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
