//! What the databases must keep, and how they get at it.

mod durability;
mod folder;
mod migrations;
mod participants;
mod plans;
mod rolls;
