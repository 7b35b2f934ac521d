//! `/p/{slug}/messages`: an institution's own texts, with preview and test message.

use endonym::{
    app::{Actor, mail_texts, members},
    domain::{
        email::Email, language::Language, mail_text::PageMailKind, member::Role, name_page::NamePageRef,
    },
    words::Words,
};

use crate::{
    console::version,
    me::{Browser, Seen},
    support::World,
};

const ADMIN: &str = "admin@example.edu";

async fn member(world: &World, email: &str, role: Role) {
    // Administrators have all pages.
    let page = NamePageRef::parse(&world.page.slug).filter(|_| role == Role::Manager);
    let pages = page.into_iter().collect();
    let email = Email::parse(email).unwrap();
    members::set(&world.app, &Actor::Operator, world.institution.id, email, role, pages).await.unwrap();
}

async fn signed_in<'a>(world: &'a World, email: &str) -> Browser<'a> {
    let browser = Browser::new(world);
    let mail = browser.mailed("", email).await;
    browser.enter_code(&mail.code).await;
    browser
}

async fn administrator(world: &World) -> Browser<'_> {
    member(world, ADMIN, Role::Admin).await;
    signed_in(world, ADMIN).await
}

fn path(world: &World) -> String {
    format!("/p/{}/messages", world.page.slug)
}

async fn in_force(world: &World, language: Language) -> mail_texts::TextInForce {
    let (kind, institution) = (PageMailKind::Invitation, world.institution.id);
    mail_texts::find(&world.app, &Actor::Operator, institution, kind, language).await.unwrap()
}

/// The version in the form of the German text, as this browser sees it now.
async fn seen(browser: &Browser<'_>, path: &str) -> String {
    let page = browser.get(&format!("{path}?message=invitation&language=de")).await.expect(200);
    version(&page.body, path).to_owned()
}

/// Sends the form about the text with this version.
async fn send_about(browser: &Browser<'_>, path: &str, version: &str, fields: &[(&str, &str)]) -> Seen {
    browser.post(path, &[&[("version", version)], fields].concat()).await
}

/// Opens the form, and sends it.
async fn send(browser: &Browser<'_>, path: &str, fields: &[(&str, &str)]) -> Seen {
    let version = seen(browser, path).await;
    send_about(browser, path, &version, fields).await
}

fn german<'a>(action: &'a str, subject: &'a str, text: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("message", "invitation"), ("language", "de"), ("subject", subject), ("text", text), ("do", action)]
}

#[tokio::test]
async fn an_administrator_replaces_a_text_and_goes_back() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    let page = browser.get(&format!("{path}?message=invitation&language=de")).await.expect(200);
    assert!(page.body.contains("This is the text that comes with Endonym."), "{}", page.body);
    assert!(page.body.contains("Hallo {name},"), "the form has the text in force: {}", page.body);

    let done = format!("{path}?message=invitation&language=de&done=saved");
    let fields = german("save", "Für {page}", "Moin {name}!\r\n\r\n{link}");
    send(&browser, &path, &fields).await.redirects_to(&done);
    let page = browser.get(&done).await.expect(200);
    assert!(page.body.contains("The text is saved.") && page.body.contains("This is your own text."));
    let saved = in_force(&world, Language::German).await;
    assert!(saved.is_own);
    assert_eq!(saved.text.text, "Moin {name}!\n\n{link}");
    assert!(!in_force(&world, Language::English).await.is_own, "only German was replaced");

    let done = format!("{path}?message=invitation&language=de&done=reset");
    send(&browser, &path, &german("reset", "", "")).await.redirects_to(&done);
    assert!(!in_force(&world, Language::German).await.is_own);
}

#[tokio::test]
async fn the_second_of_two_is_told_sees_the_text_of_the_other_and_loses_nothing() {
    let world = World::new().await;
    let (one, path) = (administrator(&world).await, path(&world));
    member(&world, "owner@example.edu", Role::Owner).await;
    let two = signed_in(&world, "owner@example.edu").await;
    let old = seen(&two, &path).await;
    send(&one, &path, &german("save", "Ihr Betreff", "Ihr Text: {link}")).await.expect(303);
    let now = seen(&one, &path).await;
    assert_ne!(now, old);

    // A look at the preview, or a mistake, does not make it theirs.
    let mine = german("save", "Mein Betreff", "Mein Text: {link}");
    for (fields, status) in
        [(german("preview", "Mein Betreff", "{link}"), 200), (german("save", "Mein Betreff", "{nmae}"), 422)]
    {
        let page = send_about(&two, &path, &old, &fields).await.expect(status);
        assert_eq!(version(&page.body, &path), old, "{}", page.body);
    }
    // A form without a version is not one of ours.
    for base in [old.as_str(), ""] {
        let told = send_about(&two, &path, base, &mine).await.expect(409);
        assert!(told.body.contains("Somebody else has changed the text"), "{}", told.body);
        let theirs = "<strong>Ihr Betreff</strong></p><p>Ihr Text: {link}</p>";
        assert!(told.body.contains(theirs), "{}", told.body);
        for typed in ["Mein Betreff</textarea>", "Mein Text: {link}</textarea>"] {
            assert!(told.body.contains(typed), "{typed} in {}", told.body);
        }
        assert_eq!(version(&told.body, &path), now, "{}", told.body);
        let told = send_about(&two, &path, base, &german("reset", "", "")).await.expect(409);
        assert!(told.body.contains(theirs), "{}", told.body);
        assert!(told.body.contains("and the original text was not restored."), "{}", told.body);
        let how = "To replace it, choose “Go back to the original text” again.";
        assert!(told.body.contains(how), "{}", told.body);
        assert!(!told.body.contains("while you were writing"), "they wrote nothing: {}", told.body);
        assert_eq!(in_force(&world, Language::German).await.text.subject, "Ihr Betreff");
    }

    send_about(&two, &path, &now, &mine).await.expect(303);
    assert_eq!(in_force(&world, Language::German).await.text.text, "Mein Text: {link}");

    // Both go back to the original text.
    let now = seen(&two, &path).await;
    send_about(&one, &path, &now, &german("reset", "", "")).await.expect(303);
    let told = send_about(&two, &path, &now, &german("reset", "", "")).await.expect(409);
    assert!(told.body.contains("The original text is used again."), "{}", told.body);
    // One does, and the other saves: the text beside theirs is nobody's.
    let told = send_about(&two, &path, &now, &mine).await.expect(409);
    assert!(told.body.contains("Somebody else has gone back to the original text"), "{}", told.body);
    assert!(!told.body.contains("This is theirs."), "{}", told.body);
    for text in ["<p>Hallo {name},", "Mein Text: {link}</textarea>"] {
        assert!(told.body.contains(text), "{text} in {}", told.body);
    }
    let now = version(&told.body, &path);
    send_about(&two, &path, now, &mine).await.expect(303);
    assert_eq!(in_force(&world, Language::German).await.text.text, "Mein Text: {link}");
}

#[test]
fn a_sentence_that_names_the_button_has_its_label_in_every_language() {
    for language in Language::ALL {
        let words = Words::new(language);
        let (told, label) = (words.text("page-mail-page-not-reset"), words.text("page-mail-page-reset"));
        assert!(told.contains(&label), "{}: {label} in {told}", language.tag());
    }
}

#[tokio::test]
async fn every_message_has_a_preview_in_every_language() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    for kind in PageMailKind::ALL {
        for language in Language::ALL {
            let address = format!("{path}?message={}&language={}", kind.word(), language.tag());
            let page = browser.get(&address).await.expect(200);
            let preview = page.body.split("class=\"text-preview\"").nth(1).expect("a preview");
            let preview = preview.split("</section>").next().unwrap();
            let direction = format!("lang=\"{}\" dir=\"{}\"", language.tag(), language.direction());
            assert!(preview.contains(&direction), "{preview}");
            assert!(preview.contains("Ada Lovelace") && !preview.contains('{'), "{preview}");
            assert!(preview.contains(&world.institution.name), "{preview}");
        }
    }
}

#[tokio::test]
async fn a_preview_of_what_was_entered_saves_nothing() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    browser.get(&path).await.expect(200);
    let fields = german("preview", "S <b>", "Moin <i>{name}</i>\r\n\r\n{link}");
    let page = browser.post(&path, &fields).await.expect(200);
    let preview = page.body.split("class=\"text-preview\"").nth(1).unwrap();
    assert!(preview.contains("Moin &#60;i&#62;\u{2068}Ada Lovelace\u{2069}&#60;/i&#62;"), "{preview}");
    assert!(!page.body.contains("<i>"), "{}", page.body);
    assert!(page.body.contains("This text is not saved yet."), "{}", page.body);
    assert!(!page.body.contains("This is the text that comes with Endonym."), "{}", page.body);
    assert!(!in_force(&world, Language::German).await.is_own);
}

#[tokio::test]
async fn mistakes_are_shown_beside_what_was_entered_and_nothing_is_saved() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    browser.get(&path).await.expect(200);
    let long = "x".repeat(10_001);
    for (subject, text, sentence) in [
        ("S", "Moin {nmae} {link}", "is not a placeholder"),
        ("S", "Moin {name}", "The text must contain"),
        ("{name}", "{link}", "is not a placeholder"),
        ("S", "{link} {reason}", "is not a placeholder"),
        ("", "{link}", "Please enter a text."),
        ("S", " ", "Please enter a text."),
        ("S", long.as_str(), "too long"),
        ("a\u{7}b", "{link}", "cannot be sent"),
    ] {
        for action in ["save", "preview"] {
            let page = browser.post(&path, &german(action, subject, text)).await.expect(422);
            assert!(page.body.contains(sentence), "{subject} {text}: {}", page.body);
            assert!(page.body.contains("aria-invalid=\"true\" autofocus"), "{}", page.body);
            assert_eq!(page.body.matches("autofocus").count(), 1, "{}", page.body);
        }
        assert!(!in_force(&world, Language::German).await.is_own, "{text}");
    }
    let page = browser.post(&path, &german("save", "S", "<script>{nmae}")).await.expect(422);
    assert!(page.body.contains("&#60;script&#62;{nmae}") && !page.body.contains("<script>"));
}

#[tokio::test]
async fn a_subject_in_two_lines_is_saved_in_one() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    send(&browser, &path, &german("save", "Für\r\n{page}", "{link}")).await.expect(303);
    assert_eq!(in_force(&world, Language::German).await.text.subject, "Für {page}");
}

#[tokio::test]
async fn the_placeholders_are_a_list_that_runs_in_the_direction_of_the_page() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    for (language, list) in [
        ("en", "\u{2068}{page}\u{2069}, \u{2068}{institution}\u{2069}"),
        ("ar", "\u{2068}{page}\u{2069}، \u{2068}{institution}\u{2069}"),
    ] {
        let page = browser.get(&format!("{path}?lang={language}")).await.expect(200);
        assert!(page.body.contains(list), "{language}: {}", page.body);
    }
}

#[tokio::test]
async fn a_test_message_goes_to_the_administrator_alone() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    browser.get(&path).await.expect(200);
    let fields =
        [&german("test", "", "")[..], &[("to", "eve@example.edu"), ("email", "eve@example.edu")]].concat();
    let done = format!("{path}?message=invitation&language=de&done=tested");
    browser.post(&path, &fields).await.redirects_to(&done);
    let text = "SELECT email, message FROM outbox WHERE message LIKE '%sample%'";
    let found = world.app.db.read().rows(text, &[], |row| Ok((row.text(0)?, row.text(1)?))).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, ADMIN);
    assert!(found[0].1.contains("\"language\":\"de\""), "{}", found[0].1);
}

#[tokio::test]
async fn only_administrators_change_texts() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    member(&world, "manager@example.edu", Role::Manager).await;
    let path = path(&world);
    let visitor = Browser::new(&world);
    let sent_away = visitor.get(&path).await;
    assert!(sent_away.location().starts_with("/sign-in?"), "{}", sent_away.location());
    for (email, status) in [("ana@example.edu", 404), ("manager@example.edu", 403)] {
        let browser = signed_in(&world, email).await;
        browser.get("/me").await;
        browser.get(&path).await.expect(status);
        for action in ["save", "reset", "test", "preview"] {
            browser.post(&path, &german(action, "S", "{link}")).await.expect(status);
        }
    }
    assert!(!in_force(&world, Language::German).await.is_own);
}

#[tokio::test]
async fn only_administrators_are_shown_the_link() {
    let world = World::new().await;
    member(&world, "manager@example.edu", Role::Manager).await;
    let link = format!("/p/{}/messages\"", world.page.slug);
    let (administrator, manager) =
        (administrator(&world).await, signed_in(&world, "manager@example.edu").await);
    for below in ["", "/people", "/invitations", "/moderation", "/import", "/export", "/poster"] {
        let path = format!("/p/{}{below}", world.page.slug);
        for (browser, is_shown) in [(&administrator, true), (&manager, false)] {
            let page = browser.get(&path).await.expect(200);
            assert!(page.body.contains("<nav class=\"manage\""), "{path}: {}", page.body);
            assert_eq!(page.body.contains(&link), is_shown, "{path}: {}", page.body);
        }
    }
}

#[tokio::test]
async fn the_menu_of_managers_marks_the_page_that_is_shown_and_no_other() {
    let world = World::new().await;
    let browser = administrator(&world).await;
    let parts = ["", "/people", "/invitations", "/moderation", "/messages", "/import", "/export", "/poster"];
    for below in parts {
        let path = format!("/p/{}{below}", world.page.slug);
        for query in ["", "?language=de"] {
            let page = browser.get(&format!("{path}{query}")).await.expect(200);
            let menu =
                page.body.split("<nav class=\"manage\"").nth(1).unwrap().split("</nav>").next().unwrap();
            assert!(menu.contains(&format!("href=\"{path}\" aria-current=\"page\"")), "{path}: {menu}");
            assert_eq!(menu.matches("aria-current").count(), 1, "{path}: {menu}");
            assert!(menu.contains("href=\"/console\""), "{path} leads back to the console: {menu}");
        }
    }
}

#[tokio::test]
async fn a_form_without_its_token_changes_nothing() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    browser.get(&path).await.expect(200);
    let fields = german("save", "S", "{link}");
    browser.post_bare(&path, &fields, &[("origin", world.base.as_str())]).await.expect(403);
    let csrf = browser.csrf();
    let forged = [&[("csrf", csrf.as_str())][..], &fields].concat();
    browser.post_bare(&path, &forged, &[("origin", "https://evil.example")]).await.expect(403);
    assert!(!in_force(&world, Language::German).await.is_own);
}

#[tokio::test]
async fn unknown_words_in_the_address_show_the_first_message() {
    let world = World::new().await;
    let (browser, path) = (administrator(&world).await, path(&world));
    for query in ["?message=sign_in&language=tlh&done=hacked", "?message=%3Cscript%3E", "?language="] {
        let page = browser.get(&format!("{path}{query}")).await.expect(200);
        assert!(page.body.contains("value=\"invitation\" selected"), "{}", page.body);
    }
}
