//! `Status`: the one error type of the engine, with TensorFlow's seventeen codes.

use std::fmt;

/// TensorFlow's status codes, with their wire numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

pub type Result<T, E = Status> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: String,
    node: Option<u32>,
}

/// A failure: code, message, and the id of the graph node it belongs to once that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status(Box<Inner>);

macro_rules! constructors {
    ($($name:ident => $code:ident),* $(,)?) => {
        $(pub fn $name(message: impl Into<String>) -> Self {
            Self::new(Code::$code, message)
        })*
    };
}

impl Status {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Status(Box::new(Inner { code, message: message.into(), node: None }))
    }

    constructors! {
        cancelled => Cancelled,
        unknown => Unknown,
        invalid_argument => InvalidArgument,
        deadline_exceeded => DeadlineExceeded,
        not_found => NotFound,
        already_exists => AlreadyExists,
        resource_exhausted => ResourceExhausted,
        failed_precondition => FailedPrecondition,
        aborted => Aborted,
        out_of_range => OutOfRange,
        unimplemented => Unimplemented,
        internal => Internal,
        unavailable => Unavailable,
        data_loss => DataLoss,
    }

    pub fn code(&self) -> Code {
        self.0.code
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Id of the node that failed, when one did.
    pub fn node(&self) -> Option<u32> {
        self.0.node
    }

    /// Names the failing node; the innermost name stays.
    #[must_use]
    pub fn at_node(mut self, id: u32) -> Self {
        self.0.node.get_or_insert(id);
        self
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.code, self.0.message)
    }
}

impl std::error::Error for Status {}

/// `bail!(InvalidArgument, "expected {}", x)` returns early with a `Status` of that code.
#[macro_export]
macro_rules! bail {
    ($code:ident, $($arg:tt)*) => {
        return Err($crate::Status::new($crate::Code::$code, format!($($arg)*)))
    };
}

/// `ensure!(condition, InvalidArgument, "expected {}", x)`: `bail!` unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($cond:expr, $code:ident, $($arg:tt)*) => {
        if !$cond {
            $crate::bail!($code, $($arg)*);
        }
    };
}
