//! Renders the subset of CommonMark that the descriptions use: sections, paragraphs, lists, code.

use crate::http::html::escape;

/// A heading with its text.
pub struct Section {
    pub id: String,
    pub title: String,
    pub html: String,
}

/// The text before the first `## ` heading, and the sections.
pub fn sections(text: &str) -> (String, Vec<Section>) {
    let (opening, rest) = text.split_once("\n## ").unwrap_or((text, ""));
    let section = |part: &str| {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        let id = title.trim().to_lowercase().replace(' ', "-");
        Section { id, title: title.trim().to_owned(), html: html(body) }
    };
    let parts = rest.split("\n## ").filter(|part| !part.trim().is_empty());
    (html(opening), parts.map(section).collect())
}

/// Blocks are separated by blank lines.
pub fn html(text: &str) -> String {
    text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()).map(block).collect()
}

fn block(text: &str) -> String {
    if let Some(code) = text.strip_prefix("```") {
        let code = code.trim_end_matches('`').trim_matches('\n');
        return format!("<pre><code>{}</code></pre>", escape(code));
    }
    if text.lines().all(|line| line.starts_with("- ")) {
        let items = text.lines().map(|line| format!("<li>{}</li>", inline(&line[2..])));
        return format!("<ul>{}</ul>", items.collect::<String>());
    }
    format!("<p>{}</p>", inline(text))
}

/// Text with `code` spans. An unpaired backtick is literal.
pub fn inline(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, behind)) = after.split_once('`') else { break };
        html.push_str(&escape(before));
        html.push_str(&format!("<code>{}</code>", escape(code)));
        rest = behind;
    }
    html.push_str(&escape(rest));
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_text_are_escaped() {
        assert_eq!(inline("a < `b<c>` & `d"), "a &lt; <code>b&lt;c&gt;</code> &amp; `d");
    }

    #[test]
    fn blocks_are_paragraphs_lists_and_code() {
        assert_eq!(
            html("One\ntwo.\n\n- a\n- `b`\n\n```\ncurl <x>\n```"),
            "<p>One\ntwo.</p><ul><li>a</li><li><code>b</code></li></ul><pre><code>curl &lt;x&gt;</code></pre>"
        );
    }

    #[test]
    fn headings_open_sections() {
        let (opening, parts) = sections("Hello.\n\n## First call\n\nGo.\n\n## Errors\n\nNone.");
        assert_eq!(opening, "<p>Hello.</p>");
        let shown: Vec<_> =
            parts.iter().map(|it| (it.id.as_str(), it.title.as_str(), it.html.as_str())).collect();
        assert_eq!(shown, [("first-call", "First call", "<p>Go.</p>"), ("errors", "Errors", "<p>None.</p>")]);
    }
}
