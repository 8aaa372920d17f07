# Everything CI runs.
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

# Full comparisons on the real clips (every frame, 200 random times) and property tests with fresh seeds.
torture:
    KINETREE_TORTURE=1 KINETREE_RANDOM_SEEDS=1 cargo test --profile torture --features cli -- --nocapture

bench:
    cargo bench

# The picture of the README.
picture:
    cargo run --release --features cli --example picture
