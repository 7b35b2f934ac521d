//! Our signing keys: generated on first use, rotated periodically, and published to platforms. Each institution has its own, so that no
//! institution can obtain a message that the platform of another one would believe.

use serde_json::{Value, json};

use crate::{
    app::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
    },
    domain::{
        audit::Act,
        ids::InstitutionId,
        lti::keys::{Key, is_due, is_over, signing as chosen},
        tool_consumer::ToolConsumer,
    },
    jwt::keys::SigningKey,
    store::{
        self, Sql,
        lti_keys::{self, KeyOwner, StoredKey},
    },
    tasks,
};

fn purpose(owner: KeyOwner, kid: &str) -> String {
    match owner {
        KeyOwner::Shared => format!("lti key {kid}"),
        KeyOwner::Institution(_) => format!("lti key of an institution {kid}"),
    }
}

/// Whose keys sign messages to this platform.
pub fn owner_of(consumer: &ToolConsumer) -> KeyOwner {
    if consumer.is_shared() { KeyOwner::Shared } else { KeyOwner::Institution(consumer.institution) }
}

fn opened(app: &App, owner: KeyOwner, kept: &StoredKey) -> Option<SigningKey> {
    let der = app.secrets.open(&purpose(owner, &kept.kid), &kept.sealed).ok()?;
    Some(SigningKey::from_der(kept.kid.clone(), der))
}

fn ages(app: &App, owner: KeyOwner, all: &[StoredKey]) -> Vec<Key> {
    let age =
        |kept: &StoredKey| Key { created_at: kept.created_at, opens: opened(app, owner, kept).is_some() };
    all.iter().map(age).collect()
}

/// Returns the JSON Web Key Set (JWKS).
pub async fn shown(app: &App, owner: KeyOwner) -> Result<Value> {
    let all = present(app, owner).await?;
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
pub async fn signing(app: &App, owner: KeyOwner) -> Result<SigningKey> {
    let all = present(app, owner).await?;
    let place = chosen(&ages(app, owner, &all), app.clock.now());
    let key = place.and_then(|place| opened(app, owner, &all[place]));
    key.ok_or_else(|| Error::Internal("there is no key to sign with".to_owned()))
}

/// Returns whether a key can be decrypted. Also true if there are none yet, because one is generated on first use.
pub async fn open(app: &App, owner: KeyOwner) -> Result<bool> {
    let all = lti_keys::all(&mut app.db.read(), owner).await?;
    Ok(all.is_empty() || ages(app, owner, &all).iter().any(|key| key.opens))
}

/// Returns all keys, and generates one if none of them can be decrypted.
async fn present(app: &App, owner: KeyOwner) -> Result<Vec<StoredKey>> {
    let all = lti_keys::all(&mut app.db.read(), owner).await?;
    if ages(app, owner, &all).iter().any(|key| key.opens) {
        return Ok(all);
    }
    make(app, owner, |keys| !keys.iter().any(|key| key.opens), None).await?;
    Ok(lti_keys::all(&mut app.db.read(), owner).await?)
}

/// Generates a new key of this institution now, or of those that registrations of before share. It is published immediately, and used for
/// signing once platforms had time to fetch it.
pub async fn rotate(app: &App, actor: &Actor, institution: Option<InstitutionId>) -> Result<String> {
    let (owner, record) = match institution {
        Some(institution) => {
            actor.administer(institution)?;
            let record = Record::new(app, actor, institution, Act::LtiKeyRotated);
            (KeyOwner::Institution(institution), Some(record))
        }
        None => {
            actor.operate()?;
            (KeyOwner::Shared, None)
        }
    };
    let made = make(app, owner, |_| true, record).await?;
    made.ok_or_else(|| Error::Internal("no key was made".to_owned()))
}

/// Generates new keys where the newest one is old enough, and removes keys that no platform needs any more.
pub async fn rotate_if_due(app: &App) -> Result<()> {
    let institutions = lti_keys::institutions(&mut app.db.read()).await?;
    let owners = institutions.into_iter().map(KeyOwner::Institution);
    for owner in std::iter::once(KeyOwner::Shared).chain(owners) {
        rotate_if_due_of(app, owner).await?;
    }
    Ok(())
}

async fn rotate_if_due_of(app: &App, owner: KeyOwner) -> Result<()> {
    let all = lti_keys::all(&mut app.db.read(), owner).await?;
    // No key yet means that no platform is connected, so there is nothing to rotate.
    if all.is_empty() {
        return Ok(());
    }
    let now = app.clock.now();
    if is_due(&ages(app, owner, &all), now) {
        make(app, owner, move |keys| is_due(keys, now), None).await?;
    }
    let app = app.clone();
    app.clone()
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let (all, now) = (lti_keys::all(sql, owner).await?, app.clock.now());
                let ages = ages(&app, owner, &all);
                for (kept, _) in all.iter().zip(&ages).filter(|(_, key)| is_over(**key, &ages, now)) {
                    lti_keys::remove(sql, owner, &kept.kid).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Generates and stores a key, unless a concurrent call has stored one so that it is no longer needed.
async fn make(
    app: &App,
    owner: KeyOwner,
    is_needed: impl Fn(&[Key]) -> bool + Send + 'static,
    record: Option<Record>,
) -> Result<Option<String>> {
    let kid = app.ids.hex();
    let named = kid.clone();
    // Generating an RSA key is CPU-bound.
    let made = tasks::spawn_blocking(move || SigningKey::make(named)).await;
    let key = made.map_err(|error| Error::Internal(error.to_string()))?.map_err(Error::Internal)?;
    let kept = StoredKey {
        sealed: app.secrets.seal(&purpose(owner, &kid), key.der())?,
        public: key.public().map_err(Error::Internal)?.to_string(),
        created_at: app.clock.now(),
        kid,
    };
    let app = app.clone();
    app.clone()
        .db
        .write(move |sql| {
            Box::pin(async move {
                // Its keys are deleted with the institution.
                if let KeyOwner::Institution(institution) = owner
                    && !store::rolls::lock_if_there(sql, institution).await?
                {
                    return Err(Error::Missing(Missing::Institution));
                }
                let all = lti_keys::all(sql, owner).await?;
                if !is_needed(&ages(&app, owner, &all)) {
                    return Ok(None);
                }
                insert(sql, owner, kept, record).await.map(Some)
            })
        })
        .await
}

async fn insert(sql: &mut Sql, owner: KeyOwner, kept: StoredKey, record: Option<Record>) -> Result<String> {
    lti_keys::insert(sql, owner, &kept).await?;
    if let Some(record) = record {
        let change = record.change(Value::Null, json!({ "kid": kept.kid }));
        audit::write(sql, &[change]).await?;
    }
    tracing::info!(kid = kept.kid, "a new LTI signing key was created");
    Ok(kept.kid)
}
