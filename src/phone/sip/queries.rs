//! Read-only requests to the trunk.

use rsipstack::{
    dialog::authenticate::{AuthRetry, handle_client_authenticate},
    sip::{
        Header, Method, Request, Response, SipMessage, StatusCode, StatusCodeKind, Uri,
        typed::{Contact, From, To},
    },
    transaction::{
        Transaction,
        key::{TransactionKey, TransactionRole},
        make_tag,
    },
};
use tokio::time::timeout;

use super::{
    dial::{is_local, shown},
    trunk::{Error, Inner, REQUEST_TIMEOUT},
};

impl Inner {
    /// Sends OPTIONS, as a ping.
    pub async fn options(&self) -> Result<String, Error> {
        let remote = self.resolve().await?;
        let contact = self.contact(remote).await?;
        let mut request = self.request(Method::Options, self.caller(), self.at_trunk(None))?;
        request.headers.push(Contact { display_name: None, uri: contact, params: Vec::new() }.into());
        Ok(shown(&self.ask(remote, request).await?))
    }

    /// Queries our registrations: a REGISTER without `Contact` (RFC 3261, 10.2.3). It verifies the password and
    /// leaves existing registrations unchanged.
    pub async fn bindings(&self) -> Result<String, Error> {
        let remote = self.resolve().await?;
        let user = self.settings.account.as_ref().map_or(&self.settings.from, |account| &account.user);
        let us = self.at_trunk(Some(user));
        let answer = self.ask(remote, self.request(Method::Register, us.clone(), us)?).await?;
        let says = shown(&answer);
        match answer.status_code {
            _ if answer.status_code.kind() == StatusCodeKind::Successful => {
                let known = answer.headers.iter().any(|header| matches!(header, Header::Contact(_)));
                let whether = if known { "registered with it" } else { "not registered with it now" };
                Ok(format!("{} knows our account ({says}); we are {whether}", self.shown()))
            }
            StatusCode::Unauthorized | StatusCode::ProxyAuthenticationRequired | StatusCode::Forbidden => {
                Err(Error::new(format!("the trunk rejected our user and password, or requires them: {says}"))
                    .with_remedy("check the user and the password in --phone-url (ENDONYM_PHONE_URL)"))
            }
            _ => Err(Error::new(format!("the trunk does not report our registration: {says}"))),
        }
    }

    fn request(&self, method: Method, us: Uri, them: Uri) -> Result<Request, Error> {
        let inner = &self.endpoint.inner;
        let mut local = self.destination(self.advertised);
        local.addr = self.advertised.into();
        let via = inner.get_via(Some(local), None).map_err(|error| self.cannot(&error))?;
        let us = From { display_name: None, uri: us, params: Vec::new() };
        let them = To { display_name: None, uri: them, params: Vec::new() };
        Ok(inner.make_request(method, self.at_trunk(None), via, us.with_tag(make_tag()), them, 1, None))
    }

    /// The final response. Answers a digest challenge.
    async fn ask(&self, remote: std::net::SocketAddr, request: Request) -> Result<Response, Error> {
        let silent = || Error::new(format!("{} does not answer", self.shown()));
        timeout(REQUEST_TIMEOUT, self.send_to(remote, request))
            .await
            .map_err(|_| silent())??
            .ok_or_else(silent)
    }

    async fn send_to(
        &self,
        remote: std::net::SocketAddr,
        request: Request,
    ) -> Result<Option<Response>, Error> {
        let failed = |error: rsipstack::Error| self.cannot(&error);
        let credential = self.credential().filter(|_| request.method == Method::Register);
        let key = TransactionKey::from_request(&request, TransactionRole::Client).map_err(failed)?;
        let mut transaction = Transaction::new_client(key, request, self.endpoint.inner.clone(), None);
        transaction.destination = Some(self.destination(remote));
        transaction.send().await.map_err(failed)?;
        let (mut retry, mut number) = (AuthRetry::new(), 1);
        while let Some(message) = transaction.receive().await {
            let SipMessage::Response(answer) = message else { continue };
            if answer.status_code.kind() == StatusCodeKind::Provisional {
                continue;
            }
            if is_local(&answer) {
                break;
            }
            let wants = matches!(
                answer.status_code,
                StatusCode::Unauthorized | StatusCode::ProxyAuthenticationRequired
            );
            match &credential {
                Some(credential) if wants && retry.should_answer(&answer) => {
                    number += 1;
                    transaction = handle_client_authenticate(number, &transaction, answer, credential)
                        .await
                        .map_err(failed)?;
                    transaction.send().await.map_err(failed)?;
                }
                _ => return Ok(Some(answer)),
            }
        }
        Ok(None)
    }

    fn cannot(&self, error: &rsipstack::Error) -> Error {
        Error::new(format!("{} cannot be queried: {error}", self.shown()))
    }
}
