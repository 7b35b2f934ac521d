use std::{
    collections::HashMap,
    f32::consts::TAU,
    sync::{Arc, Mutex},
};

use super::*;

/// Each prompt is a distinct tone of this many frames.
fn script() -> Script {
    let sounds: HashMap<Prompt, Arc<[i16]>> =
        Prompt::ALL.into_iter().enumerate().map(|(at, prompt)| (prompt, marked(at, 10))).collect();
    Script::new(marked(50, 10), sounds)
}

/// Recognizable audio: each sample is its number.
fn marked(number: usize, frames: usize) -> Arc<[i16]> {
    vec![i16::try_from(number).unwrap() + 1000; frames * FRAME].into()
}

fn mark(prompt: Prompt) -> i16 {
    let at = Prompt::ALL.iter().position(|other| *other == prompt).unwrap();
    i16::try_from(at).unwrap() + 1000
}

const GREETING: i16 = 1050;

fn speech() -> Frame {
    std::array::from_fn(|at| ((at as f32 / 8_000.0 * 440.0 * TAU).sin() * 6_000.0) as i16)
}

struct Call {
    conversation: Conversation,
    events: Arc<Mutex<Vec<Progress>>>,
}

impl Call {
    fn start() -> Self {
        let events = Arc::new(Mutex::new(Vec::new()));
        let observer = events.clone();
        let conversation =
            Conversation::start(script(), Arc::new(move |progress| observer.lock().unwrap().push(progress)));
        Self { conversation, events }
    }

    /// The sounds that are played during this many frames of input: each once, in order.
    fn hear(&mut self, frame: &Frame, frames: u32) -> Vec<i16> {
        let mut said = Vec::new();
        for _ in 0..frames {
            said.push(self.conversation.tick(Some(frame))[0]);
        }
        said.retain(|sound| *sound != 0);
        said.dedup();
        said
    }

    /// How many frames of silence until the next step.
    fn silence_until_event(&mut self) -> u32 {
        let before = self.events.lock().unwrap().len();
        for frames in 1..2_000 {
            self.conversation.tick(Some(&QUIET));
            if self.events.lock().unwrap().len() > before {
                return frames;
            }
        }
        panic!("nothing has happened for 40 seconds");
    }

    fn last(&self) -> Progress {
        *self.events.lock().unwrap().last().unwrap()
    }

    fn end(mut self) -> (Option<End>, Vec<i16>) {
        for _ in 0..50 {
            self.conversation.tick(Some(&QUIET));
        }
        (self.conversation.over(), self.conversation.into_take())
    }

    /// Up to the tone and past it.
    fn until_the_recording(&mut self) {
        self.conversation.key('1', &[]);
        assert_eq!(self.hear(&QUIET, 20), [mark(Prompt::SayYourName), mark(Prompt::Tone)]);
    }

    fn say_a_name(&mut self) {
        self.hear(&QUIET, 25);
        self.hear(&speech(), 50);
        self.conversation.key('#', &[]);
    }
}

#[test]
fn a_name_is_said_heard_and_kept() {
    let mut call = Call::start();
    assert_eq!(call.hear(&QUIET, 20), [GREETING, mark(Prompt::Invite)]);
    call.until_the_recording();
    call.say_a_name();
    assert_eq!(call.last(), Progress::Step(Step::Review { take: 1, said: 1 }));
    // Half a second of silence and a second of speech: the take is played back.
    let back = call.hear(&QUIET, 10 + 75 + 10);
    assert_eq!((back[0], *back.last().unwrap()), (mark(Prompt::YouSaid), mark(Prompt::Review)));
    call.conversation.key('1', &[]);
    assert_eq!(call.hear(&QUIET, 9), [mark(Prompt::ThankYou)]);
    assert_eq!(call.conversation.over(), None, "not before all is said");
    let (end, take) = call.end();
    assert_eq!(end, Some(End::Kept));
    assert_eq!(take.len(), 75 * FRAME);
    assert_eq!(take[25 * FRAME..26 * FRAME], speech());
}

#[test]
fn a_key_stops_a_prompt_at_once() {
    let mut call = Call::start();
    assert_eq!(call.hear(&QUIET, 3), [GREETING]);
    call.conversation.key('1', &[]);
    assert_eq!(call.conversation.tick(Some(&QUIET))[0], mark(Prompt::SayYourName));
}

#[test]
fn a_key_that_means_nothing_stops_nothing() {
    let mut call = Call::start();
    call.hear(&QUIET, 3);
    call.conversation.key('5', &[]);
    assert_eq!(call.conversation.tick(Some(&QUIET))[0], GREETING);
    // Pressed twice in haste: the second press does not apply to the recording.
    call.conversation.key('1', &[]);
    call.conversation.key('1', &[]);
    call.conversation.key('#', &[]);
    assert_eq!(call.hear(&QUIET, 20), [mark(Prompt::SayYourName), mark(Prompt::Tone)]);
    call.say_a_name();
    assert_eq!(call.last(), Progress::Step(Step::Review { take: 1, said: 1 }));
}

#[test]
fn a_menu_waits_six_seconds_and_is_said_twice() {
    let mut call = Call::start();
    assert_eq!(call.silence_until_event(), 20 + 300);
    assert_eq!(call.last(), Progress::Step(Step::Invite { said: 2 }));
    assert_eq!(call.silence_until_event(), 20 + 300, "all of it again");
    assert_eq!(call.hear(&QUIET, 20), [mark(Prompt::Goodbye)]);
    assert_eq!(call.end().0, Some(End::NoKey));
}

#[test]
fn a_recording_ends_after_two_seconds_of_silence_behind_speech() {
    let mut call = Call::start();
    call.until_the_recording();
    call.hear(&speech(), 60);
    assert_eq!(call.silence_until_event(), 100);
    assert!(matches!(call.last(), Progress::Step(Step::Review { .. })));
    call.conversation.key('1', &[]);
    let (end, take) = call.end();
    assert_eq!(end, Some(End::Kept));
    assert_eq!(take.len(), (60 + KEPT_SILENCE_FRAMES) * FRAME, "the silence is not kept");
}

#[test]
fn nothing_said_for_five_seconds_is_the_end() {
    let mut call = Call::start();
    call.until_the_recording();
    assert_eq!(call.silence_until_event(), 250);
    let (end, take) = call.end();
    assert_eq!((end, take.len()), (Some(End::Silence), 0));
}

#[test]
fn ten_seconds_is_the_longest() {
    let mut call = Call::start();
    call.until_the_recording();
    call.hear(&speech(), 499);
    assert_eq!(call.last(), Progress::Step(Step::Record { take: 1 }));
    call.hear(&speech(), 1);
    assert!(matches!(call.last(), Progress::Step(Step::Review { .. })));
    call.conversation.key('1', &[]);
    assert_eq!(call.end().1.len(), 500 * FRAME);
}

#[test]
fn the_last_take_says_so_and_the_kept_one_is_the_last() {
    let mut call = Call::start();
    call.until_the_recording();
    call.say_a_name();
    for take in [2, 3] {
        call.conversation.key('2', &[]);
        call.hear(&QUIET, 20);
        assert_eq!(call.last(), Progress::Step(Step::Record { take }));
        call.hear(&speech(), 50 + u32::from(take));
        call.conversation.key('#', &[]);
    }
    assert_eq!(*call.hear(&QUIET, 10 + 53 + 10).last().unwrap(), mark(Prompt::LastReview));
    call.conversation.key('1', &[]);
    let (end, take) = call.end();
    assert_eq!((end, take.len()), (Some(End::Kept), 53 * FRAME));
}

#[test]
fn nine_ends_it_with_a_word() {
    let mut call = Call::start();
    call.conversation.key('9', &[]);
    assert_eq!(call.hear(&QUIET, 10), [mark(Prompt::OptedOut)]);
    assert_eq!(call.end().0, Some(End::OptedOut));
}

#[test]
fn hanging_up_ends_it_at_once_but_does_not_undo_what_was_kept() {
    let mut call = Call::start();
    call.conversation.hung_up();
    assert_eq!(call.conversation.over(), Some(End::HungUp));

    let mut call = Call::start();
    call.until_the_recording();
    call.say_a_name();
    call.conversation.key('1', &[]);
    call.conversation.hung_up();
    assert_eq!(call.conversation.over(), Some(End::Kept));
    assert!(!call.conversation.into_take().is_empty());
}

#[test]
fn the_end_of_a_name_that_is_still_on_its_way_is_not_lost() {
    let mut call = Call::start();
    call.until_the_recording();
    call.hear(&speech(), 50);
    // A slow line: no audio arrives, and the recording's time does not advance.
    for _ in 0..15 {
        call.conversation.tick(None);
    }
    call.conversation.key('#', &[speech(), speech()].concat());
    call.conversation.key('1', &[]);
    let (end, take) = call.end();
    assert_eq!((end, take.len()), (Some(End::Kept), 52 * FRAME));
}
