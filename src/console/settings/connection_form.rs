//! The form of a single sign-on connection.

use crate::{
    app::sso,
    console::inputs::{Input, Shape},
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        sso::{Connection, DomainPattern},
    },
    http::form::Form,
    words::Words,
};

/// What is typed into the form of a connection. The secret is never shown again.
#[derive(Default)]
pub struct Entered {
    /// What the connection was when the form was shown.
    pub version: String,
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    domains: String,
    trusts: String,
    pub errors: FieldErrors,
    /// Somebody else has changed the connection since the form was shown.
    pub is_outdated: bool,
}

impl Entered {
    pub fn read(form: &Form) -> Self {
        let text = |name| form.get(name).unwrap_or_default().to_owned();
        Self {
            version: text("version"),
            name: text("name"),
            issuer: text("issuer"),
            client_id: text("client_id"),
            domains: text("domains"),
            trusts: text("trusts"),
            ..Self::default()
        }
    }

    pub fn of(connection: &Connection) -> Self {
        let domains: Vec<String> = connection.domains.iter().map(ToString::to_string).collect();
        Self {
            version: sso::version(connection),
            name: connection.name.clone(),
            issuer: connection.issuer.clone(),
            client_id: connection.client_id.clone(),
            domains: domains.join(" "),
            trusts: if connection.trusts_unverified_email { "1" } else { "" }.to_owned(),
            ..Self::default()
        }
    }

    pub fn domains(&self) -> Vec<String> {
        DomainPattern::split_list(&self.domains)
    }

    pub fn trusts_unverified_email(&self) -> bool {
        !self.trusts.is_empty()
    }
}

/// The inputs of a connection. Its issuer cannot change.
pub fn inputs(words: Words, entered: &Entered, is_new: bool) -> Vec<Input> {
    let input = |name: &'static str, field: Field, label, hint: Option<&str>, value: &str, shape| Input {
        name: name.into(),
        label: words.text(label),
        hint: hint.map(|id| words.text(id)),
        fault: entered.errors.said(&field, |fault| sentence(words, fault)),
        value: value.to_owned(),
        shape,
        ..Input::default()
    };
    let secret_hint = (!is_new).then_some("console-settings-sign-on-secret-hint");
    let issuer = is_new.then(|| {
        let hint = Some("console-settings-sign-on-issuer-hint");
        let label = "console-settings-sign-on-issuer";
        input("issuer", Field::Issuer, label, hint, &entered.issuer, Shape::Code)
    });
    let others = [
        input(
            "name",
            Field::Name,
            "console-settings-sign-on-name",
            Some("console-settings-sign-on-name-hint"),
            &entered.name,
            Shape::Line,
        ),
        input(
            "client_id",
            Field::ClientId,
            "console-settings-sign-on-client-id",
            None,
            &entered.client_id,
            Shape::Code,
        ),
        input(
            "client_secret",
            Field::ClientSecret,
            "console-settings-sign-on-secret",
            secret_hint,
            "",
            Shape::Secret,
        ),
        input(
            "domains",
            Field::Domains,
            "console-settings-sign-on-domains",
            Some("console-settings-sign-on-domains-hint"),
            &entered.domains,
            Shape::Code,
        ),
        input(
            "trusts",
            // Faults about it are shown at the domains that it needs.
            Field::Parameter("trusts"),
            "console-settings-sign-on-trust",
            Some("console-settings-sign-on-trust-hint"),
            &entered.trusts,
            Shape::Tick,
        ),
    ];
    issuer.into_iter().chain(others).collect()
}

fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text("shared-blank"),
        Fault::TooLong { most } => words.one("me-fault-long", "most", *most as u64),
        Fault::Taken => words.text("console-settings-sign-on-taken"),
        Fault::Setup(SetupFault::NotAnIssuer) => words.text("console-settings-sign-on-fault-issuer"),
        Fault::Setup(SetupFault::Address(_)) => words.text("console-settings-sign-on-fault-address"),
        Fault::Setup(SetupFault::NotADomain(given)) => {
            words.one("console-settings-sign-on-fault-domain", "given", given)
        }
        Fault::Setup(SetupFault::ConnectionNeeded) => words.text("console-settings-sign-on-fault-last"),
        Fault::Setup(SetupFault::DomainsNeeded) => words.text("console-settings-sign-on-fault-needed"),
        _ => words.text("me-fault-characters"),
    }
}
