//! What serializing a participant needs besides the participant, shared by all records of a response. Each version
//! chooses the keys.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use crate::{
    app::{App, Links, Result, custom_fields, links::secret},
    domain::{
        access::{Access, Action},
        custom_field::CustomField,
        email::Spellings,
        institution::Institution,
        moment::Moment,
        participant::{Participant, Recording},
    },
    http::{
        embeds::{Icon, Include, Players, Snippets},
        json::{Escaped, Object},
    },
};

pub struct View {
    links: Links,
    institution: Arc<Institution>,
    pub include: Include,
    icon: Icon,
    fields: Vec<CustomField>,
    addresses: Addresses,
    players: Players,
    /// Rendered for the first record that has them.
    snippets: OnceLock<Snippets>,
    legal_snippets: OnceLock<Snippets>,
    /// Emails as the request spelled them.
    pub spellings: Spellings,
    /// Show the two dates of `latest`.
    pub dates: bool,
    /// Show the event code, as version 5's answers to writes do.
    pub event_code: bool,
}

/// What the URLs of all records begin with.
struct Addresses {
    recordings: Escaped,
    photos: Escaped,
    name_badges: Escaped,
}

impl View {
    pub async fn new(
        app: &App,
        access: &Access,
        institution: &Arc<Institution>,
        include: Include,
        icon: Icon,
    ) -> Result<Self> {
        let fields =
            if include.custom_attributes { custom_fields::all(app, access).await? } else { Vec::new() };
        let players = match access.is_public() {
            true => Players::Public,
            false => Players::Secret(secret::find(app, institution.id).await?),
        };
        let view = Self::with_fields(institution.clone(), app.links.clone(), fields, include, icon);
        Ok(Self { players, ..view })
    }

    /// For the response to a create, always with custom values. The fields are read only if there may be values: those of the draft
    /// or, if the request has a key, those of somebody whom an earlier one has created.
    pub async fn of_created(
        app: &App,
        access: &Access,
        institution: &Arc<Institution>,
        include: Include,
        may_have_values: bool,
    ) -> Result<Self> {
        access.check(Action::Read)?;
        let include = Include { custom_attributes: may_have_values, ..include };
        let mut view = Self::new(app, access, institution, include, Icon::default()).await?;
        view.include.custom_attributes = true;
        Ok(view)
    }

    /// For export reports, which have no embeds, and where the custom fields are given.
    pub fn of_report(institution: Arc<Institution>, links: Links, fields: Vec<CustomField>) -> Self {
        let include = Include { custom_attributes: true, ..Include::default() };
        Self::with_fields(institution, links, fields, include, Icon::default())
    }

    fn with_fields(
        institution: Arc<Institution>,
        links: Links,
        fields: Vec<CustomField>,
        include: Include,
        icon: Icon,
    ) -> Self {
        let addresses = Addresses {
            recordings: Escaped::new(&links.recordings(institution.id)),
            photos: Escaped::new(&links.photos(institution.id)),
            name_badges: Escaped::new(&links.name_badges(institution.id)),
        };
        Self {
            links,
            institution,
            include,
            icon,
            fields,
            addresses,
            players: Players::Public,
            snippets: OnceLock::new(),
            legal_snippets: OnceLock::new(),
            spellings: Spellings::default(),
            dates: false,
            event_code: false,
        }
    }

    pub fn institution(&self) -> &Institution {
        &self.institution
    }

    pub fn email<'a>(&'a self, person: &'a Participant) -> Option<Cow<'a, str>> {
        person.email.as_deref().map(|stored| self.spellings.show(stored))
    }

    pub fn write_recording_link(
        &self,
        key: &'static str,
        recording: &Option<Recording>,
        object: &mut Object<'_>,
    ) {
        let Some(recording) = recording else { return object.null(key) };
        object.text_of(key, |text| {
            text.add_escaped(&self.addresses.recordings);
            text.add(&recording.hex);
            text.add(Links::RECORDING_END);
        });
    }

    pub fn write_photo(&self, person: &Participant, object: &mut Object<'_>) {
        let Some(hex) = &person.photo else { return object.null("photo") };
        object.text_of("photo", |text| {
            text.add_escaped(&self.addresses.photos);
            text.add(hex);
            text.add(Links::PHOTO_END);
        });
    }

    pub fn write_name_badge_link(&self, person: &Participant, object: &mut Object<'_>) {
        object.text_of("name_badge_link", |text| {
            text.add_escaped(&self.addresses.name_badges);
            text.add(&person.token);
        });
    }

    pub fn write_date(&self, key: &'static str, moment: Option<Moment>, object: &mut Object<'_>) {
        let date = moment.map(|moment| moment.shown_in(&self.institution().time_zone));
        object.opt_text(key, date.as_deref());
    }

    /// The two dates of `latest`.
    pub fn write_dates(&self, person: &Participant, object: &mut Object<'_>) {
        let recorded_at = person.recording.as_ref().map(|recording| recording.recorded_at);
        self.write_date("recording_date", recorded_at, object);
        self.write_date("custom_objects_recorded_date", person.custom_changed_at, object);
    }

    pub fn write_embeds(&self, person: &Participant, object: &mut Object<'_>) {
        let snippets = self.snippets.get_or_init(|| self.render_snippets(false));
        snippets.write_image("embed_image", person, object);
        snippets.write_iframe("embed_iframe", person, object);
    }

    pub fn write_legal_embeds(&self, person: &Participant, object: &mut Object<'_>) {
        let snippets = self.legal_snippets.get_or_init(|| self.render_snippets(true));
        snippets.write_image("legal_embed_image", person, object);
        snippets.write_iframe("legal_embed_iframe", person, object);
    }

    fn render_snippets(&self, legal: bool) -> Snippets {
        Snippets::new(&self.links, self.institution.id, self.players.clone(), &self.icon, legal)
    }

    /// Custom values by field name; unset ones are omitted.
    pub fn write_custom_values(&self, person: &Participant, object: &mut Object<'_>) {
        for field in &self.fields {
            if let Some(value) = person.custom.0.get(&field.id) {
                object.pair(&field.name, value);
            }
        }
    }

    pub fn write_custom_objects(&self, person: &Participant, object: &mut Object<'_>) {
        object.object("custom_objects", |object| self.write_custom_values(person, object));
    }
}

#[cfg(test)]
pub mod tests {
    use std::collections::BTreeMap;

    use jiff::tz::TimeZone;

    use super::*;
    use crate::domain::{
        ids::{CustomFieldId, InstitutionId, ParticipantId},
        name_page::PageLabel,
        participant::{CustomValues, Legal},
    };

    /// Everything that a record can show.
    pub fn view() -> View {
        let institution = Institution {
            id: InstitutionId::new(7),
            slug: "uni".to_owned(),
            name: "Uni".to_owned(),
            access_code: "UNI".to_owned(),
            time_zone: TimeZone::UTC,
            multiple_recordings: true,
            rate_limit: None,
            allowed_origins: Vec::new(),
            phone_language: None,
            language: None,
            created_at: Moment::from_micros(0),
        };
        let field = |id: i64, name: &str| CustomField {
            id: CustomFieldId::new(id),
            name: name.to_owned(),
            ..CustomField::default()
        };
        let fields = vec![field(2, "a \"key\""), field(1, "pronouns"), field(3, "unset")];
        let mut view = View::of_report(Arc::new(institution), Links::new("https://x.org/a\"b"), fields);
        (view.dates, view.event_code) = (true, true);
        view.include.embeddables = true;
        view.include.legal_embeddables = true;
        view
    }

    /// Somebody with nothing but a token, and somebody with every value, all of them special in JSON.
    pub fn people() -> [Participant; 2] {
        let text = |name: &str| Some(format!("{name} \"<&'\\\n\u{1}用 😀"));
        let recording =
            |hex: &str| Some(Recording { hex: hex.to_owned(), recorded_at: Moment::from_micros(0) });
        let nobody = Participant::new(ParticipantId::new(1), 1, "ab\"12".to_owned());
        let custom = BTreeMap::from([
            (CustomFieldId::new(1), "they\tthem".to_owned()),
            (CustomFieldId::new(2), "\\".to_owned()),
        ]);
        let everything = Participant {
            first_name: text("Ana"),
            last_name: text("Lima"),
            email: Some("Ana\"@x.org".to_owned()),
            identifier: text("42"),
            phonetic: text("AH-na"),
            notes: text("notes"),
            recording: recording("cd34"),
            photo: Some("ef56".to_owned()),
            legal: Legal {
                first_name: text("Anna"),
                last_name: text("Lyma"),
                middle_name: text("M."),
                phonetic: text("AN-na"),
                notes: text("more"),
                recording: recording("0a1b"),
            },
            custom: CustomValues(custom),
            custom_changed_at: Some(Moment::from_micros(0)),
            page: Arc::new(PageLabel {
                title: "A \"title\"".to_owned(),
                slug: "slug".to_owned(),
                event_code: "event".to_owned(),
                access_code: "access".to_owned(),
                allow_v2: true,
            }),
            ..nobody.clone()
        };
        [nobody, everything]
    }

    /// These entries as `serde_json` writes them.
    pub fn object(entries: &[(&str, serde_json::Value)]) -> String {
        let entry = |(key, value): &(&str, serde_json::Value)| format!("{}:{value}", serde_json::json!(key));
        format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
    }

    /// The custom values of a record, in the order of `serde_json`, which sorts keys, and of the fields.
    pub fn custom_of(person: &Participant) -> Vec<(&'static str, serde_json::Value)> {
        if person.custom.0.is_empty() {
            return Vec::new();
        }
        vec![("a \"key\"", "\\".into()), ("pronouns", "they\tthem".into())]
    }

    /// Image and iframe; `embeds::snippets` compares them.
    pub fn embeds_of(view: &View, person: &Participant) -> [serde_json::Value; 2] {
        let mut out = Vec::new();
        Object::write(&mut out, |object| view.write_embeds(person, object));
        let embeds: serde_json::Value = serde_json::from_slice(&out).unwrap();
        ["embed_image", "embed_iframe"].map(|key| embeds[key].clone())
    }

    pub fn legal_embeds_of(view: &View, person: &Participant) -> [serde_json::Value; 2] {
        let mut out = Vec::new();
        Object::write(&mut out, |object| view.write_legal_embeds(person, object));
        let embeds: serde_json::Value = serde_json::from_slice(&out).unwrap();
        ["legal_embed_image", "legal_embed_iframe"].map(|key| embeds[key].clone())
    }
}
