//! What is done with many people: those who were selected, or everybody who matches. A page asks for what it needs and says how many
//! people it concerns; then a task does it.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    Choice, REJECTED,
    list::{ACTIONS, Wanted},
    query_of, sentence,
};
use crate::{
    app::{
        App, Error, Result,
        deleted_people::KEPT_DAYS,
        people_search::Choices,
        people_tasks::{self, MAIL, NOBODY, Preview, VALUE, Whom},
    },
    console::visit::{Console, ConsoleForm, Nav},
    domain::{
        ids::{CustomFieldId, NamePageId, ParticipantId},
        people_task::{MOST_PEOPLE, TaskAction},
        section::Section,
    },
    http::{faults::Input, form::Form, page::Page},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/people_bulk.html")]
struct BulkView<'a> {
    page: Page<'a>,
    nav: Nav,
    /// The word of the action.
    action: &'static str,
    title: String,
    lead: Option<String>,
    /// How many people it concerns; `None` if nothing can be done.
    count: Option<String>,
    is_cut: bool,
    /// Hidden inputs: whom it concerns.
    whom: Vec<(String, String)>,
    pages: Vec<Choice>,
    fields: Vec<Choice>,
    value: String,
    /// The number of people, as it was typed.
    typed: String,
    /// What to type.
    number: String,
    faults: Faults,
    /// The address of the list.
    back: String,
}

#[derive(Default)]
struct Faults {
    /// Why nothing can be done.
    all: Option<String>,
    page: Option<String>,
    field: Option<String>,
    value: Option<String>,
    number: Option<String>,
}

impl Faults {
    fn is_empty(&self) -> bool {
        [&self.all, &self.page, &self.field, &self.value, &self.number].into_iter().all(Option::is_none)
    }
}

fn action_of(form: &Form) -> (&'static str, &'static str) {
    let given = form.get("action").unwrap_or_default();
    ACTIONS.into_iter().find(|(word, _)| *word == given).unwrap_or(ACTIONS[0])
}

fn ids(form: &Form) -> Vec<ParticipantId> {
    let joined = form.get("ids").unwrap_or_default().split(',');
    let mut ids: Vec<ParticipantId> =
        form.all("id").chain(joined).filter_map(|id| id.trim().parse().ok()).collect();
    ids.truncate(MOST_PEOPLE);
    ids
}

/// Whom it concerns, and what can be chosen.
async fn read(app: &App, console: &Console, form: &Form) -> Result<(Whom, Choices)> {
    let wanted = Wanted::read(form);
    let (choices, query) = wanted.resolve(app, console).await?;
    let whom = match form.get("all") {
        Some("1") => Whom::Matching(query),
        _ => Whom::These(ids(form)),
    };
    Ok((whom, choices))
}

/// The hidden inputs that say it again.
fn hidden(form: &Form) -> Vec<(String, String)> {
    let wanted = Wanted::read(form).pairs().into_iter();
    let mut all: Vec<(String, String)> = wanted.map(|(name, value)| (name.to_owned(), value)).collect();
    match form.get("all") {
        Some("1") => all.push(("all".to_owned(), "1".to_owned())),
        _ => {
            let ids: Vec<String> = ids(form).iter().map(ParticipantId::to_string).collect();
            all.push(("ids".to_owned(), ids.join(",")));
        }
    }
    all
}

pub async fn ask(State(app): State<App>, console: Console, request: Request) -> Response {
    let form = query_of(&request);
    let selected = ids(&form);
    let mut faults = Faults::default();
    if action_of(&form).0 == "merge" {
        if let [one, other] = selected[..] {
            return console.go(&app, &format!("/people/merge?keep={one}&other={other}"));
        }
        faults.all = Some(console.words().text("console-people-merge-two"));
    }
    draw(&app, &console, &form, faults).await
}

fn lead(words: Words, action: &str) -> Option<String> {
    match action {
        "invite" => Some(words.text("console-people-invite-lead")),
        "remind" => Some(words.text("console-people-remind-lead")),
        "move" => Some(words.text("console-people-move-lead")),
        "delete" => Some(words.one("console-people-delete-lead", "days", KEPT_DAYS.unsigned_abs())),
        _ => None,
    }
}

async fn draw(app: &App, console: &Console, form: &Form, mut faults: Faults) -> Response {
    let words = console.words();
    let found = match read(app, console, form).await {
        Ok((whom, choices)) => {
            let preview = people_tasks::preview(app, &console.actor, console.id(), &whom).await;
            preview.map(|preview| (preview, choices))
        }
        Err(error) => Err(error),
    };
    let (Preview { count, is_cut }, choices) = match found {
        Ok(found) => found,
        Err(error) => return console.fault(app, &error),
    };
    let (action, title) = action_of(form);
    if count == 0 && faults.all.is_none() {
        faults.all = Some(words.text("console-people-bulk-nobody"));
    }
    if matches!(action, "invite" | "remind") && !app.mail.is_configured() && faults.all.is_none() {
        faults.all = Some(words.text("console-people-bulk-no-mail"));
    }
    let path = console.path("/people/bulk");
    let page = console.page(app, &path);
    let text = |name: &str| form.get(name).unwrap_or_default().to_owned();
    let (to, tag) = (text("to"), text("tag"));
    let pages = choices.pages.into_iter().map(|one| Choice::new(one.id.to_string(), one.title, &to));
    let fields = choices.fields.into_iter().map(|one| Choice::new(one.id.to_string(), one.label, &tag));
    let status = if faults.is_empty() { StatusCode::OK } else { REJECTED };
    let shown = BulkView {
        nav: console.nav(app, Section::People),
        action,
        title: words.text(title),
        lead: lead(words, action),
        count: faults.all.is_none().then(|| words.one("console-people-bulk-count", "count", count)),
        is_cut,
        whom: hidden(form),
        pages: pages.collect(),
        fields: fields.collect(),
        value: text("tag_value"),
        typed: text("number"),
        number: words.one("console-people-delete-number", "count", count),
        faults,
        back: format!("{}{}{}", page.root, console.path("/people"), Wanted::read(form).address(None)),
        page,
    };
    console.show(status, &shown)
}

/// What is to be done, or what is missing.
fn task_of(app: &App, words: Words, form: &Form) -> std::result::Result<TaskAction, Faults> {
    let base_url = app.links.base().to_owned();
    // What nobody has chosen is not done: without a choice, `action_of` only decides what is shown.
    match form.get("action").unwrap_or_default() {
        "remind" => Ok(TaskAction::Remind { base_url }),
        "move" => match form.get("to").and_then(|to| to.parse::<NamePageId>().ok()) {
            Some(page) => Ok(TaskAction::Move { page }),
            None => Err(Faults { page: Some(words.text("console-people-move-choose")), ..Faults::default() }),
        },
        "tag" => match form.get("tag").and_then(|field| field.parse::<CustomFieldId>().ok()) {
            Some(field) => Ok(TaskAction::Tag { field, value: form.text("tag_value") }),
            None => Err(Faults { field: Some(words.text("console-people-tag-choose")), ..Faults::default() }),
        },
        "invite" => Ok(TaskAction::Invite { base_url }),
        // The others have forms of their own.
        _ => Err(Faults { all: Some(words.text("console-people-merge-two")), ..Faults::default() }),
    }
}

pub async fn begin(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    match task_of(&app, console.words(), &form) {
        Ok(action) => start(&app, &console, &form, action).await,
        Err(faults) => draw(&app, &console, &form, faults).await,
    }
}

/// Whoever deletes many people types how many they are.
pub async fn delete(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let preview = match read(&app, &console, &form).await {
        Ok((whom, _)) => people_tasks::preview(&app, &console.actor, console.id(), &whom).await,
        Err(error) => Err(error),
    };
    let count = match preview {
        Ok(preview) => preview.count,
        Err(error) => return console.fault(&app, &error),
    };
    if form.get("number").and_then(|typed| typed.trim().parse().ok()) != Some(count) {
        let number = Some(console.words().text("console-people-delete-wrong"));
        return draw(&app, &console, &form, Faults { number, ..Faults::default() }).await;
    }
    start(&app, &console, &form, TaskAction::Delete).await
}

async fn start(app: &App, console: &Console, form: &Form, action: TaskAction) -> Response {
    let begun = match read(app, console, form).await {
        Ok((whom, _)) => people_tasks::begin(app, &console.actor, console.id(), &whom, action).await,
        Err(error) => Err(error),
    };
    let words = console.words();
    match begun {
        Ok(task) => console.go(app, &format!("/people/tasks/{task}")),
        Err(Error::Invalid(errors)) => {
            let mut faults = Faults::default();
            if errors.has(&NOBODY) {
                faults.all = Some(words.text("console-people-bulk-nobody"));
            } else if errors.has(&MAIL) {
                faults.all = Some(words.text("console-people-bulk-no-mail"));
            } else {
                faults.value = sentence(words, &errors, &VALUE, Input::CustomField);
            }
            draw(app, console, form, faults).await
        }
        Err(error) => console.fault(app, &error),
    }
}
