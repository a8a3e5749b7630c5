//! The daemon: configuration, gRPC services, worker registry, timers.
