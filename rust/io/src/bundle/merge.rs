//! Makes one bundle of several, as a save in shards does at its end.

use super::commit::{Commit, make_folder};
use super::reader::BundleReader;
use super::writer::{Entries, write_index};
use super::{data_name, index_name};
use crate::file::path_of;
use ferroflow_tensor::{Result, ensure};
use std::path::{Path, PathBuf};

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn folder_of(prefix: &str) -> PathBuf {
    path_of(prefix).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Moves the data files of the bundles `prefixes` to the bundle `merged` and writes its index.
///
/// Args: `delete_old_folders` says whether the folders of the bundles are removed if nothing is left in them.
///
/// Errors: `InvalidArgument` where two bundles have a tensor of one name that is not in slices; those of reading and
/// writing.
pub fn merge(prefixes: &[String], merged: &str, delete_old_folders: bool) -> Result<()> {
    make_folder(merged)?;
    let mut entries = Entries::new();
    let mut files: Vec<String> = Vec::new();
    for prefix in prefixes {
        let reader = BundleReader::open(prefix)?;
        for item in reader.entries() {
            let (key, mut entry) = item?;
            if let Some(known) = entries.get_mut(key) {
                ensure!(
                    !known.slices.is_empty(),
                    InvalidArgument,
                    "Duplicate tensor keyed by {} encountered, when merging prefix: {prefix}",
                    lossy(key)
                );
                ensure!(
                    !entry.slices.is_empty(),
                    Internal,
                    "Duplicate tensor keyed by {}; attempting to merge in a non-slice bundle entry",
                    lossy(key)
                );
                ensure!(
                    known.dtype == entry.dtype && known.shape == entry.shape,
                    InvalidArgument,
                    "The slices of {} are of different tensors",
                    lossy(key)
                );
                known.slices.append(&mut entry.slices);
                continue;
            }
            let file = data_name(prefix, entry.shard, reader.shards());
            let shard = files.iter().position(|f| *f == file).unwrap_or_else(|| {
                files.push(file);
                files.len() - 1
            });
            entry.shard = shard as i32;
            entries.insert(key.to_vec(), entry);
        }
    }
    let shards = files.len() as i32;
    let mut commit = Commit::begin(merged)?;
    for (shard, file) in files.iter().enumerate() {
        commit.take(file, &data_name(merged, shard as i32, shards))?;
    }
    let index = commit.file(&index_name(merged))?;
    write_index(&index.file, &index.name, shards, &entries)?;
    index.sync()?;
    commit.finish()?;
    // The new bundle is in place: the rest of the old ones is not needed, and harmless.
    for prefix in prefixes {
        let _ = std::fs::remove_file(path_of(index_name(prefix)));
        let folder = folder_of(prefix);
        if delete_old_folders && folder != folder_of(merged) {
            let _ = std::fs::remove_dir(folder);
        }
    }
    Ok(())
}
