//! What differs between the values before and after a change, and what the log does not keep of it.

use serde_json::Value;

use super::Values;

/// The longest text that is kept of a value, in characters.
const LONGEST_VALUE: usize = 500;
/// In place of a secret: it tells only that there is one.
const HIDDEN: &str = "(hidden)";

/// The fields of two JSON objects that differ. Fields without a value are left out, secrets are hidden, and long texts are cut.
pub fn differences(before: Value, after: Value) -> (Values, Values) {
    let (mut before, mut after) = (object(before), object(after));
    before.retain(|field, value| {
        // Neither side tells what stays the same.
        let is_same = after.get(field).is_some_and(|other| *other == *value);
        if is_same {
            after.remove(field);
        }
        !is_same
    });
    for values in [&mut before, &mut after] {
        values.retain(|_, value| !value.is_null());
        for (field, value) in values.iter_mut() {
            conceal(field, value);
        }
    }
    (before, after)
}

pub(super) fn object(value: Value) -> Values {
    match value {
        Value::Object(values) => values,
        _ => Values::new(),
    }
}

fn conceal(field: &str, value: &mut Value) {
    if is_secret(field) {
        *value = HIDDEN.into();
    } else if let Value::String(text) = value
        && let Some((cut, _)) = text.char_indices().nth(LONGEST_VALUE)
    {
        text.truncate(cut);
        text.push('…');
    }
}

/// Never a value of these fields, whoever passes it.
fn is_secret(field: &str) -> bool {
    let words = ["secret", "password", "digest", "base64", "access_code"];
    field == "token" || field.ends_with("_token") || words.iter().any(|word| field.contains(word))
}

/// All digits of a phone number are masked, except the last three.
pub fn masked_number(e164: &str) -> String {
    let shown = e164.chars().count().saturating_sub(3);
    e164.chars().enumerate().map(|(at, c)| if at < shown && c != '+' { '*' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_kept() {
        let (before, after) = differences(
            json!({ "first_name": "Ana", "last_name": "Silva", "phonetic": null, "notes": "old" }),
            json!({ "first_name": "Ana", "last_name": "Sousa", "phonetic": "AH-na", "notes": null }),
        );
        assert_eq!(Value::Object(before), json!({ "last_name": "Silva", "notes": "old" }));
        assert_eq!(Value::Object(after), json!({ "last_name": "Sousa", "phonetic": "AH-na" }));
        let (before, after) = differences(Value::Null, json!({ "name": "x", "empty": null }));
        assert!(before.is_empty());
        assert_eq!(Value::Object(after), json!({ "name": "x" }));
    }

    #[test]
    fn secrets_are_hidden_and_long_texts_cut() {
        let (before, after) = differences(
            json!({ "client_secret": "one", "access_token": "a" }),
            json!({ "client_secret": "two", "access_token": "a", "text": "é".repeat(501) }),
        );
        assert_eq!(Value::Object(before), json!({ "client_secret": HIDDEN }));
        assert_eq!(after["client_secret"], HIDDEN);
        assert!(!after.contains_key("access_token"), "it has not changed");
        assert_eq!(after["text"], format!("{}…", "é".repeat(500)));
    }

    #[test]
    fn a_number_keeps_its_last_three_digits() {
        assert_eq!(masked_number("+12025550123"), "+********123");
        assert_eq!(masked_number("+12"), "+12");
    }
}
