//! The languages of the pages inside a learning system.

use reqwest::header;
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform, claim};
use crate::{pages::languages::english_sentences, support::database::execute};

fn locale(tag: &'static str) -> impl FnOnce(&mut Value) {
    move |claims: &mut Value| claims[claim("launch_presentation")] = json!({ "locale": tag })
}

async fn text_in(platform: &Platform, path: &str, cookie: &str, accepted: Option<&str>) -> String {
    let request =
        platform.client.get(format!("{}{path}", platform.world.base)).header(header::COOKIE, cookie);
    let request = accepted
        .into_iter()
        .fold(request, |request, accepted| request.header(header::ACCEPT_LANGUAGE, accepted));
    request.send().await.unwrap().text().await.unwrap()
}

fn is_in(text: &str, tag: &str, direction: &str) -> bool {
    text.contains(&format!("<html lang=\"{tag}\" dir=\"{direction}\""))
}

#[tokio::test]
async fn the_locale_of_the_launch_wins_over_the_browser_and_the_menu_over_both() {
    let platform = Platform::new().await;
    for role in [LEARNER, INSTRUCTOR] {
        let (session, cookie) = platform.session(locale("de-AT"), &[role]).await;
        let text = text_in(&platform, &session, &cookie, Some("fr")).await;
        assert!(is_in(&text, "de", "ltr"), "{text}");
        assert!(text.contains(&format!("name=\"return_to\" value=\"{session}\"")), "{text}");
        let chosen = format!("{cookie}; endonym-language=ar");
        assert!(is_in(&text_in(&platform, &session, &chosen, Some("fr")).await, "ar", "rtl"));
    }
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    assert!(is_in(&text_in(&platform, &session, &cookie, Some("fr-CA, en;q=0.5")).await, "fr", "ltr"));
    assert!(is_in(&text_in(&platform, &session, &cookie, None).await, "en", "ltr"));
    let text = "UPDATE institutions SET language = 'pt' WHERE id = $1";
    execute(&platform.world.app.db, text, vec![platform.world.institution.id.into()]).await;
    assert!(is_in(&text_in(&platform, &session, &cookie, None).await, "pt", "ltr"));
    let (session, cookie) = platform.session(locale("tlh"), &[LEARNER]).await;
    assert!(is_in(&text_in(&platform, &session, &cookie, Some("es")).await, "es", "ltr"));
}

#[tokio::test]
async fn a_german_page_has_no_english_sentence() {
    let platform = Platform::new().await;
    let deep_link = |claims: &mut Value| {
        locale("de")(claims);
        claims[claim("message_type")] = json!("LtiDeepLinkingRequest");
        claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"] =
            json!({ "deep_link_return_url": "https://lms.example.edu/dl?x=1", "data": "d" });
    };
    let pages = [
        (platform.session(locale("de"), &[LEARNER]).await, "Deine Aufnahme"),
        (platform.session(locale("de"), &[INSTRUCTOR]).await, "Namen suchen"),
        (platform.session(deep_link, &[INSTRUCTOR]).await, "Titel des Links"),
    ];
    let english = english_sentences();
    for ((session, cookie), german) in &pages {
        let text = text_in(&platform, session, cookie, None).await;
        assert!(is_in(&text, "de", "ltr") && text.contains(german), "{text}");
        for sentence in &english {
            assert!(!text.contains(sentence), "{sentence} in {text}");
        }
    }
    let ((session, cookie), _) = &pages[0];
    let long = "x".repeat(501);
    let wrong = platform.submit(session, "details", &[("phonetic", &long)], cookie).await;
    let text = wrong.text().await.unwrap();
    assert!(text.contains("Das ist zu lang."), "{text}");
}

#[tokio::test]
async fn a_refusal_is_in_the_language_that_the_browser_accepts() {
    let platform = Platform::new().await;
    for (path, title) in [
        ("/lti/launch", "Hier gibt es nichts zu öffnen"),
        ("/lti/s/x/", "Diese Seite ist geschlossen"),
        ("/lti/register", "Diese Einladung kann nicht verwendet werden"),
        ("/lti/login", "Hier gibt es nichts zu öffnen"),
    ] {
        let text = text_in(&platform, path, "", Some("de")).await;
        assert!(is_in(&text, "de", "ltr") && text.contains(&format!("<h1>{title}</h1>")), "{path}: {text}");
        let text = text_in(&platform, path, "", Some("ar")).await;
        assert!(is_in(&text, "ar", "rtl"), "{path}: {text}");
    }
}

/// A person of a learning system has no page to sign in.
#[tokio::test]
async fn the_recorder_says_where_to_go_when_the_session_is_over() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let text = text_in(&platform, &session, &cookie, None).await;
    let sentence = text.split("<p data-id=\"signed-out\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(sentence.contains("from your course") && !sentence.contains("sign in"), "{sentence}");
}
