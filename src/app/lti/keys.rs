//! The tool's signing keys: generated on first use, rotated periodically, and published to platforms.

use serde_json::{Value, json};

use crate::{
    app::{Actor, App, Error, Result},
    domain::lti::keys::{Key, is_due, is_over, signing as chosen},
    jwt::keys::SigningKey,
    store::{
        self, Sql,
        lti_keys::{self, StoredKey},
    },
    tasks,
};

fn purpose(kid: &str) -> String {
    format!("lti key {kid}")
}

fn opened(app: &App, kept: &StoredKey) -> Option<SigningKey> {
    let der = app.secrets.open(&purpose(&kept.kid), &kept.sealed).ok()?;
    Some(SigningKey::from_der(kept.kid.clone(), der))
}

fn ages(app: &App, all: &[StoredKey]) -> Vec<Key> {
    let age = |kept: &StoredKey| Key { created_at: kept.created_at, opens: opened(app, kept).is_some() };
    all.iter().map(age).collect()
}

/// Returns the JSON Web Key Set (JWKS) for `/lti/jwks.json`.
pub async fn shown(app: &App) -> Result<Value> {
    let all = present(app).await?;
    let public = |kept: &StoredKey| {
        store::stored_json::<Value>(("lti_keys", "public_key", &kept.kid), &kept.public)
            .inspect_err(|error| tracing::error!(%error, "a stored public key is unreadable"))
            .ok()
    };
    // Publish all keys: platforms must be able to verify what the older ones signed.
    let keys: Vec<Value> = all.iter().filter_map(public).collect();
    Ok(json!({ "keys": keys }))
}

/// Returns the current signing key.
pub async fn signing(app: &App) -> Result<SigningKey> {
    let all = present(app).await?;
    let place = chosen(&ages(app, &all), app.clock.now());
    let key = place.and_then(|place| opened(app, &all[place]));
    key.ok_or_else(|| Error::Internal("there is no key to sign with".to_owned()))
}

/// Returns whether a key can be decrypted. Also true if there are none yet, because one is generated on first use.
pub async fn open(app: &App) -> Result<bool> {
    let all = lti_keys::all(&mut app.db.read()).await?;
    Ok(all.is_empty() || ages(app, &all).iter().any(|key| key.opens))
}

/// Returns all keys, and generates one if none of them can be decrypted.
async fn present(app: &App) -> Result<Vec<StoredKey>> {
    let all = lti_keys::all(&mut app.db.read()).await?;
    if ages(app, &all).iter().any(|key| key.opens) {
        return Ok(all);
    }
    make(app, |app, all| !ages(app, all).iter().any(|key| key.opens)).await?;
    Ok(lti_keys::all(&mut app.db.read()).await?)
}

/// Generates a new key now. It is published immediately, and used for signing once platforms had time to fetch it.
pub async fn rotate(app: &App, actor: &Actor) -> Result<String> {
    actor.operate()?;
    let made = make(app, |_, _| true).await?;
    made.ok_or_else(|| Error::Internal("no key was made".to_owned()))
}

/// Generates a new key if the newest one is old enough, and removes keys that no platform needs any more.
pub async fn rotate_if_due(app: &App) -> Result<()> {
    let all = lti_keys::all(&mut app.db.read()).await?;
    // No key yet means that no platform is connected, so there is nothing to rotate.
    if all.is_empty() {
        return Ok(());
    }
    let due = |app: &App, all: &[StoredKey]| is_due(&ages(app, all), app.clock.now());
    if due(app, &all) {
        make(app, due).await?;
    }
    let app = app.clone();
    app.clone()
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let (all, now) = (lti_keys::all(sql).await?, app.clock.now());
                let ages = ages(&app, &all);
                for (kept, _) in all.iter().zip(&ages).filter(|(_, key)| is_over(**key, &ages, now)) {
                    lti_keys::remove(sql, &kept.kid).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Generates and stores a key, unless a concurrent call has stored one so that it is no longer needed.
async fn make(app: &App, is_needed: fn(&App, &[StoredKey]) -> bool) -> Result<Option<String>> {
    let kid = app.ids.hex();
    let named = kid.clone();
    // Generating an RSA key is CPU-bound.
    let made = tasks::spawn_blocking(move || SigningKey::make(named)).await;
    let key = made.map_err(|error| Error::Internal(error.to_string()))?.map_err(Error::Internal)?;
    let kept = StoredKey {
        sealed: app.secrets.seal(&purpose(&kid), key.der())?,
        public: key.public().map_err(Error::Internal)?.to_string(),
        created_at: app.clock.now(),
        kid,
    };
    let app = app.clone();
    app.clone()
        .db
        .write(move |sql| Box::pin(async move { insert_if(sql, &app, kept, is_needed).await }))
        .await
}

async fn insert_if(
    sql: &mut Sql,
    app: &App,
    kept: StoredKey,
    is_needed: fn(&App, &[StoredKey]) -> bool,
) -> Result<Option<String>> {
    if !is_needed(app, &lti_keys::all(sql).await?) {
        return Ok(None);
    }
    lti_keys::insert(sql, &kept).await?;
    tracing::info!(kid = kept.kid, "a new LTI signing key was created");
    Ok(Some(kept.kid))
}
