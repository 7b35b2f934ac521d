//! `/console/{slug}/name-pages/{id}`: one name page, its figures, and all of its settings.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    super::{
        inputs::{Faults, base, is_outdated, shown_version},
        visit::{Console, ConsoleForm, Nav},
    },
    form::{SettingsForm, Stored, Values},
    refused, state_label,
};
use crate::{
    app::{App, Error, Missing, Result, coverage, custom_fields, page_settings},
    domain::{
        coverage::Coverage,
        custom_field::{CustomField, sort_for_pages},
        field_errors::FieldErrors,
        name_page::{NamePage, NamePageRef},
        page_settings::PageSettings,
        section::Section,
    },
    http::{form::Form, page::Page, path::Path},
};

#[derive(Template)]
#[template(path = "console/name_page.html")]
struct PageView<'a> {
    page: Page<'a>,
    nav: Nav,
    name_page: &'a NamePage,
    figures: Coverage,
    state: String,
    is_archived: bool,
    is_administrator: bool,
    form: SettingsForm,
    /// When recordings are deleted.
    deletes: Option<String>,
    /// Somebody else has changed the page.
    is_outdated: bool,
    /// Something is wrong with the form.
    is_rejected: bool,
    done: Option<String>,
}

/// A page, with everything that is shown of it.
pub(super) struct Found {
    pub page: NamePage,
    pub settings: PageSettings,
    pub figures: Coverage,
    pub fields: Vec<CustomField>,
}

pub(super) async fn find(app: &App, console: &Console, id: &str) -> Result<Found> {
    let reference = NamePageRef::parse(id).ok_or(Error::Missing(Missing::NamePage))?;
    let (actor, institution) = (&console.actor, console.id());
    let (page, settings) = page_settings::managed(app, actor, institution, &reference).await?;
    let figures = coverage::of(app, actor, institution, &reference).await?;
    let mut fields = custom_fields::all(app, &actor.access(institution)?).await?;
    sort_for_pages(&mut fields);
    Ok(Found { page, settings, figures, fields })
}

pub(super) async fn show(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("created") => Some("console-page-created"),
        Some("saved") => Some("console-page-saved"),
        Some("copied") => Some("console-page-copied"),
        Some("copied-people") => Some("console-page-copied-people"),
        Some("archived") => Some("console-page-was-archived"),
        Some("restored") => Some("console-page-was-restored"),
        _ => None,
    };
    match find(&app, &console, &id).await {
        Ok(found) => draw(&app, &console, StatusCode::OK, &found, None, done),
        Err(error) => refused(&app, &console, &error),
    }
}

fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    found: &Found,
    sent: Option<(&Form, &FieldErrors)>,
    done: Option<&str>,
) -> Response {
    let Found { page: name_page, settings, figures, fields } = found;
    let path = console.path(&format!("/name-pages/{}", name_page.id));
    let page = console.page(app, &path);
    let (words, zone) = (page.words, &console.institution.time_zone);
    let is_administrator = console.member.role.has_all_pages();
    let stored = Stored { page: name_page, settings, fields, zone, may_open: is_administrator };
    let is_outdated = sent.is_some_and(|(_, errors)| is_outdated(errors));
    let values = match sent {
        Some((form, _)) => Values::sent(form, fields),
        None => Values::stored(&stored),
    };
    let faults = Faults { words, errors: sent.map(|(_, errors)| errors) };
    let mut form = SettingsForm::new(&stored, &values, faults, is_outdated);
    form.version = shown_version(sent, form.version);
    let deletes = settings.deletes_at(zone).map(|at| {
        let date = at.date_in(zone).to_string();
        words.one_html("console-page-deletes", "date", &date)
    });
    let shown = PageView {
        nav: console.nav(app, Section::NamePages),
        figures: *figures,
        state: words.text(state_label(settings.state(app.clock.now()))),
        is_archived: settings.is_archived(),
        is_administrator,
        form,
        deletes,
        is_outdated,
        is_rejected: sent.is_some() && !is_outdated,
        done: done.map(|id| words.text(id)),
        name_page,
        page,
    };
    console.show(status, &shown)
}

pub(super) async fn save(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let found = match find(&app, &console, &id).await {
        Ok(found) => found,
        Err(error) => return refused(&app, &console, &error),
    };
    match store(&app, &console, &found, &form).await {
        Ok(()) => console.go(&app, &format!("/name-pages/{}?done=saved", found.page.id)),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            // As it is by now.
            match find(&app, &console, &id).await {
                Ok(now) => draw(&app, &console, StatusCode::CONFLICT, &now, Some((&form, &errors)), None),
                Err(error) => refused(&app, &console, &error),
            }
        }
        Err(Error::Invalid(errors)) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            draw(&app, &console, status, &found, Some((&form, &errors)), None)
        }
        Err(error) => refused(&app, &console, &error),
    }
}

async fn store(app: &App, console: &Console, found: &Found, form: &Form) -> Result<()> {
    let Found { page, settings, fields, .. } = found;
    let stored = Stored {
        page,
        settings,
        fields,
        zone: &console.institution.time_zone,
        may_open: console.member.role.has_all_pages(),
    };
    let change = Values::sent(form, fields).change(&stored, base(form));
    let reference = NamePageRef::parse(&page.id.to_string()).ok_or(Error::Missing(Missing::NamePage))?;
    page_settings::update(app, &console.actor, console.id(), &reference, change).await.map(drop)
}
