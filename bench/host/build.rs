//! As the C++ program is linked.

fn main() {
    torchop_build::link_program();
}
