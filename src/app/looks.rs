//! How an institution's pages look: its name, logo and accent color.

use sha2::{Digest, Sha256};

use super::{App, Error, Missing, Result, studio::Processed};
use crate::{
    domain::{
        accent::{Accent, Color},
        digest::hex,
        fault::{Field, SetupFault},
        field_errors::FieldErrors,
        ids::InstitutionId,
        media::{Incoming, Kind},
    },
    store::{Sql, looks},
};

/// What the pages of an institution show of it.
#[derive(Debug, Clone)]
pub struct Look {
    pub institution: InstitutionId,
    pub name: String,
    pub accent: Option<Accent>,
    /// The version of the logo: its URL contains it.
    pub logo: Option<String>,
}

pub async fn find(app: &App, institution: InstitutionId) -> Result<Look> {
    find_in(&mut app.db.read(), institution).await
}

pub(super) async fn find_in(sql: &mut Sql, institution: InstitutionId) -> Result<Look> {
    let found = looks::find(sql, institution).await?;
    let found = found.ok_or(Error::Missing(Missing::Institution))?;
    // A color that a later palette cannot show is ignored.
    let accent = found.accent.as_deref().and_then(Color::parse).and_then(|color| Accent::new(color).ok());
    Ok(Look { institution, name: found.name, accent, logo: found.logo })
}

/// The file of a logo: JPEG.
pub async fn logo(app: &App, institution: InstitutionId, version: &str) -> Result<Vec<u8>> {
    let found = looks::logo(&mut app.db.read(), institution, version).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

/// `None` leaves the value unchanged, `Some(None)` removes it.
#[derive(Debug, Default)]
pub struct Change {
    pub accent: Option<Option<String>>,
    /// A picture in any format that photos may have.
    pub logo: Option<Option<Vec<u8>>>,
}

/// A validated change.
#[derive(Default)]
pub(super) struct Changes {
    accent: Option<Option<Color>>,
    logo: Option<Option<Vec<u8>>>,
}

/// A logo is loaded with every first page: beyond this size, a smaller picture is used.
const LARGEST_LOGO: usize = 40 << 10;

pub(super) async fn checked(app: &App, institution: InstitutionId, change: Change) -> Result<Changes> {
    let mut errors = FieldErrors::default();
    let mut changes = Changes { accent: None, logo: change.logo.as_ref().map(|_| None) };
    if let Some(given) = change.accent {
        changes.accent = Some(given.and_then(|given| check_accent(&given, &mut errors)));
    }
    if let Some(Some(file)) = change.logo {
        match app.studio.process(institution, Kind::Photo, Incoming::Bytes(file)).await? {
            Ok(Processed::Picture(picture)) => {
                let file = if picture.large.len() <= LARGEST_LOGO { picture.large } else { picture.small };
                changes.logo = Some(Some(file));
            }
            Ok(Processed::Sound { .. }) => {
                return Err(Error::Internal("image processing returned audio".to_owned()));
            }
            Err(fault) => errors.add(Field::Logo, fault),
        }
    }
    errors.into_result()?;
    Ok(changes)
}

fn check_accent(given: &str, errors: &mut FieldErrors) -> Option<Color> {
    let Some(color) = Color::parse(given) else {
        errors.add(Field::Accent, SetupFault::NotAColor(given.to_owned()));
        return None;
    };
    match Accent::new(color) {
        Ok(_) => Some(color),
        Err(fault) => {
            errors.add(Field::Accent, SetupFault::TooLight(fault));
            None
        }
    }
}

/// Runs in the transaction of the institution's update.
pub(super) async fn update(sql: &mut Sql, institution: InstitutionId, changes: &Changes) -> Result<()> {
    if let Some(accent) = changes.accent {
        let text = accent.map(|color| color.to_string());
        looks::set_accent(sql, institution, text.as_deref()).await?;
    }
    if let Some(logo) = &changes.logo {
        let version = logo.as_ref().map(|file| hex(&Sha256::digest(file))[..looks::VERSION].to_owned());
        let logo = version.as_deref().zip(logo.as_deref());
        looks::set_logo(sql, institution, logo).await?;
    }
    Ok(())
}
