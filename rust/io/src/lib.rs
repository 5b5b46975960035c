//! Bytes on disk: checksums, record files, event files and tensor bundles, from the first format on.
