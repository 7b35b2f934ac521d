//! Settings of name pages.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    Error, Result, Row, Sql, Value, institutions, name_pages, padded, placeholders, position_in, stored_json,
};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    institution::Institution,
    moment::Moment,
    name_page::{NamePage, code_key},
    page_settings::{Asked, DomainPattern, Listen, Moderation, PageSettings, Register, parse_date},
};

pub(super) const COLUMNS: [&str; 13] = [
    "n.id",
    "n.description",
    "n.date",
    "n.register",
    "n.domains",
    "n.listen",
    "n.moderation",
    "n.closes_at",
    "n.asked",
    "n.take_seconds",
    "n.delete_after_days",
    "n.announced_at",
    "n.archived_at",
];

/// Reads `COLUMNS` starting at `first`.
pub(super) fn from_row(row: &Row<'_>, first: usize) -> Result<PageSettings> {
    let id: NamePageId = row.id(first + const { position_in(&COLUMNS, "n.id") })?;
    let unknown = |column: &str, value: &str| {
        Error::Broken(format!("name_pages.{column} of row {id} is unreadable: `{value}`"))
    };
    let text = |column: usize| row.text(first + column);
    let moment = |column: usize| row.opt_int(first + column).map(|at| at.map(Moment::from_micros));
    let number = |column: usize| -> Result<Option<u32>> {
        let stored = row.opt_int(first + column)?;
        let read = |stored: i64| u32::try_from(stored).map_err(|_| unknown("number", &stored.to_string()));
        stored.map(read).transpose()
    };
    let date = row.opt_text(first + const { position_in(&COLUMNS, "n.date") })?;
    let domains = text(const { position_in(&COLUMNS, "n.domains") })?;
    let domains: Vec<String> = stored_json(("name_pages", "domains", id), &domains)?;
    let asked = text(const { position_in(&COLUMNS, "n.asked") })?;
    let asked_words: BTreeMap<String, String> = stored_json(("name_pages", "asked", id), &asked)?;
    let register = text(const { position_in(&COLUMNS, "n.register") })?;
    let listen = text(const { position_in(&COLUMNS, "n.listen") })?;
    let moderation = text(const { position_in(&COLUMNS, "n.moderation") })?;
    Ok(PageSettings {
        description: row.opt_text(first + const { position_in(&COLUMNS, "n.description") })?,
        date: date.map(|given| parse_date(&given).ok_or_else(|| unknown("date", &given))).transpose()?,
        register: Register::parse(&register).ok_or_else(|| unknown("register", &register))?,
        domains: domains
            .iter()
            .map(|given| DomainPattern::parse(given).ok_or_else(|| unknown("domains", given)))
            .collect::<Result<_>>()?,
        listen: Listen::parse(&listen).ok_or_else(|| unknown("listen", &listen))?,
        moderation: Moderation::parse(&moderation).ok_or_else(|| unknown("moderation", &moderation))?,
        closes_at: moment(const { position_in(&COLUMNS, "n.closes_at") })?,
        asked: Asked::from_words(&asked_words).ok_or_else(|| unknown("asked", &asked))?,
        take_seconds: number(const { position_in(&COLUMNS, "n.take_seconds") })?,
        delete_after_days: number(const { position_in(&COLUMNS, "n.delete_after_days") })?,
        announced_at: moment(const { position_in(&COLUMNS, "n.announced_at") })?,
        archived_at: moment(const { position_in(&COLUMNS, "n.archived_at") })?,
    })
}

/// The domains of all pages of an institution.
pub async fn domains(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<DomainPattern>> {
    let text = "SELECT DISTINCT domains FROM name_pages WHERE institution_id = $1 AND domains <> '[]'";
    let mut found = Vec::new();
    for stored in sql.rows(text, &[institution.into()], |row| row.text(0)).await? {
        let all: Vec<String> = stored_json(("name_pages", "domains", institution), &stored)?;
        found.extend(all.iter().filter_map(|given| DomainPattern::parse(given)));
    }
    Ok(found)
}

pub async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Option<PageSettings>> {
    let text =
        format!("SELECT {} FROM name_pages n WHERE n.institution_id = $1 AND n.id = $2", COLUMNS.join(", "));
    sql.one(&text, &[institution.into(), page.into()], |row| from_row(row, 0)).await
}

/// A page of any institution by its slug or event code, which are public. An access code finds nothing, unless it is also the slug.
pub async fn public(sql: &mut Sql, code: &str) -> Result<Option<(Institution, NamePage, PageSettings)>> {
    let key = code_key(code);
    let found = by_code(sql, &key).await?;
    let is_public = |page: &NamePage| [&page.slug, &page.event_code].map(|own| code_key(own)).contains(&key);
    let Some((mut institution, page, settings)) = found.filter(|(_, page, _)| is_public(page)) else {
        return Ok(None);
    };
    institution.allowed_origins = institutions::origins(sql, institution.id).await?;
    Ok(Some((institution, page, settings)))
}

async fn by_code(sql: &mut Sql, key: &str) -> Result<Option<(Institution, NamePage, PageSettings)>> {
    let columns = format!("{}, {}", name_pages::COLUMNS.join(", "), COLUMNS.join(", "));
    let (first, then) = (name_pages::COLUMNS.len(), name_pages::COLUMNS.len() + COLUMNS.len());
    if !sql.is_citus() {
        let text = format!(
            "SELECT {columns}, {} FROM codes c \
             JOIN name_pages n ON n.institution_id = c.institution_id AND n.id = c.name_page_id \
             JOIN institutions i ON i.id = c.institution_id WHERE c.code = $1",
            institutions::COLUMNS
        );
        let read = |row: &Row<'_>| {
            Ok((institutions::from_row(row, then)?, name_pages::from_row(row)?, from_row(row, first)?))
        };
        return sql.one(&text, &[key.into()], read).await;
    }
    // In one statement, Citus would look for the page on every node.
    let Some((institution, page)) = name_pages::owner_of_code(sql, key).await? else {
        return Ok(None);
    };
    let text = format!("SELECT {columns} FROM name_pages n WHERE n.institution_id = $1 AND n.id = $2");
    let read = |row: &Row<'_>| Ok((name_pages::from_row(row)?, from_row(row, first)?));
    let found = sql.one(&text, &[institution.id.into(), page.into()], read).await?;
    Ok(found.map(|(page, settings)| (institution, page, settings)))
}

/// A validated change. `None` leaves the value unchanged.
#[derive(Debug, Default)]
pub struct Changes {
    pub title: Option<String>,
    pub allow_v2: Option<bool>,
    pub description: Option<Option<String>>,
    pub date: Option<Option<jiff::civil::Date>>,
    pub register: Option<Register>,
    pub domains: Option<Vec<DomainPattern>>,
    pub listen: Option<Listen>,
    pub moderation: Option<Moderation>,
    pub closes_at: Option<Option<Moment>>,
    pub asked: Option<Asked>,
    pub take_seconds: Option<Option<u32>>,
    pub delete_after_days: Option<Option<u32>>,
    pub announced_at: Option<Option<Moment>>,
    pub archived_at: Option<Option<Moment>>,
}

impl Changes {
    /// All settings of a page, for its copy, which is neither archived nor announced to be emptied.
    pub fn copy_of(settings: PageSettings) -> Self {
        Self {
            title: None,
            allow_v2: None,
            description: Some(settings.description),
            date: Some(settings.date),
            register: Some(settings.register),
            domains: Some(settings.domains),
            listen: Some(settings.listen),
            moderation: Some(settings.moderation),
            closes_at: Some(settings.closes_at),
            asked: Some(settings.asked),
            take_seconds: Some(settings.take_seconds),
            delete_after_days: Some(settings.delete_after_days),
            announced_at: None,
            archived_at: None,
        }
    }
}

/// Writes only the columns in the change, so that updates at the same time keep each other's.
pub async fn update(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    changes: &Changes,
) -> Result<()> {
    let moment = |given: Option<Option<Moment>>| given.map(|at| Value::from(at.map(Moment::micros)));
    let number = |given: Option<Option<u32>>| given.map(|count| Value::from(count.map(i64::from)));
    let domains =
        changes.domains.as_ref().map(|all| json(&all.iter().map(ToString::to_string).collect::<Vec<_>>()));
    let asked = changes.asked.as_ref().map(|asked| json(&asked.words()));
    let columns: [(&str, Option<Value<'_>>); 14] = [
        ("title", changes.title.as_ref().map(Value::from)),
        ("allow_v2", changes.allow_v2.map(Value::from)),
        ("description", changes.description.as_ref().map(|text| Value::from(text.as_ref()))),
        ("date", changes.date.map(|date| Value::from(date.map(|date| date.to_string())))),
        ("register", changes.register.map(|register| Value::from(register.word()))),
        ("domains", domains.transpose()?.map(Value::from)),
        ("listen", changes.listen.map(|listen| Value::from(listen.word()))),
        ("moderation", changes.moderation.map(|moderation| Value::from(moderation.word()))),
        ("closes_at", moment(changes.closes_at)),
        ("asked", asked.transpose()?.map(Value::from)),
        ("take_seconds", number(changes.take_seconds)),
        ("delete_after_days", number(changes.delete_after_days)),
        ("announced_at", moment(changes.announced_at)),
        ("archived_at", moment(changes.archived_at)),
    ];
    let (mut set, mut params) = (Vec::new(), Vec::new());
    for (column, value) in columns {
        if let Some(value) = value {
            params.push(value);
            set.push(format!("{column} = ${}", params.len()));
        }
    }
    if set.is_empty() {
        return Ok(());
    }
    params.extend([institution.into(), page.into()]);
    let text = format!(
        "UPDATE name_pages SET {} WHERE institution_id = ${} AND id = ${}",
        set.join(", "),
        params.len() - 1,
        params.len()
    );
    sql.execute(&text, &params).await.map(|_| ())
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Broken(error.to_string()))
}

/// Those of these registrations that are on pages that take no recordings from people: closed or archived.
pub async fn closed(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
    now: Moment,
) -> Result<HashSet<ParticipantId>> {
    let mut found = HashSet::new();
    for group in padded(ids) {
        let text = closed_text(group.len());
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.into_iter().map(Value::from));
        params.push(now.micros().into());
        found.extend(sql.rows(&text, &params, |row| row.id::<ParticipantId>(0)).await?);
    }
    Ok(found)
}

fn closed_text(count: usize) -> String {
    let of = |table: &str| {
        format!(
            "SELECT p.id FROM {table} p JOIN name_pages n ON n.institution_id = p.institution_id AND n.id = p.name_page_id \
             WHERE p.institution_id = $1 AND p.id IN ({}) AND (n.archived_at IS NOT NULL OR n.closes_at <= ${})",
            placeholders(2, count),
            count + 2
        )
    };
    format!("{} UNION ALL {}", of("participants"), of("hidden_participants"))
}

const IS_ARCHIVED: &str = "SELECT 1 FROM participants p \
     JOIN name_pages n ON n.institution_id = p.institution_id AND n.id = p.name_page_id \
     WHERE p.institution_id = $1 AND p.id = $2 AND n.archived_at IS NOT NULL";

/// Is this registration on an archived page?
pub async fn is_archived(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<bool> {
    let params = [institution.into(), participant.into()];
    Ok(sql.one(IS_ARCHIVED, &params, |_| Ok(())).await?.is_some())
}

/// The maximum length of a recording, in seconds, for those of these registrations that are on pages with their own limit.
pub async fn take_limits(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, u64>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let text = take_limits_text(group.len());
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.into_iter().map(Value::from));
        let read =
            |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, u64::try_from(row.int(1)?).unwrap_or_default()));
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

fn take_limits_text(count: usize) -> String {
    let of = |table: &str| {
        format!(
            "SELECT p.id, n.take_seconds FROM {table} p \
             JOIN name_pages n ON n.institution_id = p.institution_id AND n.id = p.name_page_id \
             WHERE p.institution_id = $1 AND p.id IN ({}) AND n.take_seconds IS NOT NULL",
            placeholders(2, count)
        )
    };
    format!("{} UNION ALL {}", of("participants"), of("hidden_participants"))
}

/// The managers of a page manage its copy, too.
pub async fn copy_managers(
    sql: &mut Sql,
    institution: InstitutionId,
    from: NamePageId,
    to: NamePageId,
) -> Result<()> {
    let text = "INSERT INTO member_pages (institution_id, email_key, name_page_id) \
         SELECT g.institution_id, g.email_key, $1 FROM member_pages g \
         JOIN members m ON m.institution_id = g.institution_id AND m.email_key = g.email_key \
         WHERE g.institution_id = $2 AND g.name_page_id = $3 AND m.role = 'manager'";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await.map(|_| ())
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let keys = [vec![Value::Int(1)], vec![Value::Int(7); 8], vec![Value::Int(1)]].concat();
    let limit_keys = [vec![Value::Int(1)], vec![Value::Int(7); 8]].concat();
    vec![
        ("registrations on closed pages", closed_text(8), keys),
        ("a registration on an archived page", IS_ARCHIVED.to_owned(), vec![Value::Int(1), Value::Int(7)]),
        ("limits of registrations' pages", take_limits_text(8), limit_keys),
    ]
}
