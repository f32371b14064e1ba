# A shell locks the database for a minute: writing commands wait 10 s and report it, the hub answers 503 and stores nothing, reads
# and readiness continue, and refused requests succeed after the lock is released.
. "${0%/*}/lib.sh"
needs sqlite3

rows first 50 | "$reviews" import - >/dev/null || fail 'the first import failed'
serve
before=$(etag /reviews.json)

# Holds the lock until the commit below.
coproc shell { sqlite3 reviews.db; }
shell_pid=$!
printf 'begin exclusive; select 1;\n' >&"${shell[1]}"
read -r said <&"${shell[0]}" && [ "$said" = 1 ] || fail 'the shell did not get the lock'

taken=$SECONDS held=60
start=$SECONDS
"$reviews" withhold first-1 --reason test >out 2>err
code=$?
waited=$((SECONDS - start))
[ "$code" -eq 2 ] && grep -q 'is locked by another process for more than 10 s' err || fail "withhold ended with $code: $(cat err)"
[ "$waited" -ge 9 ] && [ "$waited" -le 17 ] || fail "withhold waited $waited s"
refused=0 read=0
while [ $((SECONDS - taken)) -lt "$held" ]; do
    hub=$(ask_hub 1)
    grep -q '^HTTP/1.1 503 ' <<<"$hub" || fail "after $((SECONDS - taken)) s the hub answered $hub"
    grep -qi '^retry-after: [1-9]' <<<"$hub" || fail "the hub does not say when to come back: $hub"
    refused=$((refused + 1))
    for page in /reviews.json /api/feed.json /insights.json; do
        answers "$page" 200 || fail "after $((SECONDS - taken)) s $page is $(status GET "$page")"
        read=$((read + 1))
    done
    [ "$(etag /reviews.json)" = "$before" ] || fail 'what is served has changed'
    answers /readyz 200 || fail "ready is $(status GET /readyz)"
done

printf "update review set text = 'from the shell' where review_id = 'first-2'; commit; select 2;\n" >&"${shell[1]}"
read -r said <&"${shell[0]}" && [ "$said" = 2 ] || fail 'the shell could not commit'
# shellcheck disable=SC2329 # tried by within
changed() { request GET /reviews.json | grep -q 'from the shell'; }
within 5 changed || fail 'what the shell wrote is not out'
"$reviews" withhold first-1 --reason test >/dev/null || fail 'withhold failed though the lock was given back'
within 5 counts 49 || fail "$(count) reviews are out, not 49"
[ "$(subscribe 1)" = 202 ] || fail 'the hub takes nothing though the lock was given back'
printf '.quit\n' >&"${shell[1]}"
wait "$shell_pid" 2>/dev/null
stop
"$reviews" check >out 2>&1 || fail "check: $(tail -3 out)"
echo "locked for $held s: a command gave up after $waited s with 2, the hub refused $refused of $refused, $read of $read were read; all went through afterwards"
