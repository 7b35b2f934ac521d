//! Versions 5 and 4: the request formats of deployed clients.

use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use super::{JULY, every_endpoint, meta, people};
use crate::support::{Answer, World, emails};

fn sorted(list: &Value) -> Vec<&str> {
    let mut all = emails(list);
    all.sort_unstable();
    all
}

/// The same path with something between path and query.
fn with(path: &str, slash: &str, more: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query = [query, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("&");
    if query.is_empty() { format!("{path}{slash}") } else { format!("{path}{slash}?{query}") }
}

#[tokio::test]
async fn one_trailing_slash_is_ignored_on_every_path() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for call in every_endpoint(&world) {
        let path = with(&call.path, "/", "");
        let answer = Answer::of(call.send(world.request(call.method.clone(), &path))).await;
        assert_eq!(answer.status, call.status, "{call}: {}", answer.body);
    }
}

#[tokio::test]
async fn two_trailing_slashes_are_another_path() {
    let world = World::new().await;
    for path in ["/v5/participants//", "/v4/participants//", "/v4/participants/search//"] {
        world.raw(&format!("GET {path}"), &[]).await.expect(404);
    }
}

#[tokio::test]
async fn unknown_parameters_are_ignored_on_every_path() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for call in every_endpoint(&world) {
        let path = with(&call.path, "", "format=json&digest=abc&x[y][]=%00&&=&%FF=%FF&utf8=%E2%9C%93");
        let answer = Answer::of(call.send(world.request(call.method.clone(), &path))).await;
        assert_eq!(answer.status, call.status, "{call}: {}", answer.body);
    }
}

#[tokio::test]
async fn raw_signs_may_stand_in_a_query() {
    let world = World::new().await;
    world.person("Ana", "ana+roll@x.org").await;
    world.person("Tick", "`tick`@x.org").await;
    world
        .person_on(
            &world.page,
            json!({ "first_name": "Id", "email": "id@x.org", "institution_id": "A[1]@b" }),
        )
        .await;
    for (version, list) in [("/v5", "/Response/participants"), ("/v4", "/participants")] {
        for (query, wanted) in [
            ("email_list=ana+roll@x.org,id@x.org", vec!["ana+roll@x.org", "id@x.org"]),
            ("email_list[]=ana%2Broll@x.org&email_list[]=id@x.org", vec!["ana+roll@x.org", "id@x.org"]),
            ("email_list[0]=id@x.org", vec!["id@x.org"]),
            ("email_list=[id@x.org]", vec!["id@x.org"]),
            ("email_list=`id@x.org`", vec!["id@x.org"]),
            ("email_list=[%22id@x.org%22,'ana+roll@x.org']", vec!["ana+roll@x.org", "id@x.org"]),
            ("institution_id_list=A[1]@b", vec!["id@x.org"]),
        ] {
            let body = world.raw(&format!("GET {version}/participants?{query}"), &[]).await.expect(200);
            assert_eq!(sorted(body.pointer(list).unwrap()), wanted, "{version} {query}");
        }
    }
}

#[tokio::test]
async fn raw_signs_may_stand_in_a_path() {
    let world = World::new().await;
    for (email, id) in [("ana+roll@x.org", "A[1],b@c"), ("`tick`@x.org", "`B`"), ("o'brien@x.org", "+")] {
        world
            .person_on(&world.page, json!({ "first_name": "X", "email": email, "institution_id": id }))
            .await;
    }
    for (given, wanted) in [
        ("ana+roll@x.org", "ana+roll@x.org"),
        ("A[1],b@c", "ana+roll@x.org"),
        ("`tick`@x.org", "`tick`@x.org"),
        ("`tick`@x.org?email_list=`&include=`x`", "`tick`@x.org"),
        ("`B`/", "`tick`@x.org"),
        ("%60B%60", "`tick`@x.org"),
        ("o'brien@x.org", "o'brien@x.org"),
        ("+", "o'brien@x.org"),
    ] {
        let body = world.raw(&format!("GET /v4/participants/{given}"), &[]).await.expect(200);
        assert_eq!(body["participant"]["email"], wanted, "{given}");
        let path = format!("/v4/name_pages/{}/participants/{given}", world.page.slug);
        let body = world.raw(&format!("GET {path}"), &[]).await.expect(200);
        assert_eq!(body["participant"]["email"], wanted, "{given}");
    }
}

#[tokio::test]
async fn a_quote_in_a_path_is_a_quote() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "X", "email": "x@x.org", "institution_id": "5\"a" }))
        .await;
    let body = world.raw("GET /v4/participants/5%22a", &[]).await.expect(200);
    assert_eq!(body["participant"]["email"], "x@x.org");
}

#[tokio::test]
async fn a_raw_backtick_may_stand_in_the_second_request_of_a_connection() {
    let world = World::new().await;
    world.person("Tick", "`tick`@x.org").await;
    let stream = TcpStream::connect(world.base.trim_start_matches("http://")).await.unwrap();
    let mut stream = BufReader::new(stream);
    let body = "{\"email_list\":\n[\"`\", \"?\"]}\n\n";
    let first = format!(
        "POST /api/private/v4/participants/search HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nContent-Length: {}\r\n\r\n{body}",
        world.token,
        body.len()
    );
    let second = format!(
        "GET /api/private/v4/participants/`tick`@x.org HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n",
        world.token
    );
    for request in [&first, &second, &second] {
        stream.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(read_status(&mut stream).await, 200);
    }
}

/// Reads one response with a Content-Length to its end.
async fn read_status(stream: &mut BufReader<TcpStream>) -> u16 {
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
            status = rest[..3].parse().unwrap();
        } else if let Some(rest) = line.strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap();
        } else if line.trim().is_empty() {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.unwrap();
            return status;
        }
    }
}

#[tokio::test]
async fn a_plus_in_a_query_may_have_meant_a_plus_in_an_email() {
    let world = World::new().await;
    world.person("Ana", "ana+roll@x.org").await;
    for path in [
        "/v5/participants?email_list=ana+roll@x.org",
        "/v5/participants?email_list=ana%20roll@x.org",
        "/v5/participants?email_list=ana%2Broll@x.org",
        "/v5/participants/search?email_list=+ana+roll@x.org+",
    ] {
        let body = world.get(path).await.expect(200);
        assert_eq!(emails(people(&body)), ["ana+roll@x.org"], "{path}");
    }
    let body = world.get("/v5/participants?email_list[]=ANA+Roll@x.org").await.expect(200);
    assert_eq!(emails(people(&body)), ["ANA+Roll@x.org"]);
    for path in
        ["/v5/participants/latest?tokens=ana+roll@x.org", "/v5/participants/latest?tokens[]=ana+roll@x.org,x"]
    {
        let body = world.get(path).await.expect(200);
        assert_eq!(emails(&body["participants"]), ["ana+roll@x.org"], "{path}");
    }
    let body = world.get("/v4/participants/latest?token=ana+roll@x.org").await.expect(200);
    assert_eq!(body["participant"]["email"], "ana+roll@x.org");
}

#[tokio::test]
async fn a_blank_in_an_identifier_stays_a_blank() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "X", "email": "x@x.org", "institution_id": "A 1" }))
        .await;
    world
        .person_on(&world.page, json!({ "first_name": "Y", "email": "y@x.org", "institution_id": "A+1" }))
        .await;
    for (query, wanted) in [("A+1", "x@x.org"), ("A%201", "x@x.org"), ("A%2B1", "y@x.org")] {
        let body = world.get(&format!("/v5/participants?institution_id_list={query}")).await.expect(200);
        assert_eq!(emails(people(&body)), [wanted], "{query}");
        let body = world.get(&format!("/v4/participants/latest?token={query}")).await.expect(200);
        assert_eq!(body["participant"]["email"], wanted, "{query}");
    }
}

#[tokio::test]
async fn json_says_what_it_means_so_a_blank_in_it_is_no_plus() {
    let world = World::new().await;
    world.person("Ana", "ana+roll@x.org").await;
    let body =
        world.post("/v5/participants/search", json!({ "email_list": ["ana roll@x.org"] })).await.expect(200);
    assert_eq!(people(&body), &json!([]));
}

#[tokio::test]
async fn a_blank_where_the_sign_of_an_offset_belongs_is_a_plus() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    world.changed_at("p0@x.org", JULY).await;
    for (query, found) in [
        ("updated_before=2026-07-01T14:00:01+02:00", 1),
        ("updated_before=2026-07-01T14:00:00+02:00", 0),
        ("updated_after=2026-07-01T13:59:59.999+0200", 1),
        ("updated_after=2026-07-01T14:00:00%2B02:00", 0),
    ] {
        for path in [
            format!("/v5/participants?{query}"),
            format!("/v5/participants/search?email_list=p0@x.org&{query}"),
        ] {
            let body = world.raw(&format!("GET {path}"), &[]).await.expect(200);
            assert_eq!(meta(&body)["total_count"], found, "{path}");
        }
    }
}

#[tokio::test]
async fn one_get_may_carry_a_thousand_emails() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let long = |n: usize| format!("somebody.with-a.rather-long-address.{n:04}@students.example.edu");
    let mut asked: Vec<String> = (0..997).map(long).collect();
    asked.extend(["p0@x.org", "p1@x.org", "p2@x.org"].map(str::to_owned));
    let query = format!("email_list={}", asked.join(","));
    assert!(query.len() > 55_000);
    let body = world.raw(&format!("GET /v5/participants?{query}"), &[]).await.expect(200);
    assert_eq!(sorted(people(&body)), ["p0@x.org", "p1@x.org", "p2@x.org"]);
    let body = world.raw(&format!("GET /v4/participants?{query}"), &[]).await.expect(200);
    assert_eq!(sorted(&body["participants"]), ["p0@x.org", "p1@x.org", "p2@x.org"]);
}

#[tokio::test]
async fn a_request_line_of_almost_64_kb_is_read() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let start = "GET /v5/participants?email_list=p0@x.org&x=";
    let fill = "x".repeat(65_000 - start.len());
    let body = world.raw(&format!("{start}{fill}"), &[]).await.expect(200);
    assert_eq!(emails(people(&body)), ["p0@x.org"]);
}

#[tokio::test]
async fn a_request_line_that_is_too_long_gets_414_with_a_message_and_no_reset() {
    let world = World::new().await;
    for length in [66_000, 130_000, 200_000, 1_000_000, 8_000_000] {
        for path in ["/v5/participants?email_list=", "/v4/participants/"] {
            let answer = world.raw(&format!("GET {path}{}", "x".repeat(length)), &[]).await;
            assert_eq!(answer.status, 414, "{path} {length}");
            assert!(answer.body["message"].as_str().unwrap().starts_with("URI Too Long"), "{}", answer.body);
        }
    }
}

#[tokio::test]
async fn the_content_type_of_a_get_never_matters() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for kind in [
        "application/json",
        "application/xml",
        "application/x-www-form-urlencoded",
        "nonsense",
        "multipart/form-data",
    ] {
        for call in every_endpoint(&world).into_iter().filter(|call| call.method == Method::GET) {
            let request = world.request(Method::GET, &call.path).header("Content-Type", kind);
            assert_eq!(Answer::of(request).await.status, 200, "{call} as {kind}");
        }
    }
}

#[tokio::test]
async fn a_post_with_content_length_0_and_no_type_has_its_parameters_in_the_query() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    for lines in [&["Content-Length: 0"][..], &[]] {
        let body =
            world.raw("POST /v5/participants/search?email_list=p1@x.org&page=1", lines).await.expect(200);
        assert_eq!(emails(people(&body)), ["p1@x.org"]);
        let body =
            world.raw("POST /v4/participants/search?institution_id_list[]=I2", lines).await.expect(200);
        assert_eq!(emails(&body["participants"]), ["p2@x.org"]);
        let query = "identifiers[0][email]=p0@x.org";
        let body = world.raw(&format!("POST /v5/pronunciations/search?{query}"), lines).await.expect(200);
        assert_eq!(emails(&body["Response"]["pronunciations"]), ["p0@x.org"]);
    }
}

#[tokio::test]
async fn json_is_read_under_every_content_type_and_under_none() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    let text = json!({ "email_list": ["p1@x.org"] }).to_string();
    for kind in ["application/json", "application/json; charset=UTF-8", "text/plain", ""] {
        let request = world.request(Method::POST, "/v5/participants/search").header("Content-Type", kind);
        let body = Answer::of(request.body(text.clone())).await.expect(200);
        assert_eq!(emails(people(&body)), ["p1@x.org"], "{kind}");
    }
    let untyped =
        Answer::of(world.request(Method::POST, "/v4/participants/search").body(text)).await.expect(200);
    assert_eq!(emails(&untyped["participants"]), ["p1@x.org"]);
}

#[tokio::test]
async fn zero_bytes_and_broken_text_in_an_address_find_nobody_and_break_nothing() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    let page = &world.page.slug;
    for path in [
        "/v4/participants/%00".to_owned(),
        "/v4/participants/p0@x.org%00".to_owned(),
        "/v4/participants/%FF%FE".to_owned(),
        "/v4/participants/latest?token=%00".to_owned(),
        "/v4/participants/latest?token=a%00b".to_owned(),
        "/v4/name_pages/%00/participants".to_owned(),
        "/v4/name_pages/a%00b/participants/p0@x.org".to_owned(),
        format!("/v4/name_pages/{page}/participants/%00"),
        "/v4/name_pages/%FF/participants".to_owned(),
    ] {
        let answer = world.get(&path).await;
        assert!(matches!(answer.status.as_u16(), 404 | 422), "{path}: {} {}", answer.status, answer.body);
    }
    for path in [
        "/v5/participants/latest?tokens=I0,%00",
        "/v5/participants/latest?tokens=I0,a%00b,%FF",
        "/v5/participants?email_list=p0@x.org,%00@x.org&include=%00",
        "/v5/participants/search?institution_id_list=I0,%00,a%00",
    ] {
        let answer = world.get(path).await.expect(200);
        let list = if answer["Response"].is_null() { &answer["participants"] } else { people(&answer) };
        assert_eq!(emails(list), ["p0@x.org"], "{path}");
    }
}
