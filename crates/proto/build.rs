//! Compiles the `.proto` files with protox, so that a build needs no `protoc`. Knows where the files
//! lie; not what they say.

use std::error::Error;
use std::path::PathBuf;

use prost::Message;

const ROOT: &str = "proto";
const FILES: [&str; 3] = [
    "phrony/runtime/v1/runtime.proto",
    "grpc/health/v1/health.proto",
    "ordain/v1/ordain.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={ROOT}");
    let descriptors = protox::compile(FILES, [ROOT])?;

    // tonic-prost-build writes its own copy only when it runs protoc itself.
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;

    tonic_prost_build::configure()
        .build_client(true)
        .build_server(true)
        .compile_fds(descriptors)?;
    Ok(())
}
