//! Phone calls: when they are made, and what becomes of them.

mod prompts;
mod records;
