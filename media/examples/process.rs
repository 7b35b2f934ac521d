//! One recording through the whole chain, and how long it takes:
//! `cargo run --release -p endonym-media --example process -- in.webm out.mp3 --repeat 100`

use endonym_media::sound::{Limits, process};
use std::{env, error::Error, fs, hint::black_box, time::Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (input, output, repeat) = match &arguments[..] {
        [input, output] => (input, output, 1),
        [input, output, flag, times] if flag == "--repeat" => (input, output, times.parse()?),
        _ => return Err("usage: process INPUT OUTPUT.mp3 [--repeat TIMES]".into()),
    };
    let bytes = fs::read(input)?;
    let sound = process(&bytes, &Limits::default())?;
    fs::write(output, &sound.mp3)?;

    #[allow(clippy::disallowed_methods, reason = "time that passes is what is measured here")]
    let start = Instant::now();
    for _ in 0_u32..repeat {
        black_box(process(black_box(&bytes), &Limits::default())?);
    }
    let each = start.elapsed().as_secs_f64() * 1000.0 / f64::from(repeat);
    println!(
        "{:.3} s, {} bytes, {each:.2} ms for each of {repeat}",
        sound.duration.as_secs_f64(),
        sound.mp3.len()
    );
    Ok(())
}
