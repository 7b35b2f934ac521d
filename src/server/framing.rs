//! Finds where each request starts and ends in the byte stream of a connection.
//!
//! This module does not compute the length of a body: hyper does when it parses the head, and the service passes it
//! on. Two parsers that disagree about the same headers would allow request smuggling.

/// The state of the parser, one request after the other.
#[derive(Debug)]
pub struct Framing {
    position: Position,
    line: RequestLine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In the request line, or in empty lines before it.
    Line,
    /// In the headers; the start of the current header line.
    Headers(LineStart),
    /// The head is complete. What follows depends on how hyper interprets it.
    HeadEnd,
    /// Remaining bytes of the body.
    Body(u64),
    Chunks(Chunks),
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineStart {
    Empty,
    CarriageReturn,
    Text,
}

/// Mirrors the states of hyper's chunked decoder, so that both find the same end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunks {
    Size(u64),
    /// Whitespace and extensions after the size.
    Extension(u64),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    EndCr,
    EndLf,
    Trailer,
    TrailerLf,
    /// hyper rejects it as well and closes the connection.
    Broken,
}

/// The length of a body, as determined by hyper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Known(u64),
    Chunked,
}

/// What is kept of a request line.
#[derive(Debug)]
pub struct RequestLine {
    bytes: usize,
    start: [u8; LINE_START],
    in_query: bool,
    quotes: usize,
    backticks: Vec<usize>,
}

/// Enough to tell which face or API version a path belongs to.
const LINE_START: usize = 48;

impl RequestLine {
    const fn new() -> Self {
        Self { bytes: 0, start: [0; LINE_START], in_query: false, quotes: 0, backticks: Vec::new() }
    }

    pub const fn len(&self) -> usize {
        self.bytes
    }

    /// The start of the path, enough to tell which face it belongs to.
    pub fn path(&self) -> String {
        let line = String::from_utf8_lossy(&self.start[..self.bytes.min(LINE_START)]);
        let path = line.split([' ', '\r', '\n']).nth(1).and_then(|target| target.split('?').next());
        path.unwrap_or_default().to_owned()
    }

    /// The `http` crate rejects backticks in paths, but deployed clients send them. They are replaced by double
    /// quotes here, and `normalize_path` restores them.
    fn take(&mut self, byte: &mut u8) {
        match *byte {
            b'?' => self.in_query = true,
            b'"' if !self.in_query => self.quotes += 1,
            b'`' if !self.in_query => {
                *byte = b'"';
                self.backticks.push(self.quotes);
                self.quotes += 1;
            }
            _ => {}
        }
        if let Some(place) = self.start.get_mut(self.bytes) {
            *place = *byte;
        }
        self.bytes += 1;
    }
}

impl Framing {
    pub const fn new() -> Self {
        Self { position: Position::Line, line: RequestLine::new() }
    }

    pub const fn line(&self) -> &RequestLine {
        &self.line
    }

    /// Returns how many of these bytes belong to the current request. Replaces backticks in its path.
    pub fn scan(&mut self, bytes: &mut [u8]) -> usize {
        let mut seen = 0;
        while seen < bytes.len() && !matches!(self.position, Position::HeadEnd | Position::End) {
            seen += self.step(&mut bytes[seen..]);
        }
        seen
    }

    /// Consumes at least one byte.
    fn step(&mut self, bytes: &mut [u8]) -> usize {
        match self.position {
            Position::Line => self.scan_line(bytes),
            Position::Headers(start) => {
                let (at, seen) = scan_headers(start, bytes);
                self.position = at;
                seen
            }
            Position::Body(left) => {
                let seen = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                self.begin_rest(left - seen as u64);
                seen
            }
            Position::Chunks(Chunks::Data(left)) => {
                let seen = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                let left = left - seen as u64;
                self.position = Position::Chunks(if left == 0 { Chunks::DataCr } else { Chunks::Data(left) });
                seen
            }
            Position::Chunks(Chunks::Broken) => bytes.len(),
            Position::Chunks(chunks) => {
                self.position = chunks.after(bytes[0]).map_or(Position::End, Position::Chunks);
                1
            }
            Position::HeadEnd | Position::End => 0,
        }
    }

    fn scan_line(&mut self, bytes: &mut [u8]) -> usize {
        for (at, byte) in bytes.iter_mut().enumerate() {
            match *byte {
                b'\r' | b'\n' if self.line.bytes == 0 => {}
                b'\n' => {
                    self.position = Position::Headers(LineStart::Empty);
                    return at + 1;
                }
                _ => self.line.take(byte),
            }
        }
        bytes.len()
    }

    fn begin_rest(&mut self, left: u64) {
        self.position = if left == 0 { Position::End } else { Position::Body(left) };
    }

    /// hyper has parsed the head. Returns which of the quotes in the path were backticks, counted from 0.
    pub fn begin_body(&mut self, length: Length) -> Vec<usize> {
        match length {
            Length::Known(bytes) => self.begin_rest(bytes),
            Length::Chunked => self.position = Position::Chunks(Chunks::Size(0)),
        }
        std::mem::take(&mut self.line.backticks)
    }

    pub fn begin_next(&mut self) {
        *self = Self::new();
    }

    /// Is the body incomplete?
    pub fn is_in_body(&self) -> bool {
        matches!(self.position, Position::Body(_) | Position::Chunks(_))
    }

    pub fn is_over(&self) -> bool {
        self.position == Position::End
    }

    /// Is the head complete, and the service not yet called?
    pub fn is_at_head_end(&self) -> bool {
        self.position == Position::HeadEnd
    }
}

/// Looks for the empty line. A bare line feed also ends a line.
fn scan_headers(mut start: LineStart, bytes: &[u8]) -> (Position, usize) {
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\n', &bytes[at..]) {
        let is_empty = match (start, &bytes[at..at + length]) {
            (LineStart::Empty, line) => matches!(line, b"" | b"\r"),
            (LineStart::CarriageReturn, line) => line.is_empty(),
            (LineStart::Text, _) => false,
        };
        at += length + 1;
        if is_empty {
            return (Position::HeadEnd, at);
        }
        start = LineStart::Empty;
    }
    let start = match (start, &bytes[at..]) {
        (start, []) => start,
        (LineStart::Empty, b"\r") => LineStart::CarriageReturn,
        _ => LineStart::Text,
    };
    (Position::Headers(start), bytes.len())
}

impl Chunks {
    /// `None` at the end of the body.
    fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Size(size), _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).map_or(0, u64::from);
                let size = size.checked_mul(16).and_then(|size| size.checked_add(digit));
                size.map_or(Self::Broken, Self::Size)
            }
            (Self::Size(size) | Self::Extension(size), b'\r') => Self::SizeLf(size),
            (Self::Size(size), b'\t' | b' ' | b';') => Self::Extension(size),
            (Self::Extension(_), b'\n') => Self::Broken,
            (Self::Extension(size), _) => Self::Extension(size),
            (Self::SizeLf(0), b'\n') => Self::EndCr,
            (Self::SizeLf(size), b'\n') => Self::Data(size),
            (Self::DataCr, b'\r') => Self::DataLf,
            (Self::DataLf, b'\n') => Self::Size(0),
            (Self::EndCr, b'\r') => Self::EndLf,
            (Self::EndLf, b'\n') => return None,
            (Self::Trailer, b'\r') => Self::TrailerLf,
            (Self::EndCr | Self::Trailer, _) => Self::Trailer,
            (Self::TrailerLf, b'\n') => Self::EndCr,
            _ => Self::Broken,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &[u8] = b"\r\nGET /a`b?c=` HTTP/1.1\r\nHost: x\r\nX-Note: `\r\n\r\n";

    #[test]
    fn a_head_ends_at_its_empty_line() {
        for (head, rest) in [
            (HEAD, &b"GET /`"[..]),
            (b"GET / HTTP/1.1\nHost: x\n\n", b"\n"),
            (b"GET / HTTP/1.1\r\n\r\n", b"`"),
            (b"GET / HTTP/1.1\r\nA: b\n\r\n", b""),
        ] {
            let mut bytes = [head, rest].concat();
            let mut framing = Framing::new();
            assert_eq!(framing.scan(&mut bytes), head.len());
            assert!(framing.is_at_head_end());
            assert_eq!(bytes[head.len()..], *rest, "what follows is left alone");
        }
    }

    #[test]
    fn backticks_are_replaced_in_the_path_alone() {
        let mut bytes = b"GET /\"`x``?`\" HTTP/1.1\r\nX: `\r\n\r\n".to_vec();
        let mut framing = Framing::new();
        framing.scan(&mut bytes);
        assert_eq!(bytes, b"GET /\"\"x\"\"?`\" HTTP/1.1\r\nX: `\r\n\r\n");
        assert_eq!(framing.begin_body(Length::Known(0)), [1, 2, 3]);
    }

    #[test]
    fn the_path_of_a_request_line_is_known() {
        for (line, path) in [
            ("GET /api/private/v3/names?x HTTP/1.1\r\n", "/api/private/v3/names"),
            ("POST /api/private/v2 HTTP/1.1\r\n", "/api/private/v2"),
            ("nonsense\r\n", ""),
        ] {
            let mut framing = Framing::new();
            framing.scan(&mut line.as_bytes().to_vec());
            assert_eq!(framing.line().path(), path, "{line}");
        }
    }

    /// A body as a client might send it, including data that resembles framing.
    fn body() -> impl Strategy<Value = (Length, Vec<u8>)> {
        let text = prop_oneof![
            Just(b"GET /`x HTTP/1.1\r\n\r\n".to_vec()),
            Just(b"0\r\n\r\n".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..40),
        ];
        let chunked = proptest::collection::vec(text.clone(), 0..4).prop_map(|chunks| {
            let mut bytes = Vec::new();
            for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
                bytes.extend(format!("{:X} ;`=\"\r\n", chunk.len()).bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"000\r\nX-Trailer: `\r\n\r\n");
            (Length::Chunked, bytes)
        });
        prop_oneof![text.prop_map(|bytes| (Length::Known(bytes.len() as u64), bytes)), chunked]
    }

    proptest! {
        /// Request boundaries do not depend on how the bytes are split.
        #[test]
        fn requests_are_told_apart_however_the_bytes_come(
            bodies in proptest::collection::vec(body(), 1..5),
            sizes in proptest::collection::vec(1_usize..30, 1..20),
        ) {
            let mut sent = Vec::new();
            for (_, body) in &bodies {
                sent.extend_from_slice(HEAD);
                sent.extend_from_slice(body);
            }
            let (mut framing, mut sizes) = (Framing::new(), sizes.iter().cycle());
            let mut rest = sent.as_slice();
            for (length, body) in &bodies {
                let mut shown = Vec::new();
                while !framing.is_over() {
                    let mut part = rest[..rest.len().min(*sizes.next().unwrap())].to_vec();
                    let seen = framing.scan(&mut part);
                    shown.extend_from_slice(&part[..seen]);
                    rest = &rest[seen..];
                    if framing.is_at_head_end() {
                        prop_assert_eq!(framing.begin_body(*length), [0]);
                    }
                }
                prop_assert_eq!(&shown[..HEAD.len()], b"\r\nGET /a\"b?c=` HTTP/1.1\r\nHost: x\r\nX-Note: `\r\n\r\n");
                prop_assert_eq!(&shown[HEAD.len()..], body.as_slice());
                framing.begin_next();
            }
            prop_assert!(rest.is_empty());
        }
    }
}
