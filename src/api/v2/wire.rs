//! Version 2 wire format.

use crate::{api::view::View, domain::participant::Participant, http::json::Object};

pub fn write_name(view: &View, person: &Participant, out: &mut Vec<u8>) {
    Object::write(out, |object| {
        object.opt_text("first_name", person.first_name.as_deref());
        object.opt_text("last_name", person.last_name.as_deref());
        object.opt_text("email", view.email(person).as_deref());
        view.write_embeds(person, object);
        view.write_recording_link("recording_link", &person.recording, object);
        view.write_name_badge_link(person, object);
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::view::tests::{embeds_of, object, people, view};

    #[test]
    fn a_record_is_written_as_serde_json_would() {
        let view = view();
        for person in people() {
            let has = person.photo.is_some();
            let shown = |text: &str| has.then(|| text.to_owned());
            let [image, iframe] = embeds_of(&view, &person);
            let wanted = [
                ("first_name", json!(person.first_name)),
                ("last_name", json!(person.last_name)),
                ("email", json!(shown("ana\"@x.org"))),
                ("embed_image", image),
                ("embed_iframe", iframe),
                ("recording_link", json!(shown("https://x.org/a\"b/audio/7/recording_cd34.mp3"))),
                ("name_badge_link", json!("https://x.org/a\"b/badges/7/ab\"12")),
            ];
            let mut out = Vec::new();
            write_name(&view, &person, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), object(&wanted));
        }
    }
}
