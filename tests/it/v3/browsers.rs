//! Versions 3 and 2: pages of every origin may call them, and every response names the successor.

use reqwest::{Method, StatusCode};

use crate::support::{Answer, World};

/// Every path, and some unknown ones, with successful and failing requests.
fn calls(world: &World) -> Vec<(Method, String, u16)> {
    let (code, token) = (&world.page.access_code, &world.token);
    let auth = format!("auth_token={token}");
    let read = |path: String, status| (Method::GET, path, status);
    vec![
        read(format!("/v3/names?{auth}&access_code={code}"), 200),
        read(format!("/v3/name?{auth}&email=ana@x.org"), 200),
        (Method::POST, format!("/v3/names/search?{auth}&email_list=ana@x.org"), 200),
        (Method::HEAD, format!("/v3/names?{auth}&access_code={code}"), 200),
        read(format!("/v2/names?access_code={code}"), 200),
        read("/v3/openapi.json".to_owned(), 200),
        read("/v2/openapi.json".to_owned(), 200),
        read("/v3/names".to_owned(), 401),
        read(format!("/v3/names?{auth}"), 422),
        read(format!("/v3/names?{auth}&access_code=nothing"), 404),
        (Method::PUT, "/v3/names".to_owned(), 405),
        read("/v3/nothing".to_owned(), 404),
        read("/v2/names".to_owned(), 422),
        read("/v2/names?access_code=nothing".to_owned(), 404),
        (Method::POST, "/v2/names".to_owned(), 405),
        read("/v2".to_owned(), 404),
    ]
}

async fn open_world() -> World {
    let world = World::new().await;
    super::super::v2::open(&world, &world.page).await;
    world.person("Ana", "ana@x.org").await;
    world
}

#[tokio::test]
async fn any_page_may_read_every_answer_with_its_headers() {
    let world = open_world().await;
    for (method, path, status) in calls(&world) {
        let request =
            world.request_without_token(method.clone(), &path).header("Origin", "https://any.example");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{method} {path}");
        let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap());
        assert_eq!(header("content-type"), "application/json; charset=utf-8", "{method} {path}");
        assert_eq!(header("access-control-allow-origin"), "*", "{method} {path}");
        let exposed = header("access-control-expose-headers").to_lowercase();
        for name in [
            "nc-rate-limit-limit",
            "nc-rate-limit-remaining",
            "nc-rate-limit-reset",
            "retry-after",
            "deprecation",
            "link",
        ] {
            assert!(exposed.split(", ").any(|one| one == name), "{method} {path}: {exposed}");
        }
    }
}

#[tokio::test]
async fn a_preflight_is_answered_on_every_path() {
    let world = open_world().await;
    for (method, path, _) in calls(&world) {
        let request = world
            .request_without_token(Method::OPTIONS, &path)
            .header("Origin", "null")
            .header("Access-Control-Request-Method", method.as_str())
            .header("Access-Control-Request-Headers", "content-type,x-anything");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NO_CONTENT, "{path}");
        let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().unwrap());
        assert_eq!(header("access-control-allow-origin"), "*", "{path}");
        assert!(header("access-control-allow-methods").contains("GET, HEAD, POST"), "{path}");
        let allowed = header("access-control-allow-headers").to_lowercase();
        assert!(allowed.starts_with('*') && allowed.contains("content-type"), "{path}: {allowed}");
        assert!(header("access-control-max-age").parse::<u32>().is_ok(), "{path}");
        assert_eq!(header("deprecation"), "@1767225600", "{path}");
    }
}

#[tokio::test]
async fn every_answer_says_since_when_there_are_newer_versions_and_where() {
    let world = open_world().await;
    for (method, path, status) in calls(&world) {
        let answer = world.request_without_token(method.clone(), &path).send().await.unwrap();
        assert_eq!(answer.status(), status, "{method} {path}");
        assert_eq!(answer.headers()["deprecation"], "@1767225600", "{method} {path}");
        let links: Vec<&str> =
            answer.headers().get_all("link").iter().map(|it| it.to_str().unwrap()).collect();
        let docs = format!("<{}/docs/{}>; rel=\"deprecation\"; type=\"text/html\"", world.base, &path[1..3]);
        assert_eq!(links.len(), 2, "{method} {path}: {links:?}");
        assert_eq!(links[1], docs, "{method} {path}");
        assert!(links[0].ends_with(">; rel=\"successor-version\""), "{method} {path}: {links:?}");
        let successor = links[0][1..].split('>').next().unwrap();
        assert!(successor.starts_with(&format!("{}/api/private/v", world.base)), "{successor}");
        if path.ends_with(".json") {
            assert!(successor.ends_with("/v5/openapi.json"), "{successor}");
            continue;
        }
        // The successor exists and covers the same.
        let next = world.client.get(format!("{successor}?email_list=ana@x.org"));
        let found = next.header("Authorization", &world.token).send().await.unwrap();
        assert_eq!(found.status(), 200, "{successor}");
        assert!(found.text().await.unwrap().contains("ana@x.org"), "{successor}");
    }
}

#[tokio::test]
async fn a_page_is_followed_by_version_4s_list_of_it_and_an_institution_by_version_5s() {
    let world = open_world().await;
    let successor = async |path: &str| {
        let answer = Answer::of(world.request_without_token(Method::GET, path)).await;
        let link = answer.header("link").to_owned();
        link.split_once("/api/private").unwrap().1.split('>').next().unwrap().to_owned()
    };
    let auth = format!("auth_token={}", world.token);
    let page = format!("/v4/name_pages/{}/participants", world.page.slug);
    assert_eq!(successor(&format!("/v3/names?{auth}&access_code={}", world.page.slug)).await, page);
    let code = world.page.access_code.to_lowercase();
    let by_code = format!("/v4/name_pages/{code}/participants");
    assert_eq!(successor(&format!("/v2/names?access_code={code}")).await, by_code);
    let everywhere = &world.institution.access_code;
    assert_eq!(successor(&format!("/v3/names?{auth}&access_code={everywhere}")).await, "/v5/participants");
    assert_eq!(successor(&format!("/v2/names?access_code={everywhere}")).await, "/v5/participants");
    assert_eq!(successor(&format!("/v3/name?{auth}&email=ana@x.org")).await, "/v5/participants");
    assert_eq!(
        successor(&format!("/v3/names/search?{auth}&email_list=a@x.org")).await,
        "/v5/participants/search"
    );
}
