//! Forms of people's pages, as other sites and sessions send them.

use endonym::http::csrf;

use super::{World, media::wav, snapshot::rows};
use crate::me::{Browser, Seen};

/// Whose token a form needs, and how it is encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Before signing in: the token of the visitor's cookie.
    Visitor,
    /// The token of the session.
    Session,
    /// The same, with a file.
    Upload,
}

/// Sends exactly these fields, and a file if there has to be one.
pub async fn send(
    browser: &Browser<'_>,
    form: Form,
    path: &str,
    fields: &[(&str, &str)],
    headers: &[(&str, &str)],
) -> Seen {
    match form {
        Form::Visitor | Form::Session => browser.post_bare(path, fields, headers).await,
        Form::Upload => {
            let name = if path.ends_with("photo") { "photo" } else { "recording" };
            browser.post_file(path, (name, &wav(1.0)), fields, headers).await
        }
    }
}

/// Is this the response to a form that is not from our own page?
pub fn is_forged(seen: &Seen) -> bool {
    seen.status == 403
        && seen.body.contains("This page was open for too long, or was sent from another site.")
}

/// A form of another site, or with the token of another session, changes nothing. Both browsers have seen a page with a token.
pub async fn check_forgeries(
    world: &World,
    (browser, other): (&Browser<'_>, &Browser<'_>),
    (path, form): (&str, Form),
    more: &[(&str, &str)],
) {
    let (own, foreign, base) = (browser.csrf(), other.csrf(), world.base.as_str());
    assert!(own.len() == 64 && own != foreign, "{path}");
    let before = rows(world, None).await;
    let same_site = ("sec-fetch-site", "same-origin");
    for (token, headers) in [
        (None, vec![]),
        (None, vec![("origin", base), same_site]),
        (Some(""), vec![]),
        (Some(foreign.as_str()), vec![]),
        (Some(&own[..63]), vec![]),
        (Some(foreign.as_str()), vec![("origin", base), same_site]),
        (None, vec![(csrf::HEADER, foreign.as_str())]),
        (Some(own.as_str()), vec![("origin", "https://evil.example")]),
        (Some(own.as_str()), vec![("origin", "https://evil.example"), same_site]),
        (Some(own.as_str()), vec![("origin", "null")]),
        (Some(own.as_str()), vec![("sec-fetch-site", "cross-site")]),
        (Some(own.as_str()), vec![("sec-fetch-site", "cross-site"), ("origin", base)]),
        (Some(own.as_str()), vec![("sec-fetch-site", "same-site")]),
        (Some(own.as_str()), vec![("sec-fetch-site", "none")]),
    ] {
        let token = token.map(|token| ("csrf", token));
        let fields: Vec<(&str, &str)> = token.into_iter().chain(more.iter().copied()).collect();
        let seen = send(browser, form, path, &fields, &headers).await;
        assert!(is_forged(&seen), "{path} {token:?} {headers:?}: {} {}", seen.status, seen.body);
    }
    // The token alone is of no use without the cookie.
    let fields = [&[("csrf", own.as_str())], more].concat();
    let stranger = send(&Browser::new(world), form, path, &fields, &[]).await;
    match form {
        Form::Visitor => assert!(is_forged(&stranger), "{path}"),
        Form::Session | Form::Upload => drop(stranger.redirects_to("/sign-in")),
    }
    assert_eq!(rows(world, None).await, before, "{path}");
    // With both, the form is read.
    let headers = [("origin", base), same_site];
    let seen = send(browser, form, path, &[("csrf", own.as_str())], &headers).await;
    assert!(!is_forged(&seen), "{path}: {}", seen.body);
}
