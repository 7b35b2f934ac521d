//! Pages of other sites call versions 3 and 2 from a real browser, with CORS preflights where required.

use axum::{Router, response::Html, routing::get};
use endonym::domain::media::Kind;
use serde_json::{Value, json};

use super::SOUND;
use crate::support::{World, browser::Browser};

/// A page of another site: `localhost` is another origin than our `127.0.0.1`.
async fn elsewhere() -> String {
    const PAGE: &str = "<!doctype html><html lang=\"en\"><title>A directory</title><main></main></html>";
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().route("/", get(async || Html(PAGE)));
    tokio::spawn(async { axum::serve(listener, router).await });
    format!("http://localhost:{port}/")
}

/// What a script of the page gets: status, exposed headers, and the body.
async fn fetched(browser: &Browser, address: &str, options: &Value) -> Value {
    browser
        .value(&format!(
            "window.answer = null, fetch({}, {options}).then(async (it) => {{ window.answer = {{ status: it.status, \
             left: it.headers.get('nc-rate-limit-remaining'), deprecation: it.headers.get('deprecation'), \
             link: it.headers.get('link'), body: await it.json() }} }}, (fault) => {{ window.answer = String(fault) }})",
            json!(address)
        ))
        .await;
    browser.until("window.answer").await;
    browser.value("window.answer").await
}

#[tokio::test]
async fn a_page_of_another_origin_calls_versions_3_and_2_and_plays_what_it_gets() {
    let world = World::on_sqlite().await;
    crate::v2::open(&world, &world.page).await;
    let ana = world.person("Ana", "ana@example.edu").await;
    world.give(&ana, Kind::Recording, SOUND).await;
    let (root, token, code) = (format!("{}/api/private", world.base), &world.token, &world.page.access_code);
    let browser = Browser::start().await;
    browser.go(&elsewhere().await).await;
    let form = json!({ "method": "POST", "body": format!("auth_token={token}&email_list=ana@example.edu"),
        "headers": { "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" } });
    let unusual = json!({ "headers": { "X-Requested-With": "XMLHttpRequest", "X-Anything": "1" } });
    let as_json = json!({ "method": "POST", "headers": { "Content-Type": "application/json" },
        "body": json!({ "auth_token": token, "email_list": ["ana@example.edu"] }).to_string() });
    let names = format!("{root}/v3/names?auth_token={token}&access_code={code}&email=ana@example.edu");
    for (address, options) in [
        (names.clone(), json!({})),
        (names.clone(), unusual.clone()),
        (format!("{root}/v3/name/?auth_token={token}&first_name=ana"), json!({})),
        (format!("{root}/v3/names/search"), form),
        (format!("{root}/v3/names/search/"), as_json),
        (format!("{root}/v2/names?access_code={code}"), json!({})),
        (format!("{root}/v2/names?access_code={code}&email=ana@example.edu"), unusual.clone()),
    ] {
        let answer = fetched(&browser, &address, &options).await;
        assert_eq!(answer["status"], 200, "{address} {options}: {answer}");
        assert_eq!(answer["body"]["data"][0]["email"], "ana@example.edu", "{address}");
        assert!(answer["left"].is_string() && answer["deprecation"] == "@1767225600", "{address}: {answer}");
        assert!(answer["link"].as_str().unwrap().contains("successor-version"), "{address}: {answer}");
    }
    // Errors are readable too, including those of a preflight.
    for (address, options, status) in [
        (format!("{root}/v3/names?access_code={code}"), json!({}), 401),
        (format!("{root}/v3/names?auth_token={token}"), unusual.clone(), 422),
        (format!("{root}/v3/nothing"), unusual.clone(), 404),
        (format!("{root}/v2/names?access_code=nothing"), json!({}), 404),
        (format!("{root}/v2/names"), json!({ "method": "POST" }), 405),
    ] {
        let answer = fetched(&browser, &address, &options).await;
        assert_eq!(
            (&answer["status"], &answer["body"]["result"]),
            (&json!(status), &json!("error")),
            "{address}: {answer}"
        );
    }
    // Like `$.getJSON`, and then the page's own use of the result.
    let script = format!(
        "(() => {{ const it = new XMLHttpRequest(); it.open('GET', {}); it.setRequestHeader('Accept', \
         'application/json, text/javascript, */*; q=0.01'); it.onload = () => {{ document.querySelector('main').innerHTML = \
         JSON.parse(it.responseText).data[0].embed_image }}; it.send() }})()",
        json!(names)
    );
    browser.value(&script).await;
    browser.until("document.querySelector('main a')").await;
    browser.click("main a").await;
    browser
        .until("!document.querySelector('audio').paused && document.querySelector('audio').currentTime > 0.2")
        .await;
    // Versions 5 and 4 stay closed to origins that are not listed.
    let closed = fetched(
        &browser,
        &format!("{root}/v5/participants"),
        &json!({ "headers": { "Authorization": token } }),
    )
    .await;
    assert!(closed.as_str().is_some_and(|fault| fault.contains("TypeError")), "{closed}");
}
