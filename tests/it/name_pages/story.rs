//! The whole story of a name page, in a real browser and with a real mail server: thirty people are imported and invited, one of them
//! records, the others are reminded, a manager approves the recording, a listener hears it and prints the list. By keyboard alone, in
//! English and in Arabic.

use endonym::{
    app::{Actor, institutions, page_settings::Change},
    domain::{
        moment::Moment,
        page_settings::{Listen, Moderation},
    },
};
use serde_json::{Value, json};

use super::{
    browser::{ENTER, SPACE, arrive, check, record, tab_to, type_text},
    entry,
    invitations::count,
    make_manager, registered,
    reminders::to_the_morning,
    set,
};
use crate::{
    mail::Server,
    pages::browser::axe,
    support::{
        Setup, World,
        browser::{self, Browser, Microphone},
        speech::Clip,
        until,
    },
};

const DOWN: &str = "\u{e015}";
const MANAGER: &str = "manager@example.edu";
/// The one who records.
const WHO: &str = "p7@example.edu";
const PEOPLE: usize = 30;

struct Story {
    world: World,
    server: Server,
    browser: Browser,
    axe: String,
    language: &'static str,
    /// The first name of the one who records.
    name: &'static str,
}

impl Story {
    async fn begin(language: &'static str, name: &'static str) -> Self {
        let server = Server::start(&[]).await;
        let world = World::with(Setup { sqlite: true, mail: server.mailer(), ..Setup::default() }).await;
        // A Monday afternoon in New York: reminders come in the morning.
        world.app.clock.set(Moment::parse("2026-03-02T20:00:00Z").unwrap());
        let (listen, moderation) = (Some(Listen::Link), Some(Moderation::Hold));
        set(&world, Change { listen, moderation, ..Change::default() }).await;
        // Messages are in the language of the institution, for people who have chosen none.
        let change =
            institutions::Change { language: Some(language.to_owned()), ..institutions::Change::default() };
        institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
        make_manager(&world, MANAGER).await;
        world.work(1);
        let setup = browser::Setup {
            microphone: Some(Microphone::Granted),
            language: Some(language),
            ..browser::Setup::default()
        };
        let browser = Browser::with(setup).await;
        Self { world, server, browser, axe: axe(), language, name }
    }

    fn path(&self, below: &str) -> String {
        format!("/p/{}{below}", self.world.page.slug)
    }

    async fn go(&self, below: &str) {
        self.browser.go(&format!("{}{}", self.world.base, self.path(below))).await;
    }

    /// The page is in the right language, and accessible.
    async fn check(&self) {
        assert_eq!(self.browser.value("document.documentElement.lang").await, self.language);
        check(&self.browser, &self.axe).await;
    }

    /// Tab leads to the element, and Enter presses it.
    async fn press(&self, css: &str) {
        tab_to(&self.browser, &format!("matches('{css}')")).await;
        self.browser.press(ENTER).await;
    }

    /// Somebody else uses the browser now.
    async fn next_person(&self) {
        self.browser.devtools("Network.clearBrowserCookies", json!({})).await;
    }

    /// Recipients and texts of all messages that have a link which starts like this.
    fn mails(&self, link: &str) -> Vec<(String, String)> {
        let link = format!("{}{link}", self.world.base);
        let mails = self.server.received().into_iter().map(|message| (recipient(&message), text(&message)));
        mails.filter(|(_, text)| text.contains(&link)).collect()
    }

    /// Opens a page for managers, and signs in with the code in the message.
    async fn go_as_manager(&self, below: &str) {
        let before = self.mails("/sign-in/").len();
        self.next_person().await;
        self.go(below).await;
        arrive(&self.browser, "/sign-in").await;
        self.check().await;
        tab_to(&self.browser, "id === \"email\"").await;
        type_text(&self.browser, MANAGER).await;
        self.browser.press(ENTER).await;
        arrive(&self.browser, "/sign-in/code").await;
        until("the message with the code", || async { self.mails("/sign-in/").len() == before + 1 }).await;
        let (_, mail) = self.mails("/sign-in/").pop().unwrap();
        let code = mail.lines().find_map(|line| line.strip_prefix("    ")).expect("a code").trim();
        tab_to(&self.browser, "id === \"code\"").await;
        type_text(&self.browser, code).await;
        self.browser.press(ENTER).await;
        arrive(&self.browser, &self.path(below)).await;
        self.check().await;
    }

    async fn import(&self) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("people.csv");
        let name = |at: usize| if email(at) == WHO { self.name.to_owned() } else { format!("Person{at}") };
        let rows: String = (0..PEOPLE).map(|at| format!("{},{},Example\n", email(at), name(at))).collect();
        std::fs::write(&file, format!("email,first_name,last_name\n{rows}")).unwrap();
        // The browser's own window for choosing a file is out of reach of WebDriver.
        self.browser.write("#file", file.to_str().unwrap()).await;
        self.press("form:has(#file) button").await;
        // The columns are recognized.
        self.browser.until("document.querySelector(\"[name=column-2]\")?.value === \"last_name\"").await;
        self.check().await;
        self.press("form:has([name=line]) button").await;
        self.browser.until("document.querySelector(\"form[action$='/run'] button\")").await;
        assert_eq!(registered(&self.world).await, 0, "that was a dry run");
        self.check().await;
        self.press("form[action$=\"/run\"] button").await;
        until("the import", || async { count(&self.world, "imports WHERE state = 'done'").await == 1 }).await;
        // The page reloads by itself while the import runs.
        self.browser.reload().await;
        self.browser.until("document.querySelector(\"form[action$='/undo'] button\")").await;
        assert_eq!(registered(&self.world).await, PEOPLE as i64);
        self.check().await;
    }

    /// Invites everybody, and returns the link in the message to one of them.
    async fn invite(&self) -> String {
        self.go("/invitations").await;
        self.check().await;
        self.press("form:has([name=whom]) button").await;
        self.browser.until("document.querySelector(\".done[role=status]\")").await;
        self.check().await;
        self.all_have_mails("the invitations", |_| 1).await;
        let message = self.server.received().into_iter().find(|message| recipient(message) == WHO).unwrap();
        let html = message["parts"][1]["content"].as_str().unwrap();
        assert!(html.contains(&format!("lang=\"{}\"", self.language)), "{html}");
        let mail = text(&message);
        let start = format!("{}/i/", self.world.base);
        mail.split_whitespace().find(|word| word.starts_with(&start)).expect("a link").to_owned()
    }

    /// Waits until everybody has so many messages with their personal link.
    async fn all_have_mails(&self, what: &str, wanted: impl Fn(&str) -> usize) {
        until(what, || async {
            let mails = self.mails("/i/");
            let number = |to: &str| mails.iter().filter(|(other, _)| other == to).count();
            (0..PEOPLE).map(email).all(|to| number(&to) == wanted(&to))
        })
        .await;
    }

    async fn record(&self, link: &str) {
        self.next_person().await;
        self.browser.go(link).await;
        self.check().await;
        tab_to(&self.browser, "id === \"agree\"").await;
        self.browser.press(SPACE).await;
        self.press("#invitation > button").await;
        arrive(&self.browser, &self.path("/own")).await;
        self.browser.until_recorder_is("ready").await;
        self.check().await;
        record(&self.browser, &Clip::of("Siobhan Gallagher"), "record").await;
        self.browser.until("document.querySelector(\"#recordings .finished\")").await;
        self.check().await;
        assert_eq!(count(&self.world, "media WHERE kind = 'held'").await, 1);
    }

    async fn remind(&self) {
        to_the_morning(&self.world).await;
        self.all_have_mails("the reminders", |to| if to == WHO { 1 } else { 2 }).await;
        assert_eq!(count(&self.world, "invitations WHERE reminders = 1").await, PEOPLE as i64 - 1);
        let unreminded = format!("invitations WHERE reminders = 0 AND email_key = '{WHO}'");
        assert_eq!(count(&self.world, &unreminded).await, 1);
    }

    async fn approve(&self) {
        assert!(entry(&self.world, WHO).await.recording.is_none());
        self.go_as_manager("/moderation").await;
        tab_to(&self.browser, "matches(\"[data-case]\")").await;
        self.browser.press(SPACE).await;
        self.browser.until("document.querySelector(\"[data-case] audio\").played.length > 0").await;
        self.browser.press("a").await;
        self.browser.until("location.search === \"?done=approve\"").await;
        self.check().await;
        assert!(entry(&self.world, WHO).await.recording.is_some());
    }

    async fn listen(&self) {
        self.next_person().await;
        self.go("/people").await;
        self.browser.until("document.querySelector(\".play:not([hidden])\")").await;
        self.check().await;
        tab_to(&self.browser, "id === \"q\"").await;
        type_text(&self.browser, self.name).await;
        self.browser.until("document.querySelectorAll(\".people > li\").length === 1").await;
        self.browser.press(DOWN).await;
        self.browser.until("document.activeElement.matches(\".people > li\")").await;
        self.browser.press(SPACE).await;
        self.browser.until("document.querySelector(\".people audio\").played.length > 0").await;
    }

    async fn print(&self) {
        self.go("/people").await;
        self.press("main a[href$=\"/print\"]").await;
        arrive(&self.browser, &self.path("/people/print")).await;
        self.browser.until("document.querySelector(\"[data-print]:not([hidden])\")").await;
        self.check().await;
        let rows = "[...document.querySelectorAll(\".names tbody tr\")]";
        assert_eq!(self.browser.value(&format!("{rows}.length")).await, PEOPLE);
        let recorded = format!(
            "{rows}.filter((row) => row.textContent.includes(\"✓\")).map((row) => row.cells[0].textContent).join()"
        );
        assert_eq!(self.browser.value(&recorded).await, format!("{} Example", self.name));
        let printed = self.browser.devtools("Page.printToPDF", json!({})).await;
        assert!(
            printed["data"].as_str().is_some_and(|pdf| pdf.starts_with("JVBERi")),
            "a PDF file, in base64"
        );
    }
}

fn email(at: usize) -> String {
    format!("p{at}@example.edu")
}

fn recipient(message: &Value) -> String {
    message["rcpt_tos"][0].as_str().unwrap_or_default().to_owned()
}

/// The plain text of a message.
fn text(message: &Value) -> String {
    message["parts"][0]["content"].as_str().unwrap_or_default().replace("\r\n", "\n")
}

async fn is_told(language: &'static str, name: &'static str) {
    let story = Story::begin(language, name).await;
    story.go_as_manager("/import").await;
    story.import().await;
    let link = story.invite().await;
    story.record(&link).await;
    story.remind().await;
    story.approve().await;
    story.listen().await;
    story.print().await;
    assert_eq!(story.browser.clicks(), 0, "by keyboard alone");
    assert_eq!(story.browser.complaints().await, [""; 0]);
}

#[tokio::test]
async fn thirty_people_are_imported_invited_reminded_and_one_is_heard_in_english() {
    is_told("en", "Siobhan").await;
}

#[tokio::test]
async fn thirty_people_are_imported_invited_reminded_and_one_is_heard_in_arabic() {
    is_told("ar", "سارة").await;
}
