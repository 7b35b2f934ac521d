use serde_json::json;

use super::*;

const NOW: i64 = 1_800_000_000;

fn good() -> Value {
    json!({
        "iss": "https://lms.example.edu", "aud": "tool-1", "sub": "u7", "nonce": "n", "iat": NOW - 5, "exp": NOW + 60,
        "given_name": "Ana", "email": "ana@example.edu",
        "https://purl.imsglobal.org/spec/lti/claim/version": "1.3.0",
        "https://purl.imsglobal.org/spec/lti/claim/message_type": "LtiResourceLinkRequest",
        "https://purl.imsglobal.org/spec/lti/claim/deployment_id": "1",
        "https://purl.imsglobal.org/spec/lti/claim/target_link_uri": "https://names.example.edu/lti/launch",
        "https://purl.imsglobal.org/spec/lti/claim/roles": ["Learner"],
        "https://purl.imsglobal.org/spec/lti/claim/resource_link": { "id": "r1" },
        "https://purl.imsglobal.org/spec/lti/claim/context": { "id": "c1", "title": "Biology" },
        "https://purl.imsglobal.org/spec/lti/claim/lis": { "person_sourcedid": "S7" },
    })
}

fn read(claims: &Value) -> Result<Launch, Fault> {
    let deployments = ["1".to_owned()];
    let expected = Expected {
        issuer: "https://lms.example.edu",
        client_id: "tool-1",
        deployments: &deployments,
        nonce: "n",
        base_url: "https://names.example.edu",
        now: Moment::from_micros(NOW * 1_000_000),
    };
    Launch::read(claims, &expected)
}

fn with(key: &str, value: Value) -> Option<Fault> {
    let mut claims = good();
    let key =
        if good().get(key).is_some() || ["azp", "nbf"].contains(&key) { key.to_owned() } else { claim(key) };
    claims[key] = value;
    read(&claims).err()
}

#[test]
fn a_good_launch_says_who_is_where() {
    let launch = read(&good()).unwrap();
    assert!(matches!(launch.message, Message::ResourceLink));
    assert_eq!(launch.standing, CourseRole::Student);
    assert_eq!(launch.context, Some(Context { id: "c1".into(), title: Some("Biology".into()) }));
    assert_eq!(launch.person.user_id.as_deref(), Some("u7"));
    assert_eq!(launch.person.sourced_id.as_deref(), Some("S7"));
}

#[test]
fn each_thing_that_is_wrong_is_a_refusal_of_its_own() {
    for (key, value, fault) in [
        ("iss", json!("https://lms.example.edu/"), Some(Fault::Issuer)),
        ("iss", Value::Null, Some(Fault::Issuer)),
        ("aud", json!("tool-2"), Some(Fault::Audience)),
        ("aud", json!([]), Some(Fault::Audience)),
        ("aud", json!(["tool-1"]), None),
        ("aud", json!(["tool-1", "tool-2"]), Some(Fault::AuthorizedParty)),
        ("azp", json!("tool-2"), Some(Fault::AuthorizedParty)),
        ("azp", json!("tool-1"), None),
        ("exp", json!(NOW - 59), None),
        ("exp", json!(NOW - 61), Some(Fault::Expired)),
        ("exp", Value::Null, Some(Fault::Expired)),
        ("exp", json!("tomorrow"), Some(Fault::Expired)),
        ("iat", Value::Null, Some(Fault::Expired)),
        ("iat", json!(NOW - 3_601), Some(Fault::Expired)),
        ("iat", json!(NOW + 61), Some(Fault::FromTheFuture)),
        ("iat", json!(i64::MAX), Some(Fault::FromTheFuture)),
        ("nbf", json!(NOW + 61), Some(Fault::FromTheFuture)),
        ("nonce", json!("m"), Some(Fault::Nonce)),
        ("nonce", Value::Null, Some(Fault::Nonce)),
        ("deployment_id", json!("2"), Some(Fault::Deployment("2".into()))),
        ("deployment_id", Value::Null, Some(Fault::Deployment(String::new()))),
        ("version", json!("1.1"), Some(Fault::Version)),
        ("message_type", json!("LtiSubmissionReviewRequest"), Some(Fault::Message)),
        ("roles", Value::Null, Some(Fault::Roles)),
        ("roles", json!("Instructor"), Some(Fault::Roles)),
        ("roles", json!([]), None),
        ("target_link_uri", json!("https://names.example.edu.evil.example/"), Some(Fault::TargetLink)),
        ("target_link_uri", Value::Null, Some(Fault::TargetLink)),
        ("resource_link", json!({}), Some(Fault::ResourceLink)),
        ("context", Value::Null, None),
        ("message_type", json!("LtiDeepLinkingRequest"), Some(Fault::DeepLinking)),
    ] {
        assert_eq!(with(key, value.clone()), fault, "{key}: {value}");
    }
    let mut both = good();
    both["aud"] = json!(["tool-1", "tool-2"]);
    both["azp"] = json!("tool-1");
    assert!(read(&both).is_ok());
}

#[test]
fn our_addresses_begin_with_our_base_and_end_there_or_at_a_slash() {
    let base = "https://names.example.edu/app";
    for ours in ["", "/", "/lti/launch", "?x=1"] {
        assert!(is_under(&format!("{base}{ours}"), base), "{ours}");
    }
    for other in
        ["https://names.example.edu/", "https://names.example.edu/apple", "http://names.example.edu/app", ""]
    {
        assert!(!is_under(other, base), "{other}");
    }
}

#[test]
fn the_answer_to_a_deep_linking_request_gives_back_what_came() {
    let mut claims = good();
    claims[claim("message_type")] = json!("LtiDeepLinkingRequest");
    claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"] =
        json!({ "deep_link_return_url": "https://lms.example.edu/dl", "data": "opaque" });
    let accepts = |types: Value| {
        let mut claims = claims.clone();
        claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"]["accept_types"] = types;
        read(&claims).err()
    };
    assert_eq!(accepts(json!(["link", "ltiResourceLink"])), None);
    assert_eq!(accepts(json!(["file"])), Some(Fault::NoLinks));
    let launch = read(&claims).unwrap();
    let Message::DeepLinking(asked) = launch.message else { panic!("{:?}", launch.message) };
    let now = Moment::from_micros(NOW * 1_000_000);
    let answer = deep_linking_response(
        &asked,
        ("https://lms.example.edu", "tool-1"),
        Some(("Names", "https://n/lti/launch")),
        "x",
        now,
    );
    let nothing = deep_linking_response(&asked, ("https://lms.example.edu", "tool-1"), None, "x", now);
    assert_eq!(nothing["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"], json!([]));
    assert_eq!(answer["iss"], "tool-1");
    assert_eq!(answer["aud"], "https://lms.example.edu");
    assert_eq!(answer["exp"], NOW + 300);
    assert_eq!(answer["https://purl.imsglobal.org/spec/lti-dl/claim/data"], "opaque");
    assert_eq!(
        answer["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"][0]["type"],
        "ltiResourceLink"
    );
}

#[test]
fn canvas_says_which_id_its_web_services_have() {
    let custom = |custom: &Value, roster: &str| {
        let mut claims = good();
        claims[claim("custom")] = custom.clone();
        claims[MEMBERSHIPS] = json!({ "context_memberships_url": roster });
        read(&claims).unwrap().canvas
    };
    let roster = "https://x.instructure.com/api/lti/courses/101/names_and_roles";
    let said = json!({ "canvas_api_domain": "x.instructure.com", "canvas_course_id": 101 });
    let ids = CanvasIds { domain: "x.instructure.com".into(), course: "101".into() };
    assert_eq!(custom(&said, roster), Some(ids.clone()));
    assert_eq!(custom(&said, &format!("{roster}?rlid=1")), Some(ids));
    for (key, value) in [
        ("canvas_api_domain", "$Canvas.api.domain"),
        ("canvas_course_id", "$Canvas.course.id"),
        ("canvas_course_id", ""),
        ("canvas_course_id", "101; 102"),
        // Anyone who can add a link to a course can forge these values.
        ("canvas_course_id", "102"),
        ("canvas_api_domain", "y.instructure.com"),
    ] {
        let mut said = said.clone();
        said[key] = value.into();
        assert_eq!(custom(&said, roster), None, "{key}={value}");
    }
    for roster in [
        "https://x.instructure.com/api/lti/courses/1010/names_and_roles",
        "https://x.instructure.com/api/lti/groups/101/names_and_roles",
        "https://x.instructure.com/a?/api/lti/courses/101/names_and_roles",
        "https://x.instructure.com",
        "",
    ] {
        assert_eq!(custom(&said, roster), None, "{roster}");
    }
    assert_eq!(read(&good()).unwrap().canvas, None);
}

#[test]
fn a_platform_says_whether_its_pages_are_dark() {
    for (custom, theme) in [
        (json!({ "theme": "dark" }), Some(Theme::Dark)),
        (json!({ "color_scheme": "LIGHT" }), Some(Theme::Light)),
        (json!({ "theme": "$Theme.name", "color_scheme": "dark" }), Some(Theme::Dark)),
        (json!({ "theme": "sepia" }), None),
        (json!("dark"), None),
    ] {
        let mut claims = good();
        claims[claim("custom")] = custom.clone();
        assert_eq!(read(&claims).unwrap().theme, theme, "{custom}");
    }
}

#[test]
fn an_address_that_would_end_a_line_is_not_taken() {
    let mut claims = good();
    claims[MEMBERSHIPS] = json!({ "context_memberships_url": "https://lms.example.edu/m\r\nX: y" });
    assert_eq!(read(&claims).unwrap().memberships_url, None);
    let mut claims = good();
    claims[claim("message_type")] = json!("LtiDeepLinkingRequest");
    let settings = format!("{DEEP_LINKING}deep_linking_settings");
    claims[settings.clone()] = json!({ "deep_link_return_url": "https://lms.example.edu/dl\r\nX: y" });
    assert_eq!(read(&claims).unwrap_err(), Fault::DeepLinking);
    claims[settings] = json!({ "deep_link_return_url": "https://lms.example.edu/dl" });
    assert!(read(&claims).is_ok());
}

#[test]
fn the_locale_of_the_platforms_page_is_read_if_it_is_one_of_our_languages() {
    for (presentation, language) in [
        (json!({ "locale": "de-AT" }), Some(Language::German)),
        (json!({ "locale": "pt_br" }), Some(Language::Portuguese)),
        (json!({ "locale": "tlh" }), None),
        (json!({ "locale": 7 }), None),
        (json!({}), None),
        (json!("de"), None),
    ] {
        let mut claims = good();
        claims[claim("launch_presentation")] = presentation.clone();
        assert_eq!(read(&claims).unwrap().language, language, "{presentation}");
    }
}
