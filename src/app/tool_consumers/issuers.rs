//! Whether a registration is one of the platform that its issuer names, and renewing one of before.

use super::{about, find, values};
use crate::{
    app::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        platforms,
    },
    domain::{
        audit::Act,
        fault::{Fault, Field, SetupFault},
        ids::ToolConsumerId,
        tool_consumer::{Addresses, IssuerProof, Registration, ToolConsumer},
    },
    store::{self, tool_consumers},
};

/// The operator confirms the issuer as it is registered now.
pub async fn confirm(app: &App, actor: &Actor, id: ToolConsumerId) -> Result<ToolConsumer> {
    actor.operate()?;
    let known = find(app, actor, id).await?;
    // One of before is renewed instead.
    registration(&known)?;
    if known.is_shared() {
        return Ok(known);
    }
    set(app, actor, known, IssuerProof::Operator).await
}

/// Looks again whether the issuer's own configuration proves the registration. What was proven or confirmed stays so.
pub async fn prove(app: &App, actor: &Actor, id: ToolConsumerId) -> Result<ToolConsumer> {
    let known = find(app, actor, id).await?;
    let lti = registration(&known)?;
    if !known.is_unconfirmed() {
        return Ok(known);
    }
    match platforms::proof(app, &known.url, lti, None).await {
        Some(proof) => set(app, actor, known, proof).await,
        None => Ok(known),
    }
}

/// Gives a registration of before the addresses and keys of its institution. It has to be proven or confirmed, as a new one, before anything
/// changes, so that nobody is locked out. Afterwards, the platform must be told the new addresses.
pub async fn renew(app: &App, actor: &Actor, id: ToolConsumerId) -> Result<ToolConsumer> {
    let known = find(app, actor, id).await?;
    let lti = registration(&known)?;
    if !known.is_shared() {
        return Ok(known);
    }
    let proof = match actor.operate() {
        Ok(()) => Some(IssuerProof::Operator),
        Err(_) => platforms::proof(app, &known.url, lti, None).await,
    };
    let proof = proof.ok_or_else(|| Error::invalid(Field::Url, SetupFault::UnprovenIssuer))?;
    set(app, actor, known, proof).await
}

fn registration(consumer: &ToolConsumer) -> Result<&Registration> {
    consumer.lti.as_ref().ok_or_else(|| Error::invalid(Field::Url, SetupFault::OnlyLti))
}

/// Stores what is known of the issuer, and gives the registration the addresses of its institution.
async fn set(app: &App, actor: &Actor, known: ToolConsumer, proof: IssuerProof) -> Result<ToolConsumer> {
    let (institution, id) = (known.institution, known.id);
    let record = Record::new(app, actor, institution, Act::ToolConsumerUpdated);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                // As in `update`.
                store::rolls::lock(sql, institution).await?;
                let current = tool_consumers::lock(sql, institution, id).await?;
                let current = current.ok_or(Error::Missing(Missing::ToolConsumer))?;
                let endpoints =
                    |one: &ToolConsumer| one.lti.as_ref().map(|lti| lti.endpoints().map(str::to_owned));
                if endpoints(&current) != endpoints(&known) {
                    return Err(Error::invalid(Field::Version, SetupFault::Outdated));
                }
                let before = values(&current);
                let changed = ToolConsumer { addresses: Addresses::Own { proof: Some(proof) }, ..current };
                match tool_consumers::update(sql, &changed).await {
                    Err(store::Error::Conflict) => return Err(Error::invalid(Field::ClientId, Fault::Taken)),
                    other => other?,
                }
                audit::write_change(sql, about(record, &changed).change(before, values(&changed))).await?;
                Ok(changed)
            })
        })
        .await
}
