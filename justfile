# `just` lists the recipes. CI runs `just check`.

set shell := ["bash", "-euc"]

_default:
    @just --list

# Run the quick tests (under 3 minutes), or all tests with this name.
test *name:
    .ci/quick {{name}}

# Check a change as CI does: about 12 minutes. `.ci/nightly` has the checks that take hours.
check:
    .ci/run

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
