# Packets to the outside are dropped silently, as behind a firewall or a dead link: every delivery times out and no other exchange
# succeeds. This ends no subscription, from the first minute on.
. "${0%/*}/lib.sh"

own_network "$@"
needs sqlite3
export REVIEWS_HUB_ALLOW_CALLBACK_NETS=10.99.0.0/16 REVIEWS_HUB_RETRY_DELAYS=1s,1s
rows first 100 | "$reviews" import - >/dev/null || fail 'the import failed'
subscribed 8
serve
tried() { [ "$(sqlite3 reviews.db 'select count(last_attempt_at) from subscription')" -ge 8 ]; }
within 60 tried || fail 'not every subscriber was tried'
# Three attempts of 5 s and their waits: any subscription that was going to end has ended.
sleep 25
"$reviews" check >out 2>&1 || fail "check: $(tail -3 out)"
found=$(sqlite3 reviews.db "select count(*) || ' ' || sum(state = 'active') || ' ' || sum(failures) from subscription")
reasons=$(sqlite3 reviews.db 'select group_concat(distinct last_outcome) from subscription')
[ "$found" = '8 8 0' ] || fail "subscriptions, active ones, strikes: $found; attempts ended with: $reasons"
answers /healthz 200 || fail 'it is not alive'
stop
echo "8 of 8 subscriptions kept, 0 strikes; attempts ended with: $reasons"
