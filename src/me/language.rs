//! The menu of languages: `/me/language` sets the language of a person, `/language` that of a visitor.

use axum::{
    extract::{Request, State},
    response::Response,
};

use super::{
    own,
    session::{OwnForm, forged, preferred},
};
use crate::{
    app::{App, languages},
    domain::{language::Language, sign_in::ReturnTo},
    http::{
        csrf,
        form::{self, Form},
        html::root,
        language::remember,
        reply,
    },
};

/// The chosen language, and the page to go back to.
fn choice(form: &Form) -> (Option<Language>, Option<ReturnTo>) {
    let language = form.get("language").and_then(Language::parse);
    (language, form.get("return_to").and_then(ReturnTo::parse))
}

pub async fn of_person(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    let (language, return_to) = choice(&form);
    let person = signed_in.session.person.clone();
    if let Some(language) = language
        && let Err(error) = languages::choose(&app, &signed_in.actor(), person, language).await
    {
        return own::fault(&app, &signed_in, error).await;
    }
    reply::see_other(&format!("{}{}", root(&app.links), return_to.unwrap_or_default().as_str()))
}

/// Pages that everybody may see have no token for forms. The origin is enough, because only the language is at stake.
pub async fn of_visitor(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (preferred, is_cross_origin) = (preferred(&parts), csrf::is_cross_origin(&app.links, &parts.headers));
    let form = form::read_anonymous(Request::from_parts(parts, body)).await;
    let Some(form) = form.ok().filter(|_| !is_cross_origin) else { return forged(&app, preferred) };
    let (language, return_to) = choice(&form);
    let path = return_to.as_ref().map_or("/", ReturnTo::as_str);
    let mut response = reply::see_other(&format!("{}{path}", root(&app.links)));
    if let Some(language) = language {
        remember(&app.links, &mut response, language, path);
    }
    response
}
