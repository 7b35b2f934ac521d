#!/bin/bash
# Prepares a PostgreSQL server as the primary of one standby: a role and a slot for replication, and an entry in pg_hba.conf. Commits do
# not wait for the standby before synchronous.sh says so: there is none yet.
#
# The image of PostgreSQL runs it once, on an empty data directory (compose.yaml). On a machine, run it as the user postgres, also on a
# standby that was promoted, before it gets a standby of its own:
#   sudo -u postgres env REPLICATION_PASSWORD=… REPLICATION_NETWORK=10.20.0.0/24 ./primary.sh
#
# tests/it/ops/replication.rs runs this file, standby.sh and synchronous.sh.
set -euo pipefail

: "${REPLICATION_PASSWORD:?the password of the role for replication}"
# The addresses from which the standby connects.
network=${REPLICATION_NETWORK:-samenet}
psql=(psql -X -q -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-postgres}")

"${psql[@]}" -v password="$REPLICATION_PASSWORD" <<'SQL'
SELECT format('CREATE ROLE replicator LOGIN REPLICATION PASSWORD %L', :'password')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'replicator') \gexec
SELECT pg_create_physical_replication_slot('standby')
WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = 'standby') \g /dev/null
-- A standby that is away for long must not fill the disk of the primary: it is then copied again.
ALTER SYSTEM SET max_slot_wal_keep_size = '16GB';
SQL
hba=$("${psql[@]}" -A -t -c 'SHOW hba_file')
# The standby gets everything, so it must be encrypted wherever it can be. The servers of compose.yaml have no certificates.
type=host
[ "$("${psql[@]}" -A -t -c 'SHOW ssl')" = off ] || type=hostssl
entry="$type replication replicator $network scram-sha-256"
grep -qxF "$entry" "$hba" || echo "$entry" >>"$hba"
"${psql[@]}" -c 'SELECT pg_reload_conf()' >/dev/null
