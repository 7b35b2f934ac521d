//! The key that protects stored secrets: whether it is the one with which the database was used, and replacing it.

use super::{Actor, App, Error, Result};
use crate::store::{audit_seals, sealed};

/// The key has been replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    pub kid: String,
    /// How many stored secrets are sealed with it now that were not before.
    pub resealed: u64,
    /// Where there are secrets that none of the keys opens: the table and the column, and how many.
    pub closed: Vec<(String, u64)>,
}

/// Makes a new key, unless it is a setting: then somebody has made it. Seals all stored secrets with it. The old one remains, for links
/// that were sent, until somebody removes it.
pub async fn rotate(app: &App, actor: &Actor) -> Result<Rotation> {
    actor.operate()?;
    let secrets = &app.secrets;
    if !secrets.is_setting() {
        secrets.rotate()?;
    } else if !secrets.has_old_setting() {
        return Err(Error::Unavailable(
            "the key is a setting: put it into ENDONYM_SECRET_KEY_OLD and a new one, such as the output of `openssl rand -base64 32`, \
             into ENDONYM_SECRET_KEY, restart all servers, and run this command again"
                .to_owned(),
        ));
    }
    let kid = secrets.kid()?.ok_or_else(|| Error::Internal("there is no key".to_owned()))?;
    let mut rotation = Rotation { kid: kid.clone(), resealed: 0, closed: Vec::new() };
    for column in sealed::COLUMNS {
        reseal(app, column, &mut rotation).await?;
    }
    resign(app, &mut rotation).await?;
    app.db
        .write::<_, Error>(move |sql| Box::pin(async move { Ok(sealed::set_key_in_use(sql, &kid).await?) }))
        .await?;
    Ok(rotation)
}

async fn reseal(app: &App, column: &'static sealed::Column, rotation: &mut Rotation) -> Result<()> {
    let mut closed = 0;
    for old in column.all(&mut app.db.read()).await? {
        match app.secrets.resealed(&old.purpose, &old.text) {
            Ok(None) => {}
            Ok(Some(new)) => {
                let replaced = app.db.write::<_, Error>(move |sql| {
                    Box::pin(async move { Ok(column.replace(sql, &old, &new).await?) })
                });
                rotation.resealed += u64::from(replaced.await?);
            }
            Err(_) => closed += 1,
        }
    }
    if closed > 0 {
        let (table, column) = column.name();
        rotation.closed.push((format!("{table}.{column}"), closed));
    }
    Ok(())
}

/// Signs the anchors of the audit log anew. One that none of the keys has signed stays as it is: it proves nothing.
async fn resign(app: &App, rotation: &mut Rotation) -> Result<()> {
    for institution in audit_seals::with_anchor(&mut app.db.read()).await? {
        let owned_app = app.clone();
        let signed = app.db.write::<_, Error>(move |sql| {
            Box::pin(async move {
                let Some(anchor) = audit_seals::chain(sql, institution).await?.anchor else {
                    return Ok(false);
                };
                let text = super::audit::anchor_text(institution, anchor.number, &anchor.hash);
                let secrets = &owned_app.secrets;
                if !secrets.is_digest(super::audit::ANCHOR, &text, &anchor.signature)? {
                    return Ok(false);
                }
                let signature = secrets.digest(super::audit::ANCHOR, &text)?;
                audit_seals::set_signature(sql, institution, anchor.number, &signature).await?;
                Ok(signature != anchor.signature)
            })
        });
        rotation.resealed += u64::from(signed.await?);
    }
    Ok(())
}

/// Notes which key is in use, so that a later start can tell whether it has another one.
pub async fn note_key(app: &App) -> Result<()> {
    let Some(kid) = app.secrets.kid()? else { return Ok(()) };
    match sealed::key_in_use(&mut app.db.read()).await? {
        Some(known) if known == kid => return Ok(()),
        Some(known) if !app.secrets.has_key(&known)? => {
            tracing::error!("{}", OTHER_KEY);
            return Ok(());
        }
        _ => {}
    }
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(sealed::set_key_in_use(sql, &kid).await?) })
        })
        .await
}

/// Is the key another one than that with which the database was used, or missing?
pub async fn is_other_key(app: &App) -> Result<bool> {
    match sealed::key_in_use(&mut app.db.read()).await? {
        Some(known) => Ok(!app.secrets.has_key(&known)?),
        None => Ok(false),
    }
}

/// What does not work then.
pub const OTHER_KEY: &str = "the secret key is not the one with which this database was used: links in invitations and for unsubscribing that were \
     sent do not work, stored credentials of learning systems and of single sign-on cannot be read, and the beginning of the audit log \
     cannot be verified";
