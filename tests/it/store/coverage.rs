//! Counters of coverage: after whatever happens to people, pages and recordings, they are what counting the rows gives.

use endonym::{
    app::{Actor, Error, name_pages, participants, persons},
    blobs::{Key, Shelf},
    domain::{
        access::Access,
        email::Email,
        ids::{InvitationId, NamePageId, ParticipantId},
        matching::Entry,
        media::{Kind, Media, Origin},
        name_page::{NamePage, NamePageRef},
        participant::{Draft, Given},
    },
    store::{
        self, Db, audiences, coverage, media,
        participants::{hidden, merge},
        rolls,
    },
};

use crate::support::{World, database::execute};

/// The figures of a page as they are kept, and counted in the same snapshot: people, recordings, invitations.
type Figures = (i64, [Option<i64>; 3], [i64; 3]);

/// Compares the counters of all pages with their rows.
pub async fn check(db: &Db) {
    let text = "SELECT n.id, r.members, c.recorded, c.invited, \
         (SELECT COUNT(*) FROM participants p WHERE p.institution_id = n.institution_id AND p.name_page_id = n.id), \
         (SELECT COUNT(*) FROM participants p JOIN media m ON m.institution_id = p.institution_id AND m.participant_id = p.id \
         AND m.kind = 'recording' WHERE p.institution_id = n.institution_id AND p.name_page_id = n.id), \
         (SELECT COUNT(*) FROM invitations i WHERE i.institution_id = n.institution_id AND i.name_page_id = n.id \
         AND i.withdrawn_at IS NULL) FROM name_pages n \
         LEFT JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         LEFT JOIN coverage c ON c.institution_id = n.institution_id AND c.name_page_id = n.id";
    let pages: Vec<Figures> = db
        .read()
        .rows(text, &[], |row| {
            let kept = [row.opt_int(1)?, row.opt_int(2)?, row.opt_int(3)?];
            Ok((row.int(0)?, kept, [row.int(4)?, row.int(5)?, row.int(6)?]))
        })
        .await
        .unwrap();
    for (page, kept, counted) in &pages {
        assert_eq!(*kept, counted.map(Some), "page {page}");
    }
    let text = "SELECT COUNT(*) FROM coverage";
    let rows = db.read().one(text, &[], |row| row.int(0)).await.unwrap();
    assert_eq!(rows, Some(pages.len() as i64), "a page that is gone has no counters");
}

/// Pseudorandom numbers, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

struct Somebody {
    page: usize,
    email: String,
    id: ParticipantId,
    hidden: bool,
}

struct Walk {
    world: World,
    pages: Vec<NamePage>,
    people: Vec<Somebody>,
    chance: Chance,
    next: i64,
}

fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

impl Walk {
    async fn new(seed: u64) -> Self {
        let world = World::new().await;
        let mut pages = Vec::new();
        for number in 0..4 {
            pages.push(world.page(&format!("Page {number}")).await);
        }
        Self { world, pages, people: Vec::new(), chance: Chance(seed), next: 1 }
    }

    /// Registers somebody, who may be on another page already, and then starts with the recording from there.
    async fn join(&mut self) {
        let (page, number) = (self.chance.below(self.pages.len()), self.chance.below(40));
        let email = format!("p{number}@x.org");
        let draft = Draft {
            first_name: Given::Set("P".into()),
            email: Given::Set(Email::parse(&email).unwrap()),
            ..Draft::default()
        };
        let access = Access::whole(self.world.institution.id);
        let page_ref = reference(&self.pages[page]);
        match participants::create(&self.world.app, &access, page_ref, draft).await {
            Ok(made) => self.people.push(Somebody { page, email, id: made.id, hidden: false }),
            // They are on this page already.
            Err(Error::Invalid(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }

    fn somebody(&mut self) -> Option<usize> {
        if self.people.is_empty() { None } else { Some(self.chance.below(self.people.len())) }
    }

    async fn record(&mut self, kind: Kind) {
        let Some(at) = self.somebody() else { return };
        let (app, institution, id) = (&self.world.app, self.world.institution.id, self.people[at].id);
        let now = app.clock.now();
        let new = Media {
            hex: app.ids.hex(),
            kind,
            bytes: 4,
            waveform: None,
            original: false,
            origin: Origin::Shared,
            created_at: now,
        };
        let shelf = if kind == Kind::Photo { Shelf::Photos } else { Shelf::Recordings };
        let key = Key { shelf, institution, hex: new.hex.clone() };
        app.blobs.put(&key, "data".into()).await.unwrap();
        let write = app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                media::attach(sql, institution, id, &new, now).await
            })
        });
        write.await.unwrap();
    }

    async fn unrecord(&mut self) {
        let Some(at) = self.somebody() else { return };
        let (app, institution, id) = (&self.world.app, self.world.institution.id, self.people[at].id);
        let now = app.clock.now();
        let write = app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                media::detach(sql, institution, id, Kind::Recording, now).await
            })
        });
        write.await.unwrap();
    }

    async fn pause_or_resume(&mut self) {
        let Some(at) = self.somebody() else { return };
        let (institution, id, pauses) =
            (self.world.institution.id, self.people[at].id, self.chance.below(2) == 0);
        let write = self.world.app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if pauses {
                    audiences::pause(sql, institution, &[id]).await
                } else {
                    audiences::resume(sql, institution, &[id]).await.map(drop)
                }
            })
        });
        write.await.unwrap();
    }

    /// Hides somebody, or shows them again, unless somebody else has their email on the page now.
    async fn turn(&mut self) {
        let Some(at) = self.somebody() else { return };
        let (page, id, hidden) = (self.people[at].page, self.people[at].id, self.people[at].hidden);
        let is_same = |other: &Somebody| other.page == page && other.email == self.people[at].email;
        if self.people.iter().filter(|other| is_same(other)).count() > 1 {
            return;
        }
        let (institution, page, now) =
            (self.world.institution.id, self.pages[page].id, self.world.app.clock.now());
        let write = self.world.app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if hidden {
                    hidden::show(sql, institution, page, &[id], now).await
                } else {
                    hidden::hide(sql, institution, page, &[id]).await
                }
            })
        });
        write.await.unwrap();
        self.people[at].hidden = !hidden;
    }

    async fn leave(&mut self) {
        let Some(at) = self.somebody() else { return };
        let (page, email) = (self.people[at].page, self.people[at].email.clone());
        let [as_email, as_given, spelled] = [(); 3].map(|()| email.clone());
        let key = participants::PersonKey { as_email, as_given, spelled };
        let access = Access::whole(self.world.institution.id);
        persons::delete_from_page(&self.world.app, &access, reference(&self.pages[page]), key).await.unwrap();
        self.people.retain(|one| one.page != page || one.email != email);
    }

    async fn erase(&mut self) {
        let Some(at) = self.somebody() else { return };
        let email = self.people[at].email.clone();
        let institution = self.world.institution.id;
        let how = persons::Rewrite::Later;
        persons::erase(&self.world.app, &Actor::Operator, institution, email.clone(), how).await.unwrap();
        self.people.retain(|one| one.email != email);
    }

    async fn drop_page(&mut self) {
        let page = self.chance.below(self.pages.len());
        let (app, institution) = (&self.world.app, self.world.institution.id);
        let page_ref = reference(&self.pages[page]);
        name_pages::delete(app, &Actor::Operator, institution, &page_ref).await.unwrap();
        self.people.retain(|one| one.page != page);
        self.pages[page] = self.world.page("Page again").await;
    }

    /// Merges a page into another, as two courses are merged.
    async fn merge(&mut self) {
        let (gone, kept) = (self.chance.below(self.pages.len()), self.chance.below(self.pages.len()));
        if gone == kept {
            return;
        }
        let (institution, now) = (self.world.institution.id, self.world.app.clock.now());
        let (gone_page, kept_page) = (self.pages[gone].id, self.pages[kept].id);
        let entry = |one: &Somebody| Entry { id: one.id, hidden: one.hidden, ..Entry::default() };
        let mut entries: Vec<(Entry, Option<Entry>)> = Vec::new();
        for one in self.people.iter().filter(|one| one.page == gone) {
            let own = self.people.iter().find(|own| own.page == kept && own.email == one.email);
            entries.push((entry(one), own.map(entry)));
        }
        let joined: Vec<ParticipantId> =
            entries.iter().filter(|(_, own)| own.is_some()).map(|(other, _)| other.id).collect();
        let write = self.world.app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                for (other, own) in &entries {
                    match own {
                        Some(own) => {
                            for kind in [Kind::Recording, Kind::LegalRecording, Kind::Photo] {
                                merge::move_media(sql, institution, (own, other), kind, now).await?;
                            }
                            media::delete_of(sql, institution, other.id).await?;
                            merge::hand_over(sql, institution, (own.id, other.id)).await?;
                            merge::delete_entry(sql, institution, gone_page, other).await?;
                        }
                        None => merge::move_to(sql, institution, other, kept_page, now).await?,
                    }
                }
                store::name_pages::absorb(sql, institution, gone_page, kept_page).await
            })
        });
        write.await.unwrap();
        self.people.retain(|one| !joined.contains(&one.id));
        self.people.iter_mut().filter(|one| one.page == gone).for_each(|one| one.page = kept);
        self.pages[gone] = self.world.page("Page after").await;
    }

    /// Invites somebody, who may be registered, or withdraws an invitation.
    async fn invite(&mut self) {
        let (page, number) = (self.chance.below(self.pages.len()), self.chance.below(40));
        let (institution, page) = (self.world.institution.id, self.pages[page].id);
        let id = InvitationId::new(self.next);
        self.next += 1;
        let email = format!("p{number}@x.org");
        let withdraws = self.chance.below(4) == 0;
        let write = self.world.app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let invite = "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, generation, created_at, \
                     expires_at) VALUES ($1, $2, $3, $4, $4, 1, 1, 2) ON CONFLICT (institution_id, name_page_id, email_key) DO NOTHING";
                let params = [institution.into(), id.into(), page.into(), (&email).into()];
                let made = sql.execute(invite, &params).await?;
                coverage::invited(sql, institution, page, made as i64).await?;
                if withdraws {
                    let withdraw = "UPDATE invitations SET withdrawn_at = 3 WHERE institution_id = $1 AND name_page_id = $2 \
                         AND email_key = $3 AND withdrawn_at IS NULL";
                    let params = [institution.into(), page.into(), (&email).into()];
                    let gone = sql.execute(withdraw, &params).await?;
                    coverage::invited(sql, institution, page, -(gone as i64)).await?;
                }
                Ok(())
            })
        });
        write.await.unwrap();
    }

    async fn step(&mut self) {
        match self.chance.below(40) {
            0..10 => self.join().await,
            10..18 => self.record(Kind::Recording).await,
            18 => self.record(Kind::LegalRecording).await,
            19 => self.record(Kind::Photo).await,
            20..23 => self.unrecord().await,
            23..26 => self.pause_or_resume().await,
            26..30 => self.turn().await,
            30..33 => self.leave().await,
            33..37 => self.invite().await,
            37 => self.erase().await,
            38 => self.merge().await,
            _ => self.drop_page().await,
        }
    }
}

#[tokio::test]
async fn counters_are_what_counting_gives_whatever_happens() {
    let mut walk = Walk::new(0x5eed_0c0e).await;
    let mut most = 0;
    for _ in 0..600 {
        walk.step().await;
        check(&walk.world.app.db).await;
        most = most.max(walk.people.len());
    }
    assert!(most > 20, "at most {most} people");
    for page in walk.pages.clone() {
        name_pages::delete(&walk.world.app, &Actor::Operator, walk.world.institution.id, &reference(&page))
            .await
            .unwrap();
    }
    check(&walk.world.app.db).await;
}

#[tokio::test]
async fn recordings_at_the_same_time_are_all_counted() {
    let world = World::new().await;
    world.crowd(&world.page, 0..30).await;
    let (institution, page) = (world.institution.id, world.page.id);
    let ids = "SELECT id FROM participants ORDER BY id";
    let ids = world.app.db.read().rows(ids, &[], |row| row.id::<ParticipantId>(0)).await.unwrap();
    let now = world.app.clock.now();
    // Two of each person: one of them replaces the other.
    let writes = ids.iter().chain(&ids).map(|id| {
        let (id, hex) = (*id, world.app.ids.hex());
        world.app.db.write::<_, store::Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let new = Media {
                    hex,
                    kind: Kind::Recording,
                    bytes: 1,
                    waveform: None,
                    original: false,
                    origin: Origin::Given,
                    created_at: now,
                };
                media::attach(sql, institution, id, &new, now).await
            })
        })
    });
    for outcome in futures_util::future::join_all(writes).await {
        outcome.unwrap();
    }
    let figures = coverage::of(&mut world.app.db.read(), institution, page).await.unwrap();
    assert_eq!((figures.registered, figures.recorded, figures.missing()), (30, 30, 0));
    check(&world.app.db).await;
}

#[tokio::test]
async fn a_database_from_before_starts_with_counted_figures() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    let recordings = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at) \
                      SELECT institution_id, 'hex' || id, id, 'recording', 1, FALSE, 1 FROM participants WHERE id < 3";
    execute(&world.app.db, recordings, Vec::new()).await;
    execute(&world.app.db, "DELETE FROM coverage", Vec::new()).await;
    // The statement of the migration.
    let script = include_str!("../../../migrations/0019_name_pages.sql");
    let (_, fill) = script.split_once("INSERT INTO coverage").unwrap();
    let (fill, _) = fill.split_once(';').unwrap();
    execute(&world.app.db, format!("INSERT INTO coverage{fill}"), Vec::new()).await;
    let page: NamePageId = world.page.id;
    let figures = coverage::of(&mut world.app.db.read(), world.institution.id, page).await.unwrap();
    assert_eq!((figures.registered, figures.recorded, figures.invited), (5, 3, 0));
    check(&world.app.db).await;
}
