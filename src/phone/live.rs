//! The conversation over a live line in frames of 20 ms: audio in, audio out. Time is counted in frames, so the
//! conversation is deterministic.

use std::time::Duration;

use super::{
    progress::{Progress, ProgressFn},
    prompts::{RATE, Script},
    speech::{Detector, Noise},
};
use crate::domain::conversation::{
    End, Event, MAX_SECONDS, MENU_WAIT_SECONDS, Prompt, SILENCE_AFTER_SPEECH_SECONDS, SILENCE_SECONDS, Step,
    TAKES,
};

/// Samples in 20 ms, the payload of one RTP packet.
pub const FRAME: usize = 160;
pub type Frame = [i16; FRAME];
pub const FRAME_TIME: Duration = Duration::from_millis(20);
pub const QUIET: Frame = [0; FRAME];

const fn frames(seconds: u32) -> u32 {
    seconds * RATE / FRAME as u32
}

/// Our own tone may come back as an echo, which must not count as speech.
const ECHO_GUARD_FRAMES: usize = 10;
/// How much silence after the last word is kept: half a second.
const KEPT_SILENCE_FRAMES: usize = 25;

pub struct Conversation {
    script: Script,
    on_progress: ProgressFn,
    step: Step,
    activity: Activity,
    noise: Noise,
    take: Vec<i16>,
}

enum Activity {
    /// Playing audio; this much has been played.
    Saying {
        sound: Vec<i16>,
        said: usize,
    },
    /// A menu has been played and waits for a key.
    Waiting {
        frames: u32,
    },
    Recording(Recording),
    Over,
}

struct Recording {
    samples: Vec<i16>,
    detector: Detector,
    frames: usize,
    /// The number of frames when speech was last detected.
    spoken_at: usize,
}

impl Conversation {
    pub fn start(script: Script, on_progress: ProgressFn) -> Self {
        let mut conversation = Self {
            script,
            on_progress,
            step: Step::START,
            activity: Activity::Over,
            noise: Noise::default(),
            take: Vec::new(),
        };
        conversation.enter(Step::START);
        conversation
    }

    /// How the conversation ended, once everything has been played.
    pub fn over(&self) -> Option<End> {
        match (&self.activity, self.step) {
            (Activity::Over, Step::Over { end }) => Some(end),
            _ => None,
        }
    }

    /// How the conversation will end, even while the farewell is played.
    pub fn decided(&self) -> Option<End> {
        match self.step {
            Step::Over { end } => Some(end),
            _ => None,
        }
    }

    /// The last take, which was accepted if the conversation ended with `Kept`.
    pub fn into_take(self) -> Vec<i16> {
        self.take
    }

    /// Processes the next 20 ms. `None` means that audio is delayed.
    pub fn tick(&mut self, heard: Option<&Frame>) -> Frame {
        let mut said = QUIET;
        let mut event = None;
        if let Some(heard) = heard
            && !matches!(self.activity, Activity::Recording(_))
        {
            self.noise.hear(heard);
        }
        match &mut self.activity {
            Activity::Saying { sound, said: at } => {
                let rest = &sound[(*at).min(sound.len())..];
                let length = rest.len().min(FRAME);
                said[..length].copy_from_slice(&rest[..length]);
                *at += length;
                if *at >= sound.len() {
                    self.activity = self.after_saying();
                }
            }
            Activity::Waiting { frames } => {
                *frames = frames.saturating_sub(1);
                if *frames == 0 {
                    event = Some(Event::NoKey);
                }
            }
            Activity::Recording(recording) => {
                if heard.is_some_and(|heard| recording.hear(heard)) {
                    event = Some(self.recorded());
                }
            }
            Activity::Over => {}
        }
        if let Some(event) = event {
            self.handle(event);
        }
        said
    }

    /// A key press, and audio from before it that has not been processed yet.
    pub fn key(&mut self, key: char, before: &[i16]) {
        if matches!(self.activity, Activity::Over) {
            return;
        }
        (self.on_progress)(Progress::Key(key));
        match &mut self.activity {
            Activity::Recording(recording) if key == '#' => {
                for frame in before.as_chunks().0 {
                    recording.hear(frame);
                }
                let event = self.recorded();
                self.handle(event);
            }
            _ => self.handle(Event::Key(key)),
        }
    }

    pub fn hung_up(&mut self) {
        self.handle(Event::HungUp);
        // Nobody is there to talk to.
        self.activity = Activity::Over;
    }

    fn handle(&mut self, event: Event) {
        let next = self.step.after(event);
        if next != self.step {
            self.enter(next);
        }
    }

    fn enter(&mut self, step: Step) {
        self.step = step;
        (self.on_progress)(Progress::Step(step));
        let say = |prompt: Prompt| self.script.sound(prompt).to_vec();
        let sound = match step {
            Step::Invite { .. } => [self.script.greeting().to_vec(), say(Prompt::Invite)].concat(),
            Step::Record { .. } => [say(Prompt::SayYourName), say(Prompt::Tone)].concat(),
            Step::Review { take, .. } => {
                let menu = say(if take < TAKES { Prompt::Review } else { Prompt::LastReview });
                [say(Prompt::YouSaid), self.take.clone(), menu].concat()
            }
            Step::Over { end } => end.farewell().map(say).unwrap_or_default(),
        };
        self.activity = Activity::Saying { sound, said: 0 };
    }

    fn after_saying(&self) -> Activity {
        match self.step {
            Step::Invite { .. } | Step::Review { .. } => {
                Activity::Waiting { frames: frames(MENU_WAIT_SECONDS) }
            }
            Step::Record { .. } => Activity::Recording(Recording {
                samples: Vec::new(),
                detector: self.noise.detector(),
                frames: 0,
                spoken_at: 0,
            }),
            Step::Over { .. } => Activity::Over,
        }
    }

    /// A recording has ended: was there speech?
    fn recorded(&mut self) -> Event {
        let Activity::Recording(recording) = std::mem::replace(&mut self.activity, Activity::Over) else {
            return Event::Silence;
        };
        if !recording.detector.spoken() {
            return Event::Silence;
        }
        self.take = recording.samples;
        self.take.truncate((recording.spoken_at + KEPT_SILENCE_FRAMES) * FRAME);
        let seconds = self.take.len() as f32 / RATE as f32;
        (self.on_progress)(Progress::Recorded { seconds });
        Event::Heard
    }
}

impl Recording {
    /// Returns whether the recording is over.
    fn hear(&mut self, heard: &Frame) -> bool {
        self.samples.extend_from_slice(heard);
        self.frames += 1;
        if self.frames > ECHO_GUARD_FRAMES && self.detector.hear(heard) {
            self.spoken_at = self.frames;
        }
        let silent = (self.frames - self.spoken_at) as u32;
        let patience = if self.detector.spoken() {
            frames(SILENCE_AFTER_SPEECH_SECONDS)
        } else {
            frames(SILENCE_SECONDS)
        };
        silent >= patience || self.frames as u32 >= frames(MAX_SECONDS)
    }
}

#[cfg(test)]
mod tests;
