//! Checks that nothing was removed from the audit log of an institution or changed in it.

use std::collections::HashSet;

use crate::{
    app::{Actor, App, Result},
    domain::{
        audit::{
            Cursor,
            chain::{Found, Proofs, Sealed, ends_at, seal_digest, seal_hash},
        },
        ids::{AuditId, InstitutionId},
        moment::Moment,
    },
    store::{
        self, Sql,
        audit::{self, StoredRow},
        audit_seals::{self, Chain, Stored},
        secrets::Secrets,
    },
};

/// What `verify` has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Entries that are as they were written.
    pub entries: u64,
    /// Those of them without their personal data, because somebody was erased.
    pub forgotten: u64,
    /// Entries that an older version has written, and that are not in the chain yet.
    pub waiting: u64,
    /// The newest seal of the chain.
    pub number: i64,
    pub hash: String,
    /// The first place where the chain breaks.
    pub broken: Option<Broken>,
}

/// Where a chain breaks, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The entry. `None` if it is unknown which one, because its seal is gone.
    pub id: Option<AuditId>,
    pub at: Option<Moment>,
    pub why: &'static str,
}

impl Broken {
    fn entry(sealed: &Sealed, why: &'static str) -> Self {
        Self { id: Some(sealed.id), at: Some(sealed.at), why }
    }

    /// The first entry of a seal.
    fn seal(seal: &Stored, why: &'static str) -> Self {
        let first = seal.lines.as_deref().and_then(|lines| Sealed::parse(lines)?.into_iter().next());
        Self {
            id: first.as_ref().map(|first| first.id),
            at: Some(first.map_or(seal.newest, |first| first.at)),
            why,
        }
    }
}

/// Seals and entries that are read at once.
const BATCH: i64 = 500;

/// Signs up to where a chain was removed.
pub(super) fn sign(
    secrets: &Secrets,
    institution: InstitutionId,
    number: i64,
    hash: &str,
) -> store::Result<String> {
    secrets.digest(ANCHOR, &anchor_text(institution, number, hash))
}

/// The purpose of the signature of an anchor.
pub(in crate::app) const ANCHOR: &str = "audit anchor";

/// What is signed.
pub(in crate::app) fn anchor_text(institution: InstitutionId, number: i64, hash: &str) -> String {
    format!("{institution} {number} {hash}")
}

/// Compares every entry with the chain, and the chain with itself. With a hash from the server's log, checks that it is in the chain.
pub async fn verify(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    logged: Option<&str>,
) -> Result<Verdict> {
    actor.administer(institution)?;
    loop {
        let verdict = read(app, institution, logged).await?;
        // What ends meanwhile is missing, and no break.
        if verdict.broken.is_none() || !has_moved(app, institution, &verdict).await? {
            return Ok(verdict);
        }
    }
}

/// Were seals removed since a break was found that does not exist any more?
async fn has_moved(app: &App, institution: InstitutionId, verdict: &Verdict) -> Result<bool> {
    let again = read(app, institution, None).await?;
    Ok(again.broken.is_none() && verdict.broken.as_ref().is_some_and(|broken| broken.why != UNKNOWN_HASH))
}

const UNKNOWN_HASH: &str = "the hash from the server's log is not in the chain";

async fn read(app: &App, institution: InstitutionId, logged: Option<&str>) -> Result<Verdict> {
    let sql = &mut app.db.read();
    let chain = audit_seals::chain(sql, institution).await?;
    let waiting = audit::count_unsealed(sql, institution).await?;
    let verdict = Verdict {
        number: chain.number,
        hash: chain.hash.clone(),
        waiting: u64::try_from(waiting).unwrap_or_default(),
        ..Verdict::default()
    };
    let (number, hash, broken) = match &chain.anchor {
        Some(anchor) => {
            let text = anchor_text(institution, anchor.number, &anchor.hash);
            let is_ours = app.secrets.is_digest(ANCHOR, &text, &anchor.signature)?;
            let broken =
                Broken { id: None, at: None, why: "the anchor is not signed with the key of this server" };
            (anchor.number, anchor.hash.clone(), (!is_ours).then_some(broken))
        }
        None => (0, String::new(), None),
    };
    let has_logged = logged.is_none_or(|logged| logged == hash);
    let mut walk = Walk { verdict, chain, number, hash, seen: HashSet::new(), logged, has_logged };
    walk.verdict.broken = broken;
    if walk.verdict.broken.is_none() {
        walk.verdict.broken = walk.seals(sql, institution, app.clock.now()).await?;
    }
    if walk.verdict.broken.is_none() {
        walk.verdict.broken = walk.strangers(sql, institution).await?;
    }
    if walk.verdict.broken.is_none() && !walk.has_logged {
        walk.verdict.broken = Some(Broken { id: None, at: None, why: UNKNOWN_HASH });
    }
    Ok(walk.verdict)
}

/// The way along a chain.
struct Walk<'a> {
    verdict: Verdict,
    chain: Chain,
    /// The seal before.
    number: i64,
    hash: String,
    /// The entries of all seals.
    seen: HashSet<AuditId>,
    logged: Option<&'a str>,
    has_logged: bool,
}

impl Walk<'_> {
    async fn seals(
        &mut self,
        sql: &mut Sql,
        institution: InstitutionId,
        now: Moment,
    ) -> Result<Option<Broken>> {
        loop {
            let seals = audit_seals::after(sql, institution, self.number, BATCH).await?;
            // Those that are added meanwhile are left to the next time.
            let seals: Vec<Stored> =
                seals.into_iter().filter(|seal| seal.number <= self.chain.number).collect();
            if seals.is_empty() {
                break;
            }
            let mut entries = Vec::new();
            for seal in &seals {
                match self.link(seal, now) {
                    Ok(more) => entries.extend(more.into_iter().map(|entry| (entry, seal))),
                    // What is before it is looked at first.
                    Err(broken) => {
                        return Ok(self.entries(sql, institution, &entries, now).await?.or(Some(broken)));
                    }
                }
            }
            if let Some(broken) = self.entries(sql, institution, &entries, now).await? {
                return Ok(Some(broken));
            }
        }
        let is_whole = self.number == self.chain.number && self.hash == self.chain.hash;
        let gone = Broken { id: None, at: None, why: "the newest seals are missing" };
        Ok((!is_whole).then_some(gone))
    }

    /// The next seal. Returns its entries.
    fn link(&mut self, seal: &Stored, now: Moment) -> Result<Vec<Sealed>, Broken> {
        if seal.number != self.number + 1 {
            return Err(Broken::seal(seal, "seals before this entry are missing"));
        }
        let hash = seal_hash(&self.hash, &seal.digest, seal.days, seal.newest);
        if hash.as_ref() != Some(&seal.hash) {
            return Err(Broken::seal(seal, "the hash of its seal does not follow from the one before"));
        }
        (self.number, self.hash) = (seal.number, seal.hash.clone());
        self.has_logged |= self.logged == Some(seal.hash.as_str());
        let Some(lines) = &seal.lines else {
            let is_over = ends_at(seal.newest, seal.days) < now;
            return if is_over {
                Ok(Vec::new())
            } else {
                Err(Broken::seal(seal, "the list of its seal is missing"))
            };
        };
        let entries = Sealed::parse(lines).filter(|_| seal_digest(lines) == seal.digest);
        let entries = entries.ok_or_else(|| Broken::seal(seal, "the list of its seal was changed"))?;
        self.seen.extend(entries.iter().map(|entry| entry.id));
        Ok(entries)
    }

    async fn entries(
        &mut self,
        sql: &mut Sql,
        institution: InstitutionId,
        entries: &[(Sealed, &Stored)],
        now: Moment,
    ) -> Result<Option<Broken>> {
        for group in entries.chunks(BATCH as usize) {
            let keys: Vec<Sealed> = group.iter().map(|(entry, _)| entry.clone()).collect();
            let rows = audit::stored(sql, institution, &keys).await?;
            for (entry, seal) in group {
                let row = rows.iter().find(|row| row.id == entry.id && row.at == entry.at);
                match row.map(|row| compare(row, entry)) {
                    Some(Found::Changed) => return Ok(Some(Broken::entry(entry, "the entry was changed"))),
                    None if ends_at(seal.newest, seal.days) < now => {}
                    None => return Ok(Some(Broken::entry(entry, "the entry is missing"))),
                    Some(found) => {
                        self.verdict.entries += 1;
                        self.verdict.forgotten += u64::from(found == Found::Forgotten);
                    }
                }
            }
        }
        Ok(None)
    }

    /// An entry that says it is sealed, and is in no seal.
    async fn strangers(&mut self, sql: &mut Sql, institution: InstitutionId) -> Result<Option<Broken>> {
        let mut strangers = Vec::new();
        let mut after = Cursor::before(Moment::from_micros(i64::MIN));
        loop {
            let found = audit::sealed_after(sql, institution, after, BATCH).await?;
            let Some(last) = found.last() else { break };
            after = *last;
            strangers.extend(found.into_iter().filter(|entry| !self.seen.contains(&entry.id)));
        }
        // They may have been written since the chain was read, with their seals.
        let mut number = self.number;
        while !strangers.is_empty() {
            let newer = audit_seals::after(sql, institution, number, BATCH).await?;
            let Some(last) = newer.last() else { break };
            number = last.number;
            for lines in newer.iter().filter_map(|seal| seal.lines.as_deref()) {
                let ids: HashSet<AuditId> =
                    Sealed::parse(lines).unwrap_or_default().iter().map(|entry| entry.id).collect();
                strangers.retain(|entry| !ids.contains(&entry.id));
            }
        }
        let first = strangers.first();
        Ok(first.map(|first| Broken {
            id: Some(first.id),
            at: Some(first.at),
            why: "the entry is in no seal",
        }))
    }
}

fn compare(row: &StoredRow, sealed: &Sealed) -> Found {
    match Proofs::parse(row.who_proof.as_deref(), row.person_proof.as_deref()) {
        Some(proofs) => row.written().compare(&proofs, &sealed.digest),
        None => Found::Changed,
    }
}
