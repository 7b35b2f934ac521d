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
    database::{self, Original, TestDatabase},
    new_page,
};

#[derive(Clone)]
pub struct Furniture {
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
}

/// What a furnished database depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wanted {
    is_sqlite: bool,
    time_zone: &'static str,
    multiple_recordings: bool,
}

pub async fn furnished(setup: &Setup) -> (TestDatabase, Furniture) {
    let wanted = Wanted {
        is_sqlite: database::server_unless(setup.sqlite).is_none(),
        time_zone: setup.time_zone,
        multiple_recordings: setup.multiple_recordings,
    };
    let made = original(wanted).await;
    (made.0.copy().await, made.1.clone())
}

/// A database, and what is in it.
type Furnished = Arc<(Original, Furniture)>;

async fn original(wanted: Wanted) -> Furnished {
    static MADE: Mutex<Vec<(Wanted, Furnished)>> = Mutex::const_new(Vec::new());
    let mut made = MADE.lock().await;
    if let Some((_, found)) = made.iter().find(|(one, _)| *one == wanted) {
        return found.clone();
    }
    let new = Arc::new(Original::make(wanted.is_sqlite, async |db| furnish(db, wanted).await).await);
    made.push((wanted, new.clone()));
    new
}

async fn furnish(db: Db, wanted: Wanted) -> Furniture {
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
    Furniture { institution, page, token: made.unwrap().1 }
}
