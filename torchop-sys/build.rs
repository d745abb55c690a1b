//! Compiles the bridge against the torch that torchop-build finds, and links to it.

fn main() {
    println!("cargo::rerun-if-env-changed=TORCHOP_NO_TORCH");
    if torchop_build::no_torch() {
        return; // checked without libtorch: nothing to compile, nothing to link
    }
    let torch = torchop_build::torch_or_exit();
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed=src/lib.rs");
    let mut build = cxx_build::bridge("src/lib.rs");
    for flag in torch.cxx_flags() {
        build.flag(&flag);
    }
    // The bridge is in every call: it is optimised in every profile.
    // Debug information about torch's headers would be nine tenths of every user's library.
    build.debug(false).opt_level(2);
    build.files(["cpp/typed_calls.cpp", "cpp/fields.cpp"]).compile("torchop_bridge");
    torchop_build::link(&torch);
}
