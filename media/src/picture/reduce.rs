//! Averages pixels while they are read, so that a whole image is never in memory.
//!
//! Squares of `factor` × `factor` pixels become one. The result still has at least twice the target size, so that the
//! resampling that follows determines the sharpness; libvips works the same way.

use super::LARGE_SIDE;

/// The minimum length of the longer side of a reduced image, unless the image is smaller.
pub(super) const REDUCED_SIDE: u32 = 2 * LARGE_SIDE;

/// An image that is small enough to process, in the colors of the file.
pub(super) struct Reduced {
    /// The original size; needed for the proportions, since `size` is rounded.
    pub full_size: (u32, u32),
    pub size: (u32, u32),
    /// 1: gray, 3: RGB, 4: CMYK.
    pub channels: usize,
    pub samples: Vec<u8>,
}

/// A white canvas on which each pixel is drawn once, in any order.
pub(super) struct Reducer<const CHANNELS: usize> {
    full_size: (u32, u32),
    size: (u32, u32),
    factor: u32,
    /// The distance from white, summed over each square. Undrawn is zero, and untouched zero pages cost no memory.
    darkness: Vec<[u32; CHANNELS]>,
}

impl<const CHANNELS: usize> Reducer<CHANNELS> {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let factor = (width.max(height) / REDUCED_SIDE).max(1);
        let size = (width.div_ceil(factor), height.div_ceil(factor));
        let darkness = vec![[0; CHANNELS]; size.0 as usize * size.1 as usize];
        Self { full_size: (width, height), size, factor, darkness }
    }

    /// Draws pixels of row `y`, the first at column `x` and each further one `step` columns on, with their alpha (255
    /// is opaque). Pixels outside of the canvas are ignored.
    pub(super) fn draw(
        &mut self,
        (x, y): (u32, u32),
        step: u32,
        pixels: impl Iterator<Item = ([u8; CHANNELS], u8)>,
    ) {
        let (columns, factor) = (self.size.0 as usize, self.factor);
        let start = (y / factor) as usize * columns;
        let Some(row) = self.darkness.get_mut(start..start + columns) else { return };
        let (mut column, mut offset) = ((x / factor) as usize, x % factor);
        for (pixel, alpha) in pixels {
            let Some(square) = row.get_mut(column) else { return };
            for (sum, value) in square.iter_mut().zip(pixel) {
                let darkness = u32::from(255 - value);
                *sum += if alpha == 255 { darkness } else { (darkness * u32::from(alpha) + 127) / 255 };
            }
            offset += step;
            while offset >= factor {
                offset -= factor;
                column += 1;
            }
        }
    }

    pub(super) fn finish(self) -> Reduced {
        let (width, height) = self.full_size;
        let factor = self.factor;
        let mut samples = Vec::with_capacity(self.darkness.len() * CHANNELS);
        let mut squares = self.darkness.into_iter();
        for row in 0..self.size.1 {
            // The last row and column may represent fewer pixels.
            let rows = factor.min(height - row * factor);
            for (column, square) in (0..self.size.0).zip(&mut squares) {
                let count = rows * factor.min(width - column * factor);
                samples.extend(square.map(|sum| 255 - ((sum + count / 2) / count).min(255) as u8));
            }
        }
        Reduced { full_size: self.full_size, size: self.size, channels: CHANNELS, samples }
    }
}
