//! `Status`: the one error type of the engine, with TensorFlow's seventeen codes.

use ferroflow_sync::LostLock;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

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

impl Code {
    /// Returns the code of that wire number; none for 0, which is success.
    pub fn from_number(number: i32) -> Option<Code> {
        use Code::*;
        const ALL: [Code; 16] = [
            Cancelled,
            Unknown,
            InvalidArgument,
            DeadlineExceeded,
            NotFound,
            AlreadyExists,
            PermissionDenied,
            ResourceExhausted,
            FailedPrecondition,
            Aborted,
            OutOfRange,
            Unimplemented,
            Internal,
            Unavailable,
            DataLoss,
            Unauthenticated,
        ];
        ALL.into_iter().find(|&c| c as i32 == number)
    }

    /// Returns the code in words, as TF writes it before a message: "Not found".
    pub fn words(self) -> String {
        let mut words = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !words.is_empty() {
                words.push(' ');
                words.extend(letter.to_lowercase());
            } else {
                words.push(letter);
            }
        }
        words
    }
}

pub type Result<T, E = Status> = std::result::Result<T, E>;

/// The cause of a failure: an error of the program's own language.
type Cause = Arc<dyn Any + Send + Sync>;

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    node: Option<u32>,
    cause: Option<Cause>,
}

/// A failure: code, message, and the id of the graph node it belongs to once that is known.
#[derive(Clone)]
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
        Status(Box::new(Inner { code, message: message.into(), node: None, cause: None }))
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

    /// Returns the id of the node that failed, when one did.
    pub fn node(&self) -> Option<u32> {
        self.0.node
    }

    /// Sets the failing node; the innermost node stays.
    #[must_use]
    pub fn at_node(mut self, id: u32) -> Self {
        self.0.node.get_or_insert(id);
        self
    }
}

impl Status {
    /// Keeps what lies behind the failure.
    #[must_use]
    pub fn because(mut self, cause: impl Any + Send + Sync) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self
    }

    /// Returns the failure as the caller of a function sees it: `place` says where, for the node is one of another
    /// graph.
    #[must_use]
    pub fn inside(mut self, place: &str) -> Self {
        self.0.message.push_str(place);
        self.0.node = None;
        self
    }

    /// Returns the cause that `because` stored, if it is a `T`.
    pub fn cause<T: Any>(&self) -> Option<&T> {
        self.0.cause.as_ref()?.downcast_ref()
    }
}

/// Equal code, message and node.
/// What a lock says in a forked process whose holder does not exist there.
impl From<LostLock> for Status {
    fn from(lost: LostLock) -> Status {
        Status::failed_precondition(lost.to_string())
    }
}

impl PartialEq for Status {
    fn eq(&self, other: &Status) -> bool {
        (self.0.code, &self.0.message, self.0.node) == (other.0.code, &other.0.message, other.0.node)
    }
}

impl Eq for Status {}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Status")
            .field("code", &self.0.code)
            .field("message", &self.0.message)
            .field("node", &self.0.node)
            .finish()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_give_back_their_codes() {
        assert!((1..=16).all(|n| Code::from_number(n).is_some_and(|c| c as i32 == n)));
        assert!([0, 17, -1].into_iter().all(|n| Code::from_number(n).is_none()));
    }

    #[test]
    fn a_cause_stays_with_the_failure_and_does_not_make_it_another() {
        let failure = Status::unknown("failed").because(7u32).at_node(1);
        assert_eq!((failure.cause::<u32>(), failure.cause::<i32>()), (Some(&7), None));
        assert_eq!(failure.clone(), Status::unknown("failed").at_node(1));
    }
}
