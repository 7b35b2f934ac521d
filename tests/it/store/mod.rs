//! What the databases must keep, and how they get at it.

mod durability;
mod folder;
mod migrations;
mod plans;
mod rolls;
