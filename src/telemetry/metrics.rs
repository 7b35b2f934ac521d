//! Prometheus metrics, served at `/metrics`. One function per metric. Label values come from small fixed sets, never
//! from clients, which bounds cardinality.

use std::{
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

use prometheus::{
    Counter, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec,
    Opts, Registry, TextEncoder, core::Collector,
};

use super::process;

pub use super::requests::{InFlight, OTHER, request, unreadable};

/// The Prometheus text format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// From half a millisecond, well above most lookups, to far beyond any client's patience.
const LATENCY: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Processing audio takes a second, and an export takes minutes.
const JOB_DURATIONS: &[f64] =
    &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];
const BATCH_SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

pub(super) struct Metrics {
    registry: Registry,
    pub(super) requests: IntCounterVec,
    pub(super) request_seconds: HistogramVec,
    pub(super) in_flight: IntGauge,
    pub(super) refusals: IntCounterVec,
    rate_limit_leases: IntCounterVec,
    rate_limit_without_store: IntCounterVec,
    connections: IntGauge,
    media: IntCounterVec,
    media_seconds: HistogramVec,
    media_waiting: IntGauge,
    jobs: IntGaugeVec,
    jobs_late: Gauge,
    jobs_finished: IntCounterVec,
    job_seconds: HistogramVec,
    calls: IntGaugeVec,
    calls_ended: IntCounterVec,
    phone_callbacks: IntCounterVec,
    mail: IntCounterVec,
    mail_queue_age: Gauge,
    plays: IntCounterVec,
    plays_dropped: IntCounter,
    blobs_circuit: IntGaugeVec,
    blobs_failures: IntCounterVec,
    db_connections: IntGaugeVec,
    db_connections_most: IntGauge,
    db_connections_waiting: IntGauge,
    db_write_seconds: Histogram,
    db_writes_waiting: IntGauge,
    db_commit_writes: Histogram,
    db_statement_lookups: Histogram,
    memory: IntGauge,
    cpu: Counter,
    files: IntGauge,
    started: Gauge,
}

pub(super) static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::new);

impl Metrics {
    fn new() -> Self {
        let registry = Registry::new();
        let registrar = Registrar(&registry);
        let build = registrar.gauges(
            "endonym_build_info",
            "Always 1; the label is the running version.",
            &["version"],
        );
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        Self {
            requests: registrar.counters(
                "endonym_http_requests_total",
                "Responses by API version (`web` for everything else), route, method and status.",
                &["version", "route", "method", "status"],
            ),
            request_seconds: registrar.histograms(
                "endonym_http_request_duration_seconds",
                "Time from the head of a request to the head of its response.",
                LATENCY,
                &["version", "route"],
            ),
            in_flight: registrar.gauge("endonym_http_requests_in_flight", "Requests in flight."),
            refusals: registrar.counters(
                "endonym_rate_limit_refusals_total",
                "Responses with status 429 because a token exceeded its rate limit.",
                &["version"],
            ),
            rate_limit_leases: registrar.counters(
                "endonym_rate_limit_leases_total",
                "Requests for permits from the store of shared rate limits, by outcome: granted, refused or failed.",
                &["outcome"],
            ),
            rate_limit_without_store: registrar.counters(
                "endonym_rate_limit_without_store_total",
                "Requests that were accepted or refused without the store of shared rate limits, because it did not answer.",
                &["outcome"],
            ),
            connections: registrar.gauge("endonym_http_connections", "Open connections."),
            media: registrar.counters(
                "endonym_media_processed_total",
                "Recordings and photos by kind and outcome: ok, refused, failed, busy (the queue was full) or abandoned.",
                &["kind", "outcome"],
            ),
            media_seconds: registrar.histograms(
                "endonym_media_processing_seconds",
                "Time to process a recording or photo, without the time in the queue.",
                JOB_DURATIONS,
                &["kind"],
            ),
            media_waiting: registrar.gauge("endonym_media_queue_length", "Recordings and photos waiting to be processed."),
            jobs: registrar.gauges("endonym_jobs", "Jobs in the queue, by state.", &["state"]),
            jobs_late: registrar.register(Gauge::new(
                "endonym_jobs_late_seconds",
                "How long the oldest due job has been waiting.",
            )),
            jobs_finished: registrar.counters(
                "endonym_jobs_finished_total",
                "Jobs that this process has run, by kind and outcome: done, failed, lost or unfinished.",
                &["kind", "outcome"],
            ),
            calls: registrar.gauges("endonym_calls", "Phone calls that are pending, by state.", &["state"]),
            calls_ended: registrar.counters(
                "endonym_call_attempts_total",
                "Call attempts that this process has completed, by outcome.",
                &["state"],
            ),
            phone_callbacks: registrar.counters(
                "endonym_phone_callbacks_total",
                "Webhooks from a telephony service: accepted, repeated, or refused for a bad_signature or a foreign_call.",
                &["result"],
            ),
            mail: registrar.counters(
                "endonym_mail_total",
                "Attempts to deliver a message that this process has made, by outcome: sent, deferred, failed, unconfirmed or expired.",
                &["outcome"],
            ),
            mail_queue_age: registrar.register(Gauge::new(
                "endonym_mail_queue_age_seconds",
                "How long the oldest queued message has been waiting.",
            )),
            plays: registrar.counters(
                "endonym_plays_total",
                "Plays of recordings that this process has stored, by source: badge, player, link or lti.",
                &["source"],
            ),
            plays_dropped: registrar.register(IntCounter::new(
                "endonym_plays_dropped_total",
                "Plays that were not counted, because too many recordings were played within seconds.",
            )),
            job_seconds: registrar.histograms(
                "endonym_job_duration_seconds",
                "Duration of job runs, whatever the outcome.",
                JOB_DURATIONS,
                &["kind"],
            ),
            blobs_circuit: registrar.gauges(
                "endonym_blobs_circuit",
                "The circuit breaker of the S3 server: 1 for its current state, closed, open or half_open.",
                &["state"],
            ),
            blobs_failures: registrar.counters(
                "endonym_blobs_failures_total",
                "Operations on the S3 server that failed: timeout, unavailable, or refused by the circuit breaker.",
                &["reason"],
            ),
            db_connections: registrar.gauges(
                "endonym_db_connections",
                "Connections to the database, busy or idle: those of the pool, or SQLite's readers.",
                &["state"],
            ),
            db_connections_most: registrar.gauge("endonym_db_connections_max", "Maximum number of connections."),
            db_connections_waiting: registrar
                .gauge("endonym_db_connections_waiting", "Callers waiting for a pooled connection."),
            db_write_seconds: registrar.histogram(
                "endonym_db_write_duration_seconds",
                "Time from requesting a write to its durable commit or rollback, including waiting.",
                LATENCY,
            ),
            db_writes_waiting: registrar.gauge("endonym_db_writes_waiting", "Queued writes."),
            db_commit_writes: registrar.histogram(
                "endonym_db_commit_writes",
                "Writes per commit; the count is the number of commits.",
                BATCH_SIZES,
            ),
            db_statement_lookups: registrar.histogram(
                "endonym_db_statement_lookups",
                "Lookups per statement that PostgreSQL got; the count is the number of statements.",
                BATCH_SIZES,
            ),
            memory: registrar.gauge("process_resident_memory_bytes", "Resident memory size in bytes."),
            cpu: registrar.register(Counter::new(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
            )),
            files: registrar.gauge("process_open_fds", "Number of open file descriptors."),
            started: registrar.register(Gauge::new(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
            )),
            registry,
        }
    }
}

/// Creates metrics and registers them.
struct Registrar<'a>(&'a Registry);

impl Registrar<'_> {
    fn register<C: Collector + Clone + 'static>(&self, made: prometheus::Result<C>) -> C {
        let made = made.expect("metric definitions are valid");
        self.0.register(Box::new(made.clone())).expect("metric names are unique");
        made
    }

    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.register(IntGauge::new(name, help))
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.register(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.register(IntCounterVec::new(Opts::new(name, help), labels))
    }

    fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Histogram {
        self.register(Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec())))
    }

    fn histograms(&self, name: &str, help: &str, buckets: &[f64], labels: &[&str]) -> HistogramVec {
        self.register(HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), labels))
    }
}

/// All metrics in the Prometheus text format.
pub fn exposition() -> String {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(now) = process::sample() {
        METRICS.memory.set(now.memory_bytes);
        METRICS.cpu.inc_by((now.cpu_seconds - METRICS.cpu.get()).max(0.0));
        METRICS.files.set(now.open_files);
        // Computed from two clocks that drift slightly, so only the first result is kept.
        if METRICS.started.get() == 0.0 {
            METRICS.started.set(now.started);
        }
    }
    TextEncoder::new().encode_to_string(&METRICS.registry.gather()).unwrap_or_else(|error| {
        tracing::error!(%error, "writing the metrics failed");
        String::new()
    })
}

/// Measures durations for metrics; for the current time use `Clock`.
#[derive(Debug, Clone, Copy)]
pub struct Timer(Instant);

impl Timer {
    #[allow(clippy::disallowed_methods)]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Increments a gauge while it is held.
#[must_use]
pub struct GaugeGuard(&'static IntGauge);

impl GaugeGuard {
    pub(super) fn new(gauge: &'static IntGauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// An open connection.
pub fn connection() -> GaugeGuard {
    GaugeGuard::new(&METRICS.connections)
}

/// The store of shared rate limits was asked for permits: `granted`, `refused` or `failed`.
pub fn rate_limit_lease(outcome: &'static str) {
    METRICS.rate_limit_leases.with_label_values(&[outcome]).inc();
}

/// A request was `accepted` or `refused` without the store of shared rate limits.
pub fn rate_limit_without_store(outcome: &'static str) {
    METRICS.rate_limit_without_store.with_label_values(&[outcome]).inc();
}

/// A recording or photo is queued for processing.
pub fn media_waiting() -> GaugeGuard {
    GaugeGuard::new(&METRICS.media_waiting)
}

/// A recording or photo was processed: `ok`, `refused` or `failed`.
pub fn media_processed(kind: &'static str, outcome: &'static str, timer: Timer) {
    media_rejected(kind, outcome);
    METRICS.media_seconds.with_label_values(&[kind]).observe(timer.elapsed().as_secs_f64());
}

/// A recording or photo was not processed: `busy`, `failed` or `abandoned`.
pub fn media_rejected(kind: &'static str, outcome: &'static str) {
    METRICS.media.with_label_values(&[kind, outcome]).inc();
}

/// A queued write.
pub fn db_write_waiting() -> GaugeGuard {
    GaugeGuard::new(&METRICS.db_writes_waiting)
}

/// A write has completed, and its caller has the result.
pub fn db_written(timer: Timer) {
    METRICS.db_write_seconds.observe(timer.elapsed().as_secs_f64());
}

/// The number of writes in one commit.
pub fn db_committed(writes: usize) {
    METRICS.db_commit_writes.observe(writes as f64);
}

/// The number of lookups in one statement.
pub fn db_looked_up(lookups: usize) {
    METRICS.db_statement_lookups.observe(lookups as f64);
}

/// Whether this is the current state of the circuit breaker of the S3 server.
pub fn blobs_circuit(state: &'static str, is_current: bool) {
    METRICS.blobs_circuit.with_label_values(&[state]).set(i64::from(is_current));
}

/// An operation on the S3 server has failed: `timeout`, `unavailable` or `refused`.
pub fn blobs_failed(reason: &'static str) {
    METRICS.blobs_failures.with_label_values(&[reason]).inc();
}

/// The current database connections.
pub fn db_connections(most: usize, busy: usize, idle: usize, waiting: usize) {
    let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    METRICS.db_connections.with_label_values(&["busy"]).set(whole(busy));
    METRICS.db_connections.with_label_values(&["idle"]).set(whole(idle));
    METRICS.db_connections_most.set(whole(most));
    METRICS.db_connections_waiting.set(whole(waiting));
}

/// The current number of jobs in a state. Labels are fixed words, never client input.
pub fn jobs(state: &'static str, count: u64) {
    METRICS.jobs.with_label_values(&[state]).set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// How long the oldest due job has been waiting.
pub fn jobs_late(seconds: f64) {
    METRICS.jobs_late.set(seconds);
}

/// A job run has ended: `done`, `failed`, `lost` to another worker, or `unfinished` at shutdown.
pub fn job_finished(kind: &'static str, outcome: &'static str, seconds: f64) {
    METRICS.jobs_finished.with_label_values(&[kind, outcome]).inc();
    METRICS.job_seconds.with_label_values(&[kind]).observe(seconds);
}

/// The current number of calls in a state.
pub fn calls(state: &'static str, count: u64) {
    METRICS.calls.with_label_values(&[state]).set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// A call attempt has ended.
pub fn call_ended(state: &'static str) {
    METRICS.calls_ended.with_label_values(&[state]).inc();
}

/// A webhook from a telephony service: `accepted`, `repeated`, `bad_signature` or `foreign_call`.
pub fn phone_callback(result: &'static str) {
    METRICS.phone_callbacks.with_label_values(&[result]).inc();
}

/// An attempt to deliver a message has ended: `sent`, `deferred`, `failed`, `unconfirmed` or `expired`.
pub fn mail(outcome: &'static str) {
    METRICS.mail.with_label_values(&[outcome]).inc();
}

/// How long the oldest queued message has been waiting.
pub fn mail_queue_age(seconds: f64) {
    METRICS.mail_queue_age.set(seconds);
}

/// Plays of recordings were stored.
pub fn plays(source: &'static str, times: u64) {
    METRICS.plays.with_label_values(&[source]).inc_by(times);
}

/// Plays were not counted, because the memory for them was full.
pub fn plays_dropped(times: u64) {
    METRICS.plays_dropped.inc_by(times);
}
