//! Checks the query plans of all reads of people, and fails if one scans all of them. Not on Citus, whose plans contain those of shards.

use endonym::store::{
    Db, Value, audiences, audit, calls, coverage, custom_fields, directory_holds, imports, invitations, jobs,
    media, moderation, name_pages, newest, opt_outs, outbox, own_recordings, page_settings, participants,
    people, people_index, people_list, persons, progress, retention, scim_registrations, scim_users,
    sign_ins, turns,
};

use crate::{
    name_pages::number,
    support::{
        World,
        database::{execute, on_citus, on_postgres},
        until,
    },
};

const INSTITUTIONS: i64 = 5;
const PAGES: i64 = 20;
/// On each page.
const PEOPLE: i64 = 200;

/// Institutions 1 to 5 with pages 1 to 20 each, and enough people to make the planners use indexes.
async fn seed(db: &Db) {
    let series =
        "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) ";
    let pages = format!(
        "{series} INSERT INTO name_pages (institution_id, id, title, slug, event_code, access_code, allow_v2, created_at) \
         SELECT i / $2 + 1, i % $2 + 1, 'Page', 'slug' || i, 'event' || i, 'access' || i, FALSE, 0 FROM n"
    );
    execute(db, pages, vec![(INSTITUTIONS * PAGES).into(), PAGES.into()]).await;
    // A tenth have a recording, a third have an identifier, and every fifth person is on more than one page.
    let people = format!(
        "{series} INSERT INTO participants (institution_id, id, name_page_id, page_place, token, first_name, last_name, \
         email, email_key, identifier, identifier_key, first_name_key, last_name_key, notes, recording, recorded_at, legal_recorded_at, created_at, updated_at) \
         SELECT i % $2 + 1, i / $2, i / $2 % $3 + 1, i / $2 / $3, 'token' || i, 'First' || i, 'Last' || i, \
         'p' || (i / $2) || '@example.edu', 'p' || (i / $2) || '@example.edu', \
         CASE WHEN i % 3 = 0 THEN 'S' || i END, CASE WHEN i % 3 = 0 THEN 'S' || i END, 'first' || (i / $2 % 50), 'last' || (i / $2 % 70), 'A note that takes some room.', \
         CASE WHEN i % 10 = 0 THEN 'hex' || i END, CASE WHEN i % 10 = 0 THEN i ELSE 0 END, 0, i * 1000, i * 1000 FROM n"
    );
    let count = INSTITUTIONS * PAGES * PEOPLE;
    execute(db, people, vec![count.into(), INSTITUTIONS.into(), PAGES.into()]).await;
    let media = format!(
        "{series} INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at) \
         SELECT i % $2 + 1, 'hex' || i, i / $2, 'recording', 20000, TRUE, i FROM n"
    );
    execute(db, media, vec![count.into(), INSTITUTIONS.into()]).await;
    let replaced = format!(
        "{series} INSERT INTO replaced_recordings (institution_id, hex, participant_id, kind) \
         SELECT i % $2 + 1, 'old' || i, i / $2, 'recording' FROM n"
    );
    execute(db, replaced, vec![count.into(), INSTITUTIONS.into()]).await;
    // Every recording has a case, and so has every entry, half of them open.
    for table in ["moderation", "entry_cases"] {
        let cases = format!(
            "{series} INSERT INTO {table} (institution_id, id, name_page_id, participant_id, kind, hex, state, reports, created_at) \
             SELECT i % $2 + 1, i, i / $2 % $3 + 1, i / $2, 'report', 'hex' || i, CASE WHEN i % 2 = 0 THEN 'open' ELSE 'dismissed' END, 1, i \
             FROM n"
        );
        execute(db, cases, vec![count.into(), INSTITUTIONS.into(), PAGES.into()]).await;
    }
}

/// PostgreSQL analyzes tables by itself. SQLite does not: its plans must be good without statistics.
async fn analyze(db: &Db) {
    if on_postgres() {
        execute(db, "ANALYZE", vec![]).await;
    }
}

/// The plans for a statement, each as its lines. PostgreSQL plans for the given values and, once a statement has been
/// used a few times, for any (generic plan); this returns both.
async fn plans(world: &World, text: &str, params: &[Value<'static>]) -> Vec<Vec<String>> {
    let Some(url) = &world.database.options.url else {
        let explain = format!("EXPLAIN QUERY PLAN {text}");
        return vec![world.app.db.read().rows(&explain, params, |row| row.text(3)).await.unwrap()];
    };
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("PREPARE it AS {text}")).await.unwrap();
    let values: Vec<String> = params.iter().map(shown).collect();
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    let mut plans = Vec::new();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        client.batch_execute(&format!("SET plan_cache_mode = {mode}")).await.unwrap();
        let lines = client.query(&format!("EXPLAIN EXECUTE it{values}"), &[]).await.unwrap();
        plans.push(lines.iter().map(|line| line.get(0)).collect());
    }
    plans
}

fn shown(value: &Value<'static>) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => format!("({number})::BIGINT"),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
    }
}

/// Does this line scan every participant?
fn scans(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '-', '>']);
    // SQLite prints SEARCH if it uses a key; a SCAN of an index still reads every entry.
    let sqlite =
        ["SCAN p", "SCAN participants", "SCAN m", "SCAN media", "SCAN r", "SCAN replaced_recordings"]
            .iter()
            .any(|scan| line.strip_prefix(scan).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')));
    sqlite
        || line.starts_with("Seq Scan on participants")
        || line.starts_with("Seq Scan on replaced_recordings")
        || line.starts_with("Parallel Seq Scan on participants")
        || line.starts_with("Seq Scan on media")
}

fn is_sort(line: &str) -> bool {
    line.contains("TEMP B-TREE") || line.trim_start_matches([' ', '-', '>']).starts_with("Sort")
}

/// A statement with its name and sample parameters.
type Statement = (&'static str, String, Vec<Value<'static>>);

/// The reads of people in all files that have some.
pub fn reads_of_people() -> Vec<Statement> {
    [
        audiences::statements(),
        calls::statements(),
        directory_holds::statements(),
        imports::statements(),
        participants::statements(),
        media::statements(),
        moderation::statements(),
        own_recordings::statements(),
        people::statements(),
        people_index::statements(),
        people_list::statements(),
        sign_ins::statements(),
        invitations::statements(),
        coverage::statements(),
        newest::statements(),
        opt_outs::statements(),
        custom_fields::statements(),
        page_settings::statements(),
        retention::statements(),
        scim_registrations::statements(),
    ]
    .concat()
}

/// What is wrong with the plans of all reads.
async fn faults(world: &World) -> Vec<String> {
    let statements = reads_of_people();
    assert!(statements.len() > 20, "{} statements", statements.len());
    let mut faults = Vec::new();
    for (what, text, params) in statements {
        for plan in plans(world, &text, &params).await {
            let told = plan.join("\n    ");
            assert!(
                plan.iter().any(|line| ["participants", " p ", "media", " m ", "replaced_recordings"]
                    .iter()
                    .any(|it| line.contains(it))),
                "{what}: {told}"
            );
            if plan.iter().any(|line| scans(line)) {
                faults.push(format!("{what}: looks at everybody\n  {text}\n    {told}"));
            }
            // An index that starts with the institution, but is not searched by it, reads other institutions' people.
            let keyed = |line: &String| {
                line.contains("SEARCH") && line.contains("institution_id=?")
                    || line.contains("Index Cond") && line.contains("institution_id")
            };
            if !plan.iter().any(keyed) {
                faults.push(format!("{what}: the institution is no part of the key\n  {text}\n    {told}"));
            }
        }
    }
    faults
}

#[tokio::test]
async fn no_read_looks_at_every_participant() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    seed(&world.app.db).await;
    if !on_postgres() {
        // Production databases usually run without ANALYZE; and running it must do no harm.
        let faults = faults(&world).await;
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
    execute(&world.app.db, "ANALYZE", vec![]).await;
    let faults = faults(&world).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Each key of a batch is looked up by index, as it would be alone.
#[tokio::test]
async fn many_lookups_in_one_statement_use_the_indexes() {
    if !on_postgres() || on_citus() {
        return;
    }
    let world = World::new().await;
    seed(&world.app.db).await;
    analyze(&world.app.db).await;
    let batches = participants::batches();
    assert_eq!(batches.len(), 20);
    for (what, text) in batches {
        let sample = |number: usize| match text.split_once(&format!("${number}::"))? {
            (_, rest) if rest.starts_with("bigint[]") => Some(Value::from("{1,2,3}")),
            _ => Some(Value::from("{a@example.edu,b@example.edu,0f}")),
        };
        let params: Vec<Value<'static>> = (1..).map_while(sample).collect();
        for plan in plans(&world, text, &params).await {
            let told = plan.join("\n    ");
            assert!(!plan.iter().any(|line| scans(line)), "{what}\n  {text}\n    {told}");
            let reads: Vec<_> =
                plan.iter().filter(|line| reads_one_of(line, ["participants", "p"])).collect();
            assert!(!reads.is_empty() && plan.iter().any(|line| line.contains("Function Scan")), "{told}");
            let is_keyed = |line: &String| {
                line.contains("Index Cond")
                    && line.contains("institution_id = asked.v1")
                    && line.contains("asked.v2")
            };
            assert!(plan.iter().any(is_keyed), "{what}\n  {text}\n    {told}");
            let is_sorted = plan.iter().any(|line| is_sort(line));
            assert!(!is_sorted || !what.starts_with("a part of"), "{what}\n  {text}\n    {told}");
        }
    }
}

/// A page of a list is read in index order: sorting would read more rows than are shown.
#[tokio::test]
async fn no_page_of_a_list_is_sorted() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    seed(&world.app.db).await;
    analyze(&world.app.db).await;
    let mut seen = 0;
    for (what, text, params) in participants::statements() {
        if !what.starts_with("a part of") {
            continue;
        }
        seen += 1;
        for plan in plans(&world, &text, &params).await {
            assert!(!plan.iter().any(|line| is_sort(line)), "{what}\n  {text}\n    {}", plan.join("\n    "));
        }
    }
    assert_eq!(seen, 2);
}

/// A page of the audit log is read in the order of an index, whoever or whatever it is about.
#[tokio::test]
async fn a_page_of_the_audit_log_is_neither_searched_nor_sorted() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    let entries = "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) \
         INSERT INTO audit (institution_id, created_at, id, act, who_kind, subject_kind, subject_id, subject_label, email_key) \
         SELECT i % 5 + 1, i * 1000, i, 'participant.updated', 'token', 'participant', CAST(i % 500 AS TEXT), 'x', \
         'p' || (i % 500) || '@x.org' FROM n";
    execute(&world.app.db, entries, vec![20_000.into()]).await;
    analyze(&world.app.db).await;
    for (what, index, text, params) in audit::statements() {
        for plan in plans(&world, &text, &params).await {
            // PostgreSQL names the index of its primary key otherwise.
            let is_found = index.is_none_or(|index| plan.iter().any(|line| line.contains(index)));
            assert!(is_found, "{what}\n  {text}\n    {}", plan.join("\n    "));
            let reads_all = |line: &String| {
                let line = line.trim_start_matches([' ', '-', '>']);
                // PostgreSQL may sort the few entries about one person.
                let is_sorted = is_sort(line) && (!on_postgres() || what == "the newest entries");
                line.starts_with("SCAN") || line.contains("Seq Scan") || is_sorted
            };
            assert!(!plan.iter().any(reads_all), "{what}\n  {text}\n    {}", plan.join("\n    "));
        }
    }
}

/// Directories look for one user before they create another.
#[tokio::test]
async fn a_user_of_a_directory_is_found_by_an_index_of_emails() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    let series =
        "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1)";
    let users = format!(
        "{series} INSERT INTO scim_users (institution_id, id, user_name_key, active, resource, pending, created_at, updated_at) \
         SELECT i % 5 + 1, i, 'u' || i, TRUE, '{{\"userName\": \"u\"}}', FALSE, 0, 0 FROM n"
    );
    let emails = format!(
        "{series} INSERT INTO scim_user_emails (institution_id, value_key, user_id) \
         SELECT i % 5 + 1, 'p' || i || '@x.org', i FROM n"
    );
    for text in [users, emails] {
        execute(&world.app.db, text, vec![20_000.into()]).await;
    }
    analyze(&world.app.db).await;
    for (what, text, params) in scim_users::statements() {
        for plan in plans(&world, &text, &params).await {
            let reads_all = |line: &String| {
                line.trim_start_matches([' ', '-', '>']).starts_with("SCAN") || line.contains("Seq Scan")
            };
            assert!(!plan.iter().any(reads_all), "{what}\n  {text}\n    {}", plan.join("\n    "));
        }
    }
}

/// Workers look for due jobs all the time. They read the first one of each kind of their lanes, and none of other lanes.
#[tokio::test]
async fn a_due_job_is_found_without_sorting_and_without_reading_the_queue() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    // A kind that is rare among many due jobs of others.
    let waiting = "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) \
         INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, attempts, failures, created_at) \
         SELECT i, i % 10, CASE WHEN i % 500 = 1 THEN 'fetch_take' WHEN i % 2 = 0 THEN 'sync_course' ELSE 'delete_takes' END, '{}', \
         CASE WHEN i % 50 = 0 THEN 'dead' ELSE 'waiting' END, CASE WHEN i % 50 > 0 THEN i * 1000 END, 0, 0, i FROM n";
    execute(&world.app.db, waiting, vec![20_000.into()]).await;
    for analyzed in [false, true] {
        if analyzed {
            execute(&world.app.db, "ANALYZE", vec![]).await;
        } else if on_postgres() {
            // Its server analyzes by itself.
            continue;
        }
        for (what, text, params) in jobs::statements() {
            for plan in plans(&world, &text, &params).await {
                let reads_all = |line: &String| {
                    let line = line.trim_start_matches([' ', '-', '>']);
                    let is_scan = line.starts_with("SCAN") && line != "SCAN CONSTANT ROW";
                    is_scan || line.contains("Seq Scan") || is_sort(line)
                };
                assert!(!plan.iter().any(reads_all), "{what}\n  {text}\n    {}", plan.join("\n    "));
                let index = if what.ends_with("any kind") { "jobs_due" } else { "jobs_by_kind" };
                let reads: Vec<_> = plan.iter().filter(|line| line.contains("jobs")).collect();
                // PostgreSQL finds a kind that is frequent among due jobs just as well by their time.
                let by_time = on_postgres() && what == "the next job of all kinds";
                let is_good = |line: &&String| line.contains(index) || by_time && line.contains("jobs_due");
                assert!(!reads.is_empty() && reads.iter().all(is_good), "{what}: {plan:?}");
                // By the kind, so that jobs of other lanes are not walked past.
                let is_keyed = |line: &String| line.contains("kind=?") || line.contains("(kind = ");
                assert!(index == "jobs_due" || plan.iter().any(is_keyed), "{what}: {plan:?}");
            }
        }
    }
}

/// A few rows among many are found by an index of just these, and not by reading the others.
#[tokio::test]
async fn lists_of_the_console_do_not_read_what_they_leave_out() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    let db = &world.app.db;
    let series =
        "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) ";
    // Every thousandth is another one.
    for rest in [
        "INSERT INTO moderation (institution_id, id, name_page_id, participant_id, kind, hex, state, reports, created_at) \
         SELECT 1, i, i % 7 + 1, i, 'report', 'hex' || i, CASE WHEN i % 1000 = 0 THEN 'dismissed' ELSE 'open' END, 1, i FROM n",
        "INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, attempts, failures, created_at) \
         SELECT i, i / 1000 + 1, 'sync_course', '{}', CASE WHEN i % 1000 = 0 THEN 'dead' ELSE 'waiting' END, \
         CASE WHEN i % 1000 > 0 THEN i * 1000 END, 0, 0, i FROM n",
        "INSERT INTO calls (institution_id, id, participant_id, phone_number, state, run_at, attempts_made, attempts_allowed, \
         created_at) SELECT 1, i, i, 'number' || i, CASE i % 1000 WHEN 0 THEN 'recorded' WHEN 1 THEN 'dialing' ELSE 'scheduled' END, \
         CASE WHEN i % 1000 > 1 THEN i * 1000 END, 0, 3, i FROM n",
        "INSERT INTO outbox (institution_id, id, message, email, email_key, state, attempts, created_at, changed_at, expires_at) \
         SELECT 1, i, 'message', 'e', 'p' || (i % 1000) || '@example.edu', CASE WHEN i % 1000 = 0 THEN 'failed' ELSE 'sent' END, \
         1, i, i, i FROM n",
    ] {
        execute(db, format!("{series}{rest}"), vec![20_000.into()]).await;
    }
    analyze(db).await;
    let statements = [
        calls::console_statements(),
        moderation::console_statements(),
        outbox::console_statements(),
        progress::console_statements(),
    ];
    for (index, text, params) in statements.concat() {
        for plan in plans(&world, &text, &params).await {
            assert!(
                plan.iter().any(|line| line.contains(index)),
                "{index}\n  {text}\n    {}",
                plan.join("\n    ")
            );
        }
    }
}

/// SQLite would read everybody in the order of the answer, which an index has.
#[tokio::test]
async fn the_registrations_of_a_person_are_found_by_their_keys() {
    let world = World::on_sqlite().await;
    seed(&world.app.db).await;
    for (index, text, params) in persons::statements() {
        for plan in plans(&world, &text, &params).await {
            assert!(
                plan.iter().any(|line| line.contains(index)),
                "{index}\n  {text}\n    {}",
                plan.join("\n    ")
            );
        }
    }
}

/// However many jobs or calls an institution has waiting, one of them is read to find out whose turn it is.
#[tokio::test]
async fn whose_turn_it_is_is_found_without_reading_the_queue() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    let series =
        "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) ";
    // Most of them are of one institution, and some jobs are dead.
    let waiting = format!(
        "{series} INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, attempts, failures, created_at) \
         SELECT i, CASE WHEN i % 10 = 1 THEN i / 10 % 50 ELSE 500 END, CASE WHEN i % 50 = 1 THEN 'fetch_take' \
         WHEN i % 2 = 0 THEN 'sync_course' ELSE 'delete_takes' END, '{{}}', CASE WHEN i % 20 = 0 THEN 'dead' ELSE 'waiting' END, \
         CASE WHEN i % 20 > 0 THEN i * 1000 END, 0, 0, i FROM n"
    );
    execute(&world.app.db, waiting, vec![20_000.into()]).await;
    let calls = format!(
        "{series} INSERT INTO calls (institution_id, id, participant_id, phone_number, state, run_at, attempts_made, \
         attempts_allowed, created_at) SELECT CASE WHEN i % 10 = 1 THEN i / 10 % 50 ELSE 500 END, i, i, 'number' || i, \
         CASE WHEN i % 4 > 0 THEN 'recorded' ELSE 'scheduled' END, CASE WHEN i % 4 = 0 THEN i * 1000 END, 0, 3, i FROM n"
    );
    execute(&world.app.db, calls, vec![20_000.into()]).await;
    for analyzed in [false, true] {
        if analyzed {
            execute(&world.app.db, "ANALYZE", vec![]).await;
        } else if on_postgres() {
            // Its server analyzes by itself.
            continue;
        }
        for (what, text, params) in turns::statements() {
            // From institution to institution, and then the oldest one there.
            let (tables, indexes): (_, &[&str]) = match what {
                "the next call" => (["calls", "c"], &["calls_in_turn", "calls_by_institution"]),
                "institutions with due jobs" => (["jobs", "j"], &["jobs_in_turn", "jobs_by_institution"]),
                "deferred calls that are due" => (["calls", "q"], &["calls_deferred"]),
                "deferred jobs that are due" => (["jobs", "q"], &["jobs_deferred"]),
                _ => (["jobs", "j"], &["jobs_by_institution"]),
            };
            for plan in plans(&world, &text, &params).await {
                let reads: Vec<_> = plan.iter().filter(|line| reads_one_of(line, tables)).collect();
                assert!(!reads.is_empty(), "{what}: {plan:?}");
                // Whether a kind has a due job at all is read as in the test above.
                let is_first = |line: &&String| {
                    line.contains("jobs_by_kind") || on_postgres() && line.contains("jobs_due")
                };
                let is_keyed = |line: &&String| {
                    let is_by_index = indexes.iter().any(|index| line.contains(index));
                    // Institutions that have only deferred work are skipped.
                    let is_skipping = !line.contains("institution_id>?") || line.contains("_in_turn");
                    (is_by_index || is_first(line)) && is_skipping && !line.contains("SCAN")
                };
                for index in indexes {
                    assert!(reads.iter().any(|line| line.contains(index)), "{what}: {index}: {plan:?}");
                }
                assert!(reads.iter().all(is_keyed), "{what}\n  {text}\n    {}", plan.join("\n    "));
            }
        }
    }
}

/// Does this line of a plan read a table with one of these names or aliases?
fn reads_one_of(line: &str, tables: [&str; 2]) -> bool {
    let mut words = line.trim_start_matches([' ', '-', '>']).split_whitespace();
    let first = words.next();
    // SQLite says `SEARCH j USING …`, and PostgreSQL `Index Scan using … on jobs j`.
    if matches!(first, Some("SEARCH" | "SCAN")) {
        return words.next().is_some_and(|name| tables.contains(&name));
    }
    line.contains(" Scan ") && words.skip_while(|word| *word != "on").nth(1) == Some(tables[0])
}

/// Every list begins with its page.
#[tokio::test]
async fn a_name_page_and_its_roll_are_found_by_their_keys() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    let series =
        "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) ";
    for insert in [
        "INSERT INTO name_pages (institution_id, id, title, slug, event_code, access_code, allow_v2, created_at) \
         SELECT i % 5 + 1, i + 1, 'Page', 'slug' || i, 'event' || i, 'access' || i, FALSE, 0 FROM n",
        "INSERT INTO codes (code, institution_id, name_page_id) SELECT 'slug' || i, i % 5 + 1, i + 1 FROM n",
        "INSERT INTO rolls (institution_id, name_page_id, next_place, members) SELECT i % 5 + 1, i + 1, 0, 0 FROM n",
    ] {
        assert_eq!(execute(&world.app.db, format!("{series}{insert}"), vec![5_000.into()]).await, 5_000);
    }
    analyze(&world.app.db).await;
    let statements = name_pages::statements();
    assert_eq!(statements.len(), 3);
    for (what, text, params) in statements {
        for plan in plans(&world, &text, &params).await {
            let is_keyed = |line: &&String| line.contains("SEARCH") || line.contains("Index Scan");
            let tables = if what.ends_with("roll") { 3 } else { 2 };
            assert_eq!(plan.iter().filter(is_keyed).count(), tables, "{what}: {plan:?}");
            assert!(!plan.iter().any(|line| line.contains("SCAN ") || line.contains("Seq Scan")), "{plan:?}");
        }
    }
}

/// Whoever asks for the changes since yesterday does not pay for those of all years.
#[tokio::test]
async fn the_latest_changes_are_found_by_their_time() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    seed(&world.app.db).await;
    analyze(&world.app.db).await;
    let late = Value::Int(INSTITUTIONS * PAGES * PEOPLE * 1_000 - 100_000);
    let mut seen = 0;
    for (what, text, mut params) in participants::statements() {
        if !what.ends_with("people who changed") {
            continue;
        }
        seen += 1;
        params[1] = late.clone();
        for plan in plans(&world, &text, &params).await {
            assert!(plan.iter().any(|line| line.contains("participants_by_update")), "{what}: {plan:?}");
        }
    }
    assert_eq!(seen, 2);
}

/// A test of the test: a full scan is detected.
#[tokio::test]
async fn a_scan_is_seen_as_one() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    seed(&world.app.db).await;
    analyze(&world.app.db).await;
    for text in [
        "SELECT p.id FROM participants p WHERE p.first_name = 'x'",
        "SELECT COUNT(*) FROM participants WHERE notes = 'x'",
        "SELECT p.id FROM participants p WHERE p.email_key = 'x' OR p.notes = 'x'",
    ] {
        for plan in plans(&world, text, &[]).await {
            assert!(plan.iter().any(|line| scans(line)), "{plan:?}");
        }
    }
}

/// The search index of a large institution is read in its order, and only as far as it is shown.
#[tokio::test]
async fn the_search_index_is_read_in_order() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    let series =
        "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1) ";
    let words = format!(
        "{series} INSERT INTO people_words (institution_id, word, participant_id) SELECT i % 5 + 1, 'word' || (i / 7), i FROM n"
    );
    execute(&world.app.db, words, vec![20_000.into()]).await;
    let names = format!(
        "{series} INSERT INTO people_names (institution_id, participant_id, name_page_id, name_key, changed_at) \
         SELECT i % 5 + 1, i, i / 5 % 20 + 1, 'key' || (i / 3), i FROM n"
    );
    execute(&world.app.db, names, vec![20_000.into()]).await;
    analyze(&world.app.db).await;
    for (what, text, params) in people_index::index_statements() {
        for plan in plans(&world, &text, &params).await {
            let is_bad = |line: &String| {
                let line = line.trim_start_matches([' ', '-', '>']);
                // PostgreSQL may sort the few people of one page.
                let is_sorted = is_sort(line) && !(on_postgres() && what == "by name on a page");
                line.starts_with("SCAN") || line.contains("Seq Scan") || is_sorted
            };
            assert!(!plan.iter().any(is_bad), "{what}\n  {text}\n    {}", plan.join("\n    "));
        }
    }
}

/// Lists of the console are read in the order of an index.
#[tokio::test]
async fn no_window_of_the_newest_people_is_sorted() {
    if on_citus() {
        return;
    }
    let world = World::new().await;
    seed(&world.app.db).await;
    analyze(&world.app.db).await;
    let mut seen = 0;
    for (what, text, params) in people_list::statements() {
        if !what.starts_with("the newest") {
            continue;
        }
        seen += 1;
        for plan in plans(&world, &text, &params).await {
            assert!(!plan.iter().any(|line| is_sort(line)), "{what}\n  {text}\n    {}", plan.join("\n    "));
        }
    }
    assert_eq!(seen, 4);
}

/// An import inserts hundreds of people with one statement. Without statistics, PostgreSQL would look through all of them for each of the next.
#[tokio::test]
async fn many_people_who_come_at_once_are_analyzed_at_once() {
    if !on_postgres() || on_citus() {
        return;
    }
    let world = World::new().await;
    world.crowd(&world.page, 0..2_000).await;
    until("statistics", || async {
        number(&world, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE relname = 'participants'").await
            == 2_000
    })
    .await;
}
