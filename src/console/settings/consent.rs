//! `/console/{slug}/settings/consent`: the text that people agree to before they record.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::groups::language_choice;
use crate::{
    app::{
        App, Error,
        consents::{self, ConsentState},
    },
    console::{
        inputs::{Input, Shape, is_outdated},
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{fault::Fault, field_errors::FieldErrors, language::Language, section::Section},
    http::{consent::ShownText, form::Form, page::Page},
    words::Words,
};

const PATH: &str = "/console/{slug}/settings/consent";

pub fn rules() -> Vec<Rule> {
    vec![Rule::get(PATH, Least::Admin, show), Rule::post(PATH, Least::Admin, save)]
}

#[derive(Template)]
#[template(path = "console/settings_consent.html")]
struct ConsentPage<'a> {
    page: Page<'a>,
    nav: Nav,
    language: Language,
    menu: Input,
    input: Input,
    /// Identifies what a text in this language replaces.
    version: String,
    /// Identifies what going back to the built-in text replaces.
    reset_version: String,
    is_built_in: bool,
    /// Which version of the institution's own text is in force.
    own: String,
    /// What somebody else has done meanwhile.
    told: Option<String>,
    /// The languages of the institution's own text.
    languages: String,
    shown: ShownText,
    done: Option<String>,
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct Entered {
    /// `None` if they wanted to go back to the built-in text.
    text: Option<String>,
    fault: Option<String>,
    /// That of the form. It stays until somebody is told that theirs is not the newest.
    version: Option<String>,
    is_outdated: bool,
}

fn chosen(form: &Form, console: &Console) -> Language {
    let default = console.institution.language.unwrap_or_default();
    form.get("language").and_then(Language::parse).unwrap_or(default)
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("saved") => Some("console-settings-consent-saved"),
        Some("reset") => Some("console-settings-consent-was-reset"),
        _ => None,
    };
    let language = chosen(&query, &console);
    match consents::find(&app, &console.actor, console.id()).await {
        Ok(state) => draw(&app, &console, StatusCode::OK, (&state, language), Entered::default(), done),
        Err(error) => console.fault(&app, &error),
    }
}

/// The institution's own text in exactly this language.
fn own_text(state: &ConsentState, language: Language) -> &str {
    state.text.texts.get(language.tag()).map_or("", String::as_str)
}

fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    (state, language): (&ConsentState, Language),
    entered: Entered,
    done: Option<&str>,
) -> Response {
    let path = console.path(&format!("/settings/consent?language={}", language.tag()));
    let page = console.page(app, &path);
    let words = page.words;
    let Entered { text, fault, version, is_outdated } = entered;
    let told = is_outdated.then(|| {
        words.text(match (text.is_some(), state.text.is_built_in()) {
            (true, false) => "console-settings-consent-outdated",
            (true, true) => "console-settings-consent-outdated-reset",
            // They wanted the built-in text.
            (false, false) => "console-settings-consent-not-reset",
            (false, true) => "console-settings-consent-was-reset",
        })
    });
    let text = text.unwrap_or_else(|| own_text(state, language).to_owned());
    let names = Language::ALL.into_iter().filter(|one| state.text.texts.contains_key(one.tag()));
    let shown = ConsentPage {
        nav: console.nav(app, Section::Settings),
        language,
        menu: Input::new(
            "language",
            words.text("console-settings-consent-language"),
            Shape::Menu(Language::ALL.into_iter().map(language_choice).collect()),
            language.tag(),
        ),
        input: Input::new("text", words.text("console-settings-consent-text"), Shape::Lines, text)
            .hint(words.text("console-settings-consent-hint"))
            .fault(fault),
        version: version.unwrap_or_else(|| consents::seen(&state.text, Some(language))),
        reset_version: consents::seen(&state.text, None),
        is_built_in: state.text.is_built_in(),
        own: words.one("console-settings-consent-own", "version", &state.text.version),
        told,
        languages: names.map(Language::own_name).collect::<Vec<_>>().join(" · "),
        shown: ShownText::new(state, Words::new(language), &console.institution.name),
        done: done.map(|id| words.text(id)),
        page,
    };
    console.show(status, &shown)
}

async fn save(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let language = chosen(&form, &console);
    let text = form.get("text").unwrap_or_default().replace("\r\n", "\n");
    let is_reset = form.get("do") == Some("reset");
    let text = (!is_reset).then_some(text);
    let (wanted, base) =
        (text.as_deref().map(|text| (language, text)), form.get("version").unwrap_or_default().to_owned());
    let (actor, id) = (&console.actor, console.id());
    let errors = match consents::replace(&app, actor, id, wanted, Some(base.clone())).await {
        Ok(_) => {
            let done = if is_reset { "reset" } else { "saved" };
            let tag = language.tag();
            return console.go(&app, &format!("/settings/consent?language={tag}&done={done}"));
        }
        Err(Error::Invalid(errors)) => errors,
        Err(error) => return console.fault(&app, &error),
    };
    let state = match consents::find(&app, actor, id).await {
        Ok(state) => state,
        Err(error) => return console.fault(&app, &error),
    };
    let is_outdated = is_outdated(&errors);
    let status = if is_outdated { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY };
    let fault = (!is_outdated).then(|| sentence(console.words(), &errors));
    let entered = Entered { text, fault, version: (!is_outdated).then_some(base), is_outdated };
    draw(&app, &console, status, (&state, language), entered, None)
}

fn sentence(words: Words, errors: &FieldErrors) -> String {
    match errors.iter().flat_map(|(_, faults)| faults).next() {
        Some(Fault::Blank) => words.text("shared-blank"),
        Some(Fault::TooLong { most }) => words.one("me-fault-long", "most", *most as u64),
        _ => words.text("me-fault-characters"),
    }
}
