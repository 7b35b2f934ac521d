//! Real speech in every common format, encoded and measured by third-party programs.

mod studio;
mod telephone;

use endonym_media::sound::{Limits, PEAKS, Refusal, Sound, process};
use std::{fs, thread, time::Duration};
use studio::{TONE_HZ, ffmpeg, hear, master, path, run, shell, speech};

fn processed(bytes: &[u8]) -> Result<Sound, Refusal> {
    process(bytes, &Limits::default())
}

fn refusal(bytes: &[u8]) -> Option<Refusal> {
    processed(bytes).err()
}

/// Invariants of every result.
fn assert_right(name: &str, bytes: &[u8]) -> studio::Heard {
    let sound = processed(bytes).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    // Starting another program for each file would take long, and the header does not depend on the input.
    let heard = hear(name, &sound.mp3, !name.contains('.') || name.ends_with(".wav"));
    assert!((heard.loudness + 16.0).abs() < 0.6, "{name}: {} LUFS", heard.loudness);
    assert!(heard.true_peak <= -1.0, "{name}: {} dBTP", heard.true_peak);
    assert!((0.1..=0.25).contains(&heard.before), "{name}: {} s of silence before", heard.before);
    assert!((0.1..=0.25).contains(&heard.after), "{name}: {} s of silence after", heard.after);
    assert!(heard.mono, "{name}");
    assert!([44_100, 48_000].contains(&heard.rate), "{name}: {} Hz", heard.rate);
    let decoded = heard.samples.len() as f64 / f64::from(heard.rate);
    let probed = heard.duration.unwrap_or(decoded);
    for (whose, duration) in [("the decoder's", decoded), ("ffprobe's", probed)] {
        let ours = sound.duration.as_secs_f64();
        assert!((duration - ours).abs() < 0.002, "{name}: ours is {ours} s, {whose} is {duration} s");
    }
    assert_eq!(sound.peaks.iter().max(), Some(&255), "{name}");
    assert!(sound.peaks[0] < 12 && sound.peaks[PEAKS - 1] < 12, "{name}: {:?}", sound.peaks);
    heard
}

/// Encodes the master, processes it, and checks length, pitch and level.
fn assert_format(name: &str, bytes: &[u8]) {
    let heard = assert_right(name, bytes);
    let expected = studio::MASTER_SECONDS + 2.0 * 0.165;
    let duration = heard.samples.len() as f64 / f64::from(heard.rate);
    assert!((duration - expected).abs() < 0.12, "{name}: {duration} s instead of {expected}");
    let pitch = heard.pitch();
    assert!((pitch / TONE_HZ - 1.0).abs() < 0.005, "{name}: {pitch} Hz instead of {TONE_HZ}");
}

/// Uses all cores.
fn each(formats: &[(&str, &str)], check: fn(&str, &[u8])) {
    let failures: Vec<String> = thread::scope(|scope| {
        let halves = formats.chunks(formats.len().div_ceil(2));
        let threads: Vec<_> = halves
            .map(|half| {
                scope.spawn(move || {
                    let mut failures = Vec::new();
                    for (name, arguments) in half {
                        let bytes = ffmpeg(arguments, name);
                        if let Err(panic) = std::panic::catch_unwind(|| check(name, &bytes)) {
                            failures.push(
                                panic.downcast_ref::<String>().cloned().unwrap_or_else(|| (*name).to_owned()),
                            );
                        }
                    }
                    failures
                })
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("the thread ends")).collect()
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn wav_of_every_kind() {
    each(
        &[
            ("u8.wav", "-c:a pcm_u8 -ar 44100"),
            ("s16.wav", "-c:a pcm_s16le -ar 44100"),
            ("s24.wav", "-c:a pcm_s24le -ar 48000"),
            ("s32.wav", "-c:a pcm_s32le -ar 48000"),
            ("f32.wav", "-c:a pcm_f32le -ar 48000"),
            ("f64.wav", "-c:a pcm_f64le -ar 48000 -ac 2"),
            ("alaw.wav", "-c:a pcm_alaw -ar 8000"),
            ("mulaw.wav", "-c:a pcm_mulaw -ar 8000"),
            ("8000.wav", "-ar 8000"),
            ("11025.wav", "-ar 11025 -ac 2"),
            ("16000.wav", "-ar 16000"),
            ("22050.wav", "-ar 22050"),
            ("32000.wav", "-ar 32000"),
            ("37800.wav", "-ar 37800"),
            ("47999.wav", "-ar 47999"),
            ("48000.wav", "-ar 48000 -ac 2"),
            ("96000.wav", "-ar 96000"),
            ("192000.wav", "-ar 192000 -c:a pcm_s24le"),
        ],
        assert_format,
    );
}

/// Above 48 kHz, ffmpeg always writes `WAVE_FORMAT_EXTENSIBLE`.
#[test]
fn extensible_wav_of_every_kind() {
    each(
        &[
            ("ext-u8.wav", "-c:a pcm_u8 -ar 88200"),
            ("ext-s16-stereo.wav", "-c:a pcm_s16le -ar 96000 -ac 2"),
            ("ext-s24-stereo.wav", "-c:a pcm_s24le -ar 96000 -ac 2"),
            ("ext-s32.wav", "-c:a pcm_s32le -ar 96000"),
            ("ext-f32.wav", "-c:a pcm_f32le -ar 96000"),
            ("ext-f64-stereo.wav", "-c:a pcm_f64le -ar 96000 -ac 2"),
            (
                "ext-six-channels.wav",
                "-c:a pcm_s16le -ar 48000 -af pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0",
            ),
            ("ext-alaw.wav", "-c:a pcm_alaw -ar 96000"),
            ("ext-alaw-stereo.wav", "-c:a pcm_alaw -ar 96000 -ac 2"),
            ("ext-mulaw.wav", "-c:a pcm_mulaw -ar 96000"),
            ("ext-mulaw-stereo.wav", "-c:a pcm_mulaw -ar 192000 -ac 2"),
            ("ext-adpcm-ms.wav", "-c:a adpcm_ms -ar 96000"),
            ("ext-adpcm-ms-stereo.wav", "-c:a adpcm_ms -ar 96000 -ac 2"),
            ("ext-adpcm-ima.wav", "-c:a adpcm_ima_wav -ar 96000"),
            ("ext-adpcm-ima-stereo.wav", "-c:a adpcm_ima_wav -ar 96000 -ac 2"),
        ],
        assert_extensible,
    );
}

fn assert_extensible(name: &str, bytes: &[u8]) {
    assert_eq!(bytes[20..22], [0xfe, 0xff], "{name} is what it is to be");
    assert_format(name, bytes);
    if name.contains("law") {
        // ffmpeg decodes the file to the same samples, so the MP3 is the same.
        let decoded = path(&format!("decoded-{name}"));
        run("ffmpeg", &["-v", "error", "-y", "-i", &path(name), "-c:a", "pcm_s16le", &decoded]);
        let reference = fs::read(&decoded).expect("the file that was just written");
        assert!(processed(bytes).map(|s| s.mp3) == processed(&reference).map(|s| s.mp3), "{name}");
    }
}

#[test]
fn mp3_aac_and_flac() {
    each(
        &[
            ("cbr.mp3", "-c:a libmp3lame -b:a 64k"),
            ("vbr.mp3", "-c:a libmp3lame -q:a 4 -ar 44100 -ac 2"),
            ("joint.mp3", "-c:a libmp3lame -b:a 128k -ar 48000 -ac 2 -joint_stereo 1"),
            ("mpeg2.mp3", "-c:a libmp3lame -ar 22050 -b:a 32k"),
            ("mpeg25.mp3", "-c:a libmp3lame -ar 8000 -b:a 16k"),
            ("plain.mp3", "-c:a libmp3lame -write_xing 0 -id3v2_version 0 -b:a 64k -ar 44100"),
            ("tagged.mp3", "-c:a libmp3lame -b:a 64k -metadata title=Name -id3v2_version 3 -write_id3v1 1"),
            ("aac.m4a", "-c:a aac -b:a 96k -ar 44100"),
            ("faststart.m4a", "-c:a aac -ac 2 -ar 48000 -movflags +faststart"),
            (
                "fragmented.mp4",
                "-c:a aac -movflags frag_keyframe+empty_moov+default_base_moof -frag_duration 400000",
            ),
            ("adts.aac", "-c:a aac -b:a 64k -f adts"),
            ("16k.aac", "-c:a aac -b:a 32k -ar 16000 -f adts"),
            ("alone.flac", "-c:a flac"),
            ("s24.flac", "-c:a flac -sample_fmt s32 -ar 96000 -ac 2"),
            ("in-ogg.oga", "-c:a flac -f ogg"),
            ("video.mp4", "-f lavfi -i testsrc=d=3:s=160x120 -c:v mpeg4 -c:a aac -shortest"),
        ],
        assert_format,
    );
}

#[test]
fn vorbis_and_opus() {
    each(
        &[
            ("vorbis.ogg", "-c:a libvorbis -ar 44100"),
            ("low.ogg", "-c:a libvorbis -ar 16000 -ac 2"),
            ("vorbis.webm", "-c:a libvorbis -ar 48000"),
            ("silk.opus", "-c:a libopus -b:a 10k -application voip"),
            ("silk60.opus", "-c:a libopus -b:a 16k -application voip -frame_duration 60"),
            ("hybrid.opus", "-c:a libopus -b:a 28k -application voip"),
            ("celt.opus", "-c:a libopus -b:a 96k -application audio -ac 2"),
            ("celt2.5.opus", "-c:a libopus -b:a 64k -application lowdelay -frame_duration 2.5"),
            ("narrow.opus", "-c:a libopus -ar 8000 -b:a 12k"),
            ("chrome.webm", "-c:a libopus -b:a 48k -f webm -live 1 pipe:"),
            ("stereo.webm", "-c:a libopus -b:a 64k -ac 2"),
            ("opus.mp4", "-c:a libopus -b:a 48k -strict -2"),
            (
                "chrome.mp4",
                "-c:a libopus -b:a 48k -strict -2 -movflags frag_keyframe+empty_moov+default_base_moof -frag_duration 400000",
            ),
            (
                "video.webm",
                "-f lavfi -i testsrc=d=3:s=160x120 -c:v libvpx -deadline realtime -c:a libopus -shortest",
            ),
        ],
        assert_format,
    );
}

/// Other popular programs write different headers.
#[test]
fn other_peoples_encoders() {
    let master = path("master.wav");
    master_exists();
    for (name, program, arguments) in [
        ("lame.mp3", "lame", "--quiet -V 3 IN OUT"),
        ("lame-cbr.mp3", "lame", "--quiet -b 128 --tt Name IN OUT"),
        ("opusenc.opus", "opusenc", "--quiet --bitrate 24 IN OUT"),
        ("oggenc.ogg", "oggenc", "-Q -q 3 -o OUT IN"),
        ("flac.flac", "flac", "-s -f -8 -o OUT IN"),
        ("ogg.oga", "flac", "-s -f --ogg -o OUT IN"),
        ("sox.wav", "sox", "IN -e floating-point -b 32 -c 2 OUT"),
        ("sox-8.wav", "sox", "IN -e unsigned-integer -b 8 -r 11025 OUT"),
    ] {
        let out = path(name);
        let arguments = arguments.replace("IN", &master).replace("OUT", &out);
        run(program, &arguments.split(' ').collect::<Vec<_>>());
        assert_format(name, &fs::read(&out).expect("the file that was just written"));
    }
    // A WAV written to a pipe has no length; sox writes a wrong one.
    assert_format("ffmpeg-pipe.wav", &shell(&format!("ffmpeg -v error -i {master} -f wav pipe:")));
    assert_format("sox-pipe.wav", &shell(&format!("sox {master} -t wav - 2>/dev/null")));
    assert_format("zero.wav", &with_data_length(&fs::read(&master).expect("the master"), 0));
}

fn master_exists() {
    master();
}

/// A WAV whose header claims this many bytes of samples.
fn with_data_length(wav: &[u8], length: u32) -> Vec<u8> {
    let at = wav.windows(4).position(|w| w == b"data").expect("a data chunk") + 4;
    let mut wav = wav.to_vec();
    wav[at..at + 4].copy_from_slice(&length.to_le_bytes());
    wav
}

#[test]
fn quiet_loud_clipped_noisy_crooked_and_one_sided() {
    let master = speech();
    for (name, effects) in [
        ("as it is", "norm -6"),
        ("quiet", "norm -30"),
        ("very quiet", "norm -45"),
        ("clipped", "gain 30"),
        ("offset", "norm -12 dcshift 0.3"),
        ("rumble", "norm -12"),
        ("noise at -60", "norm -12"),
        ("noise at -45", "norm -12"),
        ("no silence at all", "norm -6 silence 1 0.01 -40d reverse silence 1 0.01 -40d reverse"),
        ("hard beginning", "norm -6 silence 1 0.001 -20d"),
        ("long silence", "norm -6 pad 8 12"),
        ("left only", "norm -6 remix 1 0"),
        ("right only", "norm -6 remix 0 1"),
        ("opposite", "norm -6 remix 1 1i"),
    ] {
        let file = path(&format!("{name}.wav").replace(' ', "-"));
        let hiss = |level: &str| {
            format!("| sox -m -v 1 -p -v 1 '|sox -n -r 48000 -b 24 -p synth 6 whitenoise gain {level}' -b 24")
        };
        let hum = "| sox -m -v 1 -p -v 1 '|sox -n -r 48000 -b 24 -p synth 6 sine 18 gain -14' -b 24";
        let mix = match name {
            "noise at -60" => hiss("-60"),
            "noise at -45" => hiss("-45"),
            "rumble" => hum.to_owned(),
            _ => "| sox -p -b 24".to_owned(),
        };
        shell(&format!("sox -V1 {master} -r 48000 -b 24 -p {effects} {mix} {file}"));
        assert_right(name, &fs::read(&file).expect("the file that was just written"));
    }
}

#[test]
fn a_hundred_voices_at_one_level() {
    let mut words = Vec::new();
    for (i, (voice, text)) in [
        ("en-us", "Hugh Foster"),
        ("es", "Joaquín Peña"),
        ("de", "Schäfer"),
        ("fr", "Françoise"),
        ("zh", "张秀英"),
        ("en+f3", "Zoë"),
        ("en+m7", "Thabo Mbeki"),
        ("pl", "Krzysztof Szczepański"),
        ("hi", "लक्ष्मी"),
        ("ar", "محمد"),
    ]
    .iter()
    .enumerate()
    {
        let file = path(&format!("voice{i}.wav"));
        run("espeak-ng", &["-v", voice, "-w", &file, text]);
        words.push((voice, fs::read(&file).expect("the file that was just written")));
    }
    for (voice, word) in words {
        assert_right(voice, &word);
    }
}

#[test]
fn what_is_not_audio_is_refused_as_such() {
    let zip = [b"PK\x03\x04".as_slice(), &[7; 3000]].concat();
    let random: Vec<u8> = (0..200_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\x08mdat".to_vec();
    for (name, bytes) in [
        ("nothing", Vec::new()),
        ("one byte", vec![0xff]),
        ("text", b"Hello, my name is".repeat(100)),
        ("UTF-16", b"\xff\xfeH\0e\0l\0l\0o\0".repeat(100)),
        ("a page", b"<!doctype html><title>Name</title>".to_vec()),
        ("zip", zip),
        ("noise", random),
        ("zeros", vec![0; 100_000]),
        ("ones", vec![0xff; 100_000]),
        ("HEIC", heic),
        ("PNG", ffmpeg("-f lavfi -i testsrc=s=64x64 -map 1 -frames:v 1", "a.png")),
        ("JPEG", ffmpeg("-f lavfi -i testsrc=s=640x480 -map 1 -frames:v 1", "a.jpg")),
        ("film", ffmpeg("-f lavfi -i testsrc=d=1:s=64x64 -map 1 -c:v mpeg4 -an", "silent.mp4")),
        ("WebM film", ffmpeg("-f lavfi -i testsrc=d=1:s=64x64 -map 1 -c:v libvpx -an", "silent.webm")),
    ] {
        assert_eq!(refusal(&bytes), Some(Refusal::NotSound), "{name}");
    }
}

#[test]
fn what_promises_more_than_is_there_is_damaged() {
    for (name, arguments) in [
        ("cut.wav", "-c:a pcm_s16le"),
        ("cut.m4a", "-c:a aac"),
        ("cut-faststart.m4a", "-c:a aac -movflags +faststart"),
        ("cut.flac", "-c:a flac"),
        ("cut-cbr.mp3", "-c:a libmp3lame -b:a 64k"),
        ("cut-vbr.mp3", "-c:a libmp3lame -q:a 5"),
        ("cut-opus.mp4", "-c:a libopus -strict -2"),
    ] {
        let whole = ffmpeg(arguments, name);
        assert!(processed(&whole).is_ok(), "{name}");
        for percent in [20, 50, 90, 99] {
            let cut = &whole[..whole.len() * percent / 100];
            assert_eq!(refusal(cut), Some(Refusal::Damaged), "{percent} % of {name}");
        }
    }
}

#[test]
fn a_stream_that_ends_early_is_kept_as_far_as_it_goes() {
    for (name, arguments) in [
        ("short.webm", "-c:a libopus -f webm -live 1 -cluster_time_limit 300 pipe:"),
        ("short.opus", "-c:a libopus -page_duration 100000"),
        ("short.ogg", "-c:a libvorbis -page_duration 100000"),
        ("short.aac", "-c:a aac -f adts"),
        ("short.mp3", "-c:a libmp3lame -write_xing 0 -id3v2_version 0"),
        ("short.mp4", "-c:a aac -movflags frag_keyframe+empty_moov+default_base_moof -frag_duration 300000"),
    ] {
        let whole = ffmpeg(arguments, name);
        let full = processed(&whole).unwrap_or_else(|refusal| panic!("{name}: {refusal}")).duration;
        for percent in [50, 65] {
            let cut = &whole[..whole.len() * percent / 100];
            let part = processed(cut).unwrap_or_else(|refusal| panic!("{percent} % of {name}: {refusal}"));
            assert!(
                part.duration < full.mul_f64(0.95) && part.duration > full / 4,
                "{name}: {:?} of {full:?}",
                part.duration
            );
        }
    }
}

#[test]
fn a_few_bad_packets_are_skipped_and_many_are_not() {
    for (name, arguments) in [
        ("bad.webm", "-c:a libopus -b:a 32k -f webm -live 1 pipe:"),
        ("bad.aac", "-c:a aac -f adts"),
        ("bad.mp3", "-c:a libmp3lame -write_xing 0 -id3v2_version 0"),
        ("bad.opus", "-c:a libopus -b:a 32k -page_duration 20000"),
    ] {
        let whole = ffmpeg(arguments, name);
        // Packet boundaries differ from run to run. Damage in the header of a packet may cut off everything after it,
        // which is an error; damage elsewhere, which is more common, is not.
        let scratched = |at: usize| {
            let mut scratched = whole.clone();
            scratched[at..at + 8].fill(0x55);
            processed(&scratched).is_ok()
        };
        let middle = whole.len() / 2;
        let heard = (0..10).filter(|number| scratched(middle + number * 9)).count();
        assert!(heard >= 5, "of ten scratches in {name} {heard} were passed over");
    }
    // Packets that are not Opus: the code announces any number of frames, and none follow.
    let mut webm = ffmpeg("-c:a libopus -b:a 32k -f webm -live 1 pipe:", "broken.webm");
    for at in (webm.len() / 3..webm.len()).rev() {
        // The packet follows the SimpleBlock's id, size, track, time and flags.
        if webm[at] == 0xa3 && webm.get(at + 2) == Some(&0x81) && webm.get(at + 5) == Some(&0x80) {
            webm[at + 6] = 0xff;
            webm[at + 7] = 0x00;
        }
    }
    assert_eq!(refusal(&webm), Some(Refusal::Damaged));
}

#[test]
fn too_long_too_short_too_large_and_silent() {
    let tone = |seconds: &str, more: &str, name: &str| {
        let file = path(name);
        shell(&format!("sox -n -r 16000 -b 16 {file} synth {seconds} sine 300 gain -10 {more}"));
        fs::read(&file).expect("the file that was just written")
    };
    let too_long = Some(Refusal::TooLong { longest: Duration::from_secs(30) });
    assert_eq!(refusal(&tone("30", "", "30.wav")), None);
    assert_eq!(refusal(&tone("30.5", "", "31.wav")), too_long);
    // The original length, not the trimmed one.
    assert_eq!(refusal(&tone("2", "pad 0 30", "padded.wav")), too_long);
    let too_short = Some(Refusal::TooShort { shortest: Duration::from_millis(300) });
    assert_eq!(refusal(&tone("0.2", "pad 1 1", "short.wav")), too_short);
    assert_eq!(refusal(&tone("0.4", "pad 1 1", "long-enough.wav")), None);
    for (name, effects) in [
        ("digital.wav", "synth 2 sine 300 vol 0"),
        ("hiss.wav", "synth 2 whitenoise gain -60"),
        ("rumble.wav", "synth 2 sine 15 gain -12"),
        ("offset.wav", "synth 2 sine 300 vol 0 dcshift 0.4"),
    ] {
        let file = path(&format!("silent-{name}"));
        shell(&format!("sox -n -r 48000 -b 16 {file} {effects}"));
        let bytes = fs::read(&file).expect("the file that was just written");
        assert_eq!(refusal(&bytes), Some(Refusal::Silent), "{name}");
    }
    let large = vec![0; (16 << 20) + 1];
    assert_eq!(refusal(&large), Some(Refusal::TooLarge { most: 16 << 20 }));
}

/// A few kilobytes that decode to hours, and headers that ask for huge allocations.
#[test]
fn bombs_do_not_go_off() {
    let too_long = Some(Refusal::TooLong { longest: Duration::from_secs(30) });
    for (name, arguments) in [
        ("hours.flac", "-f lavfi -i anullsrc=r=8000:cl=mono -map 1 -t 7200 -c:a flac"),
        (
            "minutes.opus",
            "-f lavfi -i anullsrc=r=8000:cl=mono -map 1 -t 600 -c:a libopus -b:a 6k -frame_duration 60 -compression_level 0",
        ),
        ("half-an-hour.mp3", "-f lavfi -i anullsrc=r=8000:cl=mono -map 1 -t 1800 -c:a libmp3lame -b:a 8k"),
    ] {
        let bytes = ffmpeg(arguments, name);
        assert!(bytes.len() < 4 << 20, "{name} is small: {}", bytes.len());
        assert_eq!(refusal(&bytes), too_long, "{name}");
    }
    let wav = fs::read(master()).expect("the master");
    let field = |at: usize, value: &[u8]| {
        let mut wav = wav.clone();
        wav[at..at + value.len()].copy_from_slice(value);
        wav
    };
    assert_eq!(refusal(&field(22, &u16::MAX.to_le_bytes())), Some(Refusal::Unusual), "65,535 channels");
    assert_eq!(refusal(&field(22, &[0, 0])), Some(Refusal::Unusual), "no channels");
    for rate in [0, 1, 4_000_000_000_u32] {
        assert_eq!(refusal(&field(24, &rate.to_le_bytes())), Some(Refusal::Unusual), "{rate} Hz");
    }
    assert!(refusal(&field(32, &[0, 0])).is_some(), "frames of no size");
    assert!(refusal(&field(34, &u16::MAX.to_le_bytes())).is_some(), "65,535 bits");
    assert_eq!(refusal(&wav[..44]), Some(Refusal::Damaged), "only a header");
}

#[test]
fn every_refusal_is_a_sentence_for_a_person() {
    for (refusal, says) in [
        (Refusal::NotSound, "not audio"),
        (Refusal::Damaged, "damaged"),
        (Refusal::Unusual, "sample rate"),
        (Refusal::TooLarge { most: 16 << 20 }, "larger than 16 MiB"),
        (Refusal::TooLong { longest: Duration::from_secs(30) }, "longer than 30 seconds"),
        (Refusal::TooShort { shortest: Duration::from_millis(300) }, "less than 0.3 seconds"),
        (Refusal::Silent, "silent"),
    ] {
        assert!(refusal.to_string().contains(says), "{refusal}");
    }
}
