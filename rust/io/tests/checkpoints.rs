//! Bundles written, overwritten, merged and read, as the ops do it.

#![allow(clippy::unwrap_used)]

use ferroflow_io::bundle::{Checkpoint, Item, SliceSpec, merge, write};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Code, Tensor};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// A folder of its own for a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ferroflow-checkpoints-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn files(&self) -> Vec<String> {
        let found = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = found.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn counted(n: usize, from: i32) -> Tensor {
    Tensor::from_slice([n], &(from..from + n as i32).collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_bundle_is_replaced_whole_at_any_number_of_threads() {
    let folder = Folder::new("replaced");
    let prefix = folder.path("model");
    // More than one task, with a small tensor between large ones.
    let sizes = [3 << 20, 1, 5 << 18];
    let names: [&[u8]; 3] = [b"a", b"b", b"c"];
    for (threads, from) in [(1, 0), (2, 7), (4, 100)] {
        let tensors: Vec<_> = sizes.iter().map(|&n| counted(n, from)).collect();
        let items: Vec<_> =
            names.iter().zip(&tensors).map(|(name, tensor)| Item { name, part: None, tensor }).collect();
        write(&prefix, &items, Threads::new(threads)).unwrap();
        assert_eq!(folder.files(), ["model.data-00000-of-00001", "model.index"]);
        let checkpoint = Checkpoint::open(&prefix).unwrap();
        for (name, tensor) in names.iter().zip(&tensors) {
            assert!(checkpoint.get(name, Threads::new(threads)).unwrap() == *tensor);
        }
    }
    assert_eq!(Checkpoint::open(&prefix).unwrap().get(b"d", Threads::single()).unwrap_err().code(), Code::NotFound);
}

#[test]
fn one_bundle_is_replaced_while_others_are_read_and_saved_beside_it() {
    let folder = Folder::new("beside");
    let prefix = folder.path("model");
    let save = |prefix: &str, value: i32| {
        let tensor = Tensor::scalar(value);
        write(prefix, &[Item { name: b"a", part: None, tensor: &tensor }], Threads::single())
    };
    save(&prefix, 0).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Opening finishes what killed processes left, saving sweeps the folder: neither may touch what is being written.
        for neighbour in ["left", "right"] {
            let (prefix, neighbour, done) = (&prefix, folder.path(neighbour), &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    // Between the renames of its two files a bundle may be refused.
                    let _ = Checkpoint::open(prefix);
                    save(&neighbour, 1).unwrap();
                }
            });
        }
        let saved: Vec<_> = (1..300).map(|value| save(&prefix, value)).collect();
        done.store(true, Ordering::Relaxed);
        saved.into_iter().for_each(Result::unwrap);
    });
    let checkpoint = Checkpoint::open(&prefix).unwrap();
    assert_eq!(checkpoint.get(b"a", Threads::single()).unwrap().to_scalar::<i32>().unwrap(), 299);
    assert!(folder.files().iter().all(|name| !name.contains("tempstate")), "{:?}", folder.files());
}

#[test]
fn what_is_refused_leaves_no_file() {
    let folder = Folder::new("refused");
    let tensor = counted(3, 0);
    let twice = [Item { name: b"a", part: None, tensor: &tensor }, Item { name: b"a", part: None, tensor: &tensor }];
    assert_eq!(write(&folder.path("model"), &twice, Threads::single()).unwrap_err().code(), Code::InvalidArgument);
    assert!(folder.files().is_empty());
}

#[test]
fn slices_of_two_bundles_are_one_tensor() {
    let folder = Folder::new("merged");
    let prefixes = [folder.path("p0"), folder.path("p1")];
    for (i, prefix) in prefixes.iter().enumerate() {
        let tensor = counted(2, 2 * i as i32);
        let part = SliceSpec::parse(&format!("4 {},2", 2 * i)).unwrap();
        write(prefix, &[Item { name: b"w", part, tensor: &tensor }], Threads::single()).unwrap();
    }
    let merged = folder.path("model");
    merge(&prefixes, &merged, true).unwrap();
    assert_eq!(folder.files(), ["model.data-00000-of-00002", "model.data-00001-of-00002", "model.index"]);
    let read = Checkpoint::open(&merged).unwrap().get(b"w", Threads::single()).unwrap();
    assert_eq!(read, counted(4, 0));
}
