# `just` lists the recipes. CI runs `just check`.

set shell := ["bash", "-euc"]

_default:
    @just --list

# Check a change as CI does: about 12 minutes.
check:
    .ci/run

# Check format, spelling and lints: about a minute after a build.
quick:
    ./verify quick

# Run the quick tests (under 3 minutes), or all tests with this name.
test *name:
    .ci/quick {{name}}

# Run the checks of changes elsewhere, and those that take hours: clients, conformance, packaging, faults, clusters, load.
nightly:
    .ci/nightly

# Inject faults (full disks, kills, replaced files); BINARY defaults to a debug build.
faults *binary:
    tests/faults/run {{binary}}

# Fuzz every parser of untrusted input: [SECONDS [TARGET...]], for each target.
fuzz *args:
    tests/fuzz/run {{args}}

# Load a service, and measure a well-behaved client: [SECONDS [BINARY]].
load *args:
    tests/load/run {{args}}

# Check `packaging` with promtool, systemd-analyze, nginx, Caddy and HAProxy.
operation *binary:
    tests/operation/run {{binary}}

# Make the release archive, of BINARY or of a build with `--profile dist`.
archive *binary:
    packaging/archive {{binary}}

# Make all files of a release, without a tag; `--binary FILE` skips the build.
release VERSION *options:
    packaging/release {{VERSION}} --here {{options}}

# Install the release's files into scratch roots, run and remove them (needs root).
release-installs *binary:
    tests/operation/release {{binary}}

# Serve the sample business.
serve:
    cargo run -- serve --seed seeds

# Refresh .sqlx after changing a query or a migration (needs `cargo install sqlx-cli --no-default-features --features sqlite`).
prepare:
    rm -f target/prepare.db* && cat migrations/*.sql | sqlite3 target/prepare.db
    DATABASE_URL="sqlite://$PWD/target/prepare.db" SQLX_OFFLINE=false cargo sqlx prepare -- --all-targets

# Accept changed snapshots; read the differences first.
bless:
    INSTA_UPDATE=always cargo test

# Generate clients from the OpenAPI document and run them; try every operation in Swagger UI (needs npm, Python, Chromium).
clients *BASE_URL:
    bash tests/clients/run {{BASE_URL}}

# Run the official MCP conformance suite (needs npm).
conformance:
    bash tests/conformance/run

# Build the documentation as a site in target/docs, and check its links (needs mdBook and Python).
docs *folder:
    docs/build {{folder}}

# Run the benchmarks (docs/PERFORMANCE.md).
bench *args:
    cargo bench {{args}}
