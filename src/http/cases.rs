//! The queue of moderation on pages (`templates/parts/cases.html`): of one name page, and of all pages that a member runs.

use jiff::tz::TimeZone;

use super::{custom_field, field_labels::label_id, form::Form};
use crate::{
    app::{
        App,
        moderation::{Decision, Entry, Explanation, Listed, Outcome, Queue},
    },
    domain::{
        custom_field::CustomField,
        fault::Fault,
        field_errors::FieldErrors,
        ids::ModerationId,
        moderation::{About, Case, CaseKind, CaseState, Complaint, LONGEST, REASON},
        moment::Moment,
        participant::Participant,
    },
    words::Words,
};

/// The value of the parameter `list` for decided cases.
const DECIDED: &str = "decided";

/// The queue, or a part of it, as the template shows it.
pub struct QueueView<'a> {
    /// The path of the queue, with the root.
    pub path: &'a str,
    /// The list of decided cases is shown.
    pub is_decided: bool,
    /// The value of the parameter `list`.
    pub list: &'static str,
    pub rows: Vec<CaseRow<'a>>,
    /// The path of the next part.
    pub more: Option<String>,
    /// The longest reason.
    pub longest: usize,
    /// The sentence about what was just done.
    pub done: Option<String>,
    /// The sentence about what could not be done.
    pub trouble: Option<String>,
}

impl<'a> QueueView<'a> {
    pub fn new(frame: Frame<'a>, listed: Listed, queue: &'a Queue, told: Told) -> Self {
        let (Frame { words, path, .. }, list) = (frame, list_word(listed));
        Self {
            path,
            is_decided: listed == Listed::Decided,
            list,
            rows: rows(frame, queue, told.rejected),
            more: queue.next.map(|id| format!("{path}?list={list}&after={id}")),
            longest: LONGEST,
            done: told.done.map(|id| words.text(id)),
            trouble: told.trouble.map(|id| words.text(id)),
        }
    }
}

pub struct CaseRow<'a> {
    pub id: ModerationId,
    pub name: String,
    pub phonetic: Option<&'a str>,
    /// What else an entry shows: labels and values.
    pub facts: Vec<(String, String)>,
    /// The path of the entry's picture.
    pub photo: Option<String>,
    /// It is about the whole entry.
    pub is_entry: bool,
    /// The person has paused the recording or withdrawn their consent.
    pub is_silenced: bool,
    /// The title of the name page, where several are listed.
    pub page: Option<&'a str>,
    pub hex: &'a str,
    /// Escaped, like the other two sentences with a date.
    pub about: String,
    pub sentences: Vec<&'a str>,
    /// Who has decided what, and when.
    pub decided: Option<String>,
    pub reason: Option<&'a str>,
    /// How long it can be restored.
    pub until: Option<String>,
    /// The path of the recording.
    pub sound: Option<String>,
    pub buttons: Vec<Button>,
    /// The form that needs a reason.
    pub refusal: Option<RefusalForm>,
}

pub struct Button {
    pub word: &'static str,
    /// The key that presses it.
    pub key: &'static str,
    pub label: String,
}

pub struct RefusalForm {
    pub word: &'static str,
    pub summary: String,
    pub label: String,
    pub hint: String,
    pub typed: String,
    pub fault: Option<String>,
}

/// A reason that was not accepted.
pub struct RejectedReason {
    pub case: ModerationId,
    pub typed: String,
    pub fault: String,
}

impl RejectedReason {
    pub fn new(words: Words, case: ModerationId, form: &Form, errors: &FieldErrors) -> Self {
        let fault = match errors.of(&REASON).first() {
            Some(Fault::TooLong { most }) => words.one("me-fault-long", "most", *most as u64),
            Some(Fault::ControlCharacter) => words.text("me-fault-characters"),
            _ => words.text("moderation-fault-reason"),
        };
        Self { case, typed: form.get("reason").unwrap_or_default().to_owned(), fault }
    }
}

/// What is shown besides the list.
#[derive(Default)]
pub struct Told {
    /// The ids of sentences.
    done: Option<&'static str>,
    trouble: Option<&'static str>,
    rejected: Option<RejectedReason>,
}

impl Told {
    /// What was just done, and what could not be done, by the parameter `done`.
    pub fn by(query: &Form) -> Self {
        let is_entry = query.get("about") == Some(About::Entry.word());
        let (done, trouble) = match query.get("done") {
            Some("approve" | "restore") if is_entry => (Some("moderation-done-entry-shown"), None),
            Some("reject" | "remove") if is_entry => (Some("moderation-done-entry-refused"), None),
            Some("newer") if is_entry => (None, Some("moderation-done-entry-newer")),
            Some("silenced") => (None, Some("moderation-done-silenced")),
            Some("approve") => (Some("moderation-done-approved"), None),
            Some("reject") => (Some("moderation-done-rejected"), None),
            Some("remove") => (Some("moderation-done-removed"), None),
            Some("dismiss") => (Some("moderation-done-dismissed"), None),
            Some("restore") => (Some("moderation-done-restored"), None),
            Some("decided") => (None, Some("moderation-done-decided")),
            Some("newer") => (None, Some("moderation-done-newer")),
            _ => (None, None),
        };
        Self { done, trouble, rejected: None }
    }

    /// There is no such recording: its owner may have deleted it.
    pub fn gone() -> Self {
        Self { trouble: Some("moderation-gone"), ..Self::default() }
    }

    pub fn rejected(reason: RejectedReason) -> Self {
        Self { rejected: Some(reason), ..Self::default() }
    }
}

/// Which list a query names, and behind which case it begins.
pub fn place(query: &Form) -> (Listed, Option<ModerationId>) {
    (listed(query), query.get("after").and_then(|id| id.parse().ok()))
}

/// Which list a query or a form names.
pub fn listed(form: &Form) -> Listed {
    if form.get("list") == Some(DECIDED) { Listed::Decided } else { Listed::Open }
}

const fn list_word(listed: Listed) -> &'static str {
    match listed {
        Listed::Open => "open",
        Listed::Decided => DECIDED,
    }
}

/// The list that begins with this case, wherever it is in the queue.
pub fn before(case: ModerationId, listed: Listed) -> Option<ModerationId> {
    Some(ModerationId::new(match listed {
        Listed::Open => case.get().saturating_sub(1),
        Listed::Decided => case.get().saturating_add(1),
    }))
}

/// The query of the queue after a decision.
pub fn query_after(outcome: &Outcome, form: &Form) -> String {
    let (done, case) = match outcome {
        Outcome::Done(case) => (form.get("decision").unwrap_or_default(), case),
        Outcome::Decided(case) => ("decided", case),
        Outcome::Newer(case) => ("newer", case),
        Outcome::Silenced(case) => ("silenced", case),
    };
    let list = if listed(form) == Listed::Decided { "&list=decided" } else { "" };
    let about = if case.about == About::Entry { "&about=entry" } else { "" };
    format!("done={done}{list}{about}")
}

/// What a form decides. `None` if there is no such decision.
pub fn decision(app: &App, form: &Form) -> Option<Decision> {
    let explanation = || Explanation {
        reason: form.get("reason").unwrap_or_default().to_owned(),
        base_url: app.links.base().to_owned(),
    };
    Some(match form.get("decision")? {
        "approve" => Decision::Approve,
        "reject" => Decision::Reject(explanation()),
        "remove" => Decision::Remove(explanation()),
        "dismiss" => Decision::Dismiss,
        "restore" => Decision::Restore,
        _ => return None,
    })
}

/// How rows are shown.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    pub words: Words,
    pub zone: &'a TimeZone,
    /// The path of the queue, with the root.
    pub path: &'a str,
    /// The queue is of several name pages.
    pub names_pages: bool,
}

fn rows<'a>(frame: Frame<'_>, queue: &'a Queue, mut rejected: Option<RejectedReason>) -> Vec<CaseRow<'a>> {
    let row = |entry: &'a Entry| {
        let rejected = rejected.take_if(|rejected| rejected.case == entry.case.id);
        case_row(frame, entry, &queue.fields, rejected)
    };
    queue.entries.iter().map(row).collect()
}

fn case_row<'a>(
    frame: Frame<'_>,
    entry: &'a Entry,
    fields: &[CustomField],
    rejected: Option<RejectedReason>,
) -> CaseRow<'a> {
    let (Entry { case, person, is_silenced }, words) = (entry, frame.words);
    let (is_held, is_entry) = (case.kind == CaseKind::Held && case.is_open(), case.about == About::Entry);
    let is_heard = is_held || case.can_be_restored() || entry.is_public();
    let has_sound = !is_entry && !is_silenced && is_heard;
    let has_photo = is_entry && person.photo.is_some();
    let until = case.purge_at.filter(|_| case.can_be_restored());
    CaseRow {
        id: case.id,
        name: person.full_name(),
        phonetic: person.phonetic.as_deref(),
        facts: if is_entry { facts(words, person, fields) } else { Vec::new() },
        photo: has_photo.then(|| format!("{}/{}/photo", frame.path, case.id)),
        is_entry,
        is_silenced: *is_silenced,
        page: frame.names_pages.then_some(person.page.title.as_str()),
        hex: &case.hex,
        about: about(frame, case),
        sentences: case.sentence.as_deref().unwrap_or_default().lines().collect(),
        decided: decided(frame, case),
        reason: case.reason.as_deref(),
        until: until.map(|until| words.one_html("moderation-until", "date", &date(frame, until))),
        sound: has_sound.then(|| format!("{}/{}/audio", frame.path, case.id)),
        buttons: buttons(words, entry),
        refusal: refusal(words, entry, rejected),
    }
}

/// What an entry shows besides names and spelling.
fn facts(words: Words, person: &Participant, fields: &[CustomField]) -> Vec<(String, String)> {
    let notes = person.notes.clone().map(|notes| (words.text(label_id("notes")), notes));
    let custom = fields.iter().filter_map(|field| {
        let value = person.custom.0.get(&field.id)?;
        Some((field.label.clone(), custom_field::shown(words, field, value)))
    });
    custom.chain(notes).collect()
}

fn date(frame: Frame<'_>, moment: Moment) -> String {
    moment.date_in(frame.zone).to_string()
}

fn about(frame: Frame<'_>, case: &Case) -> String {
    let words = frame.words;
    let complaint = match case.complaint {
        None => return words.one_html("moderation-held", "date", &date(frame, case.created_at)),
        Some(Complaint::WrongPerson) => words.html("moderation-wrong-person", &[]),
        Some(Complaint::Offensive) => words.html("moderation-offensive", &[]),
        Some(Complaint::Unintelligible) => words.html("moderation-unintelligible", &[]),
    };
    format!("{complaint} · {}", words.one_html("moderation-reports", "count", case.reports))
}

fn decided(frame: Frame<'_>, case: &Case) -> Option<String> {
    let id = match case.state {
        CaseState::Open => return None,
        CaseState::Approved => "moderation-state-approved",
        CaseState::Rejected => "moderation-state-rejected",
        CaseState::Removed => "moderation-state-removed",
        CaseState::Dismissed => "moderation-state-dismissed",
        CaseState::Restored => "moderation-state-restored",
    };
    let by = case.decided_by.as_deref().unwrap_or("–");
    let at = case.decided_at.map(|at| date(frame, at)).unwrap_or_default();
    Some(frame.words.html(id, &[("by", by.into()), ("date", at.as_str().into())]))
}

fn buttons(words: Words, entry: &Entry) -> Vec<Button> {
    let case = &entry.case;
    let button = |word, key, id| Button { word, key, label: words.text(id) };
    if case.can_be_restored() {
        let restore = button("restore", "a", "moderation-restore");
        return if entry.is_silenced { Vec::new() } else { vec![restore] };
    }
    match (case.kind, case.is_open()) {
        (CaseKind::Held, true) if entry.is_silenced => Vec::new(),
        (CaseKind::Held, true) => vec![button("approve", "a", "moderation-approve")],
        (CaseKind::Report, true) => vec![button("dismiss", "d", "moderation-dismiss")],
        (CaseKind::Held | CaseKind::Report, false) => Vec::new(),
    }
}

fn refusal(words: Words, entry: &Entry, rejected: Option<RejectedReason>) -> Option<RefusalForm> {
    let case = &entry.case;
    let is_entry = case.about == About::Entry;
    let (word, summary, label) = if case.kind == CaseKind::Held && case.is_open() {
        let label = if is_entry { "moderation-reject-entry-now" } else { "moderation-reject-now" };
        ("reject", "moderation-reject", label)
    } else if case.can_be_removed() && entry.is_public() {
        let label = if is_entry { "moderation-remove-entry-now" } else { "moderation-remove-now" };
        ("remove", "moderation-remove", label)
    } else {
        return None;
    };
    let hint = words.text(if is_entry { "moderation-entry-reason-hint" } else { "moderation-reason-hint" });
    let (typed, fault) = match rejected {
        Some(RejectedReason { typed, fault, .. }) => (typed, Some(fault)),
        None => (String::new(), None),
    };
    Some(RefusalForm { word, summary: words.text(summary), label: words.text(label), hint, typed, fault })
}
