//! The course that a launch leads to, with its name page, and a student's own entry there.

use crate::{
    app::{App, Error, Result},
    domain::{
        course::Course,
        lti::{Context, Person},
        tool_consumer::ToolConsumer,
    },
};

pub async fn find(_app: &App, _institution: i64, _id: i64) -> Result<Option<Course>> {
    Err(Error::Internal("not yet".to_owned()))
}

pub async fn launched(
    _app: &App,
    _consumer: &ToolConsumer,
    _context: &Context,
    _memberships_url: Option<&str>,
) -> Result<Course> {
    Err(Error::Internal("not yet".to_owned()))
}

pub async fn member(_app: &App, _consumer: &ToolConsumer, _course: &Course, _person: &Person) -> Result<i64> {
    Err(Error::Internal("not yet".to_owned()))
}

pub async fn synchronise(_app: &App, _consumer: &ToolConsumer, _course: &Course) -> Result<()> {
    Err(Error::Internal("not yet".to_owned()))
}
