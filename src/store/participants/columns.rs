//! The columns of `participants` and `hidden_participants`, in one list, and the mapping of a row to a `Participant`. A test
//! compares the list with the schema. Columns are read by name; the compiler turns names into positions.

use std::sync::{Arc, LazyLock};

use crate::{
    domain::{
        ids::{NamePageId, ParticipantId},
        moment::Moment,
        name_page::PageLabel,
        participant::{CustomValues, Legal, Participant, Recording, TEXT_FIELDS, Withheld, text_fields},
    },
    store::{Error, Result, Row, position_in, stored_json},
};

/// Columns that make up a `Participant`, besides its text fields.
const READ: [&str; 14] = [
    "id",
    "page_place",
    "name_page_id",
    "token",
    "email",
    "recording",
    "recorded_at",
    "legal_recording",
    "legal_recorded_at",
    "custom",
    "custom_changed_at",
    "photo",
    "held",
    "directory_hold",
];
/// Columns for lookups, calls and badges, which are not part of a `Participant`.
const NOT_IN_RECORD: [&str; 9] = [
    "institution_id",
    "email_key",
    "identifier_key",
    "first_name_key",
    "last_name_key",
    "phone_number",
    "badge_listed",
    "created_at",
    "updated_at",
];

/// The columns that `from_row` reads.
const SELECTED: [&str; READ.len() + TEXT_FIELDS.len()] = {
    let mut all = [""; READ.len() + TEXT_FIELDS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < READ.len() { READ[at] } else { TEXT_FIELDS[at - READ.len()].column };
        at += 1;
    }
    all
};

pub(super) const SELECTED_COUNT: usize = SELECTED.len();

/// `SELECTED` as a SELECT list.
pub(super) static SELECTION: LazyLock<String> =
    LazyLock::new(|| SELECTED.map(|column| format!("p.{column}")).join(", "));

/// Every column of the tables.
#[doc(hidden)]
pub fn all() -> Vec<&'static str> {
    SELECTED.into_iter().chain(NOT_IN_RECORD).collect()
}

/// The position of a column in `SELECTED`. An unknown name does not compile.
const fn position(column: &str) -> usize {
    position_in(&SELECTED, column)
}

pub(super) fn id_of_page(row: &Row<'_>) -> Result<NamePageId> {
    row.id(const { position("name_page_id") })
}

macro_rules! reading {
    (
        own { $($own:ident: $own_kind:ident = $own_key:literal $own_field:ident,)* }
        legal { $($legal:ident: $legal_kind:ident = $legal_key:literal $legal_field:ident,)* }
    ) => {
        /// Reads `SELECTION`.
        pub(super) fn from_row(row: &Row<'_>, page: Arc<PageLabel>) -> Result<Participant> {
            let recording = |hex: usize, recorded_at: usize| {
                Ok::<_, Error>(match row.opt_text(hex)? {
                    Some(hex) => Some(Recording { hex, recorded_at: Moment::from_micros(row.int(recorded_at)?) }),
                    None => None,
                })
            };
            let id: ParticipantId = row.id(const { position("id") })?;
            Ok(Participant {
                id,
                page_place: row.int(const { position("page_place") })?,
                token: row.text(const { position("token") })?,
                email: row.opt_text(const { position("email") })?,
                $($own: row.opt_text(const { position(stringify!($own)) })?,)*
                recording: recording(const { position("recording") }, const { position("recorded_at") })?,
                photo: row.opt_text(const { position("photo") })?,
                is_held: row.bool(const { position("held") })?,
                legal: Legal {
                    $($legal: row.opt_text(const { position(concat!("legal_", stringify!($legal))) })?,)*
                    recording: recording(
                        const { position("legal_recording") },
                        const { position("legal_recorded_at") },
                    )?,
                },
                custom: match row.opt_text(const { position("custom") })? {
                    Some(json) => custom_from_json(&json, id)?,
                    None => CustomValues::default(),
                },
                custom_changed_at: row.opt_int(const { position("custom_changed_at") })?.map(Moment::from_micros),
                directory_hold: row.bool(const { position("directory_hold") })?,
                withheld: Withheld::default(),
                page,
            }
            .veiled())
        }
    };
}
text_fields!(reading);

pub(super) fn custom_from_json(json: &str, id: ParticipantId) -> Result<CustomValues> {
    stored_json(("participants", "custom", id), json).map(CustomValues)
}

pub(super) fn custom_to_json(custom: &CustomValues) -> Result<Option<String>> {
    let json = (!custom.0.is_empty()).then(|| serde_json::to_string(&custom.0));
    json.transpose().map_err(|error| Error::Broken(error.to_string()))
}
