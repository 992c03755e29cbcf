//! What the compiler says: one mistake, one error, in the user's words. The texts are pinned to the toolchain of
//! `rust-toolchain.toml`; after a change run with `TRYBUILD=overwrite` and read what has become of them.

/// The programs of `fail/limits` are those where more than one error cannot be avoided.
#[test]
fn ui() {
    // apart: beside programs that are to pass, failing ones would be built and not only checked
    trybuild::TestCases::new().compile_fail("tests/fail/*/*.rs");
    trybuild::TestCases::new().pass("tests/pass/*.rs");
}
