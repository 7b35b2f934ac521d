//! Response compression: JSON, CSS and JavaScript of 1 KB and more are sent as zstd or gzip to clients that accept them. HTML is not
//! compressed: pages contain CSRF tokens next to what a request has sent, and the compressed length would reveal them (BREACH).
//!
//! Measured on one core with a list of 930 people, with embeddables (2,784 KB) and without (599 KB):
//!
//! | coding | size | CPU | size | CPU |
//! |---|---|---|---|---|
//! | gzip 1 | 207 KB | 2.7 ms | 95 KB | 0.9 ms |
//! | gzip 2 | 136 KB | 3.7 ms | 67 KB | 1.9 ms |
//! | gzip 6 | 125 KB | 21 ms | 63 KB | 7.4 ms |
//! | zstd 1 | 82 KB | 1.6 ms | 54 KB | 0.9 ms |
//! | br 1 | 102 KB | 8.4 ms | 60 KB | 2.7 ms |
//!
//! zstd is smaller and faster than gzip, so it wins a tie. It is used for bodies of known length up to 4 MB. Streamed bodies are
//! always gzip: there each chunk is compressed on its own, with no state between chunks, while a zstd stream would have to
//! keep a context of about 1 MB for every slow reader. br costs more CPU than its bytes are worth and is not offered.

use std::{
    cell::{Cell, RefCell},
    io,
};

use axum::{
    body::{Body, BodyDataStream, Bytes, HttpBody},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use flate2::{Compress, Compression, FlushCompress};
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use zstd::bulk::Compressor;

use crate::domain::report::{Checksum, Gzip};

/// Smaller bodies fit into one packet uncompressed.
const SMALLEST: u64 = 1_024;
const LEVEL: u32 = 2;
const ZSTD_LEVEL: i32 = 1;
/// Compressed in one go, which takes about 2 ms. Larger bodies are gzip, which yields between slices.
const MAX_ZSTD_BYTES: u64 = 4 << 20;
/// Yield to the other tasks on this core after this many bytes, which take 0.2 ms at most.
const SLICE: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Identity,
    Gzip,
    Zstd,
}

impl Coding {
    const fn name(self) -> Option<HeaderValue> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some(HeaderValue::from_static("gzip")),
            Self::Zstd => Some(HeaderValue::from_static("zstd")),
        }
    }
}

/// The `Accept-Encoding` of a request. It is parsed only when there is something to compress.
#[derive(Debug, Clone, Default)]
pub struct AcceptEncoding(Option<HeaderValue>);

impl AcceptEncoding {
    pub fn of(headers: &HeaderMap) -> Self {
        let mut values =
            headers.get_all(header::ACCEPT_ENCODING).iter().filter(|value| value.to_str().is_ok());
        let first = values.next().cloned();
        let mut rest = values.peekable();
        if rest.peek().is_none() {
            return Self(first);
        }
        let all: Vec<&[u8]> = first.iter().chain(rest).map(HeaderValue::as_bytes).collect();
        Self(HeaderValue::from_bytes(&all.join(&b","[..])).ok())
    }

    /// The coding that the client ranks highest; a tie goes to zstd, then to gzip. A client that accepts none gets
    /// `Identity`, because the API never answers 406.
    pub fn preferred(&self) -> Coding {
        Weights::of(self).preferred()
    }

    /// The same for a body that is sent before its length is known, or that is large, which is never zstd.
    pub fn preferred_for_stream(&self) -> Coding {
        Weights { zstd: Some(0.0), ..Weights::of(self) }.preferred()
    }
}

#[derive(Default)]
struct Weights {
    zstd: Option<f32>,
    gzip: Option<f32>,
    identity: Option<f32>,
    any: Option<f32>,
}

impl Weights {
    fn of(accepts: &AcceptEncoding) -> Self {
        let mut weights = Self::default();
        let value = accepts.0.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.split(',').for_each(|coding| weights.read(coding));
        weights
    }

    fn preferred(&self) -> Coding {
        let not_below = |weight: f32, other: Option<f32>| other.is_none_or(|other| weight >= other);
        // Clients that send `*` do not mean that they know zstd.
        let zstd = self.zstd.filter(|weight| *weight > 0.0);
        let gzip = self.gzip.or(self.any).filter(|weight| *weight > 0.0);
        match (zstd, gzip) {
            (Some(zstd), gzip) if not_below(zstd, gzip) && not_below(zstd, self.identity) => Coding::Zstd,
            (_, Some(gzip)) if not_below(gzip, self.identity) => Coding::Gzip,
            _ => Coding::Identity,
        }
    }

    /// One entry of the header, such as `gzip;q=0.5`.
    fn read(&mut self, coding: &str) {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let place = match name {
            _ if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") => &mut self.gzip,
            _ if name.eq_ignore_ascii_case("zstd") => &mut self.zstd,
            _ if name.eq_ignore_ascii_case("identity") => &mut self.identity,
            "*" => &mut self.any,
            _ => return,
        };
        let mut named = parts.filter_map(|part| part.split_once('='));
        let weight = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        *place = Some(weight.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(1.0));
    }
}

/// Compresses a response if it is JSON, CSS or JavaScript, large enough, and the client accepts it.
pub async fn encode(mut response: Response, accepts: &AcceptEncoding, is_head: bool) -> Response {
    let length = length(&response, is_head);
    if !is_compressible(&response, length) {
        return response;
    }
    let is_zstd_able = length.is_some_and(|length| length <= MAX_ZSTD_BYTES);
    let coding = if is_zstd_able { accepts.preferred() } else { accepts.preferred_for_stream() };
    let headers = response.headers_mut();
    // Uncompressed responses carry it too: caches must know that the body depends on the request.
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let Some(name) = coding.name() else { return response };
    headers.insert(header::CONTENT_ENCODING, name);
    headers.remove(header::CONTENT_LENGTH);
    if is_head {
        return response;
    }
    let (parts, body) = response.into_parts();
    let body = if length.is_some() { compressed(body, coding).await } else { streamed(body) };
    Response::from_parts(parts, body)
}

/// `None` for a stream.
fn length(response: &Response, is_head: bool) -> Option<u64> {
    let declared = response.headers().get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse().ok());
    // By now the body of a response to HEAD has been removed.
    declared.or_else(|| if is_head { None } else { response.body().size_hint().exact() })
}

/// Streams count as large. Export reports choose their coding themselves. The responses have no ETag, so none has to be
/// changed along with the coding.
fn is_compressible(response: &Response, length: Option<u64>) -> bool {
    let headers = response.headers();
    let is_compressible = |kind: &HeaderValue| {
        let kinds = ["application/json", "application/scim+json", "text/css", "text/javascript"];
        kinds.iter().any(|one| kind.as_bytes().starts_with(one.as_bytes()))
    };
    length.is_none_or(|length: u64| length >= SMALLEST)
        && headers.get(header::CONTENT_TYPE).is_some_and(is_compressible)
        && response.status() != StatusCode::PARTIAL_CONTENT
        && !headers.contains_key(header::CONTENT_ENCODING)
        && !vary_by_coding(headers)
}

/// Did the handler choose the coding?
fn vary_by_coding(headers: &HeaderMap) -> bool {
    headers.get_all(header::VARY).iter().any(|by| by == "Accept-Encoding")
}

async fn compressed(body: Body, coding: Coding) -> Body {
    let plain = match body.collect().await {
        Ok(plain) => plain.to_bytes(),
        Err(error) => return Body::from_stream(stream::iter([Err::<Bytes, _>(error)])),
    };
    match coding {
        Coding::Zstd => match zstd(&plain) {
            Ok(whole) => Body::from(whole),
            Err(error) => Body::from_stream(stream::iter([Err::<Bytes, _>(error)])),
        },
        Coding::Gzip => {
            let mut gzip = Gzip::default();
            let mut whole = Gzip::HEAD.to_vec();
            gzip.part(Checksum::of(&plain));
            deflate(&plain, &mut whole).await;
            whole.extend(gzip.end());
            Body::from(whole)
        }
        Coding::Identity => Body::from(plain),
    }
}

/// Each chunk is compressed on its own and sent immediately. Between chunks a stream keeps only its checksum, so slow
/// readers hold no compressor. Chunks are large enough that this hardly affects the ratio.
fn streamed(body: Body) -> Body {
    struct Sending {
        plain: BodyDataStream,
        gzip: Gzip,
        head: &'static [u8],
    }
    let sending = Sending { plain: body.into_data_stream(), gzip: Gzip::default(), head: &Gzip::HEAD };
    Body::from_stream(stream::unfold(Some(sending), |sending| async {
        let mut sending = sending?;
        let mut piece = std::mem::take(&mut sending.head).to_vec();
        match sending.plain.next().await {
            Some(Ok(plain)) => {
                sending.gzip.part(Checksum::of(&plain));
                deflate(&plain, &mut piece).await;
                Some((Ok(Bytes::from(piece)), Some(sending)))
            }
            Some(Err(error)) => Some((Err(error), None)),
            None => {
                piece.extend(sending.gzip.end());
                Some((Ok(Bytes::from(piece)), None))
            }
        }
    }))
}

/// Appends the compressed bytes, flushed to a byte boundary so that more can follow.
async fn deflate(plain: &[u8], out: &mut Vec<u8>) {
    if plain.is_empty() {
        return;
    }
    out.reserve(plain.len() / 8 + 64);
    let mut deflate = Deflate::take();
    let mut slices = plain.chunks(SLICE).peekable();
    while let Some(slice) = slices.next() {
        if slices.peek().is_some() {
            deflate.write(slice, FlushCompress::None, out);
            tokio::task::yield_now().await;
        } else {
            deflate.write(slice, FlushCompress::Sync, out);
        }
    }
}

thread_local! {
    /// Allocating a compressor takes longer than compressing a small body, so each thread keeps one of each.
    static SPARE: Cell<Option<Compress>> = const { Cell::new(None) };
    static ZSTD: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// One frame, in one go.
fn zstd(plain: &[u8]) -> io::Result<Vec<u8>> {
    ZSTD.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(ZSTD_LEVEL)?),
        };
        let mut whole = compressor.compress(plain)?;
        // The buffer was as large as the body, and a slow reader would hold it.
        whole.shrink_to_fit();
        Ok(whole)
    })
}

struct Deflate(Option<Compress>);

impl Deflate {
    fn take() -> Self {
        let mut spare = SPARE.with(Cell::take);
        if let Some(spare) = &mut spare {
            spare.reset();
        }
        Self(spare)
    }

    fn write(&mut self, plain: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        let deflate = self.0.get_or_insert_with(|| Compress::new(Compression::new(LEVEL), false));
        let start = deflate.total_in();
        loop {
            let done = (deflate.total_in() - start) as usize;
            if out.capacity() - out.len() < 64 {
                out.reserve(out.len() / 2 + 1_024);
            }
            // Fails only after the end of a stream, and this one is never finished.
            let _ = deflate.compress_vec(&plain[done..], out, flush);
            let all = (deflate.total_in() - start) as usize == plain.len();
            // Spare capacity means that no output is pending.
            if all && out.len() < out.capacity() {
                return;
            }
        }
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        let used = self.0.take();
        let _ = SPARE.try_with(|spare| spare.set(used));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn preferred(value: &str) -> Coding {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_str(value).unwrap());
        AcceptEncoding::of(&headers).preferred()
    }

    #[test]
    fn the_coding_that_the_client_ranks_highest_is_chosen() {
        for value in [
            "gzip",
            "x-gzip",
            "deflate, GZIP;q=0.5",
            "*",
            "gzip, deflate, br",
            "br;q=1.0, gzip;q=0.8, *;q=0.1",
            "gzip, zstd;q=0.9",
            "gzip, zstd;q=0",
            "identity;q=0.5, gzip",
            "gzip;q=0.5, identity;q=0.5",
            "gzip ; q = 0.001",
            "*;q=0, gzip",
            "gzip;q=high",
        ] {
            assert_eq!(preferred(value), Coding::Gzip, "{value}");
        }
        for value in ["zstd", "gzip, deflate, br, zstd", "gzip;q=0.5, ZSTD;q=0.6", "*;q=0.5, zstd"] {
            assert_eq!(preferred(value), Coding::Zstd, "{value}");
        }
        for value in [
            "",
            "br",
            "identity",
            "gzip;q=0, *",
            "gzip; q=0.000",
            "*;q=0",
            "gzip;Q=0",
            "identity, gzip;q=0.5",
            "identity;q=0",
            "gzip;q=-1",
            "gzip;q=nan",
            "gzipped",
        ] {
            assert_eq!(preferred(value), Coding::Identity, "{value}");
        }
        assert_eq!(AcceptEncoding::default().preferred(), Coding::Identity);
        let mut twice = HeaderMap::new();
        twice.append(header::ACCEPT_ENCODING, HeaderValue::from_static("br"));
        twice.append(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        assert_eq!(AcceptEncoding::of(&twice).preferred(), Coding::Gzip);
        let mut browser = HeaderMap::new();
        browser.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br, zstd"));
        assert_eq!(AcceptEncoding::of(&browser).preferred_for_stream(), Coding::Gzip);
    }

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    async fn read(body: Body) -> Vec<u8> {
        let bytes = body.collect().await.unwrap().to_bytes();
        let mut plain = Vec::new();
        // Reads a single member and verifies its checksum.
        GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
        plain
    }

    #[tokio::test]
    async fn whatever_is_compressed_can_be_read_again() {
        let same = vec![b'a'; 300_000];
        for plain in [Vec::new(), b"x".to_vec(), noise(1_500), noise(SLICE), noise(SLICE * 3 + 1), same] {
            let whole = compressed(Body::from(plain.clone()), Coding::Gzip).await;
            assert!(whole.size_hint().exact().is_some());
            assert_eq!(read(whole).await, plain);
            let whole = compressed(Body::from(plain.clone()), Coding::Zstd).await;
            assert!(whole.size_hint().exact().is_some());
            let whole = whole.collect().await.unwrap().to_bytes();
            assert_eq!(zstd::decode_all(&whole[..]).unwrap(), plain);
            let pieces: Vec<_> = plain.chunks(100_000).map(Bytes::copy_from_slice).collect();
            let pieces =
                pieces.into_iter().flat_map(|piece| [Ok::<_, std::io::Error>(piece), Ok(Bytes::new())]);
            assert_eq!(read(streamed(Body::from_stream(stream::iter(pieces)))).await, plain);
        }
    }

    #[tokio::test]
    async fn a_piece_of_a_stream_can_be_read_before_the_next_one_is_there() {
        let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
        let plain = stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|piece| (Ok::<_, std::io::Error>(piece), receiver))
        });
        let mut sent = streamed(Body::from_stream(plain)).into_data_stream();
        let mut decoder = flate2::Decompress::new(false);
        for piece in [&b"{\"participants\":["[..], b"{},{}", b"]}"] {
            sender.send(Bytes::from_static(piece)).await.unwrap();
            let bytes = sent.next().await.unwrap().unwrap();
            let head = if decoder.total_in() == 0 { Gzip::HEAD.len() } else { 0 };
            let mut read = Vec::with_capacity(1_000);
            decoder.decompress_vec(&bytes[head..], &mut read, flate2::FlushDecompress::Sync).unwrap();
            assert_eq!(read, piece);
        }
    }

    #[tokio::test]
    async fn a_stream_that_breaks_off_ends_in_an_error_and_not_as_if_it_were_whole() {
        let pieces = [Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("broken"))];
        let sent = streamed(Body::from_stream(stream::iter(pieces)));
        assert!(sent.collect().await.is_err());
    }
}
