//! TwiML documents and audio prompts for the cloud vendor.

use bytes::Bytes;

use crate::{
    app::{App, Error, Missing, Result},
    domain::{conversation::Step, institution::Institution},
    phone::cloud::twiml::{self, Addresses, Name, Scene},
    store::{call_attempts::Attempt, institutions},
    tasks,
};

/// The TwiML for the current step. Idempotent: a repeated request in the same step gets the same document.
pub async fn document(app: &App, attempt: &Attempt, take: Option<String>) -> Result<String> {
    let step = match attempt.step {
        Some(step @ Step::Over { .. }) => step,
        Some(step) if attempt.is_under_way() => step,
        _ => return Ok(twiml::hang_up()),
    };
    let owner = institutions::by_id(&mut app.db.read(), attempt.institution).await?;
    let owner = owner.ok_or(Error::Missing(Missing::Institution))?;
    let addresses = Addresses::new(&app.phone.callback_base, attempt.id);
    let language = app.phone.prompts.language(owner.phone_language.as_deref());
    // Only the first menu contains the institution's name, and speech synthesis may be slow.
    let names_it = matches!(step, Step::Invite { .. });
    let institution = if names_it && can_be_played(app, &language, &owner).await {
        Name::Played(addresses.name(&language, &owner.slug))
    } else {
        Name::Said(owner.name)
    };
    let scene = Scene { addresses, language, institution, step, number: attempt.step_number, take };
    Ok(scene.document())
}

/// Whether the institution's name has an audio file or can be synthesized.
async fn can_be_played(app: &App, language: &str, owner: &Institution) -> bool {
    app.phone.prompts.institution_wav(Some(language), &owner.slug, &owner.name).await.is_some()
}

/// An audio prompt as WAV. `institutions/SLUG` is an institution's name.
pub async fn prompt(app: &App, language: String, file: String) -> Option<Bytes> {
    let prompts = app.phone.prompts.clone();
    let (spoken, wanted) = (language.clone(), file.clone());
    // File access blocks, hence `spawn_blocking`. Unknown languages are rejected without looking for the file.
    let reading = move || prompts.speaks(&spoken).then(|| prompts.wav(Some(&spoken), &wanted)).flatten();
    match tasks::spawn_blocking(reading).await.ok().flatten() {
        Some(wav) => Some(wav),
        None => spoken_name(app, &language, file.strip_prefix("institutions/")?).await,
    }
}

/// Synthesizes an institution's name, but only in the language of its calls: the endpoint is public and synthesis is
/// expensive.
async fn spoken_name(app: &App, language: &str, slug: &str) -> Option<Bytes> {
    app.phone.cloud()?;
    let found = institutions::by_slug(&mut app.db.read(), slug).await;
    let owner = found.inspect_err(|error| tracing::warn!(%error, "speaking a name failed")).ok()??;
    let prompts = &app.phone.prompts;
    if prompts.language(owner.phone_language.as_deref()) != language {
        return None;
    }
    prompts.institution_wav(Some(language), &owner.slug, &owner.name).await
}
