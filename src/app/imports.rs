//! Imports: many people at once, from a file.

use super::{App, Error, Missing, Result, participants};
use crate::{
    domain::{field_errors::FieldErrors, name_page::NamePageRef, participant::Draft},
    store::{self, rolls},
};

/// A row of the file.
pub struct Line {
    pub number: u64,
    pub draft: Draft,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Refused(FieldErrors),
}

/// Why a group's transaction was not kept.
enum Undone {
    /// Nothing is to be kept; this is what would have happened.
    Rehearsal(Vec<(u64, Outcome)>),
    Failed(Error),
}

impl From<store::Error> for Undone {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Brings in one group of rows in one transaction: whoever is on the page already is updated, others are created, and
/// a row that is wrong is refused without harm to the others.
pub async fn group(
    app: &App,
    institution: i64,
    page: NamePageRef,
    lines: Vec<Line>,
    rehearse: bool,
) -> Result<Vec<(u64, Outcome)>> {
    let now = app.clock.now();
    let lines: Vec<(Line, String)> = lines.into_iter().map(|line| (line, app.ids.hex())).collect();
    let outcome = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = participants::page_of(sql, institution, &page).await?;
                let mut report = Vec::with_capacity(lines.len());
                for (Line { number, draft }, token) in lines {
                    let registered = match draft.email.set() {
                        Some(email) => participants::registered(sql, institution, page, email.key()).await,
                        None => Err(Error::Missing(Missing::Participant)),
                    };
                    let written = match registered {
                        Ok(old) => participants::update_in(sql, institution, old, draft, now)
                            .await
                            .map(|_| Outcome::Updated),
                        Err(Error::Missing(_)) => {
                            participants::create_in(sql, institution, page, draft, now, token)
                                .await
                                .map(|_| Outcome::Created)
                        }
                        Err(other) => Err(other),
                    };
                    report.push(match written {
                        Ok(outcome) => (number, outcome),
                        Err(Error::Invalid(errors)) => (number, Outcome::Refused(errors)),
                        Err(other) => return Err(other.into()),
                    });
                }
                if rehearse { Err(Undone::Rehearsal(report)) } else { Ok(report) }
            })
        })
        .await;
    match outcome {
        Ok(report) | Err(Undone::Rehearsal(report)) => Ok(report),
        Err(Undone::Failed(error)) => Err(error),
    }
}
