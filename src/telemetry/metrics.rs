//! Figures for Prometheus, as `/metrics` shows them. One function for each thing that is counted. A label is always one of
//! a few words of ours: never a path, a method or a name that somebody sent.

use std::{
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

use prometheus::{
    Counter, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry, TextEncoder, core::Collector,
};

use super::process;

pub use super::requests::{InFlight, OTHER, request, unreadable};

/// The text format of Prometheus.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// From half a millisecond, in which most look-ups are done many times over, to what nobody waits for.
const LATENCY: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Processing sound takes a second where answering takes a millisecond, and an export takes minutes.
const WORK: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0];
const TOGETHER: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

pub(super) struct Figures {
    registry: Registry,
    pub(super) requests: IntCounterVec,
    pub(super) request_seconds: HistogramVec,
    pub(super) in_flight: IntGauge,
    pub(super) refusals: IntCounterVec,
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
    db_connections: IntGaugeVec,
    db_connections_most: IntGauge,
    db_connections_waiting: IntGauge,
    db_write_seconds: Histogram,
    db_writes_waiting: IntGauge,
    db_commit_writes: Histogram,
    memory: IntGauge,
    cpu: Counter,
    files: IntGauge,
    started: Gauge,
}

pub(super) static FIGURES: LazyLock<Figures> = LazyLock::new(Figures::new);

impl Figures {
    fn new() -> Self {
        let registry = Registry::new();
        let keep = Keeper(&registry);
        let build =
            keep.gauges("endonym_build_info", "Always 1; the label says which version runs.", &["version"]);
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        Self {
            requests: keep.counters(
                "endonym_http_requests_total",
                "Requests that were answered, by version of the API (`web` for all else), template of the address, method and status.",
                &["version", "route", "method", "status"],
            ),
            request_seconds: keep.histograms(
                "endonym_http_request_duration_seconds",
                "Time from the head of a request to the head of its answer.",
                LATENCY,
                &["version", "route"],
            ),
            in_flight: keep.gauge("endonym_http_requests_in_flight", "Requests that are being answered."),
            refusals: keep.counters(
                "endonym_rate_limit_refusals_total",
                "Requests that were answered 429 because their token had used up its window.",
                &["version"],
            ),
            connections: keep.gauge("endonym_http_connections", "Connections that are open."),
            media: keep.counters(
                "endonym_media_processed_total",
                "Recordings and pictures by kind, and what became of them: ok, refused, failed, busy (the queue was full) or abandoned.",
                &["kind", "outcome"],
            ),
            media_seconds: keep.histograms(
                "endonym_media_processing_seconds",
                "Time to process a recording or a picture, without the time in the queue.",
                WORK,
                &["kind"],
            ),
            media_waiting: keep.gauge("endonym_media_queue_length", "Recordings and pictures that wait to be processed."),
            jobs: keep.gauges("endonym_jobs", "Jobs in the queue, by state.", &["state"]),
            jobs_late: keep.kept(Gauge::new(
                "endonym_jobs_late_seconds",
                "How long the job that has been due longest has been due.",
            )),
            jobs_finished: keep.counters(
                "endonym_jobs_finished_total",
                "Jobs that this process has run, by kind and outcome: done, failed, lost or unfinished.",
                &["kind", "outcome"],
            ),
            calls: keep.gauges("endonym_calls", "Phone calls that are pending, by state.", &["state"]),
            calls_ended: keep.counters(
                "endonym_call_attempts_total",
                "Attempts to call somebody that this process has ended, by how they ended.",
                &["state"],
            ),
            phone_callbacks: keep.counters(
                "endonym_phone_callbacks_total",
                "What a cloud that makes calls has asked and told: accepted, repeated, or refused for a bad_signature or a foreign_call.",
                &["result"],
            ),
            job_seconds: keep.histograms(
                "endonym_job_duration_seconds",
                "Time that a run of a job took, whatever its outcome.",
                WORK,
                &["kind"],
            ),
            db_connections: keep.gauges(
                "endonym_db_connections",
                "Connections to the database, busy or idle: those of the pool, or SQLite's readers.",
                &["state"],
            ),
            db_connections_most: keep.gauge("endonym_db_connections_max", "Connections that there may be."),
            db_connections_waiting: keep
                .gauge("endonym_db_connections_waiting", "Callers that wait for a connection of the pool."),
            db_write_seconds: keep.histogram(
                "endonym_db_write_duration_seconds",
                "Time from asking for a write to hearing that it is safely on disk or undone, waiting included.",
                LATENCY,
            ),
            db_writes_waiting: keep.gauge("endonym_db_writes_waiting", "Writes that wait for their turn."),
            db_commit_writes: keep.histogram(
                "endonym_db_commit_writes",
                "Writes that SQLite committed together; the count is that of commits.",
                TOGETHER,
            ),
            memory: keep.gauge("process_resident_memory_bytes", "Resident memory size in bytes."),
            cpu: keep.kept(Counter::new(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
            )),
            files: keep.gauge("process_open_fds", "Number of open file descriptors."),
            started: keep.kept(Gauge::new(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
            )),
            registry,
        }
    }
}

/// Makes figures and keeps them, so that each is shown.
struct Keeper<'a>(&'a Registry);

impl Keeper<'_> {
    fn kept<C: Collector + Clone + 'static>(&self, made: prometheus::Result<C>) -> C {
        let made = made.expect("the names of our figures are good");
        self.0.register(Box::new(made.clone())).expect("each figure has a name of its own");
        made
    }

    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.kept(IntGauge::new(name, help))
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.kept(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.kept(IntCounterVec::new(Opts::new(name, help), labels))
    }

    fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Histogram {
        self.kept(Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec())))
    }

    fn histograms(&self, name: &str, help: &str, buckets: &[f64], labels: &[&str]) -> HistogramVec {
        self.kept(HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), labels))
    }
}

/// Everything, in the text format of Prometheus.
pub fn exposition() -> String {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(now) = process::look() {
        FIGURES.memory.set(now.memory_bytes);
        FIGURES.cpu.inc_by((now.cpu_seconds - FIGURES.cpu.get()).max(0.0));
        FIGURES.files.set(now.open_files);
        // Worked out from two clocks, which differ a little each time: the first answer stays.
        if FIGURES.started.get() == 0.0 {
            FIGURES.started.set(now.started);
        }
    }
    TextEncoder::new().encode_to_string(&FIGURES.registry.gather()).unwrap_or_else(|error| {
        tracing::error!(%error, "the figures could not be written");
        String::new()
    })
}

/// How long something takes. Only for figures: what time it is, `Clock` says.
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

/// One more for as long as this lives.
#[must_use]
pub struct Held(&'static IntGauge);

impl Held {
    pub(super) fn new(gauge: &'static IntGauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A connection is open.
pub fn connection() -> Held {
    Held::new(&FIGURES.connections)
}

/// A recording or a picture waits to be processed.
pub fn media_waiting() -> Held {
    Held::new(&FIGURES.media_waiting)
}

/// A recording or a picture was worked on: `ok`, `refused` or `failed`.
pub fn media_processed(kind: &'static str, outcome: &'static str, timer: Timer) {
    media_turned_away(kind, outcome);
    FIGURES.media_seconds.with_label_values(&[kind]).observe(timer.elapsed().as_secs_f64());
}

/// A recording or a picture was not worked on: `busy`, `failed` or `abandoned`.
pub fn media_turned_away(kind: &'static str, outcome: &'static str) {
    FIGURES.media.with_label_values(&[kind, outcome]).inc();
}

/// A write waits for its turn.
pub fn db_write_waiting() -> Held {
    Held::new(&FIGURES.db_writes_waiting)
}

/// A write is over, and its caller knows how it ended.
pub fn db_written(timer: Timer) {
    FIGURES.db_write_seconds.observe(timer.elapsed().as_secs_f64());
}

/// So many writes reached the disk together.
pub fn db_committed(writes: usize) {
    FIGURES.db_commit_writes.observe(writes as f64);
}

/// The connections to the database at this moment.
pub fn db_connections(most: usize, busy: usize, idle: usize, waiting: usize) {
    let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    FIGURES.db_connections.with_label_values(&["busy"]).set(whole(busy));
    FIGURES.db_connections.with_label_values(&["idle"]).set(whole(idle));
    FIGURES.db_connections_most.set(whole(most));
    FIGURES.db_connections_waiting.set(whole(waiting));
}

/// So many jobs are in this state now. Kinds, states and outcomes are words of ours, never what somebody sent.
pub fn jobs(state: &'static str, count: u64) {
    FIGURES.jobs.with_label_values(&[state]).set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// The job that has been due longest, for so long.
pub fn jobs_late(seconds: f64) {
    FIGURES.jobs_late.set(seconds);
}

/// A run of a job is over: `done`, `failed`, `lost` to another worker, or `unfinished` because of a stop.
pub fn job_finished(kind: &'static str, outcome: &'static str, seconds: f64) {
    FIGURES.jobs_finished.with_label_values(&[kind, outcome]).inc();
    FIGURES.job_seconds.with_label_values(&[kind]).observe(seconds);
}

/// So many calls are in this state now.
pub fn calls(state: &'static str, count: u64) {
    FIGURES.calls.with_label_values(&[state]).set(i64::try_from(count).unwrap_or(i64::MAX));
}

/// An attempt to call somebody is over.
pub fn call_ended(state: &'static str) {
    FIGURES.calls_ended.with_label_values(&[state]).inc();
}

/// A cloud has asked or told something: `accepted`, `repeated`, `bad_signature` or `foreign_call`.
pub fn phone_callback(result: &'static str) {
    FIGURES.phone_callbacks.with_label_values(&[result]).inc();
}
