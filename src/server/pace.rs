//! How fast a client must read. One that takes an answer byte by byte would otherwise keep what it is made from for days.

use std::{
    future::Future,
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep},
};

/// What the kernel keeps of an answer before it goes out. Without a bound, that is megabytes: hyper would hear nothing of
/// a slow client for minutes, and then of all of them at once.
const UNSENT_BYTES: u32 = 128 * 1024;
/// The kernel asks for more when half of that is gone: progress comes in steps of this size.
const STEP_BYTES: u64 = UNSENT_BYTES as u64 / 2;

/// The slowest that a client may read.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Bytes a second; 0 for any.
    rate: u64,
    /// Over which it is measured.
    window: Duration,
}

impl Pace {
    /// At a low rate it takes longer than the window to see anything at all, and so it is measured over that time.
    pub fn new(rate: u64, window: Duration) -> Self {
        let one_step = Duration::from_secs(STEP_BYTES.checked_div(rate).unwrap_or(0));
        Self { rate, window: window.max(one_step) }
    }

    fn least(self) -> u64 {
        self.rate.saturating_mul(self.window.as_millis() as u64) / 1_000
    }
}

/// A connection that fails once its client reads too slowly. Time counts only while an answer waits for the client: not
/// while we make it, nor between two requests. Whoever never has us wait is never measured.
pub struct Paced<S> {
    inner: S,
    pace: Pace,
    measure: Option<Measure>,
}

/// Of one window.
struct Measure {
    taken: u64,
    /// All the time that we have waited, without the last stretch.
    waited: Duration,
    /// When that began.
    waiting_since: Option<Instant>,
    /// When the window is over, if nothing more is taken.
    over: Pin<Box<Sleep>>,
}

impl<S> Paced<S> {
    pub fn new(inner: S, pace: Pace) -> Self {
        Self { inner, pace, measure: None }
    }

    pub fn into_inner(self) -> S {
        self.inner
    }

    fn measured(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let kept = match (&wrote, &mut self.measure) {
            (Poll::Pending, _) if self.pace.rate == 0 => true,
            (Poll::Pending, measure) => measure.get_or_insert_with(Measure::new).waits(cx, self.pace),
            (Poll::Ready(Ok(count)), Some(measure)) => measure.took(*count, self.pace),
            (Poll::Ready(_), _) => true,
        };
        if kept {
            return wrote;
        }
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client reads too slowly")))
    }
}

impl Measure {
    fn new() -> Self {
        let over = Box::pin(tokio::time::sleep(Duration::ZERO));
        Self { taken: 0, waited: Duration::ZERO, waiting_since: None, over }
    }

    /// Is the client fast enough, as far as can be said? If so, we are woken when that can be said again.
    fn waits(&mut self, cx: &mut Context<'_>, pace: Pace) -> bool {
        if self.waiting_since.is_none() {
            self.wait(pace);
        }
        while self.over.as_mut().poll(cx).is_ready() {
            if !self.next_window(pace) {
                return false;
            }
            self.wait(pace);
        }
        true
    }

    fn wait(&mut self, pace: Pace) {
        let now = Instant::now();
        self.waiting_since = Some(now);
        self.over.as_mut().reset(now + pace.window.saturating_sub(self.waited));
    }

    fn took(&mut self, count: usize, pace: Pace) -> bool {
        self.taken += count as u64;
        self.waited += self.waiting_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        self.waited < pace.window || self.next_window(pace)
    }

    /// Was enough taken in this one?
    fn next_window(&mut self, pace: Pace) -> bool {
        self.waited = Duration::ZERO;
        std::mem::take(&mut self.taken) >= pace.least()
    }
}

/// Sets a connection up for being measured.
pub fn prepare(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES);
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.measured(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.measured(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const PACE: Pace = Pace { rate: 20_000, window: Duration::from_millis(300) };

    /// Writes a megabyte in pieces of this size to somebody who reads so many bytes every ten milliseconds. Says what became
    /// of it.
    async fn write_to(bytes_each_time: usize, piece: usize) -> io::Result<()> {
        let (ours, mut theirs) = tokio::io::duplex(1_024);
        let mut paced = Paced::new(ours, PACE);
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; bytes_each_time];
            while theirs.read_exact(&mut buffer).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let writing = async {
            for _ in 0..(1 << 20) / piece {
                paced.write_all(&vec![0; piece]).await?;
                paced.flush().await?;
            }
            Ok(())
        };
        let written = writing.await;
        reading.abort();
        written
    }

    #[tokio::test]
    async fn whoever_reads_fast_enough_gets_everything_however_long_it_takes() {
        // Three windows and more, on a machine that has nothing else to do.
        write_to(10_000, 1 << 20).await.unwrap();
        write_to(10_000, 10_000).await.unwrap();
    }

    #[tokio::test]
    async fn whoever_drips_is_cut_off_when_the_window_is_over() {
        for piece in [1 << 20, 10_000] {
            let started = Instant::now();
            assert_eq!(write_to(20, piece).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
            assert!(started.elapsed() >= PACE.window, "pieces of {piece}: {:?}", started.elapsed());
        }
    }

    /// An answer that we are slow to make is not the client's fault.
    #[tokio::test]
    async fn pauses_of_our_own_do_not_count() {
        let (ours, mut theirs) = tokio::io::duplex(1_024);
        let mut paced = Paced::new(ours, PACE);
        let reading = tokio::spawn(async move {
            let mut whole = Vec::new();
            theirs.read_to_end(&mut whole).await.unwrap();
            whole.len()
        });
        for _ in 0..3 {
            paced.write_all(&[0; 2_000]).await.unwrap();
            paced.flush().await.unwrap();
            tokio::time::sleep(PACE.window * 2).await;
        }
        drop(paced);
        assert_eq!(reading.await.unwrap(), 6_000);
    }

    #[test]
    fn a_low_rate_is_measured_over_a_longer_time() {
        let window = Duration::from_secs(30);
        assert_eq!(Pace::new(64, window).window, Duration::from_secs(1_024));
        assert_eq!(Pace::new(4_096, window).window, window);
        assert_eq!(Pace::new(0, window).window, window);
    }
}
