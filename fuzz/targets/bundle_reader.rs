//! Checkpoints of any content: every tensor or a failure, never a panic, and no buffer larger than the files.
//!
//! The first byte chooses the input: two files as they are, or a whole checkpoint with some bytes of its index
//! replaced. The checksums of its blocks are corrected, so that the code behind the checks is reached.

#![no_main]

use ferroflow_io::bundle::{self, Checkpoint, Item};
use ferroflow_io::checksum::masked;
use ferroflow_tensor::Tensor;
use ferroflow_tensor::threads::Threads;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

/// A folder in memory where there is one: each input is written to it.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = PathBuf::from("/dev/shm");
    let root = if shared.is_dir() { shared } else { env::temp_dir() };
    let folder = root.join(format!("ferroflow-fuzz-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
});

/// The index and data of a small checkpoint.
static WHOLE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let prefix = FOLDER.join("whole");
    let prefix = prefix.to_str().unwrap();
    let words = vec![b"one"[..].into(), b""[..].into()];
    let tensors = [
        ("a/weights", Tensor::from_slice([2, 2], &[1.0f32, 2.0, 3.0, 4.0]).unwrap()),
        ("b/steps", Tensor::scalar(7i64)),
        ("c/words", Tensor::from_strings([2], words).unwrap()),
        ("d/none", Tensor::from_slice([0, 3], &[0.0f64; 0]).unwrap()),
    ];
    let items: Vec<Item<'_>> =
        tensors.iter().map(|(name, tensor)| Item { name: name.as_bytes(), part: None, tensor }).collect();
    bundle::write(prefix, &items, Threads::single()).unwrap();
    let index = fs::read(bundle::index_name(prefix)).unwrap();
    let data = fs::read(bundle::data_name(prefix, 0, 1)).unwrap();
    (index, data)
});

/// Reads a number in groups of seven bits; returns it and its length.
fn varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (i, &byte) in bytes.iter().enumerate().take(9) {
        value |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

/// Returns the ends of a small table's blocks: one of entries, the empty one of other facts, the index of blocks.
fn block_ends(table: &[u8]) -> Option<[(usize, usize); 3]> {
    let (facts, rest) = varint(&table[table.len() - 48..])?;
    let (facts_size, rest) = varint(rest)?;
    let (index, rest) = varint(rest)?;
    let (index_size, _) = varint(rest)?;
    // After each block its kind, one byte, and its checksum, four.
    Some([(0, facts - 4), (facts, facts + facts_size + 1), (index, index + index_size + 1)])
}

/// Returns the whole index with replaced bytes, each given as its place in two bytes and its value in one.
fn edited(edits: &[u8]) -> Vec<u8> {
    let mut table = WHOLE.0.clone();
    let blocks = block_ends(&table).unwrap();
    for edit in edits.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % table.len();
        table[at] = edit[2];
    }
    for (start, end) in blocks {
        let sum = masked(&table[start..end]).to_le_bytes();
        table[end..end + 4].copy_from_slice(&sum);
    }
    table
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    let (index, data) = if choice % 2 == 0 {
        let (index, data) = rest.split_at(rest.len() * usize::from(choice) / 256);
        (index.to_vec(), data.to_vec())
    } else {
        (edited(rest), WHOLE.1.clone())
    };
    let prefix = FOLDER.join("fuzzed");
    let prefix = prefix.to_str().unwrap();
    fs::write(bundle::index_name(prefix), &index).unwrap();
    fs::write(bundle::data_name(prefix, 0, 1), &data).unwrap();
    let Ok(checkpoint) = Checkpoint::open(prefix) else { return };
    let Ok(all) = checkpoint.list() else { return };
    for described in all {
        assert!(checkpoint.contains(&described.name));
        if let Ok(tensor) = checkpoint.get(&described.name, Threads::single()) {
            assert_eq!((tensor.dtype(), tensor.shape()), (described.dtype, &described.shape));
            let held = tensor.bytes().map_or(0, <[u8]>::len);
            assert!(held <= data.len() || described.slices > 1, "{held} bytes of {}", data.len());
        }
    }
});
