//! See the module's files.
