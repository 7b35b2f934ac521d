//! `/me/details`: what a person writes about their name on each page, and the custom fields that they may edit.

use std::iter;

use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    faults::{Input, sentence},
    notice,
    own::{self, Rejected},
    session::OwnForm,
};
use crate::{
    app::{
        App, Error,
        own_entry::Details,
        own_person::{self, OwnPerson},
    },
    domain::{custom_field::CustomField, fault::Field, field_errors::FieldErrors, participant::Participant},
    http::{
        custom_field::{self, CustomInput, numbered},
        form::Form,
    },
    words::Words,
};

/// The form of one registration.
pub struct DetailsForm<'a> {
    /// The slug of its page.
    pub page: &'a str,
    pub title: &'a str,
    pub phonetic: TextInput,
    pub notes: TextInput,
    /// The custom fields that their institution lets people edit.
    pub fields: Vec<CustomInput>,
    /// The other custom fields, each with its label and value.
    pub fixed: Vec<(&'a str, String)>,
}

impl DetailsForm<'_> {
    /// In the order of the page: whether each input has a fault, and whether it has the focus.
    fn inputs(&mut self) -> impl Iterator<Item = (bool, &mut bool)> {
        let fields = self.fields.iter_mut().map(|field| (field.fault.is_some(), &mut field.has_focus));
        iter::once(self.phonetic.focus()).chain(fields).chain(iter::once(self.notes.focus()))
    }
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

    /// Whether it has a fault, and whether it has the focus.
    fn focus(&mut self) -> (bool, &mut bool) {
        (self.fault.is_some(), &mut self.has_focus)
    }
}

/// What was sent for one registration, with the sentences that say what is wrong.
pub struct RejectedDetails {
    page: String,
    phonetic: TextInput,
    notes: TextInput,
    form: Form,
    /// By the keys of custom fields.
    faults: Vec<(String, String)>,
}

impl RejectedDetails {
    fn new(words: Words, page: &str, form: Form, errors: &FieldErrors) -> Self {
        let input = |name: &str, field: Field, input: Input| TextInput {
            value: form.get(name).unwrap_or_default().to_owned(),
            fault: sentence(words, errors, &field, input),
            has_focus: false,
        };
        let custom = |key: &str| {
            let fault = sentence(words, errors, &Field::Custom(key.to_owned()), Input::CustomField)?;
            Some((key.to_owned(), fault))
        };
        Self {
            phonetic: input("phonetic", Field::Phonetic, Input::Phonetic),
            notes: input("notes", Field::Notes, Input::Notes),
            faults: form.custom_keys().filter_map(custom).collect(),
            page: page.to_owned(),
            form,
        }
    }

    /// The input of a custom field, with what was sent.
    fn custom(&self, words: Words, field: &CustomField) -> CustomInput {
        let fault = self.faults.iter().find(|(key, _)| field.has_import_key(key));
        CustomInput::sent(words, field, &self.form, fault.map(|(_, fault)| fault.clone()))
    }
}

pub fn forms(words: Words, own: &OwnPerson, rejected: Option<RejectedDetails>) -> Vec<DetailsForm<'_>> {
    let mut forms: Vec<DetailsForm<'_>> = (1..)
        .zip(&own.registrations)
        .map(|(number, one)| {
            let rejected = rejected.as_ref().filter(|rejected| rejected.page == one.entry.page.slug);
            form(words, &one.entry, &own.fields, number, rejected)
        })
        .collect();
    if let Some(RejectedDetails { page, phonetic, notes, .. }) = rejected
        && let Some(form) = forms.iter_mut().find(|form| form.page == page)
    {
        (form.phonetic, form.notes) = (phonetic, notes);
        if let Some((_, has_focus)) = form.inputs().find(|(has_fault, _)| *has_fault) {
            *has_focus = true;
        }
    }
    forms
}

/// `number` counts the forms of the page.
fn form<'a>(
    words: Words,
    entry: &'a Participant,
    all: &'a [CustomField],
    number: usize,
    rejected: Option<&RejectedDetails>,
) -> DetailsForm<'a> {
    let (mut inputs, mut fixed) = (Vec::new(), Vec::new());
    for field in all {
        let value = entry.custom.0.get(&field.id);
        if field.editable {
            inputs.push(match rejected {
                Some(rejected) => rejected.custom(words, field),
                None => CustomInput::stored(words, field, value.map(String::as_str)),
            });
        } else if let Some(value) = value {
            fixed.push((field.label.as_str(), custom_field::shown(words, field, value)));
        }
    }
    let fields = numbered(inputs.into_iter(), &format!("field-{number}"));
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
    let page = form.get("page").unwrap_or_default().to_owned();
    let (actor, person) = (signed_in.actor(), &signed_in.session.person);
    match own_person::change(&app, &actor, person, &page, Details::read(&form)).await {
        Ok(()) => own::done(&app, "details"),
        Err(Error::Invalid(errors)) => {
            let words = Words::new(signed_in.language());
            let details = RejectedDetails::new(words, &page, form, &errors);
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let rejected = Rejected { status, details: Some(details), ..Rejected::default() };
            own::draw(&app, &signed_in, rejected, None).await
        }
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
