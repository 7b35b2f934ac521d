//! Renders schemas: types, constraints and fields.

use super::{json::Json, prose};
use crate::http::html::escape;

/// A row in a table of fields or parameters. Strings that are inserted unescaped are already HTML.
pub struct Field {
    pub name: String,
    /// The location of a parameter; empty for fields of a body.
    pub place: String,
    pub kind_html: String,
    pub is_required: bool,
    pub description_html: String,
    pub limits: String,
    pub example: String,
}

/// A named schema.
pub struct Shape {
    pub name: String,
    /// Is it part of requests, or of responses only?
    pub is_sent: bool,
    pub description_html: String,
    /// The schema that it extends.
    pub base: Option<String>,
    pub always: Vec<String>,
    pub never: Vec<String>,
    pub fields: Vec<Field>,
    /// The type of additional properties; empty if there are none or they do not matter.
    pub other_keys_html: String,
}

impl Shape {
    pub fn read(name: &str, schema: &Json, is_sent: bool) -> Self {
        let parts = schema.get("allOf").list();
        let base = parts.iter().find_map(|part| reference_name(part)).map(str::to_owned);
        let own = parts.iter().find(|part| reference_name(part).is_none()).unwrap_or(schema);
        let mut fields = Vec::new();
        read_fields(&|it| it, own, "", &mut fields);
        let is_row = |key: &&str| fields.iter().any(|field| field.name == *key);
        let always = own.get("required").texts().filter(|key| !is_row(key)).map(str::to_owned).collect();
        let barred = own.get("not").get("anyOf").list().iter().flat_map(|one| one.get("required").texts());
        Self {
            name: name.to_owned(),
            is_sent,
            description_html: prose::html(schema.get("description").text()),
            base,
            always,
            never: barred.map(str::to_owned).collect(),
            other_keys_html: match own.get("additionalProperties") {
                Json::Object(_) => kind_html(own.get("additionalProperties")),
                _ => String::new(),
            },
            fields,
        }
    }
}

/// The fields of an object and of nested objects; `open` resolves references or leaves them as links.
pub fn read_fields<'a>(
    open: &impl Fn(&'a Json) -> &'a Json,
    it: &'a Json,
    prefix: &str,
    into: &mut Vec<Field>,
) {
    let it = open(it);
    for part in it.get("allOf").list() {
        read_fields(open, part, prefix, into);
    }
    for (key, inner) in it.get("properties").entries() {
        let name = format!("{prefix}{key}");
        into.push(Field {
            name: name.clone(),
            place: String::new(),
            kind_html: kind_html(inner),
            is_required: it.get("required").texts().any(|required| required == key),
            description_html: prose::inline(description(inner, open(inner))),
            limits: limits(inner),
            example: String::new(),
        });
        read_fields(open, inner, &format!("{name}."), into);
        read_fields(open, inner.get("items"), &format!("{name}[]."), into);
    }
}

/// The description at this place, or else that of the referenced schema.
fn description<'a>(here: &'a Json, itself: &'a Json) -> &'a str {
    match here.get("description").text() {
        "" => itself.get("description").text(),
        said => said,
    }
}

/// The name of the schema that this one references.
pub fn reference_name(schema: &Json) -> Option<&str> {
    schema.get("$ref").text().strip_prefix("#/components/schemas/")
}

/// The type of a value, with links to named schemas.
pub fn kind_html(schema: &Json) -> String {
    if let Some(name) = reference_name(schema) {
        return link(name);
    }
    let parts = if schema.has("anyOf") { schema.get("anyOf") } else { schema.get("allOf") };
    if !parts.list().is_empty() {
        let kinds = parts.list().iter().map(kind_html).filter(|kind| !kind.is_empty());
        return kinds.collect::<Vec<_>>().join(" or ");
    }
    if schema.has("const") {
        return format!("“{}”", escape(&schema.get("const").brief()));
    }
    let types = match schema.get("type") {
        Json::List(all) => all.iter().map(Json::text).collect(),
        one => vec![one.text()],
    };
    types.into_iter().map(|kind| kind_of(kind, schema)).collect::<Vec<_>>().join(" or ")
}

fn kind_of(kind: &str, schema: &Json) -> String {
    let fields = schema.get("properties").entries();
    match kind {
        "array" => format!("list of {}", kind_html(schema.get("items"))),
        "object" if fields.iter().any(|(_, inner)| inner.has("$ref") || inner.has("items")) => {
            let shown = fields.iter().map(|(key, inner)| format!("{}: {}", escape(key), kind_html(inner)));
            format!("{{ {} }}", shown.collect::<Vec<_>>().join(", "))
        }
        "object" if matches!(schema.get("additionalProperties"), Json::Object(_)) => {
            format!("object of {}", kind_html(schema.get("additionalProperties")))
        }
        other => escape(other),
    }
}

pub fn link(name: &str) -> String {
    let name = escape(name);
    format!("<a href=\"#schema-{name}\">{name}</a>")
}

/// The constraints of a value on one line. Patterns are omitted: the descriptions explain them.
pub fn limits(schema: &Json) -> String {
    let items = schema.get("items");
    let one_of = if schema.has("enum") { schema.get("enum") } else { items.get("enum") };
    let mut all = Vec::new();
    if !one_of.list().is_empty() {
        all.push(format!("one of {}", one_of.list().iter().map(Json::brief).collect::<Vec<_>>().join(", ")));
    }
    for (keyword, before, behind) in [
        ("default", "default ", ""),
        ("minimum", "from ", ""),
        ("maximum", "to ", ""),
        ("maxLength", "at most ", " characters"),
        ("minItems", "at least ", " entry"),
        ("maxItems", "at most ", " entries"),
    ] {
        let forms = schema.get("anyOf").list().iter().chain([schema]);
        if let Some(form) = forms.into_iter().find(|form| form.has(keyword)) {
            all.push(format!("{before}{}{behind}", grouped(&form.get(keyword).brief())));
        }
    }
    all.join(" · ")
}

/// 10000 as 10,000.
fn grouped(number: &str) -> String {
    match number.len() {
        5.. if number.bytes().all(|b| b.is_ascii_digit()) => {
            let (thousands, rest) = number.split_at(number.len() - 3);
            format!("{},{rest}", grouped(thousands))
        }
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn kinds_are_said_in_words() {
        for (schema, kind) in [
            (r#"{"type": ["string", "null"]}"#, "string or null"),
            (r##"{"$ref": "#/components/schemas/Meta"}"##, "<a href=\"#schema-Meta\">Meta</a>"),
            (r#"{"type": "array", "items": {"type": "string"}}"#, "list of string"),
            (r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#, "string or integer"),
            (r#"{"type": "object", "additionalProperties": {"type": "string"}}"#, "object of string"),
            (r#"{"const": "<b>"}"#, "“&lt;b&gt;”"),
        ] {
            assert_eq!(kind_html(&json(schema)), kind, "{schema}");
        }
    }

    #[test]
    fn limits_are_one_line() {
        let schema = json(r#"{"type": "integer", "minimum": 1, "maximum": 10000, "default": 10}"#);
        assert_eq!(limits(&schema), "default 10 · from 1 · to 10,000");
    }

    #[test]
    fn a_shape_tells_what_it_adds_to_another() {
        let schema = json(
            r##"{"description": "A.", "allOf": [{"$ref": "#/components/schemas/Base"},
                {"required": ["a"], "not": {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}}]}"##,
        );
        let shape = Shape::read("A", &schema, false);
        assert_eq!(shape.base.as_deref(), Some("Base"));
        assert_eq!((shape.always, shape.never), (vec!["a".to_owned()], vec!["b".to_owned(), "c".to_owned()]));
    }
}
