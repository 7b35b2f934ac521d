//! Parameters, rows and errors.

use tokio_postgres::{
    error::SqlState,
    types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use super::remedy;
use crate::store::db::{Error, Result, Value};

pub fn record(row: &tokio_postgres::Row) -> Result<serde_json::Map<String, serde_json::Value>> {
    let columns = row.columns().iter().enumerate();
    columns
        .map(|(n, column)| {
            let value = match *column.type_() {
                Type::INT8 => row.try_get::<_, Option<i64>>(n).map_err(error)?.into(),
                Type::BOOL => row.try_get::<_, Option<bool>>(n).map_err(error)?.into(),
                _ => row.try_get::<_, Option<String>>(n).map_err(error)?.into(),
            };
            Ok((column.name().to_owned(), value))
        })
        .collect()
}

pub(super) fn to_sql<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql_checked(ty, out),
            Self::Int(value) => value.to_sql_checked(ty, out),
            // PostgreSQL text cannot contain NUL. We store none, so a lookup with NUL matches nothing.
            Self::Text(value) if value.contains('\0') => {
                value.replace('\0', "\u{fffd}").to_sql_checked(ty, out)
            }
            Self::Text(value) => value.as_ref().to_sql_checked(ty, out),
        }
    }

    /// Each value checks its type when it is written.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub fn error(error: tokio_postgres::Error) -> Error {
    let why = with_sources(&error);
    match error.code() {
        Some(&SqlState::UNIQUE_VIOLATION) => Error::Conflict,
        // Class 08: connection; 53: resources; 57: operator intervention; 40: transaction rollback; 25006: read-only
        // standby.
        Some(code) if ["08", "53", "57", "40"].contains(&&code.code()[..2]) || code.code() == "25006" => {
            Error::Unavailable(why)
        }
        Some(_) => Error::Broken(why),
        None if error.is_closed()
            || std::error::Error::source(&error).is_some_and(|s| s.is::<std::io::Error>()) =>
        {
            Error::Unavailable(why)
        }
        None => Error::Broken(why),
    }
}

/// The error with its causes, and with what to do about it.
pub(super) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = source.source();
    }
    if let Some(remedy) = remedy::of(error) {
        text.push_str(": ");
        text.push_str(remedy);
    }
    text
}
