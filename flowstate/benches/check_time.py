#!/usr/bin/env python3
"""Prints how long `cargo check` takes for 200 blocks that each use three capabilities, beside the same without.

Each capability has a state of the block and one of the session; each block calls two of their functions. The time is the
user CPU time of the last crate alone, without what an earlier check has kept; the least of three. The goal is a ratio of 2.
usage: flowstate/benches/check_time.py [ROUNDS]
"""

import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "target" / "check_time"
BLOCKS = 200

MANIFEST = f"""[package]
name = "check_time"
edition = "2024"
[dependencies]
flowstate = {{ path = "{ROOT / "flowstate"}" }}
[workspace]
"""


def program(capabilities):
    out = ["#![allow(dead_code)]\nuse flowstate::prelude::*;\n#[state] pub struct Own { pub n: u32 }\n"]
    for c in "abc":
        out.append(
            f"#[state] pub struct S{c} {{ pub f{c}: u32 }}\n#[state] pub struct Z{c} {{ pub z{c}: u32 }}\n"
            f"#[capability(state = S{c}, session = Z{c})] pub struct Cap{c};\n"
            f"#[capability] impl Cap{c} {{ fn go(ctx: &Ctx, n: u32) -> Result<bool> {{ ctx.self_.f{c}.inc(n) }} }}\n"
        )
    uses, calls = "", "ctx.self_.n.inc(input)?; ctx.self_.n.inc(1)?;"
    if capabilities:
        uses, calls = ", uses = [Capa, Capb, Capc]", "ctx.cap.capa.go(input)?; ctx.cap.capb.go(1)?;"
    for i in range(BLOCKS):
        out.append(
            f"/// Block.\n#[block(handler, state = Own{uses})]\npub async fn b{i}(input: u32, ctx: Ctx) -> Result<u32> "
            f"{{ {calls} ctx.self_.n.inc(1)?; Ok(input) }}\n"
        )
    for k in range(BLOCKS // 10):
        steps = "".join(f".step(b{k * 10 + j})" for j in range(10))
        out.append(f"#[block(sequencer)]\npub fn s{k}(input: u32) -> u32 {{ input{steps} }}\n")
    return "".join(out) + "fn main() {}\n"


def check(text):
    (FOLDER / "src" / "main.rs").write_text(text)
    subprocess.run(["rm", "-rf", "target/debug/incremental"], cwd=FOLDER, check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(["cargo", "check", "--quiet"], cwd=FOLDER, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    (FOLDER / "src").mkdir(parents=True, exist_ok=True)
    (FOLDER / "Cargo.toml").write_text(MANIFEST)
    (FOLDER / "Cargo.lock").write_bytes((ROOT / "Cargo.lock").read_bytes())
    check("fn main() {}\n")
    without, with_them = [], []
    for _ in range(rounds):
        without.append(check(program(False)))
        with_them.append(check(program(True)))
    least, most = min(without), min(with_them)
    print(f"{BLOCKS} blocks: {least:.2f} s; with three capabilities each: {most:.2f} s; ratio {most / least:.2f}")


main()
