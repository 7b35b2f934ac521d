//! The schemas of users and groups (RFC 7643). They decide what is stored of a resource, how it is compared, and what `/Schemas` says.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    String,
    Boolean,
    DateTime,
    Reference,
    Complex,
}

impl Type {
    pub const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::DateTime => "dateTime",
            Self::Reference => "reference",
            Self::Complex => "complex",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutability {
    ReadWrite,
    ReadOnly,
    Immutable,
}

impl Mutability {
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReadWrite => "readWrite",
            Self::ReadOnly => "readOnly",
            Self::Immutable => "immutable",
        }
    }
}

#[derive(Debug)]
pub struct Attribute {
    pub name: &'static str,
    pub description: &'static str,
    pub kind: Type,
    pub is_many: bool,
    pub is_required: bool,
    pub is_case_exact: bool,
    pub is_unique: bool,
    pub mutability: Mutability,
    /// Suggested values.
    pub canonical: &'static [&'static str],
    /// What a reference refers to.
    pub refers_to: &'static [&'static str],
    /// The sub-attributes.
    pub parts: &'static [Attribute],
}

impl Attribute {
    pub const fn is_read_only(&self) -> bool {
        matches!(self.mutability, Mutability::ReadOnly)
    }
}

#[derive(Debug)]
pub struct Schema {
    pub id: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub attributes: &'static [Attribute],
}

/// Users or groups, with their schemas.
#[derive(Debug)]
pub struct ResourceType {
    pub name: &'static str,
    pub description: &'static str,
    pub endpoint: &'static str,
    pub schema: &'static Schema,
    pub extensions: &'static [&'static Schema],
}

pub static USERS: ResourceType = ResourceType {
    name: "User",
    description: "A person of the institution",
    endpoint: "/Users",
    schema: &USER,
    extensions: &[&ENTERPRISE, &ENDONYM],
};

pub static GROUPS: ResourceType = ResourceType {
    name: "Group",
    description: "A group of users, which can stand for a name page or a role",
    endpoint: "/Groups",
    schema: &GROUP,
    extensions: &[],
};

pub static RESOURCE_TYPES: [&ResourceType; 2] = [&USERS, &GROUPS];
pub static SCHEMAS: [&Schema; 4] = [&USER, &GROUP, &ENTERPRISE, &ENDONYM];

const fn text(name: &'static str, description: &'static str) -> Attribute {
    Attribute {
        name,
        description,
        kind: Type::String,
        is_many: false,
        is_required: false,
        is_case_exact: false,
        is_unique: false,
        mutability: Mutability::ReadWrite,
        canonical: &[],
        refers_to: &[],
        parts: &[],
    }
}

const fn exact(name: &'static str, description: &'static str) -> Attribute {
    Attribute { is_case_exact: true, ..text(name, description) }
}

const fn truth(name: &'static str, description: &'static str) -> Attribute {
    Attribute { kind: Type::Boolean, ..text(name, description) }
}

const fn reference(
    name: &'static str,
    description: &'static str,
    refers_to: &'static [&'static str],
) -> Attribute {
    Attribute { kind: Type::Reference, is_case_exact: true, refers_to, ..text(name, description) }
}

const fn complex(name: &'static str, description: &'static str, parts: &'static [Attribute]) -> Attribute {
    Attribute { kind: Type::Complex, parts, ..text(name, description) }
}

const fn many(attribute: Attribute) -> Attribute {
    Attribute { is_many: true, ..attribute }
}

const fn read_only(attribute: Attribute) -> Attribute {
    Attribute { mutability: Mutability::ReadOnly, ..attribute }
}

const fn immutable(attribute: Attribute) -> Attribute {
    Attribute { mutability: Mutability::Immutable, ..attribute }
}

const fn one_of(attribute: Attribute, canonical: &'static [&'static str]) -> Attribute {
    Attribute { canonical, ..attribute }
}

const META: &[Attribute] = &[
    read_only(exact("resourceType", "The type of the resource")),
    read_only(Attribute { kind: Type::DateTime, ..text("created", "When it was created") }),
    read_only(Attribute { kind: Type::DateTime, ..text("lastModified", "When it was last changed") }),
    read_only(reference("location", "The URL of the resource", &["uri"])),
];

/// Attributes of every resource. `/Schemas` does not list them (RFC 7643, 3.1).
pub static COMMON: [Attribute; 3] = [
    read_only(exact("id", "The identifier that Endonym has given")),
    exact("externalId", "The identifier that the directory has given"),
    read_only(complex("meta", "About the resource itself", META)),
];

const NAME: &[Attribute] = &[
    text("formatted", "The whole name"),
    text("familyName", "The family name"),
    text("givenName", "The given name"),
    text("middleName", "The middle names"),
    text("honorificPrefix", "What precedes the name, like Dr."),
    text("honorificSuffix", "What follows the name, like III"),
];

const EMAIL: &[Attribute] = &[
    text("value", "The email address"),
    text("display", "The address as it is shown"),
    one_of(text("type", "What the address is for"), &["work", "home", "other"]),
    truth("primary", "Whether it is the preferred address"),
];

const PHONE: &[Attribute] = &[
    text("value", "The phone number"),
    text("display", "The number as it is shown"),
    one_of(text("type", "What the number is for"), &["work", "home", "mobile", "fax", "pager", "other"]),
    truth("primary", "Whether it is the preferred number"),
];

const GROUP_OF_USER: &[Attribute] = &[
    read_only(exact("value", "The id of the group")),
    read_only(reference("$ref", "The URL of the group", &["Group"])),
    read_only(text("display", "The name of the group")),
    read_only(one_of(text("type", "How the user belongs to it"), &["direct"])),
];

pub static USER: Schema = Schema {
    id: "urn:ietf:params:scim:schemas:core:2.0:User",
    name: "User",
    description: "A person of the institution",
    attributes: &[
        Attribute {
            is_required: true,
            is_unique: true,
            ..text("userName", "The name by which the user signs in")
        },
        complex("name", "The parts of the name", NAME),
        text("displayName", "The name as it is shown"),
        text("nickName", "The casual name"),
        text("title", "The title, like Professor"),
        text("preferredLanguage", "The preferred language"),
        text("locale", "The locale for formats"),
        text("timezone", "The time zone"),
        truth("active", "Whether the user is active; others are hidden with all their registrations"),
        many(complex("emails", "Email addresses", EMAIL)),
        many(complex("phoneNumbers", "Phone numbers; Endonym does not call them", PHONE)),
        read_only(many(complex("groups", "The groups of the user", GROUP_OF_USER))),
    ],
};

const MANAGER: &[Attribute] = &[
    exact("value", "The id of the manager"),
    reference("$ref", "The URL of the manager", &["User"]),
    read_only(text("displayName", "The name of the manager")),
];

pub static ENTERPRISE: Schema = Schema {
    id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
    name: "EnterpriseUser",
    description: "Enterprise user, which is stored and has no effect",
    attributes: &[
        text("employeeNumber", "The number of the employee"),
        text("costCenter", "The cost center"),
        text("organization", "The organization"),
        text("division", "The division"),
        text("department", "The department"),
        complex("manager", "The manager", MANAGER),
    ],
};

pub static ENDONYM: Schema = Schema {
    id: "urn:ietf:params:scim:schemas:extension:endonym:2.0:User",
    name: "EndonymUser",
    description: "How the name is said, of users who are registered on a name page, and who may know",
    attributes: &[
        truth("directoryHold", "Whether nothing about the person may be told to the public (FERPA)"),
        read_only(truth("recorded", "Whether there is a recording that can be heard")),
        read_only(text("phoneticSpelling", "How the name is said, in letters")),
        read_only(reference("audioUrl", "The URL of the recording, an MP3 file", &["external"])),
        read_only(reference("badgeUrl", "The URL of the name badge", &["external"])),
    ],
};

const MEMBER: &[Attribute] = &[
    immutable(exact("value", "The id of the user")),
    immutable(reference("$ref", "The URL of the user", &["User"])),
    immutable(one_of(text("type", "The type of the member"), &["User"])),
];

pub static GROUP: Schema = Schema {
    id: "urn:ietf:params:scim:schemas:core:2.0:Group",
    name: "Group",
    description: "A group of users",
    attributes: &[
        Attribute { is_required: true, is_unique: true, ..text("displayName", "The name of the group") },
        many(complex("members", "The users in the group", MEMBER)),
    ],
};

/// Attribute names are compared without regard to case (RFC 7643, 2.1).
pub fn find(attributes: &'static [Attribute], name: &str) -> Option<&'static Attribute> {
    attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))
}

/// What an attribute path such as `name.givenName` or `urn:…:User:department` names.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// `None` for core and common attributes.
    pub extension: Option<&'static Schema>,
    /// `None` for the extension as a whole.
    pub attribute: Option<&'static Attribute>,
    /// A sub-attribute.
    pub part: Option<&'static Attribute>,
}

impl Target {
    /// May nobody but Endonym write it?
    pub fn is_read_only(&self) -> bool {
        [self.attribute, self.part].into_iter().flatten().any(Attribute::is_read_only)
    }
}

impl ResourceType {
    /// `None` if this type has no such attribute.
    pub fn resolve(&'static self, path: &str) -> Option<Target> {
        for extension in self.extensions.iter().copied() {
            if path.eq_ignore_ascii_case(extension.id) {
                return Some(Target { extension: Some(extension), attribute: None, part: None });
            }
            if let Some(rest) = after_schema(path, extension.id) {
                return within(extension.attributes, rest, Some(extension));
            }
        }
        let rest = after_schema(path, self.schema.id).unwrap_or(path);
        within(&COMMON, rest, None).or_else(|| within(self.schema.attributes, rest, None))
    }
}

/// `department` in `urn:…:User:department`.
fn after_schema<'a>(path: &'a str, schema: &str) -> Option<&'a str> {
    let (start, rest) = path.split_at_checked(schema.len())?;
    if start.eq_ignore_ascii_case(schema) { rest.strip_prefix(':') } else { None }
}

fn within(
    attributes: &'static [Attribute],
    path: &str,
    extension: Option<&'static Schema>,
) -> Option<Target> {
    let (name, part) = match path.split_once('.') {
        Some((name, part)) => (name, Some(part)),
        None => (path, None),
    };
    let attribute = find(attributes, name)?;
    let part = match part {
        Some(part) => Some(find(attribute.parts, part)?),
        None => None,
    };
    Some(Target { extension, attribute: Some(attribute), part })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> Option<(Option<&'static str>, Option<&'static str>, Option<&'static str>)> {
        let Target { extension, attribute, part } = USERS.resolve(path)?;
        Some((extension.map(|one| one.name), attribute.map(|one| one.name), part.map(|one| one.name)))
    }

    #[test]
    fn paths_name_attributes_whatever_their_case() {
        for (path, found) in [
            ("USERNAME", (None, Some("userName"), None)),
            ("externalid", (None, Some("externalId"), None)),
            ("Name.GivenName", (None, Some("name"), Some("givenName"))),
            ("emails.value", (None, Some("emails"), Some("value"))),
            ("urn:ietf:params:scim:schemas:core:2.0:User:userName", (None, Some("userName"), None)),
            (
                "urn:IETF:params:scim:schemas:core:2.0:user:name.familyName",
                (None, Some("name"), Some("familyName")),
            ),
            (
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
                (Some("EnterpriseUser"), None, None),
            ),
            (
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value",
                (Some("EnterpriseUser"), Some("manager"), Some("value")),
            ),
        ] {
            assert_eq!(named(path), Some(found), "{path}");
        }
        for path in ["", "password", "name.nothing", "userName.value", "urn:example:User:userName", "ü.value"]
        {
            assert_eq!(named(path), None, "{path}");
        }
    }
}
