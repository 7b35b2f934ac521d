//! A private PulseAudio server without hardware: the devices of one browser.

use std::path::Path;

use crate::{phone::phones::Program, support::until};

/// The sink whose sound the microphone hears.
const MOUTH: &str = "mouth";

pub struct SoundServer {
    _server: Program,
    /// For `PULSE_SERVER`.
    pub address: String,
}

impl SoundServer {
    /// With speakers and a microphone, or with no device at all.
    pub async fn start(folder: &Path, devices: bool) -> Self {
        let socket = folder.join("sound.socket");
        let protocol = format!("module-native-protocol-unix socket={} auth-anonymous=1", socket.display());
        let mut arguments = vec![
            "-n",
            "--daemonize=no",
            "--use-pid-file=no",
            "--exit-idle-time=-1",
            "--disable-shm=yes",
            "-L",
            &protocol,
        ];
        let mouth = format!("module-null-sink sink_name={MOUTH} rate=48000 channels=1");
        // Browsers ignore monitors of speakers, but not a source derived from one.
        let microphone = format!(
            "module-remap-source source_name=microphone master={MOUTH}.monitor \
             source_properties=device.description=Microphone"
        );
        if devices {
            // The first sink is the default one.
            arguments.extend(["-L", "module-null-sink sink_name=speakers rate=48000", "-L", &mouth]);
            arguments.extend(["-L", &microphone]);
        }
        let home = folder.display().to_string();
        let environment = [("HOME", home.clone()), ("XDG_RUNTIME_DIR", home)];
        let server = Program::start_with("pulseaudio", folder, &arguments, &environment);
        until("PulseAudio is ready", || async {
            assert!(server.is_running(), "PulseAudio: {}", server.said());
            socket.exists()
        })
        .await;
        Self { _server: server, address: format!("unix:{}", socket.display()) }
    }

    /// Plays a WAV file to the microphone, to its end.
    pub async fn play(&self, folder: &Path, file: &Path) {
        let device = format!("--device={MOUTH}");
        let arguments = [device.as_str(), file.to_str().unwrap()];
        let environment = [("PULSE_SERVER", self.address.clone())];
        let played = Program::start_with("paplay", folder, &arguments, &environment);
        assert!(played.succeeded().await, "paplay: {}", played.said());
    }
}
