//! From the link that `endonym serve --demo` prints to a class of thirty that is imported, invited and recorded, without a shell: the
//! real program, with a real mail server.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::{choose, coverage, fits, play, texts};
use crate::{
    console::hidden,
    mail::{FROM, Server},
    me,
    name_pages::browser::arrive,
    support::{
        browser::{self, Browser, Microphone},
        media::wav,
        process::{Installation, Serving},
        speech::Clip,
        until,
    },
};

const OWNER: &str = "owner@demo.example";
const CONSOLE: &str = "/console/demo";
const TITLE: &str = "Class of 2031";
const PEOPLE: usize = 30;

struct Story {
    // Dropped in this order.
    browser: Browser,
    serving: Serving,
    mail: Server,
    here: Installation,
}

fn email(at: usize) -> String {
    format!("p{at:02}@college.example")
}

fn first_name(at: usize) -> String {
    format!("Person{at:02}")
}

/// The plain text of a message.
fn text(message: &Value) -> &str {
    message["parts"][0]["content"].as_str().unwrap_or_default()
}

impl Story {
    async fn begin() -> Self {
        let (mail, here) = (Server::start(&[]).await, Installation::on_sqlite());
        let url = mail.url();
        let settings = ["--mail-url", &url, "--mail-from", FROM, "--mail-per-minute", "6000"];
        let serving = here.serve(&[&["--demo"][..], &settings].concat());
        let setup = browser::Setup { microphone: Some(Microphone::Granted), ..browser::Setup::default() };
        Self { browser: Browser::with(setup).await, serving, mail, here }
    }

    /// The link under the line that begins like this.
    fn printed(&self, line: &str) -> &str {
        let mut lines = self.serving.greeting.lines().skip_while(|other| !other.starts_with(line));
        lines.nth(1).unwrap_or_else(|| panic!("no {line} in {}", self.serving.greeting)).trim()
    }

    async fn follow_the_printed_link(&self) {
        self.browser.go(self.printed(&format!("Open the console as {OWNER}"))).await;
        self.browser.click_button("Continue").await;
        arrive(&self.browser, CONSOLE).await;
        assert_eq!(coverage(&self.browser).await, ["12", "8", "0"], "the people of the demonstration");
    }

    async fn create_a_page(&self) {
        choose(&self.browser, &format!("{CONSOLE}/name-pages")).await;
        self.browser.click("main a[href$='/name-pages/new']").await;
        arrive(&self.browser, &format!("{CONSOLE}/name-pages/new")).await;
        self.browser.write("#title", TITLE).await;
        self.browser.click("form[action$='/name-pages/new'] button").await;
        self.browser.until("document.readyState === 'complete' && location.search === '?done=created'").await;
        assert_eq!(self.figures_of_the_page().await, ["0", "0", "0"]);
    }

    /// People on the page in the console: how many there are, how many have a recording, and how many are invited.
    async fn figures_of_the_page(&self) -> Vec<String> {
        texts(&self.browser, "main > .tiles strong").await
    }

    async fn import_the_class(&self) {
        let row = |at: usize| format!("{},Example,{},A-{at:02}\n", first_name(at), email(at));
        let rows: String = (0..PEOPLE).map(row).collect();
        let file = self.here.write("class.csv", format!("Given name,Family name,E-mail,Seat\n{rows}"));
        self.browser.click("main a[href$='/import']").await;
        self.browser.until("document.querySelector('#file')").await;
        self.browser.write("#file", file.to_str().unwrap()).await;
        self.browser.click("form:has(#file) button").await;
        // Three columns are recognized, and the registrar says what the fourth is.
        self.browser.until("document.querySelector('[name=column-3]')").await;
        let fields = "[...document.querySelectorAll('[name^=column-]')].map((one) => one.value)";
        assert_eq!(self.browser.value(fields).await, json!(["first_name", "last_name", "email", ""]));
        self.browser.click("[name=column-3] option[value=institution_id]").await;
        self.browser.click("form:has([name=line]) button").await;
        self.browser.until("document.querySelector(\"form[action$='/run'] button\")").await;
        let counts = "main > .rows li";
        assert_eq!(texts(&self.browser, counts).await, [format!("New: {PEOPLE}")], "what would happen");
        self.browser.click("form[action$='/run'] button").await;
        // The page says how far it is, and reloads by itself.
        self.browser.until("document.querySelector(\"form[action$='/undo'] button\")").await;
        assert_eq!(texts(&self.browser, "main > [role=status]").await, ["The file has been imported."]);
        assert_eq!(texts(&self.browser, counts).await, [format!("New: {PEOPLE}")]);
    }

    /// Returns the links of all mails by address.
    async fn invite_everybody(&self) -> BTreeMap<String, String> {
        self.browser.click(".manage a[href$='/invitations']").await;
        self.browser.until("document.querySelector('form:has([name=whom]) button')").await;
        self.browser.click("form:has([name=whom]) button").await;
        self.browser.until("document.querySelector('.done[role=status]')").await;
        until("the invitations", || async { self.links().len() == PEOPLE }).await;
        let links = self.links();
        assert!((0..PEOPLE).all(|at| links.contains_key(&email(at))), "{links:?}");
        links
    }

    fn links(&self) -> BTreeMap<String, String> {
        let start = format!("{}/i/", self.serving.base);
        let link = |message: &Value| {
            let to = message["rcpt_tos"][0].as_str()?.to_owned();
            let link = text(message).split_whitespace().find(|word| word.starts_with(&start))?;
            Some((to, link.to_owned()))
        };
        self.mail.received().iter().filter_map(link).collect()
    }

    /// The registrar uploads a recording for somebody who has sent it.
    async fn upload_for(&self, name: &str, file: &Path) {
        // The menu of the name page leads back.
        self.browser.click(".manage a[href$='/console']").await;
        arrive(&self.browser, CONSOLE).await;
        choose(&self.browser, &format!("{CONSOLE}/people")).await;
        self.browser.write("#q", name).await;
        self.browser.click("main form[role=search] button").await;
        self.browser.until("document.querySelectorAll('tbody th a').length === 1").await;
        self.browser.click("tbody th a").await;
        self.browser.until(&format!("document.querySelector('h1').textContent === '{name} Example'")).await;
        self.browser.click("main a[href$='/record']").await;
        self.browser.until_recorder_is("ready").await;
        self.browser.click_button("Upload a file instead").await;
        self.browser.write("[data-recorder] input[type=file]", file.to_str().unwrap()).await;
        self.browser.click_button("Use this recording").await;
        self.browser.until_recorder_is("kept").await;
        self.browser.until("document.querySelector('#recording audio')").await;
    }

    /// Somebody else uses the browser now.
    async fn next_person(&self) {
        self.browser.devtools("Network.clearBrowserCookies", json!({})).await;
    }

    /// One of the class follows the link in their mail, on a phone.
    async fn record_on_a_phone(&self, link: &str) {
        let clip = Clip::of("Siobhan Gallagher");
        self.next_person().await;
        self.browser.resize(390).await;
        self.browser.go(link).await;
        fits(&self.browser).await;
        self.browser.click("#agree").await;
        self.browser.click("#invitation > button").await;
        self.browser.until_recorder_is("ready").await;
        fits(&self.browser).await;
        self.browser.click_button("Record my name").await;
        self.browser.say_into_recorder(&clip).await;
        fits(&self.browser).await;
        self.browser.click_button("Use this recording").await;
        self.browser.until_recorder_is("kept").await;
        self.browser.until("document.querySelector('#recordings .finished')").await;
        self.browser.resize(1_000).await;
    }

    /// What the browser of somebody sends who follows the link in their mail and chooses a file.
    async fn record_from_a_file(&self, link: &str, sound: &[u8]) {
        let base = self.serving.base.as_str();
        let path = link.strip_prefix(base).unwrap();
        let visitor = me::Browser::at(base);
        let page = visitor.get(path).await.expect(200).body;
        let [version, language] = ["version", "language"].map(|name| (name, hidden(&page, name)));
        let accepted = visitor.post(path, &[("agree", "yes"), version, language]).await.expect(303);
        let own = accepted.location();
        visitor.get(own).await.expect(200);
        let csrf = visitor.csrf();
        let headers = [("origin", base), ("sec-fetch-site", "same-origin")];
        let (to, fields) = (format!("{own}/recording"), [("csrf", csrf.as_str())]);
        let sent = visitor.post_file(&to, ("recording", sound), &fields, &headers).await;
        sent.redirects_to(&format!("{own}?done=recording"));
    }

    /// The registrar comes back, and signs in with the code in a message.
    async fn sign_in_again(&self) {
        self.next_person().await;
        self.browser.go(&format!("{}/console", self.serving.base)).await;
        arrive(&self.browser, "/sign-in").await;
        self.browser.write("#email", OWNER).await;
        self.browser.click("main form button").await;
        arrive(&self.browser, "/sign-in/code").await;
        let code = || {
            let message = self.mail.received().into_iter().find(|message| message["rcpt_tos"][0] == OWNER)?;
            let line = text(&message).lines().find_map(|line| line.strip_prefix("    "))?;
            Some(line.trim().to_owned())
        };
        until("the message with the code", || async { code().is_some() }).await;
        self.browser.write("#code", &code().unwrap()).await;
        self.browser.click("main form button").await;
        arrive(&self.browser, CONSOLE).await;
    }

    async fn see_that_all_are_recorded(&self) {
        assert_eq!(coverage(&self.browser).await, ["42", "38", "30"], "with those of the demonstration");
        assert_eq!(texts(&self.browser, ".people .name").await.len(), 8, "the newest");
        play(&self.browser).await;
        choose(&self.browser, &format!("{CONSOLE}/name-pages")).await;
        let link =
            "[...document.querySelectorAll('tbody th a')].find((one) => one.textContent.includes('2031'))";
        let path = self.browser.value(&format!("{link}.pathname")).await;
        let path = path.as_str().unwrap();
        self.browser.click(&format!("tbody th a[href='{path}']")).await;
        arrive(&self.browser, path).await;
        assert_eq!(self.figures_of_the_page().await, ["30", "30", "30"]);
    }
}

#[tokio::test]
async fn a_class_of_thirty_is_imported_invited_and_recorded_without_a_shell() {
    let story = Story::begin().await;
    story.follow_the_printed_link().await;
    story.create_a_page().await;
    story.import_the_class().await;
    let mut links = story.invite_everybody().await;

    let sound = wav(1.5);
    story.upload_for(&first_name(0), &story.here.write("name.wav", &sound)).await;
    links.remove(&email(0));
    story.record_on_a_phone(&links.remove(&email(1)).unwrap()).await;
    for link in links.values() {
        story.record_from_a_file(link, &sound).await;
    }

    story.sign_in_again().await;
    story.see_that_all_are_recorded().await;
    assert_eq!(story.browser.complaints().await, [""; 0]);
}
