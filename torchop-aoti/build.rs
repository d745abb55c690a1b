//! Compiles the bridge to torch's loader of packages. Apart from torchop-sys, so that operator libraries do not pay for it.

fn main() {
    println!("cargo::rerun-if-env-changed=TORCHOP_NO_TORCH");
    if torchop_build::no_torch() {
        return; // checked without libtorch: nothing to compile
    }
    let torch = torchop_build::torch_or_exit();
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed=src/bridge.rs");
    let mut build = cxx_build::bridge("src/bridge.rs");
    for flag in torch.cxx_flags() {
        build.flag(&flag);
    }
    build.debug(false).opt_level(2).compile("torchop_aoti_bridge");
}
