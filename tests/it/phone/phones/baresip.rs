//! baresip: a person with a phone. It answers or does not, plays a file, presses keys and hangs up, as instructed over
//! its control port.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, tcp::OwnedWriteHalf},
    sync::Notify,
    time::{sleep, timeout},
};

use super::{PATIENCE, Program, free_ports, sound};

pub struct Setup<'a> {
    /// Answers automatically; otherwise use `accept`.
    pub answers: bool,
    /// Registered with a proxy at this port, with this password.
    pub registered: Option<(u16, &'a str)>,
    /// A certificate with its key, for TLS.
    pub certificate: Option<&'a Path>,
    pub codecs: &'a str,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self { answers: true, registered: None, certificate: None, codecs: "pcmu,pcma" }
    }
}

pub struct Baresip {
    pub port: u16,
    program: Program,
    folder: TempDir,
    control: OwnedWriteHalf,
    events: Arc<Events>,
}

#[derive(Default)]
struct Events {
    seen: Mutex<Vec<Value>>,
    news: Notify,
}

impl Baresip {
    /// `number` is the dialed number.
    pub async fn start(number: &str, setup: Setup<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let silence = folder.path().join("silence.wav");
        sound::silence(&silence, 120);
        // TLS uses the next port, control the last one, and RTP the ports above.
        let port = free_ports(14);
        let (control, sound_from, sound_to) = (port + 2, port + 4, port + 13);
        let path = folder.path().display();
        let certificate =
            setup.certificate.map(|path| format!("sip_certificate {}\n", path.display())).unwrap_or_default();
        let config = format!(
            "poll_method epoll\nsip_listen 127.0.0.1:{port}\n{certificate}net_interface 127.0.0.1\n\
             module_path /usr/lib/baresip/modules\nmodule g711.so\nmodule aufile.so\nmodule aubridge.so\n\
             module_tmp uuid.so\nmodule_tmp account.so\nmodule_app menu.so\nmodule_app ctrl_tcp.so\n\
             ctrl_tcp_listen 127.0.0.1:{control}\naudio_source aufile,{path}/silence.wav\n\
             audio_player aubridge,sink\naudio_alert aubridge,sink\nausrc_srate 8000\nauplay_srate 8000\n\
             ausrc_channels 1\nauplay_channels 1\nrtp_ports {sound_from}-{sound_to}\n"
        );
        let answers = if setup.answers { "auto" } else { "manual" };
        let codecs = setup.codecs;
        let rest = format!("answermode={answers};audio_codecs={codecs};dtmfmode=rtpevent");
        let account = match setup.registered {
            None => format!("<sip:{number}@127.0.0.1:{port}>;regint=0;{rest}\n"),
            Some((proxy, password)) => format!(
                "<sip:{number}@127.0.0.1:{proxy}>;auth_user={number};auth_pass={password};\
                 outbound=\"sip:127.0.0.1:{proxy}\";regint=60;{rest}\n"
            ),
        };
        std::fs::write(folder.path().join("config"), config).unwrap();
        std::fs::write(folder.path().join("accounts"), account).unwrap();
        std::fs::write(folder.path().join("contacts"), "").unwrap();
        let program = Program::start("baresip", folder.path(), &["-f", &path.to_string()]);
        program.until_said("baresip is ready").await;
        let (control, events) = connect(control).await;
        Self { port, program, folder, control, events }
    }

    /// Waits for the first event of this kind, which may have happened already.
    pub async fn until(&self, kind: &str) {
        let seen = async {
            loop {
                let news = self.events.news.notified();
                if self.has_seen(kind) {
                    return;
                }
                news.await;
            }
        };
        let came = timeout(PATIENCE, seen).await;
        assert!(came.is_ok(), "the phone has never seen {kind}:\n{}", self.program.said());
    }

    pub fn has_seen(&self, kind: &str) -> bool {
        self.events.seen.lock().unwrap().iter().any(|event| event["type"] == kind)
    }

    pub async fn accept(&mut self) {
        self.command("accept", "").await;
    }

    pub async fn hang_up(&mut self) {
        self.command("hangup", "").await;
    }

    pub async fn hold(&mut self) {
        self.command("hold", "").await;
    }

    pub async fn resume(&mut self) {
        self.command("resume", "").await;
    }

    pub async fn press(&mut self, key: char) {
        self.command("sndcode", &key.to_string()).await;
        // The duration of a key press.
        sleep(Duration::from_millis(100)).await;
        self.command("sndcode", "\u{4}").await;
    }

    /// Plays this file, which must be 16-bit at 8 kHz. The phone hangs up at its end.
    pub async fn say(&mut self, file: &Path) {
        self.command("ausrc", &format!("aufile,{}", file.display())).await;
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    async fn command(&mut self, command: &str, parameters: &str) {
        let text = json!({ "command": command, "params": parameters, "token": "t" }).to_string();
        self.control.write_all(format!("{}:{text},", text.len()).as_bytes()).await.unwrap();
    }
}

async fn connect(port: u16) -> (OwnedWriteHalf, Arc<Events>) {
    let stream = timeout(PATIENCE, async {
        loop {
            match TcpStream::connect(("127.0.0.1", port)).await {
                Ok(stream) => return stream,
                Err(_) => sleep(Duration::from_millis(20)).await,
            }
        }
    });
    let (mut read, write) = stream.await.expect("baresip takes no commands").into_split();
    let events = Arc::new(Events::default());
    let told = events.clone();
    tokio::spawn(async move {
        let (mut waiting, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = read.read(&mut piece).await {
            waiting.extend_from_slice(&piece[..length]);
            while let Some((text, rest)) = netstring(&waiting) {
                if let Ok(event) = serde_json::from_slice::<Value>(text)
                    && event["event"] == true
                {
                    told.seen.lock().unwrap().push(event);
                }
                waiting = rest.to_vec();
            }
            told.news.notify_waiters();
        }
    });
    (write, events)
}

/// `5:hello,`
fn netstring(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = bytes.iter().position(|byte| *byte == b':')?;
    let length: usize = std::str::from_utf8(&bytes[..colon]).ok()?.parse().ok()?;
    let end = colon + 1 + length;
    (bytes.len() > end).then(|| (&bytes[colon + 1..end], &bytes[end + 1..]))
}
