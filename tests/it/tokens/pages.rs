//! `--allow-page`: a token reads and changes people of some name pages, and nobody else.

use std::collections::BTreeSet;

use endonym::{
    app::{Actor, name_pages},
    domain::{
        media::Kind,
        name_page::{NamePage, NamePageRef},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{get, limited, post, records, send};
use crate::support::{World, until};

const ELSEWHERE: &str = "Forbidden: this access token is limited to other name pages";
const JULY: i64 = 1_782_907_200_000_000;

/// Ana is on all three pages, and her newest recording is on the one that the token cannot access.
struct Scene {
    world: World,
    choir: NamePage,
    chess: NamePage,
    /// Limited to the world's page and the choir.
    token: String,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let (choir, chess) = (world.page("Choir").await, world.page("Chess").await);
    for (page, letter, day) in [(&world.page, "a", 1), (&choir, "b", 0), (&chess, "c", 2)] {
        let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "A1" });
        world.person_on(page, ana).await;
        world.record(page, "ana@x.org", &letter.repeat(32), JULY + day).await;
    }
    for (page, name) in [(&world.page, "bo"), (&choir, "cy"), (&chess, "di")] {
        let person = json!({ "first_name": name, "email": format!("{name}@x.org"), "institution_id": name });
        world.person_on(page, person).await;
    }
    let token = limited(&world, &[&world.page, &choir]).await;
    Scene { world, choir, chess, token }
}

/// `page:email` of each record, in order.
fn places(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    records(body).iter().map(|one| format!("{}:{}", text(&one["event_slug"]), text(&one["email"]))).collect()
}

fn emails(body: &Value) -> Vec<&str> {
    records(body).iter().map(|one| one["email"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_and_searches_have_people_of_these_pages_alone() {
    let Scene { world, token, choir, .. } = scene().await;
    let (home, choir) = (&world.page.slug, &choir.slug);
    let everybody = [
        format!("{home}:ana@x.org"),
        format!("{home}:bo@x.org"),
        format!("{choir}:ana@x.org"),
        format!("{choir}:cy@x.org"),
    ];
    let of = async |path: &str| get(&world, &token, path).await.expect(200);
    for path in ["/v5/participants", "/v4/participants", "/v4/participants/search"] {
        let body = of(path).await;
        assert_eq!(places(&body), everybody, "{path}");
        let meta = body.pointer("/Response/meta").unwrap_or(&body["meta"]);
        assert_eq!((&meta["total_count"], &meta["total_pages"]), (&json!(4), &json!(1)), "{path}");
    }
    let changed = of("/v5/participants?updated_after=2020-01-01T00:00:00Z").await;
    let seen: BTreeSet<String> = places(&changed).into_iter().collect();
    assert_eq!(seen, everybody.iter().cloned().collect());
    assert_eq!(changed["Response"]["meta"]["total_count"], 4);
    let changed = of("/v4/participants/search?updated_after=2020-01-01T00:00:00Z&per_page=3").await;
    assert_eq!((records(&changed).len(), &changed["meta"]["total_count"]), (3, &json!(4)));
    let two = [format!("{home}:ana@x.org"), format!("{choir}:ana@x.org")];
    for path in [
        "/v5/participants?email_list=ana@x.org,di@x.org",
        "/v5/participants?institution_id_list=A1,di",
        "/v5/participants?email_list=di@x.org&institution_id_list=A1&updated_after=2020-01-01T00:00:00Z",
        "/v5/participants/search?email_list=ana@x.org,di@x.org&per_page=2",
        "/v4/participants?email_list=ana@x.org&institution_id_list=di",
    ] {
        let body = of(path).await;
        assert_eq!(places(&body), two, "{path}");
        let meta = body.pointer("/Response/meta").unwrap_or(&body["meta"]);
        assert_eq!(meta["total_count"], 2, "{path}");
    }
    let paged = of("/v5/participants/search?email_list=ana@x.org,di@x.org&per_page=1&page=2").await;
    assert_eq!(
        (places(&paged), &paged["Response"]["meta"]["total_pages"]),
        (vec![two[1].clone()], &json!(2))
    );
    let identifiers = json!({ "identifiers": [{ "email": "ana@x.org" }, { "institution_id": "di" }] });
    let found = post(&world, &token, "/v5/pronunciations/search", identifiers).await.expect(200);
    assert_eq!(emails(&found), ["ana@x.org", "ana@x.org"]);
    assert!(!found.to_string().contains(&"c".repeat(32)));
}

#[tokio::test]
async fn one_person_is_looked_for_on_these_pages_alone() {
    let Scene { world, token, chess, .. } = scene().await;
    for path in ["/v5/participants/latest?tokens=ana@x.org,di@x.org", "/v5/participants/latest?tokens=A1,di"]
    {
        let body = get(&world, &token, path).await.expect(200);
        assert_eq!(places(&body), [format!("{}:ana@x.org", world.page.slug)], "{path}");
    }
    for path in
        ["/v4/participants/latest?token=ana@x.org", "/v4/participants/A1", "/v4/participants/ana@x.org"]
    {
        let body = get(&world, &token, path).await.expect(200);
        assert_eq!(body["participant"]["event_slug"], world.page.slug, "{path}");
    }
    let theirs = world.get(&format!("/v4/name_pages/{}/participants/di", chess.slug)).await.expect(200);
    let registration = World::registration_token(&theirs["participant"]);
    for mark in ["di@x.org", "di", &registration] {
        get(&world, &token, &format!("/v4/participants/{mark}")).await.expect(404);
        get(&world, &token, &format!("/v4/participants/latest?token={mark}")).await.expect(404);
        let latest = get(&world, &token, &format!("/v5/participants/latest?tokens={mark}")).await.expect(200);
        assert_eq!(records(&latest).len(), 0, "{mark}");
    }
}

#[tokio::test]
async fn version_3_has_people_of_these_pages_alone() {
    let Scene { world, token, choir, chess } = scene().await;
    let everywhere = &world.institution.access_code;
    let of = async |path: String| get(&world, &token, &path).await.expect(200);
    let all = ["ana@x.org", "bo@x.org", "ana@x.org", "cy@x.org"];
    assert_eq!(emails(&of(format!("/v3/names?access_code={everywhere}")).await), all);
    assert_eq!(
        emails(&of(format!("/v3/names?access_code={}", choir.access_code)).await),
        ["ana@x.org", "cy@x.org"]
    );
    for path in [
        "/v3/name?email=ana@x.org",
        "/v3/name?first_name=Ana",
        "/v3/names/search?email_list=ana@x.org,di@x.org",
    ] {
        for code in ["", &format!("&access_code={everywhere}")] {
            let body = of(format!("{path}{code}")).await;
            assert_eq!(emails(&body), ["ana@x.org"; 2], "{path}");
            assert!(!body.to_string().contains(&"c".repeat(32)), "{path}");
        }
    }
    for path in
        ["/v3/name?email=di@x.org", "/v3/name?first_name=di", "/v3/names/search?institution_id_list=di"]
    {
        assert_eq!(records(&of(path.to_owned()).await).len(), 0, "{path}");
    }
    for path in ["/v3/names?x=1", "/v3/name?email=ana@x.org", "/v3/names/search?email_list=ana@x.org"] {
        let refused = get(&world, &token, &format!("{path}&access_code={}", chess.access_code)).await;
        assert_eq!(refused.expect(403), json!({ "result": "error", "message": ELSEWHERE }), "{path}");
    }
}

#[tokio::test]
async fn a_page_outside_is_forbidden_and_one_of_another_institution_is_not_found() {
    let Scene { world, token, chess, choir } = scene().await;
    let neighbor = world.neighbor().await;
    let person = json!({ "first_name": "New", "email": "new@x.org" });
    let calls = |page: &str| {
        let on_page = format!("/v4/name_pages/{page}/participants");
        let body = json!({ "name_page_id": page, "participant": person });
        [
            (Method::GET, on_page.clone(), None),
            (Method::GET, format!("{on_page}?email_list=ana@x.org"), None),
            (Method::GET, format!("{on_page}/ana@x.org"), None),
            (Method::POST, on_page, Some(json!({ "participant": person }))),
            (Method::POST, "/v5/participants".to_owned(), Some(body.clone())),
            (Method::PUT, "/v5/participants/ana@x.org".to_owned(), Some(body.clone())),
            (Method::DELETE, "/v5/participants/ana@x.org".to_owned(), Some(body)),
        ]
    };
    for name in [&chess.slug, &chess.event_code, &chess.access_code, &chess.id.to_string()] {
        for (method, path, body) in calls(name) {
            let answer = send(&world, &token, method.clone(), &path, body.as_ref()).await;
            assert_eq!(answer.expect(403), json!({ "message": ELSEWHERE }), "{method} {path}");
        }
    }
    for name in [neighbor.page.slug.as_str(), "nothing"] {
        for (method, path, body) in calls(name) {
            send(&world, &token, method, &path, body.as_ref()).await.expect(404);
        }
    }
    let sound = json!({ "name_page_id": chess.slug, "participant": { "first_name": "New", "email": "new@x.org",
        "pronunciation": { "base64_str": "AAAA" } } });
    post(&world, &token, "/v5/participants", sound).await.expect(403);
    let kept = world.get(&format!("/v4/name_pages/{}/participants", chess.slug)).await.expect(200);
    assert_eq!(emails(&kept), ["ana@x.org", "di@x.org"], "nothing has changed there");
    for (method, path, body) in calls(&choir.slug) {
        let status = send(&world, &token, method.clone(), &path, body.as_ref()).await.status;
        assert!(status.is_success() || status == 422, "{method} {path}: {status}");
    }
}

#[tokio::test]
async fn a_recording_on_another_page_cannot_be_deleted() {
    let world = World::new().await;
    let chess = world.page("Chess").await;
    let mut hexes = Vec::new();
    for page in [&world.page, &chess] {
        let ana = world.person_on(page, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
        hexes.push(world.give(&ana, Kind::Recording, b"sound").await);
    }
    let di = world.person_on(&chess, json!({ "first_name": "Di", "email": "di@x.org" })).await;
    hexes.push(world.give(&di, Kind::Recording, b"sound").await);
    let token = limited(&world, &[&world.page]).await;
    let delete = async |token: &str, who: &str, hex: &str| {
        let path = format!("/v5/participants/{who}/pronunciations/recording_{hex}");
        let answer = send(&world, token, Method::DELETE, &path, None).await;
        (answer.status.as_u16(), answer.body["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(delete(&token, "ana@x.org", &hexes[1]).await, (404, "Not Found".into()));
    let nobody = (404, "Registered participant not found".into());
    assert_eq!(delete(&token, "di@x.org", &hexes[2]).await, nobody);
    assert_eq!(delete(&token, "ana@x.org", &hexes[0]).await.0, 200);
    for (who, hex) in [("ana@x.org", &hexes[1]), ("di@x.org", &hexes[2])] {
        assert_eq!(delete(&world.token, who, hex).await.0, 200, "it was there until now");
    }
}

#[tokio::test]
async fn a_page_that_is_deleted_does_not_widen_the_token() {
    let Scene { world, chess, choir, .. } = scene().await;
    let token = limited(&world, &[&chess]).await;
    assert_eq!(records(&get(&world, &token, "/v5/participants").await.expect(200)).len(), 2);
    name_pages::delete(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        &NamePageRef::parse(&chess.slug).unwrap(),
    )
    .await
    .unwrap();
    // Tokens are cached for less than a second.
    let path = format!("/v4/name_pages/{}/participants", chess.slug);
    until("the page is gone", || async { get(&world, &token, &path).await.status == 404 }).await;
    for path in [
        "/v5/participants",
        "/v5/participants?email_list=ana@x.org",
        "/v5/participants?updated_after=2020-01-01T00:00:00Z",
        "/v4/participants/search",
        "/v5/participants/latest?tokens=ana@x.org",
        "/v3/name?first_name=Ana",
        "/v3/name?email=ana@x.org",
    ] {
        assert_eq!(records(&get(&world, &token, path).await.expect(200)).len(), 0, "{path}");
    }
    get(&world, &token, "/v4/participants/ana@x.org").await.expect(404);
    for page in [&world.page, &choir] {
        get(&world, &token, &format!("/v4/name_pages/{}/participants", page.slug)).await.expect(403);
    }
}

/// Across the boundaries of pages, groups and gaps.
#[tokio::test]
async fn paging_meets_everybody_of_these_pages_once() {
    let world = World::new().await;
    let pages = [
        world.page("One").await,
        world.page("Two").await,
        world.page("Three").await,
        world.page("None").await,
    ];
    let mut wanted: Vec<String> = Vec::new();
    for (page, numbers) in pages.iter().zip([0..130, 1_000..1_620, 2_000..2_020]) {
        world.crowd(page, numbers.clone()).await;
        world.crowd(&world.page, numbers.start + 5_000..numbers.start + 5_007).await;
        for number in numbers {
            if number % 20 == 4 || (1_250..1_390).contains(&number) {
                let body = json!({ "name_page_id": page.slug });
                world.delete(&format!("/v5/participants/p{number}@x.org"), body).await.expect(200);
            } else {
                wanted.push(format!("p{number}@x.org"));
            }
        }
    }
    let token = limited(&world, &[&pages[2], &pages[0], &pages[3], &pages[1]]).await;
    for size in [7, 128, 500, 10_000] {
        let mut seen = Vec::new();
        let last = wanted.len().div_ceil(size);
        for page in 1..=last + 1 {
            let path = format!("/v5/participants?per_page={size}&page={page}");
            let body = get(&world, &token, &path).await.expect(200);
            assert_eq!(body["Response"]["meta"]["total_count"], wanted.len());
            assert_eq!(body["Response"]["meta"]["total_pages"], last);
            assert_eq!(body["Response"]["meta"]["count"], records(&body).len());
            seen.extend(emails(&body).into_iter().map(str::to_owned));
        }
        assert_eq!(seen, wanted, "{size}");
    }
    let path = format!("/v3/names?access_code={}", world.institution.access_code);
    assert_eq!(emails(&get(&world, &token, &path).await.expect(200)), wanted);
    let changed =
        get(&world, &token, "/v5/participants?updated_after=2020-01-01T00:00:00Z").await.expect(200);
    assert_eq!(changed["Response"]["meta"]["total_count"], wanted.len());
}

#[tokio::test]
async fn exports_have_people_of_these_pages_alone_and_others_cannot_be_read() {
    let Scene { world, token, choir, chess } = scene().await;
    let narrow = limited(&world, &[&choir]).await;
    let ask = async |token: &str, filters: Value| {
        post(&world, token, "/v4/exports", json!({ "export": filters })).await
    };
    let id = |made: Value| made["export"]["id"].as_str().unwrap().to_owned();
    let since = json!({ "updated_after": "2020-01-01T00:00:00Z" });
    let everybody = id(ask(&world.token, since.clone()).await.expect(202));
    let of_chess = id(ask(&world.token, json!({ "name_page_id": chess.slug })).await.expect(202));
    let of_choir = id(ask(&world.token, json!({ "name_page_id": choir.slug })).await.expect(202));
    let own = id(ask(&token, since.clone()).await.expect(202));
    let narrower = id(ask(&narrow, since).await.expect(202));
    let refused = ask(&token, json!({ "name_page_id": chess.slug })).await;
    assert_eq!(refused.expect(403), json!({ "message": ELSEWHERE }));
    let unknown = ask(&token, json!({ "name_page_id": world.neighbor().await.page.slug })).await;
    assert_eq!(unknown.expect(422)["errors"], json!({ "name_page_id": ["is not found"] }));

    world.work(1);
    for one in [&everybody, &of_chess, &of_choir, &own, &narrower] {
        until("a report is there", || async {
            world.get(&format!("/v4/exports/{one}")).await.expect(200)["export"]["state"] == "completed"
        })
        .await;
    }
    let report = async |token: &str, id: &str| {
        let body = get(&world, token, &format!("/v4/exports/{id}")).await.expect(200);
        let people = body["export"]["report"].as_array().unwrap();
        let mut seen: Vec<String> = people
            .iter()
            .map(|one| format!("{}:{}", one["event_slug"], one["email"]).replace('"', ""))
            .collect();
        seen.sort();
        seen
    };
    let of_both = ["choir:ana@x.org", "choir:cy@x.org", "class-of-2027:ana@x.org", "class-of-2027:bo@x.org"];
    assert_eq!(report(&token, &own).await, of_both);
    assert_eq!(report(&world.token, &own).await, of_both);
    assert_eq!(report(&token, &of_choir).await, of_both[..2]);
    assert_eq!(report(&token, &narrower).await, of_both[..2], "pages that it reaches too");
    assert_eq!(report(&world.token, &everybody).await.len(), 6);

    let listed = async |token: &str| {
        let body = get(&world, token, "/v4/exports?per_page=2").await.expect(200);
        let next = get(&world, token, "/v4/exports?per_page=2&page=2").await.expect(200);
        let ids = |body: &Value| -> Vec<String> {
            body["exports"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["id"].as_str().unwrap().to_owned())
                .collect()
        };
        (body["meta"]["total_count"].as_u64().unwrap(), [ids(&body), ids(&next)].concat())
    };
    assert_eq!(listed(&token).await, (3, vec![narrower.clone(), own.clone(), of_choir.clone()]));
    assert_eq!(listed(&narrow).await, (2, vec![narrower.clone(), of_choir]));
    assert_eq!(listed(&world.token).await.0, 5);
    let message = "Forbidden: this export includes name pages outside this access token's limit";
    for (token, id) in [(&token, &everybody), (&token, &of_chess), (&narrow, &own), (&narrow, &everybody)] {
        for ending in ["", ".csv", ".ndjson"] {
            let answer = get(&world, token, &format!("/v4/exports/{id}{ending}")).await;
            assert_eq!(answer.expect(403), json!({ "message": message }), "{id}{ending}");
        }
    }
    name_pages::delete(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        &NamePageRef::parse(&choir.slug).unwrap(),
    )
    .await
    .unwrap();
    until("the choir is out of reach", || async { listed(&narrow).await.1 == [narrower.clone()] }).await;
    assert_eq!(report(&narrow, &narrower).await, [] as [&str; 0], "a limit without pages is nobody");
    get(&world, &narrow, &format!("/v4/exports/{own}")).await.expect(403);
    assert_eq!(report(&token, &own).await, of_both[2..]);
}
