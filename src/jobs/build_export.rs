//! Builds the report of an export: version 4's records, with the custom values.

use std::sync::Arc;

use crate::{
    api::{v4::wire, view::View},
    app::{App, Links, Result, exports},
    domain::job::Held,
};

pub async fn run(app: &App, held: &Held, institution: i64, export: i64, base_url: &str) -> Result<()> {
    let writer = |institution, fields| -> exports::Write {
        let view = View::of_report(Arc::new(institution), Links::new(base_url), fields);
        Box::new(move |person, out| {
            // Writing to memory does not fail, and neither does a record of texts.
            let _ = serde_json::to_writer(out, &wire::Participant(&view, person));
        })
    };
    exports::build(app, held, institution, export, writer).await
}
