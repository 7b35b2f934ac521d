//! Version 2: names by access code.

use std::sync::Arc;

use axum::response::Response;

use super::wire;
use crate::{
    api::{
        legacy::{self, LegacyRequest},
        listing,
        problem::Problem,
        view::View,
    },
    app::{
        App, Error, Missing,
        limiter::{LimitKey, Quota},
        names::{self, Scope},
    },
    domain::{
        access::Access,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::NamePageId,
        institution::Institution,
        name_page::NamePageRef,
    },
    http::{
        embeds::{Icon, Include},
        params::Params,
    },
};

/// What an access code gives access to.
struct CodeScope {
    code: NamePageRef,
    institution: Arc<Institution>,
    scope: Scope,
}

impl CodeScope {
    /// The key is the page, however the client spells its code.
    fn limit_key(&self) -> LimitKey {
        let page = if let Scope::Page(page) = self.scope { page } else { NamePageId::new(0) };
        LimitKey::Page { institution: self.institution.id, page }
    }
}

async fn open(app: &App, call: &LegacyRequest) -> Result<CodeScope, Error> {
    let blank = || Error::invalid(Field::Parameter("access_code"), Fault::Blank);
    let given = call.params.text("access_code").ok_or_else(blank)?;
    let code = NamePageRef::parse(&given).ok_or(Error::Missing(Missing::NamePage))?;
    let (institution, scope) = names::open_scope(app, &code).await?;
    Ok(CodeScope { code, institution: Arc::new(institution), scope })
}

/// Everybody on the page, or one person. The rate limit is per page; failures are counted per client address, and a
/// client with too many of them is refused before its code is looked up.
pub async fn list(app: &App, call: &LegacyRequest) -> (Result<Response, Problem>, Option<Quota>) {
    let (now, client) = (app.clock.instant(), LimitKey::address(call.client));
    let admitted = app.limiter.admit(client, now).await;
    if admitted.retry_after.is_some() {
        return (Err(Problem::TooMany), Some(admitted));
    }
    let target = match open(app, call).await {
        Ok(target) => target,
        Err(error @ Error::Missing(_)) => {
            return (Err(error.into()), Some(app.limiter.count(client, now).await));
        }
        Err(error) => return (Err(error.into()), None),
    };
    let quota = app.limiter.take(target.limit_key(), target.institution.rate_limit, now).await;
    let result = match quota.retry_after {
        Some(_) => Err(Problem::TooMany),
        None => respond(app, &call.params, target).await,
    };
    (result, Some(quota))
}

async fn respond(app: &App, params: &Params, target: CodeScope) -> Result<Response, Problem> {
    let CodeScope { code, institution, scope } = target;
    let mut errors = FieldErrors::default();
    let icon = Icon { code: legacy::icon_code(params, &mut errors), image: None };
    errors.into_result()?;
    let access = Access::whole(institution.id);
    let found = if legacy::names_one_person(params) {
        names::find(app, &access, scope, &legacy::person(params)).await?
    } else {
        names::everybody(app, &access, scope).await?
    };
    let mut view = View::new(app, &institution, Include::default(), icon).await?;
    view.spellings = legacy::spellings(params);
    let write: listing::Write =
        Box::new(move |person, out| serde_json::to_writer(out, &wire::Name(&view, person)));
    let mut response = listing::respond(app, found, write, None, legacy::FRAME).await?;
    if let Scope::Page(_) = scope {
        legacy::succeeded_by_page(app, &code, &mut response);
    }
    Ok(response)
}
