# The wall clock is set two years ahead and then two years back while the service runs (libfaketime, without the monotonic clock):
# the service answers, publishes within a second, never lowers Last-Modified, and restarts.
. "${0%/*}/lib.sh"
fake=
for place in /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib/faketime/libfaketimeMT.so.1; do
    [ ! -e "$place" ] || fake=$place
done
[ -n "$fake" ] || skip 'there is no libfaketime here'
! grep -aq jemalloc "$reviews" || skip 'libfaketime hangs under jemalloc: give a debug build'

export FAKETIME_TIMESTAMP_FILE=$folder/clock FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
rows first 20 | "$reviews" import - >/dev/null || fail 'the first import failed'
set_clock() { echo "$1" >"$folder/clock"; }
last_modified() { date -d "$(request GET /reviews.json | tr -d '\r' | sed -n 's/^last-modified: //p')" +%s; }
date_now() { date -d "$(request GET /reviews.json | tr -d '\r' | sed -n 's/^date: //p')" +%s; }
faked() { LD_PRELOAD=$fake "$@"; }

set_clock +0
rm -f said
LD_PRELOAD=$fake "$reviews" serve >said 2>log &
service=$!
within 60 started
greeted || fail "the service did not start: $(tail -3 log)"
port=$(sed -n 's/^ *Listening on .*:\([0-9]*\)$/\1/p' said)

modified=$(last_modified) count=20
for jump in +730d -730d +0; do
    set_clock "$jump"
    count=$((count + 1))
    rows "at-${jump#+}" 1 | sed 's/2026-11-01/2024-11-01/' | faked "$reviews" import - >/dev/null 2>err || fail "the import at $jump failed: $(cat err)"
    within 5 counts "$count" || fail "at $jump $(count) reviews are out, not $count"
    now=$(last_modified)
    [ "$now" -ge "$modified" ] || fail "at $jump Last-Modified went back from $modified to $now"
    [ "$(date_now)" -ge "$now" ] || fail "at $jump Date is before Last-Modified"
    modified=$now
    answers /readyz 200 || fail "at $jump ready is $(status GET /readyz)"
    [ "$(subscribe "${jump//[^0-9]/}")" = 202 ] || fail "at $jump the hub takes nothing"
done
stop
"$reviews" check >out 2>&1 || fail "check: $(tail -3 out)"
serve
[ "$(last_modified)" -ge "$modified" ] || fail 'Last-Modified went back with the restart'
counts "$count" || fail "$(count) reviews are out after the restart, not $count"
stop
echo 'two years ahead, two years back, and right again: each change out, Last-Modified never went back, the hub took requests'
