//! `/p/{slug}/export`: who may download a name page, and what they get.

use endonym::{
    app::{Actor, members},
    domain::{
        email::Email,
        media::Kind,
        member::Role,
        name_page::{NamePage, NamePageRef},
    },
};
use reqwest::StatusCode;
use serde_json::json;

use crate::{me::Browser, pages::SOUND, support::World};

async fn signed_in<'a>(world: &'a World, email: &str) -> Browser<'a> {
    let browser = Browser::new(world);
    let mail = browser.mailed("", email).await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    browser
}

async fn member<'a>(world: &'a World, role: Role, page: Option<&NamePage>) -> Browser<'a> {
    let email = format!("{}@example.edu", role.word());
    let pages = page.map(|page| NamePageRef::parse(&page.slug).unwrap()).into_iter().collect();
    let (operator, institution) = (&Actor::Operator, world.institution.id);
    let address = Email::parse(&email).unwrap();
    members::set(&world.app, operator, institution, address, role, pages).await.unwrap();
    signed_in(world, &email).await
}

fn path(world: &World) -> String {
    format!("/p/{}/export", world.page.slug)
}

#[tokio::test]
async fn managers_choose_a_format_and_get_the_file() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "last_name": "Lima", "email": "ana@example.edu" });
    let ana = world.person_on(&world.page, ana).await;
    world.give(&ana, Kind::Recording, SOUND).await;
    for (role, page) in [(Role::Owner, None), (Role::Admin, None), (Role::Manager, Some(&world.page))] {
        let browser = member(&world, role, page).await;
        let choice = browser.get(&path(&world)).await.expect(200);
        assert_eq!(choice.headers["x-robots-tag"], "noindex");
        for (format, content_type, ending, start) in [
            ("csv", "text/csv; charset=utf-8", "csv", &b"\xef\xbb\xbf\"email\","[..]),
            ("vcard", "text/vcard; charset=utf-8", "vcf", &b"BEGIN:VCARD"[..]),
            ("zip", "application/zip", "zip", &b"PK"[..]),
            ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", &b"PK"[..]),
        ] {
            let link = format!("{}?format={format}", path(&world));
            assert!(choice.body.contains(&link), "{link}\n{}", choice.body);
            let (status, headers, file) = browser.file(&link, &[]).await;
            assert_eq!(status, 200, "{role:?} {format}");
            assert!(file.starts_with(start), "{format}: {file:?}");
            assert_eq!(headers["content-type"], content_type);
            let disposition = format!("attachment; filename=\"{}.{ending}\"", world.page.slug);
            assert_eq!(headers["content-disposition"], disposition);
            for (name, value) in [
                ("cache-control", "no-store"),
                ("x-content-type-options", "nosniff"),
                ("x-robots-tag", "noindex"),
            ] {
                assert_eq!(headers[name], value, "{format}");
            }
        }
        browser.get(&format!("{}?format=pdf", path(&world))).await.expect(404);
    }
}

#[tokio::test]
async fn nobody_else_gets_anything() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let second = world.page("Second").await;
    let (link, stranger) = (format!("{}?format=csv", path(&world)), Browser::new(&world));
    let sent_away = stranger.get(&link).await.expect(303);
    assert!(sent_away.location().contains("/sign-in?"), "{}", sent_away.location());
    for browser in [
        signed_in(&world, "ana@example.edu").await,
        member(&world, Role::Reader, Some(&world.page)).await,
        member(&world, Role::Manager, Some(&second)).await,
    ] {
        let refused = browser.get(&link).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND);
        assert!(!refused.body.contains("ana@example.edu,"), "{}", refused.body);
    }
}

#[tokio::test]
async fn managers_of_another_institution_are_strangers() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let address = Email::parse("owner@example.edu").unwrap();
    let institution = neighbor.institution.id;
    members::set(&world.app, &Actor::Operator, institution, address, Role::Owner, vec![]).await.unwrap();
    let browser = signed_in(&world, "owner@example.edu").await;
    let refused = browser.get(&format!("{}?format=csv", path(&world))).await;
    assert!([303, 404].contains(&refused.status.as_u16()), "{}", refused.body);
}
