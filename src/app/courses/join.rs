//! One person's entry in a course, before or between synchronisations: a student who launches finds themselves.

use super::apply::{self, Sync, holders};
use crate::{
    app::{
        App, Error, Missing, Result,
        own_recordings::{self, Attempts},
    },
    domain::{
        course::Course,
        matching::{Entry, Holder, Plan, Wanted, may_share},
        roster::Member,
    },
    store::{
        Sql,
        courses::{self, members},
        participants, rolls,
    },
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
    let mut attempts = Attempts::default();
    loop {
        match admitted(app, institution, course, member.clone()).await {
            // They may have recorded their name elsewhere meanwhile.
            Err(error) => attempts.again(error)?,
            Ok(participant) => return Ok(participant),
        }
    }
}

async fn admitted(app: &App, institution: i64, course: &Course, member: [Member; 1]) -> Result<i64> {
    let now = app.clock.now();
    let copies = apply::prepare(app, institution, course, &member, now).await?;
    let made = own_recordings::files(&copies);
    let mut sync = Sync::new(app, institution, course, copies, now);
    let written = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // It may have gone with its page.
                if courses::find(sql, institution, sync.course).await?.is_none() {
                    return Err(Error::Missing(Missing::Course));
                }
                let participant = sync.admit(sql, &member).await?;
                Ok((participant, sync.used))
            })
        })
        .await;
    own_recordings::settle(app, institution, made, written).await
}

impl Sync {
    async fn admit(&mut self, sql: &mut Sql, member: &[Member; 1]) -> Result<i64> {
        let (institution, user) = (self.institution, member[0].user_id.as_str());
        let entries = members::entries(sql, institution, (self.course, self.page), self.asked).await?;
        let holders = holders(sql, institution, self.page, member, &entries).await?;
        let own = entries.iter().find(|entry| entry.user_id.as_deref() == Some(user));
        if let Some(own) = own {
            if own.hidden {
                self.write_entry(sql, own, what_is_left(own, &entries, &holders)).await?;
                members::join(sql, institution, own.id, self.now).await?;
            }
            return Ok(own.id);
        }
        let free: Vec<Entry> = entries.iter().filter(|entry| entry.user_id.is_none()).cloned().collect();
        let plan = Plan::new(member, &free, &holders);
        let participant = match (plan.known.into_iter().next(), plan.new.into_iter().next()) {
            (Some((at, _, wanted)), _) => {
                let entry = &free[at];
                let mut wanted = without_what_is_taken(wanted, &others(&entries, entry.id));
                let had = what_is_left(entry, &entries, &holders);
                if wanted.email_key.is_none() {
                    (wanted.email, wanted.email_key) = (had.email, had.email_key);
                }
                if wanted.identifier_key.is_none() {
                    (wanted.identifier, wanted.identifier_key) = (had.identifier, had.identifier_key);
                }
                self.write_entry(sql, entry, wanted).await?;
                entry.id
            }
            (None, Some((who, wanted))) => {
                let everybody: Vec<&Entry> = entries.iter().collect();
                let new = [(who, without_what_is_taken(wanted, &everybody))];
                let made = self.insert(sql, member, &new).await?;
                made.first().copied().ok_or_else(|| Error::Internal("nobody was made".to_owned()))?
            }
            (None, None) => return Err(Error::Internal("a roster of one has nobody".to_owned())),
        };
        let pair = [(user, participant)];
        members::link(sql, institution, self.course, &pair, Some(self.now)).await?;
        Ok(participant)
    }
    /// Shows whoever is hidden.
    async fn write_entry(&self, sql: &mut Sql, entry: &Entry, wanted: Wanted) -> Result<()> {
        if wanted != had(entry) {
            let whose = (entry.id, entry.hidden);
            participants::set_identity(sql, self.institution, whose, &wanted, self.now).await?;
        }
        if entry.hidden {
            self.show(sql, vec![entry.id]).await?;
        }
        Ok(())
    }
}

fn others(entries: &[Entry], own: i64) -> Vec<&Entry> {
    entries.iter().filter(|entry| entry.id != own).collect()
}

fn had(entry: &Entry) -> Wanted {
    Wanted {
        first_name: entry.first_name.clone(),
        last_name: entry.last_name.clone(),
        email: entry.email.clone(),
        email_key: entry.email_key.clone(),
        identifier: entry.identifier.clone(),
        identifier_key: entry.identifier_key.clone(),
    }
}

/// What an entry still has. While it was hidden, somebody else may have got some of it.
fn what_is_left(entry: &Entry, entries: &[Entry], holders: &[Holder]) -> Wanted {
    if !entry.hidden {
        return had(entry);
    }
    let mut left = without_what_is_taken(had(entry), &others(entries, entry.id));
    let email = left.email_key.as_deref();
    let is_taken = holders.iter().any(|holder| {
        Some(&holder.identifier_key) == left.identifier_key.as_ref()
            && !may_share(email, holder.email_key.as_deref())
    });
    if is_taken {
        (left.identifier, left.identifier_key) = (None, None);
    }
    left
}

/// What somebody else in the course has stays theirs; the next synchronisation, which sees everybody, decides.
fn without_what_is_taken(mut wanted: Wanted, others: &[&Entry]) -> Wanted {
    let seen = || others.iter().filter(|other| !other.hidden);
    if wanted.email_key.is_some() && seen().any(|other| other.email_key == wanted.email_key) {
        (wanted.email, wanted.email_key) = (None, None);
    }
    let email = wanted.email_key.as_deref();
    let is_taken = |other: &Entry| {
        other.identifier_key == wanted.identifier_key && !may_share(email, other.email_key.as_deref())
    };
    if wanted.identifier_key.is_some() && seen().copied().any(is_taken) {
        (wanted.identifier, wanted.identifier_key) = (None, None);
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i64, email: &str, identifier: &str) -> Entry {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Entry {
            id,
            email: some(email),
            email_key: some(email),
            identifier: some(identifier),
            identifier_key: some(identifier),
            ..Entry::default()
        }
    }

    #[test]
    fn whoever_comes_back_by_themselves_keeps_what_is_nobody_elses_by_now() {
        let away = Entry { hidden: true, ..entry(1, "a@x.org", "S1") };
        let left = |others: &[Entry], holders: &[Holder]| {
            let wanted = what_is_left(&away, others, holders);
            (wanted.email_key.is_some(), wanted.identifier_key.is_some())
        };
        let holder =
            |email: Option<&str>| Holder { identifier_key: "S1".into(), email_key: email.map(str::to_owned) };
        assert_eq!(left(&[], &[]), (true, true));
        assert_eq!(left(&[entry(2, "a@x.org", "")], &[]), (false, true));
        assert_eq!(left(&[entry(2, "b@x.org", "S1")], &[]), (true, false));
        assert_eq!(left(&[], &[holder(Some("b@x.org"))]), (true, false));
        assert_eq!(left(&[], &[holder(Some("a@x.org")), holder(None)]), (true, true));
    }
}
