//! Merges two courses that are really one, on an operator's request: the people of the second, with all of their data, move
//! to the page of the first. All in one transaction.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::{aliases::transfer_to, apply::set_identity};
use crate::{
    app::{
        Actor, App, Error, Missing, Result, audiences,
        audit::{self, Record},
        calls::{self, CallChange},
        exports, media,
    },
    domain::{
        audit::{Act, SubjectKind},
        call::Reason,
        course::{Course, foreign_id, share_users},
        fault::{Field, SetupFault},
        ids::{CourseId, InstitutionId, ParticipantId, ToolConsumerId},
        matching::{Entry, TargetIdentity, may_share},
        media::{Kind, Media},
        moment::Moment,
        scope::Scope,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    store::{
        self, Sql,
        courses::{
            self,
            aliases::{self, Alias, Identity},
            members,
            staff::{self, Staff},
        },
        exports::Departing,
        name_pages,
        participants::{self, merge as entries},
        rolls, versions,
    },
};

/// What happened to the people of the second course.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    /// They had no entry on the first page, so theirs was moved.
    pub moved: usize,
    /// They had an entry on both pages; the first got the data it lacked.
    pub joined: usize,
}

/// Merges the second course into the first. All references to the second page point to the first afterwards.
pub async fn merge(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    kept: CourseId,
    gone: CourseId,
) -> Result<Merged> {
    actor.administer(institution)?;
    let (owned_app, now) = (app.clone(), app.clock.now());
    let record = Record::new(app, actor, institution, Act::CourseMerged);
    let (merged, nobodys) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let mut merging = Merging::new(sql, &owned_app, institution, (kept, gone), now).await?;
                let merged = merging.run(sql).await?;
                let before = json!({ "second_course": merging.gone.title });
                let after = json!({ "moved": merged.moved, "joined": merged.joined });
                let record = record.about(SubjectKind::Course, kept, &merging.kept.title);
                audit::write(sql, &[record.change(before, after)]).await?;
                versions::callers_changed(sql).await?;
                Ok((merged, merging.nobodys))
            })
        })
        .await?;
    media::discard(app, institution, &nobodys).await;
    Ok(merged)
}

struct Merging {
    app: App,
    institution: InstitutionId,
    kept: Course,
    gone: Course,
    kept_owner: ToolConsumer,
    gone_owner: ToolConsumer,
    now: Moment,
    /// The other aliases of the second course.
    ways: Vec<Alias>,
    /// Maps the entries of the second course to where they are now.
    places: HashMap<ParticipantId, ParticipantId>,
    nobodys: Vec<Media>,
}

impl Merging {
    async fn new(
        sql: &mut Sql,
        app: &App,
        institution: InstitutionId,
        (kept, gone): (CourseId, CourseId),
        now: Moment,
    ) -> Result<Self> {
        let missing = || Error::Missing(Missing::Course);
        let (kept, _) = courses::find(sql, institution, kept).await?.ok_or_else(missing)?;
        let (gone, _) = courses::find(sql, institution, gone).await?.ok_or_else(missing)?;
        if kept.tool_consumer == gone.tool_consumer {
            return Err(Error::invalid(Field::Courses, SetupFault::SameToolConsumer));
        }
        let missing = || Error::Missing(Missing::ToolConsumer);
        let owner = async |sql: &mut Sql, id: ToolConsumerId| {
            store::tool_consumers::find(sql, Scope::Institution(institution), id).await?.ok_or_else(missing)
        };
        let (kept_owner, gone_owner) =
            (owner(sql, kept.tool_consumer).await?, owner(sql, gone.tool_consumer).await?);
        let ways = aliases::of_course(sql, institution, gone.id).await?;
        let (places, nobodys) = Default::default();
        Ok(Self {
            app: app.clone(),
            institution,
            kept,
            gone,
            kept_owner,
            gone_owner,
            now,
            ways,
            places,
            nobodys,
        })
    }

    async fn run(&mut self, sql: &mut Sql) -> Result<Merged> {
        let institution = self.institution;
        let read = async |sql: &mut Sql, course: &Course| {
            members::entries(sql, institution, (course.id, course.name_page), self.now).await
        };
        let (first, second) = (read(sql, &self.kept).await?, read(sql, &self.gone).await?);
        let pairs = pairs(&first, &second, share_users(&self.kept_owner, &self.gone_owner));
        let names = aliases::identities(sql, institution, self.gone.id).await?;
        let staff = staff::all(sql, institution, self.gone.id).await?;
        let mut merged = Merged::default();
        for (entry, own) in second.iter().zip(pairs) {
            match own.map(|own| &first[own]) {
                Some(own) => {
                    self.join(sql, own, entry).await?;
                    merged.joined += 1;
                }
                None => {
                    self.take(sql, entry, &first).await?;
                    merged.moved += 1;
                }
            }
        }
        self.keep_names(sql, names, staff).await?;
        courses::delete(sql, institution, self.gone.id).await?;
        name_pages::absorb(sql, institution, self.gone.name_page, self.kept.name_page).await?;
        self.reach(sql).await?;
        Ok(merged)
    }

    /// The user id of a member of the second course, as the first course identifies them.
    fn renamed(&self, user_id: &str) -> String {
        let own_prefix = foreign_id(self.kept_owner.id, "");
        match user_id.strip_prefix(&own_prefix) {
            Some(own) => own.to_owned(),
            None if share_users(&self.kept_owner, &self.gone_owner) => user_id.to_owned(),
            None => foreign_id(self.gone_owner.id, user_id),
        }
    }

    /// Stores the identity of a person if the two courses have no user ids in common.
    async fn identify(&self, sql: &mut Sql, user_id: &str, participant: ParticipantId) -> Result<()> {
        if share_users(&self.kept_owner, &self.gone_owner) || user_id.contains(':') {
            return Ok(());
        }
        let who = Identity { tool_consumer: self.gone_owner.id, user_id: user_id.to_owned(), participant };
        Ok(aliases::identify(sql, self.institution, self.kept.id, &who).await?)
    }

    /// Merges the two entries of a person who is on both pages.
    async fn join(&mut self, sql: &mut Sql, own: &Entry, other: &Entry) -> Result<()> {
        let (institution, now) = (self.institution, self.now);
        self.places.insert(other.id, own.id);
        let strictest =
            audiences::strictest(sql, institution, [own.email_key.as_deref(), other.email_key.as_deref()])
                .await?;
        store::audiences::merge(sql, institution, (own.id, other.id), now).await?;
        store::consents::hand_over(sql, institution, (own.id, other.id)).await?;
        // Before the recordings: those that are held or removed would be deleted with the recording of the second entry.
        self.nobodys.extend(store::moderation::merge(sql, institution, (own.id, other.id)).await?);
        for kind in Kind::PUBLIC {
            let replaced = entries::move_media(sql, institution, (own, other), kind, now).await?;
            self.nobodys.extend(replaced);
        }
        entries::fill(sql, institution, own, other, now).await?;
        let page = self.kept.name_page;
        store::moderation::merge_entries(sql, institution, (own.id, other.id), page, now).await?;
        if calls::is_pending(sql, institution, own.id).await? {
            let made = calls::Ids::new(&self.app, now);
            let call_change = CallChange::Cancel(Reason::ByOperator);
            calls::settle(sql, &self.app.calling, (institution, other.id), call_change, made, now).await?;
        }
        store::calls::give_over(sql, institution, other.id, own.id).await?;
        store::plays::hand_over(sql, institution, (own.id, other.id)).await?;
        if !other.hidden {
            let job = self.app.ids.id(now);
            exports::leave(sql, job, institution, Departing::These(vec![other.id]), now).await?;
        }
        self.nobodys.extend(store::media::delete_of(sql, institution, other.id).await?);
        entries::hand_over(sql, institution, (own.id, other.id)).await?;
        entries::delete_entry(sql, institution, self.gone.name_page, other).await?;
        self.backfill_keys(sql, own, other).await?;
        let email_key = own.email_key.as_deref().or(other.email_key.as_deref());
        audiences::keep_strictest(sql, institution, email_key, strictest, now).await?;
        if let Some(email_key) = &other.email_key {
            store::persons::delete_unregistered(sql, institution, email_key).await?;
        }
        if own.hidden && !other.hidden {
            if let Some(key) = &own.email_key
                && participants::registered(sql, institution, self.kept.name_page, key).await?.on_page
            {
                let wanted = TargetIdentity { email: None, email_key: None, ..own.identity() };
                set_identity(sql, institution, own, &wanted, now).await?;
            }
            exports::come_back(sql, institution, &[own.id]).await?;
            participants::hidden::show(sql, institution, self.kept.name_page, &[own.id], now).await?;
            members::join(sql, institution, own.id, now).await?;
        }
        let Some(user_id) = &other.user_id else { return Ok(()) };
        if own.user_id.is_none() && !own.is_staff {
            let pair = [(self.renamed(user_id), own.id)];
            let pair = pair.each_ref().map(|(user, id)| (user.as_str(), *id));
            members::link(sql, institution, self.kept.id, &pair, None).await?;
        }
        self.identify(sql, user_id, own.id).await
    }

    /// Copies an email or institution_id that only the second entry has, unless it is taken.
    async fn backfill_keys(&self, sql: &mut Sql, own: &Entry, other: &Entry) -> Result<()> {
        let gets_email = own.email_key.is_none() && other.email_key.is_some();
        let gets_identifier = own.identifier_key.is_none() && other.identifier_key.is_some();
        if !gets_email && !gets_identifier {
            return Ok(());
        }
        let mut wanted = own.identity();
        if let Some(key) = other.email_key.as_ref().filter(|_| gets_email)
            && !participants::registered(sql, self.institution, self.kept.name_page, key).await?.on_page
        {
            (wanted.email, wanted.email_key) = (other.email.clone(), other.email_key.clone());
        }
        let email = wanted.email_key.clone().unwrap_or_default();
        if let Some(key) = other.identifier_key.as_ref().filter(|_| gets_identifier)
            && !participants::identifier_taken(sql, self.institution, key, &email).await?
        {
            (wanted.identifier, wanted.identifier_key) =
                (other.identifier.clone(), other.identifier_key.clone());
        }
        let target = (own.id, own.hidden);
        Ok(participants::set_identity(sql, self.institution, target, &wanted, self.now).await?)
    }

    /// Moves the entry of a person who is only on the second page.
    async fn take(&mut self, sql: &mut Sql, entry: &Entry, first: &[Entry]) -> Result<()> {
        let institution = self.institution;
        self.places.insert(entry.id, entry.id);
        let is_taken = |other: &Entry| other.email_key == entry.email_key && other.hidden == entry.hidden;
        if entry.email_key.is_some() && first.iter().any(is_taken) {
            // Two accounts share an email: the one on the first page keeps it.
            let wanted = TargetIdentity { email: None, email_key: None, ..entry.identity() };
            set_identity(sql, institution, entry, &wanted, self.now).await?;
        }
        entries::move_to(sql, institution, entry, self.kept.name_page, self.now).await?;
        let Some(user_id) = &entry.user_id else { return Ok(()) };
        let renamed = self.renamed(user_id);
        members::move_to(sql, institution, entry.id, (self.kept.id, &renamed)).await?;
        self.identify(sql, user_id, entry.id).await
    }

    /// Moves the identities from other tool consumers, and the staff, of the second course.
    async fn keep_names(&self, sql: &mut Sql, names: Vec<Identity>, staff: Vec<Staff>) -> Result<()> {
        for one in names {
            if let Some(participant) = self.places.get(&one.participant).copied() {
                let one = Identity { participant, ..one };
                aliases::identify(sql, self.institution, self.kept.id, &one).await?;
            }
        }
        for one in staff {
            let participant = one.participant.and_then(|id| self.places.get(&id).copied());
            // Staff of the second course who are on the first roster become staff there too.
            for (user_id, who) in members::linked(sql, self.institution, self.kept.id).await? {
                if participant == Some(who) {
                    let listed = Staff { user_id, participant: None, seen_at: one.seen_at };
                    staff::set(sql, self.institution, self.kept.id, &listed).await?;
                    members::unlink(sql, self.institution, who).await?;
                }
            }
            let one = Staff { user_id: self.renamed(&one.user_id), participant, ..one };
            staff::set(sql, self.institution, self.kept.id, &one).await?;
        }
        Ok(())
    }

    /// Points the second course's aliases to the first. Web services synchronize the merged course if either course has them.
    async fn reach(&self, sql: &mut Sql) -> Result<()> {
        let way = Alias {
            tool_consumer: self.gone.tool_consumer,
            external_id: self.gone.external_id.clone(),
            course: self.kept.id,
            memberships_url: self.gone.memberships_url.clone(),
        };
        for alias in &self.ways {
            aliases::set(sql, self.institution, &Alias { course: self.kept.id, ..alias.clone() }).await?;
        }
        aliases::set(sql, self.institution, &way).await?;
        if self.kept_owner.kind == LmsKind::Lti && self.gone_owner.kind != LmsKind::Lti {
            let own = Alias {
                tool_consumer: self.kept.tool_consumer,
                external_id: self.kept.external_id.clone(),
                course: self.kept.id,
                memberships_url: self.kept.memberships_url.clone(),
            };
            aliases::set(sql, self.institution, &own).await?;
            transfer_to(sql, &self.kept, &self.kept_owner, (&self.gone_owner, &way)).await?;
        }
        Ok(())
    }
}

/// Whether two entries belong to the same person.
type Rule<'a> = &'a dyn Fn(&Entry, &Entry) -> bool;

/// For each entry of the second page, the index of the same person's entry on the first: matched by user id if both have
/// one and the courses use the same ids, otherwise by email, then by institution_id. No entry is matched twice.
fn pairs(first: &[Entry], second: &[Entry], same_ids: bool) -> Vec<Option<usize>> {
    let mut pairs: Vec<Option<usize>> = vec![None; second.len()];
    let mut taken: HashSet<usize> = HashSet::new();
    let are_two = |a: &Entry, b: &Entry| same_ids && a.user_id.is_some() && b.user_id.is_some();
    let by_id = |a: &Entry, b: &Entry| are_two(a, b) && a.user_id == b.user_id;
    let by_email =
        |a: &Entry, b: &Entry| !are_two(a, b) && a.email_key.is_some() && a.email_key == b.email_key;
    let by_identifier = |a: &Entry, b: &Entry| {
        let same = a.identifier_key.is_some() && a.identifier_key == b.identifier_key;
        !are_two(a, b) && same && may_share(a.email_key.as_deref(), b.email_key.as_deref())
    };
    let rules: [Rule<'_>; 3] = [&by_id, &by_email, &by_identifier];
    for rule in rules {
        for (at, other) in second.iter().enumerate() {
            if pairs[at].is_some() {
                continue;
            }
            let own =
                first.iter().enumerate().find(|(own, entry)| !taken.contains(own) && rule(entry, other));
            pairs[at] = own.map(|(own, _)| own);
            taken.extend(pairs[at]);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i64, user: &str, email: &str, identifier: &str) -> Entry {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Entry {
            id: ParticipantId::new(id),
            user_id: some(user),
            email_key: some(email),
            identifier_key: some(identifier),
            ..Entry::default()
        }
    }

    #[test]
    fn one_person_on_two_pages_is_known_by_what_both_say_of_them() {
        let first = [entry(1, "7", "a@x", "S1"), entry(2, "8", "b@x", ""), entry(3, "", "", "S3")];
        let second = [entry(4, "8", "", ""), entry(5, "9", "a@x", ""), entry(6, "", "c@x", "S3")];
        assert_eq!(pairs(&first, &second, true), [Some(1), None, Some(2)], "two ids are two people");
        assert_eq!(pairs(&first, &second, false), [None, Some(0), Some(2)], "ids that mean nothing");
        let other_email = [entry(7, "", "d@x", "S1")];
        assert_eq!(pairs(&first, &other_email, false), [None], "an identifier with another email");
    }
}
