//! The messages between tasks.

use ferroflow_tensor::{Code, Status};
use prost::Message;

/// Version of the protocol; both sides must have the same.
pub const VERSION: u32 = 2;

/// Kinds of frames.
pub mod kind {
    pub const HELLO: u16 = 1;
    pub const WELCOME: u16 = 2;
    pub const PROOF: u16 = 3;
    pub const READY: u16 = 4;
    pub const DESCRIBE: u16 = 10;
    pub const DESCRIPTION: u16 = 11;
    pub const REGISTER: u16 = 12;
    pub const RESET: u16 = 13;
    /// The answer to REGISTER, RESET and what was refused: an `Outcome`.
    pub const OUTCOME: u16 = 14;
    pub const STEP: u16 = 20;
    pub const VALUES: u16 = 21;
    pub const CANCEL: u16 = 22;
    pub const DONE: u16 = 23;
    /// A sign of life, and the question for one.
    pub const BEAT: u16 = 30;
    pub const PING: u16 = 31;
}

/// The first word of who connects.
#[derive(Clone, PartialEq, Message)]
pub struct Hello {
    #[prost(uint32, tag = "1")]
    pub version: u32,
    /// The session on whose behalf; state that it alone has lives as long as it has a connection.
    #[prost(uint64, tag = "2")]
    pub session: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub nonce: Vec<u8>,
    /// Milliseconds of silence after which the other side counts as lost here; 0: never.
    #[prost(uint64, tag = "4")]
    pub patience_ms: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Welcome {
    #[prost(uint32, tag = "1")]
    pub version: u32,
    #[prost(uint64, tag = "2")]
    pub incarnation: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub nonce: Vec<u8>,
    /// True if a `Proof` is expected.
    #[prost(bool, tag = "4")]
    pub asks_proof: bool,
    /// Proof that this side has the token; empty without one.
    #[prost(bytes = "vec", tag = "5")]
    pub proof: Vec<u8>,
    /// As in `Hello`.
    #[prost(uint64, tag = "6")]
    pub patience_ms: u64,
}

/// Ends the introduction: the other side is a member.
#[derive(Clone, PartialEq, Message)]
pub struct Ready {
    /// The session's stay at the task, which lasts as long as it has a connection: what it registered before another stay is gone.
    #[prost(uint64, tag = "1")]
    pub residence: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Proof {
    #[prost(bytes = "vec", tag = "1")]
    pub proof: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Empty {}

#[derive(Clone, PartialEq, Message)]
pub struct TaskAddress {
    #[prost(string, tag = "1")]
    pub job: String,
    #[prost(uint32, tag = "2")]
    pub index: u32,
    #[prost(string, tag = "3")]
    pub address: String,
}

/// A task and its cluster.
#[derive(Clone, PartialEq, Message)]
pub struct Description {
    #[prost(string, tag = "1")]
    pub job: String,
    #[prost(uint32, tag = "2")]
    pub index: u32,
    #[prost(uint64, tag = "3")]
    pub cpus: u64,
    #[prost(message, repeated, tag = "4")]
    pub tasks: Vec<TaskAddress>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Reset {
    #[prost(string, repeated, tag = "1")]
    pub containers: Vec<String>,
    /// True if the task is the target of the reset: its sessions end.
    #[prost(bool, tag = "2")]
    pub ends_sessions: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Register {
    #[prost(uint64, tag = "1")]
    pub handle: u64,
    /// True if the session has state of its own.
    #[prost(bool, tag = "2")]
    pub isolate: bool,
    /// The bits of `Rewrites`.
    #[prost(uint32, tag = "3")]
    pub rewrites: u32,
    #[prost(message, optional, tag = "4")]
    pub part: Option<PartMessage>,
    /// The functions that the part's nodes call, directly or through other functions.
    #[prost(message, repeated, tag = "5")]
    pub functions: Vec<FunctionMessage>,
    /// Handles of parts that the session has no more use for.
    #[prost(fixed64, repeated, tag = "6")]
    pub forgotten: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct PartMessage {
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<NodeMessage>,
    /// Pairs of node and output.
    #[prost(uint32, repeated, tag = "2")]
    pub fetches: Vec<u32>,
    #[prost(uint32, repeated, tag = "3")]
    pub targets: Vec<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct FunctionMessage {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub nodes: Vec<NodeMessage>,
    /// Pairs of node and output.
    #[prost(uint32, repeated, tag = "3")]
    pub arguments: Vec<u32>,
    #[prost(uint32, repeated, tag = "4")]
    pub results: Vec<u32>,
    #[prost(uint32, repeated, tag = "5")]
    pub effects: Vec<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct NodeMessage {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub op: String,
    /// Pairs of node and output.
    #[prost(uint32, repeated, tag = "3")]
    pub inputs: Vec<u32>,
    #[prost(uint32, repeated, tag = "4")]
    pub control_inputs: Vec<u32>,
    #[prost(message, repeated, tag = "5")]
    pub attrs: Vec<AttrMessage>,
    #[prost(message, repeated, tag = "6")]
    pub shapes: Vec<ShapeMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ShapeMessage {
    #[prost(bool, tag = "1")]
    pub has_rank: bool,
    #[prost(int64, repeated, tag = "2")]
    pub dims: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct AttrMessage {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub value: Option<ValueMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ValueMessage {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9")]
    pub value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Value {
    #[prost(int64, tag = "1")]
    Int(i64),
    #[prost(float, tag = "2")]
    Float(f32),
    #[prost(bool, tag = "3")]
    Bool(bool),
    #[prost(bytes, tag = "4")]
    Str(Vec<u8>),
    #[prost(int32, tag = "5")]
    Type(i32),
    #[prost(message, tag = "6")]
    Shape(ShapeMessage),
    /// Position among the frame's tensors.
    #[prost(uint32, tag = "7")]
    Tensor(u32),
    #[prost(message, tag = "8")]
    Func(FuncMessage),
    #[prost(message, tag = "9")]
    List(ListMessage),
}

#[derive(Clone, PartialEq, Message)]
pub struct FuncMessage {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub attrs: Vec<AttrMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ListMessage {
    #[prost(message, repeated, tag = "1")]
    pub items: Vec<ValueMessage>,
}

/// Begins a step of a registered part; the frame's tensors are values that it receives.
#[derive(Clone, PartialEq, Message)]
pub struct StepMessage {
    #[prost(uint64, tag = "1")]
    pub handle: u64,
    #[prost(bool, tag = "2")]
    pub trace: bool,
    #[prost(bool, tag = "3")]
    pub may_miss: bool,
}

/// The outcome of a call.
#[derive(Clone, PartialEq, Message)]
pub struct Outcome {
    /// 0: well.
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    /// The node of the part that failed, plus one.
    #[prost(uint32, tag = "3")]
    pub node: u32,
}

impl Outcome {
    pub fn of(result: Result<(), Status>) -> Outcome {
        match result {
            Ok(()) => Outcome::default(),
            Err(e) => Outcome {
                code: e.code() as i32,
                message: e.message().to_owned(),
                node: e.node().map_or(0, |n| n.saturating_add(1)),
            },
        }
    }

    /// Returns the failure, with the node of the part as its node.
    pub fn into_result(self) -> Result<(), Status> {
        if self.code == 0 {
            return Ok(());
        }
        let status = Status::new(Code::from_number(self.code).unwrap_or(Code::Unknown), self.message);
        Err(match self.node.checked_sub(1) {
            Some(node) => status.at_node(node),
            None => status,
        })
    }
}

/// Ends a step. The frame's tensors are the last values sent, by key, and then the fetches: `2^63` and the fetch's position.
#[derive(Clone, PartialEq, Message)]
pub struct Done {
    #[prost(message, optional, tag = "1")]
    pub outcome: Option<Outcome>,
    #[prost(message, repeated, tag = "2")]
    pub events: Vec<EventMessage>,
}

/// Key of the first fetch among the tensors of a `Done`.
pub const FETCHES: u64 = 1 << 63;

#[derive(Clone, PartialEq, Message)]
pub struct EventMessage {
    #[prost(uint32, repeated, tag = "1")]
    pub nodes: Vec<u32>,
    /// Nanoseconds since the part began.
    #[prost(uint64, tag = "2")]
    pub start: u64,
    #[prost(uint64, tag = "3")]
    pub end: u64,
}

/// The error message for an unknown part: the task was restarted or reset since the session registered it.
pub const UNKNOWN_PART: &str = "Graph handle is not found. Possibly, this worker just restarted.";
