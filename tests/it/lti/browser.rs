//! Launches in a real browser, in an iframe on another site.

use endonym::{
    app::{Actor, calls, lti::registrations},
    domain::{media::Kind, quiet_hours::QuietHours},
};
use serde_json::json;

use super::{library::Library, registration};
use crate::{
    pages::{SOUND, browser::axe},
    support::{
        Setup, World,
        browser::{self, Browser, Microphone},
        speech::Clip,
    },
};

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const DOWN: &str = "\u{e015}";

/// Violations that axe finds, in light and in dark mode.
async fn check(browser: &Browser, what: &str) {
    let axe = axe();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme).await;
        assert_eq!(browser.faults(&axe).await, [""; 0], "{what}, {scheme}");
    }
}

/// Adds a recording for a person in the course.
async fn record(library: &Library, email: &str) {
    let path = format!("/v5/participants?email_list={email}");
    let found = library.world.get(&path).await.expect(200);
    library.world.give(&found["Response"]["participants"][0], Kind::Recording, SOUND).await;
}

#[tokio::test]
async fn a_teacher_hears_a_course_by_keyboard_inside_a_frame_and_adds_a_link() {
    let library = Library::start(World::on_sqlite().await).await;
    let browser = Browser::start().await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('.none')?.textContent.includes('by themselves')").await;
    check(&browser, "a list that is being fetched").await;
    library.world.work(1);
    library.synchronized().await;
    // The page updates itself.
    browser.until("document.querySelectorAll('.people li').length === 4").await;
    for email in ["ana@example.edu", "siobhan@example.edu"] {
        record(&library, email).await;
    }
    browser.value("location.reload()").await;
    browser.until("document.querySelectorAll('.play').length === 2").await;
    check(&browser, "a course").await;
    browser.value("document.querySelector('#q').focus()").await;
    // Tab past the button and the two links, to the first name.
    for _ in 0..4 {
        browser.press(TAB).await;
    }
    assert_eq!(browser.value("document.activeElement.className").await, "play");
    assert_eq!(browser.value("getComputedStyle(document.activeElement).outlineStyle").await, "solid");
    browser.press(ENTER).await;
    let sound = |n: usize| format!("document.querySelectorAll('audio')[{n}]");
    browser.until(&format!("!{0}.paused && {0}.currentTime > 0.2", sound(0))).await;
    browser.press(DOWN).await;
    browser.press(ENTER).await;
    browser.until(&format!("!{0}.paused && {1}.paused", sound(1), sound(0))).await;
    browser.write("#q", "bhriain").await;
    browser.press(ENTER).await;
    browser.until("document.querySelector('.found')?.textContent.includes('1 found')").await;
    assert_eq!(
        browser.value("document.querySelector('.people .name').textContent").await,
        "Siobhán Ní Bhriain"
    );
    check(&browser, "a search").await;
    assert_eq!(browser.complaints().await, [""; 0], "the page's own policy lets all of it work");

    browser.enter(None).await;
    browser.go(&format!("{}/course?user=teacher&deep=1", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('#title')").await;
    check(&browser, "a link to be added").await;
    browser.click("button").await;
    // The frame shows the platform's own page again, which the parent may read.
    browser.enter(None).await;
    let said = "document.querySelector('iframe').contentDocument?.querySelector('pre')?.textContent";
    browser.until(&format!("{said}?.includes('LtiDeepLinkingResponse')")).await;
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
async fn a_student_writes_and_uploads_inside_a_frame() {
    let calling =
        calls::Rules { enabled: true, attempts: 1, quiet_hours: QuietHours::OFF, ..calls::Rules::nobody() };
    let library =
        Library::start(World::with(Setup { calling, sqlite: true, ..Setup::default() }).await).await;
    let browser = Browser::start().await;
    browser.go(&format!("{}/course?user=siobhan", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('h1')?.textContent === 'Siobhán Ní Bhriain'").await;
    check(&browser, "one's own entry").await;
    agree(&browser).await;
    browser.write("#phonetic", "shi-VAWN").await;
    browser.write("#notes", "The h is silent.").await;
    browser.click("form[action=details] button").await;
    browser.until("document.querySelector('.done')?.textContent === 'Saved.'").await;
    let file = library.world.folder.path().join("name.mp3");
    std::fs::write(&file, SOUND).unwrap();
    browser.click("[data-do=file]").await;
    browser.write("#recorder-file", file.to_str().unwrap()).await;
    browser.until_recorder_is("take").await;
    browser.click("[data-do=keep]").await;
    browser.until_recorder_is("kept").await;
    // The page plays the new recording without being loaded again.
    browser.until("document.querySelector('#own-recording .play')?.hidden === false").await;
    browser.click("#own-recording .play").await;
    browser
        .until("!document.querySelector('audio').paused && document.querySelector('audio').currentTime > 0.2")
        .await;
    check(&browser, "one's own recording").await;
    browser.write("#phone_number", "12").await;
    browser.click("form[action=call] button").await;
    browser.until("document.querySelector('#phone-fault')").await;
    assert_eq!(browser.value("document.activeElement.id").await, "phone_number", "where it is wrong");
    check(&browser, "a number that is none").await;
    let only_that = browser.complaints().await;
    assert!(only_that.iter().all(|line| line.contains("422")), "{only_that:?}");
}

async fn with_microphone() -> Browser {
    Browser::with(browser::Setup { microphone: Some(Microphone::Granted), ..browser::Setup::default() }).await
}

/// Agrees to the text about recordings.
async fn agree(browser: &Browser) {
    browser.until("document.querySelector('.consent button')").await;
    browser.click(".consent button").await;
    browser.until("document.querySelector('.recorder')").await;
}

/// Records and keeps a name, and compares it with what the server has stored.
async fn say_name(browser: &Browser, library: &Library) {
    let clip = Clip::of("Siobhan Gallagher");
    browser.click_button("Record my name").await;
    browser.say_into_recorder(&clip).await;
    // The page's policy lets the take be played.
    browser.click_button("Play").await;
    browser.until("document.querySelector('[data-do=play]').ariaPressed === 'true'").await;
    browser.click_button("Use this recording").await;
    browser.until_recorder_is("kept").await;
    browser.until("document.querySelector('#own-recording .play')?.hidden === false").await;
    let link = browser.value("document.querySelector('#own-recording audio').src").await;
    let stored = library.world.client.get(link.as_str().unwrap()).send().await.unwrap();
    let figures = clip.compare(&stored.bytes().await.unwrap());
    assert!(figures.correlation > 0.7 && figures.lost_before + figures.lost_after < 0.1, "{figures:?}");
    check(browser, "a recording that was just made").await;
    assert_eq!(browser.complaints().await, [""; 0], "the page's own policy lets all of it work");
}

#[tokio::test]
async fn a_student_records_in_a_frame_that_may_use_the_microphone() {
    let library = Library::start(World::on_sqlite().await).await;
    let browser = with_microphone().await;
    browser.go(&format!("{}/course?user=siobhan&allow=microphone", library.base)).await;
    browser.enter(Some("iframe")).await;
    agree(&browser).await;
    browser.until_recorder_is("ready").await;
    check(&browser, "the recorder").await;
    say_name(&browser, &library).await;
}

#[tokio::test]
async fn where_a_frame_may_not_use_the_microphone_its_own_window_may() {
    let library = Library::start(World::on_sqlite().await).await;
    let browser = with_microphone().await;
    browser.go(&format!("{}/course?user=siobhan", library.base)).await;
    browser.enter(Some("iframe")).await;
    agree(&browser).await;
    browser.until_recorder_is("blocked").await;
    check(&browser, "a frame without a microphone").await;
    browser.click("[data-own-window] a").await;
    browser.enter_new_window().await;
    browser.until("document.querySelector('h1')?.textContent === 'Siobhán Ní Bhriain'").await;
    browser.until_recorder_is("ready").await;
    say_name(&browser, &library).await;
}

#[tokio::test]
async fn a_page_that_is_not_listed_cannot_show_a_course() {
    let library = Library::framed_by(World::on_sqlite().await, Some("https://lms.example.edu")).await;
    let browser = Browser::start().await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.readyState === 'complete' && location.protocol === 'chrome-error:'").await;
    browser.enter(None).await;
    let complaints = browser.complaints().await;
    assert!(complaints.iter().any(|line| line.contains("frame-ancestors")), "{complaints:?}");
    // Outside of a frame the same launch works.
    browser.go(&format!("{}/launch?user=teacher", library.base)).await;
    browser.until("document.querySelector('h1')?.textContent === 'Names of the World'").await;
}

#[tokio::test]
async fn where_a_frame_has_no_cookies_a_window_of_its_own_has() {
    // Third-party cookies are blocked.
    let preferences = json!({
        "profile.default_content_setting_values.cookies": 2,
        "profile.content_settings.exceptions.cookies": {
            "http://127.0.0.1:*,http://127.0.0.1:*": { "setting": 1 },
        },
    });
    let library = Library::start(World::on_sqlite().await).await;
    let browser = Browser::with(browser::Setup { preferences, ..browser::Setup::default() }).await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('a.button')").await;
    let text = browser.value("document.body.innerText").await;
    assert!(!text.as_str().unwrap().contains("Names of the World"), "{text}");
    check(&browser, "a frame without cookies").await;
    browser.click("a.button").await;
    browser.enter_new_window().await;
    browser.until("document.querySelector('h1')?.textContent === 'Names of the World'").await;
}

#[tokio::test]
async fn a_registration_tells_the_page_around_it_that_it_is_done() {
    let world = World::on_sqlite().await;
    let (platform, _) = registration::platform().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let address = format!(
        "{}?openid_configuration={platform}/.well-known/openid-configuration",
        registrations::invitation(&world.base, &invite)
    );
    let browser = Browser::start().await;
    browser.go(&format!("{platform}/tools#{address}")).await;
    browser.until("document.title === 'org.imsglobal.lti.close'").await;
    browser.enter(Some("iframe")).await;
    assert_eq!(browser.value("document.querySelector('h1').textContent").await, "Registered");
    check(&browser, "a registration").await;
}

#[tokio::test]
async fn a_refusal_is_read_in_the_frame_of_a_platform_that_nobody_knows() {
    let world = World::on_sqlite().await;
    let (platform, _) = registration::platform().await;
    let browser = Browser::start().await;
    let unknown = format!(
        "{0}/lti/login?iss=https://unknown.example&login_hint=u&target_link_uri={0}/lti/launch",
        world.base
    );
    let used = format!(
        "{}?openid_configuration={platform}/.well-known/openid-configuration",
        registrations::invitation(&world.base, &"0".repeat(64))
    );
    for (address, title) in
        [(used, "This invitation cannot be used"), (unknown, "This learning system is not known here")]
    {
        browser.enter(None).await;
        browser.go("about:blank").await;
        browser.go(&format!("{platform}/tools#{address}")).await;
        browser.enter(Some("iframe")).await;
        browser.until(&format!("document.querySelector('h1')?.textContent === '{title}'")).await;
        check(&browser, title).await;
    }
}

#[tokio::test]
async fn a_frame_is_as_light_or_dark_as_the_platform_and_a_window_as_the_system() {
    let library = Library::start(World::on_sqlite().await).await;
    library.world.work(1);
    let browser = Browser::start().await;
    let paper = "getComputedStyle(document.documentElement).backgroundColor";
    let axe = axe();
    let (light, dark) = ("rgb(252, 251, 248)", "rgb(20, 24, 26)");
    for (system, query, color) in [("dark", "", light), ("light", "&theme=dark", dark)] {
        browser.enter(None).await;
        browser.prefer(system).await;
        browser.go(&format!("{}/course?user=teacher{query}", library.base)).await;
        browser.enter(Some("iframe")).await;
        browser.until("document.querySelectorAll('.people li').length === 4").await;
        assert_eq!(browser.value(paper).await, color, "{system}{query}");
        assert_eq!(browser.faults(&axe).await, [""; 0], "{system}{query}");
    }
    browser.enter(None).await;
    for (system, color) in [("dark", dark), ("light", light)] {
        browser.prefer(system).await;
        browser.go(&format!("{}/launch?user=teacher", library.base)).await;
        browser.until("document.querySelectorAll('.people li').length === 4").await;
        assert_eq!(browser.value(paper).await, color, "{system}");
    }
}

#[tokio::test]
async fn a_teacher_waits_for_a_synchronization_and_adds_their_own_name() {
    let library = Library::start(World::on_sqlite().await).await;
    library.world.work(1);
    let browser = Browser::start().await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelectorAll('.people li').length === 4").await;
    let time = "document.querySelector('.sync time')?.getAttribute('datetime')";
    let before = browser.value(time).await;
    assert!(before.is_string(), "{before}");
    // The page contains the time of its data, and polls only until that changes.
    library.leave("siobhan").await;
    browser.click("form[action=sync] button").await;
    browser.until("document.querySelectorAll('.people li').length === 3").await;
    browser.click("form[action=me] button").await;
    browser.until("document.querySelector('h1')?.textContent === 'Rosa Klein'").await;
    check(&browser, "a teacher's own entry").await;
    browser.write("#phonetic", "ROH-za KLINE").await;
    browser.click("form[action=details] button").await;
    browser.until("document.querySelector('.done')?.textContent === 'Saved.'").await;
    browser.click(".eyebrow a").await;
    browser.until("document.querySelector('.staff .phonetic')?.textContent.includes('ROH-za')").await;
    assert_eq!(browser.value("document.querySelector('.count').textContent").await, "3");
    check(&browser, "a course with those who teach").await;
    assert_eq!(browser.complaints().await, [""; 0], "the page's own policy lets all of it work");
}

#[tokio::test]
async fn initials_of_any_script_fit_their_circle() {
    let library = Library::start(World::on_sqlite().await).await;
    library.world.work(1);
    library.launch("user=teacher").await;
    library.synchronized().await;
    let course = endonym::app::courses::all(&library.world.app, &Actor::Operator, &library.consumer)
        .await
        .unwrap()
        .remove(0);
    let reference = endonym::domain::name_page::NamePageRef::parse(&course.name_page.to_string()).unwrap();
    let institution = library.world.institution.id;
    let page = endonym::app::name_pages::find(&library.world.app, &Actor::Operator, institution, &reference)
        .await
        .unwrap();
    for (at, (first, last)) in [
        ("Wendy", "Weaver"),
        ("小龍", "龘"),
        ("ضياء", "صالح"),
        ("कृष्ण", "क्षत्रिय"),
        ("ஔவையார்", "ஔ"),
        ("ഔസേപ്പ്", "ഔ"),
        ("เอก", "แก้ว"),
        ("ꦄꦤ", "ꦄ"),
        ("ﷺ", "ﷻ"),
        ("አማኑኤል", "ጸጋዬ"),
        ("ကျော်", "ဪ"),
        ("Z\u{337}\u{35c}\u{321}\u{348}\u{349}algo", "W\u{337}\u{35c}"),
        ("🙂", "🧑‍🚀"),
    ]
    .into_iter()
    .enumerate()
    {
        let person = json!({ "first_name": first, "last_name": last, "email": format!("p{at}@example.edu") });
        library.world.person_on(&page, person).await;
    }
    let browser = Browser::start().await;
    browser.go(&format!("{}/launch?user=teacher", library.base)).await;
    browser.until("document.querySelectorAll('.people li').length === 17").await;
    // Half of the text, at the height where the circle ends.
    let outside = "[...document.querySelectorAll('.face')].filter((face) => {
        const range = document.createRange();
        range.selectNodeContents(face);
        const [text, circle] = [range.getBoundingClientRect(), face.getBoundingClientRect()];
        const height = parseFloat(getComputedStyle(face).fontSize) * 0.4;
        return text.width / 2 > Math.sqrt((circle.width / 2) ** 2 - height ** 2);
    }).map((face) => face.textContent)";
    assert_eq!(browser.value(outside).await, json!([]));
}
