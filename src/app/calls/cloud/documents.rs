//! What the cloud is told to do, and the sounds that it plays.

use bytes::Bytes;

use crate::{
    app::{App, Error, Missing, Result},
    domain::{conversation::Step, institution::Institution},
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
    // Nothing but the first menu names it, and a voice may take its time.
    let names_it = matches!(step, Step::Invite { .. });
    let institution = if names_it && can_be_played(app, &language, &whose).await {
        Name::Played(addresses.name(&language, &whose.slug))
    } else {
        Name::Said(whose.name)
    };
    let scene = Scene { addresses, language, institution, step, number: attempt.step_number, take };
    Ok(scene.document())
}

/// Is there a file for the institution's name, or a voice that says it?
async fn can_be_played(app: &App, language: &str, whose: &Institution) -> bool {
    app.phone.prompts.institution_wav(Some(language), &whose.slug, &whose.name).await.is_some()
}

/// One of the sounds that calls are made of, as WAV; `institutions/SLUG` is a name.
pub async fn prompt(app: &App, language: String, file: String) -> Option<Bytes> {
    let prompts = app.phone.prompts.clone();
    let (spoken, wanted) = (language.clone(), file.clone());
    // Files are looked at, which may take a moment, but not for a language that is not there.
    let reading = move || prompts.speaks(&spoken).then(|| prompts.wav(Some(&spoken), &wanted)).flatten();
    match tokio::task::spawn_blocking(reading).await.ok().flatten() {
        Some(wav) => Some(wav),
        None => spoken_name(app, &language, file.strip_prefix("institutions/")?).await,
    }
}

/// By the voice, in the language of the institution's calls alone: anybody may ask for it, and it is work.
async fn spoken_name(app: &App, language: &str, slug: &str) -> Option<Bytes> {
    app.phone.cloud()?;
    let found = institutions::by_slug(&mut app.db.read(), slug).await;
    let whose = found.inspect_err(|error| tracing::warn!(%error, "a name cannot be said")).ok()??;
    let prompts = &app.phone.prompts;
    if prompts.language(whose.phone_language.as_deref()) != language {
        return None;
    }
    prompts.institution_wav(Some(language), &whose.slug, &whose.name).await
}
