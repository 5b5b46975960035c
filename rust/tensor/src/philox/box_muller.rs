//! Logarithm, sine and cosine of float32 with the bits that TensorFlow's normals have on Linux.
//!
//! TensorFlow calls these functions in the C library. glibc has them from ARM's optimized routines (`logf`, `sinf`,
//! `cosf`, 2017 and 2018). Tables and polynomials here are the same. Products and sums are fused as in glibc on a CPU with
//! FMA instructions.

/// By the four highest bits of the fraction: the inverse of a number in its interval, and that number's logarithm.
const LOGARITHMS: [(f64, f64); 16] = [
    (hex(0x3FF6_61EC_79F8_F3BE), hex(0xBFD5_7BF7_808C_AADE)),
    (hex(0x3FF5_71ED_4AAF_883D), hex(0xBFD2_BEF0_A7C0_6DDB)),
    (hex(0x3FF4_9539_F0F0_10B0), hex(0xBFD0_1EAE_7F51_3A67)),
    (hex(0x3FF3_C995_B0B8_0385), hex(0xBFCB_31D8_A682_24E9)),
    (hex(0x3FF3_0D19_0C88_64A5), hex(0xBFC6_574F_0AC0_7758)),
    (hex(0x3FF2_5E22_7B0B_8EA0), hex(0xBFC1_AA2B_C79C_8100)),
    (hex(0x3FF1_BB4A_4A1A_343F), hex(0xBFBA_4E76_CE8C_0E5E)),
    (hex(0x3FF1_2358_F08A_E5BA), hex(0xBFB1_973C_5A61_1CCC)),
    (hex(0x3FF0_953F_4199_00A7), hex(0xBFA2_52F4_38E1_0C1E)),
    (1.0, 0.0),
    (hex(0x3FEE_608C_FD9A_47AC), hex(0x3FAA_A5AA_5DF2_5984)),
    (hex(0x3FEC_A4B3_1F02_6AA0), hex(0x3FBC_5E53_AA36_2EB4)),
    (hex(0x3FEB_2036_576A_FCE6), hex(0x3FC5_26E5_7720_DB08)),
    (hex(0x3FE9_C2D1_63A1_AA2D), hex(0x3FCB_C286_0D22_4770)),
    (hex(0x3FE8_86E6_0378_41ED), hex(0x3FD1_058B_C8A0_7EE1)),
    (hex(0x3FE7_67DC_F553_4862), hex(0x3FD4_0430_57B6_EE09)),
];
const LOGARITHM: [f64; 3] = [hex(0xBFD0_0EA3_48B8_8334), hex(0x3FD5_575B_0BE0_0B6A), hex(0xBFDF_FFFE_F20A_4123)];
/// Bits of the least fraction; fractions go up to twice this number.
const FIRST: u32 = 0x3F33_0000;

const COSINE: [f64; 4] =
    [hex(0xBFDF_FFFF_FD0C_621C), hex(0x3FA5_5553_E106_8F19), hex(0xBF56_C087_E89A_359D), hex(0x3EF9_9343_027B_F8C3)];
const SINE: [f64; 3] = [hex(0xBFC5_5554_5995_A603), hex(0x3F81_1076_0523_0BC4), hex(0xBF29_94EB_3774_CF24)];

const fn hex(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Returns the natural logarithm of a normal number above 0.
#[inline(always)]
pub(super) fn log(x: f32) -> f32 {
    let offset = x.to_bits().wrapping_sub(FIRST);
    let (inverse, logarithm) = LOGARITHMS[(offset >> 19) as usize % 16];
    let exponent = (offset as i32) >> 23;
    let fraction = f64::from(f32::from_bits(x.to_bits().wrapping_sub(offset & 0xFF80_0000)));
    let r = fraction.mul_add(inverse, -1.0);
    let whole = f64::from(exponent).mul_add(std::f64::consts::LN_2, logarithm);
    let square = r * r;
    let y = LOGARITHM[0].mul_add(square, LOGARITHM[1].mul_add(r, LOGARITHM[2]));
    y.mul_add(square, whole + r) as f32
}

/// Returns sine and cosine of an angle from 0 to 120 radians.
#[inline(always)]
pub(super) fn sin_cos(angle: f32) -> (f32, f32) {
    let x = f64::from(angle);
    // Quarter turns in units of 2^-24, rounded.
    let quarters = ((x * (std::f64::consts::FRAC_2_PI * 16_777_216.0)) as i32 + 0x80_0000) >> 24;
    let quarters = if angle < std::f32::consts::FRAC_PI_4 { 0 } else { quarters };
    let r = f64::from(-quarters).mul_add(std::f64::consts::FRAC_PI_2, x);
    let square = r * r;
    let sine = {
        let cube = r * square;
        let low = square.mul_add(SINE[2], SINE[1]);
        (cube * square).mul_add(low, cube.mul_add(SINE[0], r))
    };
    let cosine = {
        let fourth = square * square;
        let low = square.mul_add(COSINE[3], COSINE[2]);
        let high = square.mul_add(COSINE[0], 1.0);
        (fourth * square).mul_add(low, fourth.mul_add(COSINE[1], high))
    };
    let (sine, cosine) = (sine as f32, cosine as f32);
    match quarters % 4 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philox::convert::unit_f32;

    /// Returns a digest (FNV-1a over words) of the bits of `f` of each float32 that a random word gives.
    fn digest(f: impl Fn(f32) -> f32) -> u64 {
        (0..1 << 23).fold(0xCBF2_9CE4_8422_2325, |hash, word| {
            (hash ^ u64::from(f(unit_f32(word)).to_bits())).wrapping_mul(0x100_0000_01B3)
        })
    }

    fn angle(unit: f32) -> f32 {
        (2.0 * std::f64::consts::PI * f64::from(unit)) as f32
    }

    /// Compares with digests of `logf`, `sinf` and `cosf` of glibc 2.36 on a CPU with AVX2.
    #[test]
    fn every_value_has_the_bits_of_glibc() {
        assert_eq!(digest(|u| log(u.max(1.0e-7))), 0xD57A_DE71_EDBD_00B5);
        assert_eq!(digest(|u| sin_cos(angle(u)).0), 0x8708_703A_0566_2A4A);
        assert_eq!(digest(|u| sin_cos(angle(u)).1), 0x209F_774B_9FA3_A2B9);
    }
}
