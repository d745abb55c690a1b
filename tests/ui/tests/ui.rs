//! Every message, with its caret.
//!
//! `TORCHOP_NO_TORCH=1 cargo test -p torchop-ui-tests` needs no libtorch. Blessed on the toolchain that CI pins; with
//! `TRYBUILD=overwrite` in the environment the same command blesses anew.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
