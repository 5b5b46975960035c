//! Values: data types, shapes, tensors and their buffers, status codes, random streams, vector math, threads.

pub mod gemm;
pub mod philox;
pub mod threads;
pub mod vector;
