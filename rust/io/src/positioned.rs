//! Reads and writes at a place in a file, which threads that share the file do at the same time.

use std::fs::File;
use std::io::Result;

/// Fills `to` with the bytes from `offset` on.
///
/// Errors: the system's, and `UnexpectedEof` where the file ends before.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, to: &mut [u8], offset: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, offset)
}

/// Writes all of `bytes` from `offset` on.
#[cfg(unix)]
pub(crate) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

// Windows moves the cursor of the file too, which nothing here relies on, and may read fewer bytes than requested.

#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut to: &mut [u8], mut offset: u64) -> Result<()> {
    use std::io::ErrorKind;
    while !to.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, to, offset) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                to = &mut to[read..];
                offset += read as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(windows)]
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> Result<()> {
    use std::io::ErrorKind;
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn what_is_written_at_a_place_is_read_there_and_the_end_of_the_file_is_an_error() {
        let path = std::env::temp_dir().join(format!("ferroflow_positioned_{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        write_all_at(&file, b"behind", 4).unwrap();
        write_all_at(&file, b"left", 0).unwrap();
        let mut bytes = [0; 10];
        read_exact_at(&file, &mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"leftbehind");
        assert_eq!(read_exact_at(&file, &mut bytes, 1).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        std::fs::remove_file(path).unwrap();
    }
}
