//! `endonym sign-in-link`, the link of a demonstration, and the settings of signing in.

use serde_json::Value;

use super::keys;
use crate::support::process::{Installation, Serving};

fn client() -> reqwest::Client {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    client.build().unwrap()
}

/// Opens a link and presses the button. Returns the cookies of the response.
async fn follow(link: &str) -> Vec<String> {
    follow_to(link, "/me").await
}

async fn follow_to(link: &str, location: &str) -> Vec<String> {
    let page = client().get(link).send().await.unwrap();
    assert_eq!(page.status(), 200, "{link}");
    let cookie = page.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let body = page.text().await.unwrap();
    let csrf = body.split_once("name=\"csrf\" value=\"").unwrap().1.split('"').next().unwrap().to_owned();
    let request = client().post(link).header("cookie", cookie).body(format!("csrf={csrf}"));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 303);
    assert_eq!(answer.headers()["location"], location);
    answer.headers().get_all("set-cookie").iter().map(|line| line.to_str().unwrap().to_owned()).collect()
}

fn link_of_person(here: &Installation, serving: &Serving, more: &[&str]) -> Value {
    let words = ["sign-in-link", "--institution", "example", "ANA@example.edu", "--json", "--base-url"];
    here.json(&[&words[..], &[serving.base.as_str()], more].concat())
}

#[tokio::test]
async fn a_printed_link_signs_a_known_person_in_once() {
    let (here, _) = Installation::with_token().await;
    here.import("email,first_name\nana@example.edu,Ana\n");
    let serving = here.serve(&[]);
    let told = link_of_person(&here, &serving, &[]);
    assert_eq!(keys(&told), ["email", "expires_at", "institution", "link"]);
    let link = told["link"].as_str().unwrap();
    assert!(link.starts_with(&format!("{}/sign-in/link/", serving.base)));
    let cookies = follow(link).await;
    assert!(cookies.iter().any(|cookie| cookie.starts_with("endonym=")), "{cookies:?}");
    assert_eq!(client().get(link).send().await.unwrap().status(), 404);
    // Without --json, only the link.
    let words = ["sign-in-link", "--institution", "example", "ana@example.edu", "--hours", "1", "--base-url"];
    let line = here.succeed(&[&words[..], &[serving.base.as_str()]].concat());
    follow(line.trim()).await;
    let nobody = ["sign-in-link", "--institution", "example", "bea@example.edu"];
    assert!(here.refuse(&nobody).contains("nobody in `example` has the email bea@example.edu"));
    assert!(
        here.refuse(&["sign-in-link", "--institution", "no-such", "ana@example.edu"]).contains("no-such")
    );
    // The log names the route, and never a link.
    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    assert!(log.contains("/sign-in/link/{secret}"));
    assert!(!log.contains(link.rsplit('/').next().unwrap()));
}

#[tokio::test]
async fn a_demonstration_prints_links_to_the_console_and_to_a_persons_page() {
    let here = Installation::new().await;
    let serving = here.serve(&["--demo"]);
    let links = |greeting: &str| {
        let lines = greeting.lines().map(str::trim).filter(|line| line.contains("/sign-in/link/"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let [console, person] = &links(&serving.greeting)[..] else { panic!("{}", serving.greeting) };
    let cookies = follow_to(console, "/console/demo").await;
    let session = cookies.iter().find(|cookie| cookie.starts_with("endonym=")).unwrap();
    let request = client().get(format!("{}/console/demo", serving.base));
    let page = request.header("cookie", session.split(';').next().unwrap()).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    assert!(page.contains("/console/demo/members"), "the menu of an owner");
    assert!(page.contains("<figure class=\"chart coverage\">"), "the demonstration has a history");
    follow(person).await;
    // Nobody is signed in who was deleted, and that is no reason not to start.
    here.succeed(&["person", "delete", "siobhan@demo.example", "--institution", "demo", "--yes"]);
    assert_eq!(serving.stop().await, 0);
    assert_eq!(links(&here.serve(&["--demo"]).greeting).len(), 1);
}

#[tokio::test]
async fn the_operators_link_opens_the_console_of_the_installation() {
    let (here, _) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let words = ["sign-in-link", "--operator", "--base-url", serving.base.as_str()];
    let told = here.json(&[&words[..], &["--json"]].concat());
    assert_eq!(keys(&told), ["expires_at", "link"]);
    let cookies = follow_to(told["link"].as_str().unwrap(), "/console").await;
    assert!(cookies.iter().any(|cookie| cookie.starts_with("endonym-operator=")), "{cookies:?}");
    let line = here.succeed(&words);
    assert!(line.trim().starts_with(&format!("{}/operator/link/", serving.base)), "{line}");
    for wrong in [
        &["sign-in-link"][..],
        &["sign-in-link", "ana@example.edu"],
        &["sign-in-link", "--operator", "a@b.org"],
    ] {
        here.refuse(wrong);
    }
}

#[tokio::test]
async fn a_header_that_anyone_could_send_is_refused_at_the_start() {
    let here = Installation::new().await;
    let header = ["serve", "--listen", "127.0.0.1:0", "--proxy-auth-header", "X-Remote-User-Email"];
    let institution = ["--proxy-auth-institution", "example"];
    // Also on a loopback address: other programs of the machine connect from there.
    for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
        let refused = here.refuse(&[&["serve", "--listen", listen][..], &header[3..], &institution].concat());
        assert!(refused.contains("--proxy-auth-networks"), "{refused}");
    }
    assert!(here.refuse(&header).contains("--proxy-auth-institution"));
    let odd = [&header[..3], &["--proxy-auth-header", "X_Remote_User"], &institution].concat();
    assert!(here.refuse(&odd).contains("underscores"));
    let bad = here.refuse(&[&header[..], &institution, &["--proxy-auth-networks", "10.0.0.0/33"]].concat());
    assert!(bad.contains("10.0.0.0/33"), "{bad}");
    let networks = ["--proxy-auth-networks", "127.0.0.1/32"];
    let serving = here.serve(&[&header[3..], &institution, &networks].concat());
    let page = client().get(format!("{}/sign-in", serving.base)).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("/sign-in/proxy"));
}
