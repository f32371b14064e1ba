# The database's file is replaced, or removed, under a running service: it says so, takes no request that would be kept in a
# file that is gone, and goes on answering what it has.
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
echo 'removed and replaced: /readyz and hub 503, reading goes on, stopped with 0'
