//! How many connections a PostgreSQL server accepts, and how many of them others use.

use super::{Result, Sql};

#[derive(Debug)]
pub struct ServerConnections {
    /// `max_connections`
    pub max: u64,
    /// Those that are kept for administrators.
    pub reserved: u64,
    /// Those that are open now, and not of this installation.
    pub others: u64,
}

/// PostgreSQL only. Every role may see these columns of the sessions of others. Autovacuum has no user, and replication has no
/// database; neither counts as a connection. Connections between nodes of Citus come from ours, and are not those of others.
pub async fn of_server(sql: &mut Sql) -> Result<Option<ServerConnections>> {
    let text = "SELECT CAST(current_setting('max_connections') AS BIGINT), \
        CAST(current_setting('superuser_reserved_connections') AS BIGINT) \
        + COALESCE(CAST(current_setting('reserved_connections', TRUE) AS BIGINT), 0), \
        (SELECT COUNT(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL \
        AND (application_name <> 'endonym' OR datname <> current_database()) AND application_name NOT LIKE 'citus%')";
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    sql.one(text, &[], |row| {
        Ok(ServerConnections {
            max: count(row.int(0)?),
            reserved: count(row.int(1)?),
            others: count(row.int(2)?),
        })
    })
    .await
}
