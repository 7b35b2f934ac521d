//! The names of people whom a learning system lists without a name, and who are known on another page.

use std::collections::HashMap;

use crate::{
    app::Result,
    domain::{ids::InstitutionId, matching::TargetIdentity, roster::Member},
    store::{
        Sql,
        participants::known_names::{self as names, Column, KnownName},
    },
};

/// By the position on the roster. Somebody with another email is another person, whatever their identifier.
pub(super) async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    members: &[Member],
    new: &[(usize, TargetIdentity)],
) -> Result<HashMap<usize, KnownName>> {
    // Their identity has a placeholder.
    let nameless: Vec<&(usize, TargetIdentity)> =
        new.iter().filter(|(who, _)| !members[*who].has_name()).collect();
    let emails: Vec<&str> = nameless.iter().filter_map(|(_, wanted)| wanted.email_key.as_deref()).collect();
    let identifiers: Vec<&str> =
        nameless.iter().filter_map(|(_, wanted)| wanted.identifier_key.as_deref()).collect();
    let by_email = names::of(sql, institution, Column::Email, &emails).await?;
    let by_identifier = names::of(sql, institution, Column::Identifier, &identifiers).await?;
    let known = |wanted: &TargetIdentity| {
        let email = wanted.email_key.as_ref();
        let same_email =
            email.and_then(|email| by_email.iter().find(|one| one.email_key.as_ref() == Some(email)));
        let same_identifier = || {
            let identifier = wanted.identifier_key.as_ref()?;
            let is_theirs = |one: &&KnownName| {
                let is_other = email.is_some() && one.email_key.is_some() && one.email_key.as_ref() != email;
                one.identifier_key.as_ref() == Some(identifier) && !is_other
            };
            by_identifier.iter().find(is_theirs)
        };
        same_email.or_else(same_identifier).cloned()
    };
    Ok(nameless.into_iter().filter_map(|(who, wanted)| Some((*who, known(wanted)?))).collect())
}
