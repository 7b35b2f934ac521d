//! All variable texts of the LTI pages. A message is one value with its arguments and is turned into whole sentences only here,
//! so that a message catalog for another language can replace this file. Constant texts are in the templates.

use endonym_media::sound;

use crate::{
    app::lti::Refusal,
    domain::{fault::Fault, ids::ToolConsumerId, lti, media::MediaFault, moment::Moment},
    http::html::{escape, isolate, with_isolates},
    words::Words,
};

/// A sentence on a page.
pub enum Message<'a> {
    CourseTitle { course: &'a str },
    OwnTitle { name: &'a str },
    PlayName { name: &'a str },
    FetchingList,
    Synchronizing { list_of: &'a Time },
    FetchFailed { why: &'a str },
    SynchronizationFailed { list_of: &'a Time, why: &'a str },
    Synchronized { at: &'a Time },
    NotSynchronized,
    NobodyFound { search: &'a str },
    Found { count: u64 },
    PageOf { page: u64, pages: u64 },
    WillBeCalled { number: Option<&'a str> },
    DetailsSaved,
    RecordingSaved,
    CallScheduled,
    NoFileChosen,
    FileTooLarge,
    Busy,
    Fault { input: Input, fault: &'a Fault },
}

/// An input of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    Phonetic,
    Notes,
    PhoneNumber,
    Recording,
    LinkTitle,
}

impl Message<'_> {
    pub fn text(&self) -> String {
        match self {
            Self::CourseTitle { course } => format!("{course}: names and how they are said"),
            Self::OwnTitle { name } => format!("{name}: how it is said"),
            Self::PlayName { name } => format!("Play the name of {}", isolate(name)),
            Self::FetchingList => "The list is being fetched from your learning system.".into(),
            Self::Synchronizing { list_of } => {
                format!("Being synchronized now. The list is as of {}.", isolate(&list_of.shown))
            }
            Self::FetchFailed { why } => format!("The list could not be fetched: {why}."),
            Self::SynchronizationFailed { list_of, why } => format!(
                "The list is as of {}. The last attempt to synchronize it did not work: {why}.",
                isolate(&list_of.shown)
            ),
            Self::Synchronized { at } => {
                format!("Synchronized with your learning system on {}.", isolate(&at.shown))
            }
            Self::NotSynchronized => "Not synchronized with your learning system yet.".into(),
            Self::NobodyFound { search } => format!("Nobody here is called {}.", isolate(search)),
            Self::Found { count } => format!("{count} found."),
            Self::PageOf { page, pages } => format!("Page {page} of {pages}"),
            Self::WillBeCalled { number: Some(number) } => {
                format!("You will be called at {}. Say your name when you are asked to.", isolate(number))
            }
            Self::WillBeCalled { number: None } => {
                "You will be called. Say your name when you are asked to.".into()
            }
            Self::DetailsSaved => "Saved.".into(),
            Self::RecordingSaved => "Your recording has been saved. Please listen to it once.".into(),
            Self::CallScheduled => "You will be called.".into(),
            Self::NoFileChosen => "Please choose a file first.".into(),
            Self::FileTooLarge => "This file is too large for a recording of a name.".into(),
            Self::Busy => "The server is busy. Please try again in a moment.".into(),
            Self::Fault { input, fault } => input.fault(fault),
        }
    }

    /// The same as HTML. Arguments are isolated (bidi) by elements instead of characters.
    pub fn html(&self) -> String {
        let html = with_isolates(&self.text());
        match self {
            Self::Synchronizing { list_of: time }
            | Self::SynchronizationFailed { list_of: time, .. }
            | Self::Synchronized { at: time } => {
                let (exact, shown) = (escape(&time.exact), escape(&time.shown));
                let element = format!("<time datetime=\"{exact}\">{shown}</time>");
                html.replacen(&format!("<bdi>{shown}</bdi>"), &element, 1)
            }
            _ => html,
        }
    }
}

impl Input {
    fn fault(self, fault: &Fault) -> String {
        match fault {
            Fault::Blank => match self {
                Self::Phonetic => "The phonetic spelling can't be blank.".into(),
                Self::Notes => "The notes can't be blank.".into(),
                Self::PhoneNumber => "The phone number can't be blank.".into(),
                Self::Recording => "Please choose a file first.".into(),
                Self::LinkTitle => "The title can't be blank.".into(),
            },
            Fault::TooLong { most } => match self {
                Self::Phonetic => {
                    format!("The phonetic spelling is too long (maximum is {most} characters).")
                }
                Self::Notes => format!("The notes are too long (maximum is {most} characters)."),
                Self::PhoneNumber => {
                    format!("The phone number is too long (maximum is {most} characters).")
                }
                Self::Recording => "This file is too large for a recording of a name.".into(),
                Self::LinkTitle => format!("The title is too long (maximum is {most} characters)."),
            },
            Fault::NotCallable => {
                "This number cannot be called from here. Please try another number, or upload a recording."
                    .into()
            }
            Fault::TooManyCalls { calls, numbers } => format!(
                "This number cannot be called now: in a day you can be called {calls} times, and at {numbers} \
                 numbers. Please try again tomorrow, or upload a recording."
            ),
            Fault::NoConsent => Words::default().text("data-consent-needed"),
            Fault::Media(fault) => media(fault),
            Fault::Invalid
            | Fault::ControlCharacter
            | Fault::AllBlank
            | Fault::BothBlank
            | Fault::TooManyEntries { .. }
            | Fault::Taken
            | Fault::NotIncluded
            | Fault::NotFound
            | Fault::NotANumber
            | Fault::TooSmall { .. }
            | Fault::NotATime
            | Fault::NotPeople
            | Fault::NotAPhoneNumber
            | Fault::PendingCalls
            | Fault::Setup(_)
            | Fault::Call(_)
            | Fault::NotText => match self {
                Self::Phonetic => "The phonetic spelling has characters in it that cannot be used.".into(),
                Self::Notes => "The notes have characters in them that cannot be used.".into(),
                Self::PhoneNumber => "This is not a phone number that exists.".into(),
                Self::Recording => "This is not a recording that can be used.".into(),
                Self::LinkTitle => "The title has characters in it that cannot be used.".into(),
            },
        }
    }
}

fn media(fault: &MediaFault) -> String {
    match fault {
        MediaFault::Sound(sound::Refusal::NotSound) => {
            "This is not a recording that can be used. Please choose a WAV, MP3, M4A, AAC, Ogg, WebM or FLAC file."
                .into()
        }
        MediaFault::Sound(sound::Refusal::Damaged) => {
            "This recording is damaged or incomplete. Please record it or upload it again.".into()
        }
        MediaFault::Sound(sound::Refusal::Unusual) => {
            "This recording has a sample rate or a number of channels that cannot be used. Please record in mono or stereo at \
             8 to 192 kHz."
                .into()
        }
        MediaFault::Sound(sound::Refusal::TooLarge { most }) => {
            format!("This recording is larger than {} MiB. Please choose a smaller file.", mebibytes(*most))
        }
        MediaFault::Sound(sound::Refusal::TooLong { longest }) => {
            format!("This recording is longer than {} seconds. Please say only your name.", longest.as_secs_f64())
        }
        MediaFault::Sound(sound::Refusal::TooShort { shortest }) => format!(
            "This recording has less than {} seconds of sound. Please say your whole name.",
            shortest.as_secs_f64()
        ),
        MediaFault::Sound(sound::Refusal::Silent) => {
            "This recording is silent. Please check your microphone and record it again.".into()
        }
        MediaFault::Picture(_) => "This is not a picture that can be used.".into(),
        MediaFault::NotAnObject | MediaFault::DataUrl | MediaFault::NotBase64 => {
            "This is not a recording that can be used.".into()
        }
    }
}

fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / 1_048_576.0
}

/// A time in machine-readable and human-readable form.
pub struct Time {
    exact: String,
    shown: String,
}

impl Time {
    /// In the institution's time zone, which is named because the reader may be elsewhere.
    pub fn new(zone: &jiff::tz::TimeZone, at: Moment) -> Self {
        let at = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default().to_zoned(zone.clone());
        let abbreviation = at.strftime("%Z").to_string();
        // Many zones have no abbreviation, only an offset.
        let has_letters = abbreviation.chars().all(|letter| letter.is_ascii_alphabetic());
        let zone = if has_letters { abbreviation } else { at.strftime("UTC%:z").to_string() };
        Self {
            exact: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            shown: format!("{} {zone}", at.strftime("%-d %B %Y, %H:%M")),
        }
    }
}

/// A page that consists of a title and some sentences.
pub enum Notice<'a> {
    NothingHere,
    Trouble,
    Unreadable,
    TooLarge,
    TooSlow,
    Busy,
    Refused(&'a Refusal),
    /// The registration link was opened directly instead of being entered in the learning system.
    RegistrationLink,
    Registered {
        name: &'a str,
        id: ToolConsumerId,
        is_update: bool,
        has_deployment: bool,
    },
}

pub struct Explanation {
    pub title: &'static str,
    pub sentences: Vec<String>,
}

fn explain<const N: usize>(title: &'static str, sentences: [&str; N]) -> Explanation {
    Explanation { title, sentences: sentences.map(str::to_owned).into() }
}

const REOPEN: &str = "Please open it again from your course.";
const CONTACT_ADMINISTRATOR: &str =
    "If that does not help, please tell the administrator of your learning system.";

impl Notice<'_> {
    pub fn explain(&self) -> Explanation {
        match self {
            Self::NothingHere => explain("Nothing here", ["There is nothing at this address.", REOPEN]),
            Self::Trouble => explain(
                "Something went wrong",
                ["This could not be done just now. It is not your fault; please try again in a moment."],
            ),
            Self::Unreadable => explain("This did not work", ["What was sent cannot be read."]),
            Self::TooLarge => explain("This did not work", ["What was sent is too large."]),
            Self::TooSlow => explain("This did not work", ["What was sent took too long to arrive."]),
            Self::Busy => explain("This did not work", ["The server is busy. Please try again in a moment."]),
            Self::Refused(why) => refusal(why),
            Self::RegistrationLink => explain(
                "Give this link to your learning system",
                [
                    "This link is for your learning system: paste it where a new LTI tool is registered, as its \
                     registration URL.",
                    "In Moodle that is Site administration, Plugins, External tool, Manage tools. In others look for \
                     dynamic registration.",
                ],
            ),
            Self::Registered { name, id, is_update, has_deployment } => {
                let name = isolate(name);
                let (title, done) = if *is_update {
                    ("Updated", format!("{name} is up to date, under the ID {id}."))
                } else {
                    ("Registered", format!("{name} is registered, under the ID {id}."))
                };
                let next = match (has_deployment, is_update) {
                    (true, true) => "Everything that was set up here stays as it was.".to_owned(),
                    (true, false) => {
                        "It may have to be activated in your learning system before it can be used."
                            .to_owned()
                    }
                    (false, _) => format!(
                        "Your learning system did not say its deployment ID. The operator of this site adds it with \
                         endonym tool-consumer update {id} --deployment-id and the ID that your learning system shows."
                    ),
                };
                Explanation { title, sentences: vec![done, next] }
            }
        }
    }
}

fn refusal(why: &Refusal) -> Explanation {
    match why {
        Refusal::Incomplete(_) => explain(
            "Nothing to open",
            ["This address is for learning systems, which send more than has come here.", REOPEN],
        ),
        Refusal::UnknownPlatform => explain(
            "This learning system is not known here",
            ["It has not been registered, or its issuer and client ID are not those that were registered."],
        ),
        Refusal::Disabled => explain(
            "This connection is switched off",
            ["The connection between your learning system and this site has been switched off."],
        ),
        Refusal::ForeignTarget => explain(
            "This link leads elsewhere",
            ["The link in your course leads to an address that does not belong to this site."],
        ),
        Refusal::UnknownState | Refusal::Late => explain(
            "This has been opened already",
            ["A launch can be used once, and only for a few minutes.", REOPEN],
        ),
        Refusal::OtherBrowser(query) => explain(
            "Your browser keeps this page from working here",
            [
                "It does not let this site keep a cookie inside the page of your learning system, so that nobody can tell \
                 whether it is really you who opened it.",
                if query.is_empty() { REOPEN } else { "In a window of its own it works." },
            ],
        ),
        Refusal::Platform(said) => Explanation {
            title: "Your learning system did not let you in",
            sentences: vec![format!("It said: {}", isolate(&said.said)), REOPEN.to_owned()],
        },
        Refusal::NoKeys(_) => explain(
            "Your learning system cannot be reached just now",
            ["Its public keys, which verify its messages, cannot be fetched.", REOPEN, CONTACT_ADMINISTRATOR],
        ),
        Refusal::Claims(lti::Fault::Deployment(deployment)) => Explanation {
            title: "This deployment is not known here",
            sentences: vec![
                format!("Your learning system calls it {}.", isolate(&shortened(deployment))),
                "The operator of this site can add it with “endonym tool-consumer update ID --deployment-id”."
                    .to_owned(),
            ],
        },
        Refusal::Claims(lti::Fault::NoLinks) => explain(
            "No link can be added here",
            ["Your learning system asks for something other than a link."],
        ),
        Refusal::Token(_) | Refusal::Claims(_) => explain(
            "This launch cannot be trusted",
            ["What your learning system has sent is not as it should be.", REOPEN, CONTACT_ADMINISTRATOR],
        ),
        Refusal::NoCourse => explain(
            "This is not a course",
            ["The pages here belong to courses, and the link was opened outside of one."],
        ),
        Refusal::NoPart => explain(
            "There is nothing for you to do here",
            ["These pages are for those who teach in a course and for those who learn in it."],
        ),
        Refusal::Preview => explain(
            "You are looking at this as a student",
            [
                "Those who learn in this course find their own name here, to hear it, to write how it is said and to record \
                 it.",
                "You are not added to the list of students.",
            ],
        ),
        Refusal::Anonymous => explain(
            "Your learning system does not say who you are",
            ["Without that, your own name cannot be shown.", CONTACT_ADMINISTRATOR],
        ),
        Refusal::NoSession => {
            explain("This page is closed", ["It was open for some hours, or in another browser.", REOPEN])
        }
        Refusal::UnknownInvite => explain(
            "This invitation cannot be used",
            [
                "Learning systems register by a link that is good once and for seven days. The operator of this site makes one \
                 with “endonym tool-consumer invite”.",
            ],
        ),
        Refusal::Registration(why) => Explanation {
            title: "The registration did not work",
            sentences: vec![format!("Why: {why}."), "The link can be used again.".to_owned()],
        },
        Refusal::TooMany => explain(
            "Too many at once",
            [
                "More pages were opened from your network than can be opened at once. Please try again in a minute.",
            ],
        ),
    }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_zone() {
        let at = Moment::from_micros(1_794_000_000_000_000);
        for (zone, shown, exact) in [
            ("Europe/Vienna", "6 November 2026, 22:20 CET", "2026-11-06T22:20:00+01:00"),
            ("America/Sao_Paulo", "6 November 2026, 18:20 UTC-03:00", "2026-11-06T18:20:00-03:00"),
            ("Asia/Kathmandu", "7 November 2026, 03:05 UTC+05:45", "2026-11-07T03:05:00+05:45"),
            ("UTC", "6 November 2026, 21:20 UTC", "2026-11-06T21:20:00+00:00"),
        ] {
            let time = Time::new(&jiff::tz::TimeZone::get(zone).unwrap(), at);
            assert_eq!((time.shown.as_str(), time.exact.as_str()), (shown, exact), "{zone}");
        }
    }

    #[test]
    fn arguments_are_isolated_and_escaped_in_html() {
        let html = Message::NobodyFound { search: "<b>\u{2069}א" }.html();
        assert_eq!(html, "Nobody here is called <bdi>&lt;b&gt;א</bdi>.");
        let at = Time::new(&jiff::tz::TimeZone::UTC, Moment::from_micros(0));
        assert_eq!(
            Message::SynchronizationFailed { list_of: &at, why: "a < b" }.html(),
            "The list is as of <time datetime=\"1970-01-01T00:00:00+00:00\">1 January 1970, 00:00 UTC</time>. The last \
             attempt to synchronize it did not work: a &lt; b."
        );
    }

    #[test]
    fn a_fault_is_a_whole_sentence_about_its_input() {
        let said = |input, fault: Fault| Message::Fault { input, fault: &fault }.text();
        assert_eq!(
            said(Input::Notes, Fault::TooLong { most: 10_000 }),
            "The notes are too long (maximum is 10000 characters)."
        );
        assert_eq!(
            said(Input::PhoneNumber, Fault::NotAPhoneNumber),
            "This is not a phone number that exists."
        );
        assert_eq!(
            said(Input::Recording, MediaFault::Sound(sound::Refusal::Silent).into()),
            "This recording is silent. Please check your microphone and record it again."
        );
    }
}
