//! Settings of name pages. Faces pass what was typed; times are read in the institution's time zone.

use jiff::tz::TimeZone;

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    name_pages,
};
use crate::{
    domain::{
        audit::Act,
        custom_field,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{InstitutionId, NamePageId},
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        page_settings::{
            self, Asked, Asking, BuiltInField, DomainPattern, LONGEST_DESCRIPTION, Listen, MOST_DAYS,
            MOST_DOMAINS, Moderation, PageSettings, Register, SHORTEST_TAKE,
        },
        text::{self, Lines},
        version::{check_base, version_of},
    },
    store::{
        self, admissions, custom_fields, institutions,
        page_settings::{self as stored, Changes},
        retention, rolls,
    },
};

/// `None` leaves a setting unchanged.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub title: Option<String>,
    pub allow_v2: Option<bool>,
    /// Blank for none.
    pub description: Option<String>,
    /// `YYYY-MM-DD`; blank for none.
    pub date: Option<String>,
    pub register: Option<Register>,
    /// `example.edu` or `*.example.edu`. Replaces all of them.
    pub domains: Option<Vec<String>>,
    pub listen: Option<Listen>,
    pub moderation: Option<Moderation>,
    /// In the institution's time zone, unless it has an offset; `never` or blank for none.
    pub closes: Option<String>,
    /// Fields and how they are asked for: a `BuiltInField`, or a custom field with or without its prefix. Others stay as they are.
    pub asked: Vec<(String, Asking)>,
    /// Custom fields, by their names, that this page asks for as they say themselves.
    pub asked_by_default: Vec<String>,
    /// `Some(None)` for the installation's limit.
    pub take_seconds: Option<Option<u32>>,
    /// `Some(None)` to keep recordings.
    pub delete_after_days: Option<Option<u32>>,
    /// What the change is based on (`version`). If the page has another one by now, nothing is changed: `SetupFault::Outdated`.
    pub base: Option<String>,
}

/// Tells whether settings that can be changed are still the same.
pub fn version(page: &NamePage, settings: &PageSettings) -> String {
    let PageSettings {
        description,
        date,
        register,
        domains,
        listen,
        moderation,
        closes_at,
        asked,
        take_seconds,
        delete_after_days,
        announced_at: _,
        archived_at,
    } = settings;
    let settings = (description, date, register, domains, listen, moderation, closes_at, asked);
    let more = (take_seconds, delete_after_days, archived_at.is_some());
    version_of(&(&page.title, page.allow_v2, settings, more))
}

/// The settings of a page, for whoever shows it.
pub async fn find(app: &App, institution: InstitutionId, page: NamePageId) -> Result<PageSettings> {
    let found = stored::find(&mut app.db.read(), institution, page).await?;
    found.ok_or(Error::Missing(Missing::NamePage))
}

/// A page with its settings, for those who run it.
pub async fn managed(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<(NamePage, PageSettings)> {
    let page = name_pages::managed(app, actor, institution, page).await?;
    let settings = find(app, institution, page.id).await?;
    Ok((page, settings))
}

/// The maximum length of a recording on a page, in seconds.
pub fn take_seconds(app: &App, settings: &PageSettings) -> u64 {
    let installation = &app.studio.settings;
    let own = settings.take_seconds.map_or(installation.take_seconds(), u64::from);
    own.min(installation.longest_take_seconds())
}

/// Changes a page that is not archived.
pub async fn update(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    change: Change,
) -> Result<NamePage> {
    let found = name_pages::managed(app, actor, institution, page).await?;
    if change.allow_v2.is_some() {
        // It opens the page to everybody with the access code.
        actor.administer(institution)?;
    }
    let id = found.id;
    let rules = Rules::of(app, institution).await?;
    let record = Record::new(app, actor, institution, Act::NamePageUpdated);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let missing = || Error::Missing(Missing::NamePage);
                let before = stored::find(sql, institution, id).await?.ok_or_else(missing)?;
                if change.base.is_some() {
                    // The title may have changed since the page was found.
                    let now = store::name_pages::by_id(sql, institution, id).await?.ok_or_else(missing)?;
                    check_base(change.base.as_deref(), &version(&now, &before))?;
                }
                if before.is_archived() {
                    return Err(Error::invalid(Field::NamePage, SetupFault::Archived));
                }
                let mut errors = FieldErrors::default();
                let mut changes = rules.checked(&before, change, &mut errors);
                errors.into_result()?;
                if changes.date.is_some_and(|date| date != before.date)
                    || changes.delete_after_days.is_some_and(|days| days != before.delete_after_days)
                {
                    // People were told another date.
                    changes.announced_at = Some(None);
                    retention::forget_page(sql, institution, id).await?;
                }
                if changes.register.is_some_and(|register| register != before.register) {
                    // They were admitted by another rule.
                    admissions::delete_all_on(sql, institution, id).await?;
                }
                stored::update(sql, institution, id, &changes).await?;
                let changed = NamePage {
                    title: changes.title.unwrap_or_else(|| found.title.clone()),
                    allow_v2: changes.allow_v2.unwrap_or(found.allow_v2),
                    ..found.clone()
                };
                let after = stored::find(sql, institution, id).await?.ok_or_else(missing)?;
                let record = name_pages::about(record, &changed);
                let record = record.change(values(&found, &before), values(&changed, &after));
                audit::write_change(sql, record).await?;
                Ok(changed)
            })
        })
        .await
}

/// A page with its settings, for the audit log.
pub(super) fn values(page: &NamePage, settings: &PageSettings) -> Json {
    let domains: Vec<String> = settings.domains.iter().map(ToString::to_string).collect();
    json!({
        "title": page.title,
        "slug": page.slug,
        "allow_v2": page.allow_v2,
        "description": settings.description,
        "date": settings.date.map(|date| date.to_string()),
        "register": settings.register.word(),
        "domains": (!domains.is_empty()).then_some(domains),
        "listen": settings.listen.word(),
        "moderation": settings.moderation.word(),
        "closes_at": settings.closes_at.map(|at| at.shown_in(&TimeZone::UTC)),
        "asked": settings.asked.words(),
        "take_seconds": settings.take_seconds,
        "delete_after_days": settings.delete_after_days,
    })
}

/// Checks the settings of a new page.
pub(super) async fn checked(
    app: &App,
    institution: InstitutionId,
    change: Change,
    errors: &mut FieldErrors,
) -> Result<Changes> {
    Ok(Rules::of(app, institution).await?.checked(&PageSettings::default(), change, errors))
}

/// What settings are checked against.
struct Rules {
    zone: TimeZone,
    /// Names of custom fields.
    fields: Vec<String>,
    longest_take: u32,
}

impl Rules {
    async fn of(app: &App, institution: InstitutionId) -> Result<Self> {
        let sql = &mut app.db.read();
        let found = institutions::by_id(sql, institution).await?;
        let fields = custom_fields::all(sql, institution).await?;
        Ok(Self {
            zone: found.ok_or(Error::Missing(Missing::Institution))?.time_zone,
            fields: fields.into_iter().map(|field| field.name).collect(),
            longest_take: u32::try_from(app.studio.settings.longest_take_seconds()).unwrap_or(u32::MAX),
        })
    }

    fn checked(&self, before: &PageSettings, change: Change, errors: &mut FieldErrors) -> Changes {
        if let Some(title) = &change.title {
            name_pages::check_title(title, errors);
        }
        let changes = Changes {
            title: change.title,
            allow_v2: change.allow_v2,
            description: change.description.map(|given| description(&given, errors)),
            date: change.date.map(|given| date(&given, errors)),
            register: change.register,
            domains: change.domains.map(|given| domains(&given, errors)),
            listen: change.listen,
            moderation: change.moderation,
            closes_at: change.closes.map(|given| self.closing(&given, errors)),
            asked: self.asked(&before.asked, change.asked, &change.asked_by_default, errors),
            take_seconds: change.take_seconds,
            delete_after_days: change.delete_after_days,
            announced_at: None,
            archived_at: None,
        };
        between(changes.take_seconds, Field::TakeSeconds, (SHORTEST_TAKE, self.longest_take), errors);
        between(changes.delete_after_days, Field::DeleteAfterDays, (1, MOST_DAYS), errors);
        let has_date = changes.date.unwrap_or(before.date).is_some();
        if changes.delete_after_days.unwrap_or(before.delete_after_days).is_some() && !has_date {
            errors.add(Field::Date, SetupFault::DateNeeded);
        }
        let register = changes.register.unwrap_or(before.register);
        if register == Register::Domain && changes.domains.as_ref().unwrap_or(&before.domains).is_empty() {
            errors.add(Field::Domains, SetupFault::PageDomainsNeeded);
        }
        changes
    }

    fn closing(&self, given: &str, errors: &mut FieldErrors) -> Option<Moment> {
        if text::is_blank(given) || given.trim() == "never" {
            return None;
        }
        let closes_at = page_settings::parse_closing(given, &self.zone);
        if closes_at.is_none() {
            errors.add(Field::ClosingTime, SetupFault::NotAClosingTime(given.to_owned()));
        }
        closes_at
    }

    fn asked(
        &self,
        before: &Asked,
        change: Vec<(String, Asking)>,
        by_default: &[String],
        errors: &mut FieldErrors,
    ) -> Option<Asked> {
        if change.is_empty() && by_default.is_empty() {
            return None;
        }
        let mut asked = before.clone();
        // Custom fields that were deleted meanwhile.
        asked.custom.retain(|name, _| self.fields.contains(name) && !by_default.contains(name));
        for (key, asking) in change {
            let key = key.trim();
            if let Some(field) = BuiltInField::parse(key) {
                asked.set_built_in(field, asking);
                continue;
            }
            let name = custom_field::name_of_import_key(key).filter(|name| self.has_field(name));
            match name.or_else(|| self.has_field(key).then_some(key)) {
                Some(name) => {
                    asked.custom.insert(name.to_owned(), asking);
                }
                None => errors.add(Field::AskedFields, SetupFault::UnknownField(key.to_owned())),
            }
        }
        Some(asked)
    }

    fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field == name)
    }
}

fn description(given: &str, errors: &mut FieldErrors) -> Option<String> {
    let given = given.replace("\r\n", "\n").trim().to_owned();
    if let Some(fault) = text::fault(&given, LONGEST_DESCRIPTION, Lines::Many) {
        errors.add(Field::Description, fault);
    }
    (!text::is_invisible(&given)).then_some(given)
}

fn date(given: &str, errors: &mut FieldErrors) -> Option<jiff::civil::Date> {
    if text::is_blank(given) {
        return None;
    }
    let date = page_settings::parse_date(given);
    if date.is_none() {
        errors.add(Field::Date, SetupFault::NotADate(given.to_owned()));
    }
    date
}

fn domains(given: &[String], errors: &mut FieldErrors) -> Vec<DomainPattern> {
    let mut domains: Vec<DomainPattern> = Vec::new();
    for one in given.iter().filter(|one| !text::is_blank(one)) {
        match DomainPattern::parse(one) {
            Some(domain) if !domains.contains(&domain) => domains.push(domain),
            Some(_) => {}
            None => errors.add(Field::Domains, SetupFault::NotADomain(one.clone())),
        }
    }
    if domains.len() > MOST_DOMAINS {
        errors.add(Field::Domains, Fault::TooManyEntries { most: MOST_DOMAINS });
    }
    domains
}

fn between(given: Option<Option<u32>>, field: Field, (least, most): (u32, u32), errors: &mut FieldErrors) {
    if given.flatten().is_some_and(|number| number < least || number > most) {
        errors.add(field, SetupFault::OutOfRange { least: least.into(), most: most.into() });
    }
}
