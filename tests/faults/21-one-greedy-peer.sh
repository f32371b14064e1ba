# One peer repeatedly opens 1,000 silent connections, then as many busy ones as it may: all other peers are still answered. Peers
# have different addresses, so it needs a network namespace.
. "${0%/*}/lib.sh"

space=reviews-$$ here=10.213.$((RANDOM % 250)).1
there=${here%.1}.2
command -v ip >/dev/null || skip 'no ip(8) on this machine'
ip netns add "$space" 2>/dev/null || skip 'no network namespaces for this user'
trap 'ip netns del "$space"' EXIT
ip link add "v$$" type veth peer name peer netns "$space" 2>/dev/null || skip 'no virtual network devices for this user'
ip addr add "$here/24" dev "v$$" && ip link set "v$$" up || skip 'no addresses for this user'
ip -n "$space" addr add "$there/24" dev peer && ip -n "$space" link set peer up || skip 'no addresses for this user'

rows first 20 | "$reviews" import - >/dev/null || fail 'the import failed'
REVIEWS_LISTEN=$here:0 serve
ulimit -Sn "$(ulimit -Hn)" 2>/dev/null

honest() { # sends a request from another address; succeeds if it is answered
    exec 8<>"/dev/tcp/$here/$port" || return 1
    printf 'GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$here" >&8
    local line=
    read -r -t 10 line <&8 2>/dev/null
    exec 8>&-
    [ "${line%$'\r'}" = 'HTTP/1.1 200 OK' ]
}
greedy() { # COUNT, REQUEST: opens connections with this request, reports it, and holds them until its input ends
    # shellcheck disable=SC2016
    ip netns exec "$space" bash -c '
        # Writing to a refused connection fails.
        trap "" PIPE
        for ((n = 0; n < $1; n++)); do
            exec {fd}<>"/dev/tcp/$2/$3" && printf "$4" >&$fd
        done 2>/dev/null
        echo open
        read -r' greedy "$1" "$here" "$port" "$2"
}

asked=0 answered=0
hold() { # COUNT, REQUEST: holds the connections while an honest peer sends 20 requests
    mkfifo end
    greedy "$1" "$2" <end >opened &
    local holder=$!
    exec 7>end
    within 60 grep -qs open opened || fail 'the connections could not be opened'
    local n
    for n in {1..20}; do
        asked=$((asked + 1))
        ! honest || answered=$((answered + 1))
    done
    exec 7>&-
    wait "$holder"
    rm -f end opened
}
honest || fail 'it does not answer at all'
for round in 1 2 3; do hold 1000 ''; done
# A request without its body occupies a connection for 30 s.
hold 768 'POST /api/websub/hub HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\n'
[ "$answered" -eq "$asked" ] || fail "$answered of $asked honest requests were answered"
stop
echo "3 times 1,000 connections without a byte, 768 that are busy, of one address: $answered of $asked others were answered"
