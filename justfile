# Everything CI runs. The goal is 30 minutes on two cores; 35 were measured on an idle machine before the last changes, 38 by CI.
ci:
    bash .ci/run

lint:
    cargo fmt --all -- --check
    cargo clippy --all-targets -- -D warnings
    cargo clippy --all-targets --no-default-features -- -D warnings
    cargo clippy --all-targets --all-features -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features

test:
    cargo test --features cli

# The oldest compiler that is stated; `rustup toolchain install` it first.
oldest:
    cargo +$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml).0 check --features cli --target-dir target/oldest

# What needs other libraries: the rivals of the race, the rigid-body engine.
integrations:
    cargo test --features cli,peers,rapier --no-run
    cargo run --release --features rapier --example crash -- cars

# 1,000 scenes in all modes, 10⁶ pairs and 10⁸ vertices in boxes against exact truth, CCD queries, a soak; a table of zeros.
torture:
    bash .ci/torture

# Full comparisons on the real clips (every frame, 200 random times) and property tests with fresh seeds.
torture-clips:
    KINETREE_NEED_DATA=1 KINETREE_TORTURE=4 KINETREE_RANDOM_SEEDS=1 cargo test --profile torture --features cli -- --nocapture

bench:
    cargo bench

# Wraps comments at 100 columns.
wrap:
    .ci/wrap_comments.py $(git ls-files '*.rs')

# `docs/figures/contact.png`: a walking figure in a dress, touching triangles marked.
picture:
    cargo run --release --features cli --example picture

# Opens reports in a headless Chromium (Debian: `apt-get install chromium`); needs Python 3.
browser:
    cargo build --release --features cli
    python3 tests/browser/run.py

# Line coverage of the core, per module, with LLVM's tools.
coverage *arguments:
    .ci/coverage {{arguments}}

# Mutation testing: one build with all mutants, then as many of them as minutes allow (docs/MUTATION.md).
mutants minutes="60" jobs="1":
    cargo build --release --manifest-path mutants/Cargo.toml --target-dir target/mutants/program
    target/mutants/program/release/kinetree-mutants build
    target/mutants/program/release/kinetree-mutants trace --jobs {{jobs}}
    nice target/mutants/program/release/kinetree-mutants run --minutes {{minutes}} --jobs {{jobs}}
    target/mutants/program/release/kinetree-mutants table
