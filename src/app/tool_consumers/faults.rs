//! What can be wrong with a tool consumer and with the registration of an LTI platform.

use crate::{
    app::{App, Error, Result},
    domain::{
        address::is_printable,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        institution::parse_framing_origin,
        roster::Role,
        text::{self, Lines, longest},
        tool_consumer::Registration,
    },
};

pub(super) fn name_fault(name: &str, errors: &mut FieldErrors) {
    if text::is_blank(name) {
        errors.add(Field::Name, Fault::Blank);
    } else if let Some(fault) = text::fault(name, longest::NAME, Lines::One) {
        errors.add(Field::Name, fault);
    }
}

/// Without a role, nobody would be listed, and everybody would leave the pages of the courses.
pub fn role_fault(roles: &[Role], errors: &mut FieldErrors) {
    if roles.is_empty() {
        errors.add(Field::Role, Fault::Blank);
    }
}

/// Normalizes origins to the form that browsers compare. An invalid one is an error, because it would silently be left out
/// of the header.
pub(super) fn as_origins(given: &mut [String], errors: &mut FieldErrors) {
    for one in given {
        match parse_framing_origin(one) {
            Some(origin) => *one = origin,
            None => errors.add(Field::FrameAncestor, SetupFault::NotAFrameAncestor),
        }
    }
}

/// Addresses may have been pasted with a trailing newline.
pub(super) fn trim(lti: &mut Registration) {
    let addresses = [&mut lti.auth_url, &mut lti.token_url, &mut lti.jwks_url];
    for text in addresses.into_iter().chain(&mut lti.token_audience) {
        *text = text.trim().to_owned();
    }
}

pub(super) fn registration_faults(lti: &Registration, errors: &mut FieldErrors) {
    if text::is_blank(&lti.client_id) {
        errors.add(Field::ClientId, Fault::Blank);
    } else if lti.client_id.contains(char::is_control) {
        errors.add(Field::ClientId, Fault::ControlCharacter);
    }
    if lti.token_audience.as_deref().is_some_and(|audience| !is_printable(audience)) {
        errors.add(Field::TokenAudience, Fault::Invalid);
    }
    for (field, url) in
        [(Field::AuthUrl, &lti.auth_url), (Field::TokenUrl, &lti.token_url), (Field::JwksUrl, &lti.jwks_url)]
    {
        if text::is_blank(url) {
            errors.add(field, Fault::Blank);
        }
    }
    let mut seen = std::collections::HashSet::new();
    if lti.deployments.iter().any(|deployment| text::is_blank(deployment) || !seen.insert(deployment)) {
        errors.add(Field::DeploymentId, SetupFault::BlankOrRepeated);
    }
}

pub(super) async fn registration_permitted(app: &App, lti: &Registration) -> Result<()> {
    // Only browsers request the auth URL, but it belongs to the same system, so it is checked as well.
    for (field, url) in
        [(Field::AuthUrl, &lti.auth_url), (Field::TokenUrl, &lti.token_url), (Field::JwksUrl, &lti.jwks_url)]
    {
        permitted(app, field, url).await?;
    }
    Ok(())
}

pub(super) async fn permitted(app: &App, field: Field, url: &str) -> Result<()> {
    app.outbound
        .permits(url)
        .await
        .map_err(|error| Error::invalid(field, SetupFault::Address(error.to_string())))
}
