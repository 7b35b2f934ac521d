//! `/console/{slug}/start`: the first five steps of a new institution. Each can be skipped, and all of them can be closed.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    faults,
    inputs::is_outdated,
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, institutions, name_pages,
        start::{self, MOST_PEOPLE, Steps},
    },
    domain::{
        address_list::{AddressList, Invitee},
        fault::Field,
        field_errors::FieldErrors,
        institution::Institution,
        name_page::NamePageRef,
        section::Section,
        version::version_of,
    },
    http::{form::Form, html::root, page::Page},
    words::{Arg, Words},
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/start", Least::Admin, show),
        Rule::post("/console/{slug}/start/name", Least::Admin, rename),
        Rule::post("/console/{slug}/start/page", Least::Admin, create_page),
        Rule::post("/console/{slug}/start/people", Least::Admin, add_people),
        Rule::post("/console/{slug}/start/dismiss", Least::Admin, dismiss),
    ]
}

/// A step on the overview.
pub struct StepRow {
    pub title: String,
    pub is_done: bool,
    pub address: String,
}

/// The five steps, in their order.
pub fn rows(words: Words, nav: &Nav, steps: &Steps) -> [StepRow; 5] {
    let row = |id: &str, anchor: &str, is_done| StepRow {
        title: words.text(id),
        is_done,
        address: format!("{}/start#{anchor}", nav.home()),
    };
    [
        row("console-start-name", "name", true),
        row("console-start-page", "page", steps.page.is_some()),
        row("console-start-people", "people", steps.has_people),
        row("console-start-invite", "invite", steps.has_invited),
        row("console-start-system", "system", steps.has_system),
    ]
}

#[derive(Template)]
#[template(path = "console/start.html")]
struct StartPage<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: [StepRow; 5],
    done: Option<String>,
    /// The title and the path of the newest name page.
    name_page: Option<(String, String)>,
    name_page_slug: String,
    typed: Typed,
    name_fault: Option<String>,
    zone_fault: Option<String>,
    title_fault: Option<String>,
    people_fault: Option<String>,
    tokens: String,
    systems: String,
}

/// What is in the inputs.
struct Typed {
    /// What the institution was when the page was shown.
    version: String,
    name: String,
    zone: String,
    title: String,
    people: String,
}

impl Typed {
    fn of(institution: &Institution) -> Self {
        let (name, zone) = (institution.name.clone(), zone_of(institution));
        let (title, people) = (String::new(), String::new());
        Self { version: version(institution), name, zone, title, people }
    }
}

fn zone_of(institution: &Institution) -> String {
    institution.time_zone.iana_name().unwrap_or("UTC").to_owned()
}

/// Changes with what others change.
fn version(institution: &Institution) -> String {
    version_of(&(&institution.name, zone_of(institution)))
}

/// What is wrong, for each input.
#[derive(Default)]
struct Faults {
    errors: FieldErrors,
    name: Option<String>,
    people: Option<String>,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let words = console.words();
    let number = |name: &str| query.get(name).and_then(|text| text.parse().ok()).unwrap_or(0_u64);
    let done = match query.get("done") {
        Some("name") => Some(words.text("console-saved")),
        Some("page") => Some(words.text("console-start-page-made")),
        Some("people") => Some(words.with(
            "console-start-people-added",
            &[("added", Arg::Number(number("added"))), ("known", Arg::Number(number("known")))],
        )),
        _ => None,
    };
    let typed = Typed::of(&console.institution);
    draw(&app, &console, typed, Faults::default(), done).await
}

async fn draw(app: &App, console: &Console, typed: Typed, faults: Faults, done: Option<String>) -> Response {
    let steps = match start::steps(app, &console.actor, console.id()).await {
        Ok(steps) => steps,
        Err(error) => return console.fault(app, &error),
    };
    let (words, path) = (console.words(), console.path("/start"));
    let nav = console.nav(app, None::<Section>);
    let of = |field: Field| faults::of(words, &faults.errors, &field);
    let (name_fault, title_fault) = (faults.name.clone().or_else(|| of(Field::Name)), of(Field::Title));
    let (zone_fault, people_fault) = (of(Field::TimeZone), faults.people.clone());
    let faulty = [&name_fault, &zone_fault, &title_fault, &people_fault];
    let is_faulty = faulty.into_iter().any(Option::is_some);
    let status = if is_faulty { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let name_page =
        steps.page.as_ref().map(|page| (page.title.clone(), format!("{}/p/{}", root(&app.links), page.slug)));
    let shown = StartPage {
        page: console.page(app, &path),
        rows: rows(words, &nav, &steps),
        done,
        name_page,
        name_page_slug: steps.page.map(|page| page.slug).unwrap_or_default(),
        typed,
        name_fault,
        zone_fault,
        title_fault,
        people_fault,
        tokens: nav.address(&Section::Tokens),
        systems: nav.address(&Section::LearningSystems),
        nav,
    };
    console.show(status, &shown)
}

fn text(form: &Form, name: &str) -> String {
    form.get(name).unwrap_or_default().trim().to_owned()
}

async fn rename(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (actor, slug) = (&console.actor, &console.institution.slug);
    let seen = match institutions::settings::find(&app, actor, slug).await {
        Ok(seen) => seen,
        Err(error) => return console.fault(&app, &error),
    };
    let current = &seen.institution;
    let typed = Typed { name: text(&form, "name"), zone: text(&form, "zone"), ..Typed::of(current) };
    if form.get("version") != Some(version(current).as_str()) {
        return tell(&app, &console, typed, current).await;
    }
    let change = institutions::Change {
        name: Some(typed.name.clone()),
        time_zone: Some(typed.zone.clone()),
        based_on: Some(seen),
        ..institutions::Change::default()
    };
    match institutions::update(&app, actor, slug, change).await {
        Ok(_) => console.go(&app, "/start?done=name"),
        // At the same moment.
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            match institutions::find(&app, actor, slug).await {
                Ok(current) => tell(&app, &console, typed, &current).await,
                Err(error) => console.fault(&app, &error),
            }
        }
        Err(Error::Invalid(errors)) => {
            draw(&app, &console, typed, Faults { errors, ..Faults::default() }, None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// Shows what was typed, and what somebody else has saved meanwhile.
async fn tell(app: &App, console: &Console, typed: Typed, current: &Institution) -> Response {
    let now = format!("{}, {}", current.name, zone_of(current));
    let name = Some(console.words().one("console-changed-meanwhile", "now", &now));
    let typed = Typed { version: version(current), ..typed };
    draw(app, console, typed, Faults { name, ..Faults::default() }, None).await
}

async fn create_page(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let typed = Typed { title: text(&form, "title"), ..Typed::of(&console.institution) };
    let new = name_pages::New { title: typed.title.clone(), slug: None, access_code: None, allow_v2: false };
    match name_pages::create(&app, &console.actor, console.id(), new).await {
        Ok(_) => console.go(&app, "/start?done=page#people"),
        Err(Error::Invalid(errors)) => {
            draw(&app, &console, typed, Faults { errors, ..Faults::default() }, None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn add_people(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let given = form.get("people").unwrap_or_default().to_owned();
    let people = match read(console.words(), &given) {
        Ok(people) => people,
        Err(sentence) => return refuse_people(&app, &console, given, sentence).await,
    };
    let Some(page) = form.get("page").and_then(NamePageRef::parse) else {
        return console.go(&app, "/start#page");
    };
    match start::add_people(&app, &console.actor, console.id(), &page, people).await {
        Ok(done) => {
            let below = format!("/start?done=people&added={}&known={}#invite", done.added, done.known);
            console.go(&app, &below)
        }
        Err(Error::Invalid(_)) => {
            let sentence = console.words().text("console-start-people-fault");
            refuse_people(&app, &console, given, sentence).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn refuse_people(app: &App, console: &Console, people: String, sentence: String) -> Response {
    let typed = Typed { people, ..Typed::of(&console.institution) };
    draw(app, console, typed, Faults { people: Some(sentence), ..Faults::default() }, None).await
}

/// People with names and addresses, or what is wrong with the list.
fn read(words: Words, given: &str) -> Result<Vec<Invitee>, String> {
    let too_many = || words.one("console-start-people-many", "most", MOST_PEOPLE as u64);
    // A comma separates addresses, but here also a name from its address.
    let lines: Vec<String> = given
        .lines()
        .map(|line| match line.split_once(',') {
            Some((name, email)) if !name.contains('@') && !email.contains([',', '<']) => {
                format!("{name} {email}")
            }
            _ => line.to_owned(),
        })
        .collect();
    let list = AddressList::parse(&lines.join("\n")).map_err(|_| too_many())?;
    if let Some(unread) = list.unread.first() {
        return Err(words.one("console-start-people-unread", "text", &unread.text));
    }
    let is_nameless = |one: &&Invitee| one.first_name.is_none() && one.last_name.is_none();
    if let Some(one) = list.invitees.iter().find(is_nameless) {
        return Err(words.one("console-start-people-nameless", "email", one.email.as_given()));
    }
    match list.invitees.len() {
        0 => Err(words.text("shared-blank")),
        count if count > MOST_PEOPLE => Err(too_many()),
        _ => Ok(list.invitees),
    }
}

async fn dismiss(State(app): State<App>, ConsoleForm { console, .. }: ConsoleForm) -> Response {
    match start::dismiss(&app, &console.actor, console.id()).await {
        Ok(()) => console.go(&app, ""),
        Err(error) => console.fault(&app, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::language::Language;

    #[test]
    fn a_list_needs_names_and_addresses() {
        let words = Words::new(Language::English);
        let people = read(words, "Ana Ni <ana@example.edu>\nBo Li, bo@example.edu").unwrap();
        assert_eq!(people.len(), 2);
        for wrong in ["", "ana@example.edu", "Ana Ni <ana@example.edu>\nnonsense"] {
            assert!(read(words, wrong).is_err(), "{wrong}");
        }
    }
}
