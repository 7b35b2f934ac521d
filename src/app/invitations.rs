//! Invitations to a name page: personal links that lead straight to the recorder, and reminders to those who have not recorded.

mod inviting;
mod link;
mod list;
mod mail;
mod reminders;
mod renewal;

use std::time::Duration;

pub(super) use inviting::invite_batch;
pub use inviting::{Report, invite, invite_part, invite_unrecorded, invite_unrecorded_part};
pub use link::{Acceptance, Opened, accept, admits, language, note_opened, open};
pub use list::{Cursor, Listed, Listing, all};
pub use mail::{InvitationMail, mail};
pub use reminders::remind_due;
pub(super) use reminders::{Reminded, remind_now};
pub use renewal::{Resent, resend};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    name_pages::managed,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind},
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, InvitationId, NamePageId},
        institution::Institution,
        invitation::{Invitation, LIFE_DAYS, PageTimes, REMINDER_PAUSE, morning},
        language::Language,
        moment::Moment,
        name_page::{NamePage, NamePageRef},
    },
    store::{Sql, invitations, name_pages, rolls},
};

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How long a link is valid.
    pub life: Duration,
    /// How long one request of the managers' page invites people: a proxy gives up on those that take long, and then nobody sees the
    /// report.
    pub part: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { life: Duration::from_secs(LIFE_DAYS * 24 * 3_600), part: Duration::from_secs(10) }
    }
}

/// How people get their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Mail,
    /// The caller hands them out. Nobody is reminded by mail.
    Links,
}

/// How people are invited.
#[derive(Debug, Clone)]
pub struct Terms {
    pub delivery: Delivery,
    /// Whether those who do not record are reminded.
    pub reminders: bool,
    /// For people who have not chosen a language; `None` for the institution's.
    pub language: Option<Language>,
    pub life: Duration,
    /// What the links start with.
    pub base_url: String,
}

impl Terms {
    /// By mail if this process can send it, for as long as the settings say, with reminders.
    pub fn of(app: &App) -> Self {
        Self {
            delivery: if app.mail.is_configured() { Delivery::Mail } else { Delivery::Links },
            reminders: true,
            language: None,
            life: app.invitations.life,
            base_url: app.links.base().to_owned(),
        }
    }

    fn first_reminder(&self, institution: &Institution, id: InvitationId, now: Moment) -> Option<Moment> {
        let is_reminded = self.reminders && self.delivery == Delivery::Mail;
        is_reminded.then(|| morning(now.plus(REMINDER_PAUSE), &institution.time_zone, id))
    }
}

async fn page_by_id(sql: &mut Sql, institution: InstitutionId, id: NamePageId) -> Result<Option<NamePage>> {
    match NamePageRef::parse(&id.to_string()) {
        Some(reference) => Ok(name_pages::find(sql, institution, &reference).await?),
        None => Ok(None),
    }
}

/// A page that is archived or closed takes no recordings.
async fn check_open(sql: &mut Sql, institution: InstitutionId, page: NamePageId, now: Moment) -> Result<()> {
    let times = invitations::page_times(sql, institution, page).await?;
    let times = times.ok_or(Error::Missing(Missing::NamePage))?;
    if times.is_open(now) { Ok(()) } else { Err(not_open(times)) }
}

fn not_open(times: PageTimes) -> Error {
    match times.archived_at {
        Some(_) => Error::invalid(Field::Parameter("name page"), SetupFault::Archived),
        None => Error::invalid(Field::Parameter("invitation"), Fault::Closed),
    }
}

/// Voids the link. Whoever has registered stays registered.
pub async fn withdraw(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    id: InvitationId,
) -> Result<()> {
    let (page, now) = (managed(app, actor, institution, page).await?.id, app.clock.now());
    let record = Record::new(app, actor, institution, Act::InvitationWithdrawn);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = on_page(sql, institution, page, id).await?;
                if old.withdrawn_at.is_some() {
                    return Ok(());
                }
                let withdrawn = Invitation { withdrawn_at: Some(now), next_reminder_at: None, ..old };
                invitations::update(sql, &withdrawn, false).await?;
                Ok(audit::write(sql, &[about(record, &withdrawn)]).await?)
            })
        })
        .await
}

pub(super) fn about(record: Record, invitation: &Invitation) -> Record {
    record.about(SubjectKind::Invitation, invitation.id, &invitation.email).person(&invitation.email_key)
}

async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    id: InvitationId,
) -> Result<Invitation> {
    let found = invitations::find(sql, institution, id).await?;
    found.filter(|found| found.page == page).ok_or(Error::Missing(Missing::Invitation))
}
