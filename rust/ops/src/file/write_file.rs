//! WriteFile: a file with given bytes.

use super::path::name_in;
use ferroflow_graph::{Blocking, KernelContext, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_io::file::{failure, path_of};
use ferroflow_tensor::{Result, bail};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.input(1)?.with_rank(0)?;
    Ok(())
}

/// Writes beside the file and then takes its place: a reader sees the old file or the new one.
fn replace(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let special = fs::metadata(path).is_ok_and(|m| !m.is_file());
    if special {
        // A device or a pipe is written in place; a rename would replace it by a file.
        return fs::write(path, contents);
    }
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

fn write(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (name, contents) = (name_in(ctx.input(0)?, "filename")?, ctx.take(1)?);
    ctx.run_blocking(move |_| {
        let [bytes] = contents.strings()? else {
            bail!(InvalidArgument, "Contents tensor must be scalar, but had shape: {}", contents.shape());
        };
        replace(&path_of(&name), bytes).map_err(|e| failure(&name, &e))?;
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
