# Builds the service, finds Chromium, and starts services that end with the script. Sourced by `run` here and in ../lighthouse,
# which set `root` to the repository's folder.

CHROMIUM=
for candidate in chromium chromium-browser google-chrome google-chrome-stable \
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
    CHROMIUM=$(command -v "$candidate") && break
done
[ -n "$CHROMIUM" ] || { echo 'the pages are driven in Chromium; install it' >&2; exit 1; }
export CHROMIUM

# With an example, cargo reuses the dependencies as built for tests, and builds only this crate again.
profile=${PROFILE:-dev}
cargo build --locked --profile "$profile" --manifest-path "$root/Cargo.toml" --bin reviews --example subscriber
binary=$(cargo metadata --locked --no-deps --format-version 1 --manifest-path "$root/Cargo.toml" \
    | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/${profile/dev/debug}/reviews

folder=$(mktemp -d)
services=()
finish() {
    for service in "${services[@]}"; do kill "$service" 2>/dev/null; wait "$service" || true; done
    rm -rf "$folder"
}
trap finish EXIT

start() { # a name, a folder of seeds: sets `url`
    : >"$folder/$1.said" # It is read before the service has begun.
    DATABASE_URL=sqlite://$folder/$1.db REVIEWS_LISTEN=127.0.0.1:0 REVIEWS_BASE_URL= "$binary" serve --seed "$2" \
        >"$folder/$1.said" 2>"$folder/$1.log" &
    services+=($!)
    for _ in $(seq 600); do # 60 s
        url=$(sed -n 's/^ *Home *\(http.*\)\/$/\1/p' "$folder/$1.said")
        [ -z "$url" ] || return 0
        kill -0 "${services[-1]}" || { cat "$folder/$1.said" "$folder/$1.log"; exit 1; }
        sleep 0.1
    done
    echo "the service did not say where it is" >&2
    exit 1
}
