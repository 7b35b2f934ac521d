//! The form of a custom field.

use super::super::inputs::{Choice, Faults, Input, Labels, Shape, Texts, askings, chosen, said};
use crate::{
    app::custom_fields::{Change, New},
    domain::{
        custom_field::{CustomField, FieldKind},
        fault::Field,
        page_settings::Asking,
    },
    http::form::Form,
    words::Words,
};

/// What the inputs of the form have: stored, or typed.
#[derive(Clone, Default)]
pub struct Values {
    name: String,
    label: String,
    kind: String,
    /// One on each line.
    options: String,
    edited_by: String,
    asked: String,
    /// Empty, or the value of a box that is ticked.
    on_badge: String,
}

/// The words for who may change a value.
const PERSON: &str = "person";
const STAFF: &str = "staff";
/// The value of a box that is ticked.
const TICKED: &str = "1";

pub const fn editor(is_editable: bool) -> &'static str {
    if is_editable { PERSON } else { STAFF }
}

impl Values {
    pub fn stored(field: &CustomField) -> Self {
        Self {
            name: field.name.clone(),
            label: field.label.clone(),
            kind: field.kind.word().to_owned(),
            options: field.options.join("\n"),
            edited_by: editor(field.editable).to_owned(),
            asked: field.asked.word().to_owned(),
            on_badge: if field.on_badge { TICKED } else { "" }.to_owned(),
        }
    }

    pub fn sent(form: &Form) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().replace("\r\n", "\n").trim().to_owned();
        Self {
            name: text("name"),
            label: text("label"),
            kind: text("kind"),
            options: text("options"),
            edited_by: text("edited_by"),
            asked: text("asked"),
            on_badge: text("on_badge"),
        }
    }

    fn options(&self) -> Vec<String> {
        self.options.lines().map(str::to_owned).collect()
    }

    pub fn new_field(&self) -> New {
        New {
            name: self.name.clone(),
            label: Some(self.label.clone()),
            editable: self.edited_by == PERSON,
            kind: FieldKind::parse(&self.kind).unwrap_or_default(),
            options: self.options(),
            asked: Asking::parse(&self.asked).unwrap_or_default(),
            on_badge: !self.on_badge.is_empty(),
        }
    }

    pub fn change(&self, base: Option<String>) -> Change {
        Change {
            label: Some(self.label.clone()),
            editable: Some(self.edited_by == PERSON),
            kind: FieldKind::parse(&self.kind),
            options: Some(self.options()),
            asked: Asking::parse(&self.asked),
            on_badge: Some(!self.on_badge.is_empty()),
            base,
        }
    }
}

const NAME: Texts = ("name", "console-field-name", "console-field-name-hint");
const LABEL: Texts = ("label", "console-field-label", "console-field-label-hint");
const OPTIONS: Texts = ("options", "console-field-options", "console-field-options-hint");
const KIND: (&str, &str) = ("kind", "console-field-kind");
const EDITED_BY: (&str, &str) = ("edited_by", "console-field-edited-by");
const ASKED: (&str, &str) = ("asked", "console-field-asked");

/// The form, as the template shows it.
pub struct FieldForm {
    pub name: Input,
    pub label: Input,
    pub kind: Input,
    pub options: Input,
    pub edited_by: Input,
    pub asked: Input,
    pub on_badge: Input,
}

impl FieldForm {
    /// With these values. `now` is what is stored, if somebody else has changed that.
    pub fn new(values: &Values, faults: Faults<'_>, now: Option<&Values>) -> Self {
        let words = faults.words;
        let input = |field: Field, texts: Texts, shape: Shape, typed: &str, now: Option<&String>| {
            let now = now.filter(|now| *now != typed).map(|now| said(words, now));
            faults.input(&field, texts, shape, typed).now(now)
        };
        let choices = |(name, label): (&'static str, &str),
                       shape: fn(Vec<Choice>) -> Shape,
                       all: Labels,
                       typed: &str,
                       now: Option<&String>| {
            // The first one, in a new form.
            let first = all.first().map_or("", |(word, _)| *word);
            let typed = if typed.is_empty() { first } else { typed };
            chosen(words, (name, words.text(label)), shape, all, typed, now.map(String::as_str))
        };
        Self {
            name: input(Field::Name, NAME, Shape::Code, &values.name, None),
            label: input(Field::Label, LABEL, Shape::Line, &values.label, now.map(|now| &now.label)),
            kind: choices(KIND, Shape::Menu, kinds(), &values.kind, now.map(|now| &now.kind)),
            options: input(
                Field::Options,
                OPTIONS,
                Shape::Lines,
                &values.options,
                now.map(|now| &now.options),
            ),
            edited_by: choices(
                EDITED_BY,
                Shape::Radios,
                edited_by(),
                &values.edited_by,
                now.map(|now| &now.edited_by),
            ),
            asked: choices(ASKED, Shape::Radios, askings(), &values.asked, now.map(|now| &now.asked)),
            on_badge: on_badge(words, values, now),
        }
    }
}

pub fn kinds() -> Labels {
    let label = |kind: FieldKind| match kind {
        FieldKind::Text => "console-kind-text",
        FieldKind::LongText => "console-kind-long-text",
        FieldKind::Choice => "console-kind-choice",
        FieldKind::Choices => "console-kind-choices",
        FieldKind::YesNo => "console-kind-yes-no",
    };
    FieldKind::ALL.into_iter().map(|kind| (kind.word(), label(kind))).collect()
}

pub fn edited_by() -> Labels {
    vec![(PERSON, "console-edited-by-person"), (STAFF, "console-edited-by-staff")]
}

fn on_badge(words: Words, values: &Values, now: Option<&Values>) -> Input {
    let now = now.filter(|now| now.on_badge != values.on_badge).map(|now| {
        let id = if now.on_badge.is_empty() { "console-settings-off" } else { "console-settings-on" };
        said(words, &words.text(id))
    });
    Input::new("on_badge", words.text("console-field-on-badge"), Shape::Tick, values.on_badge.clone())
        .hint(words.text("console-field-on-badge-hint"))
        .now(now)
}
