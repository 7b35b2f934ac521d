//! Version 5.

mod participants;
