//! `/p/{slug}/invitations/links.csv`: the personal links of those who have not recorded, for managers who send them themselves.

use axum::{body::Bytes, extract::State, response::Response};

use super::{super::visit::Managed, failed, nothing, page_ref};
use crate::{
    app::{
        Actor, App, Result,
        invitations::{self, Cursor, Listed},
        streams::Chunks,
    },
    domain::{
        formula::{BYTE_ORDER_MARK, csv_row},
        ids::InstitutionId,
        name_page::NamePageRef,
    },
    http::download::{self, Kind},
};

/// People in one chunk.
const BATCH: usize = 500;

pub async fn links(State(app): State<App>, Managed(visit): Managed) -> Response {
    let (Some((_, actor, person)), Some(page)) = (visit.person(), page_ref(&visit)) else {
        return nothing(&app, &visit);
    };
    if let Some(sign_in) = visit.ask_again(&app, "/invitations") {
        return sign_in;
    }
    let file = Links {
        app: app.clone(),
        actor: actor.clone(),
        institution: person.institution,
        page,
        from: Some(Cursor::Start),
    };
    let name = format!("{}-links.csv", visit.public.page.slug);
    let (content_type, subject) = ("text/csv; charset=utf-8", "the links of a name page");
    let sent = download::send(file, Kind { content_type, file_name: Some(&name), subject }).await;
    sent.unwrap_or_else(|error| failed(&app, &visit, &error))
}

struct Links {
    app: App,
    actor: Actor,
    institution: InstitutionId,
    page: NamePageRef,
    /// Where the next chunk begins; `None` at the end.
    from: Option<Cursor>,
}

impl Chunks for Links {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        // People without an invitation come last, and have no link.
        let Some(from) = self.from.filter(|from| !matches!(from, Cursor::Uninvited(_))) else {
            return Ok(None);
        };
        let (institution, page) = (self.institution, &self.page);
        let listing =
            invitations::all(&self.app, &self.actor, institution, page, None, (from, BATCH)).await?;
        self.from = listing.next;
        Ok(Some(table(&listing.people, from == Cursor::Start)))
    }
}

/// Those to whom a message is of use.
fn table(people: &[Listed], is_first: bool) -> Bytes {
    let mut table = String::new();
    if is_first {
        table = format!("{BYTE_ORDER_MARK}{}", csv_row(["email", "name", "link"]));
    }
    for one in people.iter().filter(|one| one.state.is_reachable()) {
        let (Some(email), Some(link)) = (&one.guest.email, &one.link) else { continue };
        table.push_str(&csv_row([email.as_str(), &one.name(), link]));
    }
    table.into()
}
