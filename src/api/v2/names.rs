//! Version 2: names by access code.

use crate::domain::ids::NamePageId;
use std::sync::Arc;

use axum::response::Response;

use super::wire;
use crate::{
    api::{
        legacy::{self, Call},
        listing,
        problem::Problem,
        view::View,
    },
    app::{
        App, Error, Missing,
        limiter::{Standing, Whose},
        names::{self, Scope},
    },
    domain::{
        access::Access,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        institution::Institution,
        name_page::NamePageRef,
    },
    http::{
        embeds::{Icon, Include},
        params::Params,
    },
};

/// What an access code opens.
struct Opened {
    code: NamePageRef,
    institution: Arc<Institution>,
    scope: Scope,
}

impl Opened {
    /// Whatever word for the page a client uses, it is the same page.
    fn whose(&self) -> Whose {
        let page = if let Scope::Page(page) = self.scope { page } else { NamePageId::new(0) };
        Whose::Page { institution: self.institution.id, page }
    }
}

async fn open(app: &App, call: &Call) -> Result<Opened, Error> {
    let blank = || Error::invalid(Field::Parameter("access_code"), Fault::Blank);
    let given = call.params.text("access_code").ok_or_else(blank)?;
    let code = NamePageRef::parse(&given).ok_or(Error::Missing(Missing::NamePage))?;
    let (institution, scope) = names::open_scope(app, &code).await?;
    Ok(Opened { code, institution: Arc::new(institution), scope })
}

/// Everybody on the page, or one person. Counted by the page and, where a code opens none, by who sends it: whoever has
/// guessed too often is refused before anybody looks whether this code is right.
pub async fn list(app: &App, call: &Call) -> (Result<Response, Problem>, Option<Standing>) {
    let (now, client) = (app.clock.instant(), Whose::address(call.client));
    let admitted = app.limiter.admit(client, now).await;
    if admitted.retry_after.is_some() {
        return (Err(Problem::TooMany), Some(admitted));
    }
    let opened = match open(app, call).await {
        Ok(opened) => opened,
        Err(error @ Error::Missing(_)) => {
            return (Err(error.into()), Some(app.limiter.count(client, now).await));
        }
        Err(error) => return (Err(error.into()), None),
    };
    let standing = app.limiter.take(opened.whose(), opened.institution.rate_limit, now).await;
    let answered = match standing.retry_after {
        Some(_) => Err(Problem::TooMany),
        None => answer(app, &call.params, opened).await,
    };
    (answered, Some(standing))
}

async fn answer(app: &App, params: &Params, opened: Opened) -> Result<Response, Problem> {
    let Opened { code, institution, scope } = opened;
    let mut errors = FieldErrors::default();
    let icon = Icon { code: legacy::icon_code(params, &mut errors), image: None };
    errors.into_result()?;
    let access = Access::whole(institution.id);
    let found = if legacy::means_one(params) {
        names::find(app, &access, scope, &legacy::person(params)).await?
    } else {
        names::everybody(app, &access, scope).await?
    };
    let mut view = View::new(app, &institution, Include::default(), icon).await?;
    view.spellings = legacy::spellings(params);
    let write: listing::Write =
        Box::new(move |person, out| serde_json::to_writer(out, &wire::Name(&view, person)));
    let mut response = listing::answer(app, found, write, None, legacy::FRAME).await?;
    if let Scope::Page(_) = scope {
        legacy::succeeded_by_page(app, &code, &mut response);
    }
    Ok(response)
}
