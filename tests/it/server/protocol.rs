//! HTTP as spoken by all kinds of clients.

use reqwest::Method;
use serde_json::json;

use super::{Wire, person, request};
use crate::support::World;

const LIST: &str = "GET /api/private/v5/participants HTTP/1.1";
const CREATE: &str = "POST /api/private/v5/participants HTTP/1.1";

#[tokio::test]
async fn a_connection_is_kept_for_the_next_request() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    for i in 0..3 {
        let body = person(&world, &format!("p{i}@example.edu"));
        wire.send(request(&world, CREATE, &[&format!("Content-Length: {}", body.len())])).await;
        wire.send(body).await;
        assert_eq!(wire.reply().await.status, 201);
        wire.send(request(&world, LIST, &[])).await;
        let reply = wire.reply().await;
        assert_eq!(
            (reply.status, reply.json()["Response"]["meta"]["total_count"].as_u64()),
            (200, Some(i + 1))
        );
    }
    wire.send(request(&world, LIST, &["Connection: close"])).await;
    let last = wire.reply().await;
    assert_eq!(last.header("connection"), Some("close"));
    assert!(wire.is_closed().await);
}

#[tokio::test]
async fn a_refusal_keeps_the_connection_too() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    let body = person(&world, "ana@example.edu");
    let head =
        format!("{CREATE}\r\nHost: x\r\nAuthorization: wrong\r\nContent-Length: {}\r\n\r\n", body.len());
    wire.send(head).await;
    wire.send(&body).await;
    assert_eq!(wire.reply().await.refuses(401), "Not Authorized");
    wire.send("GET /api/private/v5/nowhere HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(wire.reply().await.refuses(404), format!("No such endpoint: see {}/docs/v5", world.base));
    wire.send(format!(
        "PATCH /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
    .await;
    wire.reply().await.refuses(405);
    wire.send(request(&world, LIST, &[])).await;
    assert_eq!(wire.reply().await.status, 200);
}

#[tokio::test]
async fn requests_that_come_together_are_answered_in_order() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let mut wire = Wire::to(&world).await;
    let body = person(&world, "bea@example.edu");
    let create = request(&world, CREATE, &[&format!("Content-Length: {}", body.len())]);
    let whole = [
        request(&world, LIST, &["X-Request-Id: one"]),
        create,
        body,
        request(
            &world,
            "GET /api/private/v4/participants/bea@example.edu HTTP/1.1",
            &["X-Request-Id: three"],
        ),
        request(&world, "HEAD /api/private/v5/participants HTTP/1.1", &["X-Request-Id: four"]),
        request(&world, LIST, &["X-Request-Id: five"]),
    ]
    .concat();
    wire.send(whole).await;
    let one = wire.reply().await;
    assert_eq!((one.status, one.header("x-request-id")), (200, Some("one")));
    assert_eq!(wire.reply().await.status, 201);
    let three = wire.reply().await;
    assert_eq!((three.status, three.header("x-request-id")), (200, Some("three")));
    let four = wire.reply_to("HEAD").await.unwrap();
    assert_eq!((four.status, four.header("x-request-id")), (200, Some("four")));
    let five = wire.reply().await;
    assert_eq!(five.header("x-request-id"), Some("five"));
    assert_eq!(five.json()["Response"]["meta"]["total_count"], 2);
}

/// Deployed clients send backticks in paths (D2), and the server must find them however the bytes are split.
#[tokio::test]
async fn a_backtick_in_a_path_is_found_however_the_bytes_come() {
    let world = World::on_sqlite().await;
    world.person("Ana", "`ana`@example.edu").await;
    let ask = request(&world, "GET /api/private/v4/participants/`ana`@example.edu HTTP/1.1", &[]);
    let mut wire = Wire::to(&world).await;
    wire.send(&ask).await;
    assert_eq!(wire.reply().await.status, 200);
    wire.send(&ask).await;
    assert_eq!(wire.reply().await.status, 200, "on a kept connection");
    for part in ask.as_bytes().chunks(7) {
        wire.send(part).await;
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    assert_eq!(wire.reply().await.status, 200, "in small parts");
    let body = "{\"a\":\"`\n`\"}";
    let with_body = format!("Content-Length: {}", body.len());
    let get = request(&world, "GET /api/private/v4/participants/`ana`@example.edu HTTP/1.1", &[&with_body]);
    let mut wire = Wire::to(&world).await;
    wire.send(get + body).await;
    assert_eq!(wire.reply().await.status, 200);
    wire.send(&ask).await;
    assert_eq!(wire.reply().await.status, 200, "behind a body that nobody read");
}

/// The replacement in paths must not affect bodies.
#[tokio::test]
async fn backticks_and_quotes_in_a_body_stay_as_they_are() {
    let world = World::on_sqlite().await;
    let notes = "`tick` \"quote\" ? `more`\n`line`";
    let participant = json!({ "first_name": "`A`", "email": "ana@example.edu", "notes": notes });
    let body = json!({ "name_page_id": world.page.slug, "participant": participant }).to_string();
    let length = format!("Content-Length: {}", body.len());
    let mut wire = Wire::to(&world).await;
    wire.send(request(&world, LIST, &[])).await;
    assert_eq!(wire.reply().await.status, 200);
    wire.send(request(&world, CREATE, &[&length])).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    wire.send(body).await;
    let made = wire.reply().await.json()["participant"].clone();
    assert_eq!((&made["notes"], &made["first_name"]), (&json!(notes), &json!("`A`")));
}

#[tokio::test]
async fn http_1_0() {
    let world = World::on_sqlite().await;
    let ask = format!("GET /api/private/v5/participants HTTP/1.0\r\nAuthorization: {}\r\n", world.token);
    let mut wire = Wire::to(&world).await;
    wire.send(format!("{ask}\r\n")).await;
    let reply = wire.reply().await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["Response"]["participants"], json!([]));
    assert!(wire.is_closed().await, "there, a connection is for one request");
    let mut wire = Wire::to(&world).await;
    for _ in 0..2 {
        wire.send(format!("{ask}Connection: keep-alive\r\n\r\n")).await;
        assert_eq!(wire.reply().await.status, 200, "unless the client asks to keep it");
    }
}

/// HTTP/1.0 clients do not understand chunks: a long response ends with the connection.
#[tokio::test]
async fn a_long_answer_over_http_1_0_has_no_chunks() {
    let world = World::on_sqlite().await;
    world.crowd_with_notes(&world.page, 0..1_200, &"n".repeat(50)).await;
    let mut wire = Wire::to(&world).await;
    let line = "GET /api/private/v5/participants?updated_after=2020-01-01T00:00:00Z HTTP/1.0";
    wire.send(request(&world, line, &[])).await;
    let head = wire.head().await.unwrap();
    assert!(!head.to_lowercase().contains("chunked"), "{head}");
    while wire.more().await {}
    let answer: serde_json::Value = serde_json::from_slice(&wire.rest).unwrap();
    assert_eq!(answer["Response"]["participants"].as_array().unwrap().len(), 1_200);
}

#[tokio::test]
async fn bodies_in_chunks() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    wire.send(request(&world, CREATE, &["Transfer-Encoding: chunked"])).await;
    for part in person(&world, "ana@example.edu").as_bytes().chunks(10) {
        wire.send(format!("{:x}\r\n", part.len())).await;
        wire.send(part).await;
        wire.send("\r\n").await;
    }
    wire.send("0\r\n\r\n").await;
    assert_eq!(wire.reply().await.status, 201);
    wire.send(request(&world, LIST, &[])).await;
    assert_eq!(wire.reply().await.status, 200, "the connection lives on");
    wire.send(request(&world, CREATE, &["Transfer-Encoding: chunked"])).await;
    wire.send("nonsense\r\n").await;
    wire.reply().await.refuses(400);
}

#[tokio::test]
async fn a_client_that_waits_to_be_asked_for_its_body_is_asked() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    let body = person(&world, "ana@example.edu");
    let length = format!("Content-Length: {}", body.len());
    wire.send(request(&world, CREATE, &[&length, "Expect: 100-continue"])).await;
    assert_eq!(wire.reply().await.status, 100);
    wire.send(body).await;
    assert_eq!(wire.reply().await.status, 201);
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let mut wire = Wire::to(&world).await;
    for path in
        ["/api/private/v5/participants", "/api/private/v4/participants/ana@example.edu", "/", "/healthz"]
    {
        wire.send(request(&world, &format!("GET {path} HTTP/1.1"), &[])).await;
        let get = wire.reply().await;
        wire.send(request(&world, &format!("HEAD {path} HTTP/1.1"), &[])).await;
        let head = wire.reply_to("HEAD").await.unwrap();
        assert_eq!(head.status, get.status, "{path}");
        for name in ["content-type", "content-length"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {path}");
        }
    }
    wire.send("HEAD /api/private/v5/nowhere HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(wire.reply_to("HEAD").await.unwrap().status, 404);
    wire.send(request(&world, LIST, &[])).await;
    assert_eq!(wire.reply().await.status, 200, "nothing was left lying on the wire");
}

#[tokio::test]
async fn what_is_too_large_for_a_head_is_said_in_json() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    let long = format!("X-Long: {}", "x".repeat(300_000));
    // The server may close the connection before all of this is sent, but its response must be readable.
    let _ = tokio::io::AsyncWriteExt::write_all(&mut wire.stream, request(&world, LIST, &[&long]).as_bytes())
        .await;
    wire.reply().await.refuses(431);
    assert!(wire.is_closed().await);
    let mut wire = Wire::to(&world).await;
    let many: Vec<String> = (0..500).map(|i| format!("X-{i}: x")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    wire.send(request(&world, LIST, &many)).await;
    wire.reply().await.refuses(431);
    let mut wire = Wire::to(&world).await;
    let line = format!("GET /api/private/v5/participants?email_list={} HTTP/1.1", "a@b.c,".repeat(20_000));
    let _ =
        tokio::io::AsyncWriteExt::write_all(&mut wire.stream, request(&world, &line, &[]).as_bytes()).await;
    assert!(wire.reply().await.refuses(414).contains("POST"));
}

/// 1,000 emails in one GET, and about 64 KB in total (D3).
#[tokio::test]
async fn a_long_request_line_is_read() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let mut wire = Wire::to(&world).await;
    let mut emails: Vec<String> =
        (0..1_000).map(|i| format!("somebody.with.a.long.name.{i:04}@students.example.edu")).collect();
    emails.push("ana@example.edu".to_owned());
    let line = format!("GET /api/private/v5/participants?email_list={} HTTP/1.1", emails.join(","));
    assert!(line.len() > 50_000 && line.len() < 65_000);
    wire.send(request(&world, &line, &[])).await;
    assert_eq!(wire.reply().await.json()["Response"]["participants"][0]["email"], "ana@example.edu");
}

#[tokio::test]
async fn what_is_no_http_is_refused_and_hurts_nobody() {
    let world = World::on_sqlite().await;
    for nonsense in [
        "nonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nX: \0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "\u{1}\u{2}\u{3}\r\n\r\n",
    ] {
        let mut wire = Wire::to(&world).await;
        wire.send(nonsense).await;
        assert_eq!(wire.reply().await.refuses(400), "Bad Request", "{nonsense:?}");
        assert!(wire.is_closed().await, "{nonsense:?}");
    }
    // TLS on a plain HTTP port.
    let mut wire = Wire::to(&world).await;
    wire.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").await;
    wire.reply().await.refuses(400);
    world.get("/v5/participants").await.expect(200);
}

/// Unusual forms of the request target must neither panic nor hang.
#[tokio::test]
async fn rare_request_targets() {
    let world = World::on_sqlite().await;
    for (line, status) in [
        ("GET http://elsewhere.example/api/private/v5/participants HTTP/1.1", 200),
        ("GET http://elsewhere.example/api/private/v5/participants/ HTTP/1.1", 200),
        ("GET http://elsewhere.example HTTP/1.1", 200),
        ("GET //api/private/v5/participants HTTP/1.1", 404),
        ("GET /api/private/v4/participants/%ff%fe HTTP/1.1", 404),
        ("GET /api/private/v4/participants/%zz HTTP/1.1", 404),
        ("GET /players/1/%00 HTTP/1.1", 404),
        ("GET /players/99999999999999999999/x HTTP/1.1", 404),
    ] {
        let mut wire = Wire::to(&world).await;
        wire.send(request(&world, line, &[])).await;
        assert_eq!(wire.reply().await.status, status, "{line}");
    }
    // PostgreSQL cannot store this character, so nobody can have it.
    let mut faults = Vec::new();
    for target in [
        "v4/participants/%00",
        "v4/participants/a%00b@example.edu",
        "v4/name_pages/%00/participants",
        "v4/participants/latest?token=a%00b@example.edu",
        "v5/participants/latest?tokens=a%00b@example.edu,%00",
        "v5/participants?email_list=a%00b@example.edu&institution_id_list=%00",
        "v5/participants/search?institution_id_list=x%00",
    ] {
        let mut wire = Wire::to(&world).await;
        wire.send(request(&world, &format!("GET /api/private/{target} HTTP/1.1"), &[])).await;
        let reply = wire.reply().await;
        let finds = String::from_utf8_lossy(&reply.body).contains("\"email\":\"");
        if reply.status >= 500 || finds {
            faults.push(format!("{target}: {}", reply.status));
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
    for line in [
        "OPTIONS * HTTP/1.1",
        "CONNECT elsewhere.example:443 HTTP/1.1",
        "TRACE / HTTP/1.1",
        "BREW / HTTP/1.1",
    ] {
        let mut wire = Wire::to(&world).await;
        wire.send(request(&world, line, &["Connection: close"])).await;
        let reply = wire.reply().await;
        assert!((400..500).contains(&reply.status), "{line}: {}", reply.head);
    }
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    let mut seen = std::collections::HashSet::new();
    for line in [
        "GET / HTTP/1.1",
        "GET /healthz HTTP/1.1",
        "GET /api/nowhere HTTP/1.1",
        LIST,
        "OPTIONS /api/private/v5/participants HTTP/1.1",
        "DELETE / HTTP/1.1",
    ] {
        wire.send(request(&world, line, &[])).await;
        let reply = wire.reply().await;
        assert!(seen.insert(reply.header("x-request-id").unwrap().to_owned()), "{line}");
    }
    // A request id from a proxy is kept, unless it could corrupt a log.
    wire.send(request(&world, LIST, &["X-Request-Id: abc-123_x.y"])).await;
    assert_eq!(wire.reply().await.header("x-request-id"), Some("abc-123_x.y"));
    for odd in ["a b", "ana@example.edu", "{\"a\":1}", &"x".repeat(65), ""] {
        wire.send(request(&world, LIST, &[&format!("X-Request-Id: {odd}")])).await;
        let reply = wire.reply().await;
        let id = reply.header("x-request-id").unwrap();
        assert!(id != odd && !id.is_empty(), "{odd}");
    }
}

/// RFC 9112, section 3.2.
#[tokio::test]
async fn a_request_has_exactly_one_host() {
    let world = World::on_sqlite().await;
    let token = &world.token;
    for (path, is_legacy) in [
        ("/api/private/v5/participants", false),
        ("/api/private/v3/names", true),
        ("/", false),
        ("/audio/x", false),
    ] {
        for hosts in ["", "Host: x\r\nHost: x\r\n", "Host: x\r\nhost: y\r\n"] {
            let mut wire = Wire::to(&world).await;
            wire.send(format!("GET {path} HTTP/1.1\r\n{hosts}Authorization: {token}\r\n\r\n")).await;
            let reply = wire.reply().await;
            assert!(reply.refuses(400).contains("Host"), "{path} {hosts:?}");
            assert_eq!(reply.json()["result"] == "error", is_legacy, "{path}");
            assert!(reply.header("x-request-id").is_some());
            assert!(wire.is_closed().await, "{path} {hosts:?}");
        }
    }
    let mut wire = Wire::to(&world).await;
    wire.send(format!("GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\nAuthorization: {token}\r\n\r\n")).await;
    wire.reply().await.refuses(400);
}

/// Every response has a documented shape; axum's default messages have none.
#[tokio::test]
async fn nothing_is_refused_in_plain_text() {
    let world = World::on_sqlite().await;
    let mut paths = Vec::new();
    for wrong in ["%ff", "%fe%00", "%zz", "x"] {
        paths.extend([
            format!("/players/{wrong}/{wrong}"),
            format!("/badges/1/{wrong}"),
            format!("/docs/{wrong}"),
            format!("/audio/{wrong}/{wrong}.mp3"),
            format!("/photos/{wrong}/{wrong}.jpg"),
            format!("/lti/s/{wrong}/"),
            format!("/lti/register/{wrong}"),
            format!("/phone/prompts/{wrong}/{wrong}"),
            format!("/phone/attempts/{wrong}/takes/{wrong}"),
            format!("/{wrong}"),
            format!("/api/{wrong}"),
            format!("/api/private/v5/participants/{wrong}"),
            format!("/api/private/v4/participants/{wrong}"),
            format!("/api/private/v3/{wrong}"),
        ]);
    }
    paths.extend(
        ["/", "/healthz", "/metrics", "/lti/login", "/lti/launch", "/lti/config.json"].map(str::to_owned),
    );
    for path in paths {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "BREW"] {
            let mut wire = Wire::to(&world).await;
            wire.send(request(&world, &format!("{method} {path} HTTP/1.1"), &["Content-Length: 0"])).await;
            let reply = wire.reply().await;
            assert!(reply.status < 500, "{method} {path}: {}", reply.head);
            let kind = reply.header("content-type").unwrap_or_default();
            // Files, and audio for cloud vendors, have other messages, or none.
            let is_file = ["/audio/", "/photos/", "/phone/"].iter().any(|start| path.starts_with(start));
            if reply.status >= 400 && !(is_file && reply.status == 404) && reply.status != 403 {
                let is_page = kind.starts_with("text/html") || kind.starts_with("application/json");
                assert!(is_page && !reply.body.is_empty(), "{method} {path}: {}", reply.head);
            }
        }
    }
}

#[tokio::test]
async fn a_wrong_method_on_a_page_is_405() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    for path in ["/", "/docs", "/healthz", "/readyz", "/players/1/x"] {
        wire.send(request(&world, &format!("DELETE {path} HTTP/1.1"), &[])).await;
        let reply = wire.reply().await;
        assert_eq!(reply.status, 405, "{path}: {}", reply.head);
        assert!(
            reply.header("allow").is_some_and(|allowed| allowed.contains("GET")),
            "{path}: {}",
            reply.head
        );
        assert!(reply.header("x-request-id").is_some(), "{path}: {}", reply.head);
        let page = String::from_utf8_lossy(&reply.body);
        assert!(page.contains("DELETE is not offered at this address"), "{path}: {page}");
    }
}

/// PostgreSQL stores every character but one, and sending that one is a client error, not a server error.
#[tokio::test]
async fn a_character_that_no_database_can_hold() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let page = &world.page.slug;
    let participant = json!({ "first_name": "A", "email": "a@example.edu" });
    let requests = [
        (Method::POST, "/v5/participants", json!({ "name_page_id": "\0", "participant": participant })),
        (
            Method::POST,
            "/v5/participants",
            json!({ "name_page_id": page, "participant": { "first_name": "\0", "email": "\0@x.org" } }),
        ),
        (
            Method::PUT,
            "/v5/participants/a%00@example.edu",
            json!({ "name_page_id": page, "participant": participant }),
        ),
        (
            Method::PUT,
            "/v5/participants/ana@example.edu",
            json!({ "name_page_id": "\0", "participant": participant }),
        ),
        (
            Method::PUT,
            "/v5/participants/ana@example.edu",
            json!({ "name_page_id": page, "participant": { "notes": "\0" } }),
        ),
        (Method::DELETE, "/v5/participants/a%00@example.edu", json!({ "name_page_id": page })),
        (Method::DELETE, "/v5/participants/ana@example.edu", json!({ "name_page_id": "\0" })),
        (
            Method::POST,
            "/v5/participants/search",
            json!({ "email_list": ["\0"], "institution_id_list": ["\0"] }),
        ),
        (Method::POST, "/v4/participants/search", json!({ "email_list": ["a\0@example.edu"] })),
        (
            Method::POST,
            "/v5/pronunciations/search",
            json!({ "identifiers": [{ "email": "\0", "institution_id": "\0" }] }),
        ),
        (Method::POST, "/v4/name_pages/%00/participants", json!({ "participant": participant })),
        (Method::GET, "/v4/name_pages/class/participants/%00", json!({})),
    ];
    let mut faults = Vec::new();
    for (method, path, body) in requests {
        let answer = world.request(method.clone(), path).json(&body).send().await.unwrap();
        if answer.status().is_server_error() {
            faults.push(format!("{method} {path} {body}: {}", answer.status()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(world.get("/v5/participants").await.expect(200)["Response"]["meta"]["total_count"], 1);
}
