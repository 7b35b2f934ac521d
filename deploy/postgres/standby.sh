#!/bin/bash
# Copies the primary into an empty data directory, as its standby, and then runs the command in its arguments. An existing
# data directory is left as it is.
#
# The service `standby` of compose.yaml starts with it. On a machine, with PostgreSQL stopped and an empty data directory, run as the
# user postgres:
#   sudo -u postgres env PRIMARY_HOST=10.20.0.21 REPLICATION_PASSWORD=… PGDATA=/var/lib/postgresql/15/main ./standby.sh
# The connection is encrypted if the primary offers TLS. To check its certificate too, set PGSSLMODE=verify-full and PGSSLROOTCERT, which
# are kept for later connections. Then start PostgreSQL, and run synchronous.sh on the primary.
#
# To promote it when the primary is lost: `pg_ctl promote`, `pg_promote()` or `pg_ctlcluster 15 main promote`.
set -euo pipefail

: "${PGDATA:?the data directory}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    : "${PRIMARY_HOST:?the host of the primary}"
    : "${REPLICATION_PASSWORD:?the password of the role for replication}"
    umask 077
    mkdir -p "$PGDATA"
    # PostgreSQL refuses a directory that others may read, like that of a new volume.
    chmod 700 "$PGDATA"
    # What a copy that was interrupted has left.
    find "$PGDATA" -mindepth 1 -delete
    # -R: writes the connection to the primary, with its password, into postgresql.auto.conf.
    PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --pgdata "$PGDATA" --checkpoint=fast --wal-method=stream --slot=standby -R \
        --dbname "host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=standby connect_timeout=5"
    # May have been copied from the primary. Once promoted, this server has no standby, and would wait for itself.
    echo "synchronous_standby_names = ''" >>"$PGDATA/postgresql.auto.conf"
fi
[ $# -eq 0 ] || exec "$@"
