//! Writes the random programs as source text; the test makes the same trees from the same seed, which is 0, or another
//! one: `FLOWSTATE_SEED=7 cargo test -p flowstate-programs`.

#[allow(dead_code)]
#[path = "src/generate.rs"]
mod generate;
#[path = "src/render.rs"]
mod render;
#[allow(dead_code)]
#[path = "src/tree.rs"]
mod tree;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-env-changed=FLOWSTATE_SEED");
    let seed = std::env::var("FLOWSTATE_SEED").unwrap_or_else(|_| "0".into());
    println!("cargo::rustc-env=FLOWSTATE_SEED={seed}");
    let seed = seed.parse().expect("the seed is a number");
    let out = std::env::var("OUT_DIR").expect("cargo says where");
    let path = std::path::Path::new(&out).join("programs.rs");
    std::fs::write(path, render::render(&generate::programs(seed)))
        .expect("the file can be written");
}
