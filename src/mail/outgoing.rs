//! A message as it is transmitted: MIME, headers and envelope.

use std::time::{Duration, SystemTime};

use lettre::{
    Address, Message,
    message::{
        Mailbox as Sender, MultiPart,
        header::{HeaderName, HeaderValue},
    },
};
use url::Host;

use super::{Fault, render::Rendered};
use crate::domain::{email::Email, ids::MessageId, moment::Moment};

/// An address with an optional display name, such as `Names at Example <names@example.edu>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    name: Option<Line>,
    address: Address,
}

impl Mailbox {
    pub fn parse(given: &str) -> Option<Self> {
        let given = given.trim();
        let (name, email) = match given.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
            Some((name, email)) => (name.trim(), email),
            None => ("", given),
        };
        let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let name = quoted.map_or_else(|| name.to_owned(), |inside| inside.replace("\\\"", "\""));
        if name.chars().any(char::is_control) {
            return None;
        }
        let address = address(&Email::parse(email)?)?;
        Some(Self { name: (!name.is_empty()).then(|| Line::new(&name)), address })
    }

    pub fn domain(&self) -> &str {
        self.address.domain()
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    fn to_lettre(&self) -> Sender {
        Sender::new(self.name.as_ref().map(|name| name.0.clone()), self.address.clone())
    }
}

/// Text without control characters, so that it cannot end a header.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line(String);

impl Line {
    fn new(text: &str) -> Self {
        Self(text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
    }
}

/// The address for the mail server: the domain in ASCII (IDNA), because few servers accept anything else.
pub fn address(email: &Email) -> Option<Address> {
    let (local, domain) = email.as_given().rsplit_once('@')?;
    let domain = Host::parse(domain).ok()?.to_string();
    Address::new(local, &domain).ok().or_else(|| {
        // Some providers have given out addresses that the standard does not allow, such as `a..b@docomo.ne.jp`.
        let is_harmless = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
        local.chars().all(is_harmless).then(|| Address::new_dangerous(local, &domain))
    })
}

/// A message to one recipient.
#[derive(Debug, Clone)]
pub struct OutgoingMail {
    pub id: MessageId,
    pub to: Email,
    pub reply_to: Option<Mailbox>,
    pub content: Rendered,
    /// Where the recipient can stop such messages with one click (RFC 8058).
    pub unsubscribe: Option<String>,
    pub date: Moment,
}

/// A mail ready for transmission.
pub struct Formatted {
    pub from: Address,
    pub to: Address,
    pub bytes: Vec<u8>,
}

impl OutgoingMail {
    /// Every attempt has the same `Message-ID`, so that two copies would be recognized as the same message.
    pub fn message_id(&self, from: &Mailbox) -> String {
        format!("<endonym-{}@{}>", self.id, from.domain())
    }

    pub fn format(&self, from: &Mailbox) -> Result<Formatted, Fault> {
        let unreachable =
            || Fault::Recipient(format!("mail cannot be addressed to `{}`", self.to.as_given()));
        let to = address(&self.to).ok_or_else(unreachable)?;
        let micros = Duration::from_micros(self.date.micros().unsigned_abs());
        let mut builder = Message::builder()
            .from(from.to_lettre())
            .to(Sender::new(None, to.clone()))
            .subject(Line::new(&self.content.subject).0)
            .message_id(Some(self.message_id(from)))
            .date(SystemTime::UNIX_EPOCH + micros)
            .raw_header(HeaderValue::new(
                HeaderName::new_from_ascii_str("Auto-Submitted"),
                "auto-generated".to_owned(),
            ));
        if let Some(reply_to) = &self.reply_to {
            builder = builder.reply_to(reply_to.to_lettre());
        }
        if let Some(link) = &self.unsubscribe {
            let (name, post) = (
                HeaderName::new_from_ascii_str("List-Unsubscribe"),
                HeaderName::new_from_ascii_str("List-Unsubscribe-Post"),
            );
            builder = builder
                .raw_header(one_line(name, &format!("<{link}>")))
                .raw_header(one_line(post, "List-Unsubscribe=One-Click"));
        }
        let body = MultiPart::alternative_plain_html(self.content.text.clone(), self.content.html.clone());
        let message = builder.multipart(body).map_err(|error| Fault::Permanent(error.to_string()))?;
        Ok(Formatted { from: from.address.clone(), to, bytes: message.formatted() })
    }
}

/// A header that is not folded: some mail servers change folded ones, which breaks the signature (DKIM) that must cover it.
fn one_line(name: HeaderName, value: &str) -> HeaderValue {
    // It cannot be encoded either. A link has no other characters.
    let value: String = value.chars().filter(char::is_ascii_graphic).collect();
    HeaderValue::dangerous_new_pre_encoded(name, value.clone(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(from: &str, to: &str, subject: &str) -> String {
        let mail = OutgoingMail {
            id: MessageId::new(7),
            to: Email::parse(to).unwrap(),
            reply_to: Mailbox::parse("Büro <office@example.edu>"),
            content: Rendered { subject: subject.into(), text: "Text".into(), html: "<p>HTML</p>".into() },
            unsubscribe: Some(format!(
                "https://names.example.edu/u/{}\r\nBcc: eve@example.org",
                "a".repeat(400)
            )),
            date: Moment::from_micros(1_767_225_600_000_000),
        };
        String::from_utf8(mail.format(&Mailbox::parse(from).unwrap()).unwrap().bytes).unwrap()
    }

    #[test]
    fn headers_name_sender_recipient_date_and_a_stable_id() {
        let text = formatted("Names at Example <names@example.edu>", "ana@example.org", "Hello");
        for line in [
            "From: \"Names at Example\" <names@example.edu>\r\n",
            "To: ana@example.org\r\n",
            "Subject: Hello\r\n",
            "Message-ID: <endonym-7@example.edu>\r\n",
            "Date: Thu, 01 Jan 2026 00:00:00 +0000\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Reply-To: =?utf-8?b?QsO8cm8=?= <office@example.edu>\r\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert!(text.contains("Content-Type: multipart/alternative;"), "{text}");
    }

    #[test]
    fn one_click_headers_are_on_one_line_and_cannot_add_another() {
        let text = formatted("names@example.edu", "ana@example.org", "Hello");
        let lines: Vec<&str> = text.split("\r\n").collect();
        let link = format!("List-Unsubscribe: <https://names.example.edu/u/{}", "a".repeat(400));
        assert!(lines.iter().any(|line| line.starts_with(&link) && line.ends_with('>')), "{text}");
        assert!(lines.contains(&"List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{text}");
        assert!(!lines.iter().any(|line| line.to_lowercase().starts_with("bcc:")), "{text}");
    }

    #[test]
    fn a_subject_or_a_name_cannot_add_a_header() {
        let text = formatted("names@example.edu", "ana@example.org", "Hello\r\nBcc: eve@example.org\n\n<p>");
        assert!(!text.lines().any(|line| line.to_lowercase().starts_with("bcc:")), "{text}");
        assert_eq!(text.matches("Subject:").count(), 1);
        for given in
            ["A\r\nBcc: eve@example.org <a@example.edu>", "A <a@example.edu\r\nBcc: x@y>", "A <>", "", "x"]
        {
            assert_eq!(Mailbox::parse(given), None, "{given:?}");
        }
    }

    #[test]
    fn international_domains_are_sent_in_ascii_and_local_parts_as_they_are() {
        for (given, sent) in [
            ("ana@exämple.de", "ana@xn--exmple-cua.de"),
            ("用户@例子.中国", "用户@xn--fsqu00a.xn--fiqs8s"),
            ("a..b@docomo.ne.jp", "a..b@docomo.ne.jp"),
            ("Ana.Lima+roll@Example.EDU", "Ana.Lima+roll@example.edu"),
            ("user@localhost", "user@localhost"),
        ] {
            let address = address(&Email::parse(given).unwrap()).unwrap();
            assert_eq!(AsRef::<str>::as_ref(&address), sent);
        }
    }

    #[test]
    fn a_sender_may_have_a_name_in_any_script() {
        for (given, name, address) in [
            ("names@example.edu", None, "names@example.edu"),
            ("名前 <names@example.edu>", Some("名前"), "names@example.edu"),
            ("\"Names, \\\"really\\\"\" <names@example.edu>", Some("Names, \"really\""), "names@example.edu"),
        ] {
            let mailbox = Mailbox::parse(given).unwrap();
            assert_eq!(mailbox.name.as_ref().map(|name| name.0.as_str()), name);
            assert_eq!(mailbox.address.to_string(), address);
        }
    }
}
