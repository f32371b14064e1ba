# The database or its log is replaced or removed while the service runs: the service reports it, accepts no request that it would
# store in a removed file, and serves its last snapshot. Requests accepted before the log was removed survive a SIGKILL.
. "${0%/*}/lib.sh"

for how in removed replaced; do
    rm -f reviews.db*
    rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'
    serve
    before=$(etag /reviews.json)
    answers /readyz 200 || fail "$how: not ready at first"
    mkdir -p away && mv reviews.db reviews.db-* away/
    if [ "$how" = replaced ]; then
        rows other 7 | "$reviews" import - >/dev/null || fail 'the other database cannot be made'
    fi
    within 10 answers /readyz 503 || fail "$how: /readyz is $(status GET /readyz) 10 s later, not 503"
    hub=$(subscribe 1)
    [ "$hub" = 503 ] || fail "$how: the hub answered $hub, not 503"
    [ "$(etag /reviews.json)" = "$before" ] || fail "$how: what is served has changed"
    answers /healthz 200 || fail "$how: it is not alive"
    stop
    grep -qE 'ERROR.*reviews\.db' log || fail "$how: the log has no error that names the file"
    rm -rf away
done

rm -f reviews.db*
rows first 100 | "$reviews" import - >/dev/null || fail 'the import failed'
serve
before=$(etag /reviews.json) taken=0
for number in $(seq 1 20); do
    [ "$number" -ne 6 ] || rm reviews.db-wal
    hub=$(subscribe "$number")
    case $hub in
    202) taken=$((taken + 1)) ;;
    503) ;;
    *) fail "log removed: the hub answered $hub" ;;
    esac
done
within 10 answers /readyz 503 || fail "log removed: /readyz is not 503"
[ "$hub" = 503 ] || fail "log removed: the hub answered $hub, not 503"
[ "$(etag /reviews.json)" = "$before" ] || fail "log removed: what is served has changed"
within 10 grep -qE 'ERROR.*reviews\.db-wal' log || fail 'log removed: no error names it'
within 10 grep -q 'database\.log_kept' log || fail 'log removed: it was not written back'
kill -KILL "$service"
wait "$service" 2>/dev/null
serve
kept=$("$reviews" subscriptions --json | grep -o '"callback"' | wc -l)
[ "$kept" -ge "$taken" ] || fail "log removed: $taken requests were answered 202, and $kept are there after a SIGKILL"
stop
echo "removed and replaced: /readyz and hub 503, reading goes on, stopped with 0; log removed: $kept of $taken accepted requests kept"
