//! Parses an OpenAPI document into what the page shows.

use std::collections::HashSet;

use axum::http::StatusCode;

use super::{
    json::Json,
    prose::{self, Section},
    shape::{self, Field, Shape},
};

/// The reference of one version.
pub struct Reference {
    /// As in URLs: `v5`.
    pub version: &'static str,
    pub number: String,
    pub summary: String,
    pub opening_html: String,
    pub guide: Vec<Section>,
    pub groups: Vec<Group>,
    pub shapes: Vec<Shape>,
    pub headers: Vec<Field>,
}

/// Operations with the same tag.
pub struct Group {
    pub id: String,
    pub name: String,
    pub description_html: String,
    pub operations: Vec<Operation>,
}

pub struct Operation {
    pub id: String,
    pub method: String,
    pub path: String,
    pub summary: String,
    pub description_html: String,
    pub curl: String,
    pub parameters: Vec<Field>,
    pub body: Option<Body>,
    pub answers: Vec<Answer>,
    pub errors: Vec<Answer>,
}

pub struct Body {
    pub is_required: bool,
    pub description_html: String,
    pub forms: Vec<Form>,
    /// The same in every media type.
    pub fields: Vec<Field>,
}

/// A body in one media type.
pub struct Form {
    pub media_type: String,
    pub kind_html: String,
    pub examples: Vec<Example>,
}

pub struct Answer {
    pub status: String,
    pub phrase: String,
    pub description_html: String,
    pub headers: Vec<String>,
    /// Empty if there is no body.
    pub kind_html: String,
    pub examples: Vec<Example>,
}

pub struct Example {
    pub summary: String,
    pub html: String,
}

impl Reference {
    pub fn read(version: &'static str, text: &str) -> Result<Self, serde_json::Error> {
        let document: Json = serde_json::from_str(text)?;
        let (info, components) = (document.get("info"), document.get("components"));
        let (opening_html, guide) = prose::sections(info.get("description").text());
        let sent = sent_shapes(&document);
        let shapes = components.get("schemas").entries().iter();
        Ok(Self {
            version,
            number: info.get("version").text().to_owned(),
            summary: info.get("summary").text().to_owned(),
            opening_html,
            guide,
            groups: document.get("tags").list().iter().map(|tag| group(&document, tag)).collect(),
            shapes: shapes.map(|(name, it)| Shape::read(name, it, sent.contains(name.as_str()))).collect(),
            headers: components.get("headers").entries().iter().map(|(name, it)| field(name, it)).collect(),
        })
    }
}

fn group(document: &Json, tag: &Json) -> Group {
    let name = tag.get("name").text();
    let mut operations = Vec::new();
    for (path, methods) in document.get("paths").entries() {
        for (method, it) in methods.entries() {
            if it.get("tags").texts().any(|its| its == name) {
                operations.push(operation(document, path, method, it));
            }
        }
    }
    Group {
        id: name.to_lowercase().replace(' ', "-"),
        name: name.to_owned(),
        description_html: prose::inline(tag.get("description").text()),
        operations,
    }
}

fn operation(document: &Json, path: &str, method: &str, it: &Json) -> Operation {
    let parameters = it.get("parameters").list().iter().map(|parameter| {
        let parameter = resolved(document, parameter);
        field(parameter.get("name").text(), parameter)
    });
    let (answers, errors) =
        it.get("responses").entries().iter().map(answer).partition(|answer| answer.status.starts_with('2'));
    let body = it.get("requestBody");
    Operation {
        id: it.get("operationId").text().to_owned(),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: it.get("summary").text().to_owned(),
        description_html: prose::html(it.get("description").text()),
        curl: it
            .get("x-codeSamples")
            .list()
            .first()
            .map_or_else(String::new, |sample| sample.get("source").text().to_owned()),
        parameters: parameters.collect(),
        body: (*body != Json::Null).then(|| Body {
            is_required: body.get("required").is_true(),
            description_html: prose::inline(body.get("description").text()),
            forms: body.get("content").entries().iter().map(form).collect(),
            fields: sent_fields(document, body),
        }),
        answers,
        errors,
    }
}

fn resolved<'a>(document: &'a Json, it: &'a Json) -> &'a Json {
    match it.get("$ref").text() {
        "" => it,
        reference => document.at(reference),
    }
}

/// The fields of a body including nested ones, so that readers need not follow schema references.
fn sent_fields(document: &Json, body: &Json) -> Vec<Field> {
    let mut fields = Vec::new();
    if let Some((_, content)) = body.get("content").entries().first() {
        shape::read_fields(&|it| resolved(document, it), content.get("schema"), "", &mut fields);
    }
    fields
}

/// A parameter or a header.
fn field(name: &str, it: &Json) -> Field {
    let (schema, example) = (it.get("schema"), it.get("example"));
    Field {
        name: name.to_owned(),
        place: it.get("in").text().to_owned(),
        kind_html: shape::kind_html(schema),
        is_required: it.get("required").is_true(),
        description_html: prose::inline(it.get("description").text()),
        limits: shape::limits(schema),
        // A default value needs no example.
        example: if example == schema.get("default") { String::new() } else { example.brief() },
    }
}

fn form((media_type, content): &(String, Json)) -> Form {
    Form {
        media_type: media_type.clone(),
        kind_html: shape::kind_html(content.get("schema")),
        examples: examples(media_type, content),
    }
}

fn answer((status, it): &(String, Json)) -> Answer {
    let content = it.get("content").get("application/json");
    Answer {
        status: status.clone(),
        phrase: phrase(status),
        description_html: prose::inline(it.get("description").text()),
        headers: it.get("headers").entries().iter().map(|(name, _)| name.clone()).collect(),
        kind_html: if *content == Json::Null {
            String::new()
        } else {
            shape::kind_html(content.get("schema"))
        },
        examples: examples("application/json", content),
    }
}

/// 420 has no standard reason phrase.
fn phrase(status: &str) -> String {
    let known = status.parse::<u16>().ok().and_then(|code| StatusCode::from_u16(code).ok());
    known.and_then(|code| code.canonical_reason()).unwrap_or("Bad Request").to_owned()
}

fn examples(media_type: &str, content: &Json) -> Vec<Example> {
    let show = |value: &Json| if media_type.contains("form") { as_form(value) } else { value.html() };
    let named = content
        .get("examples")
        .entries()
        .iter()
        .map(|(_, it)| Example { summary: it.get("summary").text().to_owned(), html: show(it.get("value")) });
    let only = content
        .has("example")
        .then(|| Example { summary: String::new(), html: show(content.get("example")) });
    only.into_iter().chain(named).collect()
}

/// A form body, unencoded: `key=value&…`.
fn as_form(value: &Json) -> String {
    let pairs = value.entries().iter().map(|(key, value)| format!("{key}={}", value.brief()));
    crate::http::html::escape(&pairs.collect::<Vec<_>>().join("&"))
}

/// The schemas that occur in requests, directly or nested.
fn sent_shapes(document: &Json) -> HashSet<&str> {
    let methods = document.get("paths").entries().iter().flat_map(|(_, methods)| methods.entries());
    let mut open: Vec<&Json> = methods.map(|(_, it)| it.get("requestBody")).collect();
    let mut sent = HashSet::new();
    while let Some(it) = open.pop() {
        if let Some(name) = shape::reference_name(it)
            && sent.insert(name)
        {
            open.push(document.at(it.get("$ref").text()));
        }
        open.extend(it.list());
        open.extend(it.entries().iter().map(|(_, inner)| inner));
    }
    sent
}
