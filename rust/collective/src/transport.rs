//! `Transport`: the bytes that the processes of a group exchange.

use ferroflow_tensor::{DType, Result};

/// One side of a broadcast.
pub enum Part<'a> {
    /// The data, at the root.
    Send(&'a [u8]),
    /// The memory into which the root's data are copied.
    Receive(&'a mut [u8]),
}

/// Carries bytes between the processes of a group. One thread uses it.
///
/// All processes of the group call `exchange`, `gather`, `broadcast` and `sum` in the same order with matching sizes.
/// These calls return when this process's part is done.
pub trait Transport: Send {
    /// Sends a message. It arrives after the earlier ones to the same rank.
    fn send(&mut self, to: usize, message: &[u8]) -> Result<()>;

    /// Returns the next message that has arrived, and its sender's rank.
    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>>;

    /// Returns whether all messages have left this process.
    fn is_flushed(&mut self) -> Result<bool>;

    /// Sends to each other rank its part of `send`, and receives this rank's part from each of them.
    ///
    /// Args: `send`, the parts of all ranks in rank order. `sizes`, their bytes. `receive`, the parts of the other ranks in
    /// rank order, each of this rank's size.
    fn exchange(&mut self, send: &[u8], sizes: &[usize], receive: &mut [u8]) -> Result<()>;

    /// Receives the parts of the other ranks. `data` holds the parts of all ranks in rank order, of `sizes` bytes; this
    /// rank's is filled in.
    fn gather(&mut self, data: &mut [u8], sizes: &[usize]) -> Result<()>;

    /// Copies the bytes of rank `root` to all ranks.
    fn broadcast(&mut self, data: Part<'_>, root: usize) -> Result<()>;

    /// Adds the elements of all ranks in an order that the library chooses. Returns false if it cannot add this type; the
    /// data are unchanged then.
    fn sum(&mut self, data: &mut [u8], dtype: DType) -> Result<bool>;
}
