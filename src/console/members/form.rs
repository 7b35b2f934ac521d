//! The forms for a new member and for the role of one.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{RadioChoice, role_hint, role_name};
use crate::{
    app::{App, Error, Missing, Result, members, tokens},
    console::{
        inputs::is_outdated,
        page_choices::{PageChoices, chosen_pages},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        access::MAX_PAGES,
        email::{Email, email_key},
        fault::Field,
        field_errors::FieldErrors,
        member::{Member, Role},
        name_page::NamePageRef,
        section::Section,
        session::PersonId,
        token::{OnLeaving, Token},
    },
    http::{form::Form, html::root, page::Page, reply, when},
    words::Words,
};

/// The form for a new member, or for the role of one.
#[derive(Template)]
#[template(path = "console/member.html")]
struct MemberPage<'a> {
    page: Page<'a>,
    nav: Nav,
    is_new: bool,
    typed: Typed,
    roles: Vec<RadioChoice>,
    pages: PageChoices,
    is_self: bool,
    is_last_owner: bool,
    /// Somebody else has changed it meanwhile.
    meanwhile: Option<String>,
    email_fault: Option<String>,
    role_fault: Option<String>,
    /// The access tokens that the member made.
    tokens: Vec<String>,
    /// What is wrong with the choice of what becomes of them, if the role is to change.
    tokens_fault: Option<String>,
    /// The same, if the member is to be removed.
    leaving_fault: Option<String>,
}

/// What is in the inputs.
#[derive(Default)]
struct Typed {
    /// What the member was when the form was shown.
    version: String,
    email: String,
    role: Option<Role>,
    /// The ids of pages.
    pages: Vec<String>,
    /// Slugs or codes of other pages.
    more: String,
    /// Ids of pages of the member that the form does not offer: archived and old ones stay theirs.
    kept: Vec<String>,
}

impl Typed {
    fn of(form: &Form) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self {
            version: text("version"),
            email: text("email"),
            role: form.get("role").and_then(Role::parse),
            pages: form.all("page").map(str::to_owned).collect(),
            more: text("more"),
            kept: form.all("kept").map(str::to_owned).collect(),
        }
    }

    fn of_member(member: &Member) -> Self {
        Self {
            version: members::version(Some(member)),
            email: member.email.clone(),
            role: Some(member.role),
            pages: member.pages.iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }

    /// The pages that are wanted. None for roles that have all.
    fn wanted(&self, role: Role) -> Result<Vec<NamePageRef>> {
        if role.has_all_pages() {
            return Ok(Vec::new());
        }
        chosen_pages(self.pages.iter().chain(&self.kept), &self.more)
    }
}

/// What is wrong, for each input.
#[derive(Default)]
struct Faults {
    meanwhile: Option<String>,
    email: Option<String>,
    role: Option<String>,
    pages: Option<String>,
    tokens: Option<String>,
    leaving: Option<String>,
}

impl Faults {
    fn of(words: Words, errors: &FieldErrors) -> Self {
        let has = |field: Field| errors.has(&field);
        let too_many = || words.one("console-members-pages-many", "most", MAX_PAGES as u64);
        Self {
            email: has(Field::Email).then(|| words.text("console-members-email-fault")),
            role: has(Field::Role).then(|| words.text("console-members-last-owner")),
            pages: has(Field::NamePages).then(too_many),
            tokens: has(Field::Tokens).then(|| words.text("console-members-tokens-fault")),
            ..Self::default()
        }
    }

    const fn is_empty(&self) -> bool {
        let Self { meanwhile, email, role, pages, tokens, leaving } = self;
        meanwhile.is_none()
            && email.is_none()
            && role.is_none()
            && pages.is_none()
            && tokens.is_none()
            && leaving.is_none()
    }
}

/// What becomes of the access tokens of somebody who administers the institution no more.
fn decided(form: &Form) -> Option<OnLeaving> {
    form.get("tokens").and_then(OnLeaving::parse)
}

/// The access tokens of a member that work, in words.
async fn tokens_of(app: &App, console: &Console, member: Option<&Member>) -> Result<Vec<String>> {
    let Some(member) = member.filter(|member| member.role.has_all_pages()) else { return Ok(Vec::new()) };
    let made = tokens::made_by(app, &console.actor, console.id(), &member.person.email_key).await?;
    let (words, zone, now) = (console.words(), &console.institution.time_zone, app.clock.now());
    let line = |token: &Token| {
        let age = words.one("console-tokens-days", "count", token.days(now));
        let used = when::minute_or_none(token.last_used_at, zone);
        let used = used.unwrap_or_else(|| words.text("console-tokens-never-used"));
        format!("{} · {age} · {}: {used}", token.name, words.text("console-tokens-used"))
    };
    Ok(made.iter().map(line).collect())
}

pub async fn new(State(app): State<App>, console: Console) -> Response {
    draw(&app, &console, None, Typed::default(), Faults::default()).await
}

/// `None` if there is no such member.
async fn found(app: &App, console: &Console, email: &str) -> Result<Option<Member>> {
    members::find(app, &PersonId { institution: console.id(), email_key: email_key(email) }).await
}

pub async fn edit(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    match found(&app, &console, query.get("email").unwrap_or_default()).await {
        Ok(Some(member)) => {
            let typed = Typed::of_member(&member);
            draw(&app, &console, Some(&member), typed, Faults::default()).await
        }
        Ok(None) => console.go(&app, "/members"),
        Err(error) => console.fault(&app, &error),
    }
}

/// `member` is whose role it is; `None` for a new one.
async fn draw(
    app: &App,
    console: &Console,
    member: Option<&Member>,
    typed: Typed,
    faults: Faults,
) -> Response {
    let drawn = filled(app, console, member, typed, faults).await;
    drawn.unwrap_or_else(|error| console.fault(app, &error))
}

async fn filled(
    app: &App,
    console: &Console,
    member: Option<&Member>,
    mut typed: Typed,
    faults: Faults,
) -> Result<Response> {
    let words = console.words();
    let own = members::own_pages(app, &console.actor, &console.member.person).await?;
    let tokens = tokens_of(app, console, member).await?;
    let is_offered = |id: &String| own.of_role.iter().any(|page| page.id.to_string() == *id);
    let is_theirs =
        |id: &String| member.is_some_and(|member| member.pages.iter().any(|page| page.to_string() == *id));
    let (kept, ticked): (Vec<String>, Vec<String>) =
        std::mem::take(&mut typed.pages).into_iter().partition(|id| is_theirs(id) && !is_offered(id));
    typed.kept.extend(kept);
    typed.kept.retain(is_theirs);
    let chosen = typed.role.unwrap_or(Role::Manager);
    let role = |role: Role| RadioChoice {
        word: role.word(),
        name: role_name(words, role),
        hint: role_hint(words, role),
        is_chosen: role == chosen,
    };
    let is_owner = member.is_some_and(|member| member.role == Role::Owner);
    // One of them is enough to know.
    let owners = members::list(app, &console.actor, console.id(), "", 1).await?.owners;
    let path = console.path("/members");
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let more = std::mem::take(&mut typed.more);
    let pages = PageChoices::find(app, console, (&own, &[]), &ticked, more, faults.pages).await?;
    let shown = MemberPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Members),
        is_new: member.is_none(),
        roles: Role::ALL.map(role).into(),
        pages,
        is_self: member.is_some_and(|member| member.person == console.member.person),
        is_last_owner: is_owner && owners < 2,
        meanwhile: faults.meanwhile,
        email_fault: faults.email,
        role_fault: faults.role,
        tokens,
        tokens_fault: faults.tokens,
        leaving_fault: faults.leaving,
        typed,
    };
    Ok(console.show(status, &shown))
}

pub async fn add(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (typed, words) = (Typed::of(&form), console.words());
    let known = match found(&app, &console, &typed.email).await {
        Ok(known) => known.is_some(),
        Err(error) => return console.fault(&app, &error),
    };
    let email = match Email::parse(&typed.email) {
        Some(email) if !known => email,
        parsed => {
            let id = if parsed.is_some() { "console-members-known" } else { "console-members-email-fault" };
            let faults = Faults { email: Some(words.text(id)), ..Faults::default() };
            return draw(&app, &console, None, typed, faults).await;
        }
    };
    // If somebody else adds them at the same moment, that is told.
    let typed = Typed { version: members::version(None), ..typed };
    save(&app, &console, None, email, typed, None).await
}

pub async fn change(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let typed = Typed::of(&form);
    let member = match found(&app, &console, &typed.email).await {
        Ok(Some(member)) => member,
        Ok(None) => return console.go(&app, "/members"),
        Err(error) => return console.fault(&app, &error),
    };
    match Email::parse(&member.email) {
        Some(email) => save(&app, &console, Some(&member), email, typed, decided(&form)).await,
        None => console.fault(&app, &Error::Missing(Missing::Member)),
    }
}

async fn save(
    app: &App,
    console: &Console,
    member: Option<&Member>,
    email: Email,
    typed: Typed,
    tokens: Option<OnLeaving>,
) -> Response {
    let words = console.words();
    let Some(role) = typed.role else {
        let faults = Faults { role: Some(words.text("shared-blank")), ..Faults::default() };
        return draw(app, console, member, typed, faults).await;
    };
    let change = members::Change { base: Some(typed.version.clone()), tokens };
    let saved = match typed.wanted(role) {
        Ok(wanted) => members::replace(app, &console.actor, console.id(), email, role, wanted, change).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(set) if set.person == console.member.person && !role.has_all_pages() => console.go(app, ""),
        Ok(_) if member.is_some() => console.go(app, "/members?done=changed"),
        Ok(_) => console.go(app, "/members?done=added"),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => tell(app, console, typed).await,
        Err(Error::Invalid(errors)) => draw(app, console, member, typed, Faults::of(words, &errors)).await,
        Err(Error::Missing(Missing::NamePage)) => {
            let pages = Some(words.text("console-members-page-unknown"));
            draw(app, console, member, typed, Faults { pages, ..Faults::default() }).await
        }
        Err(error) => console.fault(app, &error),
    }
}

/// Shows what was typed, and what somebody else has made of the member meanwhile.
async fn tell(app: &App, console: &Console, typed: Typed) -> Response {
    let member = match found(app, console, &typed.email).await {
        Ok(Some(member)) => member,
        Ok(None) => return console.go(app, "/members"),
        Err(error) => return console.fault(app, &error),
    };
    let words = console.words();
    let pages = words.one("console-members-pages-now", "count", member.pages.len() as u64);
    let is = match member.role.has_all_pages() {
        true => role_name(words, member.role),
        false => format!("{}, {pages}", role_name(words, member.role)),
    };
    let meanwhile = Some(words.one("console-changed-meanwhile", "now", &is));
    let typed = Typed { version: members::version(Some(&member)), ..typed };
    draw(app, console, Some(&member), typed, Faults { meanwhile, ..Faults::default() }).await
}

pub async fn remove(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let email = form.get("email").unwrap_or_default();
    match members::remove(&app, &console.actor, console.id(), email, decided(&form)).await {
        // The console is not theirs any more.
        Ok(()) if email_key(email) == console.member.person.email_key => {
            reply::see_other(&format!("{}/me", root(&app.links)))
        }
        Ok(()) => console.go(&app, "/members?done=removed"),
        Err(Error::Missing(Missing::Member)) => console.go(&app, "/members"),
        Err(Error::Invalid(errors)) => match found(&app, &console, email).await {
            Ok(Some(member)) => {
                let mut faults = Faults::of(console.words(), &errors);
                faults.leaving = faults.tokens.take();
                draw(&app, &console, Some(&member), Typed::of_member(&member), faults).await
            }
            Ok(None) => console.go(&app, "/members"),
            Err(error) => console.fault(&app, &error),
        },
        Err(error) => console.fault(&app, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_by_boxes_codes_and_what_is_kept() {
        let form = Form::from_query("role=reader&page=1&page=2&kept=3&more=choir,+R99E+JJFY&email=+a@b.org");
        let typed = Typed::of(&form);
        let wanted = typed.wanted(Role::Reader).unwrap();
        let keys: Vec<&str> = wanted.iter().map(NamePageRef::key).collect();
        assert_eq!(keys, ["1", "2", "3", "choir", "r99ejjfy"]);
        assert!(typed.wanted(Role::Admin).unwrap().is_empty());
        assert_eq!((typed.email.as_str(), typed.role), ("a@b.org", Some(Role::Reader)));
    }
}
