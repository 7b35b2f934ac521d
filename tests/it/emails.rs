//! How responses spell emails, in every version: like the request that named them, otherwise in lower case.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    support::{Answer, World, emails},
    v2,
};

/// A world with `Ana.Lima@Example.EDU`, whose identifier is `S1`, and `Bo@x.org`, whose is `S2`.
async fn world() -> World {
    let world = World::new().await;
    for (name, email, id) in [("Ana", "Ana.Lima@Example.EDU", "S1"), ("Bo", "Bo@x.org", "S2")] {
        let made = json!({ "first_name": name, "email": email, "institution_id": id });
        let answer = world.person_on(&world.page, made).await;
        assert_eq!(answer["email"], email, "an answer to a create spells it as the create did");
    }
    v2::open(&world, &world.page).await;
    world
}

/// Every email anywhere in a response, sorted.
fn spelled(body: &Value) -> Vec<&str> {
    fn walk<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| walk(one, found)),
            Value::Object(all) => {
                for (key, one) in all {
                    match one.as_str() {
                        Some(text) if key == "email" => found.push(text),
                        _ => walk(one, found),
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(body, &mut found);
    found.sort_unstable();
    found
}

async fn get(world: &World, path: &str) -> Value {
    let path = path
        .replace("{page}", &world.page.slug)
        .replace("{code}", &world.page.access_code)
        .replace("{token}", &world.token);
    world.get(&path).await.expect(200)
}

#[tokio::test]
async fn an_answer_spells_emails_as_the_request_did() {
    let world = world().await;
    for path in [
        "/v5/participants?email_list=aNA.lIMA@eXAMPLE.edu",
        "/v5/participants?email_list[]=aNA.lIMA@eXAMPLE.edu&email_list[]=nobody@x.org",
        "/v5/participants?email_list=`aNA.lIMA@eXAMPLE.edu`,ana.lima@example.edu",
        "/v5/participants?email_list=aNA.lIMA@eXAMPLE.edu&updated_after=2020-01-01T00:00:00Z",
        "/v5/participants/search?email_list=aNA.lIMA@eXAMPLE.edu&institution_id_list=S1",
        "/v5/participants/latest?tokens=aNA.lIMA@eXAMPLE.edu",
        "/v5/participants/latest?tokens=aNA.lIMA@eXAMPLE.edu,S1,ANA.LIMA@example.edu",
        "/v5/participants/latest?email_list=aNA.lIMA@eXAMPLE.edu",
        "/v4/participants?email_list=aNA.lIMA@eXAMPLE.edu",
        "/v4/participants/search?email_list=aNA.lIMA@eXAMPLE.edu&per_page=1",
        "/v4/participants/latest?token=aNA.lIMA@eXAMPLE.edu",
        "/v4/participants/aNA.lIMA@eXAMPLE.edu",
        "/v4/participants/%20aNA.lIMA%40eXAMPLE.edu%20",
        "/v4/name_pages/{page}/participants?email_list=aNA.lIMA@eXAMPLE.edu",
        "/v4/name_pages/{page}/participants/aNA.lIMA@eXAMPLE.edu",
        "/v3/names?auth_token={token}&access_code={code}&email=aNA.lIMA@eXAMPLE.edu",
        "/v3/name?auth_token={token}&email=aNA.lIMA@eXAMPLE.edu&first_name=ana",
        "/v3/names/search?auth_token={token}&email_list=aNA.lIMA@eXAMPLE.edu",
        "/v2/names?access_code={code}&email=aNA.lIMA@eXAMPLE.edu",
    ] {
        assert_eq!(spelled(&get(&world, path).await), ["aNA.lIMA@eXAMPLE.edu"], "{path}");
    }
    let both = json!({ "email_list": ["ANA.lima@example.edu", "BO@X.org"] });
    for path in ["/v5/participants/search", "/v4/participants/search"] {
        let body = world.post(path, both.clone()).await.expect(200);
        assert_eq!(spelled(&body), ["ANA.lima@example.edu", "BO@X.org"], "{path}");
    }
    let identifiers =
        json!({ "identifiers": [{ "email": "BO@x.org" }, { "email": "bo@x.org", "institution_id": "S1" }] });
    let body = world.post("/v5/pronunciations/search", identifiers).await.expect(200);
    assert_eq!(spelled(&body), ["BO@x.org", "ana.lima@example.edu"], "the first spelling of two wins");
    let form = format!("auth_token={}&email_list=BO%40x.org,aNA.lima@example.edu", world.token);
    let request = world.request_without_token(Method::POST, "/v3/names/search");
    let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(form);
    assert_eq!(spelled(&Answer::of(request).await.expect(200)), ["BO@x.org", "aNA.lima@example.edu"]);
    let change =
        json!({ "name_page_id": world.page.slug, "participant": { "notes": "n", "email": "Other@x.org" } });
    let body = world.put("/v5/participants/bO@X.org", change).await.expect(200);
    assert_eq!(spelled(&body), ["bO@X.org"]);
    let new = json!({ "participant": { "first_name": "Cy", "email": " Cy@X.org " } });
    let body = world.post(&format!("/v4/name_pages/{}/participants", world.page.slug), new).await.expect(201);
    assert_eq!(spelled(&body), ["Cy@X.org"]);
}

#[tokio::test]
async fn an_email_that_the_request_did_not_name_is_in_lower_case() {
    let world = world().await;
    for path in [
        "/v5/participants",
        "/v5/participants?updated_after=2020-01-01T00:00:00Z",
        "/v5/participants?institution_id_list=S1,S2",
        "/v5/participants?email_list=ana.lima@example.edu&institution_id_list=S2",
        "/v5/participants/latest?tokens=S1,S2",
        "/v4/participants",
        "/v4/participants/search?institution_id_list=S1,S2",
        "/v4/name_pages/{page}/participants",
        "/v3/names?auth_token={token}&access_code={code}",
        "/v2/names?access_code={code}",
    ] {
        assert_eq!(spelled(&get(&world, path).await), ["ana.lima@example.edu", "bo@x.org"], "{path}");
    }
    for path in [
        "/v4/participants/S2",
        "/v4/participants/latest?token=S2",
        "/v4/name_pages/{page}/participants/S2",
        "/v3/name?auth_token={token}&first_name=Bo",
        "/v3/name?auth_token={token}&institution_id=S2",
        "/v2/names?access_code={code}&institution_id=S2",
    ] {
        assert_eq!(spelled(&get(&world, path).await), ["bo@x.org"], "{path}");
    }
    // In one list, only the emails that the request named are spelled as there.
    let body = get(&world, "/v5/participants?email_list=ANA.lima@Example.edu&institution_id_list=S2").await;
    assert_eq!(spelled(&body), ["ANA.lima@Example.edu", "bo@x.org"]);
    let identifiers = json!({ "identifiers": [{ "institution_id": "S1" }, { "institution_id": "S2" }] });
    let body = world.post("/v5/pronunciations/search", identifiers).await.expect(200);
    assert_eq!(spelled(&body), ["ana.lima@example.edu", "bo@x.org"]);
}

#[tokio::test]
async fn a_streamed_list_spells_emails_as_the_request_did_too() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1_500).await;
    let named: Vec<String> = (0..1_500).map(|n| format!("P{n}@X.org")).collect();
    let body = world.post("/v4/participants/search", json!({ "email_list": named, "per_page": 2_000 })).await;
    assert_eq!(body.header("content-length"), "", "it is sent in pieces");
    let body = body.expect(200);
    let mut found = emails(&body["participants"]);
    found.sort_unstable();
    let mut wanted: Vec<&str> = named.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn a_report_has_emails_in_lower_case() {
    let world = world().await;
    world.work(1);
    let asked = json!({ "export": { "name_page_id": world.page.slug } });
    let made = world.post("/v4/exports", asked).await.expect(202);
    let path = format!("/v4/exports/{}", made["export"]["id"].as_str().unwrap());
    crate::support::until("the export is completed", || async {
        world.get(&path).await.expect(200)["export"]["state"] == "completed"
    })
    .await;
    let report = world.get(&path).await.expect(200);
    assert_eq!(spelled(&report), ["ana.lima@example.edu", "bo@x.org"]);
    let csv = world.request(Method::GET, &format!("{path}.csv")).send().await.unwrap().text().await.unwrap();
    assert!(csv.contains("ana.lima@example.edu") && !csv.contains("Ana.Lima@"), "{csv}");
}
