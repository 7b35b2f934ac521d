//! What versions 4 and 5 have in common, except for version 5's wrapper: lists and searches of participants. Tests for
//! only one of them are in `v4` or `v5`.

use std::collections::HashSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, World, emails, keys};

/// Each scenario becomes a test of each version: `v4_v5::four::SCENARIO`.
macro_rules! suite {
    ([$($version:ident)*] $scenarios:tt) => { $(suite!($version $scenarios);)* };
    ($version:ident { $($scenario:ident)* }) => {
        mod $version {
            $(
                #[tokio::test]
                async fn $scenario() {
                    super::$scenario(super::Version::$version(), crate::support::World::new().await).await;
                }
            )*
        }
    };
}

suite! {
    [four five] {
        nobody_at_all_is_an_empty_list_without_pages
        a_filter_that_matches_nobody_is_an_empty_list_without_pages
        each_list_gives_those_people_and_both_together_whoever_is_in_either
        a_blank_list_is_no_list
        a_list_of_entries_that_can_match_nobody_is_still_a_list
        a_page_has_ten_people_unless_told_otherwise
        a_person_on_three_pages_is_three_records
        with_a_filter_the_recorded_come_first_and_the_newest_recording_before_older_ones
        embeddables_play_the_recording_and_the_image_is_null_without_one
        wrong_pages_icons_and_images_are_errors_on_their_fields
        lists_come_as_strings_and_as_arrays
        entries_that_are_no_text_never_make_the_list_mean_everybody
        the_next_page_is_got_by_posting_the_first_body_to_its_address
        times_bound_a_search_exclusively
        ten_thousand_entries_are_searched_and_one_more_is_an_error_on_that_list
        a_parameter_of_another_type_is_an_error_on_it
        json_that_cannot_be_read_or_is_no_object_is_a_bad_request
    }
}

/// A recording's hex id: 128 bits, which differ in one letter.
pub fn hex(letter: char) -> String {
    letter.to_string().repeat(32)
}

/// 2026-07-01T12:00:00Z in microseconds.
pub const JULY: i64 = 1_782_907_200_000_000;
pub const SECOND: i64 = 1_000_000;

/// `{"message":"Unprocessable entity","errors":…}`
pub fn unprocessable(errors: Value) -> Value {
    json!({ "message": "Unprocessable entity", "errors": errors })
}

/// The path after `/api/private` of a URL in `meta`.
pub fn path(address: &Value) -> &str {
    address.as_str().unwrap().split("/api/private").nth(1).unwrap()
}

pub fn sorted(mut all: Vec<&str>) -> Vec<&str> {
    all.sort_unstable();
    all
}

/// The first emails of a crowd.
pub fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("p{n}@x.org")).collect()
}

struct Version {
    /// `/v4/participants`
    participants: &'static str,
    /// Responses are wrapped in `Response`.
    wrapped: bool,
}

impl Version {
    fn four() -> Self {
        Self { participants: "/v4/participants", wrapped: false }
    }

    fn five() -> Self {
        Self { participants: "/v5/participants", wrapped: true }
    }

    fn inside<'a>(&self, body: &'a Value) -> &'a Value {
        if self.wrapped { &body["Response"] } else { body }
    }

    fn people<'a>(&self, body: &'a Value) -> &'a Value {
        &self.inside(body)["participants"]
    }

    fn meta<'a>(&self, body: &'a Value) -> &'a Value {
        &self.inside(body)["meta"]
    }

    fn totals(&self, body: &Value) -> [u64; 3] {
        ["total_count", "total_pages", "count"].map(|name| self.meta(body)[name].as_u64().unwrap())
    }

    fn emails<'a>(&self, body: &'a Value) -> Vec<&'a str> {
        emails(self.people(body))
    }

    async fn list(&self, world: &World, query: &str) -> Value {
        world.get(&format!("{}?{query}", self.participants)).await.expect(200)
    }

    fn search_path(&self) -> String {
        format!("{}/search", self.participants)
    }

    async fn search(&self, world: &World, body: Value) -> Value {
        world.post(&self.search_path(), body).await.expect(200)
    }
}

// Lists

async fn nobody_at_all_is_an_empty_list_without_pages(version: Version, world: World) {
    let body = world.get(version.participants).await.expect(200);
    let shown = world.shown(&body);
    assert_eq!(
        version.inside(&shown),
        &json!({
            "participants": [],
            "meta": {
                "self_url": format!("{{base}}/api/private{}?format=json&page=1&per_page=10", version.participants),
                "total_count": 0,
                "total_pages": 0,
                "count": 0,
            },
        })
    );
    assert_eq!(keys(&body), if version.wrapped { vec!["Response"] } else { vec!["meta", "participants"] });
}

async fn a_filter_that_matches_nobody_is_an_empty_list_without_pages(version: Version, world: World) {
    world.person("Ana", "ana@x.org").await;
    for filter in [
        "email_list=bo@x.org",
        "institution_id_list=7",
        "email_list=ana",
        "email_list=bo@x.org&institution_id_list=none",
    ] {
        let body = version.list(&world, filter).await;
        assert_eq!(version.people(&body), &json!([]), "{filter}");
        assert_eq!(version.totals(&body), [0, 0, 0], "{filter}");
    }
}

async fn each_list_gives_those_people_and_both_together_whoever_is_in_either(version: Version, world: World) {
    world.crowd(&world.page, 0..5).await;
    for (query, wanted) in [
        ("email_list=p1@x.org,p3@x.org", vec!["p1@x.org", "p3@x.org"]),
        ("institution_id_list=I2,I4", vec!["p2@x.org", "p4@x.org"]),
        ("email_list=p1@x.org,p2@x.org&institution_id_list=I2,I4", vec!["p1@x.org", "p2@x.org", "p4@x.org"]),
    ] {
        let body = version.list(&world, query).await;
        assert_eq!(sorted(version.emails(&body)), wanted, "{query}");
        assert_eq!(version.meta(&body)["total_count"], wanted.len());
    }
}

async fn a_blank_list_is_no_list(version: Version, world: World) {
    world.crowd(&world.page, 0..12).await;
    for query in [
        "email_list=",
        "email_list=,%20,null",
        "email_list=%20,,null,",
        "institution_id_list[]=&email_list=",
        "institution_id_list=&email_list[]=",
        "updated_after=",
    ] {
        let body = version.list(&world, &format!("{query}&per_page=5")).await;
        assert_eq!((version.emails(&body).len(), version.totals(&body)[0]), (5, 12), "{query}");
    }
}

async fn a_list_of_entries_that_can_match_nobody_is_still_a_list(version: Version, world: World) {
    world.crowd(&world.page, 0..2).await;
    for query in ["email_list=p0%07@x.org", "institution_id_list=%01", "email_list=%00"] {
        assert_eq!(version.people(&version.list(&world, query).await), &json!([]), "{query}");
    }
}

async fn a_page_has_ten_people_unless_told_otherwise(version: Version, world: World) {
    world.crowd(&world.page, 0..12).await;
    let body = world.get(version.participants).await.expect(200);
    assert_eq!(version.emails(&body).len(), 10);
    let address = |page: u32| {
        format!("{{base}}/api/private{}?format=json&page={page}&per_page=10", version.participants)
    };
    assert_eq!(
        world.shown(version.meta(&body)),
        json!({
            "self_url": address(1),
            "next_page_url": address(2),
            "total_count": 12,
            "total_pages": 2,
            "count": 10,
        })
    );
}

async fn a_person_on_three_pages_is_three_records(version: Version, world: World) {
    let pages = [&world.page, &world.page("Second").await, &world.page("Third").await];
    for page in pages {
        world.person_on(page, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    }
    for query in ["", "email_list=ana@x.org"] {
        let body = version.list(&world, query).await;
        let people = version.people(&body).as_array().unwrap();
        let slugs: HashSet<&str> = people.iter().map(|one| one["event_slug"].as_str().unwrap()).collect();
        assert_eq!(slugs, pages.iter().map(|page| page.slug.as_str()).collect(), "{query}");
        assert_eq!(version.meta(&body)["total_count"], 3);
    }
}

async fn with_a_filter_the_recorded_come_first_and_the_newest_recording_before_older_ones(
    version: Version,
    world: World,
) {
    world.crowd(&world.page, 0..4).await;
    world.record(&world.page, "p1@x.org", &hex('1'), JULY).await;
    world.record(&world.page, "p3@x.org", &hex('3'), JULY + SECOND).await;
    world.record(&world.page, "p0@x.org", &hex('0'), JULY - SECOND).await;
    let expected = ["p3@x.org", "p1@x.org", "p0@x.org", "p2@x.org"];
    for query in [
        "email_list=p0@x.org,p1@x.org,p2@x.org,p3@x.org",
        "email_list=p3@x.org,p2@x.org,p1@x.org,p0@x.org",
        "institution_id_list=I2,I0,I1,I3",
        "institution_id_list=I2,I3&email_list=p0@x.org,p1@x.org",
    ] {
        let body = version.list(&world, query).await;
        assert_eq!(version.emails(&body), expected, "{query}");
    }
    let mut asked = numbered(4);
    let forwards = version.search(&world, json!({ "email_list": asked })).await;
    asked.reverse();
    let backwards = version.search(&world, json!({ "email_list": asked })).await;
    assert_eq!(version.people(&forwards), version.people(&backwards));
    assert_eq!(version.emails(&forwards), expected);
}

async fn embeddables_play_the_recording_and_the_image_is_null_without_one(version: Version, world: World) {
    world.crowd(&world.page, 0..2).await;
    world.record(&world.page, "p0@x.org", &hex('a'), JULY).await;
    let body = version.list(&world, "include=embeddables").await;
    let [with, without] = [0, 1].map(|n| &version.people(&body)[n]);
    assert!(with["embed_image"].as_str().unwrap().contains(with["recording_link"].as_str().unwrap()));
    assert_eq!(without["embed_image"], Value::Null);
    for one in [with, without] {
        assert!(one["embed_iframe"].as_str().unwrap().starts_with("<iframe "), "{one}");
    }
    let plain = version.list(&world, "").await;
    for key in ["embed_image", "embed_iframe"] {
        assert!(version.people(&plain)[0].get(key).is_none(), "{key}");
    }
}

async fn wrong_pages_icons_and_images_are_errors_on_their_fields(version: Version, world: World) {
    const NUMBERS: &[&str] = &["0", "-1", "two", "1.5", "1e2", "0x10"];
    const IMAGES: &[&str] = &[
        "javascript:alert(1)",
        "ftp://x.org/a.png",
        "a.png",
        "//x.org/a.png",
        "data:image/png;base64,AA",
        "https://",
    ];
    for (field, wrong) in [
        ("page", NUMBERS),
        ("per_page", NUMBERS),
        ("icon_code", &["4", "-1", "1.5", "speaker"]),
        ("play_button_img_url", IMAGES),
    ] {
        for value in wrong {
            let body = world.get(&format!("{}?{field}={value}", version.participants)).await.expect(422);
            assert_eq!(body["message"], "Unprocessable entity");
            assert_eq!(keys(&body["errors"]), [field], "{value}");
        }
    }
}

// Searches

async fn lists_come_as_strings_and_as_arrays(version: Version, world: World) {
    world.crowd(&world.page, 0..4).await;
    for body in [
        json!({ "email_list": "p1@x.org,p2@x.org" }),
        json!({ "email_list": "p1@x.org, p2@x.org,," }),
        json!({ "email_list": " p1@x.org , ,p2@x.org,null,P1@x.org" }),
        json!({ "email_list": ["p1@x.org", "p2@x.org"] }),
        json!({ "email_list": ["p2@x.org", null, "", " p1@x.org ", "P2@X.ORG"] }),
        json!({ "email_list": "[\"p1@x.org\", \"p2@x.org\"]" }),
        json!({ "email_list": ["'p1@x.org'", "`p2@x.org`", "\"p2@x.org\""] }),
        json!({ "institution_id_list": "I1,I2" }),
        json!({ "institution_id_list": "`I1`,'I2'" }),
        json!({ "institution_id_list": ["I1", "I2", "I1", null] }),
        json!({ "institution_id_list": "[\"I1\",\"I2\"]" }),
        json!({ "email_list": ["p1@x.org"], "institution_id_list": ["I2", "I1"] }),
    ] {
        let found = version.search(&world, body.clone()).await;
        assert_eq!(sorted(version.emails(&found)), ["p1@x.org", "p2@x.org"], "{body}");
    }
}

async fn entries_that_are_no_text_never_make_the_list_mean_everybody(version: Version, world: World) {
    world.crowd(&world.page, 0..2).await;
    for list in
        [json!([true]), json!([{ "email": "p0@x.org" }]), json!([["p0@x.org"]]), json!(["p0\u{7}@x.org"])]
    {
        for key in ["email_list", "institution_id_list"] {
            let answer = world.post(&version.search_path(), json!({ key: list })).await;
            assert!(
                answer.status == 422 || version.people(&answer.body) == &json!([]),
                "{key} {list}: {}",
                answer.body
            );
        }
    }
}

async fn the_next_page_is_got_by_posting_the_first_body_to_its_address(version: Version, world: World) {
    world.crowd(&world.page, 0..25).await;
    let body = json!({ "email_list": numbered(25) });
    let mut answer = version.search(&world, body.clone()).await;
    let mut seen: HashSet<String> = HashSet::new();
    loop {
        seen.extend(version.emails(&answer).into_iter().map(str::to_owned));
        let next = &version.meta(&answer)["next_page_url"];
        if next.is_null() {
            break;
        }
        answer = world.post(path(next), body.clone()).await.expect(200);
    }
    assert_eq!(seen.len(), 25);
    assert_eq!(version.totals(&answer), [25, 3, 5]);
}

async fn times_bound_a_search_exclusively(version: Version, world: World) {
    world.crowd(&world.page, 0..3).await;
    for (person, at) in [("p0@x.org", JULY - SECOND), ("p1@x.org", JULY), ("p2@x.org", JULY + SECOND)] {
        world.changed_at(person, at).await;
    }
    for (after, before, wanted) in [
        ("2026-07-01T11:59:59Z", "2026-07-01T12:00:01Z", vec!["p1@x.org"]),
        ("2026-07-01T11:59:59.000Z", "2026-07-01T08:00:01.001-04:00", vec!["p1@x.org", "p2@x.org"]),
        ("2026-07-01T12:00:00Z", "", vec!["p2@x.org"]),
        ("", "2026-07-01T08:00:00-04:00", vec!["p0@x.org"]),
        ("", "2026-07-01T14:00:00+02:00", vec!["p0@x.org"]),
    ] {
        let body = json!({ "email_list": numbered(3), "updated_after": after, "updated_before": before });
        let found = version.search(&world, body).await;
        assert_eq!(sorted(version.emails(&found)), wanted, "after {after} and before {before}");
        assert_eq!(version.meta(&found)["total_count"], wanted.len());
    }
}

async fn ten_thousand_entries_are_searched_and_one_more_is_an_error_on_that_list(
    version: Version,
    world: World,
) {
    world.crowd(&world.page, 0..3).await;
    let ids: Vec<String> = (0..10_001).map(|n| format!("I{n}")).collect();
    for (list, mut entries) in [("email_list", numbered(10_001)), ("institution_id_list", ids)] {
        let answer = world.post(&version.search_path(), json!({ list: entries })).await.expect(422);
        assert_eq!(keys(&answer["errors"]), [list]);
        entries.pop();
        let found = version.search(&world, json!({ list: entries })).await;
        assert_eq!(version.meta(&found)["total_count"], 3, "{list}");
    }
}

async fn a_parameter_of_another_type_is_an_error_on_it(version: Version, world: World) {
    for (field, wrong) in [
        ("email_list", json!(true)),
        ("email_list", json!({ "a": 1 })),
        ("institution_id_list", json!(false)),
        ("institution_id_list", json!({})),
        ("page", json!(true)),
        ("page", json!([1])),
        ("page", json!(1.5)),
        ("page", json!(-3)),
        ("page", json!(0)),
        ("per_page", json!({})),
        ("per_page", json!(true)),
        ("per_page", json!("many")),
        ("icon_code", json!([0])),
        ("icon_code", json!({})),
        ("icon_code", json!(7)),
        ("updated_after", json!(1_782_907_200)),
        ("updated_after", json!(["2026-07-01T12:00:00Z"])),
        ("updated_before", json!(false)),
        ("updated_before", json!("2026-07-01")),
        ("play_button_img_url", json!({ "url": "https://x.org/a.png" })),
        ("play_button_img_url", json!(["https://x.org/a.png"])),
        ("play_button_img_url", json!("x")),
    ] {
        let mut body = json!({ "email_list": ["p0@x.org"], "institution_id_list": ["I0"] });
        body[field] = wrong;
        let answer = world.post(&version.search_path(), body.clone()).await.expect(422);
        assert_eq!(keys(&answer["errors"]), [field], "{body}");
    }
}

async fn json_that_cannot_be_read_or_is_no_object_is_a_bad_request(version: Version, world: World) {
    let deep = "[".repeat(100_000);
    let deep_in_object = format!("{{\"email_list\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    for text in [
        "{",
        "[]",
        "[\"p0@x.org\"]",
        "{\"email_list\":}",
        "{\"email_list\":[\"a\",]}",
        "null",
        "\"p0@x.org\"",
        "5",
        &deep,
        &deep_in_object,
    ] {
        for kind in [None, Some("application/json")] {
            let path = format!("{}?email_list=p0@x.org", version.search_path());
            let mut request = world.request(Method::POST, &path).body(text.to_owned());
            if let Some(kind) = kind {
                request = request.header("Content-Type", kind);
            }
            let answer = Answer::of(request).await.expect(400);
            assert_eq!(answer, json!({ "message": "Bad Request" }), "{kind:?} {text:.40}");
        }
    }
}
