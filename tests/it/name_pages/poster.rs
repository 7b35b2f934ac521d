//! The poster and the QR code of a page.

use endonym::{app::page_settings::Change, domain::page_settings::Register};

use super::{ANA, make_manager, set};
use crate::{me::Browser, support::World};

const MIA: &str = "mia@example.edu";
const POSTER: &str = "/p/class-of-2027/poster";
const CODE: &str = "/p/class-of-2027/qr.svg";

async fn manager(world: &World) -> Browser<'_> {
    make_manager(world, MIA).await;
    let browser = Browser::new(world);
    let mail = browser.mailed("?return_to=/p/class-of-2027/poster", MIA).await;
    browser.enter_code(&mail.code).await.redirects_to(POSTER);
    browser
}

#[tokio::test]
async fn a_manager_prints_a_poster_with_the_address() {
    let world = World::new().await;
    set(&world, Change { date: Some("2027-06-12".into()), ..Change::default() }).await;
    let browser = manager(&world).await;
    let page = browser.get(POSTER).await.expect(200);
    // It is broken at slashes, if it must be.
    let address = format!("{}/<wbr>p/<wbr>class-of-2027", world.base.trim_start_matches("http://"));
    for part in [
        "<bdi>Class of 2027</bdi>",
        "2027-06-12",
        "Example University",
        &address,
        "<svg",
        "poster a4",
        "data-print hidden",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains(&world.page.event_code), "nobody needs it here");
    assert!(!page.body.contains(&world.page.access_code));
    let letter = browser.get("/p/class-of-2027/poster?paper=letter").await.expect(200);
    assert!(letter.body.contains("poster letter"));
    let odd = browser.get("/p/class-of-2027/poster?paper=%22%3E%3Cb%3E").await.expect(200);
    assert!(odd.body.contains("poster a4") && !odd.body.contains("\"><b>"));
    let style = page.body.split("rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let (_, _, style) = browser.file(style, &[]).await;
    let style = String::from_utf8(style).unwrap();
    for rule in ["@page a4 { size: A4", "@page letter { size: letter", "@media print"] {
        assert!(style.contains(rule), "{rule}");
    }
}

#[tokio::test]
async fn the_event_code_is_on_the_poster_where_people_need_it() {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Code), ..Change::default() }).await;
    let browser = manager(&world).await;
    let page = browser.get(POSTER).await.expect(200);
    assert!(page.body.contains(&world.page.event_code), "{}", page.body);
    let with_code = browser.file(CODE, &[]).await.2;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    assert_ne!(browser.file(CODE, &[]).await.2, with_code, "the code is in the QR code");
}

#[tokio::test]
async fn the_qr_code_alone_is_a_picture() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let (status, headers, svg) = browser.file(CODE, &[]).await;
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "image/svg+xml"));
    assert_eq!(headers["content-disposition"], "attachment; filename=\"class-of-2027.svg\"");
    assert_eq!(headers["x-robots-tag"], "noindex");
    assert!(String::from_utf8(svg).unwrap().starts_with("<svg"));
}

/// A poster tells the event code, so it is for managers.
#[tokio::test]
async fn others_find_no_poster() {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    let visitor = Browser::new(&world);
    for path in [POSTER, CODE] {
        let seen = visitor.get(path).await.expect(303);
        let back: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
        assert_eq!(seen.location(), format!("/sign-in?institution=example&return_to={back}"));
    }
    let ana = Browser::new(&world);
    ana.register(&world, "class-of-2027", ANA, "Ana").await;
    // A manager of another page, and one of another institution.
    let there = world.neighbor().await;
    let choir = world.page("Choir").await;
    let mia = manager(&world).await;
    for (browser, path) in [
        (&ana, POSTER.to_owned()),
        (&ana, CODE.to_owned()),
        (&mia, format!("/p/{}/poster", choir.slug)),
        (&mia, format!("/p/{}/qr.svg", choir.slug)),
    ] {
        let seen = browser.get(&path).await.expect(404);
        assert!(!seen.body.contains("<svg"), "{path}");
    }
    let seen = mia.get(&format!("/p/{}/poster", there.page.slug)).await.expect(303);
    assert!(seen.location().starts_with("/sign-in?institution="), "{}", seen.location());
}
