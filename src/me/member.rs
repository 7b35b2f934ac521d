//! The name pages that somebody runs, hears or may register on: a part of `/me`, and all of it for people who are not registered.

use askama::Template;
use axum::{http::StatusCode, response::Response};

use super::{notice, own, session::SignedIn};
use crate::{
    app::{
        App,
        members::{self, OwnPages},
    },
    domain::member::Role,
    http::{
        page::{self, Microphone, Page},
        policy::{Forms, Policy},
    },
};

#[derive(Template)]
#[template(path = "me/member.html")]
struct MemberPage<'a> {
    page: Page<'a>,
    member: MemberPart<'a>,
    /// For the part about the person's data.
    is_restricted: bool,
}

/// The pages of `templates/me/parts/member.html`.
pub struct MemberPart<'a> {
    pages: &'a OwnPages,
    /// The person can change pages, and not only listen.
    pub is_manager: bool,
}

pub struct PageRow<'a> {
    pub slug: &'a str,
    pub title: &'a str,
}

impl<'a> MemberPart<'a> {
    pub fn new(pages: &'a OwnPages) -> Self {
        let is_manager = match pages.role {
            Some(Role::Owner | Role::Admin | Role::Manager) => true,
            Some(Role::Reader) | None => false,
        };
        Self { pages, is_manager }
    }

    /// Whoever has one has a console.
    pub fn has_role(&self) -> bool {
        self.pages.role.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    pub fn is_cut(&self) -> bool {
        self.pages.is_cut()
    }

    /// Those that the person runs or hears.
    pub fn of_role(&self) -> Vec<PageRow<'a>> {
        self.pages.of_role.iter().map(|page| PageRow { slug: &page.slug, title: &page.title }).collect()
    }

    /// Those that the person may register on.
    pub fn open(&self) -> Vec<PageRow<'a>> {
        self.pages.open.iter().map(|page| PageRow { slug: &page.slug, title: &page.title }).collect()
    }
}

/// `/me` of somebody who has signed in and is registered on no page.
pub async fn draw(app: &App, signed_in: &SignedIn) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(app, signed_in);
    }
    let pages = match members::own_pages(app, &signed_in.actor(), &signed_in.session.person).await {
        Ok(pages) => pages,
        Err(error) => return own::failed(app, signed_in, &error),
    };
    let shown = MemberPage {
        page: signed_in.page(app, "/me"),
        member: MemberPart::new(&pages),
        is_restricted: false,
    };
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(StatusCode::OK, &shown, policy, Microphone::Unused)
}
