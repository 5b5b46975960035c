//! Steps over several tasks: servers, the session of a cluster, and how they reach each other.

mod address;
mod admission;
mod binding;
pub mod codec;
mod connected;
mod description;
mod descriptors;
pub mod frame;
mod guests;
mod line;
mod master;
pub mod message;
mod patience;
mod peer;
mod protection;
mod random;
mod reach;
mod remote_rendezvous;
mod secure_stream;
mod secured;
mod security;
mod serve;
mod sleep;
mod split;
mod task;
mod token;
mod transfer;
mod watch;
mod wires;

pub use address::Address;
pub use description::{Cluster, TaskName};
pub use master::{Master, MasterOptions, Planned};
pub use peer::Unreachable;
pub use secure_stream::{GroupSecurity, SecureStream};
pub use task::Task;
pub use transfer::register;
