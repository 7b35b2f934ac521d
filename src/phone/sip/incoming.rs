//! Requests from the trunk and from strangers. In-dialog requests are handled here and not by the library, which
//! loses its state when requests overlap.

use std::sync::{Arc, PoisonError, Weak, atomic::Ordering};

use rsipstack::{
    dialog::dialog::Dialog,
    sip::{Header, HeadersExt, Method, SipMessage, StatusCode, typed::Contact},
    transaction::{Transaction, TransactionReceiver},
};

use super::{
    dial::{ALLOW, Entry},
    keys, sdp,
    session::SessionTimer,
    talk::Signal,
    trunk::Inner,
};
use crate::tasks;

pub async fn serve(inner: Weak<Inner>, mut requests: TransactionReceiver) {
    while let Some(request) = requests.recv().await {
        let Some(inner) = inner.upgrade() else { return };
        tasks::spawn(async move {
            if let Err(error) = answer(&inner, request).await {
                tracing::debug!(%error, "responding to a SIP request failed");
            }
        });
    }
}

async fn answer(inner: &Inner, mut request: Transaction) -> rsipstack::Result<()> {
    let to_tag = request.original.to_header()?.tag()?.map(|tag| tag.value().to_owned());
    let Some(to_tag) = to_tag else { return out_of_dialog(request).await };
    let Some(call) = find(inner, &request, &to_tag) else {
        return reply(&mut request, StatusCode::CallTransactionDoesNotExist, Vec::new(), None).await;
    };
    // CSeq numbers increase within a dialog.
    let number = request.original.cseq_header()?.seq()?;
    if call.last_request.fetch_max(number, Ordering::SeqCst) > number {
        return reply(&mut request, StatusCode::ServerInternalError, Vec::new(), None).await;
    }
    match request.original.method {
        Method::Bye => {
            // Nobody may receive it, if we have hung up at the same time.
            let _ = call.signals.send(Signal::Bye);
            reply(&mut request, StatusCode::OK, Vec::new(), None).await
        }
        Method::Invite | Method::Update => offered(inner, &call, request).await,
        Method::Options => reply(&mut request, StatusCode::OK, capabilities(), None).await,
        Method::Info => info(&call, request).await,
        Method::Ack => Ok(()),
        _ => reply(&mut request, StatusCode::MethodNotAllowed, vec![Header::Allow(ALLOW.into())], None).await,
    }
}

/// Outside of any dialog. We accept no incoming calls.
async fn out_of_dialog(mut request: Transaction) -> rsipstack::Result<()> {
    match request.original.method {
        Method::Options => reply(&mut request, StatusCode::OK, capabilities(), None).await,
        Method::Invite => {
            reply(&mut request, StatusCode::Forbidden, Vec::new(), None).await?;
            // Until the response is acknowledged.
            while request.receive().await.is_some() {}
            Ok(())
        }
        Method::Ack => Ok(()),
        Method::Bye | Method::Update | Method::Info | Method::PRack => {
            reply(&mut request, StatusCode::CallTransactionDoesNotExist, Vec::new(), None).await
        }
        _ => reply(&mut request, StatusCode::MethodNotAllowed, vec![Header::Allow(ALLOW.into())], None).await,
    }
}

fn find(inner: &Inner, request: &Transaction, to_tag: &str) -> Option<Arc<Entry>> {
    let call_id = request.original.call_id_header().ok()?.value().to_owned();
    let call = inner.calls.lock().unwrap_or_else(PoisonError::into_inner).get(&call_id).cloned()?;
    let ours = call.dialog.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.id().local_tag;
    (ours == to_tag).then_some(call)
}

fn capabilities() -> Vec<Header> {
    vec![
        Header::Allow(ALLOW.into()),
        Header::Accept("application/sdp".into()),
        Header::Supported("timer".into()),
    ]
}

async fn reply(
    request: &mut Transaction,
    status: StatusCode,
    headers: Vec<Header>,
    body: Option<Vec<u8>>,
) -> rsipstack::Result<()> {
    request.reply_with(status, headers, body).await
}

/// A key press as INFO.
async fn info(call: &Entry, mut request: Transaction) -> rsipstack::Result<()> {
    let body = &request.original.body;
    if body.is_empty() {
        return reply(&mut request, StatusCode::OK, Vec::new(), None).await;
    }
    let kind = request.original.header_value("content-type").unwrap_or_default().to_ascii_lowercase();
    if !kind.starts_with("application/dtmf") {
        let accept = vec![Header::Accept("application/dtmf-relay, application/dtmf".into())];
        return reply(&mut request, StatusCode::UnsupportedMediaType, accept, None).await;
    }
    if let Some(key) = keys::of_info(body) {
        let _ = call.signals.send(Signal::Key(key));
    }
    reply(&mut request, StatusCode::OK, Vec::new(), None).await
}

/// A re-INVITE or UPDATE: new media address, hold, or session refresh.
async fn offered(inner: &Inner, call: &Entry, request: Transaction) -> rsipstack::Result<()> {
    let is_invite = request.original.method == Method::Invite;
    let mut headers = capabilities();
    headers.push(Contact { display_name: None, uri: call.contact.clone(), params: Vec::new() }.into());
    if let Some(timer) = SessionTimer::read(&request.original.headers.0) {
        headers.extend(timer.headers());
    }
    let offer = match request.original.body.is_empty() {
        true => None,
        false => match sdp::read(&request.original.body) {
            Ok(offer) => Some(offer),
            Err(why) => {
                tracing::debug!(why, "rejected an SDP offer");
                return finish(call, request, StatusCode::NotAcceptableHere, Vec::new(), None).await;
            }
        },
    };
    update_remote_target(inner, &request);
    let body = match &offer {
        Some(offer) => Some(call.sdp().answer(offer)),
        // An INVITE without SDP: we offer, and they answer in the ACK.
        None if is_invite => Some(call.sdp().offer()),
        None => None,
    };
    if body.is_some() {
        headers.push(Header::ContentType("application/sdp".into()));
    }
    if let Some(offer) = offer {
        let _ = call.signals.send(Signal::Media(Box::new(offer)));
    }
    finish(call, request, StatusCode::OK, headers, body.map(String::into_bytes)).await
}

/// Responds and waits until the response is acknowledged.
async fn finish(
    call: &Entry,
    mut request: Transaction,
    status: StatusCode,
    headers: Vec<Header>,
    body: Option<Vec<u8>>,
) -> rsipstack::Result<()> {
    let is_invite = request.original.method == Method::Invite;
    let accepted = status == StatusCode::OK;
    let offered_by_us = accepted && request.original.body.is_empty();
    reply(&mut request, status, headers, body).await?;
    if !is_invite {
        return Ok(());
    }
    while let Some(message) = request.receive().await {
        if let SipMessage::Request(ack) = message
            && ack.method == Method::Ack
        {
            if offered_by_us && let Ok(theirs) = sdp::read(&ack.body) {
                let _ = call.signals.send(Signal::Media(Box::new(theirs)));
            }
            return Ok(());
        }
    }
    Ok(())
}

/// Later requests of ours go to their new `Contact`.
fn update_remote_target(inner: &Inner, request: &Transaction) {
    let contact = request.original.contact_header().ok().cloned();
    let uri =
        contact.as_ref().and_then(|contact| Contact::parse(contact.value()).ok()).map(|contact| contact.uri);
    if let (Some(uri), Some(Dialog::Invite(dialog))) = (uri, inner.layer.match_dialog(request)) {
        Dialog::Invite(dialog).set_remote_target(uri, contact);
    }
}
