//! `/console/{slug}/directories/groups/{id}`: what a group of a directory stands for.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{PATH, meaning};
use crate::{
    app::{
        App, Error, Missing, Result, members,
        scim::{GroupSummary, Target, groups},
    },
    console::{
        inputs::is_outdated,
        members::{RadioChoice, role_hint, role_name},
        page_choices::{PageChoices, chosen_pages},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{access::MAX_PAGES, member::Role, name_page::NamePageRef, section::Section},
    http::{form::Form, page::Page, path::Path},
    words::Words,
};

#[derive(Template)]
#[template(path = "console/scim_group.html")]
struct GroupPage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: String,
    name: String,
    version: String,
    /// Somebody else has changed it meanwhile.
    meanwhile: Option<String>,
    kinds: Vec<RadioChoice>,
    pages: PageChoices,
}

/// What a group can stand for, without the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Page,
    Role(Role),
}

impl Kind {
    fn all() -> impl Iterator<Item = Self> {
        [Self::Nothing, Self::Page].into_iter().chain(Role::ALL.map(Self::Role))
    }

    fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Page => "page",
            Self::Role(role) => role.word(),
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::all().find(|kind| kind.word() == word)
    }

    fn of(group: &GroupSummary) -> Self {
        match group.role {
            Some(role) => Self::Role(role),
            None if group.pages.is_empty() => Self::Nothing,
            None => Self::Page,
        }
    }

    fn name(self, words: Words) -> String {
        match self {
            Self::Nothing => words.text("console-scim-nothing"),
            Self::Page => words.text("console-scim-page"),
            Self::Role(role) => role_name(words, role),
        }
    }

    fn hint(self, words: Words) -> String {
        match self {
            Self::Nothing => words.text("console-scim-nothing-hint"),
            Self::Page => words.text("console-scim-page-hint"),
            Self::Role(role) => role_hint(words, role),
        }
    }
}

/// What is in the inputs.
struct Typed {
    /// What the group stood for when the form was shown.
    version: String,
    kind: Kind,
    /// The ids of pages.
    pages: Vec<String>,
    /// Slugs or codes of other pages.
    more: String,
}

impl Typed {
    fn of(form: &Form) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self {
            version: text("version"),
            kind: form.get("kind").and_then(Kind::parse).unwrap_or(Kind::Nothing),
            pages: form.all("page").map(str::to_owned).collect(),
            more: text("more"),
        }
    }

    fn of_group(group: &GroupSummary) -> Self {
        Self {
            version: group.version.clone(),
            kind: Kind::of(group),
            pages: group.pages.iter().map(|page| page.id.to_string()).collect(),
            more: String::new(),
        }
    }

    /// What the group shall stand for, or the id of the sentence about its pages.
    fn target(&self) -> Result<Target, &'static str> {
        let pages = || chosen_pages(&self.pages, &self.more).map_err(|_| "console-members-page-unknown");
        match self.kind {
            Kind::Nothing => Ok(Target::Nothing),
            Kind::Page => {
                let one = <[NamePageRef; 1]>::try_from(pages()?);
                one.map(|[page]| Target::Page(page)).map_err(|_| "console-scim-one-page")
            }
            Kind::Role(role) if role.has_all_pages() => Ok(Target::Role(role, Vec::new())),
            Kind::Role(role) => match pages()? {
                none if none.is_empty() => Err("console-scim-pages-needed"),
                pages => Ok(Target::Role(role, pages)),
            },
        }
    }
}

/// The group of a path. Those of other institutions do not exist.
async fn find(app: &App, console: &Console, id: &str) -> Result<GroupSummary> {
    let id = id.parse().map_err(|_| Error::Missing(Missing::ScimGroup))?;
    groups::summary(app, &console.actor, console.id(), id).await
}

pub async fn show(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
) -> Response {
    match find(&app, &console, &id).await {
        Ok(group) => draw(&app, &console, &group, Typed::of_group(&group), Faults::default()).await,
        Err(error) => console.fault(&app, &error),
    }
}

#[derive(Default)]
struct Faults {
    meanwhile: Option<String>,
    pages: Option<String>,
}

async fn draw(app: &App, console: &Console, group: &GroupSummary, typed: Typed, faults: Faults) -> Response {
    let drawn = filled(app, console, group, typed, faults).await;
    drawn.unwrap_or_else(|error| console.fault(app, &error))
}

async fn filled(
    app: &App,
    console: &Console,
    group: &GroupSummary,
    typed: Typed,
    faults: Faults,
) -> Result<Response> {
    let own = members::own_pages(app, &console.actor, &console.member.person).await?;
    let words = console.words();
    let kind = |kind: Kind| RadioChoice {
        word: kind.word(),
        name: kind.name(words),
        hint: kind.hint(words),
        is_chosen: kind == typed.kind,
    };
    let status = match &faults {
        Faults { meanwhile: Some(_), .. } => StatusCode::CONFLICT,
        Faults { pages: Some(_), .. } => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::OK,
    };
    // Archived and old pages of the group are offered, too.
    let offered = (&own, &group.pages[..]);
    let pages = PageChoices::find(app, console, offered, &typed.pages, typed.more, faults.pages).await?;
    let path = console.path(&format!("{PATH}/groups/{}", group.id));
    let view = GroupPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Directories),
        id: group.id.to_string(),
        name: group.display_name.clone(),
        meanwhile: faults.meanwhile,
        kinds: Kind::all().map(kind).collect(),
        pages,
        version: typed.version,
    };
    Ok(console.show(status, &view))
}

pub async fn map(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let group = match find(&app, &console, &id).await {
        Ok(group) => group,
        Err(error) => return console.fault(&app, &error),
    };
    let (typed, words) = (Typed::of(&form), console.words());
    let target = match typed.target() {
        Ok(target) => target,
        Err(fault) => {
            let pages = Some(words.text(fault));
            return draw(&app, &console, &group, typed, Faults { meanwhile: None, pages }).await;
        }
    };
    let base = Some(typed.version.clone());
    let fault = match groups::map(&app, &console.actor, console.id(), group.id, target, base).await {
        Ok(()) => return console.go(&app, &format!("{PATH}?done=saved")),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            return match find(&app, &console, &id).await {
                Ok(group) => draw_outdated(&app, &console, &group, typed).await,
                Err(error) => console.fault(&app, &error),
            };
        }
        Err(Error::Invalid(_)) => words.one("console-members-pages-many", "most", MAX_PAGES as u64),
        Err(Error::Missing(Missing::NamePage)) => words.text("console-members-page-unknown"),
        Err(error) => return console.fault(&app, &error),
    };
    draw(&app, &console, &group, typed, Faults { meanwhile: None, pages: Some(fault) }).await
}

/// Shows what was typed, and what somebody else has saved.
async fn draw_outdated(app: &App, console: &Console, group: &GroupSummary, typed: Typed) -> Response {
    let words = console.words();
    let (stands_for, pages) = meaning(words, group);
    let now = if pages.is_empty() { stands_for } else { format!("{stands_for}, {pages}") };
    let meanwhile = Some(words.one("console-changed-meanwhile", "now", &now));
    let typed = Typed { version: group.version.clone(), ..typed };
    draw(app, console, group, typed, Faults { meanwhile, pages: None }).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_what_a_group_stands_for() {
        let target = |query: &str| Typed::of(&Form::from_query(query)).target();
        assert!(matches!(target("kind=nothing&page=1"), Ok(Target::Nothing)));
        assert!(matches!(target("kind=page&page=1"), Ok(Target::Page(page)) if page.key() == "1"));
        assert!(matches!(target("kind=page&more=choir"), Ok(Target::Page(page)) if page.key() == "choir"));
        assert_eq!(target("kind=page").err(), Some("console-scim-one-page"));
        assert_eq!(target("kind=page&page=1&page=2").err(), Some("console-scim-one-page"));
        assert!(
            matches!(target("kind=admin&page=1"), Ok(Target::Role(Role::Admin, pages)) if pages.is_empty())
        );
        assert_eq!(target("kind=reader").err(), Some("console-scim-pages-needed"));
        let two = target("kind=manager&page=1&more=choir");
        assert!(matches!(two, Ok(Target::Role(Role::Manager, pages)) if pages.len() == 2));
        let long = "x".repeat(2_000);
        assert_eq!(
            target(&format!("kind=page&page=1&more={long}")).err(),
            Some("console-members-page-unknown")
        );
        assert!(matches!(target(&format!("kind=nothing&more={long}")), Ok(Target::Nothing)));
        assert_eq!(Kind::all().map(|kind| Kind::parse(kind.word())).filter(Option::is_none).count(), 0);
    }
}
