//! A small institution to try things on.

use std::path::Path;

use super::{
    Actor, App, Error, Missing, Result, callers, custom_fields, institutions, name_pages, participants,
    tokens,
};
use crate::domain::{
    email::Email,
    institution::Institution,
    media::{Incoming, Kind},
    name_page::{NamePage, NamePageRef},
    participant::{Draft, Given},
};

const SLUG: &str = "demo";
const TOKEN_FILE: &str = "demo-token";

pub struct Demo {
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
    pub email: &'static str,
}

const PEOPLE: &[(&str, &str, &str, &str, &str, &str)] = &[
    ("Siobhán", "Ní Bhriain", "siobhan@demo.example", "D-1001", "shi-VAWN nee VREE-in", "she/her"),
    ("Nguyễn", "Thị Ánh", "anh@demo.example", "D-1002", "ngwee-en tee AHN", "she/her"),
    ("Xóchitl", "Quetzalli", "xochitl@demo.example", "D-1003", "SO-cheel ket-SAH-lee", "they/them"),
    ("Oluwaseun", "Adébáyò", "seun@demo.example", "D-1004", "oh-loo-WAH-shay-oon ah-day-BAH-yoh", "he/him"),
    ("محمد", "الفاسي", "mohammed@demo.example", "D-1005", "mo-HAM-med al-FAH-see", "he/him"),
];

/// Said by a machine, in the language of each name as far as it knows it. Xóchitl has not recorded hers yet.
const RECORDINGS: &[(&str, &[u8])] = &[
    ("siobhan@demo.example", include_bytes!("../../assets/demo/siobhan.ogg")),
    ("anh@demo.example", include_bytes!("../../assets/demo/anh.ogg")),
    ("seun@demo.example", include_bytes!("../../assets/demo/seun.ogg")),
    ("mohammed@demo.example", include_bytes!("../../assets/demo/mohammed.ogg")),
];

/// Makes it when it is not there. The token is kept in a file beside the data, since the database has only its digest.
pub async fn seed(app: &App, data_dir: &Path) -> Result<Demo> {
    let institution = match institutions::find(app, SLUG).await {
        Ok(institution) => institution,
        Err(Error::Missing(Missing::Institution)) => {
            let new = institutions::New {
                name: "Demonstration College".to_owned(),
                slug: Some(SLUG.to_owned()),
                time_zone: "UTC".to_owned(),
                multiple_recordings: true,
                phone_language: String::new(),
            };
            institutions::create(app, new).await?
        }
        Err(other) => return Err(other),
    };
    let page = match name_pages::all(app, institution.id).await?.into_iter().next() {
        Some((page, _)) => page,
        None => seed_page(app, &institution).await?,
    };
    let token = token(app, &institution, data_dir).await?;
    Ok(Demo { institution, page, token, email: PEOPLE[0].2 })
}

async fn seed_page(app: &App, institution: &Institution) -> Result<NamePage> {
    match custom_fields::create(
        app,
        institution.id,
        "gender_pronouns".to_owned(),
        Some("Pronouns".to_owned()),
    )
    .await
    {
        // It is there from an earlier start.
        Ok(_) | Err(Error::Invalid(_)) => {}
        Err(other) => return Err(other),
    }
    let new = name_pages::New {
        title: "Commencement".to_owned(),
        slug: Some("demo-commencement".to_owned()),
        access_code: None,
        allow_v2: false,
    };
    let page = name_pages::create(app, institution.id, new).await?;
    for (first, last, email, identifier, phonetic, pronouns) in PEOPLE {
        let draft = Draft {
            first_name: Given::Set((*first).to_owned()),
            last_name: Given::Set((*last).to_owned()),
            email: Email::parse(email).map_or(Given::Absent, Given::Set),
            identifier: Given::Set((*identifier).to_owned()),
            phonetic: Given::Set((*phonetic).to_owned()),
            media: recording(email).into_iter().collect(),
            custom: vec![("custom_gender_pronouns".to_owned(), Given::Set((*pronouns).to_owned()))],
            ..Draft::default()
        };
        let here = NamePageRef::parse(&page.slug).ok_or(Error::Missing(Missing::NamePage))?;
        participants::create(app, &Actor::Operator.access(institution.id)?, here, draft).await?;
    }
    Ok(page)
}

fn recording(email: &str) -> Option<(Kind, Incoming)> {
    let (_, bytes) = RECORDINGS.iter().find(|(whose, _)| *whose == email)?;
    Some((Kind::Recording, Incoming::Bytes(bytes.to_vec())))
}

async fn token(app: &App, institution: &Institution, data_dir: &Path) -> Result<String> {
    let path = data_dir.join(TOKEN_FILE);
    if let Ok(kept) = std::fs::read_to_string(&path) {
        let kept = kept.trim().to_owned();
        if callers::identify(app, &kept, None)
            .await
            .is_ok_and(|caller| caller.institution.id == institution.id)
        {
            return Ok(kept);
        }
    }
    let (_, token) = tokens::create(app, institution.id, "demonstration".to_owned(), None).await?;
    keep(&path, &token).map_err(|e| Error::Unavailable(format!("cannot write {}: {e}", path.display())))?;
    Ok(token)
}

fn keep(path: &Path, token: &str) -> std::io::Result<()> {
    use std::{io::Write, os::unix::fs::OpenOptionsExt};
    if let Some(folder) = path.parent() {
        crate::store::folder::create(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).open(path)?.write_all(token.as_bytes())
}
