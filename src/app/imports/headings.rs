//! Headings of columns, as people write them in several languages.

use unicode_normalization::UnicodeNormalization;

use crate::domain::{custom_field::CustomField, directory_hold, participant::TEXT_FIELDS};

/// A heading without everything that people write differently: NFKC, lower case, letters and digits only.
pub fn key(heading: &str) -> String {
    heading.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// The heading of a standard column, which every participant has.
pub fn is_standard(name: &str) -> bool {
    matches!(name, "email" | "phone_number" | directory_hold::KEY)
        || TEXT_FIELDS.iter().any(|field| field.key == name)
}

/// The names of all fields that a column can have: the standard ones, then the custom ones.
pub fn fields(custom: &[CustomField], has_legal_names: bool) -> Vec<String> {
    let texts = TEXT_FIELDS.iter().filter(|field| has_legal_names || !field.is_legal).map(|field| field.key);
    let standard =
        ["email"].into_iter().chain(texts).chain(["phone_number", directory_hold::KEY]).map(str::to_owned);
    standard.chain(custom.iter().map(CustomField::import_key)).collect()
}

/// The field with exactly this name, as in API requests.
pub fn exact(heading: &str) -> Option<String> {
    let name = heading.trim().trim_matches('"').to_lowercase().replace([' ', '-'], "_");
    let name = if name == "phonetic_spelling" { "phonetic".to_owned() } else { name };
    (is_standard(&name) || name.starts_with("custom_")).then_some(name)
}

/// The field that a heading means in one of the languages.
pub fn meant(heading: &str, custom: &[CustomField]) -> Option<String> {
    let key = key(heading);
    if key.is_empty() {
        return None;
    }
    let known = SYNONYMS.iter().find(|(_, synonyms)| synonyms.contains(&key.as_str()));
    if let Some((field, _)) = known {
        return Some((*field).to_owned());
    }
    // A custom field may stand there by its label, and pronouns by what they are called.
    let is_pronouns = PRONOUNS.contains(&key.as_str());
    let found = custom.iter().find(|field| self::key(&field.label) == key || self::key(&field.name) == key);
    let found = found.or_else(|| custom.iter().find(|field| is_pronouns && field.is_pronouns()));
    found.map(CustomField::import_key)
}

/// "Name" alone is the last name where there is a column for the first name. A whole name cannot be split reliably.
pub fn is_name(heading: &str) -> bool {
    matches!(key(heading).as_str(), "name" | "nom" | "nome" | "姓名" | "naam" | "氏名")
}

/// English, Spanish, French, German, Portuguese, Chinese, Arabic, Japanese, Italian and Dutch, as `key` returns them.
const SYNONYMS: [(&str, &[&str]); 9] = [
    (
        "directory_hold",
        &[
            "directoryhold",
            "ferpa",
            "ferpahold",
            "ferpablock",
            "ferpaflag",
            "ferparestriction",
            "ferpaindicator",
            "ferpaconfidential",
            "privacyhold",
            "privacyflag",
            "privacyindicator",
            "privacyblock",
            "confidentialityflag",
            "confidentialityindicator",
            "directoryblock",
            "directoryrestriction",
            "directoryexclusion",
            "nondisclosure",
            "bloqueodedirectorio",
            "confidencialidad",
            "listerouge",
            "auskunftssperre",
            "sigilocadastral",
            "目录保密",
            "حظرالدليل",
        ],
    ),
    (
        "email",
        &[
            "email",
            "mail",
            "emailaddress",
            "mailaddress",
            "emailid",
            "correo",
            "correoelectrónico",
            "correoelectronico",
            "direccióndecorreo",
            "direcciondecorreo",
            "courriel",
            "adresseemail",
            "adressemail",
            "adressecourriel",
            "adresseélectronique",
            "emailadresse",
            "mailadresse",
            "endereçodeemail",
            "enderecodeemail",
            "correioeletrônico",
            "correioeletronico",
            "邮箱",
            "电子邮箱",
            "电子邮件",
            "邮箱地址",
            "電子郵件",
            "البريدالإلكتروني",
            "البريدالالكتروني",
            "البريد",
            "メール",
            "メールアドレス",
            "indirizzoemail",
            "postaelettronica",
            "emailadres",
        ],
    ),
    (
        "first_name",
        &[
            "firstname",
            "givenname",
            "givennames",
            "forename",
            "first",
            "preferredname",
            "preferredfirstname",
            "preferredgivenname",
            "nombre",
            "nombres",
            "nombredepila",
            "prénom",
            "prenom",
            "prénoms",
            "vorname",
            "vornamen",
            "rufname",
            "primeironome",
            "名",
            "名字",
            "الاسم",
            "الاسمالأول",
            "الاسمالاول",
            "名前",
            "voornaam",
        ],
    ),
    (
        "last_name",
        &[
            "lastname",
            "surname",
            "familyname",
            "last",
            "preferredlastname",
            "preferredfamilyname",
            "apellido",
            "apellidos",
            "nomdefamille",
            "nachname",
            "familienname",
            "zuname",
            "sobrenome",
            "apelido",
            "últimonome",
            "姓",
            "姓氏",
            "اسمالعائلة",
            "اللقب",
            "الاسمالأخير",
            "الاسمالاخير",
            "苗字",
            "cognome",
            "achternaam",
        ],
    ),
    (
        "institution_id",
        &[
            "institutionid",
            "id",
            "studentid",
            "studentnumber",
            "studentno",
            "employeeid",
            "personid",
            "userid",
            "sisid",
            "sisuserid",
            "identifier",
            "matrícula",
            "matricula",
            "númerodeestudiante",
            "numerodeestudiante",
            "expediente",
            "numéroétudiant",
            "numeroetudiant",
            "matricule",
            "identifiant",
            "matrikelnummer",
            "personalnummer",
            "kennung",
            "númerodematrícula",
            "学号",
            "學號",
            "工号",
            "الرقمالجامعي",
            "رقمالطالب",
            "学籍番号",
            "matricola",
            "studentnummer",
        ],
    ),
    (
        "phonetic",
        &[
            "phonetic",
            "phoneticspelling",
            "phoneticname",
            "pronunciation",
            "pronunciación",
            "pronunciacion",
            "prononciation",
            "aussprache",
            "lautschrift",
            "pronúncia",
            "pronuncia",
            "发音",
            "读音",
            "發音",
            "النطق",
            "طريقةالنطق",
            "ふりがな",
            "フリガナ",
            "uitspraak",
        ],
    ),
    (
        "notes",
        &[
            "notes",
            "note",
            "comments",
            "comment",
            "notas",
            "comentarios",
            "observaciones",
            "remarques",
            "commentaires",
            "notizen",
            "bemerkung",
            "bemerkungen",
            "anmerkungen",
            "observações",
            "observacoes",
            "备注",
            "備註",
            "ملاحظات",
            "備考",
            "opmerkingen",
        ],
    ),
    (
        "phone_number",
        &[
            "phonenumber",
            "phone",
            "telephone",
            "mobile",
            "mobilephone",
            "cell",
            "cellphone",
            "teléfono",
            "telefono",
            "móvil",
            "movil",
            "téléphone",
            "portable",
            "telefon",
            "telefonnummer",
            "handy",
            "mobiltelefon",
            "telefone",
            "celular",
            "电话",
            "手机",
            "手机号",
            "电话号码",
            "電話",
            "الهاتف",
            "رقمالهاتف",
            "الجوال",
            "電話番号",
            "cellulare",
            "telefoonnummer",
        ],
    ),
    ("legal_middle_name", &["middlename", "legalmiddlename"]),
];

const PRONOUNS: [&str; 11] = [
    "pronouns",
    "pronoun",
    "pronombres",
    "pronombre",
    "pronoms",
    "pronom",
    "pronomen",
    "pronomes",
    "代词",
    "人称代词",
    "الضمائر",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::CustomFieldId;

    #[test]
    fn headings_are_understood_in_several_languages() {
        for (heading, field) in [
            ("E-Mail", "email"),
            ("E‑Mail-Adresse", "email"),
            ("courriel", "email"),
            ("Correo electrónico", "email"),
            ("邮箱", "email"),
            ("البريد الإلكتروني", "email"),
            ("Ｅｍａｉｌ", "email"),
            ("Vorname", "first_name"),
            ("PRÉNOM", "first_name"),
            ("Given Name(s)", "first_name"),
            ("Surname", "last_name"),
            ("Apellidos", "last_name"),
            ("姓", "last_name"),
            ("Student ID", "institution_id"),
            ("Matrikel-Nummer", "institution_id"),
            ("Aussprache", "phonetic"),
            ("Téléphone", "phone_number"),
        ] {
            assert_eq!(meant(heading, &[]).as_deref(), Some(field), "{heading}");
        }
        for heading in ["", "-", "Shoe size", "name", "password"] {
            assert_eq!(meant(heading, &[]), None, "{heading}");
        }
    }

    #[test]
    fn no_synonym_means_two_fields_and_all_are_keys() {
        let all: Vec<&str> = SYNONYMS.iter().flat_map(|(_, synonyms)| synonyms.iter().copied()).collect();
        for (at, synonym) in all.iter().enumerate() {
            assert_eq!(key(synonym), *synonym);
            assert!(!all[at + 1..].contains(synonym), "{synonym}");
        }
        assert!(SYNONYMS.iter().all(|(field, _)| is_standard(field)));
    }

    #[test]
    fn custom_fields_are_found_by_label_and_pronouns_by_meaning() {
        let field = |id, name: &str, label: &str| CustomField {
            id: CustomFieldId::new(id),
            name: name.to_owned(),
            label: label.to_owned(),
            ..CustomField::default()
        };
        let custom = [field(1, "major", "Fach (Haupt)"), field(2, "gender_pronouns", "Pronomen")];
        assert_eq!(meant("Fach: Haupt", &custom).as_deref(), Some("custom_major"));
        assert_eq!(meant("Pronouns", &custom).as_deref(), Some("custom_gender_pronouns"));
        assert_eq!(exact("Custom Major").as_deref(), Some("custom_major"));
        assert_eq!(fields(&custom, false).last().map(String::as_str), Some("custom_gender_pronouns"));
    }
}
