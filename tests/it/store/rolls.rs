//! Rolls: paging and counting stay exact while people join and leave. The results are compared with a plain list.

use endonym::{
    app::{
        Actor,
        imports::{CallPolicy, Outcome},
        name_pages, participants, persons,
    },
    domain::{
        access::Access,
        email::Email,
        ids::ParticipantId,
        name_page::{NamePage, NamePageRef},
        paging::Window,
        participant::{Draft, Given},
    },
    store::{participants::hidden, rolls},
};
use futures_util::future::join_all;
use serde_json::json;

use crate::support::{
    World,
    database::{execute, series},
    emails,
    import::import,
};

fn person_key(email: &str) -> participants::PersonKey {
    let [as_email, as_given, spelled] = [(); 3].map(|()| email.to_owned());
    participants::PersonKey { as_email, as_given, spelled }
}

/// Pseudorandom numbers, the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// The people of the institution in the order in which they joined, each with the index of their page in `pages`.
struct Model {
    world: World,
    pages: Vec<NamePage>,
    people: Vec<(usize, String)>,
    next: usize,
    chance: Chance,
}

fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

impl Model {
    async fn new(seed: u64, pages: usize) -> Self {
        let world = World::new().await;
        let mut made = Vec::new();
        for i in 0..pages {
            made.push(world.page(&format!("Page {i}")).await);
        }
        Self { world, pages: made, people: Vec::new(), next: 0, chance: Chance(seed) }
    }

    /// Adds people to one page, in one transaction.
    async fn join(&mut self, page: usize, count: usize) {
        let start = self.next;
        self.next += count;
        let email = |i: usize| format!("p{i}@example.edu");
        let drafts = (start..self.next).map(|i| Draft {
            first_name: Given::Set(format!("P{i}")),
            email: Given::Set(Email::parse(&email(i)).unwrap()),
            ..Draft::default()
        });
        let here = (self.world.institution.id, self.pages[page].id);
        let outcomes = import(&self.world.app, here, drafts.collect(), CallPolicy::Nobody, false).await;
        assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Created));
        self.people.extend((start..self.next).map(|i| (page, email(i))));
    }

    /// Removes some people concurrently, with one request each.
    async fn leave(&mut self, count: usize) {
        let mut going = Vec::new();
        for _ in 0..count.min(self.people.len()) {
            let at = self.chance.below(self.people.len());
            going.push(self.people.remove(at));
        }
        let access = Access::whole(self.world.institution.id);
        for group in going.chunks(64) {
            let deleted = group.iter().map(|(page, email)| {
                let page = reference(&self.pages[*page]);
                persons::delete_from_page(&self.world.app, &access, page, person_key(email))
            });
            join_all(deleted).await.into_iter().for_each(|deleted| deleted.unwrap());
        }
    }

    /// Deletes a page with everybody on it.
    async fn drop_page(&mut self, page: usize) {
        let (app, institution) = (&self.world.app, self.world.institution.id);
        let gone = name_pages::delete(app, &Actor::Operator, institution, &reference(&self.pages[page]))
            .await
            .unwrap();
        let before = self.people.len();
        self.people.retain(|(its, _)| *its != page);
        assert_eq!(gone, (before - self.people.len()) as u64);
        self.pages[page] = self.world.page("Page again").await;
    }

    async fn check(&mut self, sizes: &[u64]) {
        let everybody: Vec<&str> = self.people.iter().map(|(_, email)| email.as_str()).collect();
        for size in sizes {
            self.check_roll(None, &everybody, *size).await;
        }
        for page in 0..self.pages.len() {
            let here: Vec<&str> =
                self.people.iter().filter(|(its, _)| *its == page).map(|(_, email)| email.as_str()).collect();
            for size in sizes.iter().rev().take(2) {
                self.check_roll(Some(page), &here, *size).await;
            }
        }
        // The same again over HTTP.
        let page = 1 + self.chance.below(1 + self.people.len() / 7);
        let answer = self.world.get(&format!("/v4/participants?per_page=7&page={page}")).await.expect(200);
        let everybody: Vec<&str> = self.people.iter().map(|(_, email)| email.as_str()).collect();
        let wanted = Window::new(page as u64, 7).slice(&everybody);
        assert_eq!(emails(&answer["participants"]), wanted);
        assert_eq!(answer["meta"]["total_count"], json!(self.people.len()));
        assert_eq!(answer["meta"]["total_pages"], json!(self.people.len().div_ceil(7)));
    }

    /// Every page of a list, and the one after the last.
    async fn check_roll(&self, page: Option<usize>, wanted: &[&str], size: u64) {
        let filter = participants::Filter {
            page: page.map(|page| reference(&self.pages[page])),
            ..participants::Filter::default()
        };
        let last = Window::new(1, size).pages(wanted.len() as u64);
        // All of them if they are few, otherwise the ends and some in between.
        let step = (last / 10).max(1) as usize;
        let mut numbers: Vec<u64> = (1..=last + 1).step_by(step).chain([last.max(1), last + 1]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let window = Window::new(number, size);
            let (app, access) = (&self.world.app, Access::whole(self.world.institution.id));
            let mut listing = participants::list(app, &access, &filter, Some(window)).await.unwrap();
            assert_eq!(listing.total, Some(wanted.len() as u64));
            let mut found = Vec::new();
            while let Some(group) = listing.next(app).await {
                found.extend(group.unwrap().into_iter().map(|person| person.email.unwrap()));
            }
            assert_eq!(found, window.slice(wanted), "page {number} of {size} on {page:?}");
        }
    }
}

/// Hides somebody, or shows them again. Their number is their id, as long as nobody else is in the institution.
async fn turn(model: &Model, page: usize, email: &str, hide: bool) {
    let id: ParticipantId = email.trim_start_matches('p').split('@').next().unwrap().parse().unwrap();
    let (institution, page) = (model.world.institution.id, model.pages[page].id);
    let now = model.world.app.clock.now();
    let moved = model.world.app.db.write::<_, endonym::store::Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            if hide {
                hidden::hide(sql, institution, page, &[id]).await
            } else {
                hidden::show(sql, institution, page, &[id], now).await
            }
        })
    });
    moved.await.unwrap();
}

#[tokio::test]
async fn paging_is_exact_while_people_are_hidden_and_come_back() {
    let mut model = Model::new(0x5eed_0005, 3).await;
    let mut hidden: Vec<(usize, String)> = Vec::new();
    for round in 0..4 {
        for page in 0..3 {
            let count = 1 + model.chance.below(120);
            model.join(page, count).await;
        }
        for _ in 0..30 {
            let at = model.chance.below(model.people.len());
            let one = model.people.remove(at);
            turn(&model, one.0, &one.1, true).await;
            hidden.push(one);
        }
        let left = model.chance.below(20);
        model.leave(left).await;
        let back = if round == 3 { hidden.len() } else { model.chance.below(hidden.len()) };
        for _ in 0..back {
            let at = model.chance.below(hidden.len());
            let one = hidden.remove(at);
            turn(&model, one.0, &one.1, false).await;
            model.people.push(one);
        }
        let number =
            |email: &str| email.trim_start_matches('p').split('@').next().unwrap().parse::<u64>().unwrap();
        model.people.sort_by_key(|(_, email)| number(email));
        model.check(&[7, 128]).await;
    }
    assert!(hidden.is_empty());
    model.leave(60).await;
    model.check(&[7]).await;
    let gaps = "SELECT COUNT(*) FROM roll_gaps WHERE missing <= 0";
    let read = model.world.app.db.read().one(gaps, &[], |row| row.int(0)).await;
    assert_eq!(read.unwrap(), Some(0), "a gap that is filled is none");
}

const SIZES: [u64; 5] = [1, 7, 10, 128, 1_000];

#[tokio::test]
async fn paging_is_exact_while_people_come_and_go() {
    let mut model = Model::new(0x5eed_0001, 3).await;
    model.check(&SIZES).await;
    for round in 0..8 {
        for _ in 0..4 {
            let (page, count) = (model.chance.below(3), 1 + model.chance.below(200));
            model.join(page, count).await;
        }
        let count = model.chance.below(80);
        model.leave(count).await;
        if round % 2 == 1 {
            model.check(&SIZES).await;
        }
    }
    assert!(model.next > 2_000, "{} people", model.next);
}

#[tokio::test]
async fn paging_is_exact_when_whole_pages_go() {
    let mut model = Model::new(0x5eed_0002, 6).await;
    for round in 0..5 {
        for page in 0..6 {
            let count = model.chance.below(120);
            model.join(page, count).await;
        }
        let page = model.chance.below(6);
        model.drop_page(page).await;
        model.leave(round * 10).await;
        model.check(&[10, 128]).await;
    }
    for page in 0..6 {
        model.drop_page(page).await;
    }
    assert!(model.people.is_empty());
    model.check(&[1, 10]).await;
    model.join(2, 30).await;
    model.check(&[1, 10]).await;
}

/// The first and the last, the last of a bucket and the first of the next, everybody.
#[tokio::test]
async fn paging_is_exact_at_the_edges() {
    let mut model = Model::new(0x5eed_0003, 1).await;
    model.join(0, 300).await;
    for places in [0..1, 299..300, 127..129, 255..257, 130..180] {
        let gone: Vec<(usize, String)> = places
            .map(|place| (0, format!("p{place}@example.edu")))
            .filter(|one| model.people.contains(one))
            .collect();
        for one in gone {
            model.people.retain(|left| *left != one);
            let (app, access) = (&model.world.app, Access::whole(model.world.institution.id));
            let page = reference(&model.pages[0]);
            persons::delete_from_page(app, &access, page, person_key(&one.1)).await.unwrap();
        }
        model.check(&[1, 10, 128]).await;
    }
    model.leave(300).await;
    model.check(&[10]).await;
}

/// Longer than a bucket of the middle size, so that a search uses all three.
#[tokio::test]
async fn paging_is_exact_on_a_long_roll() {
    const COUNT: i64 = 20_000;
    let mut model = Model::new(0x5eed_0004, 10).await;
    let (db, institution) = (model.world.app.db.clone(), model.world.institution.id);
    // Interleaved on ten pages, as if they had registered in turn.
    let (series, n) = series(&db, "$1");
    let people = format!(
        "{series}INSERT INTO participants (institution_id, id, name_page_id, page_place, token, first_name, email, email_key, \
        recorded_at, legal_recorded_at, created_at, updated_at) \
        SELECT $2, i * 10 + $3, $4, i, 'token' || (i * 10 + $3), 'P', 'p' || (i * 10 + $3) || '@example.edu', \
        'p' || (i * 10 + $3) || '@example.edu', 0, 0, 0, 0 FROM {n}"
    );
    for (at, page) in (0_i64..).zip(&model.pages) {
        execute(
            &db,
            people.clone(),
            vec![(COUNT / 10).into(), institution.into(), at.into(), page.id.into()],
        )
        .await;
    }
    let rolls =
        "UPDATE rolls SET next_place = $1, members = $1 WHERE institution_id = $2 AND name_page_id <> 0";
    execute(&db, rolls, vec![(COUNT / 10).into(), institution.into()]).await;
    // The world's own page is empty.
    let own = "UPDATE rolls SET next_place = 0, members = 0 WHERE institution_id = $1 AND name_page_id = $2";
    execute(&db, own, vec![institution.into(), model.world.page.id.into()]).await;
    let whole =
        "UPDATE rolls SET next_place = $1, members = $1 WHERE institution_id = $2 AND name_page_id = 0";
    execute(&db, whole, vec![COUNT.into(), institution.into()]).await;
    model.people = (0..COUNT as usize).map(|i| (i % 10, format!("p{i}@example.edu"))).collect();
    model.next = COUNT as usize;
    model.check(&[7, 9_999]).await;
    model.leave(60).await;
    model.check(&[7]).await;
    for page in [3, 7, 8] {
        model.drop_page(page).await;
    }
    model.check(&[7]).await;
    model.join(3, 200).await;
    model.leave(30).await;
    model.check(&[7, 10_000]).await;
}
