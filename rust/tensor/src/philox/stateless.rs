//! The stream of a stateless op, made from its two seeds.

use super::generator::Philox;

const SCRAMBLING_KEY: [u32; 2] = [0x3EC8_F720, 0x0246_1E29];

/// Returns the stream that the seed `[first, second]` stands for; int32 seeds are widened with their sign.
pub fn stateless(first: i64, second: i64) -> Philox {
    let words = |seed: i64| [seed as u32, (seed as u64 >> 32) as u32];
    let ([a, b], [c, d]) = (words(first), words(second));
    // One block of a fixed key spreads every bit of the seeds over key and counter.
    let [key0, key1, high0, high1] = Philox::from_parts([a, b, c, d], SCRAMBLING_KEY).next_block();
    Philox::from_parts([0, 0, high0, high1], [key0, key1])
}
