//! What is stored sealed (`secrets`), for sealing it anew with another key; and which key is in use.

use super::{Result, Sql, Value};

/// A column with sealed secrets.
pub struct Column {
    table: &'static str,
    /// By which a row is found. Is it a number?
    key: (&'static str, bool),
    column: &'static str,
    /// With the key behind it, the purpose for which the secret is sealed.
    purpose: &'static str,
}

/// Every column in which sealed secrets stay for longer than an hour.
pub const COLUMNS: &[Column] = &[
    Column {
        table: "tool_consumers",
        key: ("id", true),
        column: "access_token",
        purpose: "access token of tool consumer",
    },
    Column {
        table: "sso_connections",
        key: ("id", true),
        column: "client_secret",
        purpose: "client secret of single sign-on connection",
    },
    Column { table: "lti_keys", key: ("kid", false), column: "private_key", purpose: "lti key" },
    Column {
        table: "institution_lti_keys",
        key: ("kid", false),
        column: "private_key",
        purpose: "lti key of an institution",
    },
    Column {
        table: "lti_sessions",
        key: ("session_digest", false),
        column: "person",
        purpose: "visitor of LTI session",
    },
    Column { table: "sessions", key: ("digest", false), column: "id_token", purpose: "ID token of session" },
];

/// A sealed secret.
pub struct Sealed {
    key: Key,
    pub text: String,
    pub purpose: String,
}

enum Key {
    Number(i64),
    Text(String),
}

impl From<&Key> for Value<'static> {
    fn from(key: &Key) -> Self {
        match key {
            Key::Number(number) => (*number).into(),
            Key::Text(text) => Value::from(text.as_str()).into_owned(),
        }
    }
}

impl Column {
    pub const fn name(&self) -> (&'static str, &'static str) {
        (self.table, self.column)
    }

    pub async fn all(&self, sql: &mut Sql) -> Result<Vec<Sealed>> {
        let Self { table, key: (key, is_number), column, purpose } = self;
        let text = format!("SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {key}");
        sql.rows(&text, &[], |row| {
            let key = if *is_number { Key::Number(row.int(0)?) } else { Key::Text(row.text(0)?) };
            let shown = match &key {
                Key::Number(number) => number.to_string(),
                Key::Text(text) => text.clone(),
            };
            Ok(Sealed { key, text: row.text(1)?, purpose: format!("{purpose} {shown}") })
        })
        .await
    }

    /// False if somebody has replaced the secret meanwhile.
    pub async fn replace(&self, sql: &mut Sql, old: &Sealed, new: &str) -> Result<bool> {
        let Self { table, key: (key, _), column, .. } = self;
        let text = format!("UPDATE {table} SET {column} = $1 WHERE {key} = $2 AND {column} = $3");
        let params: [Value<'_>; 3] = [new.into(), Value::from(&old.key), (&old.text).into()];
        Ok(sql.execute(&text, &params).await? > 0)
    }
}

/// The id of the key with which this database was used.
pub async fn key_in_use(sql: &mut Sql) -> Result<Option<String>> {
    sql.one("SELECT kid FROM key_in_use WHERE place = 1", &[], |row| row.text(0)).await
}

pub async fn set_key_in_use(sql: &mut Sql, kid: &str) -> Result<()> {
    let text =
        "INSERT INTO key_in_use (place, kid) VALUES (1, $1) ON CONFLICT (place) DO UPDATE SET kid = $1";
    sql.execute(text, &[kid.into()]).await.map(|_| ())
}
