//! Bytes on disk: checksums, record files, event files and tensor bundles. The layer is empty until the first format lands.
