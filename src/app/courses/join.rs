//! One person's entry in a course, before or between synchronisations: a student who launches finds themselves.

use std::collections::HashSet;

use super::{
    apply::Sync,
    copies::{self, Copies},
};
use crate::{
    app::{App, Error, Result, media},
    domain::{
        course::Course,
        matching::{Entry, Plan, Wanted, identifier_key},
        media::Media,
        roster::Member,
    },
    store::{Sql, courses::members, participants, rolls},
};

/// Their entry: the one that is known to be theirs, one that is nobody's yet and has their email or institution_id, or a new
/// one. Never one that is somebody else's in the learning system, whatever email that gives them.
pub async fn join(app: &App, institution: i64, course: &Course, member: Member) -> Result<i64> {
    let sql = &mut app.db.read();
    let known = members::visible(sql, institution, course.id, &member.user_id).await?;
    if let Some(participant) = known {
        return Ok(participant);
    }
    let member = [member];
    let copies = copies::prepare(app, institution, course, &member).await?;
    let made: Vec<Media> = copies.values().map(|copy| copy.media.clone()).collect();
    let mut sync = Sync::new(app, institution, course, copies);
    let (participant, used) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let participant = sync.admit(sql, &member).await?;
                Ok((participant, sync.used))
            })
        })
        .await?;
    let unused: Vec<Media> = made.into_iter().filter(|one| !used.contains(&one.hex)).collect();
    media::discard(app, institution, &unused).await;
    Ok(participant)
}

impl Sync {
    fn new(app: &App, institution: i64, course: &Course, copies: Copies) -> Self {
        Self {
            app: app.clone(),
            institution,
            course: course.id,
            page: course.name_page,
            now: app.clock.now(),
            copies,
            used: HashSet::new(),
        }
    }

    async fn admit(&mut self, sql: &mut Sql, member: &[Member; 1]) -> Result<i64> {
        let (institution, user) = (self.institution, member[0].user_id.as_str());
        let entries = members::entries(sql, institution, self.course, self.page).await?;
        let own = entries.iter().find(|entry| entry.user_id.as_deref() == Some(user));
        if let Some(own) = own {
            if own.hidden {
                self.bring_back(sql, own, &entries).await?;
            }
            return Ok(own.id);
        }
        let (others, free): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| entry.user_id.is_some());
        let key = identifier_key(&member[0]);
        let keys: Vec<&str> = key.as_deref().into_iter().collect();
        let holders = members::holders(sql, institution, self.page, &keys).await?;
        let plan = Plan::new(member, &free, &holders);
        let participant = match (plan.known.into_iter().next(), plan.new.into_iter().next()) {
            (Some((at, _, wanted)), _) => {
                let entry = &free[at];
                let wanted = without_what_is_taken(wanted, &others);
                participants::set_identity(sql, institution, (entry.id, entry.hidden), &wanted, self.now)
                    .await?;
                if entry.hidden {
                    self.show(sql, vec![entry.id]).await?;
                }
                entry.id
            }
            (None, Some((who, wanted))) => {
                let new = [(who, without_what_is_taken(wanted, &others))];
                let made = self.insert(sql, &new).await?;
                made.first().copied().ok_or_else(|| Error::Internal("nobody was made".to_owned()))?
            }
            (None, None) => return Err(Error::Internal("a roster of one has nobody".to_owned())),
        };
        members::link(sql, institution, self.course, &[(user, participant)]).await?;
        Ok(participant)
    }
}

impl Sync {
    /// Meanwhile somebody else may have got what they had.
    async fn bring_back(&self, sql: &mut Sql, own: &Entry, entries: &[Entry]) -> Result<()> {
        let had = Wanted {
            first_name: own.first_name.clone(),
            last_name: own.last_name.clone(),
            email: own.email.clone(),
            email_key: own.email_key.clone(),
            identifier: own.identifier.clone(),
            identifier_key: own.identifier_key.clone(),
        };
        let mut left = without_what_is_taken(had.clone(), entries);
        let keys: Vec<&str> = left.identifier_key.as_deref().into_iter().collect();
        let holders = members::holders(sql, self.institution, self.page, &keys).await?;
        if holders.iter().any(|holder| holder.email_key.is_some() && holder.email_key != left.email_key) {
            (left.identifier, left.identifier_key) = (None, None);
        }
        if left != had {
            participants::set_identity(sql, self.institution, (own.id, true), &left, self.now).await?;
        }
        self.show(sql, vec![own.id]).await
    }
}

/// What somebody else in the course has stays theirs; the next synchronisation, which sees everybody, decides.
fn without_what_is_taken(mut wanted: Wanted, others: &[Entry]) -> Wanted {
    let has = |key: &Option<String>, of: fn(&Entry) -> &Option<String>| {
        key.is_some() && others.iter().any(|other| !other.hidden && of(other) == key)
    };
    if has(&wanted.email_key, |other| &other.email_key) {
        (wanted.email, wanted.email_key) = (None, None);
    }
    if has(&wanted.identifier_key, |other| &other.identifier_key) {
        (wanted.identifier, wanted.identifier_key) = (None, None);
    }
    wanted
}
