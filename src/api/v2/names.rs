//! Version 2: names by access code.

use std::sync::Arc;

use axum::{extract::Request, http::uri::PathAndQuery, response::Response};

use crate::{
    api::{
        kept::{self, Immediate},
        legacy::{self, LegacyRequest},
        listing,
        problem::Problem,
        view::View,
    },
    app::{
        App, Error, Missing,
        answers::{Asker, Question},
        limiter::{LimitKey, Quota},
        names::{self, Reach},
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
        client,
        embeds::{Icon, Include},
        params::Params,
    },
};

/// What an access code gives access to.
struct CodeTarget {
    code: NamePageRef,
    institution: Arc<Institution>,
    access: Access,
    reach: Reach,
}

impl CodeTarget {
    /// The key is the page, however the client spells its code.
    fn limit_key(&self) -> LimitKey {
        let page = if let Reach::Page(page) = self.reach { page } else { NamePageId::new(0) };
        LimitKey::PageCode { institution: self.institution.id, page }
    }
}

async fn open(app: &App, call: &LegacyRequest) -> Result<CodeTarget, Error> {
    let blank = || Error::invalid(Field::Parameter("access_code"), Fault::Blank);
    let given = call.params.text("access_code").ok_or_else(blank)?;
    let code = NamePageRef::parse(&given).ok_or(Error::Missing(Missing::NamePage))?;
    let open = names::open_reach(app, &code).await?;
    let access = open.access();
    Ok(CodeTarget { code, institution: open.institution, access, reach: open.reach })
}

/// Everybody on the page, or one person. The rate limit is per page; failures are counted per client address, and a
/// client with too many of them is refused before its code is looked up.
pub async fn list(app: &App, call: &LegacyRequest) -> (Result<Response, Problem>, Option<Quota>) {
    let (now, client) = (app.clock.instant(), LimitKey::code_guesses(call.client));
    let admitted = app.limiter.admit(client, now).await;
    if admitted.retry_after.is_some() {
        return (Err(Problem::TooMany), Some(admitted));
    }
    let version = app.data_version();
    let question = question(call.target.as_ref());
    if let Some(answer) = version.and_then(|version| app.answers.get(version, &question))
        && let Some((limit_key, ceiling)) = answer.limit
    {
        let quota = app.limiter.take(limit_key, ceiling, now).await;
        let refused = quota.retry_after.is_some();
        let result = if refused { Err(Problem::TooMany) } else { Ok(kept::respond(answer)) };
        return (result, Some(quota));
    }
    let target = match open(app, call).await {
        Ok(target) => target,
        Err(error @ Error::Missing(_)) => {
            return (Err(error.into()), Some(app.limiter.count(client, now)));
        }
        Err(error) => return (Err(error.into()), None),
    };
    let limit = (target.limit_key(), target.institution.rate_limit);
    let quota = app.limiter.take(limit.0, limit.1, now).await;
    let result = match quota.retry_after {
        Some(_) => Err(Problem::TooMany),
        None => respond(app, &call.params, target).await,
    };
    let result = match (result, version) {
        (Ok(response), Some(version)) if call.target.is_some() => {
            kept::keep(app, version, question, Some(limit), call.route.as_ref(), response).await
        }
        (result, _) => result,
    };
    (result, Some(quota))
}

fn question(target: Option<&PathAndQuery>) -> Question<'_> {
    Question { asker: Asker::Anyone, target: target.map_or("", PathAndQuery::as_str) }
}

/// `None` if nothing is kept, or if a rate limit would have to be read from a store that nodes share.
pub fn at_once(app: &App, request: &Request) -> Option<Immediate> {
    let (now, guesses) = (app.clock.instant(), LimitKey::code_guesses(client::address(request.extensions())));
    let answer = app.answers.get(app.data_version()?, &question(request.uri().path_and_query()))?;
    let (limit_key, ceiling) = answer.limit?;
    let admitted = app.limiter.admit_at_once(guesses, now)?;
    let quota = match admitted.retry_after {
        Some(_) => admitted,
        None => app.limiter.take_at_once(limit_key, ceiling, now)?,
    };
    Some(Immediate::new(answer, quota))
}

async fn respond(app: &App, params: &Params, target: CodeTarget) -> Result<Response, Problem> {
    let CodeTarget { code, institution, access, reach } = target;
    let mut errors = FieldErrors::default();
    let icon = Icon { code: legacy::icon_code(params, &mut errors), image: None };
    errors.into_result()?;
    let found = if legacy::names_one_person(params) {
        names::find(app, &access, reach, &legacy::person(params)).await?
    } else {
        names::everybody(app, &access, reach).await?
    };
    let mut view = View::new(app, &access, &institution, Include::default(), icon).await?;
    view.spellings = legacy::spellings(params);
    let write: listing::Write = Box::new(move |person, out| legacy::write_name(&view, person, false, out));
    let mut response = listing::respond(app, found, write, None, legacy::FRAME).await?;
    if let Reach::Page(_) = reach {
        legacy::succeeded_by_page(app, &code, &mut response);
    }
    Ok(response)
}
