//! `/sign-in/proxy`: a reverse proxy has authenticated the person and sends their email in a header. The only path that reads the
//! header.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    super::{
        notice,
        session::{Visitor, begin},
    },
    start_again,
};
use crate::{
    app::{App, Error, sign_in},
    domain::{email::Email, session::How, sign_in::ReturnTo},
    http::form::Form,
};

pub async fn sign_in(State(app): State<App>, visitor: Visitor, request: Request) -> Response {
    let Some(proxy) = &app.sign_in.proxy else {
        let page = visitor.page(&app, "/sign-in");
        return notice::show(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing");
    };
    let return_to = Form::from_query(request.uri().query().unwrap_or_default());
    let return_to = return_to.get("return_to").and_then(ReturnTo::parse).unwrap_or_default();
    match enter(&app, &visitor, &proxy.header, &return_to).await {
        Ok(Some(response)) => response,
        Ok(None) => {
            let (title, sentence) = ("sign-in-proxy-refused-title", "sign-in-proxy-refused");
            start_again(&app, &visitor, StatusCode::FORBIDDEN, title, sentence)
        }
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

async fn enter(
    app: &App,
    visitor: &Visitor,
    header: &str,
    return_to: &ReturnTo,
) -> Result<Option<Response>, Error> {
    let Some(email) = email(&visitor.headers, header) else { return Ok(None) };
    let peer = visitor.client.map(|client| client.peer);
    let Some(person) = sign_in::by_proxy(app, peer, &email, return_to).await? else { return Ok(None) };
    begin(app, &visitor.headers, person, How::Proxy, return_to).await.map(Some)
}

/// The email in the header. `None` if there are several values, or another header that some proxies and servers take for the same
/// one (`X_Remote_User_Email`): a client may have sent one of them.
fn email(headers: &HeaderMap, header: &str) -> Option<Email> {
    let is_alike = |name: &str| name.replace('_', "-") == header;
    let mut alike = headers.iter().filter(|(name, _)| is_alike(name.as_str()));
    let (Some((name, value)), None) = (alike.next(), alike.next()) else { return None };
    if name.as_str() != header {
        return None;
    }
    std::str::from_utf8(value.as_bytes()).ok().and_then(Email::parse)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn exactly_one_value_of_exactly_this_header_counts() {
        let read = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            email(&headers, "x-remote-user-email").map(|email| email.key().to_owned())
        };
        assert_eq!(read(&[("x-remote-user-email", "Ana@example.edu")]).as_deref(), Some("ana@example.edu"));
        for refused in [
            &[][..],
            &[("x-remote-user-email", "")],
            &[("x-remote-user-email", "(null)")],
            &[("x-remote-user-email", "a@example.edu"), ("x-remote-user-email", "b@example.edu")],
            &[("x-remote-user-email", "a@example.edu"), ("x-remote-user-email", "a@example.edu")],
            &[("x-remote-user-email", "a@example.edu,b@example.edu")],
            &[("x-remote-user-email", "a@example.edu;b@example.edu")],
            &[("x-remote-user-email", "a@example.edu, b@example.edu")],
            &[("x_remote_user_email", "a@example.edu")],
            &[("x-remote_user-email", "a@example.edu")],
            &[("x-remote-user-email", "a@example.edu"), ("x_remote_user_email", "b@example.edu")],
        ] {
            assert_eq!(read(refused), None, "{refused:?}");
        }
    }
}
