# Shared functions of the cases. A case begins with: . "${0%/*}/lib.sh"
set -uo pipefail
reviews=$1 folder=$2
case_file=$(cd "${0%/*}" && pwd)/${0##*/}
cd "$folder" || exit 2
export DATABASE_URL=sqlite://$folder/reviews.db REVIEWS_LISTEN=127.0.0.1:0 REVIEWS_HUB_ALLOW_CALLBACK_NETS=127.0.0.0/8
service= port=

fail() { # RESULT
    echo "$*"
    exit 1
}
skip() { # MISSING
    echo "$*"
    exit 77
}

bounded() { # SECONDS, COMMAND...: kills it after that time
    local seconds=$1
    shift
    "$@" &
    local pid=$!
    (sleep "$seconds" && kill -KILL "$pid") >/dev/null 2>&1 &
    local guard=$!
    wait "$pid" 2>/dev/null
    local code=$?
    kill "$guard" 2>/dev/null
    return "$code"
}

within() { # SECONDS, COMMAND...: repeats it until it succeeds
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

started() { greeted || ! alive; }
greeted() { grep -qs 'Ctrl-C' "$folder/said"; }

serve() { # LOG: starts the service, and waits until it answers
    rm -f "$folder/said"
    "$reviews" serve >"$folder/said" 2>"${1:-$folder/log}" &
    service=$!
    within 60 started
    greeted || fail "the service did not start: $(cat "$folder/said" "$folder/log" 2>/dev/null | tail -3)"
    port=$(sed -n 's/^ *Listening on .*:\([0-9]*\)$/\1/p' "$folder/said")
}

stop() { # sends SIGTERM; the service must end with 0
    kill -TERM "$service"
    wait "$service"
    local code=$?
    service=
    [ "$code" -eq 0 ] || fail "stopped with exit code $code"
}

ended() { ! alive; }
alive() { kill -0 "$service" 2>/dev/null; }

exchange() { # METHOD, PATH, BODY: prints the whole answer
    exec 9<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %s\r\n\r\n%s' \
        "$1" "$2" "$port" "${#3}" "$3" >&9
    cat <&9
    exec 9>&-
}
request() { bounded 15 exchange "$1" "$2" "${3-}" 2>/dev/null; }
status() { request "$@" | sed -n '1s/^HTTP\/1.1 \([0-9]*\).*/\1/p'; }
etag() { request GET "$1" | tr -d '\r' | sed -n 's/^etag: //p'; }
count() { request GET /reviews.json | grep -o '"review_count":[0-9]*' | head -1 | cut -d : -f 2; }
counts() { [ "$(count)" = "$1" ]; }
answers() { [ "$(status GET "$1")" = "$2" ]; }

ask_hub() { # NUMBER: prints the hub's answer to a request that no limit refuses
    local topic="http%3A%2F%2F127.0.0.1%3A$port%2Freviews.json" callback="https%3A%2F%2F127.0.0.1%3A9%2F$1"
    request POST /api/websub/hub "hub.mode=subscribe&hub.topic=$topic&hub.callback=$callback"
}
subscribe() { # NUMBER: prints the status of that answer
    ask_hub "$1" | sed -n '1s/^HTTP\/1.1 \([0-9]*\).*/\1/p'
}

rows() { # PREFIX, COUNT, BYTES: prints reviews with this much text as JSON Lines
    awk -v prefix="$1" -v count="$2" -v bytes="${3:-40}" 'BEGIN {
        for (i = 0; i < bytes / 10; i++) text = text "on time, ok "
        for (i = 1; i <= count; i++) printf "{\"id\":\"%s-%d\",\"rating\":5,\"date\":\"2026-11-01\",\"author\":\"A\",\"text\":\"%s\"}\n", prefix, i, substr(text, 1, bytes)
    }'
}

small_disk() { # MIB: mounts a disk of this size at $folder/disk; fails if this user may not mount, or FAULTS_NO_MOUNTS is set
    [ -z "${FAULTS_NO_MOUNTS-}" ] || return 1
    mkdir -p "$folder/disk"
    mount -t tmpfs -o "size=$1m" none "$folder/disk" 2>/dev/null || return 1
    trap 'umount "$folder/disk" 2>/dev/null' EXIT
}
fill_disk() { # uses all free space
    dd if=/dev/zero of="$folder/disk/filler" bs=64k 2>/dev/null
    dd if=/dev/zero of="$folder/disk/filler" bs=1 oflag=append conv=notrunc count=65536 2>/dev/null
    return 0
}

needs() { # COMMAND: skips the case if it is missing
    command -v "$1" >/dev/null || skip "there is no $1 here"
}
own_network() { # ARGUMENTS...: restarts the case in a separate network that drops all packets to 10.99.0.0/16
    if [ -z "${FAULTS_OWN_NETWORK-}" ]; then
        needs ip
        export FAULTS_OWN_NETWORK=1
        # As root, or as root of a new namespace.
        unshare -n true 2>/dev/null && exec unshare -n bash "$case_file" "$@"
        unshare -rn true 2>/dev/null && exec unshare -rn bash "$case_file" "$@"
        skip 'no network namespaces here'
    fi
    # Both kinds drop all packets.
    ip link add lost type dummy 2>/dev/null || ip link add lost type ifb 2>/dev/null || skip 'no network device that loses packets here'
    ip link set lo up && ip address add 10.99.0.1/16 dev lost && ip link set lost up || fail 'the network cannot be set up'
}
subscribed() { # COUNT: adds active subscriptions, each of a different host, without a delivery
    sqlite3 reviews.db "with recursive n (i) as (select 1 union all select i + 1 from n where i < $1)
        insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at)
        select 'json_feed', 'https://10.99.1.' || i || '/cb', 'https://10.99.1.' || i || '/cb', '10.99.1.' || i, 'active',
            '2100-01-01T00:00:00.000Z', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z' from n;"
}
