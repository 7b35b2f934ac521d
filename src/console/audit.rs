//! `/console/{slug}/audit`: who changed what. Admins read it; how long it is kept is for owners.

pub mod acts;
mod entry;
mod filter;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use self::filter::Filter;
use super::{
    inputs::is_outdated,
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Result,
        audit::{self, Format},
        institutions,
    },
    domain::{
        audit::{Act, Cursor, Entry, Who, WhoKind},
        moment::Moment,
        section::Section,
        text,
    },
    http::{
        download::{self, Kind},
        form::Form,
        page::Page,
        when,
    },
    words::Words,
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/audit", Least::Admin, show),
        Rule::get("/console/{slug}/audit/export", Least::Admin.fresh_file("/audit"), export),
        Rule::get("/console/{slug}/audit/entry/{entry}", Least::Admin, entry::show),
        Rule::post("/console/{slug}/audit/retention", Least::Owner.fresh(), keep),
    ]
}

#[derive(Template)]
#[template(path = "console/audit.html")]
struct AuditPage<'a> {
    page: Page<'a>,
    nav: Nav,
    filter: Filter,
    /// By name.
    acts: Vec<ActChoice>,
    from_fault: Option<String>,
    to_fault: Option<String>,
    rows: Vec<Row>,
    /// The address of older entries.
    older: Option<String>,
    /// The address of the newest entries, on another page than the first.
    newest: Option<String>,
    /// The address of a file in a format.
    csv: String,
    json_lines: String,
    is_owner: bool,
    kept: String,
    typed: Kept,
    days_fault: Option<String>,
    done: Option<String>,
}

/// An entry of the menu of kinds of changes.
struct ActChoice {
    word: &'static str,
    name: String,
    is_chosen: bool,
}

fn act_choices(words: Words, chosen: &str) -> Vec<ActChoice> {
    let choice = |act: &Act| ActChoice {
        word: act.word(),
        name: words.text(acts::id(*act)),
        is_chosen: act.word() == chosen,
    };
    let mut choices: Vec<ActChoice> = Act::ALL.iter().map(choice).collect();
    choices.sort_by_cached_key(|choice| text::searchable(&choice.name));
    choices
}

/// One entry in a list.
struct Row {
    address: String,
    when: String,
    who: String,
    origin: String,
    act: String,
    subject: String,
    fields: String,
}

/// For how long entries are kept, as typed.
#[derive(Clone)]
struct Kept {
    is_forever: bool,
    days: String,
    /// What it was when the page was shown.
    version: String,
}

impl Kept {
    fn of(days: Option<i64>) -> Self {
        let text = days.map(|days| days.to_string()).unwrap_or_default();
        Self { is_forever: days.is_none(), version: version(days), days: text }
    }
}

fn version(days: Option<i64>) -> String {
    days.map_or_else(|| "forever".to_owned(), |days| days.to_string())
}

/// How an entry is named in a list, on its own page, and on that of a person.
pub fn who_name(words: Words, who: &Who) -> String {
    let kind = words.text(match who.kind {
        WhoKind::Token => "console-audit-by-token",
        WhoKind::Operator => "console-audit-by-operator",
        WhoKind::Member => "console-audit-by-member",
        WhoKind::Person => "console-audit-by-person",
        WhoKind::Lti => "console-audit-by-lti",
        WhoKind::Phone => "console-audit-by-phone",
        WhoKind::Scim => "console-audit-by-scim",
        WhoKind::Visitor => "console-audit-by-visitor",
        WhoKind::System => "console-audit-by-system",
    });
    if who.name().is_empty() { kind } else { format!("{} ({kind})", who.name()) }
}

fn subject_name(entry: &Entry) -> String {
    match entry.subject.label.as_str() {
        "" => format!("{} {}", entry.subject.kind, entry.subject.id),
        label => label.to_owned(),
    }
}

fn when(console: &Console, at: Moment) -> String {
    when::second(at, &console.institution.time_zone)
}

fn row(console: &Console, nav: &Nav, entry: &Entry) -> Row {
    Row {
        address: format!("{}/audit/entry/{}", nav.home(), Cursor::of(entry)),
        when: when(console, entry.at),
        who: who_name(console.words(), &entry.who),
        origin: entry.origin.clone().unwrap_or_default(),
        act: acts::name(console.words(), &entry.act),
        subject: subject_name(entry),
        fields: entry.fields().join(", "),
    }
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    draw(&app, &console, &query, None).await
}

/// `wrong` is what was typed for how long entries are kept, and what is wrong with it.
async fn draw(app: &App, console: &Console, query: &Form, wrong: Option<(Kept, String)>) -> Response {
    let drawn = list(app, console, query, wrong).await;
    drawn.unwrap_or_else(|error| console.fault(app, &error))
}

async fn list(app: &App, console: &Console, query: &Form, wrong: Option<(Kept, String)>) -> Result<Response> {
    let (words, nav) = (console.words(), console.nav(app, Section::Audit));
    let filter = Filter::of(query);
    let (wanted, faults) = filter.query(&console.institution.time_zone);
    let found = audit::list(app, &console.actor, console.id(), &wanted).await?;
    let days = institutions::audit_days(app, &console.actor, console.id()).await?;
    let fault = |is_wrong: bool| is_wrong.then(|| words.text("console-audit-day-fault"));
    let is_refused = faults.from || faults.to || wrong.is_some();
    let (typed, days_fault) = match wrong {
        Some((typed, fault)) => (typed, Some(fault)),
        None => (Kept::of(days), None),
    };
    let home = nav.home();
    let file = |format: Format| format!("{home}/audit/export?{}", filter.link(&[("format", format.word())]));
    let older = found.next.map(|next| filter.link(&[("before", &next.to_string())]));
    let path = console.path("/audit");
    let shown = AuditPage {
        page: console.page(app, &path),
        acts: act_choices(words, &filter.act),
        from_fault: fault(faults.from),
        to_fault: fault(faults.to),
        rows: found.entries.iter().map(|entry| row(console, &nav, entry)).collect(),
        older: older.map(|query| format!("{home}/audit?{query}")),
        newest: wanted.cursor.map(|_| format!("{home}/audit?{}", filter.link(&[]))),
        csv: file(Format::Csv),
        json_lines: file(Format::JsonLines),
        is_owner: Least::Owner.includes(console.member.role),
        kept: kept(words, days),
        typed,
        days_fault,
        done: (query.get("done") == Some("kept")).then(|| words.text("console-saved")),
        filter,
        nav,
    };
    let status = if is_refused { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(console.show(status, &shown))
}

fn kept(words: Words, days: Option<i64>) -> String {
    match days.and_then(|days| u64::try_from(days).ok()) {
        Some(days) => words.one("console-audit-kept", "days", days),
        None => words.text("console-audit-kept-forever"),
    }
}

/// The entries of the list as a file. The export has an entry itself.
async fn export(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let Some(format) = query.get("format").and_then(Format::parse) else {
        return console.go(&app, "/audit");
    };
    let sent = send(&app, &console, &query, format).await;
    sent.unwrap_or_else(|error| console.fault(&app, &error))
}

async fn send(app: &App, console: &Console, query: &Form, format: Format) -> Result<Response> {
    let (wanted, _) = Filter::of(query).query(&console.institution.time_zone);
    let wanted = audit::Query { cursor: None, ..wanted };
    let begun = audit::export(app, &console.actor, console.id(), wanted, format).await?;
    let day = app.clock.now().date_in(&console.institution.time_zone);
    let file_name = format!("audit-{}-{day}.{}", console.institution.slug, format.word());
    let content_type = format.content_type();
    let kind = Kind { content_type, file_name: Some(&file_name), subject: "the export of an audit log" };
    download::send(begun, kind).await
}

/// Sets for how long entries are kept.
async fn keep(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let words = console.words();
    let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
    let typed = Kept {
        is_forever: form.get("keep") == Some("forever"),
        days: text("days"),
        version: text("version"),
    };
    let seen = institutions::settings::find(&app, &console.actor, &console.institution.slug).await;
    let seen = match seen {
        Ok(seen) => seen,
        Err(error) => return console.fault(&app, &error),
    };
    if typed.version != version(seen.audit_days) {
        return tell(&app, &console, typed, seen.audit_days).await;
    }
    let none = Form::default();
    let days = match (typed.is_forever, typed.days.parse::<u32>()) {
        (true, _) => None,
        (false, Ok(days)) => Some(days),
        (false, Err(_)) => {
            let fault = words.text("console-audit-days-fault");
            return draw(&app, &console, &none, Some((typed, fault))).await;
        }
    };
    let change = institutions::Change {
        audit_days: Some(days),
        based_on: Some(seen),
        ..institutions::Change::default()
    };
    match institutions::update(&app, &console.actor, &console.institution.slug, change).await {
        Ok(_) => console.go(&app, "/audit?done=kept#retention"),
        // At the same moment.
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            match institutions::audit_days(&app, &console.actor, console.id()).await {
                Ok(now) => tell(&app, &console, typed, now).await,
                Err(error) => console.fault(&app, &error),
            }
        }
        Err(Error::Invalid(_)) => {
            let fault = words.text("console-audit-days-fault");
            draw(&app, &console, &none, Some((typed, fault))).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// Shows what was typed, and what somebody else has saved meanwhile.
async fn tell(app: &App, console: &Console, typed: Kept, now: Option<i64>) -> Response {
    let words = console.words();
    let fault = words.one("console-changed-meanwhile", "now", &kept(words, now));
    let typed = Kept { version: version(now), ..typed };
    draw(app, console, &Form::default(), Some((typed, fault))).await
}
