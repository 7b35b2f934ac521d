//! What is said on a call, as sound: ours, or what an operator has put in its place.

use std::{collections::HashMap, sync::Arc};

use crate::domain::conversation::Prompt;

/// Samples in a second of a phone call.
pub const RATE: u32 = 8_000;

/// Sound for one call, in its language, with its institution's name.
#[derive(Debug, Clone, Default)]
pub struct Script {
    sounds: HashMap<Prompt, Arc<[i16]>>,
    /// "This is" and the name, or what stands for both.
    greeting: Arc<[i16]>,
}

impl Script {
    pub fn new(greeting: Arc<[i16]>, sounds: HashMap<Prompt, Arc<[i16]>>) -> Self {
        Self { sounds, greeting }
    }

    pub fn sound(&self, prompt: Prompt) -> Arc<[i16]> {
        self.sounds.get(&prompt).cloned().unwrap_or_default()
    }

    pub fn greeting(&self) -> Arc<[i16]> {
        self.greeting.clone()
    }
}

/// All that can be said.
#[derive(Debug, Clone, Default)]
pub struct Prompts;
