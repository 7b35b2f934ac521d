//! Blobs on an S3-compatible server.

use std::{ops::Range, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    Attribute, Attributes, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey},
    path::Path,
    signer::Signer,
};
use percent_encoding::percent_decode_str;

use super::{Delivery, Error, Listed, Result};
use crate::domain::moment::Moment;

pub struct S3 {
    store: Arc<AmazonS3>,
    /// Our prefix in the bucket; empty for all of it.
    prefix: String,
    name: String,
    delivery: Delivery,
}

const URL_FORMAT: &str = "s3://bucket?endpoint=https://s3.example.edu&region=…, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or as access_key_id=… and secret_access_key=…";

impl S3 {
    /// `s3://bucket[/prefix]?endpoint=…&region=…&access_key_id=…&secret_access_key=…`. Defaults come from the
    /// standard AWS environment variables or from the machine's role.
    pub fn open(url: &str, delivery: Delivery) -> Result<Self> {
        let rest = url.strip_prefix("s3://").unwrap_or(url);
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            return Err(Error(format!("the URL has no bucket; expected {URL_FORMAT}")));
        }
        let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(RetryConfig {
            max_retries: 3,
            retry_timeout: Duration::from_secs(10),
            ..RetryConfig::default()
        });
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
                    return Err(Error(format!(
                        "unknown parameter `{name}` in the S3 URL; expected {URL_FORMAT}"
                    )));
                }
            }
            .map_err(|error: object_store::Error| Error(error.to_string()))?;
            builder = builder.with_config(key, value);
        }
        let store = builder.build().map_err(|error| Error(error.to_string()))?;
        let prefix = prefix.trim_matches('/').to_owned();
        Ok(Self { store: Arc::new(store), name: format!("s3://{place}"), prefix, delivery })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn delivery(&self) -> Delivery {
        self.delivery
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
        self.store.put_opts(&self.path(path), bytes.into(), options).await.map_err(error).map(|_| ())
    }

    pub async fn size(&self, path: &str) -> Result<Option<u64>> {
        optional(self.store.head(&self.path(path)).await).map(|found| found.map(|meta| meta.size))
    }

    pub async fn stream(
        &self,
        path: &str,
        part: Range<u64>,
    ) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        let options = GetOptions { range: Some(GetRange::Bounded(part)), ..GetOptions::default() };
        let got = optional(self.store.get_opts(&self.path(path), options).await)?;
        Ok(got.map(|got| got.into_stream().map_err(error).boxed()))
    }

    pub async fn read(&self, path: &str) -> Result<Option<Bytes>> {
        match optional(self.store.get(&self.path(path)).await)? {
            Some(got) => got.bytes().await.map(Some).map_err(error),
            None => Ok(None),
        }
    }

    pub async fn presigned_url(&self, path: &str, time: Duration) -> Result<String> {
        let url = self.store.signed_url(http::Method::GET, &self.path(path), time).await;
        url.map(|url| url.to_string()).map_err(error)
    }

    pub async fn remove(&self, path: &str) -> Result<()> {
        optional(self.store.delete(&self.path(path)).await).map(|_| ())
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
        self.store.list(within.as_ref()).map_ok(listed).map_err(error).boxed()
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
    Error(error.to_string())
}
