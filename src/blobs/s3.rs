//! Blobs on an S3-compatible server.

use std::{ops::Range, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{BoxStream, unfold},
};
use object_store::{
    Attribute, Attributes, ClientConfigKey, GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt,
    PutOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey},
    path::Path,
    signer::Signer,
};
use percent_encoding::percent_decode_str;

use super::{Delivery, Error, Listed, Options, Result, guard::Guard};
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

    /// Fails if operations are refused now, because the server does not respond.
    pub fn check(&self) -> Result<()> {
        self.guard.check()
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
        Ok(self.get(path, options).await?.map(|got| self.body(got)))
    }

    pub async fn read(&self, path: &str) -> Result<Option<Bytes>> {
        let Some(got) = self.get(path, GetOptions::default()).await? else { return Ok(None) };
        let mut bytes = BytesMut::with_capacity(usize::try_from(got.meta.size).unwrap_or_default());
        let mut body = self.body(got);
        while let Some(chunk) = body.try_next().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(Some(bytes.freeze()))
    }

    async fn get(&self, path: &str, options: GetOptions) -> Result<Option<GetResult>> {
        let path = self.path(path);
        let get = async { optional(self.store.get_opts(&path, options).await) };
        self.guard.run(get).await
    }

    /// The deadline is for each chunk, and does not run while the reader is busy with the one before.
    fn body(&self, got: GetResult) -> BoxStream<'static, Result<Bytes>> {
        let chunks = got.into_stream().map_err(error).boxed();
        unfold(Some((self.guard.clone(), chunks)), |state| async move {
            let (guard, mut chunks) = state?;
            let next = guard.within_deadline(chunks.try_next()).await;
            match next {
                Ok(Some(chunk)) => Some((Ok(chunk), Some((guard, chunks)))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed()
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
        // The server sends groups of a thousand; each is awaited with the deadline.
        unfold(Some((self.guard.clone(), all)), |state| async move {
            let (guard, mut all) = state?;
            let next = guard.run(all.try_next()).await;
            match next {
                Ok(Some(listed)) => Some((Ok(listed), Some((guard, all)))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed()
    }
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
    match error {
        // No connection, no response, or status 5xx after retries. What a server refuses for good has variants of its own.
        object_store::Error::Generic { .. } => Error::Unavailable(why),
        _ => Error::Broken(why),
    }
}
