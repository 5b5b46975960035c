//! Databases of LMDB, read in the order of their keys, without locks: as they were at the last commit before they were
//! opened.
//!
//! A file is an array of pages. The first two describe the database, each as of one commit; the newer one counts. Keys and
//! values are in a B+ tree: branch pages lead to leaf pages, and a large value has overflow pages of its own.

use crate::file::{failure, path_of};
use crate::positioned::read_exact_at;
use ferroflow_tensor::{Result, Status, bail};
use std::fs::File;
use std::io::ErrorKind;

const MAGIC: u32 = 0xBEEF_C0DE;
const VERSION: u32 = 1;
/// Bytes of a page before its content.
const PAGE_HEADER: usize = 16;
/// Bytes of a page that describes the database, from its content on.
const META: usize = 136;
/// Bytes of a node before its key.
const NODE_HEADER: usize = 8;
/// Bytes of the description of one tree.
const TREE: usize = 48;
const NO_PAGE: u64 = u64::MAX;
const SMALLEST_PAGE: usize = 256;
const LARGEST_PAGE: usize = 1 << 16;
/// Deeper than any tree of LMDB, whose cursors have this many levels.
const MOST_LEVELS: usize = 32;

mod flags {
    pub const BRANCH: u16 = 0x01;
    pub const LEAF: u16 = 0x02;
    pub const OVERFLOW: u16 = 0x04;
    pub const META: u16 = 0x08;
    /// Of a node: its data is the number of an overflow page.
    pub const BIG: u16 = 0x01;
    /// Of a node: its data is a tree of its own, or a page of several values.
    pub const NESTED: u16 = 0x02 | 0x04;
}

/// A key and its value.
pub type Entry = (Vec<u8>, Vec<u8>);

struct Level {
    page: Vec<u8>,
    /// The node to visit next.
    next: usize,
}

/// Reads the entries of a database's main tree by rising keys.
pub struct LmdbReader {
    name: String,
    file: File,
    page_size: usize,
    root: u64,
    /// Number of pages that the last commit uses.
    pages: u64,
    levels: Vec<Level>,
    is_begun: bool,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    number(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    number(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    number(bytes, at).map(u64::from_le_bytes)
}

/// The description of a database in one of its first two pages.
struct Meta {
    page_size: usize,
    root: u64,
    pages: u64,
    transaction: u64,
}

impl Meta {
    /// Reads the description in a page; None if the page has none.
    fn parse(page: &[u8]) -> Option<Meta> {
        let is_meta = u16_at(page, 10)? & flags::META != 0;
        let content = page.get(PAGE_HEADER..)?;
        if !is_meta || u32_at(content, 0)? != MAGIC || u32_at(content, 4)? != VERSION {
            return None;
        }
        // The tree of free pages comes first. What would be its key size is the size of pages.
        let (free, main) = (24, 24 + TREE);
        Some(Meta {
            page_size: u32_at(content, free)? as usize,
            root: u64_at(content, main + 40)?,
            pages: u64_at(content, main + TREE)?.checked_add(1)?,
            transaction: u64_at(content, main + TREE + 8)?,
        })
    }
}

impl LmdbReader {
    /// Opens a database: a folder with a file `data.mdb`, or a file.
    ///
    /// Errors: those of the system, `DataLoss` for a file that is no database of LMDB.
    pub fn open(name: impl AsRef<[u8]>) -> Result<LmdbReader> {
        let name = name.as_ref();
        let text = String::from_utf8_lossy(name).into_owned();
        let mut path = path_of(name);
        if path.is_dir() {
            path.push("data.mdb");
        }
        let file = File::open(&path).map_err(|e| failure(&text, &e))?;
        let mut reader =
            LmdbReader { name: text, file, page_size: 0, root: NO_PAGE, pages: 0, levels: Vec::new(), is_begun: false };
        let first = reader.meta(0)?;
        let page_size = first.page_size;
        if !(SMALLEST_PAGE..=LARGEST_PAGE).contains(&page_size) || !page_size.is_power_of_two() {
            return Err(reader.damaged("has pages of an impossible size"));
        }
        // A writer may have been interrupted amid the second description.
        let newest = match reader.meta(page_size as u64) {
            Ok(second) if second.transaction > first.transaction => second,
            _ => first,
        };
        (reader.page_size, reader.root, reader.pages) = (page_size, newest.root, newest.pages);
        Ok(reader)
    }

    fn damaged(&self, what: &str) -> Status {
        Status::new(ferroflow_tensor::Code::DataLoss, format!("{}: the LMDB database {what}", self.name))
    }

    fn meta(&self, offset: u64) -> Result<Meta> {
        let mut bytes = vec![0; PAGE_HEADER + META];
        self.fill(&mut bytes, offset)?;
        Meta::parse(&bytes).ok_or_else(|| self.damaged("has no description: the file is of another format"))
    }

    fn fill(&self, to: &mut [u8], offset: u64) -> Result<()> {
        read_exact_at(&self.file, to, offset).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => self.damaged("is cut short"),
            _ => failure(&self.name, &e),
        })
    }

    /// Reads bytes from a page's start on, or from `skipped` bytes behind it.
    fn read_page(&self, page: u64, skipped: usize, length: usize) -> Result<Vec<u8>> {
        // A damaged length must not reserve more memory than the file could fill.
        let bytes = self.pages.saturating_mul(self.page_size as u64);
        let start = page.checked_mul(self.page_size as u64).and_then(|s| s.checked_add(skipped as u64));
        let Some(start) = start.filter(|s| s.checked_add(length as u64).is_some_and(|end| end <= bytes)) else {
            return Err(self.damaged("refers to a page behind its end"));
        };
        let mut out = vec![0; length];
        self.fill(&mut out, start)?;
        Ok(out)
    }

    fn descend(&mut self, page: u64) -> Result<()> {
        if self.levels.len() >= MOST_LEVELS {
            return Err(self.damaged("has a tree that is too deep"));
        }
        let page = self.read_page(page, 0, self.page_size)?;
        self.levels.push(Level { page, next: 0 });
        Ok(())
    }

    /// Returns the value of a leaf's node.
    fn value(&self, flags: u16, length: usize, data: &[u8]) -> Result<Option<Vec<u8>>> {
        if flags & flags::NESTED != 0 {
            bail!(
                Unimplemented,
                "{}: LMDB databases with several values for a key, or inside others, are not read",
                self.name
            );
        }
        if flags & flags::BIG == 0 {
            return Ok(data.get(..length).map(<[u8]>::to_vec));
        }
        let Some(page) = u64_at(data, 0) else { return Ok(None) };
        let header = self.read_page(page, 0, PAGE_HEADER)?;
        if u16_at(&header, 10).is_none_or(|f| f & flags::OVERFLOW == 0) {
            return Ok(None);
        }
        self.read_page(page, PAGE_HEADER, length).map(Some)
    }

    /// Returns the next entry; None behind the last one.
    ///
    /// Errors: those of the system, `DataLoss` for a damaged file, `Unimplemented` for keys with several values.
    pub fn read(&mut self) -> Result<Option<Entry>> {
        if !self.is_begun {
            self.is_begun = true;
            if self.root != NO_PAGE {
                self.descend(self.root)?;
            }
        }
        while let Some(level) = self.levels.last_mut() {
            let Some(node) = Node::of(&level.page, level.next) else {
                return Err(self.damaged("has a damaged page"));
            };
            level.next += 1;
            match node {
                Node::None => {
                    self.levels.pop();
                }
                Node::Branch(page) => self.descend(page)?,
                Node::Leaf { flags, length, key, data } => {
                    let (key, data) = (key.to_vec(), data.to_vec());
                    let Some(value) = self.value(flags, length, &data)? else {
                        return Err(self.damaged("has a damaged value"));
                    };
                    return Ok(Some((key, value)));
                }
            }
        }
        Ok(None)
    }
}

/// A node of a page.
enum Node<'a> {
    /// The page has no more.
    None,
    Branch(u64),
    Leaf {
        flags: u16,
        length: usize,
        key: &'a [u8],
        data: &'a [u8],
    },
}

impl Node<'_> {
    /// Reads the node at a position of a page; None if the page is damaged.
    fn of(page: &[u8], position: usize) -> Option<Node<'_>> {
        let kind = u16_at(page, 10)? & (flags::BRANCH | flags::LEAF);
        let count = usize::from(u16_at(page, 12)?).checked_sub(PAGE_HEADER)? / 2;
        if position >= count {
            return Some(Node::None);
        }
        let at = usize::from(u16_at(page, PAGE_HEADER + 2 * position)?);
        let [low, high, flags] = [0, 2, 4].map(|offset| u16_at(page, at + offset));
        let (low, high, flags) = (low?, high?, flags?);
        let key_length = usize::from(u16_at(page, at + 6)?);
        let key = page.get(at + NODE_HEADER..at + NODE_HEADER + key_length)?;
        let small = u64::from(low) | u64::from(high) << 16;
        match kind {
            flags::BRANCH => Some(Node::Branch(small | u64::from(flags) << 32)),
            flags::LEAF => {
                let data = page.get(at + NODE_HEADER + key_length..)?;
                // A value that is not in the page has the number of its page here.
                let here = if flags & flags::BIG == 0 { small as usize } else { 8 };
                Some(Node::Leaf { flags, length: small as usize, key, data: data.get(..here)? })
            }
            _ => None,
        }
    }
}
