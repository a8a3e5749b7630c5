//! Journal, blobs and catalog on SQLite.
