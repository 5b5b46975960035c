//! Frames: what travels between tasks, a header, a table with the message, and the bytes of the tensors.
//!
//! Header, 24 bytes, little-endian: magic (4), kind (2), zero (2), length of the table (4), number of tensors (4),
//! length of the tensors' bytes (8). The table is a protobuf message. Tensors are received into the memory they stay
//! in.

use crate::secured::status_in;
use ferroflow_tensor::{Buffer, Bytes, DType, Result, Shape, Tensor, bail, ensure};
use prost::Message;
use std::collections::VecDeque;
use std::io::{ErrorKind, IoSlice, Read, Write};

const MAGIC: [u8; 4] = *b"FFw1";
const HEADER: usize = 24;
/// Bytes that one read requests if fewer are expected.
const STAGE: usize = 64 << 10;
/// A string tensor's bytes; the contents of others go straight into their memory.
const MAX_STRINGS: u64 = 4 << 30;

/// Limits of a connection before authentication and after it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub table: u32,
    pub tensors: u32,
    pub bytes: u64,
}

impl Limits {
    pub const STRANGER: Limits = Limits { table: 16 << 10, tensors: 0, bytes: 0 };
    pub const KNOWN: Limits = Limits { table: 1 << 30, tensors: 1 << 20, bytes: 1 << 40 };
}

#[derive(Clone, PartialEq, Message)]
struct TensorEntry {
    /// The key under which the receiver finds it.
    #[prost(uint64, tag = "1")]
    key: u64,
    #[prost(int32, tag = "2")]
    dtype: i32,
    #[prost(int64, repeated, tag = "3")]
    dims: Vec<i64>,
    #[prost(uint64, tag = "4")]
    bytes: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Table {
    #[prost(message, repeated, tag = "1")]
    tensors: Vec<TensorEntry>,
    #[prost(bytes = "vec", tag = "2")]
    message: Vec<u8>,
}

/// A message with tensors.
#[derive(Debug)]
pub struct Frame {
    pub kind: u16,
    pub message: Vec<u8>,
    pub tensors: Vec<(u64, Tensor)>,
}

impl Frame {
    pub fn new(kind: u16, message: &impl Message) -> Frame {
        Frame { kind, message: message.encode_to_vec(), tensors: Vec::new() }
    }

    /// Decodes the message, which must be a `T`.
    pub fn decode<T: Message + Default>(&self) -> Result<T> {
        match T::decode(&*self.message) {
            Ok(message) => Ok(message),
            Err(e) => bail!(InvalidArgument, "A message of kind {} cannot be read: {e}", self.kind),
        }
    }
}

enum Chunk {
    Bytes(Vec<u8>),
    Tensor(Tensor),
}

impl Chunk {
    fn bytes(&self) -> &[u8] {
        match self {
            Chunk::Bytes(b) => b,
            Chunk::Tensor(t) => t.bytes().unwrap_or(&[]),
        }
    }
}

/// Frames on their way out.
#[derive(Default)]
pub struct Outgoing {
    chunks: VecDeque<Chunk>,
    /// Bytes of the first chunk that are gone.
    written: usize,
}

impl Outgoing {
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Queues a frame.
    ///
    /// Errors: `InvalidArgument` for tensors that hold no bytes, and what exceeds the limits of frames.
    pub fn push(&mut self, frame: Frame) -> Result<()> {
        let mut table = Table { tensors: Vec::with_capacity(frame.tensors.len()), message: frame.message };
        let mut payload = Vec::with_capacity(frame.tensors.len());
        let mut total = 0u64;
        for (key, tensor) in frame.tensors {
            let (dtype, dims) = (tensor.dtype(), tensor.shape().to_i64());
            let chunk = match dtype {
                DType::String => Chunk::Bytes(pack_strings(tensor.strings()?)),
                _ if dtype.is_plain() => Chunk::Tensor(tensor),
                _ => bail!(InvalidArgument, "a {} cannot be sent to another process", dtype.name()),
            };
            let bytes = chunk.bytes().len() as u64;
            total += bytes;
            table.tensors.push(TensorEntry { key, dtype: dtype.number(), dims, bytes });
            payload.push(chunk);
        }
        let table_length = table.encoded_len();
        ensure!(
            table_length <= Limits::KNOWN.table as usize && payload.len() <= Limits::KNOWN.tensors as usize,
            ResourceExhausted,
            "A message of {table_length} bytes and {} tensors is too large to be sent",
            payload.len()
        );
        let mut head = Vec::with_capacity(HEADER + table_length);
        head.extend(MAGIC);
        head.extend(frame.kind.to_le_bytes());
        head.extend([0; 2]);
        head.extend((table_length as u32).to_le_bytes());
        head.extend((payload.len() as u32).to_le_bytes());
        head.extend(total.to_le_bytes());
        table.encode_raw(&mut head);
        self.chunks.push_back(Chunk::Bytes(head));
        self.chunks.extend(payload.into_iter().filter(|c| !c.bytes().is_empty()));
        Ok(())
    }

    /// Writes what the socket takes now; whether all is gone.
    pub fn write(&mut self, socket: &mut impl Write) -> std::io::Result<bool> {
        while !self.chunks.is_empty() {
            let mut slices = [IoSlice::new(&[]); 32];
            let mut count = 0;
            for (slice, chunk) in slices.iter_mut().zip(&self.chunks) {
                let bytes = chunk.bytes();
                *slice = IoSlice::new(if count == 0 { &bytes[self.written..] } else { bytes });
                count += 1;
            }
            match socket.write_vectored(&slices[..count]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => self.advance(n),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    fn advance(&mut self, mut n: usize) {
        n += self.written;
        self.written = 0;
        while let Some(first) = self.chunks.front() {
            let length = first.bytes().len();
            if n < length {
                self.written = n;
                return;
            }
            n -= length;
            self.chunks.pop_front();
        }
    }
}

fn pack_strings(strings: &[Bytes]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(strings.iter().map(|s| s.len() + 8).sum());
    strings.iter().for_each(|s| packed.extend((s.len() as u64).to_le_bytes()));
    strings.iter().for_each(|s| packed.extend(&**s));
    packed
}

fn unpack_strings(shape: Shape, packed: &[u8]) -> Result<Tensor> {
    let n = shape.elements();
    let Some((lengths, mut rest)) = n.checked_mul(8).and_then(|at| packed.split_at_checked(at)) else {
        bail!(InvalidArgument, "{} bytes do not hold {n} strings", packed.len());
    };
    let mut strings = Vec::with_capacity(n);
    for length in lengths.chunks_exact(8) {
        let mut raw = [0; 8];
        raw.copy_from_slice(length);
        let one = usize::try_from(u64::from_le_bytes(raw)).ok().and_then(|length| rest.split_at_checked(length));
        let Some((one, others)) = one else { bail!(InvalidArgument, "A string is longer than what was received") };
        strings.push(Bytes::from(one));
        rest = others;
    }
    ensure!(rest.is_empty(), InvalidArgument, "{} bytes follow the last string", rest.len());
    Tensor::from_strings(shape, strings)
}

/// The tensor whose bytes come next.
struct Arriving {
    key: u64,
    dtype: DType,
    shape: Shape,
    memory: Memory,
    filled: usize,
}

enum Memory {
    Plain(Buffer),
    /// Grows with what comes.
    Packed(Vec<u8>, usize),
}

enum Stage {
    Header,
    Table {
        kind: u16,
        tensors: u32,
        payload: u64,
        length: usize,
    },
    Tensors {
        kind: u16,
        message: Vec<u8>,
        entries: std::vec::IntoIter<TensorEntry>,
        done: Vec<(u64, Tensor)>,
        current: Option<Arriving>,
    },
}

/// Frames on their way in.
pub struct Incoming {
    limits: Limits,
    stage: Stage,
    /// Bytes received and not used: `held[used..]`.
    held: Vec<u8>,
    used: usize,
    received: u64,
}

/// The outcome of a read.
#[derive(Debug)]
pub enum Received {
    Frame(Frame),
    /// Nothing more is there now.
    Nothing,
    /// The other side closed the connection.
    End,
}

impl Incoming {
    pub fn new(limits: Limits) -> Incoming {
        Incoming { limits, stage: Stage::Header, held: Vec::new(), used: 0, received: 0 }
    }

    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Reads what the socket has until a frame is whole.
    ///
    /// Errors: `InvalidArgument` for what is no frame, `ResourceExhausted` for one beyond the limits; the connection is of no more use.
    pub fn read(&mut self, socket: &mut impl Read) -> Result<Received> {
        loop {
            if let Some(frame) = self.advance()? {
                return Ok(Received::Frame(frame));
            }
            let got = match &mut self.stage {
                // Large contents go where they stay.
                Stage::Tensors { current: Some(Arriving { memory: Memory::Plain(buffer), filled, .. }), .. }
                    if buffer.bytes().len() - *filled >= STAGE =>
                {
                    match buffer.bytes_mut().and_then(|b| b.get_mut(*filled..)) {
                        Some(rest) => socket.read(rest).inspect(|n| *filled += n),
                        None => bail!(Internal, "a buffer is shared before it is filled"),
                    }
                }
                _ => {
                    self.held.drain(..self.used);
                    self.used = 0;
                    let start = self.held.len();
                    self.held.resize(start + STAGE, 0);
                    let got = socket.read(&mut self.held[start..]);
                    self.held.truncate(start + *got.as_ref().unwrap_or(&0));
                    got
                }
            };
            match got {
                Ok(0) => return Ok(Received::End),
                Ok(n) => self.received = self.received.wrapping_add(n as u64),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(Received::Nothing),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if is_gone(&e) => return Ok(Received::End),
                Err(e) => match status_in(&e) {
                    Some(status) => return Err(status),
                    None => bail!(Unavailable, "A connection failed: {e}"),
                },
            }
        }
    }

    /// Returns the number of bytes received.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Returns true if part of a frame was received.
    pub fn is_amid(&self) -> bool {
        !matches!(self.stage, Stage::Header) || self.used < self.held.len()
    }

    /// Uses what is held; the frame if that completes one.
    fn advance(&mut self) -> Result<Option<Frame>> {
        loop {
            let held = &self.held[self.used..];
            match &mut self.stage {
                Stage::Header => {
                    let Some(header) = held.get(..HEADER) else { return Ok(None) };
                    self.stage = read_header(header, self.limits)?;
                    self.used += HEADER;
                }
                Stage::Table { kind, tensors, payload, length } => {
                    let Some(table) = held.get(..*length) else { return Ok(None) };
                    let (entries, message) = read_table(table, *tensors, *payload)?;
                    self.used += *length;
                    let (kind, done) = (*kind, Vec::with_capacity(entries.len()));
                    self.stage = Stage::Tensors { kind, message, entries: entries.into_iter(), done, current: None };
                }
                Stage::Tensors { kind, message, entries, done, current } => {
                    if let Some(arriving) = current {
                        self.used += arriving.fill(held);
                        if !arriving.is_full() {
                            return Ok(None);
                        }
                        if let Some(full) = current.take() {
                            done.push((full.key, full.finish()?));
                        }
                    }
                    match entries.next() {
                        Some(entry) => *current = Some(Arriving::begin(&entry)?),
                        None => {
                            let frame =
                                Frame { kind: *kind, message: std::mem::take(message), tensors: std::mem::take(done) };
                            self.stage = Stage::Header;
                            return Ok(Some(frame));
                        }
                    }
                }
            }
        }
    }
}

/// Returns true if the other side has closed the connection.
pub fn is_gone(e: &std::io::Error) -> bool {
    matches!(
        e.kind(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe | ErrorKind::WriteZero
    )
}

fn number<const N: usize>(header: &[u8], at: usize) -> [u8; N] {
    let mut raw = [0; N];
    raw.copy_from_slice(&header[at..at + N]);
    raw
}

fn read_header(header: &[u8], limits: Limits) -> Result<Stage> {
    ensure!(
        header[..4] == MAGIC,
        InvalidArgument,
        "The other side uses another protocol than ferroflow's, or another version of it"
    );
    let kind = u16::from_le_bytes(number(header, 4));
    let length = u32::from_le_bytes(number(header, 8));
    let tensors = u32::from_le_bytes(number(header, 12));
    let payload = u64::from_le_bytes(number(header, 16));
    ensure!(header[6..8] == [0; 2], InvalidArgument, "A frame's header is damaged");
    ensure!(
        length <= limits.table && tensors <= limits.tensors && payload <= limits.bytes,
        ResourceExhausted,
        "A frame of {length} bytes with {tensors} tensors of {payload} bytes is larger than allowed here"
    );
    Ok(Stage::Table { kind, tensors, payload, length: length as usize })
}

fn read_table(table: &[u8], tensors: u32, payload: u64) -> Result<(Vec<TensorEntry>, Vec<u8>)> {
    let table = match Table::decode(table) {
        Ok(table) => table,
        Err(e) => bail!(InvalidArgument, "A frame's table cannot be read: {e}"),
    };
    let total = table.tensors.iter().try_fold(0u64, |sum, t| sum.checked_add(t.bytes));
    ensure!(
        table.tensors.len() == tensors as usize && total == Some(payload),
        InvalidArgument,
        "A frame's table does not fit its header"
    );
    Ok((table.tensors, table.message))
}

impl Arriving {
    fn begin(entry: &TensorEntry) -> Result<Arriving> {
        let Some(dtype) = DType::from_number(entry.dtype) else {
            bail!(InvalidArgument, "{} is no dtype", entry.dtype);
        };
        ensure!(entry.dims.len() <= 254, InvalidArgument, "A tensor of {} dimensions was received", entry.dims.len());
        let shape = Shape::checked(&entry.dims)?;
        let memory = if dtype == DType::String {
            ensure!(
                entry.bytes <= MAX_STRINGS && entry.bytes / 8 >= shape.elements() as u64,
                InvalidArgument,
                "{} bytes do not hold strings of shape {shape}",
                entry.bytes
            );
            Memory::Packed(Vec::new(), entry.bytes as usize)
        } else {
            let bytes = shape.elements().checked_mul(dtype.size());
            ensure!(
                dtype.is_plain() && bytes.map(|b| b as u64) == Some(entry.bytes),
                InvalidArgument,
                "{} bytes do not hold a {} of shape {shape}",
                entry.bytes,
                dtype.name()
            );
            let Ok(buffer) = Buffer::new(entry.bytes as usize) else {
                bail!(ResourceExhausted, "OOM when receiving a tensor with shape{shape} and type {}", dtype.name());
            };
            Memory::Plain(buffer)
        };
        Ok(Arriving { key: entry.key, dtype, shape, memory, filled: 0 })
    }

    fn length(&self) -> usize {
        match &self.memory {
            Memory::Plain(buffer) => buffer.bytes().len(),
            Memory::Packed(_, length) => *length,
        }
    }

    fn is_full(&self) -> bool {
        self.filled == self.length()
    }

    /// Takes what it needs of these bytes; how many.
    fn fill(&mut self, held: &[u8]) -> usize {
        let n = held.len().min(self.length() - self.filled);
        match &mut self.memory {
            Memory::Plain(buffer) => {
                if let Some(rest) = buffer.bytes_mut().and_then(|b| b.get_mut(self.filled..self.filled + n)) {
                    rest.copy_from_slice(&held[..n]);
                }
            }
            Memory::Packed(packed, _) => packed.extend(&held[..n]),
        }
        self.filled += n;
        n
    }

    fn finish(self) -> Result<Tensor> {
        match self.memory {
            Memory::Plain(buffer) => {
                let is_valid = self.dtype != DType::Bool || buffer.bytes().iter().all(|b| *b <= 1);
                ensure!(is_valid, InvalidArgument, "A bool that is neither true nor false was received");
                Tensor::from_buffer(self.dtype, self.shape, buffer)
            }
            Memory::Packed(packed, _) => unpack_strings(self.shape, &packed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::{Code, f16};

    fn wire(frames: Vec<Frame>) -> Vec<u8> {
        let mut outgoing = Outgoing::default();
        frames.into_iter().for_each(|f| outgoing.push(f).unwrap());
        let mut bytes = Vec::new();
        assert!(outgoing.write(&mut bytes).unwrap());
        bytes
    }

    fn sample() -> Frame {
        let big: Vec<f32> = (0..70_000).map(|i| i as f32).collect();
        let strings = vec![Bytes::default(), Bytes::from(&[0xff, 0][..]), Bytes::from(vec![7; 1000])];
        Frame {
            kind: 21,
            message: b"hello".to_vec(),
            tensors: vec![
                (1, Tensor::scalar(3i32)),
                (u64::MAX, Tensor::from_slice([70, 1000], &big).unwrap()),
                (3, Tensor::from_strings([3], strings).unwrap()),
                (4, Tensor::zeros(DType::F64, [0, 5]).unwrap()),
                (5, Tensor::from_slice([2], &[true, false]).unwrap()),
                (6, Tensor::from_slice([1], &[f16::from_f32(0.5)]).unwrap()),
            ],
        }
    }

    /// Hands out at most so many bytes at a time, and says now and then that there are none now.
    struct Trickle<'a> {
        bytes: &'a [u8],
        at_most: usize,
        waits: bool,
    }

    impl Read for Trickle<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.waits = !self.waits;
            if self.waits {
                return Err(ErrorKind::WouldBlock.into());
            }
            let n = into.len().min(self.at_most).min(self.bytes.len());
            into[..n].copy_from_slice(&self.bytes[..n]);
            self.bytes = &self.bytes[n..];
            Ok(n)
        }
    }

    /// Reads to the end: the frames, and the failure if there was one.
    fn read_all(bytes: &[u8], at_most: usize, limits: Limits) -> (Vec<Frame>, Result<()>) {
        let mut incoming = Incoming::new(limits);
        let mut source = Trickle { bytes, at_most, waits: false };
        let mut frames = Vec::new();
        loop {
            match incoming.read(&mut source) {
                Ok(Received::Frame(frame)) => frames.push(frame),
                Ok(Received::Nothing) => {}
                Ok(Received::End) => return (frames, Ok(())),
                Err(e) => return (frames, Err(e)),
            }
        }
    }

    fn same(a: &Frame, b: &Frame) {
        assert_eq!((a.kind, &a.message, a.tensors.len()), (b.kind, &b.message, b.tensors.len()));
        for ((ka, a), (kb, b)) in a.tensors.iter().zip(&b.tensors) {
            assert_eq!((ka, a.dtype(), a.shape()), (kb, b.dtype(), b.shape()));
            match a.dtype() {
                DType::String => assert_eq!(a.strings().unwrap(), b.strings().unwrap()),
                _ => assert_eq!(a.bytes(), b.bytes()),
            }
        }
    }

    #[test]
    fn frames_arrive_as_they_were_sent_in_whatever_pieces() {
        let bytes = wire(vec![sample(), Frame { kind: 1, message: vec![], tensors: vec![] }, sample()]);
        for at_most in [997, 4096, 100_000, usize::MAX] {
            let (frames, end) = read_all(&bytes, at_most, Limits::KNOWN);
            assert!(end.is_ok() && frames.len() == 3);
            same(&frames[0], &sample());
            same(&frames[2], &sample());
            assert_eq!((frames[1].kind, frames[1].tensors.len()), (1, 0));
        }
        let small = Frame { kind: 2, message: b"abc".to_vec(), tensors: vec![(7, Tensor::scalar(1.5f64))] };
        let (frames, _) = read_all(&wire(vec![small]), 1, Limits::KNOWN);
        assert_eq!(frames[0].tensors[0].1.to_scalar::<f64>().unwrap(), 1.5);
    }

    #[test]
    fn what_is_cut_short_gives_no_frame_and_no_panic() {
        let small = Frame {
            kind: 2,
            message: b"abc".to_vec(),
            tensors: vec![
                (1, Tensor::from_strings([1], vec![Bytes::from(&b"text"[..])]).unwrap()),
                (2, Tensor::scalar(1i64)),
            ],
        };
        let bytes = wire(vec![small]);
        for length in 0..bytes.len() {
            assert_eq!(read_all(&bytes[..length], usize::MAX, Limits::KNOWN).0.len(), 0);
        }
    }

    #[test]
    fn any_changed_byte_gives_an_error_or_another_frame_and_no_panic() {
        let small = Frame {
            kind: 2,
            message: b"abc".to_vec(),
            tensors: vec![
                (1, Tensor::from_strings([2], vec![Bytes::from(&b"text"[..]), Bytes::default()]).unwrap()),
                (2, Tensor::from_slice([2], &[true, true]).unwrap()),
            ],
        };
        let bytes = wire(vec![small]);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let _ = read_all(&damaged, usize::MAX, Limits { bytes: 1 << 20, ..Limits::KNOWN });
            }
        }
    }

    #[test]
    fn noise_is_refused() {
        let mut state = 1u64;
        for length in [1, 23, 24, 25, 100, 5000] {
            let noise: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 56) as u8
                })
                .collect();
            assert!(read_all(&noise, usize::MAX, Limits::KNOWN).0.is_empty());
        }
        let (_, end) = read_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", usize::MAX, Limits::KNOWN);
        assert_eq!(end.unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn absurd_lengths_are_refused_before_memory_is_asked_for() {
        let header = |length: u32, tensors: u32, payload: u64| {
            let mut h = MAGIC.to_vec();
            h.extend([1, 0, 0, 0]);
            h.extend(length.to_le_bytes());
            h.extend(tensors.to_le_bytes());
            h.extend(payload.to_le_bytes());
            h
        };
        for (limits, bytes) in [
            (Limits::STRANGER, header(1 << 20, 0, 0)),
            (Limits::STRANGER, header(4, 1, 0)),
            (Limits::STRANGER, header(4, 0, 1)),
            (Limits::KNOWN, header(u32::MAX, 0, 0)),
            (Limits::KNOWN, header(4, u32::MAX, 0)),
            (Limits::KNOWN, header(4, 1, u64::MAX)),
        ] {
            let (_, end) = read_all(&bytes, usize::MAX, limits);
            assert_eq!(end.unwrap_err().code(), Code::ResourceExhausted);
        }
        // A table that says more than the header allows, and shapes whose product overflows.
        for (dims, count, payload) in
            [(vec![1 << 40, 1 << 40], 8, 8), (vec![-1], 8, 8), (vec![3], 12, 11), (vec![3], 11, 11)]
        {
            let entry = TensorEntry { key: 1, dtype: DType::F32.number(), dims, bytes: count };
            let table = Table { tensors: vec![entry], message: vec![] }.encode_to_vec();
            let mut bytes = header(table.len() as u32, 1, payload);
            bytes.extend(table);
            bytes.extend([0; 16]);
            assert!(read_all(&bytes, usize::MAX, Limits::KNOWN).1.is_err());
        }
    }

    #[test]
    fn a_large_table_is_read_as_it_comes() {
        let message = vec![1u8; 3 << 20];
        let (frames, end) = read_all(&wire(vec![Frame { kind: 3, message, tensors: vec![] }]), 70_000, Limits::KNOWN);
        assert!(end.is_ok() && frames[0].message.len() == 3 << 20);
    }
}
