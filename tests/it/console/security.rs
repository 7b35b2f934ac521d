//! What nobody must be able to do in the console. Generated from its rules: a new route is checked without a line here.

use std::time::Duration;

use endonym::{
    app::{self, Actor},
    console::{self, rule::Rule},
    domain::{member::Role, section::Section},
    http::csrf,
};
use reqwest::Method;

use super::{handed_over, member, member_named, member_of, see, set, signed_in};
use crate::{
    me::{Browser, Seen},
    support::{World, forms::is_forged, snapshot::rows},
};

/// The path of a rule in the world's institution, with something plausible in the place of each parameter.
fn path(world: &World, rule: &Rule) -> String {
    let fill = |part: &str| match part {
        "{slug}" => world.institution.slug.clone(),
        "{page}" => world.page.slug.clone(),
        part if part.starts_with('{') => "1".to_owned(),
        part => part.to_owned(),
    };
    rule.path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

/// As a browser sends it from a page of the console.
async fn send(world: &World, browser: &Browser<'_>, rule: &Rule) -> Seen {
    let path = path(world, rule);
    match rule.method == Method::POST {
        true => browser.post(&path, &[]).await,
        false => see(browser, &path).await,
    }
}

fn all() -> Vec<Rule> {
    let rules = console::rules();
    assert!(rules.len() > 5);
    for rule in &rules {
        assert!(rule.path.starts_with("/console/{slug}"), "{}", rule.path);
        assert!([Method::GET, Method::POST].contains(&rule.method), "{}", rule.path);
    }
    rules
}

#[tokio::test]
async fn a_role_reaches_what_its_rules_say_and_nothing_else() {
    let world = World::on_sqlite().await;
    let mut browsers = Vec::new();
    for role in Role::ALL {
        browsers.push((role, member(&world, role).await));
    }
    let before = rows(&world, None).await;
    for rule in all() {
        for (role, browser) in browsers.iter().filter(|(role, _)| !rule.needs.role.includes(*role)) {
            let seen = send(&world, browser, &rule).await;
            assert_eq!(seen.status, 403, "{role:?} {} {}: {}", rule.method, rule.path, seen.body);
        }
    }
    assert_eq!(rows(&world, None).await, before, "nothing was changed");
    // Last, because they change something.
    for rule in all() {
        for (role, browser) in browsers.iter().filter(|(role, _)| rule.needs.role.includes(*role)) {
            let seen = send(&world, browser, &rule).await;
            let what = format!("{role:?} {} {}: {} {}", rule.method, rule.path, seen.status, seen.body);
            assert!(!seen.status.is_server_error() && !is_forged(&seen), "{what}");
            let is_plain = rule.path.matches('{').count() == 1;
            // Without a selection, there is nothing to ask about.
            let is_shown = [200, 303, 422].contains(&seen.status.as_u16());
            assert!(!is_plain || rule.method != Method::GET || is_shown, "{what}");
        }
    }
}

/// Whoever sees a section in the menu can open it, and the others do not see it. A reader has no menu, and the overview of a reader is the
/// list of their pages.
#[test]
fn the_menu_has_what_a_role_may_open() {
    let rules = all();
    for section in Section::ALL {
        let path = format!("/console/{{slug}}{}", section.path());
        let first = rules.iter().find(|rule| rule.method == Method::GET && rule.path == path);
        let first = first.unwrap_or_else(|| panic!("{section:?}: src/console has no rule for GET {path}"));
        for role in Role::ALL.into_iter().filter(|role| (*role, section) != (Role::Reader, Section::Overview))
        {
            assert_eq!(
                section.is_for(role),
                first.needs.role.includes(role),
                "{section:?}, {role:?}: `is_for` in src/domain/section.rs and the rule for {path} in src/console differ"
            );
        }
    }
}

/// Nobody learns which institutions exist: the console of another one is the same as that of none.
#[tokio::test]
async fn members_of_another_institution_find_nothing() {
    let world = World::on_sqlite().await;
    let there = world.neighbor().await;
    let before = rows(&world, Some(world.institution.id)).await;
    for role in Role::ALL {
        let pages: &[_] = if role.has_all_pages() { &[] } else { &[&there.page] };
        let browser = member_of(&world, &there.institution, role, pages).await;
        let nowhere = browser.get("/console/no-such-institution").await.expect(404).body;
        assert_eq!(browser.get("/console/example").await.expect(404).body, nowhere);
        for rule in all() {
            let seen = send(&world, &browser, &rule).await;
            assert_eq!(seen.status, 404, "{role:?} {} {}: {}", rule.method, rule.path, seen.body);
        }
    }
    assert_eq!(rows(&world, Some(world.institution.id)).await, before, "nothing was changed");
}

#[tokio::test]
async fn whoever_has_no_role_finds_nothing() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let person = signed_in(&world, &world.institution, "ana@example.edu").await;
    member(&world, Role::Owner).await;
    let restricted = handed_over(&world, Role::Owner).await;
    for rule in all() {
        for (who, browser) in [("a person", &person), ("a session of a QR code", &restricted)] {
            let seen = send(&world, browser, &rule).await;
            assert_eq!(seen.status, 404, "{who}: {} {}: {}", rule.method, rule.path, seen.body);
        }
    }
    person.get("/console").await.expect(404);
    restricted.get("/console").await.expect(404);
}

/// A session that is over, or that never was, leads to the sign-in page.
#[tokio::test]
async fn a_session_that_has_ended_is_worth_nothing() {
    let world = World::on_sqlite().await;
    let ended = member(&world, Role::Owner).await;
    let (cookie, token) = (ended.cookie("endonym").unwrap(), ended.csrf());
    ended.post("/sign-out", &[]).await.expect(303);
    ended.set_cookie("endonym", &cookie);
    let planted = Browser::new(&world);
    planted.set_cookie("endonym", &"0a".repeat(32));
    let before = rows(&world, None).await;
    for rule in all() {
        let path = path(&world, &rule);
        for browser in [&ended, &planted, &Browser::new(&world)] {
            let seen = match rule.method == Method::POST {
                true => browser.post_bare(&path, &[("csrf", &token)], &[]).await,
                false => see(browser, &path).await,
            };
            assert_eq!(seen.status, 303, "{}: {}", rule.path, seen.body);
            assert!(seen.location().starts_with("/sign-in?institution=example&"), "{}", seen.location());
            let script = [("accept", "application/json"), (csrf::HEADER, token.as_str())];
            if rule.method == Method::POST {
                browser.post_bare(&path, &[], &script).await.expect(401);
            }
        }
    }
    assert_eq!(rows(&world, None).await, before, "nothing was changed");
}

/// How a member loses the console.
#[derive(Debug, Clone, Copy)]
enum End {
    SignOut,
    SignOutEverywhere,
    Removed,
    /// They are still registered on a name page, and stay signed in.
    RemovedPerson,
    Demoted,
}

/// Whoever has copied the cookie before has lost it as well, and what they were reading ends.
#[tokio::test]
async fn a_stolen_cookie_ends_with_the_session_and_with_the_role() {
    let world = World::on_sqlite().await;
    let institution = &world.institution;
    member(&world, Role::Owner).await;
    for end in [End::SignOut, End::SignOutEverywhere, End::Removed, End::RemovedPerson, End::Demoted] {
        let email = format!("{end:?}@example.edu").to_lowercase();
        if matches!(end, End::RemovedPerson) {
            world.person("Eva", &email).await;
        }
        let victim = member_named(&world, institution, &email, Role::Admin, &[]).await;
        let thief = Browser::new(&world);
        thief.set_cookie("endonym", &victim.cookie("endonym").unwrap());
        thief.get("/console/example").await.expect(200);
        let mut stream = thief.stream("/console/example/events").await;
        assert_eq!(stream.status(), 200, "{end:?}");
        match end {
            End::SignOut => drop(victim.post("/sign-out", &[]).await.expect(303)),
            // On another device.
            End::SignOutEverywhere => {
                let other = signed_in(&world, institution, &email).await;
                other.post("/sign-out", &[("everywhere", "1")]).await.expect(303);
            }
            End::Removed | End::RemovedPerson => {
                app::members::remove(&world.app, &Actor::Operator, institution.id, &email, None)
                    .await
                    .unwrap();
            }
            End::Demoted => set(&world, institution, &email, Role::Reader, &[&world.page]).await,
        }
        let before = rows(&world, None).await;
        for rule in all() {
            let expected = match end {
                End::SignOut | End::SignOutEverywhere | End::Removed => 303,
                End::RemovedPerson => 404,
                End::Demoted if rule.needs.role.includes(Role::Reader) => continue,
                End::Demoted => 403,
            };
            let seen = send(&world, &thief, &rule).await;
            assert_eq!(seen.status, expected, "{end:?} {} {}: {}", rule.method, rule.path, seen.body);
            let is_sent_away = seen.location().starts_with("/sign-in?institution=example&");
            assert!(expected != 303 || is_sent_away, "{end:?} {}: {}", rule.path, seen.location());
        }
        assert_eq!(rows(&world, None).await, before, "{end:?}: nothing was changed");
        world.advance(Duration::from_secs(16));
        let ending = async { while stream.chunk().await.unwrap().is_some() {} };
        tokio::time::timeout(Duration::from_secs(30), ending).await.expect("the stream ends");
    }
}

/// Dangerous acts need a sign-in of the last ten minutes; everything else does not.
#[tokio::test]
async fn an_old_session_signs_in_again_before_dangerous_acts() {
    let world = World::on_sqlite().await;
    let browser = member(&world, Role::Owner).await;
    world.advance(Duration::from_secs(11 * 60));
    let before = rows(&world, None).await;
    for rule in all() {
        let again = |seen: &Seen| seen.status == 303 && seen.location().contains("why=again");
        if rule.needs.is_fresh {
            let seen = send(&world, &browser, &rule).await;
            assert!(again(&seen), "{} {}: {} {}", rule.method, rule.path, seen.status, seen.body);
        } else if rule.method == Method::GET {
            let seen = send(&world, &browser, &rule).await;
            assert!(!again(&seen), "{}", rule.path);
        }
    }
    assert_eq!(rows(&world, None).await, before, "nothing was changed");
}

#[tokio::test]
async fn a_form_of_another_site_or_session_changes_nothing() {
    let world = World::on_sqlite().await;
    let (browser, other) = (member(&world, Role::Owner).await, member(&world, Role::Admin).await);
    browser.get("/console/example").await.expect(200);
    other.get("/console/example").await.expect(200);
    let (own, foreign, base) = (browser.csrf(), other.csrf(), world.base.as_str());
    assert!(own.len() == 64 && own != foreign);
    let same_site = ("sec-fetch-site", "same-origin");
    let before = rows(&world, None).await;
    for rule in all().iter().filter(|rule| rule.method == Method::POST) {
        let path = path(&world, rule);
        for (token, headers) in [
            (None, vec![]),
            (None, vec![("origin", base), same_site]),
            (Some(foreign.as_str()), vec![("origin", base), same_site]),
            (None, vec![(csrf::HEADER, foreign.as_str())]),
            (Some(own.as_str()), vec![("origin", "https://evil.example")]),
            (Some(own.as_str()), vec![("origin", "null")]),
            (Some(own.as_str()), vec![("sec-fetch-site", "cross-site")]),
            (Some(own.as_str()), vec![("sec-fetch-site", "same-site")]),
        ] {
            let fields: Vec<(&str, &str)> = token.into_iter().map(|token| ("csrf", token)).collect();
            let seen = browser.post_bare(&path, &fields, &headers).await;
            let what = format!("{path} {token:?} {headers:?}: {} {}", seen.status, seen.body);
            // A form with files is not read as one without.
            let is_unread = [400, 415].contains(&seen.status.as_u16());
            // There is no such record, whoever asks.
            let is_missing = path.split('/').count() > 4 && seen.status == 404;
            assert!(is_forged(&seen) || is_unread || is_missing, "{what}");
        }
    }
    assert_eq!(rows(&world, None).await, before, "nothing was changed");
}

fn check_headers(what: &str, seen: &Seen) {
    let header = |name: &str| {
        let value = seen.headers.get(name).unwrap_or_else(|| panic!("{what} ({}): no {name}", seen.status));
        value.to_str().unwrap().to_owned()
    };
    assert_eq!(header("cache-control"), "no-store", "{what}");
    if seen.status.is_redirection() {
        return;
    }
    assert_eq!(header("x-content-type-options"), "nosniff", "{what}");
    if !header("content-type").starts_with("text/html") {
        return;
    }
    assert_eq!(header("x-frame-options"), "DENY", "{what}");
    assert_eq!(header("referrer-policy"), "same-origin", "{what}");
    let policy = header("content-security-policy");
    for part in ["default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"] {
        assert!(policy.split("; ").any(|found| found == part), "{what}: {part} in {policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{what}: {policy}");
    for inline in ["<style", " style=\"", " onclick=", " onload=", "javascript:"] {
        assert!(!seen.body.contains(inline), "{what}: {inline}");
    }
    for script in seen.body.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap();
        assert!(tag.contains(" src=\"/") || tag.contains("application/json"), "{what}: <script{tag}>");
    }
}

#[tokio::test]
async fn every_page_has_the_headers_that_protect_it() {
    let world = World::on_sqlite().await;
    let owner = member(&world, Role::Owner).await;
    let reader = member(&world, Role::Reader).await;
    let stranger = Browser::new(&world);
    for rule in all() {
        let path = path(&world, &rule);
        if rule.method == Method::GET {
            for browser in [&owner, &reader, &stranger] {
                check_headers(&path, &see(browser, &path).await);
            }
        } else {
            // Refusals.
            check_headers(&path, &owner.post_bare(&path, &[], &[]).await);
            check_headers(&path, &stranger.post_bare(&path, &[], &[]).await);
        }
    }
    for path in ["/console", "/console/nowhere", "/operator/link/x", "/operator/link/%ff"] {
        check_headers(path, &owner.get(path).await);
        check_headers(path, &stranger.get(path).await);
    }
}
