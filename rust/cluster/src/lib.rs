//! Steps over several tasks: servers, the session of a cluster, and how they reach each other.

mod address;
pub mod codec;
mod crossing;
mod description;
pub mod frame;
mod master;
pub mod message;
mod peer;
mod serve;
mod split;
mod task;
mod token;
mod transfer;
mod wires;

pub use address::Address;
pub use description::{Cluster, TaskName};
pub use master::{Master, MasterOptions, Planned};
pub use task::Task;
pub use transfer::register;
