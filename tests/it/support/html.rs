//! Reads HTML as browsers do, as far as it matters for what people have typed: what is a tag, an attribute, text or code.

#[derive(Debug)]
pub struct Attribute {
    /// In lower case.
    pub name: String,
    /// Without character references.
    pub value: String,
    is_quoted: bool,
}

#[derive(Debug)]
pub struct Tag {
    /// In lower case.
    pub name: String,
    is_end: bool,
    pub attributes: Vec<Attribute>,
}

impl Tag {
    pub fn value(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|one| one.name == name).map(|one| one.value.as_str())
    }
}

#[derive(Debug)]
enum Token {
    Tag(Tag),
    /// The contents of an element in which there are no tags, with its name.
    Inside(&'static str, String),
    Comment(String),
}

/// Elements that end with their end tag, whatever they contain.
const RAW: [&str; 8] = ["script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp"];

struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn until(&mut self, is_end: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self.0.split_at(self.0.find(is_end).unwrap_or(self.0.len()));
        self.0 = rest;
        taken
    }

    /// The text before the end, which is dropped.
    fn up_to(&mut self, end: &str) -> &'a str {
        let (taken, rest) = self.0.split_once(end).unwrap_or((self.0, ""));
        self.0 = rest;
        taken
    }

    fn tag(&mut self) -> Option<Tag> {
        let rest = self.0.strip_prefix('<')?;
        let (rest, is_end) = match rest.strip_prefix('/') {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        self.0 = rest;
        let name = self.until(|c| c.is_ascii_whitespace() || c == '/' || c == '>').to_ascii_lowercase();
        Some(Tag { name, is_end, attributes: self.attributes() })
    }

    fn attributes(&mut self) -> Vec<Attribute> {
        let mut all = Vec::new();
        loop {
            self.0 = self.0.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if self.0.is_empty() {
                return all;
            }
            if let Some(rest) = self.0.strip_prefix('>') {
                self.0 = rest;
                return all;
            }
            // The first character belongs to the name, even if it is an equals sign.
            let first = self.0.chars().next().map_or(0, char::len_utf8);
            let end = self.0[first..].find(|c: char| c.is_ascii_whitespace() || "/>=".contains(c));
            let (name, rest) = self.0.split_at(end.map_or(self.0.len(), |end| first + end));
            self.0 = rest.trim_ascii_start();
            let (value, is_quoted) = match self.0.strip_prefix('=') {
                None => ("", true),
                Some(rest) => {
                    self.0 = rest.trim_ascii_start();
                    self.value()
                }
            };
            all.push(Attribute { name: name.to_ascii_lowercase(), value: unescaped(value), is_quoted });
        }
    }

    fn value(&mut self) -> (&'a str, bool) {
        for quote in ["\"", "'"] {
            if let Some(rest) = self.0.strip_prefix(quote) {
                self.0 = rest;
                return (self.up_to(quote), true);
            }
        }
        (self.until(|c| c.is_ascii_whitespace() || c == '>'), false)
    }

    /// The contents of an element without tags.
    fn inside(&mut self, name: &str) -> &'a str {
        let end = self.0.to_ascii_lowercase().find(&format!("</{name}"));
        let (taken, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        taken
    }
}

fn unescaped(text: &str) -> String {
    let pairs = [("&#34;", "\""), ("&quot;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&lt;", "<")];
    let pairs = pairs.into_iter().chain([("&#62;", ">"), ("&gt;", ">"), ("&#38;", "&"), ("&amp;", "&")]);
    pairs.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn read(html: &str) -> Vec<Token> {
    let (mut reader, mut all) = (Reader(html), Vec::new());
    while !reader.0.is_empty() {
        if let Some(rest) = reader.0.strip_prefix("<!--") {
            reader.0 = rest;
            all.push(Token::Comment(reader.up_to("-->").to_owned()));
        } else if reader.0.starts_with("<!") || reader.0.starts_with("<?") {
            all.push(Token::Comment(reader.up_to(">").to_owned()));
        } else if let Some(tag) = reader.tag() {
            let raw = RAW.into_iter().find(|name| !tag.is_end && tag.name == *name);
            all.push(Token::Tag(tag));
            all.extend(raw.map(|name| Token::Inside(name, reader.inside(name).to_owned())));
        } else {
            // Text, which may begin with a sign that begins no tag.
            let first = reader.0.chars().next().map_or(0, char::len_utf8);
            reader.0 = &reader.0[first..];
            reader.until(|c| c == '<');
        }
    }
    all
}

/// The addresses of links on a page.
pub fn links(html: &str) -> Vec<String> {
    let tags = read(html).into_iter().filter_map(|token| match token {
        Token::Tag(tag) if tag.name == "a" => tag.value("href").map(str::to_owned),
        _ => None,
    });
    tags.collect()
}

/// Addresses that a browser would run.
fn is_code(address: &str) -> bool {
    let visible = address.chars().filter(|c| !c.is_whitespace() && !c.is_control());
    let address: String = visible.collect::<String>().to_lowercase();
    ["javascript:", "vbscript:", "data:text"].into_iter().any(|scheme| address.starts_with(scheme))
}

const ADDRESSES: [&str; 9] =
    ["href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "data", "background"];

fn tag_faults(tag: &Tag, is_typed: &impl Fn(&str) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    let is_data = tag.value("type").is_some_and(|kind| kind.contains("json"));
    if tag.name == "script" && !tag.is_end && tag.value("src").is_none() && !is_data {
        faults.push("a script in the page".to_owned());
    }
    if ["base", "object", "embed", "frame"].contains(&tag.name.as_str()) || is_typed(&tag.name) {
        faults.push(format!("the element {}", tag.name));
    }
    for Attribute { name, value, is_quoted } in &tag.attributes {
        let is_wrong = name.starts_with("on")
            || name == "srcdoc"
            || is_typed(name)
            || (is_typed(value) && (!is_quoted || name == "style"))
            || (ADDRESSES.contains(&name.as_str()) && is_code(value));
        if is_wrong {
            faults.push(format!("{name}={value} of {}", tag.name));
        }
    }
    faults
}

/// What would run on a page, and what somebody has typed (`is_typed`) where it could become code.
pub fn faults(html: &str, is_typed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    let mut is_data = false;
    for token in read(html) {
        match token {
            Token::Tag(tag) => {
                is_data = tag.value("type").is_some_and(|kind| kind.contains("json"));
                faults.extend(tag_faults(&tag, &is_typed));
            }
            // Data of a script cannot end early without this sign.
            Token::Inside("script", text) if is_data && text.contains('<') => {
                faults.push(format!("in data: {text}"));
            }
            Token::Inside("script", text) if !is_data && is_typed(&text) => {
                faults.push(format!("in a script: {text}"));
            }
            Token::Inside("style", text) | Token::Comment(text) if is_typed(&text) => {
                faults.push(format!("in a style or a comment: {text}"));
            }
            Token::Inside(..) | Token::Comment(_) => {}
        }
    }
    faults
}

/// Breaks out of everything in which a text can be: an element, an attribute in either kind of quotes, a title, an area, a script, a
/// template. It fits into a name.
pub const EVIL: &str = "\"'><script>alert(1)</script></title></textarea></script>\
    <img src=x onerror=alert(1)>{{7*7}}${7*7}\u{2028}\u{202e}javascript:alert(1)";

#[test]
fn what_is_not_escaped_is_found_wherever_it_is() {
    let is_typed = |text: &str| text.contains("zq");
    let escaped = EVIL.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
    let escaped = escaped.replace('"', "&#34;").replace('\'', "&#39;");
    for place in [
        "<p>zq{}</p>",
        "<p title=\"zq{}\">x</p>",
        "<p title='zq{}'>x</p>",
        "<title>zq{}</title>",
        "<textarea>\nzq{}</textarea>",
        "<a href=\"/p/zq{}\">x</a>",
    ] {
        assert_eq!(faults(&place.replace("{}", &escaped), is_typed), [""; 0], "{place}");
        assert_ne!(faults(&place.replace("{}", EVIL), is_typed), [""; 0], "{place}");
    }
    // Where nothing may be typed, escaped or not.
    for place in [
        "<script>var a = 'zq'</script>",
        "<script src=\"/a.js\">zq</script>",
        "<style>zq</style>",
        "<!-- zq -->",
        "<p zq=\"\">x</p>",
        "<p title=zq>x</p>",
        "<p style=\"color: zq\">x</p>",
        "<p onclick=\"go()\">x</p>",
        "<zq>",
        "<a href=\" Java\tscript:zq\">x</a>",
        "<form action=\"javascript:zq\">",
        "<script type=\"application/json\">{\"a\":\"zq<\"}</script>",
        "<base href=\"/\">",
    ] {
        assert_ne!(faults(place, is_typed), [""; 0], "{place}");
    }
    let fine =
        "<script src=\"/a.js\"></script><script type=\"application/ld+json\">{\"a\":\"zq\"}</script>1 < 2";
    assert_eq!(faults(fine, is_typed), [""; 0]);
    assert_eq!(links("<a class=\"x\" href=\"/a?b=1&#38;c=2\">d</a><link href=\"/e\">"), ["/a?b=1&c=2"]);
}
