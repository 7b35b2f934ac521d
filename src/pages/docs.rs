//! The API reference, rendered from the OpenAPI documents against which tests check responses.

mod json;
mod prose;
mod reference;
mod shape;

use std::sync::LazyLock;

use askama::Template;
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::page::{self, Site};
use crate::{
    app::App,
    domain::language::Language,
    http::{
        html::{escape, written},
        openapi::DOCUMENTS,
        page::Page,
        path::Path,
        policy::Policy,
    },
};
use reference::Reference;

/// Parsed once: the documents are compiled into the binary.
static REFERENCES: LazyLock<Result<Vec<Reference>, String>> = LazyLock::new(|| {
    let read = |(version, text): &(&'static str, &str)| {
        Reference::read(version, text).map_err(|error| format!("the document of {version}: {error}"))
    };
    DOCUMENTS.iter().map(read).collect()
});

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs<'a> {
    site: Site<'a>,
    /// In English, without the menu of languages.
    page: Page<'a>,
    /// All versions, newest first, for the version switch.
    all: &'a [Reference],
    it: &'a Reference,
}

pub async fn newest(State(app): State<App>, headers: HeaderMap) -> Response {
    show(&app, DOCUMENTS[0].0, &headers)
}

pub async fn of_version(State(app): State<App>, Path(version): Path<String>, headers: HeaderMap) -> Response {
    show(&app, &version, &headers)
}

fn show(app: &App, version: &str, headers: &HeaderMap) -> Response {
    let all = match &*REFERENCES {
        Ok(all) => all,
        Err(error) => {
            tracing::error!(%error, "rendering the API reference failed");
            return page::internal_error(app, page::language(None, headers));
        }
    };
    let Some(it) = all.iter().find(|it| it.version == version) else {
        return page::not_found(app, page::language(None, headers));
    };
    let page = Page::new(&app.links, Language::English, "");
    let text = Docs { site: Site::of(app), page, all, it }.render();
    // The documents contain `{base_url}` in place of this installation's address.
    let text = text.map(|text| text.replace("{base_url}", &escape(app.links.base())));
    written(StatusCode::OK, text, Policy::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references() -> &'static [Reference] {
        REFERENCES.as_ref().unwrap()
    }

    #[test]
    fn every_operation_is_on_the_page_with_all_that_a_reader_needs() {
        for (reference, (_, text)) in references().iter().zip(DOCUMENTS) {
            let document: serde_json::Value = serde_json::from_str(text).unwrap();
            let methods = document["paths"].as_object().unwrap().values();
            let written: usize = methods.map(|methods| methods.as_object().unwrap().len()).sum();
            let shown: Vec<_> = reference.groups.iter().flat_map(|group| &group.operations).collect();
            assert_eq!(shown.len(), written, "{}", reference.version);
            for operation in shown {
                assert!(operation.curl.contains("{base_url}"), "{}", operation.id);
                assert!(!operation.description_html.is_empty(), "{}", operation.id);
                assert!(!operation.answers.is_empty(), "{}", operation.id);
                assert!(operation.errors.iter().all(|error| !error.examples.is_empty()), "{}", operation.id);
                let body = operation.body.iter().flat_map(|body| &body.forms);
                assert!(body.into_iter().all(|form| !form.examples.is_empty()), "{}", operation.id);
            }
        }
    }

    #[test]
    fn every_link_to_a_schema_leads_somewhere() {
        for it in references() {
            let site = Site { root: "", style: "/style.css", version: "0" };
            let links = crate::app::Links::new("https://names.example.edu");
            let page = Page::new(&links, Language::English, "");
            let page = Docs { site, page, all: references(), it }.render().unwrap();
            let targets = page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next());
            for target in targets {
                assert!(page.contains(&format!("id=\"{target}\"")), "#{target} in {}", it.version);
            }
        }
    }
}
