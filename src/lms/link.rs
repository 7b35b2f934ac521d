//! `Link` headers (RFC 8288), used for pagination.

use reqwest::header::{HeaderMap, LINK};

/// A header could not be parsed to its end, so a link that was not found may still be in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable;

/// The target of the first link with this relation, not resolved.
pub fn related(headers: &HeaderMap, relation: &str) -> Result<Option<String>, Unreadable> {
    let mut is_whole = true;
    for value in headers.get_all(LINK) {
        let Ok(text) = std::str::from_utf8(value.as_bytes()) else {
            is_whole = false;
            continue;
        };
        let (links, to_its_end) = links(text);
        is_whole &= to_its_end;
        if let Some(link) = links.iter().find(|link| link.has(relation)) {
            return Ok(Some(link.target.to_owned()));
        }
    }
    if is_whole { Ok(None) } else { Err(Unreadable) }
}

struct Link<'a> {
    target: &'a str,
    /// Only the first `rel` counts.
    relations: Option<String>,
}

impl Link<'_> {
    /// One `rel` may hold several relations.
    fn has(&self, relation: &str) -> bool {
        let mut words = self.relations.iter().flat_map(|words| words.split_ascii_whitespace());
        words.any(|word| word.eq_ignore_ascii_case(relation))
    }
}

/// Parses links up to the first syntax error. The flag is true if the whole header was parsed.
fn links(text: &str) -> (Vec<Link<'_>>, bool) {
    let (mut rest, mut found) = (text, Vec::new());
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let Some((target, behind)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
            return (found, rest.trim().is_empty());
        };
        let Some((relations, behind)) = parameters(behind) else { return (found, false) };
        found.push(Link { target: target.trim(), relations });
        rest = behind;
    }
}

/// Parses the parameters of a link. Returns its relations and the remaining text, or `None` if a parameter is unterminated.
fn parameters(mut rest: &str) -> Option<(Option<String>, &str)> {
    let mut relations = None;
    loop {
        rest = rest.trim_start();
        let Some(behind) = rest.strip_prefix(';') else { return Some((relations, rest)) };
        let end = behind.find(['=', ';', ',']).unwrap_or(behind.len());
        let name = behind[..end].trim();
        rest = &behind[end..];
        let Some(behind) = rest.strip_prefix('=') else { continue };
        let (value, behind) = value(behind.trim_start())?;
        if name.eq_ignore_ascii_case("rel") && relations.is_none() {
            relations = Some(value);
        }
        rest = behind;
    }
}

fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return Some((text[..end].trim().to_owned(), &text[end..]));
    };
    let (mut value, mut escaped) = (String::new(), false);
    for (at, letter) in quoted.char_indices() {
        match letter {
            _ if escaped => {
                value.push(letter);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some((value, &quoted[at + 1..])),
            _ => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(lines: &[&str]) -> Result<Option<String>, Unreadable> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("link", line.parse().unwrap());
        }
        related(&headers, "next")
    }

    #[test]
    fn the_next_page_is_found_however_it_is_written() {
        for lines in [
            &["<https://x/2>; rel=\"next\""][..],
            &["<https://x/2>; rel=next"],
            &["<https://x/2>;REL=\"NEXT\""],
            &["<https://x/2> ; rel = \"next\" ; title=\"a, b; c\""],
            &["<https://x/1>; rel=\"current\",<https://x/2>; rel=\"next\",<https://x/9>; rel=\"last\""],
            &["<https://x/1,1;rel=next>; rel=prev, <https://x/2>; rel=next"],
            &[
                "<https://x/1>; title=\"say \\\"hi\\\", <https://y>; rel=next\"; rel=prev, <https://x/2>; rel=next",
            ],
            &["<https://x/1>; rel=first", "<https://x/2>; rel=\"last next\""],
            &["<https://x/1>; rel=prev; rel=next", ", ,<https://x/2>;crossorigin;rel=next"],
            &["<https://x/2>; rel=\"next\", and what nobody can read"],
        ] {
            assert_eq!(next(lines), Ok(Some("https://x/2".to_owned())), "{lines:?}");
        }
    }

    #[test]
    fn where_there_is_none_none_is_found() {
        for lines in [&[][..], &[""], &["<https://x/2>"], &["<https://x/2>; rel=nextish"]] {
            assert_eq!(next(lines), Ok(None), "{lines:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_may_hide_one() {
        for lines in [
            &["<https://x/2; rel=next"][..],
            &["https://x/2; rel=next"],
            &["<https://x/2>; title=\"rel=next"],
            &["<https://x/1>; rel=prev, and what nobody can read"],
            &["<https://x/1>; rel=prev", "nonsense"],
        ] {
            assert_eq!(next(lines), Err(Unreadable), "{lines:?}");
        }
        let mut headers = HeaderMap::new();
        headers
            .append("link", reqwest::header::HeaderValue::from_bytes(b"<https://x/\xff>; rel=next").unwrap());
        assert_eq!(related(&headers, "next"), Err(Unreadable));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_written_is_read_to_an_end(text in "[<>;,=\"\\\\ a-cé]{0,40}") {
            for link in links(&text).0 {
                proptest::prop_assert!(text.contains(link.target));
            }
        }
    }
}
