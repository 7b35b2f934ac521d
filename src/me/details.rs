//! `/me/details`: what a person writes about their name on each page, and the custom fields that they may edit.

use std::iter;

use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    notice,
    own::{self, Rejected, sentence},
    session::OwnForm,
    words::Input,
};
use crate::{
    app::{
        App, Error,
        own_entry::Details,
        own_person::{self, OwnPerson},
    },
    domain::{custom_field::CustomField, fault::Field, field_errors::FieldErrors, participant::Participant},
    http::form::Form,
    words::Words,
};

/// The form of one registration.
pub struct DetailsForm<'a> {
    /// The slug of its page.
    pub page: &'a str,
    pub title: &'a str,
    pub phonetic: TextInput,
    pub notes: TextInput,
    pub fields: Vec<FieldInput<'a>>,
    /// The other custom fields, each with its label and value.
    pub fixed: Vec<(&'a str, &'a str)>,
}

impl DetailsForm<'_> {
    /// In the order of the page.
    fn inputs(&mut self) -> impl Iterator<Item = &mut TextInput> {
        let fields = self.fields.iter_mut().map(|field| &mut field.input);
        iter::once(&mut self.phonetic).chain(fields).chain(iter::once(&mut self.notes))
    }
}

/// A custom field that its institution lets people edit.
pub struct FieldInput<'a> {
    pub name: String,
    pub label: &'a str,
    pub input: TextInput,
}

#[derive(Clone, Default)]
pub struct TextInput {
    pub value: String,
    pub fault: Option<String>,
    /// It is the first one with a fault.
    pub has_focus: bool,
}

impl TextInput {
    fn stored(value: Option<&String>) -> Self {
        Self { value: value.cloned().unwrap_or_default(), ..Self::default() }
    }
}

/// What was sent for one registration, with the sentences that say what is wrong.
pub struct RejectedDetails {
    page: String,
    phonetic: TextInput,
    notes: TextInput,
    custom: Vec<(String, TextInput)>,
}

impl RejectedDetails {
    fn new(words: Words, page: &str, form: &Form, errors: &FieldErrors) -> Self {
        let input = |name: &str, field: Field, input: Input| TextInput {
            value: form.get(name).unwrap_or_default().to_owned(),
            fault: sentence(words, errors, &field, input),
            has_focus: false,
        };
        let custom =
            |key: &str| (key.to_owned(), input(key, Field::Custom(key.to_owned()), Input::CustomField));
        Self {
            page: page.to_owned(),
            phonetic: input("phonetic", Field::Phonetic, Input::Phonetic),
            notes: input("notes", Field::Notes, Input::Notes),
            custom: form.custom_keys().map(custom).collect(),
        }
    }
}

pub fn forms(own: &OwnPerson, rejected: Option<RejectedDetails>) -> Vec<DetailsForm<'_>> {
    let mut forms: Vec<DetailsForm<'_>> =
        own.registrations.iter().map(|one| form(&one.entry, &own.fields)).collect();
    if let Some(RejectedDetails { page, phonetic, notes, custom }) = rejected
        && let Some(form) = forms.iter_mut().find(|form| form.page == page)
    {
        (form.phonetic, form.notes) = (phonetic, notes);
        for (name, input) in custom {
            if let Some(field) = form.fields.iter_mut().find(|field| field.name == name) {
                field.input = input;
            }
        }
        if let Some(first) = form.inputs().find(|input| input.fault.is_some()) {
            first.has_focus = true;
        }
    }
    forms
}

fn form<'a>(entry: &'a Participant, all: &'a [CustomField]) -> DetailsForm<'a> {
    let (mut fields, mut fixed) = (Vec::new(), Vec::new());
    for field in all {
        let value = entry.custom.0.get(&field.id);
        if field.editable {
            let input = TextInput::stored(value);
            fields.push(FieldInput { name: field.import_key(), label: &field.label, input });
        } else if let Some(value) = value {
            fixed.push((field.label.as_str(), value.as_str()));
        }
    }
    DetailsForm {
        page: &entry.page.slug,
        title: &entry.page.title,
        phonetic: TextInput::stored(entry.phonetic.as_ref()),
        notes: TextInput::stored(entry.notes.as_ref()),
        fields,
        fixed,
    }
}

pub async fn change(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let page = form.get("page").unwrap_or_default();
    let (actor, person) = (signed_in.actor(), &signed_in.session.person);
    match own_person::change(&app, &actor, person, page, Details::read(&form)).await {
        Ok(()) => own::done(&app, "details"),
        Err(Error::Invalid(errors)) => {
            let words = Words::new(signed_in.language());
            let details = RejectedDetails::new(words, page, &form, &errors);
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let rejected = Rejected { status, details: Some(details), ..Rejected::default() };
            own::draw(&app, &signed_in, rejected, None).await
        }
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
