//! The address where a platform has come in: that of an institution, or the one that registrations of before share.

use super::{Refusal, Result};
use crate::{
    app::{App, institutions},
    domain::{institution::Institution, lti::ToolUrls, tool_consumer::ToolConsumer},
    store::{self, lti_keys::KeyOwner},
};

#[derive(Debug, Clone)]
pub enum Entrance {
    Shared,
    Of(Institution),
}

impl Entrance {
    /// By the slug of the institution in the path, if there is one.
    pub async fn find(app: &App, slug: Option<&str>) -> Result<Self> {
        let Some(slug) = slug else { return Ok(Self::Shared) };
        let found = store::institutions::by_slug(&mut app.db.read(), slug).await?;
        Ok(Self::Of(found.ok_or(Refusal::UnknownPlatform)?))
    }

    /// What the platforms that come in here are told.
    pub fn urls(&self, app: &App) -> ToolUrls {
        let base = app.links.base();
        match self {
            Self::Shared => ToolUrls::shared(base),
            Self::Of(institution) => ToolUrls::of(base, &institution.slug),
        }
    }

    pub const fn keys(&self) -> KeyOwner {
        match self {
            Self::Shared => KeyOwner::Shared,
            Self::Of(institution) => KeyOwner::Institution(institution.id),
        }
    }

    /// At the shared address, only registrations of before. They may use that of their institution, too, so that nobody is locked out while
    /// they are renewed.
    pub fn admits(&self, consumer: &ToolConsumer) -> bool {
        match self {
            Self::Shared => consumer.is_shared(),
            Self::Of(institution) => consumer.institution == institution.id,
        }
    }
}

/// What this platform is to be told.
pub async fn urls_of(app: &App, consumer: &ToolConsumer) -> Result<ToolUrls, crate::app::Error> {
    if consumer.is_shared() {
        return Ok(ToolUrls::shared(app.links.base()));
    }
    let institution = institutions::by_id(app, consumer.institution).await?;
    Ok(ToolUrls::of(app.links.base(), &institution.slug))
}
