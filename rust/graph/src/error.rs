//! `BuildError`: what goes wrong while a graph is built, by the Python exception a TF1 program expects.

use ferroflow_tensor::{Code, Status};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum BuildError {
    /// `ValueError`: shapes, names, attribute values.
    Value(String),
    /// `TypeError`: dtypes and kinds of arguments.
    Type(String),
    /// Any other failure keeps its code.
    Status(Status),
}

impl BuildError {
    pub fn value(message: impl Into<String>) -> Self {
        BuildError::Value(message.into())
    }

    pub fn type_error(message: impl Into<String>) -> Self {
        BuildError::Type(message.into())
    }
}

/// An invalid argument found at build time is a `ValueError`.
impl From<Status> for BuildError {
    fn from(s: Status) -> Self {
        match s.code() {
            Code::InvalidArgument => BuildError::Value(s.message().to_owned()),
            _ => BuildError::Status(s),
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Value(m) | BuildError::Type(m) => f.write_str(m),
            BuildError::Status(s) => s.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}
