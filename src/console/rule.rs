//! Routes of the console, and who may use them.

use axum::{Extension, Router, handler::Handler, http::Method, response::Response, routing::MethodRouter};
use futures_util::future::BoxFuture;

use crate::{
    app::App,
    domain::member::Role,
    http::routing::{get, post},
};

/// What a visitor must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    pub role: Least,
    /// They must have proven who they are within the last minutes (`domain::session::FRESH`).
    pub is_fresh: bool,
    /// The page below the console's path that has the link to it, if it is a file: whoever signs in first comes back to that page.
    pub file_of: Option<&'static str>,
}

/// The least role, of owner, admin, manager, reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    Reader,
    Manager,
    Admin,
    Owner,
}

impl Least {
    pub const fn includes(self, role: Role) -> bool {
        match self {
            Self::Reader => true,
            Self::Manager => matches!(role, Role::Manager | Role::Admin | Role::Owner),
            Self::Admin => matches!(role, Role::Admin | Role::Owner),
            Self::Owner => matches!(role, Role::Owner),
        }
    }

    /// For a dangerous act: the visitor must have signed in just now.
    pub const fn fresh(self) -> Needs {
        Needs { role: self, is_fresh: true, file_of: None }
    }

    /// For a file with the data of people, which this page below the console's path has a link to.
    pub const fn fresh_file(self, page: &'static str) -> Needs {
        Needs { role: self, is_fresh: true, file_of: Some(page) }
    }
}

impl From<Least> for Needs {
    fn from(role: Least) -> Self {
        Self { role, is_fresh: false, file_of: None }
    }
}

/// A route. Without one, a path of the console does not exist, so that nobody can forget to say who may use it.
pub struct Rule {
    pub method: Method,
    pub path: &'static str,
    pub needs: Needs,
    route: MethodRouter<App>,
}

impl Rule {
    /// Shows something.
    pub fn get<T>(
        path: &'static str,
        needs: impl Into<Needs>,
        handler: impl Handler<T, App, Future = BoxFuture<'static, Response>>,
    ) -> Self {
        Self { method: Method::GET, path, needs: needs.into(), route: get(handler) }
    }

    /// Changes something.
    pub fn post<T>(
        path: &'static str,
        needs: impl Into<Needs>,
        handler: impl Handler<T, App, Future = BoxFuture<'static, Response>>,
    ) -> Self {
        Self { method: Method::POST, path, needs: needs.into(), route: post(handler) }
    }

    /// `Console` finds its needs in the extensions of the request.
    pub(super) fn add(router: Router<App>, rule: Self) -> Router<App> {
        router.route(rule.path, rule.route.layer(Extension(rule.needs)))
    }
}
