//! Roles to choose (`templates/console/parts/choices.html`): for a member, and for a group of a directory.

use crate::{domain::member::Role, words::Words};

/// A radio button with a hint.
pub struct RadioChoice {
    pub word: &'static str,
    pub name: String,
    pub hint: String,
    pub is_chosen: bool,
}

pub fn role_hint(words: Words, role: Role) -> String {
    words.text(match role {
        Role::Owner => "console-members-owner-hint",
        Role::Admin => "console-members-admin-hint",
        Role::Manager => "console-members-manager-hint",
        Role::Reader => "console-members-reader-hint",
    })
}
