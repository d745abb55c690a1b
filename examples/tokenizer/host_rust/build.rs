//! The program finds libtorch by itself.

fn main() {
    torchop_build::link_program();
}
