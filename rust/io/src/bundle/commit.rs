//! Puts the files of a checkpoint in place so that a process killed at any moment leaves the old checkpoint or the new one.
//!
//! Files are written under temporary names, synced to disk, and renamed, the index last. If a checkpoint of that name
//! exists, the first rename would damage it before the last one replaces it. The renames are therefore first written to
//! a journal. A later reader or writer of the checkpoint finishes the renames of a killed process. Writers lock their
//! temporary files, so that those of a killed process can be recognized.

use super::entry::decode_header;
use super::{HEADER_KEY, data_name, index_name};
use crate::checksum::masked;
use crate::file::{failure, path_of, resolved};
use crate::table::Table;
use ferroflow_sync::ProcessMutex;
use ferroflow_tensor::{Result, bail};
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The end of temporary files' names, before sixteen hexadecimal digits.
const TEMPORARY: &str = ".tempstate_";
/// The end of a journal's name.
const JOURNAL: &str = ".tempstate_journal";
/// Attempts to make a temporary file that another process removes.
const TRIES: usize = 8;
/// The file that marks a folder of shards as being written, locked by all who write to it.
const FOLDER_LOCK: &str = "shards.tempstate_lock";

/// The locks of folders of shards, held until their merge.
static HELD: ProcessMutex<Option<HashMap<PathBuf, File>>> = ProcessMutex::new(None, || None);

/// Returns a number that no one else thinks of.
fn token() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn sync_folder(folder: &Path) -> std::io::Result<()> {
    // Some file systems cannot sync folders; their renames are as safe as they make them.
    match File::open(folder).and_then(|f| f.sync_all()) {
        Err(e) if !matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Err(e),
        _ => Ok(()),
    }
}

fn is_shard_folder(folder: &Path) -> bool {
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    name.rsplit_once("_temp_").is_some_and(|(_, token)| is_hexadecimal(token, 32))
}

/// Makes the folder that a prefix lies in, where the one around it exists.
pub(super) fn make_folder(prefix: &str) -> Result<()> {
    let path = path_of(prefix);
    let folder = folder_of(&path);
    match fs::create_dir(&folder) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(failure(&folder.to_string_lossy(), &e)),
        _ => Ok(()),
    }
}

/// Marks a folder of shards as being written until `release` or the process's end.
fn hold(folder: &Path) -> std::io::Result<()> {
    let mut held = HELD.lock();
    let held = held.get_or_insert_default();
    let name = folder.join(FOLDER_LOCK);
    if held.contains_key(folder) && name.exists() {
        return Ok(());
    }
    for _ in 0..TRIES {
        if let Err(e) = fs::create_dir(folder)
            && e.kind() != ErrorKind::AlreadyExists
        {
            return Err(e);
        }
        let file = match File::create(&name) {
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            file => file?,
        };
        // If the file system has no locks, no other process gets one to remove the folder.
        let taken = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        if !taken && has_name(&file, &name) {
            held.insert(folder.to_path_buf(), file);
            return Ok(());
        }
    }
    Err(ErrorKind::ResourceBusy.into())
}

fn release(folder: &Path) {
    if HELD.lock().as_mut().and_then(|held| held.remove(folder)).is_some() {
        let _ = fs::remove_file(folder.join(FOLDER_LOCK));
    }
}

/// Removes a folder of shards whose save failed, unless another process writes there.
fn abandon(folder: &Path) {
    if HELD.lock().as_mut().and_then(|held| held.remove(folder)).is_some()
        && let Some(_lock) = abandoned(&folder.join(FOLDER_LOCK))
    {
        remove_shards(folder);
    }
}

/// Removes the folders of shards that this process began for the checkpoint `prefix`, unless another process writes
/// there too.
pub fn abandon_shards(prefix: &str) {
    let path = path_of(prefix);
    let Some(name) = path.file_name().map(|n| format!("{}_temp_", n.to_string_lossy())) else { return };
    let begun: Vec<PathBuf> = HELD.lock().iter().flat_map(HashMap::keys).cloned().collect();
    for folder in begun {
        let own = folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&name));
        if own && folder_of(&folder) == folder_of(&path) {
            abandon(&folder);
        }
    }
}

/// A file under a temporary name, locked.
pub(super) struct Temporary {
    pub file: File,
    pub name: String,
}

impl Temporary {
    /// Returns a new file whose name begins with `target`.
    fn create(target: &str) -> Result<Temporary> {
        for _ in 0..TRIES {
            let name = format!("{target}{TEMPORARY}{}", token());
            let file = File::options().read(true).write(true).create_new(true).open(path_of(&name));
            let file = file.map_err(|e| failure(&name, &e))?;
            // A process that cleans the folder at this moment may remove the file, because it is not locked yet.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && has_name(&file, &path_of(&name)) {
                return Ok(Temporary { file, name });
            }
        }
        bail!(Aborted, "{target}; other processes remove its temporary files");
    }

    /// Waits until the contents are on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| failure(&self.name, &e))
    }

    /// Takes the name `to` with these contents on the disk; where that fails, the file is removed.
    fn place(&mut self, contents: &[u8], to: &str) -> Result<()> {
        let written = self.file.write_all(contents).and_then(|()| self.file.sync_data());
        written.and_then(|()| fs::rename(path_of(&self.name), path_of(to))).map_err(|e| {
            let _ = fs::remove_file(path_of(&self.name));
            failure(to, &e)
        })
    }
}

/// Files on their way to their names. What is not finished is removed.
pub(super) struct Commit {
    prefix: String,
    temporaries: Vec<Temporary>,
    /// From, to; in this order.
    moves: Vec<(String, String)>,
    finished: bool,
}

impl Commit {
    /// Begins to make the bundle `prefix`, with what killed processes left in its folder out of the way.
    pub(super) fn begin(prefix: &str) -> Result<Commit> {
        let folder = folder_of(&path_of(prefix));
        if is_shard_folder(&folder) {
            hold(&folder).map_err(|e| failure(prefix, &e))?;
        }
        sweep(&folder);
        finish_interrupted(prefix)?;
        let (temporaries, moves) = (Vec::new(), Vec::new());
        Ok(Commit { prefix: prefix.to_owned(), temporaries, moves, finished: false })
    }

    /// Returns a new file that will get the name `to`.
    pub(super) fn file(&mut self, to: &str) -> Result<&Temporary> {
        let temporary = Temporary::create(to)?;
        self.moves.push((temporary.name.clone(), to.to_owned()));
        self.temporaries.push(temporary);
        match self.temporaries.last() {
            Some(last) => Ok(last),
            None => bail!(Internal, "a file was lost"),
        }
    }

    /// Renames an existing file to `to`.
    pub(super) fn take(&mut self, from: &str, to: &str) -> Result<()> {
        self.moves.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    /// Puts all files in place.
    pub(super) fn finish(mut self) -> Result<()> {
        let folder = folder_of(&path_of(&self.prefix));
        let journal_name = format!("{}{JOURNAL}", self.prefix);
        let journal = match fs::exists(path_of(index_name(&self.prefix))) {
            Ok(true) => Some(write_journal(&journal_name, &folder, &self.moves)?),
            _ => None,
        };
        self.finished = true;
        for (from, to) in &self.moves {
            fs::rename(path_of(from), path_of(to)).map_err(|e| failure(from, &e))?;
        }
        sync_folder(&folder).map_err(|e| failure(&self.prefix, &e))?;
        if journal.is_some()
            && let Err(e) = fs::remove_file(path_of(&journal_name))
            && e.kind() != ErrorKind::NotFound
        {
            return Err(failure(&journal_name, &e));
        }
        for (from, _) in &self.moves {
            release(&folder_of(&path_of(from)));
        }
        Ok(())
    }
}

impl Drop for Commit {
    fn drop(&mut self) {
        if !self.finished {
            for temporary in &self.temporaries {
                let _ = fs::remove_file(path_of(&temporary.name));
            }
            for name in self.moves.iter().map(|(from, _)| from).chain([&self.prefix]) {
                abandon(&folder_of(&path_of(name)));
            }
        }
    }
}

/// Writes the renames, names relative to the folder: pairs of names that end with zero bytes, then a checksum. The journal
/// is whole, on the disk and locked when it gets its name: who meets it waits for its writer or its writer's end.
fn write_journal(name: &str, folder: &Path, moves: &[(String, String)]) -> Result<Temporary> {
    let mut content = Vec::new();
    for (from, to) in moves {
        for name in [from, to] {
            let path = path_of(name);
            let relative = path.strip_prefix(folder).unwrap_or(&path);
            content.extend_from_slice(relative.as_os_str().as_encoded_bytes());
            content.push(0);
        }
    }
    let sum = masked(&content);
    content.extend_from_slice(&sum.to_le_bytes());
    let mut journal = Temporary::create(name)?;
    journal.place(&content, name)?;
    Ok(journal)
}

/// Returns the renames of a whole journal.
fn parse_journal(content: &[u8]) -> Option<Vec<(String, String)>> {
    let (content, sum) = content.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != masked(content) {
        return None;
    }
    let text = std::str::from_utf8(content).ok()?;
    let names: Vec<&str> = text.split_terminator('\0').collect();
    Some(names.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect())
}

/// Returns true if a file has the name that it was opened by, still.
fn has_name(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let place = |m: fs::Metadata| (m.dev(), m.ino());
        file.metadata().is_ok_and(|m| fs::metadata(path).is_ok_and(|named| place(named) == place(m)))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Finishes the renames that a killed process had begun for the bundle `prefix`; waits for one that is doing so.
pub(super) fn finish_interrupted(prefix: &str) -> Result<()> {
    let name = format!("{prefix}{JOURNAL}");
    let path = path_of(&name);
    let Ok(mut journal) = File::open(&path) else { return Ok(()) };
    let finished = (|| {
        journal.lock()?;
        let mut content = Vec::new();
        journal.read_to_end(&mut content)?;
        // Its writer has finished, or another writer has begun since and will finish.
        if !has_name(&journal, &path) {
            return Ok(());
        }
        let folder = folder_of(&path);
        // An incomplete journal was never executed.
        for (from, to) in parse_journal(&content).unwrap_or_default() {
            match fs::rename(folder.join(from), folder.join(to)) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        sync_folder(&folder)?;
        fs::remove_file(&path)
    })();
    match finished {
        // A process that may only read uses the checkpoint as it is.
        Err(e)
            if !matches!(
                e.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotFound
            ) =>
        {
            Err(failure(&name, &e))
        }
        _ => Ok(()),
    }
}

/// Returns a temporary file whose writer is gone, locked: whoever makes it at this moment finds it taken until it is
/// removed.
fn abandoned(path: &Path) -> Option<File> {
    File::open(path).ok().filter(|f| f.try_lock().is_ok())
}

/// Removes what killed processes left in a folder, and finishes what they had begun to put in place.
fn sweep(folder: &Path) {
    let Ok(found) = fs::read_dir(folder) else { return };
    let mut left = Vec::new();
    for item in found.flatten() {
        let name = item.file_name().to_string_lossy().into_owned();
        if name.ends_with(JOURNAL) || name.contains(TEMPORARY) || is_shard_folder(Path::new(&name)) {
            left.push(name);
        }
    }
    // Journals first, because the temporary files that they name must stay.
    for name in left.iter().filter_map(|name| name.strip_suffix(JOURNAL)) {
        let _ = finish_interrupted(&folder.join(name).to_string_lossy());
    }
    for name in left {
        let path = folder.join(&name);
        if path.is_dir() {
            if let Some(_lock) = abandoned(&path.join(FOLDER_LOCK)) {
                remove_shards(&path);
            }
        } else if let Some((target, mark)) = name.rsplit_once(TEMPORARY)
            && is_hexadecimal(mark, 16)
            && let Some(_lock) = abandoned(&path)
        {
            if let Some(prefix) = target.strip_suffix(".index") {
                remove_orphans(&folder.join(prefix).to_string_lossy(), &path);
            }
            let _ = fs::remove_file(&path);
        }
    }
}

/// Removes a folder with the shards of a save.
fn remove_shards(folder: &Path) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = item.file_name().to_string_lossy().into_owned();
        if name.starts_with("part-") {
            let _ = fs::remove_file(item.path());
        }
    }
    let _ = fs::remove_file(folder.join(FOLDER_LOCK));
    let _ = fs::remove_dir(folder);
}

/// Removes the data files of a bundle that was killed before its index got its name.
fn remove_orphans(prefix: &str, index: &Path) {
    if path_of(index_name(prefix)).exists() {
        return;
    }
    let Ok(table) = Table::open(&index.to_string_lossy()) else { return };
    let Ok(Some(block)) = table.nth_block(0) else { return };
    let shards = block.get(HEADER_KEY).and_then(|header| decode_header(table.name(), header).ok());
    for shard in 0..shards.unwrap_or(0) {
        let _ = fs::remove_file(path_of(data_name(prefix, shard, shards.unwrap_or(0))));
    }
}

/// Writes a file beside its place and then takes the place, once the contents are on the disk.
///
/// A link keeps pointing to its file. A device or a pipe is written in place.
///
/// Errors: the system's.
pub fn replace_file(name: &str, contents: &[u8]) -> Result<()> {
    let path = resolved(&path_of(name)).map_err(|e| failure(name, &e))?;
    if fs::metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return fs::write(&path, contents).map_err(|e| failure(name, &e));
    }
    // A target that is no text cannot be named here: its link is replaced.
    let name = path.to_str().unwrap_or(name);
    Temporary::create(name)?.place(contents, name)?;
    sync_folder(&folder_of(&path_of(name))).map_err(|e| failure(name, &e))
}
