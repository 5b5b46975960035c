//! Collective operations: sums, concatenations and broadcasts of tensors over a group of processes.
//!
//! A kernel submits its tensor to the process's [`Group`] and leaves a pending operation, so that the step goes on. One
//! thread for each process communicates. Rank 0 collects the names of the tensors that each process has submitted, and
//! decides in which order those that all have are exchanged. So the processes may submit them in any order.
//!
//! A sum adds the elements of the ranks from the first to the last, whatever else is sent with them. Its bits
//! are therefore the same on every rank and in every run.

#![forbid(unsafe_code)]

mod coordinator;
mod exchange;
mod group;
mod member;
mod message;
mod operation;
mod ops;
mod shared;
#[cfg(test)]
mod testing;
mod transport;

pub use group::Group;
pub use operation::{Operation, Options, Reduction, Scale};
pub use ops::register;
pub use shared::Ticket;
pub use transport::{Part, Transport};

#[cfg(test)]
mod tests;
