# What there is to do: `just` lists it. `just check` is what CI runs.

set shell := ["bash", "-euc"]

_default:
    @just --list

# Format, lint and test, as CI does: some 25 minutes.
check:
    .ci/run

# The tests to run while working, or those that have this in their name: under 3 minutes.
test *name:
    .ci/quick {{name}}

# What takes longer than the gate may: the faults.
nightly:
    .ci/nightly

# Break what the service stands on (full disks, kills, replaced files), and see what it does; with a binary, that one.
faults *binary:
    tests/faults/run {{binary}}

# Fuzz everything that reads what strangers send or give, each target for so many seconds.
fuzz *args:
    tests/fuzz/run {{args}}

# Load a service for so many seconds, beside an honest client.
load *args:
    tests/load/run {{args}}

# Hold what operators install to promtool, systemd-analyze, nginx and Caddy; with a binary, that one.
operation *binary:
    tests/operation/run {{binary}}

# Make the archive that is shipped; with a binary, of that one.
archive *binary:
    packaging/archive {{binary}}

# Make all files of a release, without a tag; with `--binary FILE`, of that binary.
release VERSION *options:
    packaging/release {{VERSION}} --here {{options}}

# Install what a release consists of into scratch roots, run it and remove it (needs root); with a binary, of that one.
release-installs *binary:
    tests/operation/release {{binary}}

# Run on the sample firm.
serve:
    cargo run --release -- serve --seed seeds

# Refresh .sqlx after a change of a query or a migration (needs `cargo install sqlx-cli --no-default-features --features sqlite`).
prepare:
    rm -f target/prepare.db* && cat migrations/*.sql | sqlite3 target/prepare.db
    DATABASE_URL="sqlite://$PWD/target/prepare.db" SQLX_OFFLINE=false cargo sqlx prepare -- --all-targets

# Accept the snapshots that tests wrote, after reading them.
bless:
    INSTA_UPDATE=always cargo test

# Generate clients from the API's description and run them; try every operation of Swagger UI in a browser (needs npm, Python, Chromium).
clients *BASE_URL:
    bash tests/clients/run {{BASE_URL}}

# Run the official MCP conformance suite, in both eras (needs npm).
conformance:
    bash tests/conformance/run

# Build the documentation as a site in target/docs, and check its links (needs mdBook and Python).
docs *folder:
    docs/build {{folder}}

# Measure (see docs/PERFORMANCE.md).
bench *args:
    cargo bench {{args}}
