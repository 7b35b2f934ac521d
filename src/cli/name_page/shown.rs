//! How name pages are shown: as text, or as JSON.

use serde_json::{Value, json};

use crate::{
    app::{Actor, App, Error, coverage, name_pages, page_settings},
    cli::output,
    domain::{
        coverage::Coverage,
        institution::Institution,
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        page_settings::PageSettings,
    },
};

pub(super) fn created(owner: &Institution, made: &NamePage, json: bool) {
    let notice = made.allow_v2.then(|| v2_notice(owner, made));
    if json {
        if let Some(notice) = notice {
            eprintln!("{notice}");
        }
        output::print_json(&json!({
            "id": made.id.to_string(), "slug": made.slug,
            "event_code": made.event_code, "access_code": made.access_code,
        }));
        return;
    }
    output::print_line(&format!(
        "Created name page `{}` with event code {} and access code {}.",
        made.slug, made.event_code, made.access_code
    ));
    if let Some(notice) = notice {
        output::print_line(&notice);
    }
}

pub(super) fn told_of_v2(owner: &Institution, page: &NamePage, allow: bool, json: bool) {
    // Standard output is for one JSON object.
    let say = |line: &str| if json { eprintln!("{line}") } else { output::print_line(line) };
    let answers = if allow { "answers" } else { "does not answer" };
    say(&format!("Name page `{}` {answers} version 2.", page.slug));
    if allow {
        say(&v2_notice(owner, page));
    }
}

/// Warns who can now read the page.
fn v2_notice(owner: &Institution, page: &NamePage) -> String {
    format!(
        "API version 2 does not require a token. Anyone who knows the access code {page_code} can now read the names, email \
         addresses, recordings and badge links of everyone on this page, also from scripts on any website. So can \
         anyone who knows the institution's access code {own_code}. Treat both codes as passwords. To disable version 2 again:\n  \
         endonym name-page update --institution {slug} {page} --allow-v2 false",
        page_code = page.access_code,
        own_code = owner.access_code,
        slug = owner.slug,
        page = page.slug,
    )
}

pub(super) async fn show(
    app: &App,
    owner: &Institution,
    reference: &NamePageRef,
    json: bool,
) -> Result<(), Error> {
    let page = name_pages::find(app, &Actor::Operator, owner.id, reference).await?;
    let figures = coverage::of(app, &Actor::Operator, owner.id, reference).await?;
    let settings = page_settings::find(app, owner.id, page.id).await?;
    let mut shown = summary(&page, figures);
    shown["path"] = json!(format!("/p/{}", page.slug));
    for (key, value) in settings_of(owner, &settings) {
        shown[key] = value;
    }
    if json {
        output::print_json(&shown);
        return Ok(());
    }
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        Value::Object(all) => {
            let pair =
                |(key, value): (&String, &Value)| format!("{key}={}", value.as_str().unwrap_or_default());
            all.iter().map(pair).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    };
    let rows: Vec<Vec<String>> =
        ORDER.iter().map(|key| vec![(*key).to_owned(), text(&shown[*key])]).collect();
    output::print_table(&["SETTING", "VALUE"], &rows);
    Ok(())
}

/// How a page is shown as a table.
const ORDER: [&str; 23] = [
    "id",
    "title",
    "slug",
    "path",
    "event_code",
    "access_code",
    "allow_v2",
    "participants",
    "recorded",
    "invited",
    "description",
    "date",
    "register",
    "domains",
    "listen",
    "moderation",
    "closes_at",
    "asked",
    "take_seconds",
    "delete_after_days",
    "deletes_at",
    "announced_at",
    "archived_at",
];

fn settings_of(owner: &Institution, settings: &PageSettings) -> Vec<(&'static str, Value)> {
    let zone = &owner.time_zone;
    let time = |moment: Option<Moment>| json!(moment.map(|moment| moment.shown_in(zone)));
    vec![
        ("description", json!(settings.description)),
        ("date", json!(settings.date.map(|date| date.to_string()))),
        ("register", json!(settings.register.word())),
        ("domains", settings.domains.iter().map(|domain| json!(domain.to_string())).collect()),
        ("listen", json!(settings.listen.word())),
        ("moderation", json!(settings.moderation.word())),
        ("closes_at", time(settings.closes_at)),
        ("asked", json!(settings.asked.words())),
        ("take_seconds", json!(settings.take_seconds)),
        ("delete_after_days", json!(settings.delete_after_days)),
        ("deletes_at", time(settings.deletes_at(zone))),
        ("announced_at", time(settings.announced_at)),
        ("archived_at", time(settings.archived_at)),
    ]
}

fn summary(page: &NamePage, figures: Coverage) -> Value {
    json!({
        "id": page.id.to_string(),
        "title": page.title,
        "slug": page.slug,
        "event_code": page.event_code,
        "access_code": page.access_code,
        "allow_v2": page.allow_v2,
        "participants": figures.registered,
        "recorded": figures.recorded,
        "invited": figures.invited,
        "created_at": output::time(page.created_at),
    })
}

pub(super) fn list(all: &[(NamePage, Coverage)], json: bool) {
    if json {
        let shown: Vec<Value> = all.iter().map(|(page, figures)| summary(page, *figures)).collect();
        output::print_json(&json!({ "name_pages": shown }));
        return;
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(page, figures)| {
            vec![
                page.slug.clone(),
                page.title.clone(),
                page.event_code.clone(),
                page.access_code.clone(),
                if page.allow_v2 { "yes" } else { "no" }.to_owned(),
                figures.registered.to_string(),
                figures.recorded.to_string(),
            ]
        })
        .collect();
    let headings = ["SLUG", "TITLE", "EVENT CODE", "ACCESS CODE", "VERSION 2", "PEOPLE", "RECORDED"];
    output::print_table(&headings, &rows);
}
