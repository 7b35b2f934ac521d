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
    tenant: String,
    any_account: String,
    trusts: String,
    scopes: String,
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
            tenant: text("tenant"),
            any_account: text("any_account"),
            trusts: text("trusts"),
            scopes: text("scopes"),
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
            tenant: connection.tenant.clone().unwrap_or_default(),
            any_account: tick(connection.any_account),
            trusts: tick(connection.trusts_unverified_email),
            scopes: sso::scope_words(connection).join(" "),
            ..Self::default()
        }
    }

    pub fn domains(&self) -> Vec<String> {
        DomainPattern::split_list(&self.domains)
    }

    pub fn tenant(&self) -> String {
        self.tenant.clone()
    }

    pub fn any_account(&self) -> bool {
        !self.any_account.is_empty()
    }

    pub fn scopes(&self) -> Vec<String> {
        vec![self.scopes.clone()]
    }

    pub fn trusts_unverified_email(&self) -> bool {
        !self.trusts.is_empty()
    }
}

fn tick(is_set: bool) -> String {
    if is_set { "1" } else { "" }.to_owned()
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
            "tenant",
            Field::Parameter("tenant"),
            "console-settings-sign-on-tenant",
            Some("console-settings-sign-on-tenant-hint"),
            &entered.tenant,
            Shape::Code,
        ),
        input(
            "any_account",
            // As with `trusts`.
            Field::Parameter("any_account"),
            "console-settings-sign-on-any",
            Some("console-settings-sign-on-any-hint"),
            &entered.any_account,
            Shape::Tick,
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
        input(
            "scopes",
            Field::Parameter("scopes"),
            "console-settings-sign-on-scopes",
            Some("console-settings-sign-on-scopes-hint"),
            &entered.scopes,
            Shape::Code,
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
        Fault::Setup(SetupFault::AccountsNeeded) => words.text("console-settings-sign-on-fault-accounts"),
        Fault::Setup(SetupFault::AccountsBounded) => words.text("console-settings-sign-on-fault-bounded"),
        Fault::Setup(SetupFault::NotAScope(given)) => {
            words.one("console-settings-sign-on-fault-scope", "given", given)
        }
        Fault::Setup(SetupFault::DomainsNeeded) => words.text("console-settings-sign-on-fault-needed"),
        _ => words.text("me-fault-characters"),
    }
}
