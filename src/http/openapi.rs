//! The OpenAPI documents: one per version, written by hand, since the contract is fixed. Tests check responses against
//! them. `api/openapi.rs` serves them, and the pages of the reference are rendered from them.

/// Newest first.
pub const DOCUMENTS: [(&str, &str); 4] = [
    ("v5", include_str!("../../assets/openapi/v5.json")),
    ("v4", include_str!("../../assets/openapi/v4.json")),
    ("v3", include_str!("../../assets/openapi/v3.json")),
    ("v2", include_str!("../../assets/openapi/v2.json")),
];
