//! How many requests access tokens sent: per token and day.

use jiff::civil::Date;

use super::{Error, Result, Sql, Value, expiry, in_power_of_two_chunks, value_rows};
use crate::domain::ids::{InstitutionId, TokenId};

/// The requests of a token on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenDay {
    pub institution: InstitutionId,
    pub token: TokenId,
    pub day: Date,
    pub requests: u64,
}

/// Adds to the counts, so several nodes add up. Each token and day is there once, sorted, so that nodes lock rows in the same order.
pub async fn add(sql: &mut Sql, counted: &[TokenDay]) -> Result<()> {
    for group in in_power_of_two_chunks(counted) {
        let text = format!(
            "INSERT INTO token_days (institution_id, token_id, day, requests) VALUES {} \
             ON CONFLICT (institution_id, token_id, day) DO UPDATE SET requests = token_days.requests + excluded.requests",
            value_rows(1, group.len(), 4)
        );
        let mut params: Vec<Value<'_>> = Vec::with_capacity(group.len() * 4);
        for one in group {
            params.push(one.institution.into());
            params.push(one.token.into());
            params.push(one.day.to_string().into());
            params.push(i64::try_from(one.requests).unwrap_or(i64::MAX).into());
        }
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// The requests of a token from a day on, by day. Days without any are left out.
pub async fn of(
    sql: &mut Sql,
    institution: InstitutionId,
    token: TokenId,
    since: Date,
) -> Result<Vec<(Date, u64)>> {
    let text = "SELECT day, requests FROM token_days WHERE institution_id = $1 AND token_id = $2 AND day >= $3 \
                ORDER BY day";
    let params: [Value<'_>; 3] = [institution.into(), token.into(), since.to_string().into()];
    sql.rows(text, &params, |row| {
        let day = row.text(0)?;
        let unreadable = |_| Error::Broken(format!("token_days.day is unreadable: `{day}`"));
        let read: Date = day.parse().map_err(unreadable)?;
        Ok((read, row.int(1)?.unsigned_abs()))
    })
    .await
}

/// The requests of each token of an institution from a day on. Tokens without any are left out.
pub async fn sums(sql: &mut Sql, institution: InstitutionId, since: Date) -> Result<Vec<(TokenId, u64)>> {
    let text = "SELECT token_id, CAST(SUM(requests) AS BIGINT) FROM token_days WHERE institution_id = $1 AND day >= $2 \
                GROUP BY token_id ORDER BY token_id";
    let params: [Value<'_>; 2] = [institution.into(), since.to_string().into()];
    sql.rows(text, &params, |row| Ok((row.id(0)?, row.int(1)?.unsigned_abs()))).await
}

/// Are any counts older than this day?
pub async fn any_before(sql: &mut Sql, day: Date) -> Result<bool> {
    let text = "SELECT 1 FROM token_days WHERE day < $1 LIMIT 1";
    Ok(sql.one(text, &[day.to_string().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_before(sql: &mut Sql, day: Date) -> Result<u64> {
    expiry::remove(sql, "token_days", "day < $1", &[day.to_string().into()]).await
}
