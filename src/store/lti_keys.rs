//! The tool's own signing keys, encrypted.

use super::{Result, Row, Sql};
use crate::domain::moment::Moment;

#[derive(Debug, Clone)]
pub struct StoredKey {
    pub kid: String,
    pub sealed: String,
    /// The public JWK, as JSON.
    pub public: String,
    pub created_at: Moment,
}

/// Oldest first.
pub async fn all(sql: &mut Sql) -> Result<Vec<StoredKey>> {
    let text = "SELECT kid, private_key, public_key, created_at FROM lti_keys ORDER BY created_at, kid";
    let read = |row: &Row<'_>| {
        Ok(StoredKey {
            kid: row.text(0)?,
            sealed: row.text(1)?,
            public: row.text(2)?,
            created_at: Moment::from_micros(row.int(3)?),
        })
    };
    sql.rows(text, &[], read).await
}

pub async fn insert(sql: &mut Sql, key: &StoredKey) -> Result<()> {
    let text = "INSERT INTO lti_keys (kid, private_key, public_key, created_at) VALUES ($1, $2, $3, $4)";
    let params =
        [(&key.kid).into(), (&key.sealed).into(), (&key.public).into(), key.created_at.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn remove(sql: &mut Sql, kid: &str) -> Result<()> {
    sql.execute("DELETE FROM lti_keys WHERE kid = $1", &[kid.into()]).await.map(|_| ())
}
