//! Frequent reads by key, and the statement with which PostgreSQL answers many of them
//! ([ADR 27](../../docs/adr/0027-batched-lookups.md)).

/// The type of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Param {
    Int,
    Text,
}

impl Param {
    const fn array(self) -> &'static str {
        match self {
            Self::Int => "bigint[]",
            Self::Text => "text[]",
        }
    }
}

/// A read by key. Those of the same static are the same read.
#[derive(Debug)]
pub struct Lookup {
    one: String,
    many: String,
    params: usize,
}

impl Lookup {
    /// `one` selects few rows.
    pub fn new(one: String, params: &[Param]) -> Self {
        let many = many_text(&one, params);
        Self { one, many, params: params.len() }
    }

    /// The statement for one key, on every database.
    pub fn one(&self) -> &str {
        &self.one
    }

    /// The statement for many keys, on PostgreSQL: each parameter is an array with an element for each key. The columns are those
    /// of `one`, followed by the place of the key in the arrays, from 1 on. The rows of a key are in the order of `one`.
    pub fn many(&self) -> &str {
        &self.many
    }

    /// The number of parameters.
    pub const fn params(&self) -> usize {
        self.params
    }
}

/// PostgreSQL runs the subquery for each key, with the plan that `one` has, in a nested loop, which keeps the order. Without OFFSET it
/// would merge the subquery into the join, and could plan that differently.
fn many_text(one: &str, params: &[Param]) -> String {
    let arrays: Vec<String> =
        params.iter().enumerate().map(|(at, param)| format!("${}::{}", at + 1, param.array())).collect();
    let columns: Vec<String> = (1..=params.len()).map(|number| format!("v{number}")).collect();
    let offset = if one.contains(" OFFSET ") { "" } else { " OFFSET 0" };
    format!(
        "SELECT found.*, asked.place FROM unnest({}) WITH ORDINALITY AS asked ({}, place) \
         CROSS JOIN LATERAL ({}{offset}) AS found",
        arrays.join(", "),
        columns.join(", "),
        one.replace('$', "asked.v")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_columns_of_the_keys() {
        let one = "SELECT c.id FROM colors c WHERE c.shade = $2 AND c.name = $1 ORDER BY c.id LIMIT 1";
        let lookup = Lookup::new(one.to_owned(), &[Param::Text, Param::Int]);
        assert_eq!((lookup.one(), lookup.params()), (one, 2));
        assert_eq!(
            lookup.many(),
            "SELECT found.*, asked.place FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked (v1, v2, place) \
             CROSS JOIN LATERAL (SELECT c.id FROM colors c WHERE c.shade = asked.v2 AND c.name = asked.v1 \
             ORDER BY c.id LIMIT 1 OFFSET 0) AS found"
        );
    }

    #[test]
    fn an_offset_of_its_own_is_kept() {
        let one = "SELECT c.id FROM colors c WHERE c.id >= $1 ORDER BY c.id LIMIT $2 OFFSET $3";
        let lookup = Lookup::new(one.to_owned(), &[Param::Int; 3]);
        let end = "WHERE c.id >= asked.v1 ORDER BY c.id LIMIT asked.v2 OFFSET asked.v3) AS found";
        assert!(lookup.many().ends_with(end), "{}", lookup.many());
    }
}
