//! Values: data types, shapes, tensors and their buffers, status codes, random streams, vector math, threads.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "references of tests"))]
mod buffer;
pub mod conv;
mod deep;
mod denormals;
mod dtype;
pub mod elementwise;
pub mod fourier;
pub mod gemm;
mod movable;
mod number_text;
mod object;
mod partial_shape;
pub mod philox;
pub mod pooling;
mod prefetch;
mod shape;
mod status;
mod streams;
mod tensor;
pub mod threads;
pub mod transpose;
pub mod vector;

pub use buffer::Buffer;
pub use deep::Deep;
pub use denormals::{Flushed, flush_denormals, with_denormals, with_denormals_flushed};
pub use dtype::{DType, Scalar};
pub use half::{bf16, f16};
pub use movable::Movable;
pub use num_complex::{Complex32, Complex64};
pub use number_text::{NumberText, parse_number};
pub use object::Object;
pub use partial_shape::PartialShape;
pub use prefetch::prefetch;
pub use shape::{Shape, broadcast};
pub use status::{Code, Result, Status};
pub use streams::Streams;
pub use tensor::{Bytes, Tensor};
