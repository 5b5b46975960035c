//! 16-bit floats: branch-free conversion of slices to and from f32, rounding half to even.

use super::isa::{Isa, for_each_isa};
use half::{bf16, f16};

/// A 16-bit float that computes through f32.
pub(super) trait Half: Copy + Default + Send + Sync + 'static {
    fn to_f32(self) -> f32;
    fn of_f32(x: f32) -> Self;
}

impl Half for bf16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        f32::from_bits((self.to_bits() as u32) << 16)
    }

    #[inline(always)]
    fn of_f32(x: f32) -> bf16 {
        let bits = x.to_bits();
        let even = (bits >> 16) & 1;
        let rounded = bits.wrapping_add(0x7fff + even) >> 16;
        // A NaN stays NaN: its payload must not round to zero or carry into the sign.
        let quiet = (bits >> 16) | 0x40;
        bf16::from_bits(if x.is_nan() { quiet } else { rounded } as u16)
    }
}

impl Half for f16 {
    #[inline(always)]
    fn to_f32(self) -> f32 {
        let bits = self.to_bits() as u32;
        let sign = (bits & 0x8000) << 16;
        let magnitude = bits & 0x7fff;
        // A denormal's bits are the last ones of a number between 2^-14 and 2^-13.
        let least = f32::from_bits(113 << 23);
        let denormal = f32::from_bits((113 << 23) | (magnitude << 13)) - least;
        let normal = f32::from_bits((magnitude << 13) + (112 << 23));
        let finite = if magnitude < 0x400 { denormal } else { normal };
        let special = f32::from_bits((magnitude << 13) | 0x7f80_0000 | if magnitude > 0x7c00 { 0x40_0000 } else { 0 });
        let value = if magnitude >= 0x7c00 { special } else { finite };
        f32::from_bits(value.to_bits() | sign)
    }

    #[inline(always)]
    fn of_f32(x: f32) -> f16 {
        let bits = x.to_bits();
        let sign = (bits >> 16) & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        // Normal results: move the bias, round to nearest even by an integer addition that carries upwards.
        let odd = (magnitude >> 13) & 1;
        let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
        // Denormal results: adding 1/2 puts the last place of the result at the last place of the sum.
        let denormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
        let value = if magnitude < 113 << 23 { denormal } else { normal };
        let value = if value > 0x7c00 { 0x7c00 } else { value };
        let value = if magnitude >= 0x4780_0000 { 0x7c00 } else { value };
        let quiet = 0x7e00 | ((magnitude >> 13) & 0x1ff);
        let value = if magnitude > 0x7f80_0000 { quiet } else { value };
        f16::from_bits((value | sign) as u16)
    }
}

#[inline(always)]
fn widen_loop<H: Half>(x: &[H], out: &mut [f32]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = v.to_f32();
    }
}

#[inline(always)]
fn narrow_loop<H: Half>(x: &[f32], out: &mut [H]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = H::of_f32(*v);
    }
}

for_each_isa!(pick_widen = widen_loop<H: Half>(x: &[H], out: &mut [f32]));
for_each_isa!(pick_narrow = narrow_loop<H: Half>(x: &[f32], out: &mut [H]));

/// Converts each element to f32, exactly.
pub(super) fn widen<H: Half>(isa: Isa, x: &[H], out: &mut [f32]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_widen::<H>(isa)(x, out) }
}

/// Rounds each element to nearest, half to even.
pub(super) fn narrow<H: Half>(isa: Isa, x: &[f32], out: &mut [H]) {
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_narrow::<H>(isa)(x, out) }
}
