//! What the cloud is told to do, and the sounds that it plays.

use bytes::Bytes;

use crate::{
    app::{App, Error, Missing, Result},
    domain::conversation::Step,
    phone::cloud::twiml::{self, Addresses, Name, Scene},
    store::{call_attempts::Attempt, institutions},
};

/// What the cloud is to do now: the same for everybody who asks in this step.
pub async fn document(app: &App, attempt: &Attempt, take: Option<String>) -> Result<String> {
    let step = match attempt.step {
        Some(step @ Step::Over { .. }) => step,
        Some(step) if attempt.is_under_way() => step,
        _ => return Ok(twiml::hang_up()),
    };
    let whose = institutions::by_id(&mut app.db.read(), attempt.institution).await?;
    let whose = whose.ok_or(Error::Missing(Missing::Institution))?;
    let addresses = Addresses::new(&app.phone.callback_base, attempt.id);
    let language = app.phone.prompts.language(whose.phone_language.as_deref());
    let institution = if has_file(app, &language, &whose.slug).await {
        Name::Played(addresses.name(&language, &whose.slug))
    } else {
        Name::Said(whose.name)
    };
    let scene = Scene { addresses, language, institution, step, number: attempt.step_number, take };
    Ok(scene.document())
}

/// Files are looked at, which may take a moment.
async fn has_file(app: &App, language: &str, slug: &str) -> bool {
    let (prompts, language, slug) = (app.phone.prompts.clone(), language.to_owned(), slug.to_owned());
    let looking = tokio::task::spawn_blocking(move || prompts.has_institution(Some(&language), &slug));
    looking.await.unwrap_or(false)
}

/// One of the sounds that calls are made of, as WAV; `institutions/SLUG` is a name.
pub async fn prompt(app: &App, language: String, file: String) -> Option<Bytes> {
    let prompts = app.phone.prompts.clone();
    // Asking for a language that is not there is no reason to look for it on disk.
    let reading = move || prompts.speaks(&language).then(|| prompts.wav(Some(&language), &file)).flatten();
    tokio::task::spawn_blocking(reading).await.ok().flatten()
}
