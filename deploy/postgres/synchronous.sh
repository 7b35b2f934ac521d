#!/bin/bash
# Makes the standby synchronous. From then on, a commit is acknowledged when the standby has it on disk too, and waits while there is no
# standby. So this waits until the standby follows, for a minute or STANDBY_WAIT_SECONDS, and otherwise changes nothing.
#
# The service `synchronous` of compose.yaml runs it. On a machine, run it on the primary, as the user postgres, when the standby runs:
#   sudo -u postgres ./synchronous.sh
set -euo pipefail

[ -z "${POSTGRES_PASSWORD:-}" ] || export PGPASSWORD=$POSTGRES_PASSWORD
psql=(psql -X -q -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-postgres}")
wait=${STANDBY_WAIT_SECONDS:-60}

following="SELECT 1 FROM pg_stat_replication WHERE application_name = 'standby' AND state = 'streaming'"
until [ "$("${psql[@]}" -A -t -c "$following")" = 1 ]; do
    if [ "$SECONDS" -ge "$wait" ]; then
        echo "No standby follows this server. Start it, and run this again: until then, commits do not wait for a standby." >&2
        exit 1
    fi
    sleep 1
done
"${psql[@]}" -c "ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (standby)'"
"${psql[@]}" -c 'SELECT pg_reload_conf()' >/dev/null
