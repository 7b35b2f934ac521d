//! Our own LTI signing keys, encrypted: those of each institution, and those that registrations of before share.

use super::{Result, Row, Sql, Value};
use crate::domain::{ids::InstitutionId, moment::Moment};

/// Whose keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOwner {
    /// Registrations from before each institution had its own keys.
    Shared,
    Institution(InstitutionId),
}

#[derive(Debug, Clone)]
pub struct StoredKey {
    pub kid: String,
    pub sealed: String,
    /// The public JWK, as JSON.
    pub public: String,
    pub created_at: Moment,
}

/// Oldest first.
pub async fn all(sql: &mut Sql, owner: KeyOwner) -> Result<Vec<StoredKey>> {
    let read = |row: &Row<'_>| {
        Ok(StoredKey {
            kid: row.text(0)?,
            sealed: row.text(1)?,
            public: row.text(2)?,
            created_at: Moment::from_micros(row.int(3)?),
        })
    };
    match owner {
        KeyOwner::Shared => {
            let text =
                "SELECT kid, private_key, public_key, created_at FROM lti_keys ORDER BY created_at, kid";
            sql.rows(text, &[], read).await
        }
        KeyOwner::Institution(institution) => {
            let text = "SELECT kid, private_key, public_key, created_at FROM institution_lti_keys WHERE institution_id = $1 \
                        ORDER BY created_at, kid";
            sql.rows(text, &[institution.into()], read).await
        }
    }
}

/// The institutions that have keys.
pub async fn institutions(sql: &mut Sql) -> Result<Vec<InstitutionId>> {
    let text = "SELECT DISTINCT institution_id FROM institution_lti_keys ORDER BY institution_id";
    sql.rows(text, &[], |row| row.id(0)).await
}

pub async fn insert(sql: &mut Sql, owner: KeyOwner, key: &StoredKey) -> Result<()> {
    let made_at = key.created_at.micros();
    let mut params: Vec<Value<'_>> =
        vec![(&key.kid).into(), (&key.sealed).into(), (&key.public).into(), made_at.into()];
    let text = match owner {
        KeyOwner::Shared => {
            "INSERT INTO lti_keys (kid, private_key, public_key, created_at) VALUES ($1, $2, $3, $4)"
        }
        KeyOwner::Institution(institution) => {
            params.push(institution.into());
            "INSERT INTO institution_lti_keys (kid, private_key, public_key, created_at, institution_id) \
             VALUES ($1, $2, $3, $4, $5)"
        }
    };
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn remove(sql: &mut Sql, owner: KeyOwner, kid: &str) -> Result<()> {
    let mut params: Vec<Value<'_>> = vec![kid.into()];
    let text = match owner {
        KeyOwner::Shared => "DELETE FROM lti_keys WHERE kid = $1",
        KeyOwner::Institution(institution) => {
            params.push(institution.into());
            "DELETE FROM institution_lti_keys WHERE kid = $1 AND institution_id = $2"
        }
    };
    sql.execute(text, &params).await.map(|_| ())
}
