//! The pages that people see.

mod pages;
