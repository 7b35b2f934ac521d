//! Database invariants and query plans.

mod durability;
mod folder;
mod migrations;
mod participants;
mod plans;
mod rolls;
