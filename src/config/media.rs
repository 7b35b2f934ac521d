//! Recordings and pictures.

use std::time::Duration;

use clap::{ArgAction, Args};
use endonym_media::{picture, sound};

use super::seconds;
use crate::app::studio;

/// Limits and processing of recordings and pictures.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Recordings and pictures")]
pub struct Media {
    /// Maximum length of an uploaded recording, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    recording_longest_seconds: Duration,
    /// Minimum length of a recording after trimming, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    recording_shortest_seconds: Duration,
    /// Maximum length of a take that is recorded in a browser, in seconds: 3 to 60, and at most the maximum length of a recording
    /// less one second
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(3..=60))]
    recording_limit_seconds: u64,
    /// Maximum size of a recording, in bytes
    #[arg(long, value_name = "BYTES")]
    recording_bytes: usize,
    /// Keep the uploaded originals: true or false
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    keep_originals: bool,
    /// Maximum size of a picture, in bytes
    #[arg(long, value_name = "BYTES")]
    picture_bytes: usize,
    /// Maximum size of a picture, in pixels
    #[arg(long, value_name = "N")]
    picture_pixels: u64,
    /// Threads that process recordings and pictures; 0 for one per core
    #[arg(long, value_name = "N")]
    media_workers: usize,
    /// Maximum length of the processing queue for recordings and pictures
    #[arg(long, value_name = "N")]
    media_queue: usize,
}

impl Media {
    pub fn settings(&self) -> studio::Settings {
        studio::Settings {
            workers: self.media_workers,
            queue: self.media_queue,
            sound: sound::Limits {
                bytes: self.recording_bytes,
                longest: self.recording_longest_seconds,
                shortest: self.recording_shortest_seconds,
            },
            picture: picture::Limits { bytes: self.picture_bytes, pixels: self.picture_pixels },
            keep_originals: self.keep_originals,
            take: Duration::from_secs(self.recording_limit_seconds),
        }
    }
}
