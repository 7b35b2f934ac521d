//! Decodes a file to samples, packet by packet, and decides whether it is damaged.

use super::{
    Mono, Refusal,
    container::{Container, DeclaredLength, Kind, usable},
    opus::{self, Opus},
};
use std::{io, time::Duration};
use symphonia::{
    core::{
        codecs::audio::{AudioDecoder, AudioDecoderOptions, well_known::CODEC_ID_OPUS},
        errors::Error,
        formats::{FormatOptions, FormatReader, Track},
        io::MediaSourceStream,
        packet::Packet,
    },
    default::formats::{AdtsReader, FlacReader, IsoMp4Reader, MkvReader, MpaReader, OggReader, WavReader},
};

/// Lossy codecs add a little to a recording of exactly the maximum length.
const GRACE: Duration = Duration::from_millis(100);

/// No acceptable file can have more bad packets: a tenth of the longest recording in the shortest packets (2.5 ms).
const MAX_BAD_PACKETS: u64 = 1_500;

/// Mixes down to mono on the fly.
struct Mixer {
    rate: u32,
    mixed: Vec<f32>,
    /// The first channel, in case the mix cancels out.
    first: Vec<f32>,
    most: usize,
    longest: Duration,
    channels: Vec<Vec<f32>>,
}

pub fn decode(bytes: &[u8], longest: Duration) -> Result<Mono, Refusal> {
    let container = Container::detect(bytes)?;
    let mut reader = open(&container)?;
    let (track, mut decoder) = choose(&*reader)?;
    let mut mixer = Mixer::new(longest);
    let mut tally = Tally::default();

    loop {
        let packet = match reader.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) | Err(Error::ResetRequired) => break,
            // The end of a stream without an announced length.
            Err(Error::IoError(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                tally.ended_early = true;
                break;
            }
            Err(_) => {
                tally.broken = true;
                break;
            }
        };
        tally.read(&packet, &container)?;
        if packet.track_id != track {
            continue;
        }
        let decoded = decoder.decode(&packet, &mut mixer)?;
        tally.decoded(decoded.then(|| packet.pts.get().saturating_add_unsigned(packet.dur.get())))?;
    }
    tally.judge(&container)?;
    mixer.finish(tally.bad > 0)
}

fn open<'a>(container: &'a Container<'_>) -> Result<Box<dyn FormatReader + 'a>, Refusal> {
    let source = MediaSourceStream::new(Box::new(io::Cursor::new(&container.bytes[..])), Default::default());
    let options = FormatOptions::default();
    let opened: Result<Box<dyn FormatReader + 'a>, Error> = match container.kind {
        Kind::Wav => WavReader::try_new(source, options).map(|r| Box::new(r) as _),
        Kind::Flac => FlacReader::try_new(source, options).map(|r| Box::new(r) as _),
        Kind::Ogg => OggReader::try_new(source, options).map(|r| Box::new(r) as _),
        Kind::Matroska => MkvReader::try_new(source, options).map(|r| Box::new(r) as _),
        Kind::Mp4 => IsoMp4Reader::try_new(source, options).map(|r| Box::new(r) as _),
        Kind::Mpeg => MpaReader::try_new(source, options).map(|r| Box::new(r) as _),
        Kind::Adts => AdtsReader::try_new(source, options).map(|r| Box::new(r) as _),
    };
    opened.map_err(|error| match error {
        Error::Unsupported(_) => Refusal::NotSound,
        _ => Refusal::Damaged,
    })
}

enum Decoder {
    Opus(Box<Opus>),
    Other(Box<dyn AudioDecoder>),
}

/// The first track that has a decoder.
fn choose(reader: &dyn FormatReader) -> Result<(u32, Decoder), Refusal> {
    let decoders = reader.tracks().iter().filter_map(|track| Some((track.id, Decoder::new(track)?)));
    let (track, decoder) = decoders.into_iter().next().ok_or(Refusal::NotSound)?;
    Ok((track, decoder?))
}

impl Decoder {
    fn new(track: &Track) -> Option<Result<Self, Refusal>> {
        let parameters = track.codec_params.as_ref()?.audio()?;
        if parameters.codec == CODEC_ID_OPUS {
            return Some(Opus::new(parameters.extra_data.as_deref()).map(|opus| Self::Opus(Box::new(opus))));
        }
        let channels = parameters.channels.as_ref().map_or(1, |c| c.count());
        if let Err(refusal) = usable(parameters.sample_rate.unwrap_or(opus::RATE).into(), channels) {
            return Some(Err(refusal));
        }
        match symphonia::default::get_codecs().make_audio_decoder(parameters, &AudioDecoderOptions::default())
        {
            Ok(decoder) => Some(Ok(Self::Other(decoder))),
            Err(Error::Unsupported(_)) => None,
            Err(_) => Some(Err(Refusal::Damaged)),
        }
    }

    /// Returns whether the packet could be decoded.
    fn decode(&mut self, packet: &Packet, mixer: &mut Mixer) -> Result<bool, Refusal> {
        match self {
            Self::Opus(opus) => {
                let channels = opus.channels();
                let Some(samples) = opus.decode(&packet.data) else { return Ok(false) };
                mixer.channels.resize(channels, Vec::new());
                for (channel, kept) in mixer.channels.iter_mut().enumerate() {
                    kept.clear();
                    kept.extend(samples.iter().skip(channel).step_by(channels));
                }
                mixer.mix(opus::RATE)
            }
            Self::Other(decoder) => {
                let Ok(decoded) = decoder.decode(packet) else { return Ok(false) };
                let rate = decoded.spec().rate();
                usable(rate.into(), decoded.num_planes())?;
                decoded.copy_to_vecs_planar(&mut mixer.channels);
                mixer.mix(rate)
            }
        }
    }
}

impl Mixer {
    fn new(longest: Duration) -> Self {
        Self { rate: 0, mixed: Vec::new(), first: Vec::new(), most: 0, longest, channels: Vec::new() }
    }

    /// Mixes the contents of `channels`; returns whether the format still matches.
    fn mix(&mut self, rate: u32) -> Result<bool, Refusal> {
        if self.rate == 0 {
            self.rate = rate;
            self.most = (self.longest.saturating_add(GRACE).as_secs_f64() * f64::from(rate)) as usize;
        }
        let Some(first) = self.channels.first().filter(|_| rate == self.rate) else { return Ok(false) };
        let begin = self.mixed.len();
        if first.len() > self.most.saturating_sub(begin) {
            return Err(Refusal::TooLong { longest: self.longest });
        }
        // Floating-point files may contain any value.
        let tame = |sample: f32| if sample.is_finite() { sample.clamp(-8.0, 8.0) } else { 0.0 };
        self.mixed.extend(first.iter().copied().map(tame));
        if self.channels.len() > 1 {
            self.first.extend_from_slice(&self.mixed[begin..]);
            for channel in &self.channels[1..] {
                for (mixed, sample) in self.mixed[begin..].iter_mut().zip(channel) {
                    *mixed += tame(*sample);
                }
            }
            let part = 1.0 / self.channels.len() as f32;
            self.mixed[begin..].iter_mut().for_each(|m| *m *= part);
        }
        Ok(true)
    }

    fn finish(self, something_was_bad: bool) -> Result<Mono, Refusal> {
        if self.mixed.is_empty() && something_was_bad {
            return Err(Refusal::Damaged);
        }
        // Inverted polarity: left and right cancel out.
        let power = |samples: &[f32]| samples.iter().map(|s| f64::from(s * s)).sum::<f64>();
        let cancels_out =
            self.first.len() == self.mixed.len() && power(&self.mixed) < 0.02 * power(&self.first);
        let samples = if cancels_out { self.first } else { self.mixed };
        Ok(Mono { rate: self.rate.max(1), samples })
    }
}

/// Statistics of the packets.
#[derive(Default)]
struct Tally {
    packets: u64,
    bytes: u64,
    good: u64,
    bad: u64,
    /// Where the last decodable packet ended.
    end: i64,
    ended_early: bool,
    broken: bool,
}

impl Tally {
    fn read(&mut self, packet: &Packet, container: &Container<'_>) -> Result<(), Refusal> {
        self.packets += 1;
        self.bytes += packet.data.len() as u64;
        // An index can reference the same bytes repeatedly.
        let endless = self.bytes > 2 * container.bytes.len() as u64 + 65_536 || self.packets > 1_000_000;
        if endless { Err(Refusal::Damaged) } else { Ok(()) }
    }

    fn decoded(&mut self, end: Option<i64>) -> Result<(), Refusal> {
        match end {
            Some(end) => {
                self.good += 1;
                self.end = self.end.max(end);
            }
            None => self.bad += 1,
        }
        if self.bad > MAX_BAD_PACKETS { Err(Refusal::Damaged) } else { Ok(()) }
    }

    /// A file is damaged if it is shorter than announced, or if more than a tenth of it cannot be decoded.
    fn judge(&self, container: &Container<'_>) -> Result<(), Refusal> {
        let kept = match container.promise {
            DeclaredLength::Nothing => true,
            DeclaredLength::Packets(packets) => self.good + self.bad >= packets,
            DeclaredLength::Samples(samples) => self.end >= samples as i64,
            DeclaredLength::EveryPacket => !self.ended_early && !self.broken,
        };
        let undecodable = self.bad > (self.good + self.bad).div_ceil(10);
        // The container is unreadable from some point on; near the end that counts as the end.
        let unreadable = self.broken && self.bytes < container.bytes.len() as u64 / 10 * 9;
        if !kept || undecodable || unreadable { Err(Refusal::Damaged) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Channels given as functions of time, mixed at 1 kHz.
    fn mixed(channels: &[fn(f32) -> f32]) -> Vec<f32> {
        let mut mixer = Mixer::new(Duration::from_secs(2));
        mixer.channels = channels.iter().map(|c| (0..1000).map(|i| c(i as f32 * 0.1)).collect()).collect();
        assert_eq!(mixer.mix(1000), Ok(true));
        mixer.finish(false).expect("samples").samples
    }

    #[test]
    fn channels_are_averaged_unless_they_cancel() {
        assert_eq!(mixed(&[|_| 0.5, |_| 0.3])[7], 0.4);
        assert_eq!(mixed(&[f32::sin, |_| 0.0])[7], 0.7_f32.sin() / 2.0);
        assert_eq!(mixed(&[f32::sin, |t| -t.sin()])[7], 0.7_f32.sin());
        assert_eq!(mixed(&[|_| f32::NAN, |_| 0.5])[7], 0.25);
    }

    #[test]
    fn stops_as_soon_as_it_is_too_long() {
        let mut mixer = Mixer::new(Duration::from_secs(1));
        mixer.channels = vec![vec![0.0; 1000]];
        assert_eq!(mixer.mix(1000), Ok(true));
        assert_eq!(mixer.mix(44_100), Ok(false), "another rate in the middle");
        assert_eq!(mixer.mix(1000), Err(Refusal::TooLong { longest: Duration::from_secs(1) }));
    }

    #[test]
    fn damaged_is_more_than_a_tenth_or_less_than_promised() {
        let verdict = |good, bad, promise| {
            let container = Container { kind: Kind::Ogg, bytes: [0; 1000].as_slice().into(), promise };
            Tally { good, bad, end: 500, ..Tally::default() }.judge(&container).is_ok()
        };
        assert!(verdict(90, 10, DeclaredLength::Nothing));
        assert!(!verdict(89, 11, DeclaredLength::Nothing));
        assert!(verdict(5, 1, DeclaredLength::Nothing), "the one at the end, of a short one");
        assert!(verdict(90, 10, DeclaredLength::Packets(100)));
        assert!(!verdict(90, 9, DeclaredLength::Packets(100)));
        assert!(verdict(90, 0, DeclaredLength::Samples(500)));
        assert!(!verdict(90, 0, DeclaredLength::Samples(501)));
    }

    #[test]
    fn an_unreadable_rest_is_damage_unless_it_is_short() {
        let verdict = |bytes| {
            let container = Container {
                kind: Kind::Mp4,
                bytes: [0; 1000].as_slice().into(),
                promise: DeclaredLength::Nothing,
            };
            Tally { good: 50, bytes, broken: true, ..Tally::default() }.judge(&container).is_ok()
        };
        assert!(verdict(950));
        assert!(!verdict(500));
    }
}
