//! How an institution's pages look. The logo is stored in the institution's row, so that every node and every backup has it:
//! the version that its URL contains, a colon, and the JPEG file in base64.

use base64::{Engine, prelude::BASE64_STANDARD};

use super::{Error, Result, Sql, Value};
use crate::domain::ids::InstitutionId;

/// The length of a logo's version: hex digits.
pub const VERSION: usize = 12;

pub struct StoredLook {
    pub name: String,
    pub accent: Option<String>,
    /// The version of the logo.
    pub logo: Option<String>,
}

pub async fn find(sql: &mut Sql, institution: InstitutionId) -> Result<Option<StoredLook>> {
    let text = format!("SELECT name, accent, substr(logo, 1, {VERSION}) FROM institutions WHERE id = $1");
    sql.one(&text, &[institution.into()], |row| {
        Ok(StoredLook { name: row.text(0)?, accent: row.opt_text(1)?, logo: row.opt_text(2)? })
    })
    .await
}

/// The JPEG file of this version.
pub async fn logo(sql: &mut Sql, institution: InstitutionId, version: &str) -> Result<Option<Vec<u8>>> {
    let text = "SELECT logo FROM institutions WHERE id = $1";
    let stored = sql.one(text, &[institution.into()], |row| row.opt_text(0)).await?.flatten();
    let Some((current, file)) = stored.as_deref().and_then(|logo| logo.split_once(':')) else {
        return Ok(None);
    };
    if current != version {
        return Ok(None);
    }
    let broken =
        |error| Error::Broken(format!("the logo of institution {institution} is unreadable: {error}"));
    BASE64_STANDARD.decode(file).map(Some).map_err(broken)
}

pub async fn set_accent(sql: &mut Sql, institution: InstitutionId, accent: Option<&str>) -> Result<()> {
    let params: [Value<'_>; 2] = [accent.into(), institution.into()];
    sql.execute("UPDATE institutions SET accent = $1 WHERE id = $2", &params).await.map(|_| ())
}

pub async fn set_logo(sql: &mut Sql, institution: InstitutionId, logo: Option<(&str, &[u8])>) -> Result<()> {
    let stored = logo.map(|(version, file)| format!("{version}:{}", BASE64_STANDARD.encode(file)));
    let params: [Value<'_>; 2] = [stored.as_deref().into(), institution.into()];
    sql.execute("UPDATE institutions SET logo = $1 WHERE id = $2", &params).await.map(|_| ())
}
