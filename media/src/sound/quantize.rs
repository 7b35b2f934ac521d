//! Quantization in an MP3 encoder: how coarsely to quantize the frequency lines of a granule so that they fit, and
//! with which Huffman tables (ISO 11172-3, annex C.1.5.4).
//!
//! The encoder crate has its own, but considers only two of the thirty tables and takes three times as long.

use super::filterbank::GRANULE;
use shine_rs::{
    huffman::SHINE_HUFFMAN_TABLE,
    tables::SHINE_SCALE_FACT_BAND_INDEX,
    types::{GrInfo, ShineGlobalConfig},
};
use std::sync::LazyLock;

/// A coded granule.
struct Coded {
    bits: u32,
    big_values: usize,
    count1: usize,
    count1_table: u32,
    regions: [u32; 2],
    tables: [u32; 3],
}

/// Quantizes both granules of a frame, so that they fill it.
pub fn quantize(shine: &mut ShineGlobalConfig, lines: &[[f32; GRANULE]; 2]) {
    let bands = &SHINE_SCALE_FACT_BAND_INDEX[shine.mpeg.samplerate_index as usize];
    let room = (shine.mpeg.bits_per_frame - shine.sideinfo_len).max(0) as u32;
    let [first, second] = lines.each_ref().map(demand);
    let share = (first / (first + second).max(1.0)).clamp(0.2, 0.8);

    let mut left = room;
    let mut used = [0; 2];
    for (granule, lines) in lines.iter().enumerate() {
        // The second granule may use what the first one leaves.
        let budget = if granule == 0 { (room as f32 * share) as u32 } else { left };
        let (step, coded) = fit(lines, &mut shine.l3_enc[0][granule], budget.min(4_095), bands);
        left -= coded.bits;
        used[granule] = coded.bits;
        let info = &mut shine.side_info.gr[granule].ch[0].tt;
        *info = GrInfo {
            part2_3_length: coded.bits,
            big_values: coded.big_values as u32,
            count1: coded.count1 as u32,
            count1table_select: coded.count1_table,
            global_gain: (step + 210) as u32,
            table_select: coded.tables,
            region0_count: coded.regions[0],
            region1_count: coded.regions[1],
            ..GrInfo::default()
        };
    }
    // Fills the frame: remaining bits become stuffing, for which the tables have a code without meaning.
    for (granule, used) in used.iter().enumerate() {
        let stuffing = left.min(4_095 - used);
        shine.side_info.gr[granule].ch[0].tt.part2_3_length += stuffing;
        left -= stuffing;
    }
    shine.side_info.resv_drain = left as i32;
}

/// The approximate number of bits needed for transparent quality.
fn demand(lines: &[f32; GRANULE]) -> f32 {
    const INAUDIBLE: f32 = 1.0 / 8192.0;
    // The exponent of a float approximates its logarithm.
    let logarithm = |line: &f32| ((1.0 + line.abs() / INAUDIBLE).to_bits() >> 23) - 127;
    lines.iter().map(logarithm).sum::<u32>() as f32
}

/// The finest step size at which the granule fits the budget, and the quantized granule.
fn fit(lines: &[f32; GRANULE], values: &mut [i32; GRANULE], budget: u32, bands: &[i32; 23]) -> (i32, Coded) {
    // The standard's step sizes: a quarter of an octave each; this is the finest.
    let (mut fine, mut coarse) = (-120_i32, 40_i32);
    let powers: [f32; GRANULE] = std::array::from_fn(|i| {
        let root = lines[i].abs().sqrt();
        root * root.sqrt()
    });
    let highest = powers.iter().fold(0.0_f32, |a, b| a.max(*b));
    while fine < coarse {
        let step = (fine + coarse).div_euclid(2);
        let fits = highest * scale(step) < MAX_VALUE as f32 && {
            quantize_values(&powers, step, values);
            code(values, bands).bits <= budget
        };
        if fits {
            coarse = step;
        } else {
            fine = step + 1;
        }
    }
    quantize_values(&powers, coarse, values);
    let coded = code(values, bands);
    for (value, line) in values.iter_mut().zip(lines) {
        if *line < 0.0 {
            *value = -*value;
        }
    }
    (coarse, coded)
}

/// The highest value that the tables can encode.
const MAX_VALUE: i32 = 15 + 8191;

fn quantize_values(powers: &[f32; GRANULE], step: i32, values: &mut [i32; GRANULE]) {
    let scale = scale(step);
    for (value, power) in values.iter_mut().zip(powers) {
        *value = round(power * scale);
    }
}

/// Rounds to nearest with a bias downward, because small values are more frequent than large ones.
///
/// Floats near 2^23 have no fractional bits, so adding it rounds. A cast would do the same but take five times as
/// long, because it checks for overflow; nothing here exceeds `MAX_VALUE`.
fn round(value: f32) -> i32 {
    const INTEGERS_ONLY: f32 = (1 << 23) as f32;
    (value - 0.0946 + INTEGERS_ONLY).to_bits() as i32 - INTEGERS_ONLY.to_bits() as i32
}

fn scale(step: i32) -> f32 {
    (-0.1875 * step as f32).exp2()
}

/// Alternative tables for values up to `highest`.
struct Choice {
    highest: i32,
    width: usize,
    numbers: [u32; 3],
    /// For each pair of values the bit lengths in all tables, signs included, packed 20 bits apart: one addition sums
    /// up to three tables.
    lengths: Vec<u64>,
}

static CHOICES: LazyLock<Vec<Choice>> = LazyLock::new(|| {
    let tables = [[1, 1, 1], [2, 3, 3], [5, 6, 6], [7, 8, 9], [10, 11, 12], [13, 15, 15], [16, 24, 24]];
    tables
        .into_iter()
        .zip([1, 2, 3, 5, 7, 15, MAX_VALUE])
        .map(|(numbers, highest)| Choice::new(numbers, highest))
        .collect()
});

/// The two tables for quadruples of 0 and 1, signs included.
static COUNT1: LazyLock<[[u32; 16]; 2]> = LazyLock::new(|| {
    [32, 33].map(|table: usize| {
        let lengths = SHINE_HUFFMAN_TABLE[table].hlen.unwrap_or(&[]);
        std::array::from_fn(|i| lengths.get(i).map_or(0, |l| u32::from(*l)) + i.count_ones())
    })
});

impl Choice {
    fn new(numbers: [u32; 3], highest: i32) -> Self {
        let table = |number: u32| &SHINE_HUFFMAN_TABLE[number as usize];
        let width = table(numbers[0]).ylen as usize;
        let length = |number: u32, x: usize, y: usize| {
            let written = table(number).hlen.and_then(|l| l.get(x * width + y)).map_or(0, |l| u64::from(*l));
            written + u64::from(x > 0) + u64::from(y > 0)
        };
        let lengths = (0..width * width)
            .map(|i| (0..3).map(|t| length(numbers[t], i / width, i % width) << (20 * t)).sum())
            .collect();
        Self { highest, width, numbers, lengths }
    }
}

/// The best table for these values, and the number of bits.
fn best_table(values: &[i32]) -> (u32, u32) {
    let highest = values.iter().fold(0, |a, b| a.max(*b));
    if highest == 0 {
        return (0, 0);
    }
    let Some(choice) = CHOICES.iter().find(|c| highest <= c.highest) else { return (0, u32::MAX / 4) };
    let (pairs, _) = values.as_chunks::<2>();
    if highest <= 15 {
        let sums: u64 =
            pairs.iter().map(|[x, y]| choice.lengths[*x as usize * choice.width + *y as usize]).sum();
        let of = |table: usize| (choice.numbers[table], (sums >> (20 * table)) as u32 & 0xf_ffff);
        return [of(1), of(2)]
            .into_iter()
            .fold(of(0), |best, other| if other.1 < best.1 { other } else { best });
    }
    // Values above 15 are escaped, with as many extra bits as the table defines.
    let (mut sums, mut escapes) = (0, 0);
    for [x, y] in pairs {
        sums += choice.lengths[*x.min(&15) as usize * choice.width + *y.min(&15) as usize];
        escapes += u32::from(*x >= 15) + u32::from(*y >= 15);
    }
    let of = |first: u32, last: u32, sum: u64| {
        let fits = |n: &u32| SHINE_HUFFMAN_TABLE[*n as usize].linmax as i32 + 15 >= highest;
        let number = (first..=last).find(fits).unwrap_or(last);
        (number, (sum & 0xf_ffff) as u32 + escapes * SHINE_HUFFMAN_TABLE[number as usize].linbits)
    };
    let (one, other) = (of(16, 23, sums), of(24, 31, sums >> 20));
    if other.1 < one.1 { other } else { one }
}

/// How to code the absolute values best: low lines in pairs, with a table for each of three regions; then quadruples
/// of 0 and 1; the zeros at the top are omitted.
fn code(values: &[i32; GRANULE], bands: &[i32; 23]) -> Coded {
    let end = values.iter().rposition(|v| *v != 0).map_or(0, |last| (last + 2) & !1);
    let mut low = end;
    let mut fours = [0_u32; 2];
    while low >= 4 && values[low - 4..low].iter().all(|v| *v <= 1) {
        low -= 4;
        let four = (0..4).fold(0, |four, i| four | (values[low + i] as usize) << i);
        fours[0] += COUNT1[0][four];
        fours[1] += COUNT1[1][four];
    }
    let count1_table = usize::from(fours[1] < fours[0]);

    // Regions start at scale factor bands. About a third of the bands each works well.
    let covered = bands.iter().position(|b| *b as usize >= low).unwrap_or(22);
    let first = (covered / 3).clamp(1, 16);
    let second = covered.div_ceil(3).clamp(1, 8);
    let begins = [0, bands[first] as usize, bands[first + second] as usize, low].map(|b| b.min(low));
    let coded: [(u32, u32); 3] = std::array::from_fn(|i| best_table(&values[begins[i]..begins[i + 1]]));
    Coded {
        bits: fours[count1_table] + coded.iter().map(|(_, bits)| bits).sum::<u32>(),
        big_values: low / 2,
        count1: (end - low) / 4,
        count1_table: count1_table as u32,
        regions: [first as u32 - 1, second as u32 - 1],
        tables: coded.map(|(table, _)| table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bands() -> &'static [i32; 23] {
        &SHINE_SCALE_FACT_BAND_INDEX[1]
    }

    #[test]
    fn the_finest_step_that_fits_is_taken() {
        let lines: [f32; GRANULE] = std::array::from_fn(|i| (i as f32 * 0.7).sin() / (10.0 + i as f32));
        let mut last = i32::MAX;
        for budget in [0, 100, 500, 1_000, 2_000, 4_000] {
            let mut values = [0; GRANULE];
            let (step, coded) = fit(&lines, &mut values, budget, bands());
            assert!(coded.bits <= budget);
            assert!(step < last, "more room, finer steps");
            last = step;
            let mut finer = [0; GRANULE];
            let powers = lines.map(|l| l.abs().powf(0.75));
            quantize_values(&powers, step - 1, &mut finer);
            assert!(code(&finer, bands()).bits > budget);
            assert!(values.iter().zip(&lines).all(|(v, l)| *v == 0 || (*v < 0) == (*l < 0.0)));
        }
    }

    #[test]
    fn silence_takes_no_bits_and_the_loudest_fits() {
        let mut values = [0; GRANULE];
        assert_eq!(fit(&[0.0; GRANULE], &mut values, 1_000, bands()).1.bits, 0);
        let (_, coded) = fit(&[8.0; GRANULE], &mut values, 1_000, bands());
        assert!(coded.bits <= 1_000);
        assert!(values.iter().all(|v| v.abs() <= MAX_VALUE));
    }

    #[test]
    fn counts_as_the_encoder_writes() {
        for (values, table, bits) in [
            ([1, 0, 0, 1], 1, 2 + 3 + 2),
            ([2, 0, 0, 0], 3, 0),
            ([16, 0, 0, 0], 16, 0),
            ([8_206, 0, 0, 0], 23, 0),
        ] {
            let (best, counted) = best_table(&values);
            let theirs = shine_rs::quantization::count_bit(&pad(&values), 0, 4, best) as u32;
            assert_eq!(counted, theirs, "{values:?} in {best}");
            if bits > 0 {
                assert_eq!((best, counted), (table, bits));
            }
        }
    }

    fn pad(values: &[i32]) -> Vec<i32> {
        let mut padded = values.to_vec();
        padded.resize(GRANULE, 0);
        padded
    }
}
