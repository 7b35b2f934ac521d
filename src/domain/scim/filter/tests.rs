use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::scim::schema::USERS;

fn user() -> Object {
    let user = json!({
        "id": "7", "userName": "Ana.Lima@X.org", "externalId": "AbC", "active": true, "title": "",
        "name": { "givenName": "Ana", "familyName": "Lima \"the\" Great" },
        "emails": [
            { "value": "ana@x.org", "type": "work", "primary": true },
            { "value": "ana@home.example", "type": "home" },
        ],
        "meta": { "created": "2026-01-31T12:00:00Z" },
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "department": "Physics" },
    });
    user.as_object().unwrap().clone()
}

fn matches(text: &str) -> bool {
    Filter::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}")).matches(&USERS, &user())
}

#[test]
fn filters_match_what_they_say() {
    for text in [
        r#"userName eq "ana.lima@x.org""#,
        r#"USERNAME EQ "ANA.LIMA@X.ORG""#,
        r#"urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ana.""#,
        r#"userName co "lima" and userName ew ".org""#,
        r#"externalId eq "AbC""#,
        r#"name.familyName eq "Lima \"the\" Great""#,
        "active eq true",
        "active eq True",
        r#"active eq "True""#,
        "name pr and emails pr and not (title pr)",
        "not(nickName pr)",
        "nickName eq null",
        r#"emails eq "ANA@x.org""#,
        r#"emails.type eq "home""#,
        r#"emails[type eq "work" and value co "@x.org"]"#,
        r#"emails[type eq "work"].value eq "ana@x.org""#,
        r#"emails[not (type eq "work")]"#,
        r#"meta.created gt "2026-01-31T11:59:00+00:00""#,
        r#"meta.created le "2026-01-31T12:00:00Z""#,
        r#"name.givenName ge "ana" and name.givenName lt "b""#,
        r#"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "physics""#,
        r#"userName eq "nobody" or active eq true and title ne "x""#,
        r#"(userName eq "nobody" or active eq true) and title ne "x""#,
        r#"userName ne "nobody""#,
        r#"nothing ne "x""#,
    ] {
        assert!(matches(text), "{text}");
    }
    for text in [
        r#"userName eq "ana""#,
        r#"externalId eq "abc""#,
        "active eq false",
        "active gt true",
        "title pr",
        "nothing pr",
        r#"nothing eq "x""#,
        r#"emails[type eq "home" and value co "@x.org"]"#,
        r#"emails[type eq "home"].value eq "ana@x.org""#,
        r#"nothing[type eq "home"]"#,
        r#"emails ne "ana@x.org""#,
        r#"active eq true and (userName eq "nobody" or title pr)"#,
        "userName eq 7",
    ] {
        assert!(!matches(text), "{text}");
    }
}

#[test]
fn and_binds_more_tightly_than_or_and_not_most_tightly() {
    let parsed = Filter::parse("a pr or b pr and not (c pr) or d pr").unwrap();
    let present = |path: &str| Filter::Present { path: path.to_owned() };
    let both = Filter::And(vec![present("b"), Filter::Not(Box::new(present("c")))]);
    assert_eq!(parsed, Filter::Or(vec![present("a"), both, present("d")]));
}

#[test]
fn what_is_no_filter_is_refused() {
    let deep = format!("{}a pr{}", "(".repeat(17), ")".repeat(17));
    let long = format!("userName eq \"{}\"", "x".repeat(LONGEST));
    for text in [
        "",
        "userName",
        "userName eq",
        "userName eq ana",
        r#"userName eq "ana"#,
        r#"userName is "ana""#,
        r#"userName eq "ana" and"#,
        r#"userName eq "ana" "x""#,
        "(userName pr",
        "userName pr)",
        "emails[type pr",
        "emails[type pr].",
        "emails[]",
        "7 eq 7",
        "é pr",
        r#"userName eq "\q""#,
        &deep,
        &long,
    ] {
        assert_eq!(Filter::parse(text).unwrap_err().kind, FaultKind::InvalidFilter, "{text}");
    }
    assert!(Filter::parse(&deep[1..deep.len() - 1]).is_ok());
}

#[test]
fn a_plain_equality_can_be_looked_up() {
    let equality = |text: &str| {
        Filter::parse(text).unwrap().equality().map(|(path, value)| (path.to_owned(), value.to_owned()))
    };
    assert_eq!(equality(r#"userName Eq "a""#), Some(("userName".into(), "a".into())));
    assert_eq!(equality(r#"userName ne "a""#), None);
    assert_eq!(equality(r#"userName eq "a" or active eq true"#), None);
}

#[test]
fn paths_have_an_attribute_a_filter_and_a_part() {
    let path = Path::parse(r#"emails[type eq "work"].value"#).unwrap();
    assert_eq!((path.attribute.as_str(), path.part.as_deref()), ("emails", Some("value")));
    assert!(path.filter.is_some());
    let path = Path::parse("name.givenName").unwrap();
    assert_eq!(path, Path { attribute: "name.givenName".into(), filter: None, part: None });
    for text in ["", "emails[", "emails[type eq \"work\"", "emails[type pr] value", "a b", "emails[type pr]x"]
    {
        assert_eq!(Path::parse(text).unwrap_err().kind, FaultKind::InvalidPath, "{text}");
    }
}

/// Writes a filter in a form that can be parsed.
fn shown(filter: &Filter) -> String {
    let joined = |all: &[Filter], word: &str| {
        all.iter().map(|one| format!("({})", shown(one))).collect::<Vec<_>>().join(word)
    };
    match filter {
        Filter::Compare { path, operator, value } => {
            let operator = match operator {
                Operator::Equal => "eq",
                Operator::NotEqual => "NE",
                Operator::Contains => "co",
                Operator::StartsWith => "Sw",
                Operator::EndsWith => "ew",
                Operator::Greater => "gt",
                Operator::GreaterOrEqual => "ge",
                Operator::Less => "lt",
                Operator::LessOrEqual => "le",
            };
            format!("{path} {operator} {value}")
        }
        Filter::Present { path } => format!("{path} pr"),
        Filter::Values { path, filter } => format!("{path}[{}]", shown(filter)),
        Filter::And(all) => joined(all, " and "),
        Filter::Or(all) => joined(all, " OR "),
        Filter::Not(one) => format!("not ({})", shown(one)),
    }
}

fn filters() -> impl Strategy<Value = Filter> {
    let path = "[a-zA-Z]{1,8}(\\.[a-z]{1,4})?";
    let literal = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|number| json!(number)),
        ".{0,12}".prop_map(Value::String),
        Just(Value::Null),
    ];
    let operator = prop_oneof![
        Just(Operator::Equal),
        Just(Operator::NotEqual),
        Just(Operator::Contains),
        Just(Operator::StartsWith),
        Just(Operator::EndsWith),
        Just(Operator::Greater),
        Just(Operator::GreaterOrEqual),
        Just(Operator::Less),
        Just(Operator::LessOrEqual),
    ];
    let leaf = prop_oneof![
        path.prop_map(|path| Filter::Present { path }),
        (path, operator, literal).prop_map(|(path, operator, value)| Filter::Compare {
            path,
            operator,
            value
        }),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::Or),
            inner.clone().prop_map(|one| Filter::Not(Box::new(one))),
            inner.prop_map(|one| Filter::Values { path: "emails".into(), filter: Box::new(one) }),
        ]
    })
}

proptest! {
    #[test]
    fn a_filter_that_is_written_is_read_again(filter in filters()) {
        let text = shown(&filter);
        prop_assert_eq!(Filter::parse(&text).unwrap(), filter, "{}", text);
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,60}", marks in "[a-z()\\[\\]\". ]{0,60}") {
        for text in [&text, &marks, &format!("{marks}{text}")] {
            if let Ok(filter) = Filter::parse(text) {
                filter.matches(&USERS, &user());
            }
            let _ = Path::parse(text);
        }
    }
}
