//! Everything that an institution decides about itself, in one piece.

use serde_json::{Value as Json, json};

use super::{
    super::{
        Actor, App, Error, Missing, Result, audit,
        looks::{self, Look},
    },
    Change, values,
};
use crate::{
    domain::{
        audience::{Audience, Permitted},
        ids::InstitutionId,
        institution::Institution,
        moment::Moment,
        sso::SsoOnly,
    },
    store::{self, Sql, audiences, institutions},
};

#[derive(Debug, Clone)]
pub struct Settings {
    /// With its allowed origins.
    pub institution: Institution,
    pub look: Look,
    pub permitted: Permitted,
    /// The audience of people who are registered now.
    pub default_audience: Audience,
    /// Do new registrations start with the person's newest recording?
    pub starts_with_newest: bool,
    /// Do badges show notes?
    pub notes_on_badge: bool,
    /// How many days entries of the audit log are kept; `None` for ever.
    pub audit_days: Option<i64>,
    /// Who must sign in through the provider.
    pub sso_only: SsoOnly,
}

pub async fn find(app: &App, actor: &Actor, slug: &str) -> Result<Settings> {
    let id = super::find(app, actor, slug).await?.id;
    let found = find_in(&mut app.db.read(), id, slug, app.clock.now()).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

/// `None` if the institution was deleted.
pub(super) async fn find_in(
    sql: &mut Sql,
    id: InstitutionId,
    slug: &str,
    now: Moment,
) -> Result<Option<Settings>> {
    let found = institutions::by_slug(sql, slug).await?.filter(|found| found.id == id);
    let Some(institution) = found else { return Ok(None) };
    let permitted = audiences::permitted(sql, id).await?;
    Ok(Some(Settings {
        institution,
        look: looks::find_in(sql, id).await?,
        permitted,
        default_audience: permitted.narrow(audiences::default_at(sql, id, now).await?),
        starts_with_newest: institutions::starts_with_newest(sql, id).await?.unwrap_or_default(),
        notes_on_badge: institutions::notes_on_badge(sql, id).await?.unwrap_or_default(),
        audit_days: store::audit::retention(sql, id).await?.flatten(),
        sso_only: institutions::sso_only(sql, id).await?.unwrap_or_default(),
    }))
}

impl Settings {
    /// For the audit log, which has the default audience only if it is set.
    pub(super) fn logged(&self) -> Json {
        let more = json!({
            "audiences": self.permitted.words(),
            "starts_with_newest": self.starts_with_newest,
            "notes_on_badge": self.notes_on_badge,
            "audit_days": self.audit_days,
            "sso_only": self.sso_only.word(),
            "accent": self.look.accent.map(|accent| accent.light.to_string()),
            "logo": self.look.logo,
        });
        audit::with(values(&self.institution), more)
    }

    /// The values of the settings with these names (`Change::names`).
    pub(super) fn values_of(&self, names: &[&str]) -> Vec<Json> {
        let default = json!({ "default_audience": self.default_audience.word() });
        let all = audit::with(self.logged(), default);
        names.iter().map(|name| all.get(*name).cloned().unwrap_or_default()).collect()
    }
}

impl Change {
    /// The settings that it replaces.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let has_origins = !self.allow_origins.is_empty() || !self.forbid_origins.is_empty();
        let all = [
            ("name", self.name.is_some()),
            ("time_zone", self.time_zone.is_some()),
            ("multiple_recordings", self.multiple_recordings.is_some()),
            ("rate_limit", self.rate_limit.is_some()),
            ("allowed_origins", has_origins),
            ("phone_language", self.phone_language.is_some()),
            ("language", self.language.is_some()),
            ("audiences", self.audiences.is_some()),
            ("default_audience", self.default_audience.is_some()),
            ("starts_with_newest", self.starts_with_newest.is_some()),
            ("notes_on_badge", self.notes_on_badge.is_some()),
            ("audit_days", self.audit_days.is_some()),
            ("sso_only", self.sso_only.is_some()),
            ("accent", self.look.accent.is_some()),
            ("logo", self.look.logo.is_some()),
        ];
        all.into_iter().filter(|(_, is_replaced)| *is_replaced).map(|(name, _)| name).collect()
    }
}
