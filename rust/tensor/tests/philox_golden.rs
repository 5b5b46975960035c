//! The random streams against TensorFlow's own numbers, `tests/golden/random.txt` (TensorFlow 2.21; `make_random.py` beside it writes it).

#![allow(clippy::disallowed_methods, reason = "references of tests")]

use ferroflow_tensor::philox::candidate::CandidateSampler;
use ferroflow_tensor::philox::{Philox, candidate, fill, gamma, multinomial, poisson, shuffle, stateless};
use ferroflow_tensor::threads::{Interrupted, Threads};
use half::{bf16, f16};
use sha2::{Digest, Sha256};

const GOLDEN: &str = include_str!("../../../tests/golden/random.txt");
const RUNS: usize = 3;
const LARGE: usize = 1_000_003;

/// A value as the golden file writes it: the hexadecimal of a float's bits, an integer's decimal.
trait Word {
    fn word(&self) -> String;
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! float_words {
    ($($number:ty, $digits:literal);*) => {$(
        impl Word for $number {
            fn word(&self) -> String {
                format!("{:0digits$x}", self.to_bits(), digits = $digits)
            }

            fn bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )*};
}

float_words!(f16, 4; bf16, 4; f32, 8; f64, 16);

macro_rules! integer_words {
    ($($number:ty),*) => {$(
        impl Word for $number {
            fn word(&self) -> String {
                self.to_string()
            }

            fn bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )*};
}

integer_words!(i32, i64);

/// Returns the values of one line of the golden file; one empty word, which equals no value, if it lacks the line.
fn golden(case: &str, run: usize) -> Vec<&'static str> {
    let prefix = format!("{case} {run} ");
    let line = GOLDEN.lines().find_map(|line| line.strip_prefix(&prefix));
    line.unwrap_or_default().split(' ').collect()
}

fn assert_run<T: Word>(case: &str, run: usize, values: &[T]) {
    let words: Vec<String> = values.iter().map(Word::word).collect();
    assert_eq!(words, golden(case, run), "{case}, run {run}");
}

type Filled = Result<(), Interrupted>;

fn shuffled<T>(base: &Philox, rows: &mut [T]) -> Filled {
    shuffle::shuffle(base, rows);
    Ok(())
}

/// Checks three runs of an op with seeds (1, 2) whose output starts as `blank` and which moves its stream by `blocks` each run.
fn assert_runs<T: Word + Clone>(
    case: &str,
    blank: &[T],
    blocks: u64,
    fill: impl Fn(&Philox, Threads, &mut [T]) -> Filled,
) {
    assert_runs_of(Philox::new(1, 2), case, blank, blocks, fill);
}

fn assert_runs_of<T: Word + Clone>(
    mut op: Philox,
    case: &str,
    blank: &[T],
    blocks: u64,
    fill: impl Fn(&Philox, Threads, &mut [T]) -> Filled,
) {
    for run in 0..RUNS {
        let mut values = blank.to_vec();
        assert!(fill(&op.reserve(blocks), Threads::new(2), &mut values).is_ok());
        assert_run(case, run, &values);
    }
}

/// Checks the outputs of 8, 10 and 1 values.
fn assert_sizes<T: Word + Clone + Default>(case: &str, fill: impl Fn(&Philox, Threads, &mut [T]) -> Filled) {
    for size in [8, 10, 1] {
        assert_runs(&format!("{case}_{size}"), &vec![T::default(); size], fill::blocks_per_run(size), &fill);
    }
}

/// Checks the hash of a million values.
fn assert_hash<T: Word + Clone + Default>(case: &str, fill: impl Fn(&Philox, Threads, &mut [T]) -> Filled) {
    assert_hash_from(case, &vec![T::default(); LARGE], fill);
}

/// Checks the hash of an output that starts as `blank`, made by one thread and by several.
fn assert_hash_from<T: Word + Clone>(case: &str, blank: &[T], fill: impl Fn(&Philox, Threads, &mut [T]) -> Filled) {
    for threads in [1, 2, 4] {
        let mut values = blank.to_vec();
        assert!(fill(&Philox::new(1, 2), Threads::new(threads), &mut values).is_ok());
        let bytes: Vec<u8> = values.iter().flat_map(Word::bytes).collect();
        let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let line = format!("sha256 {case} {hex}");
        assert!(
            GOLDEN.lines().any(|golden| golden == line),
            "{line}, made by {threads} threads, is not in the golden file"
        );
    }
}

/// Checks that several threads make the bytes that one makes.
fn assert_threads_agree<T: Word + Clone>(blank: &[T], fill: impl Fn(&Philox, Threads, &mut [T]) -> Filled) {
    let made_by = |threads| {
        let mut values = blank.to_vec();
        assert!(fill(&Philox::new(3, 4), Threads::new(threads), &mut values).is_ok());
        values.iter().flat_map(Word::bytes).collect::<Vec<u8>>()
    };
    let alone = made_by(1);
    for threads in [2, 3, 8] {
        assert!(made_by(threads) == alone, "{threads} threads");
    }
}

#[test]
fn uniforms_are_tensorflows() {
    assert_sizes("uniform_f32", fill::fill_uniform_f32);
    assert_sizes("uniform_f64", fill::fill_uniform_f64);
    assert_sizes("uniform_f16", fill::fill_uniform_f16);
    assert_sizes("uniform_bf16", fill::fill_uniform_bf16);
}

#[test]
fn normals_are_tensorflows() {
    assert_sizes("normal_f32", fill::fill_normal_f32);
    assert_sizes("normal_f64", fill::fill_normal_f64);
    assert_sizes("normal_f16", fill::fill_normal_f16);
    assert_sizes("normal_bf16", fill::fill_normal_bf16);
}

#[test]
fn truncated_normals_are_tensorflows() {
    assert_sizes("truncated_f32", fill::fill_truncated_f32);
    assert_sizes("truncated_f64", fill::fill_truncated_f64);
    assert_sizes("truncated_f16", fill::fill_truncated_f16);
    assert_sizes("truncated_bf16", fill::fill_truncated_bf16);
}

#[test]
fn a_million_floats_hash_to_tensorflows() {
    assert_hash("uniform_f32", fill::fill_uniform_f32);
    assert_hash("uniform_f64", fill::fill_uniform_f64);
    assert_hash("uniform_f16", fill::fill_uniform_f16);
    assert_hash("uniform_bf16", fill::fill_uniform_bf16);
    assert_hash("normal_f32", fill::fill_normal_f32);
    assert_hash("normal_f64", fill::fill_normal_f64);
    assert_hash("normal_f16", fill::fill_normal_f16);
    assert_hash("normal_bf16", fill::fill_normal_bf16);
    assert_hash("truncated_f32", fill::fill_truncated_f32);
    assert_hash("truncated_f64", fill::fill_truncated_f64);
    assert_hash("truncated_f16", fill::fill_truncated_f16);
    assert_hash("truncated_bf16", fill::fill_truncated_bf16);
}

#[test]
fn large_outputs_of_the_other_ops_hash_to_tensorflows() {
    assert_hash("uniform_i32_0_10", |base, threads, out| fill::fill_uniform_i32(base, threads, 0, 10, out));
    let numbers: Vec<i32> = (0..LARGE as i32).collect();
    assert_hash_from("shuffle", &numbers, |base, _, out| shuffled(base, out));
    assert_hash_from("gamma_f64_100000x3", &[0.0; 300_000], |base, threads, out| {
        gamma::fill_gamma(base, threads, &[0.3, 1.0, 2.5], out)
    });
    assert_hash_from("poisson_f64_i64_100000x3", &[0_i64; 300_000], |base, threads, out| {
        poisson::fill_poisson(base, threads, &[3.0_f64, 30.0, 3000.0], out)
    });
    let logits: Vec<f32> =
        (0..1000).flat_map(|row| (0..9).map(move |column| ((row * 7 + column * 3) % 17) as f32)).collect();
    assert_hash_from("multinomial_f32_1000x101", &[0_i64; 101_000], |base, threads, out| {
        multinomial::fill_multinomial(base, threads, &logits, 9, 101, out)
    });
}

#[test]
fn uniform_integers_are_tensorflows() {
    let blocks = fill::blocks_per_run(8);
    for (name, low, high) in [("0_10", 0, 10), ("-5_100", -5, 100), ("all", i32::MIN, i32::MAX)] {
        assert_runs(&format!("uniform_i32_{name}"), &[0; 8], blocks, |base, threads, out| {
            fill::fill_uniform_i32(base, threads, low, high, out)
        });
    }
    for (name, low, high) in [("0_1e12", 0, 1_000_000_000_000), ("all", i64::MIN, i64::MAX)] {
        assert_runs(&format!("uniform_i64_{name}"), &[0; 8], blocks, |base, threads, out| {
            fill::fill_uniform_i64(base, threads, low, high, out)
        });
    }
}

#[test]
fn streams_scaled_by_two_roundings_are_tensorflows() {
    assert_runs("uniform_f32_scaled_-3_5", &[0.0; 8], fill::blocks_per_run(8), |base, threads, out| {
        fill::fill_uniform_f32(base, threads, out)?;
        out.iter_mut().for_each(|value| *value = *value * 8.0 + -3.0);
        Ok(())
    });
    assert_runs("normal_f32_scaled_mean_5_stddev_0.5", &[0.0; 4], fill::blocks_per_run(4), |base, threads, out| {
        fill::fill_normal_f32(base, threads, out)?;
        out.iter_mut().for_each(|value| *value = *value * 0.5 + 5.0);
        Ok(())
    });
    assert_runs("truncated_f32_scaled_stddev_0.1", &[0.0; 4], fill::blocks_per_run(4), |base, threads, out| {
        fill::fill_truncated_f32(base, threads, out)?;
        out.iter_mut().for_each(|value| *value *= 0.1);
        Ok(())
    });
}

#[test]
fn every_pair_of_seeds_gives_tensorflows_stream() {
    for (seed, seed2) in [(87_654_321, 2), (1, 0), (1, 1), (0, 2_147_483_647), (1, 2_147_483_646)] {
        let case = format!("uniform_f32_seeds_{seed}_{seed2}");
        let op = Philox::new(seed, seed2);
        assert_runs_of(op, &case, &[0.0; 4], fill::blocks_per_run(4), fill::fill_uniform_f32);
    }
}

#[test]
fn shuffles_are_tensorflows() {
    let numbers: Vec<i32> = (0..10).collect();
    assert_runs("shuffle_10", &numbers, shuffle::blocks_per_run(10), |base, _, out| shuffled(base, out));
    assert_runs("shuffle_1", &[0], shuffle::blocks_per_run(1), |base, _, out| shuffled(base, out));
    let values: Vec<i32> = (0..12).collect();
    assert_runs("shuffle_rows_6x2", &values, shuffle::blocks_per_run(6), |base, _, out| {
        let (rows, _) = out.as_chunks_mut::<2>();
        shuffled(base, rows)
    });
}

#[test]
fn random_crops_are_tensorflows() {
    let mut op = Philox::new(1, 2);
    for run in 0..RUNS {
        let mut corner = [0; 2];
        fill::fill_uniform_i32(&op.reserve(fill::blocks_per_run(2)), Threads::single(), 0, i32::MAX, &mut corner)
            .unwrap();
        let [row, column] = corner.map(|value| value % (6 - 2 + 1));
        let first = 6 * row + column;
        assert_run("crop_2x2_of_6x6", run, &[first, first + 1, first + 6, first + 7]);
    }
}

#[test]
fn dropout_masks_are_tensorflows() {
    for (case, keep, size) in [("dropout_keep_0.5", 0.5_f64, 8), ("dropout_keep_0.9", 0.9, 16)] {
        // TensorFlow 2.21 works with the rate, in Python's floats until it meets the tensor.
        let rate = 1.0 - keep;
        let scale = (1.0 / (1.0 - rate)) as f32;
        assert_runs(case, &vec![0.0_f32; size], fill::blocks_per_run(size), |base, threads, out| {
            fill::fill_uniform_f32(base, threads, out)?;
            out.iter_mut().for_each(|value| *value = if *value >= rate as f32 { scale } else { 0.0 });
            Ok(())
        });
    }
}

#[test]
fn multinomials_are_tensorflows() {
    let rows = [0.1_f32, 0.2, 0.3, 0.4, 0.7, 0.1, 0.1, 0.1].map(f32::ln);
    assert_runs("multinomial_f32_8", &[0_i64; 16], multinomial::blocks_per_run(2, 8), |base, threads, out| {
        multinomial::fill_multinomial(base, threads, &rows, 4, 8, out)
    });
    let rows = [0.1_f64, 0.2, 0.3, 0.4, 0.7, 0.1, 0.1, 0.1].map(f64::ln);
    assert_runs("multinomial_f64_7", &[0_i64; 14], multinomial::blocks_per_run(2, 7), |base, threads, out| {
        multinomial::fill_multinomial(base, threads, &rows, 4, 7, out)
    });
    let row = [0.0, f32::NEG_INFINITY, 1.0, f32::NAN, 2.0];
    assert_runs("multinomial_f32_masked_6", &[0_i32; 6], multinomial::blocks_per_run(1, 6), |base, threads, out| {
        multinomial::fill_multinomial(base, threads, &row, 5, 6, out)
    });
}

#[test]
fn gammas_are_tensorflows() {
    let blocks = fill::blocks_per_run(12);
    assert_runs("gamma_f32_4x3", &[0.0; 12], blocks, |base, threads, out| {
        gamma::fill_gamma(base, threads, &[0.5_f32, 1.0, 2.5], out)
    });
    assert_runs("gamma_f64_4x3", &[0.0; 12], blocks, |base, threads, out| {
        gamma::fill_gamma(base, threads, &[0.5_f64, 1.0, 2.5], out)
    });
    assert_runs("gamma_f16_4x3", &[f16::ZERO; 12], blocks, |base, threads, out| {
        gamma::fill_gamma(base, threads, &[0.5, 1.0, 2.5].map(f16::from_f32), out)
    });
    assert_runs("gamma_f64_40x4", &[0.0; 160], fill::blocks_per_run(160), |base, threads, out| {
        gamma::fill_gamma(base, threads, &[0.05, 0.99, 1.3, 100.0], out)
    });
}

#[test]
fn poissons_are_tensorflows() {
    assert_runs("poisson_f32_f32_6x2", &[0.0_f32; 12], fill::blocks_per_run(12), |base, threads, out| {
        poisson::fill_poisson(base, threads, &[2.0_f32, 20.0], out)
    });
    assert_runs("poisson_f64_i64_60x5", &[0_i64; 300], fill::blocks_per_run(300), |base, threads, out| {
        poisson::fill_poisson(base, threads, &[0.1_f64, 9.9, 10.0, 33.5, 1e6], out)
    });
    assert_runs("poisson_i32_i32_4x2", &[0_i32; 8], fill::blocks_per_run(8), |base, threads, out| {
        poisson::fill_poisson(base, threads, &[3_i32, 50], out)
    });
    assert_runs("poisson_f16_f16_4x2", &[f16::ZERO; 8], fill::blocks_per_run(8), |base, threads, out| {
        poisson::fill_poisson(base, threads, &[3.0, 50.0].map(f16::from_f32), out)
    });
}

#[test]
fn stateless_streams_are_tensorflows() {
    for (first, second) in [(1, 2), (-1, 1 << 40)] {
        let op = stateless::stateless(first, second);
        let case = |kind: &str| format!("stateless_{first}_{second}_{kind}_4");
        assert_runs_of(op, &case("uniform_f32"), &[0.0; 4], 0, fill::fill_uniform_f32);
        assert_runs_of(op, &case("normal_f32"), &[0.0; 4], 0, fill::fill_normal_f32);
        assert_runs_of(op, &case("truncated_f64"), &[0.0; 4], 0, fill::fill_truncated_f64);
    }
}

#[test]
fn candidates_and_their_expected_counts_are_tensorflows() {
    for (sampled, range) in [(8, 100), (30, 32)] {
        for (kind, sampler) in
            [("log_uniform", CandidateSampler::LogUniform { range }), ("uniform", CandidateSampler::Uniform { range })]
        {
            for (mode, unique) in [("unique", true), ("repeated", false)] {
                let case = format!("candidates_{kind}_{mode}_{sampled}_of_{range}");
                let mut op = Philox::new(1, 2);
                for run in 0..RUNS {
                    let mut ids = vec![0; sampled];
                    let base = op.reserve(candidate::blocks_per_run(sampled));
                    let tries = sampler.sample(&base, unique, &mut ids).unwrap();
                    let counts = |classes: &[i64]| -> Vec<f32> {
                        classes.iter().map(|&class| sampler.expected_count(class, sampled, tries)).collect()
                    };
                    assert_run(&format!("{case}_ids"), run, &ids);
                    assert_run(&format!("{case}_true_count"), run, &counts(&[3, 0, 7, 31]));
                    assert_run(&format!("{case}_sampled_count"), run, &counts(&ids));
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_never_shows() {
    assert_threads_agree(&[f16::ZERO; 70_001], fill::fill_normal_f16);
    assert_threads_agree(&[0_i64; 70_001], |base, threads, out| {
        fill::fill_uniform_i64(base, threads, -7, 1 << 40, out)
    });
    assert_threads_agree(&[0.0_f64; 30_000], |base, threads, out| {
        gamma::fill_gamma(base, threads, &[0.4, 1.0, 3.0], out)
    });
    assert_threads_agree(&[0_i32; 30_000], |base, threads, out| {
        poisson::fill_poisson(base, threads, &[3.0_f32, 30.0], out)
    });
    let logits: Vec<f32> = (0..3001 * 5).map(|place| (place % 17) as f32 / 5.0).collect();
    assert_threads_agree(&[0_i32; 3001 * 7], |base, threads, out| {
        multinomial::fill_multinomial(base, threads, &logits, 5, 7, out)
    });
}
