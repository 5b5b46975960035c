//! The messages between the members of a group and its coordinator.

use prost::{Enumeration, Message};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum Kind {
    Allreduce = 0,
    Allgather = 1,
    Broadcast = 2,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Allreduce => "allreduce",
            Kind::Allgather => "allgather",
            Kind::Broadcast => "broadcast",
        }
    }
}

/// A tensor that a member has submitted.
#[derive(Clone, PartialEq, Message)]
pub struct Request {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(enumeration = "Kind", tag = "2")]
    pub kind: i32,
    /// The number of its `DType`.
    #[prost(int32, tag = "3")]
    pub dtype: i32,
    #[prost(int64, repeated, tag = "4")]
    pub shape: Vec<i64>,
    #[prost(int32, tag = "5")]
    pub root: i32,
    #[prost(bool, tag = "6")]
    pub average: bool,
    #[prost(double, tag = "7")]
    pub prescale: f64,
    #[prost(double, tag = "8")]
    pub postscale: f64,
}

/// A message of a member to the coordinator. An empty one is a sign of life.
#[derive(Clone, PartialEq, Message)]
pub struct ToCoordinator {
    #[prost(message, repeated, tag = "1")]
    pub requests: Vec<Request>,
    /// The reason for which the member leaves the group.
    #[prost(string, optional, tag = "2")]
    pub leaves: Option<String>,
}

/// The next action of the members: they exchange these tensors together, or end them with an error.
#[derive(Clone, PartialEq, Message)]
pub struct Response {
    #[prost(string, repeated, tag = "1")]
    pub names: Vec<String>,
    #[prost(string, optional, tag = "2")]
    pub error: Option<String>,
    /// Allgather: the first dimension of each rank's tensor.
    #[prost(uint64, repeated, tag = "3")]
    pub rows: Vec<u64>,
}

/// A message of the coordinator to a member. An empty one is a sign of life.
#[derive(Clone, PartialEq, Message)]
pub struct FromCoordinator {
    #[prost(message, repeated, tag = "1")]
    pub responses: Vec<Response>,
    /// The reason for which the group has ended.
    #[prost(string, optional, tag = "2")]
    pub ended: Option<String>,
}
