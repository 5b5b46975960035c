//! WriteFile: a file with given bytes.

use super::path::name_in;
use ferroflow_graph::{Blocking, KernelContext, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::file::{failure, path_of, resolved};
use ferroflow_tensor::{Result, bail};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Failures of a new file beside a file that itself may be writable.
const NO_PLACE: [ErrorKind; 4] =
    [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem, ErrorKind::ResourceBusy, ErrorKind::InvalidFilename];

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.input(1)?.with_rank(0)?;
    Ok(())
}

/// Returns true if a file has other names, which a rename would leave with the old contents.
fn has_other_names(metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(metadata) > 1;
    #[cfg(not(unix))]
    return false;
}

/// Writes a new file that takes the place of another: a reader sees the old file or the new one.
fn take_place(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".tmp-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    let beside = Path::new(&name);
    let written = fs::File::create(beside).and_then(|mut f| f.write_all(contents)).and_then(|()| {
        if let Ok(old) = fs::metadata(path) {
            fs::set_permissions(beside, old.permissions())?;
        }
        fs::rename(beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(beside);
    }
    written
}

/// Writes a file, with its folders, in the file's place; directly where no other file can take the place.
///
/// Devices, pipes and files with several names are such. So are mounted files, and files in folders that cannot be
/// written. A link keeps pointing to its file.
fn replace(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let path = resolved(path)?;
    if !fs::metadata(&path).is_ok_and(|m| !m.is_file() || has_other_names(&m)) {
        match take_place(&path, contents) {
            Err(e) if NO_PLACE.contains(&e.kind()) => {}
            written => return written,
        }
    }
    fs::write(path, contents)
}

fn write(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (name, contents) = (name_in(ctx.input(0)?, "filename")?, ctx.take(1)?);
    ctx.run_blocking(move |_| {
        let [bytes] = contents.strings()? else {
            bail!(InvalidArgument, "Contents tensor must be scalar, but had shape: {}", contents.shape());
        };
        replace(&path_of(&name), bytes).map_err(|e| failure(&String::from_utf8_lossy(&name), &e))?;
        Ok(Outputs::new())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("WriteFile")
            .input("filename: string")
            .input("contents: string")
            .stateful()
            .foreign()
            .blocks(Blocking::Files)
            .doc("Writes a file, and the folders it lies in.")
            .shape(shape)
            .kernel(|_| kernel(write)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_files_replaced_whole() {
        let folder = std::env::temp_dir().join(format!("ferroflow-write-{}", std::process::id()));
        let path = folder.join("a/b.txt");
        replace(&path, b"one, longer").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.join("a")).unwrap().count(), 1);
        assert!(replace(&folder.join("a"), b"x").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
