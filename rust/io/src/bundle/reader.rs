//! Reads a bundle.

use super::data::{self, Extent};
use super::entry::{Entry, decode_header};
use super::slice::{Slice, SliceSpec, for_runs, intersection, volume};
use super::{HEADER_KEY, commit, data_name, index_name, strings, variants};
use crate::file::{failure, path_of};
use crate::table::Table;
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Buffer, DType, Result, Shape, Status, Tensor, bail, by_size, ensure};
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

/// A tensor to be read, or a slice of one.
pub struct ReadRequest<'a> {
    pub name: &'a [u8],
    pub part: Option<SliceSpec>,
}

struct DataFile {
    file: File,
    name: String,
    size: u64,
}

pub struct BundleReader {
    prefix: String,
    index_name: String,
    shards: i32,
    /// Keys and encoded entries in order, without the header.
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    files: Mutex<HashMap<i32, Arc<DataFile>>>,
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// One tensor as it is stored.
struct Stored {
    key: Vec<u8>,
    entry: Entry,
    file: Arc<DataFile>,
}

impl BundleReader {
    /// Opens the bundle of that prefix; finishes what a killed save had left of putting it in place.
    ///
    /// Errors: the system's; `DataLoss` for a damaged index.
    pub fn open(prefix: &str) -> Result<BundleReader> {
        commit::finish_interrupted(prefix)?;
        let index_name = index_name(prefix);
        let table = Table::open(&index_name)?;
        let mut entries = Vec::new();
        for i in 0..table.blocks() {
            if let Some(block) = table.nth_block(i)? {
                entries.extend(block.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
            }
        }
        let ordered = entries.windows(2).all(|pair| pair[0].0 < pair[1].0);
        ensure!(ordered, DataLoss, "{index_name}: keys are out of order");
        if entries.first().is_none_or(|e| e.0 != HEADER_KEY) {
            bail!(
                DataLoss,
                "Unable to read file ({index_name}). Perhaps the file is corrupt or was produced by a newer version of \
                 TensorFlow with format changes (failed to seek to header entry)"
            );
        }
        let shards = decode_header(&index_name, &entries.remove(0).1)?;
        Ok(BundleReader { prefix: prefix.to_owned(), index_name, shards, entries, files: Mutex::default() })
    }

    fn find(&self, key: &[u8]) -> Option<&[u8]> {
        let at = self.entries.binary_search_by(|e| e.0[..].cmp(key)).ok()?;
        Some(&self.entries[at].1)
    }

    pub fn contains(&self, name: &[u8]) -> bool {
        name != HEADER_KEY && self.find(name).is_some()
    }

    pub(super) fn shards(&self) -> i32 {
        self.shards
    }

    /// Returns all entries, slices and the tensors they are of among them.
    pub(super) fn entries(&self) -> impl Iterator<Item = Result<(&[u8], Entry)>> {
        self.entries.iter().map(|(key, value)| Ok((&key[..], Entry::decode(&self.index_name, key, value)?)))
    }

    pub(super) fn entry(&self, key: &[u8]) -> Result<Entry> {
        match self.find(key) {
            Some(value) if key != HEADER_KEY => Entry::decode(&self.index_name, key, value),
            _ => bail!(NotFound, "Key {} not found in checkpoint", lossy(key)),
        }
    }

    /// Returns the type and shape of a tensor.
    ///
    /// Errors: `NotFound` where there is none of that name.
    pub fn describe(&self, name: &[u8]) -> Result<(DType, Shape)> {
        let entry = self.entry(name)?;
        Ok((entry.dtype, entry.shape))
    }

    fn file(&self, shard: i32) -> Result<Arc<DataFile>> {
        if let Some(file) = self.files.lock().get(&shard) {
            return Ok(file.clone());
        }
        let name = data_name(&self.prefix, shard, self.shards);
        ensure!(
            (0..self.shards).contains(&shard),
            DataLoss,
            "{}: an entry is of data file {shard} of {}",
            self.index_name,
            self.shards
        );
        let file = File::open(path_of(&name)).map_err(|e| failure(&name, &e))?;
        let size = file.metadata().map_err(|e| failure(&name, &e))?.len();
        let file = Arc::new(DataFile { file, name, size });
        self.files.lock().insert(shard, file.clone());
        Ok(file)
    }

    /// Returns a stored tensor's entry, held against its data file: what it says of its size can be believed.
    fn stored(&self, key: Vec<u8>, entry: Entry) -> Result<Stored> {
        let file = self.file(entry.shard)?;
        let (name, shown) = (&file.name, || lossy(&key));
        let inside = entry.offset.checked_add(entry.size).is_some_and(|end| end <= file.size);
        ensure!(
            inside,
            DataLoss,
            "{name}: key {}: {} bytes at {} lie beyond the end of a file of {}",
            shown(),
            entry.size,
            entry.offset,
            file.size
        );
        let elements = entry.shape.elements();
        let fits = match entry.dtype {
            DType::String | DType::Variant => elements as u64 <= entry.size || elements == 0,
            dtype if dtype.is_plain() => elements.checked_mul(dtype.size()).is_some_and(|n| n as u64 == entry.size),
            dtype => {
                bail!(Unimplemented, "{name}: key {}: tensors of type {} cannot be read", shown(), dtype.schema_name())
            }
        };
        ensure!(
            fits,
            DataLoss,
            "{name}: Invalid size in bundle entry: key {}; stored size {}; {} elements of type {}",
            shown(),
            entry.size,
            elements,
            entry.dtype.schema_name()
        );
        Ok(Stored { key, entry, file })
    }

    /// Reads stored tensors.
    fn load(&self, stored: &[Stored], threads: Threads) -> Result<Vec<Tensor>> {
        let extent = |s: &'_ Stored| -> (u64, usize) { (s.entry.offset, s.entry.size as usize) };
        let extents: Vec<Extent<'_>> =
            stored.iter().map(|s| Extent { file: &s.file.file, offset: extent(s).0, size: extent(s).1 }).collect();
        let read = data::read(&extents, threads).map_err(|e| match e {
            None => Status::data_loss(format!("{}: its data files end before its tensors", self.prefix)),
            Some(e) => failure(&self.prefix, &e),
        })?;
        stored.iter().zip(read).map(|(s, (buffer, crc))| s.tensor(buffer, crc)).collect()
    }

    /// Returns the stored tensors that make up a requested one, their slices, and the requested slice.
    fn parts(&self, request: &ReadRequest<'_>) -> Result<Plan> {
        let entry = self.entry(request.name)?;
        let full = entry.shape.clone();
        if let Some(part) = &request.part {
            ensure!(
                part.full == full,
                InvalidArgument,
                "tensor_name = {}; shape in shape_and_slice spec {} does not match the shape stored in checkpoint: {full}",
                lossy(request.name),
                part.full
            );
        }
        let slice = request.part.as_ref().map_or_else(|| Slice::whole(full.rank()), |part| part.slice.clone());
        let range = slice.ranges(&full)?;
        let mut plan = Plan { dtype: entry.dtype, range, parts: Vec::new() };
        if entry.slices.is_empty() {
            let all = Slice::whole(full.rank()).ranges(&full)?;
            plan.parts.push((all, request.name.to_vec(), entry));
            return Ok(plan);
        }
        let mut covered = 0usize;
        let mut seen: Vec<Vec<Range<usize>>> = Vec::new();
        for stored in &entry.slices {
            let Ok(range) = stored.ranges(&full) else {
                bail!(DataLoss, "{}: slice {stored} is no part of {} {full}", self.index_name, lossy(request.name));
            };
            let Some(both) = intersection(&range, &plan.range) else { continue };
            ensure!(
                seen.iter().all(|other| intersection(other, &range).is_none()),
                DataLoss,
                "{}: Overlapping slices of {}: new slice = {stored}",
                self.index_name,
                lossy(request.name)
            );
            covered = covered.saturating_add(volume(&both));
            let key = if stored.is_whole() { request.name.to_vec() } else { stored.key(request.name) };
            let found = self.entry(&key).map_err(|_| {
                Status::data_loss(format!("{}: slice {stored} of {} is missing", self.index_name, lossy(request.name)))
            })?;
            ensure!(
                found.dtype == entry.dtype && found.slices.is_empty() && found.shape.elements() == volume(&range),
                DataLoss,
                "{}: slice {stored} of {} is another tensor",
                self.index_name,
                lossy(request.name)
            );
            seen.push(range.clone());
            plan.parts.push((range, key, found));
        }
        ensure!(
            covered == volume(&plan.range),
            InvalidArgument,
            "Does not have sufficient slices for partitioned tensor {} to restore in slice_spec: {slice}",
            lossy(request.name)
        );
        Ok(plan)
    }

    /// Reads tensors and slices of tensors.
    ///
    /// Errors: `NotFound` for missing names, `InvalidArgument` for slices that do not fit or are not stored. `DataLoss`
    /// names file and key of damaged data.
    pub fn read(&self, requests: &[ReadRequest<'_>], threads: Threads) -> Result<Vec<Tensor>> {
        let mut plans = Vec::with_capacity(requests.len());
        let mut stored: Vec<Stored> = Vec::new();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        for request in requests {
            let plan = self.parts(request)?;
            let mut sources = Vec::with_capacity(plan.parts.len());
            for (range, key, entry) in plan.parts {
                let place = match places.get(&key) {
                    Some(&place) => place,
                    None => {
                        stored.push(self.stored(key.clone(), entry)?);
                        places.insert(key, stored.len() - 1);
                        stored.len() - 1
                    }
                };
                sources.push((range, place));
            }
            plans.push((plan.dtype, plan.range, sources));
        }
        let tensors = self.load(&stored, threads)?;
        drop(stored);
        plans.into_iter().map(|(dtype, range, sources)| assemble(dtype, &range, &sources, &tensors)).collect()
    }
}

/// The stored parts of a requested tensor.
struct Plan {
    dtype: DType,
    range: Vec<Range<usize>>,
    parts: Vec<(Vec<Range<usize>>, Vec<u8>, Entry)>,
}

impl Stored {
    fn tensor(&self, mut buffer: Buffer, crc: u32) -> Result<Tensor> {
        let place = || format!("{}: key {}", self.file.name, lossy(&self.key));
        let (dtype, shape) = (self.entry.dtype, self.entry.shape.clone());
        if dtype == DType::String {
            if self.entry.size == 0 && shape.elements() == 0 {
                return Tensor::from_strings(shape, Vec::new());
            }
            let (strings, crc) = strings::decode(buffer.bytes(), shape.elements())
                .map_err(|what| Status::data_loss(format!("{}: {what}", place())))?;
            data::check(self.entry.crc, crc, place)?;
            return Tensor::from_strings(shape, strings);
        }
        if dtype == DType::Variant {
            let (variants, crc) = variants::decode(buffer.bytes(), shape.elements())
                .map_err(|what| Status::data_loss(format!("{}: {what}", place())))?;
            data::check(self.entry.crc, crc, place)?;
            return Tensor::from_objects(dtype, shape, variants);
        }
        data::check(self.entry.crc, crc, place)?;
        if dtype == DType::Bool
            && let Some(bytes) = buffer.bytes_mut()
        {
            bytes.iter_mut().for_each(|b| *b = (*b != 0).into());
        }
        Tensor::from_buffer(dtype, shape, buffer)
    }
}

fn assemble(
    dtype: DType,
    range: &[Range<usize>],
    sources: &[(Vec<Range<usize>>, usize)],
    tensors: &[Tensor],
) -> Result<Tensor> {
    let shape: Shape = range.iter().map(|r| r.len()).collect();
    if let [(from, place)] = sources
        && from[..] == *range
    {
        return tensors[*place].clone().reshaped(shape);
    }
    let mut out = Tensor::zeros(dtype, shape)?;
    for (from, place) in sources {
        by_size!(dtype, E, {
            let (to, values) = (E::view_mut(&mut out)?, E::view(&tensors[*place])?);
            for_runs(from, range, |a, b, n| to[b..b + n].clone_from_slice(&values[a..a + n]));
            Ok(())
        })?;
    }
    Ok(out)
}
