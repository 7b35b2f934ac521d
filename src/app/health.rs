//! Can we work?

use super::{App, calls, jobs};
use crate::{domain::call::State, store::migrations, telemetry::metrics};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Works,
    /// Its shape is older than this binary.
    Behind,
    Gone,
}

pub async fn database(app: &App) -> Database {
    match migrations::version(&app.db).await {
        Ok(version) if version >= migrations::NEWEST => Database::Works,
        Ok(_) => Database::Behind,
        Err(_) => Database::Gone,
    }
}

/// Looks at what is only known when somebody asks, for the figures. The queue's stay as they were when it cannot be read.
pub async fn measure(app: &App) {
    app.db.measure();
    if let (Ok(counts), Ok(late)) = (jobs::counts(app).await, jobs::late(app).await) {
        counts.into_iter().for_each(|(state, count)| metrics::jobs(state.word(), count));
        metrics::jobs_late(late.as_secs_f64());
    }
    if let Ok(counts) = calls::counts(app).await {
        let count = |state| counts.iter().find(|(its, _)| *its == state).map_or(0, |(_, count)| *count);
        let pending = State::ALL.into_iter().filter(|state| state.is_pending());
        pending.for_each(|state| metrics::calls(state.word(), count(state)));
    }
}
