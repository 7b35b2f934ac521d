//! A course's staff, identified by their launches. They are not listed as students, whatever role the roster gives them, and
//! may have their own entry.

use std::{collections::HashSet, time::Duration};

use super::{
    apply::Sync,
    join::{Joining, join},
};
use crate::{
    app::{App, Error, Result, own_recordings::Copies},
    domain::{
        audit::{Who, WhoKind},
        course::Course,
        ids::{CourseId, InstitutionId, ParticipantId},
        matching::Entry,
        moment::Moment,
        participant::{TextField, TextKind},
        roster::{Member, Role, Roster},
        tool_consumer::ToolConsumer,
    },
    store::{
        Sql,
        courses::{
            self, members,
            staff::{self, Staff},
        },
        participants, rolls,
    },
};

/// Longer than any course lasts. People who have not launched as staff for this long and are on the roster count as students.
const STAFF_MEMORY: Duration = Duration::from_secs(365 * 24 * 3_600);
/// A launch this soon after `seen_at` need not be recorded.
const PRECISION: Duration = Duration::from_secs(24 * 3_600);

fn is_known(one: &Staff, now: Moment) -> bool {
    now.since(one.seen_at) < STAFF_MEMORY
}

/// Whether the operator has configured staff roles to be listed on the page.
fn are_listed(owner: &ToolConsumer) -> bool {
    owner.roles.contains(&Role::Teacher) || owner.roles.contains(&Role::Assistant)
}

/// Removes staff from a roster. Returns whether there were any.
pub(super) async fn exclude_staff(
    sql: &mut Sql,
    owner: &ToolConsumer,
    course: &Course,
    roster: &mut Roster,
    now: Moment,
) -> Result<bool> {
    if are_listed(owner) {
        return Ok(false);
    }
    let all = staff::all(sql, owner.institution, course.id).await?;
    let known: HashSet<String> =
        all.into_iter().filter(|one| is_known(one, now)).map(|one| one.user_id).collect();
    let before = roster.members.len();
    roster.members.retain(|member| !known.contains(&member.user_id));
    Ok(roster.members.len() < before)
}

/// Whether a person who launches as a student is staff here, and so previews the course as a student.
pub async fn previews(
    app: &App,
    institution: InstitutionId,
    course: CourseId,
    user_id: &str,
) -> Result<bool> {
    let found = staff::find(&mut app.db.read(), institution, course, user_id).await?;
    Ok(found.is_some_and(|one| is_known(&one, app.clock.now())))
}

/// The entry of a staff member: their own, or the roster's if staff are listed.
pub async fn own_entry(
    app: &App,
    institution: InstitutionId,
    course: CourseId,
    user_id: &str,
) -> Result<Option<ParticipantId>> {
    let sql = &mut app.db.read();
    let own = staff::find(sql, institution, course, user_id).await?.and_then(|one| one.participant);
    match own {
        Some(own) => Ok(participants::by_ids(sql, institution, &[own]).await?.pop().map(|person| person.id)),
        None => Ok(members::visible(sql, institution, course, user_id).await?),
    }
}

/// Creates an entry for a staff member.
pub async fn add_own_entry(
    app: &App,
    institution: InstitutionId,
    course: &Course,
    joining: Joining,
) -> Result<ParticipantId> {
    join(app, institution, course, Joining { is_staff: true, ..joining }).await
}

/// Records a launch as staff. If a roster or an earlier launch as a student listed the person as a student, that entry is
/// hidden if it is blank; otherwise it becomes their staff entry.
pub async fn seen(
    app: &App,
    owner: &ToolConsumer,
    course: &Course,
    member: &Member,
    is_foreign: bool,
) -> Result<()> {
    let (institution, now) = (owner.institution, app.clock.now());
    let sql = &mut app.db.read();
    let known = staff::find(sql, institution, course.id, &member.user_id).await?;
    let is_fresh = known.is_some_and(|one| now.since(one.seen_at) < PRECISION);
    let among_students = !are_listed(owner)
        && (is_foreign || members::visible(sql, institution, course.id, &member.user_id).await?.is_some());
    if is_fresh && !among_students {
        return Ok(());
    }
    let who = Who { kind: WhoKind::Lti, name: None, id: None };
    let sync = Sync::new(app, who, institution, course, Copies::new(), now);
    let (member, are_listed) = (member.clone(), are_listed(owner));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if courses::find(sql, institution, sync.course).await?.is_some() {
                    sync.note_staff(sql, &member, is_foreign, are_listed).await?;
                }
                Ok(())
            })
        })
        .await
}

impl Sync {
    async fn note_staff(
        &self,
        sql: &mut Sql,
        member: &Member,
        is_foreign: bool,
        are_listed: bool,
    ) -> Result<()> {
        let (institution, course) = (self.institution, self.course);
        let set = async |sql: &mut Sql, user_id: &str, participant: Option<ParticipantId>| {
            let one = Staff { user_id: user_id.to_owned(), participant, seen_at: self.now };
            staff::set(sql, institution, course, &one).await
        };
        set(sql, &member.user_id, None).await?;
        if are_listed {
            return Ok(());
        }
        let entries = members::entries(sql, institution, (course, self.page), self.now).await?;
        let email = member.email.as_deref().map(crate::domain::email::email_key);
        // If the course uses another tool consumer's ids, match by email.
        let is_theirs = |entry: &&Entry| {
            let by_id = entry.user_id.as_deref() == Some(&member.user_id);
            by_id || (is_foreign && entry.user_id.is_some() && email.is_some() && entry.email_key == email)
        };
        for entry in entries.iter().filter(|entry| !entry.hidden && !entry.is_staff).filter(is_theirs) {
            let own_id = entry.user_id.as_deref().unwrap_or(&member.user_id);
            if is_blank(sql, institution, entry).await? {
                set(sql, own_id, None).await?;
                self.hide(sql, vec![entry.id]).await?;
            } else {
                members::unlink(sql, institution, entry.id).await?;
                set(sql, own_id, None).await?;
                set(sql, &member.user_id, Some(entry.id)).await?;
            }
        }
        Ok(())
    }
}

/// Whether the entry has nothing but data from the learning system.
async fn is_blank(sql: &mut Sql, institution: InstitutionId, entry: &Entry) -> Result<bool> {
    let Some(person) = participants::by_ids(sql, institution, &[entry.id]).await?.pop() else {
        return Ok(true);
    };
    // Names and identifiers come from the learning system.
    let own = |field: &TextField| !matches!(field.kind, TextKind::Name | TextKind::Identifier);
    // A paused recording is not in the row.
    let media = crate::store::media::all_of(sql, institution, entry.id).await?;
    let is_silent = !media.iter().any(|one| one.kind.is_sound())
        && person.texts().all(|(field, text)| text.is_none() || !own(field));
    let has_own_photo = entry.photo.is_some() && entry.photo != entry.copied_photo;
    let has_number = participants::phone_number(sql, institution, entry.id).await?.is_some();
    let has_more = !person.legal.is_empty() || !person.custom.0.is_empty();
    Ok(is_silent && !has_own_photo && !has_number && !has_more)
}
