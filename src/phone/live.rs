//! The conversation over a live line, 20 ms at a time: what is heard goes in, what is said comes out. Time is counted in
//! frames, so the same frames always make the same conversation.

use std::time::Duration;

use super::{
    progress::{Progress, Told},
    prompts::{RATE, Script},
    speech::{Detector, Noise},
};
use crate::domain::conversation::{
    End, Event, LONGEST_SECONDS, MENU_WAIT_SECONDS, Prompt, SILENCE_AFTER_SPEECH_SECONDS, SILENCE_SECONDS,
    Step, TAKES,
};

/// Samples in 20 ms, which is what one packet carries.
pub const FRAME: usize = 160;
pub type Frame = [i16; FRAME];
pub const FRAME_TIME: Duration = Duration::from_millis(20);
pub const QUIET: Frame = [0; FRAME];

const fn frames(seconds: u32) -> u32 {
    seconds * RATE / FRAME as u32
}

/// Our own tone may come back as an echo, which is not speech.
const DEAF_FRAMES: usize = 10;
/// Of the silence behind the last word so much is kept: half a second.
const KEPT_SILENCE_FRAMES: usize = 25;

pub struct Conversation {
    script: Script,
    told: Told,
    step: Step,
    doing: Doing,
    noise: Noise,
    take: Vec<i16>,
}

enum Doing {
    /// So much of it has been said.
    Saying {
        sound: Vec<i16>,
        said: usize,
    },
    /// A menu has been said, and waits for a key.
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
    /// How many frames there were when somebody spoke last.
    spoken_at: usize,
}

impl Conversation {
    pub fn start(script: Script, told: Told) -> Self {
        let mut conversation = Self {
            script,
            told,
            step: Step::START,
            doing: Doing::Over,
            noise: Noise::default(),
            take: Vec::new(),
        };
        conversation.enter(Step::START);
        conversation
    }

    /// How it has ended, once all is said.
    pub fn over(&self) -> Option<End> {
        match (&self.doing, self.step) {
            (Doing::Over, Step::Over { end }) => Some(end),
            _ => None,
        }
    }

    /// How it ends, also while the farewell is being said.
    pub fn decided(&self) -> Option<End> {
        match self.step {
            Step::Over { end } => Some(end),
            _ => None,
        }
    }

    /// The last take, which is theirs if they have kept it.
    pub fn into_take(self) -> Vec<i16> {
        self.take
    }

    /// The next 20 ms. Nothing is heard while sound is on its way.
    pub fn tick(&mut self, heard: Option<&Frame>) -> Frame {
        let mut said = QUIET;
        let mut event = None;
        if let Some(heard) = heard
            && !matches!(self.doing, Doing::Recording(_))
        {
            self.noise.hear(heard);
        }
        match &mut self.doing {
            Doing::Saying { sound, said: at } => {
                let rest = &sound[(*at).min(sound.len())..];
                let length = rest.len().min(FRAME);
                said[..length].copy_from_slice(&rest[..length]);
                *at += length;
                if *at >= sound.len() {
                    self.doing = self.after_saying();
                }
            }
            Doing::Waiting { frames } => {
                *frames = frames.saturating_sub(1);
                if *frames == 0 {
                    event = Some(Event::NoKey);
                }
            }
            Doing::Recording(recording) => {
                if heard.is_some_and(|heard| recording.hear(heard)) {
                    event = Some(self.recorded());
                }
            }
            Doing::Over => {}
        }
        if let Some(event) = event {
            self.happened(event);
        }
        said
    }

    /// A key, and what was said before it and is not yet heard.
    pub fn key(&mut self, key: char, before: &[i16]) {
        if matches!(self.doing, Doing::Over) {
            return;
        }
        (self.told)(Progress::Key(key));
        match &mut self.doing {
            Doing::Recording(recording) if key == '#' => {
                for frame in before.as_chunks().0 {
                    recording.hear(frame);
                }
                let event = self.recorded();
                self.happened(event);
            }
            _ => self.happened(Event::Key(key)),
        }
    }

    pub fn hung_up(&mut self) {
        self.happened(Event::HungUp);
        // Nobody is there to say anything to.
        self.doing = Doing::Over;
    }

    fn happened(&mut self, event: Event) {
        let next = self.step.after(event);
        if next != self.step {
            self.enter(next);
        }
    }

    fn enter(&mut self, step: Step) {
        self.step = step;
        (self.told)(Progress::Step(step));
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
        self.doing = Doing::Saying { sound, said: 0 };
    }

    fn after_saying(&self) -> Doing {
        match self.step {
            Step::Invite { .. } | Step::Review { .. } => Doing::Waiting { frames: frames(MENU_WAIT_SECONDS) },
            Step::Record { .. } => Doing::Recording(Recording {
                samples: Vec::new(),
                detector: self.noise.detector(),
                frames: 0,
                spoken_at: 0,
            }),
            Step::Over { .. } => Doing::Over,
        }
    }

    /// A recording has come to its end: was anything said?
    fn recorded(&mut self) -> Event {
        let Doing::Recording(recording) = std::mem::replace(&mut self.doing, Doing::Over) else {
            return Event::Silence;
        };
        if !recording.detector.spoken() {
            return Event::Silence;
        }
        self.take = recording.samples;
        self.take.truncate((recording.spoken_at + KEPT_SILENCE_FRAMES) * FRAME);
        let seconds = self.take.len() as f32 / RATE as f32;
        (self.told)(Progress::Recorded { seconds });
        Event::Heard
    }
}

impl Recording {
    /// Is it over?
    fn hear(&mut self, heard: &Frame) -> bool {
        self.samples.extend_from_slice(heard);
        self.frames += 1;
        if self.frames > DEAF_FRAMES && self.detector.hear(heard) {
            self.spoken_at = self.frames;
        }
        let silent = (self.frames - self.spoken_at) as u32;
        let patience = if self.detector.spoken() {
            frames(SILENCE_AFTER_SPEECH_SECONDS)
        } else {
            frames(SILENCE_SECONDS)
        };
        silent >= patience || self.frames as u32 >= frames(LONGEST_SECONDS)
    }
}

#[cfg(test)]
mod tests;
