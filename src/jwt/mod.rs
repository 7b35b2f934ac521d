//! JSON Web Tokens: verifying those of LTI platforms and OpenID providers with their published keys, and signing our own.

pub mod jwks;
pub mod keys;
pub mod token;
