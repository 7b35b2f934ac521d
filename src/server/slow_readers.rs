//! Slow-reader protection: a minimum rate at which a client must read. Otherwise a client that reads byte by byte
//! could hold a response and its buffers for days.

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

/// How much unsent data the kernel buffers (`TCP_NOTSENT_LOWAT`). By default that is megabytes, and a slow reader
/// would stay unnoticed for minutes.
const UNSENT_BYTES: u32 = 128 * 1024;
/// The kernel reports free space once half of the buffer is sent, so progress comes in steps of this size.
const STEP_BYTES: u64 = UNSENT_BYTES as u64 / 2;

#[derive(Debug, Clone, Copy)]
pub struct MinRate {
    /// Bytes per second; 0 disables the check.
    rate: u64,
    /// The time over which the rate is averaged.
    window: Duration,
}

impl MinRate {
    /// At a low rate a single step takes longer than the window, so the window is extended to that time.
    pub fn new(rate: u64, window: Duration) -> Self {
        let one_step = Duration::from_secs(STEP_BYTES.checked_div(rate).unwrap_or(0));
        Self { rate, window: window.max(one_step) }
    }

    fn min_bytes(self) -> u64 {
        self.rate.saturating_mul(self.window.as_millis() as u64) / 1_000
    }
}

/// A stream that fails when its client reads too slowly. Time counts only while a write is blocked: not while the
/// response is produced, nor between requests. A client that never blocks a write is never measured.
pub struct RateGuard<S> {
    inner: S,
    min_rate: MinRate,
    window_state: Option<Window>,
}

/// The measurement of one window.
struct Window {
    taken: u64,
    /// Blocked time in this window, up to the last write.
    waited: Duration,
    /// When the current write blocked.
    waiting_since: Option<Instant>,
    /// When the window ends if nothing more is written.
    over: Pin<Box<Sleep>>,
}

impl<S> RateGuard<S> {
    pub fn new(inner: S, min_rate: MinRate) -> Self {
        Self { inner, min_rate, window_state: None }
    }

    pub fn into_inner(self) -> S {
        self.inner
    }

    fn check(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let kept = match (&wrote, &mut self.window_state) {
            (Poll::Pending, _) if self.min_rate.rate == 0 => true,
            (Poll::Pending, window_state) => {
                window_state.get_or_insert_with(Window::new).waits(cx, self.min_rate)
            }
            (Poll::Ready(Ok(count)), Some(window_state)) => window_state.took(*count, self.min_rate),
            (Poll::Ready(_), _) => true,
        };
        if kept {
            return wrote;
        }
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "client reads too slowly")))
    }
}

impl Window {
    fn new() -> Self {
        let over = Box::pin(tokio::time::sleep(Duration::ZERO));
        Self { taken: 0, waited: Duration::ZERO, waiting_since: None, over }
    }

    /// Is the client fast enough so far? If so, the task is woken when the window ends.
    fn waits(&mut self, cx: &mut Context<'_>, min_rate: MinRate) -> bool {
        if self.waiting_since.is_none() {
            self.wait(min_rate);
        }
        while self.over.as_mut().poll(cx).is_ready() {
            if !self.next_window(min_rate) {
                return false;
            }
            self.wait(min_rate);
        }
        true
    }

    fn wait(&mut self, min_rate: MinRate) {
        let now = Instant::now();
        self.waiting_since = Some(now);
        self.over.as_mut().reset(now + min_rate.window.saturating_sub(self.waited));
    }

    fn took(&mut self, count: usize, min_rate: MinRate) -> bool {
        self.taken += count as u64;
        self.waited += self.waiting_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        self.waited < min_rate.window || self.next_window(min_rate)
    }

    /// Did the client read enough in the window that ends?
    fn next_window(&mut self, min_rate: MinRate) -> bool {
        self.waited = Duration::ZERO;
        std::mem::take(&mut self.taken) >= min_rate.min_bytes()
    }
}

/// Configures the socket so that the rate can be measured.
pub fn prepare(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES);
}

impl<S: AsyncRead + Unpin> AsyncRead for RateGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RateGuard<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.check(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.check(cx, wrote)
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

    /// On a busy machine, a reader may have to wait for the processor for a good part of the window.
    const MIN_RATE: MinRate = MinRate { rate: 20_000, window: Duration::from_secs(1) };

    /// Writes a megabyte in pieces of this size to a reader that reads this many bytes every ten milliseconds, and
    /// returns the result.
    async fn write_to(bytes_each_time: usize, piece: usize) -> io::Result<()> {
        let (ours, mut theirs) = tokio::io::duplex(1_024);
        let mut guarded = RateGuard::new(ours, MIN_RATE);
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; bytes_each_time];
            while theirs.read_exact(&mut buffer).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let writing = async {
            for _ in 0..(1 << 20) / piece {
                guarded.write_all(&vec![0; piece]).await?;
                guarded.flush().await?;
            }
            Ok(())
        };
        let written = writing.await;
        reading.abort();
        written
    }

    #[tokio::test]
    async fn a_fast_enough_reader_gets_everything_however_long_it_takes() {
        // Longer than a window: a megabyte, and ten milliseconds for each ten kilobytes.
        write_to(10_000, 1 << 20).await.unwrap();
        write_to(10_000, 10_000).await.unwrap();
    }

    #[tokio::test]
    async fn a_slow_reader_is_cut_off_at_the_end_of_the_window() {
        for piece in [1 << 20, 10_000] {
            let started = Instant::now();
            assert_eq!(write_to(20, piece).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
            assert!(started.elapsed() >= MIN_RATE.window, "pieces of {piece}: {:?}", started.elapsed());
        }
    }

    /// A response that is slow to produce is not the client's fault.
    #[tokio::test]
    async fn pauses_of_our_own_do_not_count() {
        let (ours, mut theirs) = tokio::io::duplex(1_024);
        let mut guarded = RateGuard::new(ours, MIN_RATE);
        let reading = tokio::spawn(async move {
            let mut whole = Vec::new();
            theirs.read_to_end(&mut whole).await.unwrap();
            whole.len()
        });
        for _ in 0..3 {
            guarded.write_all(&[0; 2_000]).await.unwrap();
            guarded.flush().await.unwrap();
            tokio::time::sleep(MIN_RATE.window * 2).await;
        }
        drop(guarded);
        assert_eq!(reading.await.unwrap(), 6_000);
    }

    #[test]
    fn a_low_rate_is_measured_over_a_longer_time() {
        let window = Duration::from_secs(30);
        assert_eq!(MinRate::new(64, window).window, Duration::from_secs(1_024));
        assert_eq!(MinRate::new(4_096, window).window, window);
        assert_eq!(MinRate::new(0, window).window, window);
    }
}
