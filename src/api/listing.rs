//! Lists: pagination metadata, and responses that are streamed while rows are read.

use std::collections::BTreeMap;

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
    response::Response,
};
use futures_util::stream;
use serde::Serialize;
use serde_json::json;

use super::{lists::LookupKey, problem::Problem};
use crate::http::params::encoded;
use crate::http::reply;
use crate::{
    app::{
        App,
        participants::{Filter, Listing},
        streams::Slot,
    },
    domain::{
        email::Spellings,
        field_errors::FieldErrors,
        paging::Window,
        participant::{Changed, Participant},
    },
    http::{
        embeds::{Dialect, Icon, Include},
        params::Params,
    },
};

/// Does the endpoint support `updated_after` and `updated_before`? Others ignore them like any unknown parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedFilter {
    Read,
    Ignored,
}

/// All parameters that shape a list. They are parsed once and echoed in `meta`.
pub struct ListRequest {
    pub filter: Filter,
    pub include: Include,
    pub icon: Icon,
    pub spellings: Spellings,
    echo: Echo,
}

impl ListRequest {
    pub fn read(params: &Params, times: ChangedFilter, dialect: Dialect, errors: &mut FieldErrors) -> Self {
        let emails = params.emails("email_list", errors);
        let identifiers = params.identifiers("institution_id_list", errors);
        let include = Include::read(params, dialect);
        let icon = Icon::read(params, dialect, errors);
        let mut echo = Echo::default();
        echo.list("email_list", &emails, params);
        echo.list("institution_id_list", &identifiers, params);
        let mut echo_text = |name| echo.set(name, params.text(name).map(|value| value.into_owned()));
        echo_text("play_button_img_url");
        let changed = match times {
            ChangedFilter::Read => {
                echo_text("updated_after");
                echo_text("updated_before");
                params.changed(errors)
            }
            ChangedFilter::Ignored => Changed::default(),
        };
        echo.set("icon_code", icon.code.map(|code| code.to_string()));
        echo.set("include", Some(include.words()).filter(|words| !words.is_empty()));
        let spellings = Spellings::new(emails.iter().map(|email| email.shown.as_str()));
        let keys = |all: Vec<LookupKey>| all.into_iter().map(|wanted| wanted.key).collect();
        let filter = Filter { page: None, emails: keys(emails), identifiers: keys(identifiers), changed };
        Self { filter, include, icon, spellings, echo }
    }

    /// `path` is relative to the base URL. Without a window the response is a single page.
    pub fn address(&self, app: &App, path: &str, window: Option<Window>) -> Address {
        Address { start: format!("{}{path}", app.links.base()), echo: self.echo.clone(), window }
    }
}

#[derive(Debug, Clone, Default)]
struct Echo {
    values: BTreeMap<&'static str, String>,
    /// Lists from the body. Clients send the body again for the next page, so the URL may omit them.
    in_body: BTreeMap<&'static str, String>,
}

impl Echo {
    fn set(&mut self, name: &'static str, value: Option<String>) {
        if let Some(value) = value {
            self.values.insert(name, value);
        }
    }

    fn list(&mut self, name: &'static str, entries: &[LookupKey], params: &Params) {
        if !entries.is_empty() {
            let shown: Vec<&str> = entries.iter().map(|wanted| wanted.shown.as_str()).collect();
            // An entry with a comma would be split; as a JSON array it is not.
            let has_comma = shown.iter().any(|entry| entry.contains(','));
            let text = if has_comma { json!(shown).to_string() } else { shown.join(",") };
            let echo = if params.in_body(name) { &mut self.in_body } else { &mut self.values };
            echo.insert(name, text);
        }
    }
}

/// The URL of the current page and of the next one.
#[derive(Debug, Clone)]
pub struct Address {
    start: String,
    echo: Echo,
    window: Option<Window>,
}

/// Longer URLs are not safe everywhere. The lists are omitted then, since clients send the body again.
const MAX_URL: usize = 8_000;

impl Address {
    pub fn plain(app: &App, path: &str, window: Window) -> Self {
        Self { start: format!("{}{path}", app.links.base()), echo: Echo::default(), window: Some(window) }
    }

    fn of(&self, page: u64) -> String {
        // Encoding makes nothing shorter, so lists that are already too long need not be encoded.
        let lists: usize = self.echo.in_body.values().map(String::len).sum();
        let whole = (lists <= MAX_URL).then(|| self.written(page, true));
        whole.filter(|whole| whole.len() <= MAX_URL).unwrap_or_else(|| self.written(page, false))
    }

    fn written(&self, page: u64, with_lists: bool) -> String {
        let mut all: BTreeMap<&str, &str> =
            self.echo.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        if with_lists {
            all.extend(self.echo.in_body.iter().map(|(name, value)| (*name, value.as_str())));
        }
        let numbers = self.window.map(|window| (page.to_string(), window.per_page.to_string()));
        if let Some((page, per_page)) = &numbers {
            all.extend([("page", page.as_str()), ("per_page", per_page.as_str())]);
        }
        all.insert("format", "json");
        let query: Vec<String> =
            all.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        format!("{}?{}", self.start, query.join("&"))
    }
}

#[derive(Serialize)]
pub struct Meta {
    self_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_url: Option<String>,
    total_count: u64,
    total_pages: u64,
    count: u64,
}

impl Meta {
    pub fn new(address: &Address, total_count: u64, count: u64) -> Self {
        let (page, total_pages) = match address.window {
            Some(window) => (window.page, window.pages(total_count)),
            None => (1, u64::from(total_count > 0)),
        };
        Self {
            self_url: address.of(page),
            next_page_url: (page < total_pages).then(|| address.of(page + 1)),
            total_count,
            total_pages,
            count,
        }
    }
}

/// The JSON around the records of a list in one version.
pub struct Frame {
    pub open: &'static str,
    /// Follows `meta`, or the records if there is no `meta`.
    pub close: &'static str,
}

/// The size of most records. The buffer of a list grows a few times instead of ten.
const USUAL_RECORD: usize = 512;

/// Serializes one record.
pub type Write = Box<dyn Fn(&Participant, &mut Vec<u8>) + Send + Sync>;

struct ListStream {
    app: App,
    listing: Listing,
    write: Write,
    address: Option<Address>,
    frame: Frame,
    count: u64,
    begun: bool,
    /// Held until the client has read the response.
    _slot: Option<Slot>,
}

impl ListStream {
    /// The next chunk of the body, and whether it was the last.
    async fn chunk(&mut self) -> Result<(Vec<u8>, bool), Problem> {
        let mut out = Vec::with_capacity(1_024);
        if !self.begun {
            self.begun = true;
            out.extend_from_slice(self.frame.open.as_bytes());
        }
        let Some(group) = self.listing.next(&self.app).await else {
            out.push(b']');
            if let Some(address) = &self.address {
                out.extend_from_slice(b",\"meta\":");
                let meta = Meta::new(address, self.listing.total.unwrap_or(self.count), self.count);
                serde_json::to_writer(&mut out, &meta).map_err(serialization_error)?;
            }
            out.extend_from_slice(self.frame.close.as_bytes());
            return Ok((out, true));
        };
        let group = group?;
        out.reserve(group.len() * USUAL_RECORD);
        for person in group {
            if self.count > 0 {
                out.push(b',');
            }
            self.count += 1;
            (self.write)(&person, &mut out);
        }
        Ok((out, false))
    }
}

pub fn serialization_error(error: serde_json::Error) -> Problem {
    Problem::App(crate::app::Error::Internal(error.to_string()))
}

/// Sends a short list with a `Content-Length` and streams a long one.
pub async fn respond(
    app: &App,
    listing: Listing,
    write: Write,
    address: Option<Address>,
    frame: Frame,
) -> Result<Response, Problem> {
    let long = listing.is_long();
    let slot = listing.slot(app).await?;
    let mut stream_state =
        ListStream { app: app.clone(), listing, write, address, frame, count: 0, begun: false, _slot: slot };
    // The status is sent with the first chunk: a later error can only abort the connection.
    let (mut whole, mut ended) = stream_state.chunk().await?;
    while !ended && !long {
        let (chunk, last) = stream_state.chunk().await?;
        whole.extend_from_slice(&chunk);
        ended = last;
    }
    if ended {
        return Ok(reply::raw_json(StatusCode::OK, Body::from(whole)));
    }
    let rest = stream::unfold(Some((stream_state, Some(whole))), |state| async {
        let (mut stream_state, first) = state?;
        if let Some(first) = first {
            return Some((Ok(Bytes::from(first)), Some((stream_state, None))));
        }
        match stream_state.chunk().await {
            Ok((chunk, last)) => Some((Ok(Bytes::from(chunk)), (!last).then_some((stream_state, None)))),
            Err(problem) => {
                tracing::error!(?problem, "list response aborted");
                Some((Err(std::io::Error::other("list response aborted")), None))
            }
        }
    });
    Ok(reply::raw_json(StatusCode::OK, Body::from_stream(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(list: String) -> Address {
        let mut echo = Echo::default();
        echo.set("include", Some("embeddables".to_owned()));
        echo.in_body.insert("email_list", list);
        Address { start: "http://x/y".to_owned(), echo, window: Some(Window { page: 1, per_page: 9 }) }
    }

    #[test]
    fn lists_that_are_too_long_for_an_address_are_omitted() {
        let without = "http://x/y?format=json&include=embeddables&page=2&per_page=9";
        for (list, is_shown) in [
            (String::new(), true),
            ("a".repeat(MAX_URL - 100), true),
            ("@".repeat(MAX_URL / 4), true),
            // Too long only when encoded.
            ("@".repeat(MAX_URL / 3), false),
            ("a".repeat(MAX_URL), false),
            ("a".repeat(MAX_URL + 1), false),
        ] {
            let address = address(list.clone());
            let shown = address.of(2);
            assert_eq!(shown.contains("email_list="), is_shown, "{} characters", list.len());
            let whole = address.written(2, true);
            assert_eq!(shown, if whole.len() > MAX_URL { without.to_owned() } else { whole });
        }
    }
}
