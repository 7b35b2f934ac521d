//! Blobs on an S3-compatible server.

use std::{error::Error as _, ops::Range, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream, unfold},
};
use object_store::{
    Attribute, Attributes, ClientConfigKey, GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt,
    PutOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey},
    client::{HttpError, HttpErrorKind},
    path::Path,
    signer::Signer,
};
use percent_encoding::percent_decode_str;

use super::{
    Delivery, Error, Listed, Options, Result,
    guard::{Guard, Running},
};
use crate::domain::moment::Moment;

pub struct S3 {
    store: Arc<AmazonS3>,
    /// Every operation on the server goes through it.
    guard: Arc<Guard>,
    /// Our prefix in the bucket; empty for all of it.
    prefix: String,
    name: String,
    delivery: Delivery,
}

const URL_FORMAT: &str = "s3://bucket?endpoint=https://s3.example.edu&region=…, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or as access_key_id=… and secret_access_key=…";

/// The most items that the server lists at a time.
const LIST_GROUP: usize = 1_000;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// The client's own limit for a whole request. A client that reads a recording slowly takes longer than any sensible one, and
/// the guard has the deadlines.
const NO_LIMIT: &str = "24h";

impl S3 {
    /// `s3://bucket[/prefix]?endpoint=…&region=…&access_key_id=…&secret_access_key=…`. Defaults come from the
    /// standard AWS environment variables or from the machine's role.
    pub fn open(url: &str, options: &Options) -> Result<Self> {
        let rest = url.strip_prefix("s3://").unwrap_or(url);
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            return Err(Error::Broken(format!("the URL has no bucket; expected {URL_FORMAT}")));
        }
        let connect = format!("{}ms", CONNECT.min(options.timeout).as_millis().max(1));
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_retry(RetryConfig {
                max_retries: 3,
                retry_timeout: options.timeout,
                ..RetryConfig::default()
            })
            .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::ConnectTimeout), connect)
            .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), NO_LIMIT);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            if name == "endpoint" && value.starts_with("http://") {
                builder = builder.with_allow_http(true);
            }
            let key: AmazonS3ConfigKey = match name {
                "endpoint"
                | "region"
                | "access_key_id"
                | "secret_access_key"
                | "session_token"
                | "virtual_hosted_style_request" => format!("aws_{name}").parse(),
                _ => {
                    return Err(Error::Broken(format!(
                        "unknown parameter `{name}` in the S3 URL; expected {URL_FORMAT}"
                    )));
                }
            }
            .map_err(|error: object_store::Error| Error::Broken(error.to_string()))?;
            builder = builder.with_config(key, value);
        }
        let store = Arc::new(builder.build().map_err(|error| Error::Broken(error.to_string()))?);
        let guard = Arc::new(Guard::new(options.timeout, options.clock.clone()));
        let prefix = prefix.trim_matches('/').to_owned();
        Ok(Self { store, guard, name: format!("s3://{place}"), prefix, delivery: options.delivery })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// Does the server respond, as far as we know?
    pub fn responds(&self) -> bool {
        self.guard.is_closed()
    }

    fn path(&self, path: &str) -> Path {
        Path::from(format!("{}/{path}", self.prefix))
    }

    pub async fn put(&self, path: &str, bytes: Bytes, content_type: &'static str) -> Result<()> {
        // For redirected clients; nobody else sees the server's headers.
        let attributes = Attributes::from_iter([
            (Attribute::ContentType, content_type),
            (Attribute::CacheControl, super::CACHE_CONTROL),
        ]);
        let options = PutOptions { attributes, ..PutOptions::default() };
        let path = self.path(path);
        let put =
            async { self.store.put_opts(&path, bytes.into(), options).await.map(|_| ()).map_err(error) };
        self.guard.run(put).await
    }

    pub async fn size(&self, path: &str) -> Result<Option<u64>> {
        let path = self.path(path);
        let head = async { optional(self.store.head(&path).await) };
        Ok(self.guard.run(head).await?.map(|meta| meta.size))
    }

    pub async fn stream(
        &self,
        path: &str,
        part: Range<u64>,
    ) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        let options = GetOptions { range: Some(GetRange::Bounded(part)), ..GetOptions::default() };
        Ok(self.get(path, options).await?.map(|(got, running)| body(got, running)))
    }

    pub async fn read(&self, path: &str) -> Result<Option<Bytes>> {
        let whole = async {
            let Some((got, running)) = self.get(path, GetOptions::default()).await? else { return Ok(None) };
            let mut bytes = BytesMut::with_capacity(usize::try_from(got.meta.size).unwrap_or_default());
            let mut body = body(got, running);
            while let Some(chunk) = body.try_next().await? {
                bytes.extend_from_slice(&chunk);
            }
            Ok(Some(bytes.freeze()))
        };
        self.guard.within_total_deadline(whole).await
    }

    /// The operation goes on until the body has been read: a server may send headers and then hang.
    async fn get(&self, path: &str, options: GetOptions) -> Result<Option<(GetResult, Running)>> {
        let path = self.path(path);
        let mut running = self.guard.admit()?;
        let got = running.wait(async { optional(self.store.get_opts(&path, options).await) }).await;
        match got {
            Ok(Some(got)) => Ok(Some((got, running))),
            other => {
                running.end(&other);
                other.map(|_| None)
            }
        }
    }

    /// Does not ask the server. It may have to ask for credentials, though.
    pub async fn presigned_url(&self, path: &str, time: Duration) -> Result<String> {
        let path = self.path(path);
        let sign = async { self.store.signed_url(http::Method::GET, &path, time).await.map_err(error) };
        Ok(self.guard.within_deadline(sign).await?.to_string())
    }

    pub async fn remove(&self, path: &str) -> Result<()> {
        let path = self.path(path);
        let remove = async { optional(self.store.delete(&path).await).map(|_| ()) };
        self.guard.run(remove).await
    }

    pub fn list(&self) -> BoxStream<'static, Result<Listed>> {
        let prefix = self.prefix.clone();
        let within = (!prefix.is_empty()).then(|| Path::from(prefix.as_str()));
        let listed = move |meta: object_store::ObjectMeta| Listed {
            path: meta
                .location
                .as_ref()
                .strip_prefix(&prefix)
                .unwrap_or_default()
                .trim_start_matches('/')
                .to_owned(),
            modified: Moment::from_micros(meta.last_modified.timestamp_micros()),
        };
        let all = self.store.list(within.as_ref()).map_ok(listed).map_err(error).boxed();
        // The server sends groups; each is one operation.
        let groups = all.ready_chunks(LIST_GROUP);
        unfold(Some((self.guard.clone(), groups)), |state| async move {
            let (guard, mut groups) = state?;
            let next = async {
                let group = groups.next().await;
                group.map(|group| group.into_iter().collect::<Result<Vec<Listed>>>()).transpose()
            };
            let next = guard.run(next).await;
            match next {
                Ok(Some(group)) => {
                    Some((Ok(stream::iter(group).map(Result::<Listed>::Ok)), Some((guard, groups))))
                }
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
        .try_flatten()
        .boxed()
    }
}

/// The deadline is for each chunk, and does not run while the reader is busy with the one before.
fn body(got: GetResult, running: Running) -> BoxStream<'static, Result<Bytes>> {
    let chunks = got.into_stream().map_err(error).boxed();
    unfold(Some((running, chunks)), |state| async move {
        let (mut running, mut chunks) = state?;
        let next = running.wait(chunks.try_next()).await;
        match next {
            Ok(Some(chunk)) => {
                running.progress();
                Some((Ok(chunk), Some((running, chunks))))
            }
            other => {
                running.end(&other);
                other.err().map(|error| (Err(error), None))
            }
        }
    })
    .boxed()
}

/// A missing blob is not an error.
fn optional<T>(result: object_store::Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(other) => Err(error(other)),
    }
}

fn error(error: object_store::Error) -> Error {
    let why = error.to_string();
    if is_transient(&error, &why) { Error::Unavailable(why) } else { Error::Broken(why) }
}

/// Whether the server does not respond, or says that it cannot now. What it refuses for good, such as a denied deletion or a
/// redirect to another region, may be `Generic` as well, and statuses are only in the text.
fn is_transient(error: &object_store::Error, why: &str) -> bool {
    let object_store::Error::Generic { .. } = error else { return false };
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            return http.kind() != HttpErrorKind::Decode;
        }
        source = cause.source();
    }
    // Status 200 with a body that says `SlowDown` or `InternalError`.
    if why.contains("Server returned error response") {
        return true;
    }
    let status = why.split_once("status code: ").and_then(|(_, rest)| rest.get(..3)?.parse::<u16>().ok());
    status.is_some_and(|status| matches!(status, 408 | 429 | 500 | 502..=599))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> object_store::Error {
        object_store::Error::Generic { store: "S3", source: source.into() }
    }

    fn is_unavailable(given: object_store::Error) -> bool {
        matches!(error(given), Error::Unavailable(_))
    }

    #[test]
    fn without_a_response_a_server_is_unavailable() {
        let http = |kind| HttpError::new(kind, std::io::Error::other("broken"));
        for kind in [
            HttpErrorKind::Connect,
            HttpErrorKind::Request,
            HttpErrorKind::Timeout,
            HttpErrorKind::Interrupted,
            HttpErrorKind::Unknown,
        ] {
            assert!(is_unavailable(generic(http(kind))), "{kind:?}");
        }
        assert!(!is_unavailable(generic(http(HttpErrorKind::Decode))));
    }

    #[test]
    fn a_server_that_cannot_now_is_unavailable_and_one_that_refuses_is_not() {
        let said = |status: &str| {
            generic(format!(
                "Error performing PUT http://x/y in 1ms - Server returned non-2xx status code: {status}: <body/>"
            ))
        };
        for status in
            ["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"]
        {
            assert!(is_unavailable(said(status)), "{status}");
        }
        for status in ["408 Request Timeout", "429 Too Many Requests"] {
            assert!(is_unavailable(said(status)), "{status}");
        }
        for status in ["301 Moved", "400 Bad Request", "403 Forbidden", "416 Range", "501 Not Implemented"] {
            assert!(!is_unavailable(said(status)), "{status}");
        }
        assert!(is_unavailable(generic("Server returned error response: <Code>SlowDown</Code>")));
        for refusal in [
            "Received redirect without LOCATION, this normally indicates an incorrectly configured region",
            "DeleteObjects request failed for key x: Access Denied (code: AccessDenied)",
            "Got invalid list response: syntax",
        ] {
            assert!(!is_unavailable(generic(refusal)), "{refusal}");
        }
        let denied =
            object_store::Error::PermissionDenied { path: "x".to_owned(), source: "status code: 503".into() };
        assert!(!is_unavailable(denied));
    }

    /// The client's errors have the text and the sources that are looked for.
    #[tokio::test]
    async fn a_server_that_is_gone_is_unavailable() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let options = Options {
            url: None,
            data_dir: std::path::PathBuf::new(),
            delivery: Delivery::Stream,
            timeout: Duration::from_secs(30),
            clock: crate::clock::Clock::system(),
        };
        let url = format!("s3://x?endpoint=http://{free}&region=x&access_key_id=x&secret_access_key=x");
        let gone = S3::open(&url, &options).unwrap();
        assert!(matches!(gone.size("x").await, Err(Error::Unavailable(_))));
        assert!(matches!(gone.list().next().await, Some(Err(Error::Unavailable(_)))));
    }
}
