//! Kernel throughput benches; run with `cargo bench`.
