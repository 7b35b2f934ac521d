//! Adds a single person to a course outside of a synchronization: students who launch the tool get an entry at once.

use std::collections::HashSet;

use super::apply::{Sync, holders, registrations, set_identity};
use crate::{
    app::{
        App, Error, Missing, Result, address_changes, audit,
        own_recordings::{self, Attempts, Copies},
    },
    domain::{
        audit::{Who, WhoKind},
        course::Course,
        ids::{CourseId, InstitutionId, NamePageId, ParticipantId, ToolConsumerId},
        matching::{Entry, Holder, Plan, TargetIdentity, may_share},
        moment::Moment,
        own_recording::Start,
        roster::Member,
    },
    store::{
        Sql,
        courses::{
            self,
            aliases::{self, Identity},
            members,
            staff::{self, Staff},
        },
        participants, rolls,
    },
};

/// A person who launches the tool.
#[derive(Debug, Clone)]
pub struct Joining {
    /// The member as the course identifies them.
    pub member: Member,
    /// The launching tool consumer and its id for the person, if the course uses another tool consumer's user ids.
    pub foreign: Option<(ToolConsumerId, String)>,
    pub is_staff: bool,
}

/// Finds or creates the person's entry: one already linked to them, else an unlinked one with the same email or
/// institution_id, else a new one. Never takes an entry that is linked to another user of the learning system, even if the
/// email matches. Exception: if the course uses another tool consumer's ids, only the email or institution_id can match, and
/// the first person who launches with it gets the entry.
pub async fn join(
    app: &App,
    institution: InstitutionId,
    course: &Course,
    joining: Joining,
) -> Result<ParticipantId> {
    let sql = &mut app.db.read();
    if let Some(participant) = known(sql, institution, course.id, &joining).await? {
        return Ok(participant);
    }
    let mut attempts = Attempts::default();
    loop {
        match admitted(app, institution, course, joining.clone()).await {
            // A recording made elsewhere since `prepare` needs to be copied first.
            Err(error) => attempts.again(error)?,
            Ok(participant) => return Ok(participant),
        }
    }
}

async fn admitted(
    app: &App,
    institution: InstitutionId,
    course: &Course,
    joining: Joining,
) -> Result<ParticipantId> {
    let member = [joining.member.clone()];
    let now = app.clock.now();
    let copies = prepare(app, institution, course, &joining, now).await?;
    let made = own_recordings::files(&copies);
    // They enter by themselves; their entry is not known before.
    let who = Who { kind: WhoKind::Lti, name: None, id: None };
    let mut sync = Sync::new(app, who, institution, course, copies, now);
    let written = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // It may have been deleted with its page.
                if courses::find(sql, institution, sync.course).await?.is_none() {
                    return Err(Error::Missing(Missing::Course));
                }
                let participant = sync.admit(sql, &member, &joining).await?;
                Ok((participant, sync.used))
            })
        })
        .await;
    own_recordings::settle(app, institution, made, written).await
}

/// Prepares a copy of the person's recording from elsewhere, if they are new on this page.
async fn prepare(
    app: &App,
    institution: InstitutionId,
    course: &Course,
    joining: &Joining,
    now: Moment,
) -> Result<Copies> {
    let here = (course.id, course.name_page);
    let around = PageEntries::read(&mut app.db.read(), institution, here, joining, now).await?;
    let member = std::slice::from_ref(&joining.member);
    let new = match around.place(member) {
        Match::New(who, wanted) => vec![(who, wanted)],
        Match::Own(_) | Match::Free(..) | Match::Nowhere => Vec::new(),
    };
    let new = registrations(course.tool_consumer, member, new.iter().map(|(who, wanted)| (*who, wanted)));
    own_recordings::prepare(app, institution, &new, Start::Any).await
}

/// The entries on the page, from the point of view of a joining person.
struct PageEntries {
    entries: Vec<Entry>,
    holders: Vec<Holder>,
    /// The index of the entry that is already linked to them.
    own: Option<usize>,
    /// Entries that they may claim.
    free: Vec<Entry>,
}

/// The result of matching a person with the entries.
enum Match<'a> {
    Own(&'a Entry),
    Free(&'a Entry, TargetIdentity),
    /// To be created.
    New(usize, TargetIdentity),
    Nowhere,
}

impl PageEntries {
    async fn read(
        sql: &mut Sql,
        institution: InstitutionId,
        (course, page): (CourseId, NamePageId),
        joining: &Joining,
        requested_at: Moment,
    ) -> Result<Self> {
        let (member, user) = (std::slice::from_ref(&joining.member), joining.member.user_id.as_str());
        let entries = members::entries(sql, institution, (course, page), requested_at).await?;
        let holders = holders(sql, institution, page, member, &entries).await?;
        let identified = identified(sql, institution, course, joining).await?;
        let staff = staff::find(sql, institution, course, user).await?;
        let staff = staff.and_then(|one| one.participant).filter(|_| joining.is_staff);
        let is_own = |entry: &Entry| {
            entry.user_id.as_deref() == Some(user) || [identified, staff].contains(&Some(entry.id))
        };
        let own = entries.iter().position(is_own);
        let taken: HashSet<ParticipantId> = match &joining.foreign {
            Some((consumer, _)) => {
                let all = aliases::identities(sql, institution, course).await?;
                all.into_iter()
                    .filter(|one| one.tool_consumer == *consumer)
                    .map(|one| one.participant)
                    .collect()
            }
            None => HashSet::new(),
        };
        let is_free = |entry: &&Entry| {
            entry.user_id.is_none() || (joining.foreign.is_some() && !taken.contains(&entry.id))
        };
        let free = entries.iter().filter(is_free).cloned().collect();
        Ok(Self { entries, holders, own, free })
    }

    fn place(&self, member: &[Member]) -> Match<'_> {
        if let Some(own) = self.own {
            return Match::Own(&self.entries[own]);
        }
        let plan = Plan::new(member, &self.free, &self.holders);
        match (plan.known.into_iter().next(), plan.new.into_iter().next()) {
            (Some((at, _, wanted)), _) => Match::Free(&self.free[at], wanted),
            (None, Some((who, wanted))) => {
                let everybody: Vec<&Entry> = self.entries.iter().collect();
                Match::New(who, without_taken(wanted, &everybody))
            }
            (None, None) => Match::Nowhere,
        }
    }
}

/// The visible entry that is already linked to them, if nothing has to change.
async fn known(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    joining: &Joining,
) -> Result<Option<ParticipantId>> {
    let user = joining.member.user_id.as_str();
    if joining.is_staff {
        return Ok(None);
    }
    if let Some(participant) = members::visible(sql, institution, course, user).await? {
        return Ok(Some(participant));
    }
    let Some(participant) = identified(sql, institution, course, joining).await? else { return Ok(None) };
    let seen = participants::by_ids(sql, institution, &[participant]).await?;
    Ok(seen.first().map(|person| person.id))
}

async fn identified(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    joining: &Joining,
) -> Result<Option<ParticipantId>> {
    let Some((consumer, user)) = &joining.foreign else { return Ok(None) };
    let all = aliases::identities(sql, institution, course).await?;
    let own = all.into_iter().find(|one| one.tool_consumer == *consumer && one.user_id == *user);
    Ok(own.map(|one| one.participant))
}

impl Sync {
    async fn admit(
        &mut self,
        sql: &mut Sql,
        member: &[Member; 1],
        joining: &Joining,
    ) -> Result<ParticipantId> {
        let (institution, user) = (self.institution, member[0].user_id.as_str());
        let here = (self.course, self.page);
        let around = PageEntries::read(sql, institution, here, joining, self.requested_at).await?;
        let (entries, holders) = (&around.entries, &around.holders);
        let mut is_linked = false;
        let participant = match around.place(member) {
            Match::Own(own) => {
                if own.hidden {
                    self.write_entry(sql, own, remaining_identity(own, entries, holders)).await?;
                    members::join(sql, institution, own.id, self.now).await?;
                }
                if joining.is_staff {
                    self.keep_for_staff(sql, joining, own.id).await?;
                }
                return Ok(own.id);
            }
            Match::Free(entry, wanted) => {
                is_linked = entry.user_id.is_some();
                let had = remaining_identity(entry, entries, holders);
                let mut wanted = without_taken(wanted, &others(entries, entry.id));
                if wanted.email_key.is_none() {
                    (wanted.email, wanted.email_key) = (had.email.clone(), had.email_key.clone());
                }
                if wanted.identifier_key.is_none() {
                    (wanted.identifier, wanted.identifier_key) =
                        (had.identifier.clone(), had.identifier_key.clone());
                }
                // The roster's data takes precedence.
                self.write_entry(sql, entry, if is_linked { had } else { wanted }).await?;
                entry.id
            }
            Match::New(who, wanted) => {
                let made = self.insert(sql, member, &[(who, wanted)]).await?;
                made.first().copied().ok_or_else(|| Error::Internal("nobody was made".to_owned()))?
            }
            Match::Nowhere => return Err(Error::Internal("a roster of one has nobody".to_owned())),
        };
        if joining.is_staff {
            self.keep_for_staff(sql, joining, participant).await?;
        } else if !is_linked {
            let pair = [(user, participant)];
            members::link(sql, institution, self.course, &pair, Some(self.now)).await?;
        }
        if let Some((tool_consumer, user_id)) = joining.foreign.clone() {
            let who = Identity { tool_consumer, user_id, participant };
            aliases::identify(sql, institution, self.course, &who).await?;
        }
        own_recordings::follow_pause(sql, institution, &[participant]).await?;
        Ok(participant)
    }

    /// Detaches the entry from the roster and links it to the staff member.
    async fn keep_for_staff(
        &self,
        sql: &mut Sql,
        joining: &Joining,
        participant: ParticipantId,
    ) -> Result<()> {
        members::unlink(sql, self.institution, participant).await?;
        let one = Staff {
            user_id: joining.member.user_id.clone(),
            participant: Some(participant),
            seen_at: self.now,
        };
        Ok(staff::set(sql, self.institution, self.course, &one).await?)
    }

    /// Updates the entry's identity, and shows it if it is hidden.
    async fn write_entry(&self, sql: &mut Sql, entry: &Entry, wanted: TargetIdentity) -> Result<()> {
        if wanted != entry.identity() {
            set_identity(sql, self.institution, entry, &wanted, self.now).await?;
            for record in self.identified(entry, &wanted) {
                audit::write_change(sql, record).await?;
            }
            let both = (entry.email.as_deref(), wanted.email.as_deref());
            address_changes::tell(sql, &self.app, self.institution, both, self.now).await?;
        }
        if entry.hidden {
            self.show(sql, vec![entry.id]).await?;
        }
        Ok(())
    }
}

fn others(entries: &[Entry], own: ParticipantId) -> Vec<&Entry> {
    entries.iter().filter(|entry| entry.id != own).collect()
}

/// The identity that a hidden entry still has: somebody else may have taken its email or identifier in the meantime.
fn remaining_identity(entry: &Entry, entries: &[Entry], holders: &[Holder]) -> TargetIdentity {
    if !entry.hidden {
        return entry.identity();
    }
    let mut left = without_taken(entry.identity(), &others(entries, entry.id));
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

/// Drops an email or identifier that another visible entry in the course has. The next synchronization sees the whole roster
/// and resolves the conflict.
fn without_taken(mut wanted: TargetIdentity, others: &[&Entry]) -> TargetIdentity {
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
            id: ParticipantId::new(id),
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
            let wanted = remaining_identity(&away, others, holders);
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
