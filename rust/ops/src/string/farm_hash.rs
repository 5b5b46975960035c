//! FarmHash's fingerprints of 64 and 128 bits, which are the same on every machine and for ever.
//!
//! Source: Geoff Pike, FarmHash (MIT licence): `farmhashna::Hash64` and `farmhashcc::CityHash128`, of which the fingerprints
//! are other names.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
/// The multiplier by which two numbers become one in the fingerprint of 128 bits.
const PAIR: u64 = 0x9ddf_ea08_eb38_2d69;
/// The length from which on the fingerprint of 128 bits reads blocks.
const LONG: usize = 128;

fn word(s: &[u8], at: usize) -> u64 {
    s[at..at + 8].iter().rev().fold(0, |w, &b| w << 8 | u64::from(b))
}

fn half(s: &[u8], at: usize) -> u64 {
    s[at..at + 4].iter().rev().fold(0, |w, &b| w << 8 | u64::from(b))
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

fn mix(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

fn up_to_16(s: &[u8]) -> u64 {
    let n = s.len() as u64;
    let mul = K2.wrapping_add(n * 2);
    match s.len() {
        0 => K2,
        1..4 => {
            let y = u64::from(s[0]) + (u64::from(s[s.len() / 2]) << 8);
            let z = n + (u64::from(s[s.len() - 1]) << 2);
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..8 => mix(n + (half(s, 0) << 3), half(s, s.len() - 4), mul),
        _ => {
            let (a, b) = (word(s, 0).wrapping_add(K2), word(s, s.len() - 8));
            let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
            mix(c, d, mul)
        }
    }
}

/// Returns the part that lengths from 17 to 64 share: (a, y, z's second argument), and the multiplier.
fn ends(s: &[u8], first: u64) -> (u64, u64, u64, u64) {
    let mul = K2.wrapping_add(s.len() as u64 * 2);
    let (a, b) = (word(s, 0).wrapping_mul(first), word(s, 8));
    let (c, d) = (word(s, s.len() - 8).wrapping_mul(mul), word(s, s.len() - 16).wrapping_mul(K2));
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
    (a, y, z, mul)
}

fn up_to_32(s: &[u8]) -> u64 {
    let (_, y, z, mul) = ends(s, K1);
    mix(y, z, mul)
}

fn up_to_64(s: &[u8]) -> u64 {
    let (a, y, z, mul) = ends(s, K2);
    let z = mix(y, z, mul);
    let (e, f) = (word(s, 16).wrapping_mul(mul), word(s, 24));
    let g = y.wrapping_add(word(s, s.len() - 32)).wrapping_mul(mul);
    let h = z.wrapping_add(word(s, s.len() - 24)).wrapping_mul(mul);
    let u = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
    mix(u, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), mul)
}

/// Mixes 32 bytes into two numbers.
fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let a = a.wrapping_add(word(s, at));
    let z = word(s, at + 24);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(word(s, at + 8)).wrapping_add(word(s, at + 16));
    (a.wrapping_add(z), b.wrapping_add(a.rotate_right(44)).wrapping_add(c))
}

struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Takes in 64 bytes; the last block differs from the others by `mul` and `nine`.
    fn block(&mut self, s: &[u8], at: usize, mul: u64, nine: u64) {
        let State { x, y, z, v, w } = self;
        *x = x.wrapping_add(*y).wrapping_add(v.0).wrapping_add(word(s, at + 8)).rotate_right(37).wrapping_mul(mul);
        *y = y.wrapping_add(v.1).wrapping_add(word(s, at + 48)).rotate_right(42).wrapping_mul(mul);
        *x ^= w.1.wrapping_mul(nine);
        *y = y.wrapping_add(v.0.wrapping_mul(nine)).wrapping_add(word(s, at + 40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
        *v = weak(s, at, v.1.wrapping_mul(mul), x.wrapping_add(w.0));
        *w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, at + 16)));
        std::mem::swap(z, x);
    }
}

fn long(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let x = SEED.wrapping_mul(K2).wrapping_add(word(s, 0));
    let mut state = State { x, y, z, v: (0, 0), w: (0, 0) };
    // The last block overlaps the one before, so that it is whole.
    for block in 0..(s.len() - 1) / 64 {
        state.block(s, block * 64, K1, 1);
    }
    let mul = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add((s.len() as u64 - 1) & 63);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.block(s, s.len() - 64, mul, 9);
    let State { x, y, z, v, w } = state;
    let u = mix(v.0, w.0, mul).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    mix(u, mix(v.1, w.1, mul).wrapping_add(x), mul)
}

pub(crate) fn fingerprint(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => up_to_16(s),
        17..=32 => up_to_32(s),
        33..=64 => up_to_64(s),
        _ => long(s),
    }
}

fn pair(u: u64, v: u64) -> u64 {
    mix(u, v, PAIR)
}

/// Returns the fingerprint under a seed of a text with less than `LONG` bytes.
fn short_128(s: &[u8], seed: (u64, u64)) -> (u64, u64) {
    let (mut a, mut b) = seed;
    let (mut c, mut d);
    if s.len() <= 16 {
        a = shift_mix(a.wrapping_mul(K1)).wrapping_mul(K1);
        c = b.wrapping_mul(K1).wrapping_add(up_to_16(s));
        d = shift_mix(a.wrapping_add(if s.len() >= 8 { word(s, 0) } else { c }));
    } else {
        c = pair(word(s, s.len() - 8).wrapping_add(K1), a);
        d = pair(b.wrapping_add(s.len() as u64), c.wrapping_add(word(s, s.len() - 16)));
        a = a.wrapping_add(d);
        for at in (0..s.len() - 16).step_by(16) {
            a = (a ^ shift_mix(word(s, at).wrapping_mul(K1)).wrapping_mul(K1)).wrapping_mul(K1);
            b ^= a;
            c = (c ^ shift_mix(word(s, at + 8).wrapping_mul(K1)).wrapping_mul(K1)).wrapping_mul(K1);
            d ^= c;
        }
    }
    let (a, b) = (pair(a, c), pair(d, b));
    (a ^ b, pair(b, a))
}

/// Returns the fingerprint under a seed of a text with at least `LONG` bytes.
fn long_128(s: &[u8], seed: (u64, u64)) -> (u64, u64) {
    let (x, y) = seed;
    let z = (s.len() as u64).wrapping_mul(K1);
    let first = (y ^ K1).rotate_right(49).wrapping_mul(K1).wrapping_add(word(s, 0));
    let v = (first, first.rotate_right(42).wrapping_mul(K1).wrapping_add(word(s, 8)));
    let w = (
        y.wrapping_add(z).rotate_right(35).wrapping_mul(K1).wrapping_add(x),
        x.wrapping_add(word(s, 88)).rotate_right(53).wrapping_mul(K1),
    );
    let mut state = State { x, y, z, v, w };
    let rest = s.len() % LONG;
    for at in (0..s.len() - rest).step_by(64) {
        state.block(s, at, K1, 1);
    }
    let State { mut x, mut y, mut z, mut v, mut w } = state;
    x = x.wrapping_add(v.0.wrapping_add(z).rotate_right(49).wrapping_mul(K0));
    y = y.wrapping_mul(K0).wrapping_add(w.1.rotate_right(37));
    z = z.wrapping_mul(K0).wrapping_add(w.0.rotate_right(27));
    w.0 = w.0.wrapping_mul(9);
    v.0 = v.0.wrapping_mul(K0);
    // The rest in parts of 32 bytes from the end; the last part also reads bytes of the blocks.
    for part in 1..=rest.div_ceil(32) {
        let at = s.len() - 32 * part;
        y = x.wrapping_add(y).rotate_right(42).wrapping_mul(K0).wrapping_add(v.1);
        w.0 = w.0.wrapping_add(word(s, at + 16));
        x = x.wrapping_mul(K0).wrapping_add(w.0);
        z = z.wrapping_add(w.1).wrapping_add(word(s, at));
        w.1 = w.1.wrapping_add(v.0);
        v = weak(s, at, v.0.wrapping_add(z), v.1);
        v.0 = v.0.wrapping_mul(K0);
    }
    let (x, y) = (pair(x, v.0), pair(y.wrapping_add(z), w.0));
    (pair(x.wrapping_add(v.1), w.1).wrapping_add(y), pair(x.wrapping_add(w.1), y.wrapping_add(v.1)))
}

/// Returns the low and the high half of the fingerprint of 128 bits.
pub(crate) fn fingerprint_128(s: &[u8]) -> (u64, u64) {
    let (seed, s) = if s.len() >= 16 { ((word(s, 0), word(s, 8).wrapping_add(K0)), &s[16..]) } else { ((K0, K1), s) };
    if s.len() < LONG { short_128(s, seed) } else { long_128(s, seed) }
}
