//! Database invariants and query plans.

mod arrivals;
mod citus;
pub mod coverage;
mod durability;
mod folder;
pub mod groups;
mod indexes;
mod locks;
mod lookups;
mod migrations;
mod participants;
mod plans;
mod pools;
mod rolls;
mod tables;
mod transactions;
