//! Imports people without a file.

use endonym::{
    app::{
        Actor, App,
        imports::{self, CallPolicy, Outcome, Row, RowContent, Run, Target},
    },
    domain::{
        ids::{InstitutionId, NamePageId},
        participant::Draft,
    },
};

/// Imports people in one transaction, or rehearses it.
pub async fn import(
    app: &App,
    (institution, page): (InstitutionId, NamePageId),
    drafts: Vec<Draft>,
    calling: CallPolicy,
    rehearse: bool,
) -> Vec<Outcome> {
    let (here, actor) = ((institution, page), &Actor::Operator);
    let target = match rehearse {
        true => Target::Rehearsal,
        false => {
            Target::Import(imports::begin(app, actor, here, "people.csv", drafts.len() as u64).await.unwrap())
        }
    };
    let run = Run { institution, page, target, calling, starts_with_newest: true, rows_done: 0 };
    let row = |(at, draft): (usize, Draft)| Row {
        line: at as u64 + 2,
        email: String::new(),
        size: 0,
        content: RowContent::Draft(Box::new(draft)),
    };
    let rows = drafts.into_iter().enumerate().map(row).collect();
    let reports = imports::rows(app, actor, run, rows).await.unwrap();
    imports::finish(app, actor, run).await.unwrap();
    reports.into_iter().map(|report| report.outcome).collect()
}
