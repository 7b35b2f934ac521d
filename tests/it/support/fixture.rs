//! The institution, the token and the name page of a `World`. They are made once, and each test gets a copy of their database.

use std::sync::Arc;

use endonym::{
    app::{Actor, App, Clock, institutions, tokens},
    domain::{institution::Institution, name_page::NamePage},
    store::Db,
};
use tokio::sync::Mutex;

use super::{
    Setup,
    database::{self, Template, TestDatabase},
    new_page,
};

#[derive(Clone)]
pub struct Fixture {
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
}

/// What the fixture depends on. A field of `Setup` that changes what is stored when an institution, a token or a page is created belongs here.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wanted {
    is_sqlite: bool,
    time_zone: &'static str,
    multiple_recordings: bool,
}

/// A database with what this setup wants in it.
pub async fn copy(setup: &Setup) -> (TestDatabase, Fixture) {
    let wanted = Wanted {
        is_sqlite: database::server_unless(setup.sqlite).is_none(),
        time_zone: setup.time_zone,
        multiple_recordings: setup.multiple_recordings,
    };
    let Made { template, fixture } = &*made(wanted).await;
    (template.copy().await, fixture.clone())
}

struct Made {
    template: Template,
    fixture: Fixture,
}

/// Made by the first test that wants it.
async fn made(wanted: Wanted) -> Arc<Made> {
    static MADE: Mutex<Vec<(Wanted, Arc<Made>)>> = Mutex::const_new(Vec::new());
    let mut made = MADE.lock().await;
    if let Some((_, found)) = made.iter().find(|(one, _)| *one == wanted) {
        return found.clone();
    }
    let (template, fixture) = Template::make(wanted.is_sqlite, async |db| fill(db, wanted).await).await;
    let new = Arc::new(Made { template, fixture });
    made.push((wanted, new.clone()));
    new
}

async fn fill(db: Db, wanted: Wanted) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let app = App::new(Setup::default().parts(db, "http://x", folder.path(), Clock::adjustable()));
    let new = institutions::New {
        name: "Example University".into(),
        slug: Some("example".into()),
        time_zone: wanted.time_zone.into(),
        multiple_recordings: wanted.multiple_recordings,
        phone_language: String::new(),
    };
    let institution = institutions::create(&app, &Actor::Operator, new).await.unwrap();
    let made = tokens::create(&app, &Actor::Operator, institution.id, "tests".into(), None).await;
    let page = new_page(&app, &institution, "Class of 2027").await;
    Fixture { institution, page, token: made.unwrap().1 }
}
