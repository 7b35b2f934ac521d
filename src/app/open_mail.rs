//! Limits on the mail that strangers can request where everybody may register, besides those for an address and for a network
//! (`sign_in::ask`): otherwise somebody could fill a mailbox through its `+` addresses, or make us send mail to addresses at random.

use std::time::Duration;

use super::{
    App, Result,
    limiter::{LimitKey, Policy},
    name_pages::PublicPage,
    sign_in,
};
use crate::{
    domain::{
        digest,
        email::Email,
        mail_limit::{Mailbox, Wait},
        page_settings::{Register, in_domains},
        scope::Scope,
        session::PersonId,
    },
    store,
};

const HOUR: Duration = Duration::from_secs(3_600);
/// Messages per hour to one mailbox, from all institutions.
const TO_MAILBOX: u32 = 10;
/// To all addresses of a domain, from the pages of an institution.
const TO_DOMAIN: u32 = 300;
/// From all pages of an institution.
const IN_ALL: u32 = 2_000;

/// Counts a request for a message to an address that registers on a page. If it is refused, returns how long to wait. Whom the institution
/// knows does not count: addresses in its own domains, and people on its pages.
pub(super) async fn refusal(app: &App, public: &PublicPage, email: &Email) -> Result<Option<Wait>> {
    if public.settings.register != Register::Open || is_known(app, public, email).await? {
        return Ok(None);
    }
    let (institution, mailbox) = (public.institution.id, Mailbox::of(email));
    let domain = digest::of(&mailbox.domain);
    for (key, ceiling) in [
        (LimitKey::OpenMailbox(digest::of(&mailbox.to_string())), TO_MAILBOX),
        (LimitKey::OpenDomain { institution, domain }, TO_DOMAIN),
        (LimitKey::OpenPages(institution), IN_ALL),
    ] {
        let policy = Policy { ceiling, window: HOUR, throttle: HOUR };
        let quota = app.limiter.take_with_policy(key, policy, app.clock.instant()).await;
        if let Some(seconds) = quota.retry_after {
            return Ok(Some(Wait { seconds }));
        }
    }
    Ok(None)
}

async fn is_known(app: &App, public: &PublicPage, email: &Email) -> Result<bool> {
    let institution = public.institution.id;
    let person = PersonId { institution, email_key: email.key().to_owned() };
    if sign_in::may_sign_in(app, &person).await? {
        return Ok(true);
    }
    let mut own = store::page_settings::domains(&mut app.db.read(), institution).await?;
    let connections = store::sso::all(&mut app.db.read(), Scope::Institution(institution)).await?;
    own.extend(connections.into_iter().flat_map(|one| one.domains));
    Ok(in_domains(&own, email))
}
