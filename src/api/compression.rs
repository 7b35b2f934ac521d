//! Response compression: JSON bodies of 1 KB and more are sent as gzip to clients that accept it.
//!
//! gzip is the only coding offered. Every client that supports zstd or br also supports gzip, and most deployed clients
//! support nothing else. Measured on one core with a list of 930 people, with embeddables (2,784 KB) and without (599 KB):
//!
//! | coding | size | CPU | size | CPU |
//! |---|---|---|---|---|
//! | gzip 1 | 207 KB | 2.7 ms | 95 KB | 0.9 ms |
//! | gzip 2 | 136 KB | 3.7 ms | 67 KB | 1.9 ms |
//! | gzip 6 | 125 KB | 21 ms | 63 KB | 7.4 ms |
//! | zstd 1 | 82 KB | 1.6 ms | 54 KB | 0.9 ms |
//! | br 1 | 102 KB | 8.4 ms | 60 KB | 2.7 ms |
//!
//! zstd would save about 2 ms and 50 KB per large list, for the few clients that ask for it, at the price of a C library and
//! a context of about 1 MB per open stream. br costs more CPU than its bytes are worth.

use std::cell::Cell;

use axum::{
    body::{Body, BodyDataStream, Bytes, HttpBody},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use flate2::{Compress, Compression, FlushCompress};
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;

use crate::domain::report::{Gzip, Sum};

/// Smaller bodies fit into one packet uncompressed.
const SMALLEST: u64 = 1_024;
const LEVEL: u32 = 2;
/// Yield to the other tasks on this core after this many bytes, which take 0.2 ms at most.
const SLICE: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Identity,
    Gzip,
}

impl Coding {
    /// The coding that `Accept-Encoding` ranks higher; a tie goes to gzip. A request that accepts neither gets `Identity`,
    /// because the API never answers 406.
    pub fn preferred(headers: &HeaderMap) -> Self {
        let mut weights = Weights::default();
        let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        for coding in values.flat_map(|value| value.split(',')) {
            weights.read(coding);
        }
        let gzip = weights.gzip.or(weights.any).unwrap_or(0.0);
        let wanted = gzip > 0.0 && weights.identity.is_none_or(|identity| gzip >= identity);
        if wanted { Self::Gzip } else { Self::Identity }
    }
}

#[derive(Default)]
struct Weights {
    gzip: Option<f32>,
    identity: Option<f32>,
    any: Option<f32>,
}

impl Weights {
    /// One entry of the header, such as `gzip;q=0.5`.
    fn read(&mut self, coding: &str) {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let place = match name {
            _ if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") => &mut self.gzip,
            _ if name.eq_ignore_ascii_case("identity") => &mut self.identity,
            "*" => &mut self.any,
            _ => return,
        };
        let mut named = parts.filter_map(|part| part.split_once('='));
        let weight = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        *place = Some(weight.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(1.0));
    }
}

/// Compresses a response if it is JSON, large enough, and the client accepts it.
pub async fn encode(mut response: Response, coding: Coding, is_head: bool) -> Response {
    if !is_compressible(&response, is_head) {
        return response;
    }
    let headers = response.headers_mut();
    // Uncompressed responses carry it too: caches must know that the body depends on the request.
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if coding == Coding::Identity {
        return response;
    }
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.remove(header::CONTENT_LENGTH);
    if is_head {
        return response;
    }
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, compressed(body).await)
}

/// Streams count as large. Export reports choose their coding themselves. JSON responses have no ETag, so none has to be
/// changed along with the coding.
fn is_compressible(response: &Response, is_head: bool) -> bool {
    let headers = response.headers();
    let told = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    // By now the body of a response to HEAD has been removed.
    let length = told.or_else(|| if is_head { None } else { response.body().size_hint().exact() });
    let is_json = |kind: &HeaderValue| kind.as_bytes().starts_with(b"application/json");
    length.is_none_or(|length: u64| length >= SMALLEST)
        && headers.get(header::CONTENT_TYPE).is_some_and(is_json)
        && response.status() != StatusCode::PARTIAL_CONTENT
        && !headers.contains_key(header::CONTENT_ENCODING)
        && !vary_by_coding(headers)
}

/// Did the handler choose the coding?
fn vary_by_coding(headers: &HeaderMap) -> bool {
    headers.get_all(header::VARY).iter().any(|by| by == "Accept-Encoding")
}

async fn compressed(body: Body) -> Body {
    if body.size_hint().exact().is_none() {
        return streamed(body);
    }
    match body.collect().await {
        Ok(plain) => {
            let plain = plain.to_bytes();
            let mut gzip = Gzip::default();
            let mut whole = Gzip::HEAD.to_vec();
            gzip.part(Sum::of(&plain));
            deflate(&plain, &mut whole).await;
            whole.extend(gzip.end());
            Body::from(whole)
        }
        Err(error) => Body::from_stream(stream::iter([Err::<Bytes, _>(error)])),
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
                sending.gzip.part(Sum::of(&plain));
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
    /// Allocating a compressor takes longer than compressing a small body, so each thread keeps one.
    static SPARE: Cell<Option<Compress>> = const { Cell::new(None) };
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
        Coding::preferred(&headers)
    }

    #[test]
    fn gzip_is_chosen_where_it_is_accepted_and_nothing_is_liked_better() {
        for value in [
            "gzip",
            "x-gzip",
            "deflate, GZIP;q=0.5",
            "*",
            "gzip, deflate, br, zstd",
            "br;q=1.0, gzip;q=0.8, *;q=0.1",
            "identity;q=0.5, gzip",
            "gzip;q=0.5, identity;q=0.5",
            "gzip ; q = 0.001",
            "*;q=0, gzip",
            "gzip;q=high",
        ] {
            assert_eq!(preferred(value), Coding::Gzip, "{value}");
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
        assert_eq!(Coding::preferred(&HeaderMap::new()), Coding::Identity);
        let mut twice = HeaderMap::new();
        twice.append(header::ACCEPT_ENCODING, HeaderValue::from_static("br"));
        twice.append(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        assert_eq!(Coding::preferred(&twice), Coding::Gzip);
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
            let whole = compressed(Body::from(plain.clone())).await;
            assert!(whole.size_hint().exact().is_some());
            assert_eq!(read(whole).await, plain);
            let pieces: Vec<_> = plain.chunks(100_000).map(Bytes::copy_from_slice).collect();
            let pieces =
                pieces.into_iter().flat_map(|piece| [Ok::<_, std::io::Error>(piece), Ok(Bytes::new())]);
            assert_eq!(read(compressed(Body::from_stream(stream::iter(pieces))).await).await, plain);
        }
    }

    #[tokio::test]
    async fn a_piece_of_a_stream_can_be_read_before_the_next_one_is_there() {
        let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
        let plain = stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|piece| (Ok::<_, std::io::Error>(piece), receiver))
        });
        let mut sent = compressed(Body::from_stream(plain)).await.into_data_stream();
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
        let sent = compressed(Body::from_stream(stream::iter(pieces))).await;
        assert!(sent.collect().await.is_err());
    }
}
