//! POST /names/search: everybody in either list, in every format that clients use for lists.

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, SECOND, data, error, get, hex, post_form};
use crate::support::{Answer, World, emails, keys};

async fn three() -> World {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    world.record(&world.page, "p1@x.org", &hex('a'), JULY).await;
    world.record(&world.page, "p2@x.org", &hex('b'), JULY + SECOND).await;
    world
}

async fn post_json(world: &World, query: &str, body: &Value) -> Answer {
    let path = format!("/v3/names/search?{query}");
    Answer::of(world.request_without_token(Method::POST, &path).json(body)).await
}

#[tokio::test]
async fn a_form_with_comma_separated_lists() {
    let world = three().await;
    for (form, wanted) in [
        ("email_list=p0@x.org,p1@x.org,p2@x.org", "p2@x.org p1@x.org p0@x.org"),
        ("email_list=p0%40x.org%2C%20P1%40X.org", "P1@X.org p0@x.org"),
        ("institution_id_list=I0,I2", "p2@x.org p0@x.org"),
        ("email_list=p0@x.org&institution_id_list=I0,I1", "p1@x.org p0@x.org"),
        ("email_list=p0@x.org&institution_id_list=", "p0@x.org"),
        ("email_list[]=p0@x.org&email_list[]=p1@x.org", "p1@x.org p0@x.org"),
        ("email_list[0]=p0@x.org&email_list[1]=p1@x.org", "p1@x.org p0@x.org"),
        ("email_list=[\"p0@x.org\",\"p1@x.org\"]", "p1@x.org p0@x.org"),
        ("email_list=`p0@x.org`,'p1@x.org',,null,p0@x.org", "p1@x.org p0@x.org"),
        ("email_list=nobody@x.org", ""),
    ] {
        let body = post_form(&world, form).await.expect(200);
        assert_eq!(emails(data(&body)).join(" "), wanted, "{form}");
    }
}

#[tokio::test]
async fn everything_may_stand_in_the_query_with_an_empty_body() {
    let world = three().await;
    let query = format!("auth_token={}&email_list=p0@x.org,p1@x.org", world.token);
    for path in [
        format!("/v3/names/search?{query}"),
        format!("/v3/names/search/?{query}"),
        format!("/v3/names/names/search?{query}"),
    ] {
        let answer = world.raw(&format!("POST {path}"), &["Content-Length: 0"]).await;
        assert_eq!(emails(data(&answer.expect(200))), ["p1@x.org", "p0@x.org"], "{path}");
    }
}

#[tokio::test]
async fn a_json_body_works_and_wins_over_the_query() {
    let world = three().await;
    let token = &world.token;
    let all = json!({ "auth_token": token, "email_list": ["p0@x.org"], "institution_id_list": ["I1", null], "icon": "1" });
    let body = post_json(&world, "auth_token=wrong&email_list=p2@x.org", &all).await.expect(200);
    assert_eq!(emails(data(&body)), ["p1@x.org", "p0@x.org"]);
    let rest = json!({ "email_list": "p0@x.org", "include_extended_attributes": true });
    let body = post_json(&world, &format!("auth_token={token}"), &rest).await.expect(200);
    assert_eq!(keys(&data(&body)[0]).len(), 13);
    let wrong = json!({ "auth_token": "wrong", "email_list": "p0@x.org" });
    let answer = post_json(&world, &format!("auth_token={token}"), &wrong).await;
    assert_eq!(answer.expect(401), error("Not Authorized"), "the body wins");
}

#[tokio::test]
async fn an_access_code_keeps_it_to_a_page() {
    let world = three().await;
    let (choir, neighbor) = (world.page("Choir").await, world.neighbor().await);
    world.person_on(&choir, json!({ "first_name": "P0", "email": "p0@x.org", "institution_id": "I0" })).await;
    let count = async |scope: &str| {
        let body = post_form(&world, &format!("email_list=p0@x.org,p1@x.org{scope}")).await.expect(200);
        data(&body).as_array().unwrap().len()
    };
    assert_eq!(count("").await, 3);
    assert_eq!(count(&format!("&access_code={}", world.institution.access_code)).await, 3);
    assert_eq!(count("&access_code=choir").await, 1);
    assert_eq!(count(&format!("&access_code={}", world.page.access_code)).await, 2);
    let code = &neighbor.page.slug;
    let answer = post_form(&world, &format!("email_list=p0@x.org&access_code={code}")).await;
    assert_eq!(answer.expect(404), error("Not Found"));
}

#[tokio::test]
async fn without_any_list_it_is_an_error_and_never_everybody() {
    let world = three().await;
    let message = "Unprocessable entity: email_list and institution_id_list can't both be blank";
    for form in ["", "email_list=", "email_list=,%20,null&institution_id_list=", "email=p0@x.org"] {
        assert_eq!(post_form(&world, form).await.expect(422), error(message), "{form}");
    }
    let token = format!("auth_token={}", world.token);
    for list in [json!([{}]), json!([true]), json!([["p0@x.org"]])] {
        let body = post_json(&world, &token, &json!({ "email_list": list })).await.expect(422);
        assert_eq!(body, error("Unprocessable entity: email_list is invalid"), "{list}");
    }
}

#[tokio::test]
async fn ten_thousand_entries_are_searched_and_one_more_is_too_long() {
    let world = three().await;
    let list = |count: usize| (0..count).map(|n| format!("p{n}@x.org")).collect::<Vec<_>>().join(",");
    let body = post_form(&world, &format!("email_list={}", list(10_000))).await.expect(200);
    assert_eq!(emails(data(&body)), ["p2@x.org", "p1@x.org", "p0@x.org"]);
    let answer = post_form(&world, &format!("email_list={}", list(10_001))).await;
    assert_eq!(
        answer.expect(422),
        error("Unprocessable entity: email_list is too long (maximum is 10000 entries)")
    );
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_a_bad_request() {
    let world = three().await;
    let send = async |query: &str, kind: &str, body: &str| {
        let request = world.request_without_token(Method::POST, &format!("/v3/names/search?{query}"));
        Answer::of(request.header("Content-Type", kind).body(body.to_owned())).await
    };
    let token = format!("auth_token={}", world.token);
    for (kind, body) in
        [("application/json", "{\"email_list\""), ("application/json", "[1]"), ("text/plain", "hello")]
    {
        let answer = send(&token, kind, body).await;
        assert_eq!(answer.header("Nc-Rate-Limit-Limit"), "1000000", "the token in the query is good");
        assert_eq!(answer.expect(400), error("Bad Request"), "{body}");
        assert_eq!(send("", kind, body).await.expect(400), error("Bad Request"), "the token may be in there");
        assert_eq!(send("auth_token=wrong", kind, body).await.expect(401), error("Not Authorized"));
    }
    let as_json = format!("{{\"{}\":\"{}\",\"email_list\":\"p0@x.org\"}}", "auth_token", world.token);
    send("", "application/x-www-form-urlencoded", &as_json).await.expect(200);
}

#[tokio::test]
async fn a_search_by_get_is_the_same() {
    let world = three().await;
    let body = get(&world, "/names/search?institution_id_list=I0,I1").await.expect(200);
    assert_eq!(emails(data(&body)), ["p1@x.org", "p0@x.org"]);
}
