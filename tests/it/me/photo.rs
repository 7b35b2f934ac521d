//! The photo on a person's own page.

use std::io::Write;

use endonym::app::{Actor, own_person, studio};
use endonym_media::picture;
use serde_json::{Value, json};

use super::{
    Browser, Seen,
    own::{ANA, ana, link, person, signed_in, world},
};
use crate::{
    pages::browser::axe,
    support::{
        Answer, Setup, World, browser,
        media::{file, files, png},
    },
};

/// Three stripes, 300 × 200: red, green and blue from left to right.
const STRIPES_PNG: &[u8] = include_bytes!("fixtures/stripes.png");
const STRIPES_JPEG: &[u8] = include_bytes!("fixtures/stripes.jpg");
/// Two frames, 6 × 4: red, then blue.
const ANIMATED: &[u8] = include_bytes!("fixtures/animated.gif");

/// The stripes as a camera writes them that was held upright: from top to bottom when they are shown.
fn turned() -> Vec<u8> {
    let exif = b"Exif\0\0II\x2A\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0GPS-SECRET";
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&STRIPES_JPEG[..2], &[0xFF, 0xE1], &length, exif, &STRIPES_JPEG[2..]].concat()
}

/// The width and height of a JPEG.
fn size(jpeg: &[u8]) -> (u16, u16) {
    let frame = jpeg.windows(2).position(|pair| matches!(pair, [0xFF, 0xC0 | 0xC2])).expect("a frame");
    let number = |at: usize| u16::from_be_bytes([jpeg[frame + at], jpeg[frame + at + 1]]);
    (number(7), number(5))
}

impl Browser<'_> {
    async fn send_photo(&self, picture: &[u8]) -> Seen {
        let csrf = self.csrf();
        let headers = [("origin", self.base), ("sec-fetch-site", "same-origin")];
        self.post_file("/me/photo", ("photo", picture), &[("csrf", &csrf)], &headers).await
    }
}

/// The paths of Ana's photos, by page.
async fn photos(world: &World) -> Vec<Option<String>> {
    let own = own_person::find(&world.app, &Actor::Operator, &person(world, ANA)).await.unwrap();
    let path = |hex: &String| format!("/photos/{}/photo_{hex}.jpg", world.institution.id);
    own.registrations.iter().map(|one| one.entry.photo.as_ref().map(path)).collect()
}

fn blobs(world: &World) -> usize {
    files(&world.folder.path().join("blobs")).len()
}

#[tokio::test]
async fn a_photo_is_a_square_and_the_same_on_all_pages_until_it_is_removed() {
    let world = world().await;
    let choir = world.page("Choir").await;
    // An API client has set one on this page.
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA, "avatar": file(png()) })).await;
    let browser = ana(&world).await;
    let page = browser.get("/me").await.expect(200);
    assert!(page.body.contains("Some of your pages do not show it yet."), "{}", page.body);
    let mut before = photos(&world).await[1].clone().unwrap();
    for (picture, side) in [(STRIPES_PNG, 200), (&turned(), 200), (ANIMATED, 4), (&png(), 1)] {
        browser.send_photo(picture).await.redirects_to("/me?done=photo");
        let now = photos(&world).await;
        let [Some(first), Some(second)] = &now[..] else { panic!("two photos: {now:?}") };
        assert_ne!(first, second, "each page has its own link");
        for path in [first, second] {
            let (status, headers, bytes) = browser.file(path, &[]).await;
            assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "image/jpeg"));
            assert_eq!(size(&bytes), (side, side));
            assert!(!bytes.windows(4).any(|word| word == b"Exif" || word == b"GPS-"), "no metadata");
            let small = browser.file(&path.replace(".jpg", "_128.jpg"), &[]).await.2;
            assert_eq!(size(&small), (side.min(128), side.min(128)));
        }
        browser.get(&before).await.expect(404);
        assert_eq!(blobs(&world), 4, "two pages, each with a photo and a thumbnail");
        before.clone_from(first);
        let page = browser.get("/me?done=photo").await.expect(200).body;
        assert!(
            page.contains("Your photo is saved.") && page.contains(&format!("src=\"{first}\"")),
            "{page}"
        );
        assert!(!page.contains("Some of your pages do not show it yet."), "{page}");
    }
    let shown = world.get(&format!("/v4/participants/{ANA}")).await.expect(200);
    assert!(shown["participant"]["photo"].as_str().unwrap().contains("/photos/"), "{shown:?}");
    browser.post("/me/photo/delete", &[]).await.redirects_to("/me?done=photo-deleted");
    assert_eq!((photos(&world).await, blobs(&world)), (vec![None, None], 0));
    browser.get(&before).await.expect(404);
    let page = browser.get("/me?done=photo-deleted").await.expect(200).body;
    assert!(page.contains("Your photo is removed.") && !page.contains("/photos/"), "{page}");
    // Removing what is not there is no fault: another tab may have done it.
    browser.post("/me/photo/delete", &[]).await.redirects_to("/me?done=photo-deleted");
}

#[tokio::test]
async fn a_refused_picture_is_explained_next_to_the_form() {
    let limits = picture::Limits { bytes: 100_000, pixels: 59_999 };
    let studio = studio::Settings { picture: limits, ..studio::Settings::default() };
    let world = World::with(Setup { studio, ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    let browser = ana(&world).await;
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";
    let large = [STRIPES_PNG, &[0; 120_000]].concat();
    for (picture, status, sentence) in [
        (&b""[..], 422, "Please choose a photo first."),
        (b"not a picture", 422, "We cannot use this file."),
        (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", 422, "We cannot use this file."),
        (heic, 422, "This is a HEIC picture"),
        (&ANIMATED[..60], 422, "This picture is damaged or incomplete."),
        (STRIPES_PNG, 422, "This picture is too large."),
        (&large, 422, "This picture is too large."),
        (&vec![0_u8; 300_000], 413, "This picture is too large."),
    ] {
        let page = browser.send_photo(picture).await.expect(status).body;
        assert!(page.contains(sentence) && page.contains("id=\"photo-fault\""), "{sentence}: {page}");
    }
    assert_eq!((photos(&world).await, blobs(&world)), (vec![None], 0));
}

#[tokio::test]
async fn only_forms_of_the_own_session_change_the_photo() {
    let world = world().await;
    let (browser, other) = (ana(&world).await, ana(&world).await);
    browser.send_photo(STRIPES_PNG).await.redirects_to("/me?done=photo");
    let before = photos(&world).await;
    let (own, foreign) = (browser.csrf(), other.csrf());
    for (fields, headers) in [
        (&[][..], &[][..]),
        (&[("csrf", foreign.as_str())], &[]),
        (&[("csrf", own.as_str())], &[("origin", "https://evil.example")]),
        (&[("csrf", own.as_str())], &[("sec-fetch-site", "cross-site")]),
    ] {
        browser.post_file("/me/photo", ("photo", &png()), fields, headers).await.expect(403);
        browser.post_bare("/me/photo/delete", fields, headers).await.expect(403);
    }
    let stranger = Browser::new(&world);
    let fields = [("csrf", own.as_str())];
    stranger.post_file("/me/photo", ("photo", &png()), &fields, &[]).await.redirects_to("/sign-in");
    stranger.post_bare("/me/photo/delete", &fields, &[]).await.redirects_to("/sign-in");

    // The same email in another institution is another person.
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, reqwest::Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let neighbor = signed_in(&world, there.institution.id, ANA).await;
    assert!(!neighbor.get("/me").await.body.contains("/photos/"));
    neighbor.send_photo(STRIPES_JPEG).await.redirects_to("/me?done=photo");
    neighbor.post("/me/photo/delete", &[]).await.redirects_to("/me?done=photo-deleted");
    assert_eq!(photos(&world).await, before);
}

#[tokio::test]
async fn two_tabs_at_once_leave_one_photo() {
    let world = world().await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let (first, second) = (ana(&world).await, ana(&world).await);
    let jpeg = turned();
    let (one, other) = tokio::join!(first.send_photo(STRIPES_PNG), second.send_photo(&jpeg));
    one.redirects_to("/me?done=photo");
    other.redirects_to("/me?done=photo");
    for path in photos(&world).await {
        first.get(&path.unwrap()).await.expect(200);
    }
    assert_eq!(blobs(&world), 4, "the files of the other one are deleted");
}

/// A file with these bytes.
fn written(bytes: &[u8], ending: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(ending).tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

#[tokio::test]
async fn a_photo_is_cropped_in_a_real_browser() {
    let world = World::on_sqlite().await;
    world.person("Ana", ANA).await;
    let browser = browser::Browser::start().await;
    browser.go(&link(&world, world.institution.id, ANA).await).await;
    browser.click("main button").await;
    browser.until("location.pathname === '/me'").await;
    let [png, jpeg, text] =
        [written(STRIPES_PNG, ".png"), written(&turned(), ".jpg"), written(b"no picture", ".png")];
    let choose = async |file: &tempfile::NamedTempFile| {
        browser.write("#photo-file", file.path().to_str().unwrap()).await;
    };
    let send = async |expected: &str| {
        browser.value("window.old = true").await;
        browser.click("#photo-form > button").await;
        browser.until(&format!("!window.old && document.body?.innerText.includes('{expected}')")).await;
    };
    // The color of the stored photo at a place in percent: r, g or b.
    let color = async |x: u32, y: u32| {
        let script = format!(
            "(() => {{ const image = document.querySelector('.portrait'), canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            const [r, g, b] = context.getImageData(canvas.width * {x} / 100, canvas.height * {y} / 100, 1, 1).data;
            return r > g && r > b ? 'r' : g > b ? 'g' : 'b'; }})()"
        );
        browser.until("document.querySelector('.portrait')?.complete").await;
        browser.value(&script).await
    };
    let is_open = "!document.querySelector('.crop').hidden";

    // The center, if nothing else is chosen.
    choose(&png).await;
    browser.until(is_open).await;
    assert_eq!(browser.faults(&axe()).await, [""; 0]);
    send("Your photo is saved.").await;
    assert_eq!([color(10, 50).await, color(50, 50).await, color(90, 50).await], ["r", "g", "b"]);

    // By keyboard: the right end, at four times the size.
    choose(&png).await;
    browser.until(is_open).await;
    browser.value("document.querySelector('#crop-zoom').focus()").await;
    browser.press("\u{E010}").await;
    browser.value("document.querySelector('#crop-x').focus()").await;
    browser.press("\u{E010}").await;
    let view = browser
        .value("['zoom', 'x', 'y'].map((name) => document.querySelector(`#crop-${name}`).value)")
        .await;
    assert_eq!(view, json!(["400", "100", "50"]));
    send("Your photo is saved.").await;
    assert_eq!([color(5, 50).await, color(95, 50).await], ["b", "b"]);

    // By pointer: what is dragged to the right shows the left end.
    choose(&png).await;
    browser.until(is_open).await;
    browser
        .value(
            "(() => { const canvas = document.querySelector('.crop-view');
            const fire = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: 50 }));
            canvas.setPointerCapture = () => {};
            fire('pointerdown', 100); fire('pointermove', 900); fire('pointerup', 900); })()",
        )
        .await;
    assert_eq!(browser.value("document.querySelector('#crop-x').value").await, "0");
    send("Your photo is saved.").await;
    assert_eq!([color(10, 50).await, color(90, 50).await], ["r", "g"]);

    // A photo from a camera that was turned: the stripes go from top to bottom.
    choose(&jpeg).await;
    browser.until(is_open).await;
    send("Your photo is saved.").await;
    assert_eq!([color(50, 10).await, color(50, 50).await, color(50, 90).await], ["r", "g", "b"]);

    // What the browser cannot read is sent as it is, and the server says why it is refused.
    choose(&text).await;
    assert_eq!(browser.value("document.querySelector('.crop').hidden").await, Value::Bool(true));
    send("We cannot use this file.").await;
    let stripes = photos(&world).await;
    assert!(matches!(&stripes[..], [Some(_)]));
    assert_eq!(browser.faults(&axe()).await, [""; 0]);
}
