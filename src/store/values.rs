//! Parameters of statements, and the rows that they return, of both drivers.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;

use super::{db::Result, postgres, sqlite};
use crate::domain::ids::Id;

/// A bound parameter. SQL uses `$1`, `$2`, … in order of first use, which both drivers accept.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Text(Cow<'a, str>),
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<T: Id> From<T> for Value<'_> {
    fn from(id: T) -> Self {
        Self::Int(id.into())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Value<'_> {
    pub(super) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Text(value) => Value::Text(Cow::Owned(value.into_owned())),
        }
    }
}

/// Rows as a JSON list of objects, which PostgreSQL turns into rows again.
pub(super) fn json_objects(rows: &[Vec<(&str, Value<'_>)>]) -> String {
    let objects: Vec<BTreeMap<&str, &Value<'_>>> =
        rows.iter().map(|row| row.iter().map(|(column, value)| (*column, value)).collect()).collect();
    serde_json::to_string(&objects).unwrap_or_default()
}

/// A row that is being read. Columns are numbered from 0 in the order of the statement.
pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    pub fn text(&self, column: usize) -> Result<String> {
        self.get(column)
    }

    pub fn opt_text(&self, column: usize) -> Result<Option<String>> {
        self.get(column)
    }

    pub fn int(&self, column: usize) -> Result<i64> {
        self.get(column)
    }

    pub fn opt_int(&self, column: usize) -> Result<Option<i64>> {
        self.get(column)
    }

    pub fn id<T: Id>(&self, column: usize) -> Result<T> {
        self.int(column).map(T::from)
    }

    pub fn opt_id<T: Id>(&self, column: usize) -> Result<Option<T>> {
        Ok(self.opt_int(column)?.map(T::from))
    }

    pub fn bool(&self, column: usize) -> Result<bool> {
        self.get(column)
    }

    /// All columns by name. SQLite returns booleans as integers.
    pub fn record(&self) -> Result<serde_json::Map<String, serde_json::Value>> {
        match self {
            Self::Sqlite(row) => sqlite::record(row),
            Self::Postgres(row) => postgres::record(row),
        }
    }

    fn get<T>(&self, column: usize) -> Result<T>
    where
        T: rusqlite::types::FromSql + for<'b> tokio_postgres::types::FromSql<'b>,
    {
        match self {
            Self::Sqlite(row) => row.get(column).map_err(sqlite::error),
            Self::Postgres(row) => row.try_get(column).map_err(postgres::error),
        }
    }
}
