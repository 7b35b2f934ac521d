//! A session's own window, for pages in a frame that may not use the microphone. Browsers do not send the frame's cookie to
//! another tab (it is partitioned), so a link in the page opens a second session of the same user, bound to the cookie of the tab.

use std::time::Duration;

use super::{Fault, Refusal, Result, sessions::Open};
use crate::{
    app::{App, Error, sessions::Secret},
    store::lti_sessions::{self, Session, Viewer},
};

/// Enough to make a recording. The window outlives the frame, so it ends sooner than other sessions.
const LIFE: Duration = Duration::from_secs(3_600);

/// The session of a window.
pub struct Window {
    pub name: Secret,
    /// The value of the tab's cookie.
    pub browser: Secret,
    pub is_staff: bool,
}

fn purpose(session_digest: &str) -> String {
    format!("own window of LTI session {session_digest}")
}

/// Makes the key of a link that opens the session in its own window. It contains the name of the new session, encrypted; nothing is
/// stored until the link is opened.
pub fn key(app: &App, open: &Open) -> Result<String, Error> {
    let name = Secret::generate(app);
    Ok(app.secrets.seal(&purpose(&open.session.session_digest), name.as_str().as_bytes())?)
}

/// Opens a window. A key works in one browser only; there, opening it again leads to the same session.
pub async fn open(app: &App, session: &str, key: &str, cookies: &[&str]) -> Result<Window> {
    let none = || Fault::from(Refusal::NoSession);
    let digest = Secret::parse(session).ok_or_else(none)?.digest();
    let plain = app.secrets.open(&purpose(&digest), key).map_err(|_| none())?;
    let name = std::str::from_utf8(&plain).ok().and_then(Secret::parse).ok_or_else(none)?;
    let now = app.clock.now();
    let found = lti_sessions::find(&mut app.db.read(), &digest).await?;
    let found = found.filter(|session| now < session.expires_at).ok_or_else(none)?;
    let browser =
        cookies.iter().find_map(|text| Secret::parse(text)).unwrap_or_else(|| Secret::generate(app));
    let is_staff = matches!(found.who, Viewer::Staff(_));
    let window = Session {
        session_digest: name.digest(),
        browser_digest: browser.digest(),
        // Encrypted for the other session, and needed only to add an entry.
        person: None,
        expires_at: found.expires_at.min(now.plus(LIFE)),
        ..found
    };
    let is_opened = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if let Some(known) = lti_sessions::find(sql, &window.session_digest).await? {
                    return Ok(known.browser_digest == window.browser_digest);
                }
                lti_sessions::end_of_others(sql, &window, now).await?;
                lti_sessions::insert(sql, &window).await?;
                Ok(true)
            })
        })
        .await?;
    if is_opened { Ok(Window { name, browser, is_staff }) } else { Err(none()) }
}
