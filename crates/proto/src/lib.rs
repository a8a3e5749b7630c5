//! The generated gRPC code: `phrony.runtime.v1`, which existing clients and workers speak,
//! `grpc.health.v1`, and `ordain.v1` for what Ordain adds. Knows nothing of what any message means,
//! and of no other crate.
//!
//! Invariant: nothing here is written by hand but the paths to the modules.

/// The runtime contract.
pub mod runtime {
    pub mod v1 {
        tonic::include_proto!("phrony.runtime.v1");
    }
}

/// The health protocol, with the `List` that existing clients expect.
pub mod health {
    pub mod v1 {
        tonic::include_proto!("grpc.health.v1");
    }
}

/// Ordain's own services.
pub mod ordain {
    pub mod v1 {
        tonic::include_proto!("ordain.v1");
    }
}

/// The encoded `FileDescriptorSet` of everything above and what it imports, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
