//! The files that give pages an institution's look: its logo, and a style sheet with its accent color. Their URLs change with
//! their content, so browsers may cache them forever.

use axum::{Router, extract::State, http::StatusCode, response::Response};

use super::{assets, page::Look, path::Path, routing::get};
use crate::{
    app::{App, Error, looks},
    domain::{
        accent::{Accent, Color},
        ids::InstitutionId,
    },
};

const CSS: &str = "text/css; charset=utf-8";
const JPEG: &str = "image/jpeg";

impl Look {
    pub fn of(look: &looks::Look) -> Self {
        let logo = |version: &String| format!("/logos/{}/{version}.jpg", look.institution);
        Self {
            institution: Some(look.name.clone()),
            logo: look.logo.as_ref().map(logo),
            style: look.accent.as_ref().map(style_path),
        }
    }
}

pub fn routes() -> Router<App> {
    Router::new().route("/accents/{file}", get(accent)).route("/logos/{institution}/{file}", get(logo))
}

fn style_path(accent: &Accent) -> String {
    format!("/accents/{}.css?{}", accent.light.hex(), assets::version(style(accent)))
}

/// The style sheet depends on nothing but the color. Its selectors are those of `tokens.css`, after which it is loaded.
fn style(Accent { light, dark }: &Accent) -> String {
    let [on_light, on_dark] = Accent::ON;
    let dark = format!("--accent:{dark};--on-accent:{on_dark}");
    format!(
        "@media screen{{:root{{--accent:{light};--on-accent:{on_light}}}:root[data-theme=dark]{{{dark}}}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
    )
}

async fn accent(Path(file): Path<String>) -> Response {
    let color = file.strip_suffix(".css").and_then(Color::parse);
    match color.map(Accent::new) {
        Some(Ok(accent)) => assets::immutable(CSS, style(&accent)),
        _ => status(StatusCode::NOT_FOUND),
    }
}

async fn logo(State(app): State<App>, Path((institution, file)): Path<(String, String)>) -> Response {
    let (Ok(institution), Some(version)) = (institution.parse::<InstitutionId>(), file.strip_suffix(".jpg"))
    else {
        return status(StatusCode::NOT_FOUND);
    };
    match looks::logo(&app, institution, version).await {
        Ok(file) => assets::immutable(JPEG, file),
        Err(Error::Missing(_)) => status(StatusCode::NOT_FOUND),
        Err(error) => {
            tracing::error!(%error, "reading a logo failed");
            status(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

fn status(status: StatusCode) -> Response {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}
