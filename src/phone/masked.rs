//! Masks phone numbers in text from vendors and trunks, for logs.

/// Shorter runs of digits may be a code or a port.
const MIN_DIGITS: usize = 5;

/// Masks all but the last two digits of every long number, including numbers with spaces, hyphens or brackets.
pub fn masked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            shown.push(chars[at]);
            at += 1;
            continue;
        }
        let end = at + length(&chars[at..]);
        let digits = chars[at..end].iter().filter(|c| c.is_ascii_digit()).count();
        let mut hidden = if digits > MIN_DIGITS { digits - 2 } else { 0 };
        for c in &chars[at..end] {
            let hide = hidden > 0 && c.is_ascii_digit();
            hidden -= usize::from(hide);
            shown.push(if hide { '*' } else { *c });
        }
        at = end;
    }
    shown
}

/// The length of the number that starts here, up to its last digit.
fn length(chars: &[char]) -> usize {
    let mut length = 0;
    for (at, c) in chars.iter().enumerate() {
        match c {
            '0'..='9' => length = at + 1,
            ' ' | '-' | '(' | ')' if at - length < 2 => {}
            _ => break,
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn numbers_are_masked() {
        for (said, shown) in [
            ("'+12025550123' is not valid", "'+*********23' is not valid"),
            ("+1 (202) 555-0123 unknown", "+* (***) ***-**23 unknown"),
            ("sip:+12025550123@trunk", "sip:+*********23@trunk"),
            ("code 21211", "code 21211"),
            ("Busy Here", "Busy Here"),
            ("12 - - 34, é", "12 - - 34, é"),
            ("", ""),
        ] {
            assert_eq!(masked(said), shown);
        }
    }
}
