//! Name pages on the web.

mod ask;
pub mod browser;
mod export;
mod held_entries;
mod hostile;
mod import;
mod invitation_link;
pub mod invitations;
mod listen_browser;
mod messages;
mod moderation;
mod open_mail;
mod own;
mod page;
pub mod people;
mod play_all;
mod poster;
mod refused;
mod register;
mod reminders;
mod report;
mod security;
mod story;
mod unsubscribe;

use endonym::{
    app::{Actor, members, own_person, page_settings},
    domain::{
        email::Email,
        ids::{InstitutionId, InvitationId},
        member::Role,
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        participant::Participant,
        session::PersonId,
    },
    store::Value,
};
use jiff::tz::TimeZone;

use crate::{
    me::{Browser, Seen, newest_mail},
    support::{World, database::execute},
};

pub const ANA: &str = "ana@example.edu";

/// Changes the settings of the world's page.
pub async fn set(world: &World, change: page_settings::Change) {
    set_of(world, world.institution.id, &world.page, change).await;
}

pub async fn set_of(
    world: &World,
    institution: InstitutionId,
    page: &NamePage,
    change: page_settings::Change,
) {
    let page = NamePageRef::parse(&page.slug).unwrap();
    page_settings::update(&world.app, &Actor::Operator, institution, &page, change).await.unwrap();
}

/// A closing time, relative to the clock of the world.
pub fn in_seconds(world: &World, seconds: i64) -> Option<String> {
    let micros = world.app.clock.now().micros() + seconds * 1_000_000;
    Some(Moment::from_micros(micros).shown_in(&TimeZone::UTC))
}

pub async fn number(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// How many people are registered on the world's page.
pub async fn registered(world: &World) -> i64 {
    number(world, &format!("SELECT COUNT(*) FROM participants WHERE name_page_id = {}", world.page.id)).await
}

/// Somebody's entry on the world's page.
pub async fn entry(world: &World, email: &str) -> Participant {
    let person = PersonId { institution: world.institution.id, email_key: email.to_owned() };
    let own = own_person::find(&world.app, &Actor::Operator, &person).await.unwrap();
    let mut all = own.registrations.into_iter().map(|one| one.entry);
    all.find(|entry| entry.page.slug == world.page.slug).unwrap()
}

/// Makes somebody a manager of the world's page.
pub async fn make_manager(world: &World, email: &str) {
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let email = Email::parse(email).unwrap();
    let institution = world.institution.id;
    members::set(&world.app, &Actor::Operator, institution, email, Role::Manager, vec![page]).await.unwrap();
}

/// An invitation to the world's page, which is good for a day.
pub async fn invite(world: &World, email: &str) {
    let text = "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, generation, created_at, expires_at) \
                VALUES ($1, $2, $3, $4, $4, 1, $5, $6)";
    let now = world.app.clock.now();
    let id: InvitationId = world.app.ids.id(now);
    let values: Vec<Value<'static>> = vec![
        world.institution.id.into(),
        id.into(),
        world.page.id.into(),
        email.to_owned().into(),
        now.micros().into(),
        now.plus_days(1).micros().into(),
    ];
    execute(&world.app.db, text, values).await;
}

impl Browser<'_> {
    /// Enters an address, and an event code if there is one, on a name page.
    pub async fn ask_page(&self, slug: &str, email: &str, code: Option<&str>) -> Seen {
        self.get(&format!("/p/{slug}")).await.expect(200);
        let code = code.map(|code| ("code", code));
        let fields: Vec<(&str, &str)> = [("email", email)].into_iter().chain(code).collect();
        self.post(&format!("/p/{slug}"), &fields).await
    }

    /// Proves an address on a name page. The result is the response to the way to the entry there.
    pub async fn prove(&self, world: &World, slug: &str, email: &str, code: Option<&str>) -> Seen {
        self.ask_page(slug, email, code).await.redirects_to(&format!("/p/{slug}/code"));
        let mail = newest_mail(world).await.expect("a message");
        self.get(&format!("/p/{slug}/code")).await.expect(200);
        let own = format!("/p/{slug}/own");
        self.post("/sign-in/code", &[("code", &mail.code)]).await.redirects_to(&own);
        self.get(&own).await
    }

    /// Proves an address and registers with this name.
    pub async fn register(&self, world: &World, slug: &str, email: &str, first_name: &str) {
        let form = format!("/p/{slug}/register");
        self.prove(world, slug, email, None).await.redirects_to(&form);
        self.get(&form).await.expect(200);
        let sent = self.post(&form, &[("first_name", first_name)]).await;
        sent.redirects_to(&format!("/p/{slug}/own?done=registered"));
        self.get(&format!("/p/{slug}/own")).await.expect(200);
    }

    /// Agrees to the text about recordings, on the person's own entry.
    pub async fn agree_on(&self, slug: &str) {
        let own = format!("/p/{slug}/own");
        let page = self.get(&own).await.expect(200);
        let version = page.body.split("name=\"version\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let agreed = self.post(&format!("{own}/consent"), &[("version", version), ("language", "en")]).await;
        agreed.redirects_to(&format!("{own}?done=consent"));
        self.get(&own).await.expect(200);
    }

    /// Sends a recording without a script.
    pub async fn send_sound(&self, slug: &str, sound: &[u8], fields: &[(&str, &str)]) -> Seen {
        let (csrf, base) = (self.csrf(), self.base().to_owned());
        let fields = [&[("csrf", csrf.as_str())], fields].concat();
        let headers = [("origin", base.as_str()), ("sec-fetch-site", "same-origin")];
        self.post_file(&format!("/p/{slug}/own/recording"), ("recording", sound), &fields, &headers).await
    }
}
