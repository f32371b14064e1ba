# The process has far fewer file descriptors than subscribers to call: a connection that cannot be opened is not the subscriber's
# failure, and the service continues. If only the soft limit is low, the service raises it at the start.
. "${0%/*}/lib.sh"

own_network "$@"
needs sqlite3
export REVIEWS_HUB_ALLOW_CALLBACK_NETS=10.99.0.0/16
rows first 100 | "$reviews" import - >/dev/null || fail 'the import failed'
hard=$(ulimit -Hn)
ulimit -Sn 64
serve
soft=$(awk '/^Max open files/ { print $4 }' "/proc/$service/limits")
[ "$soft" -gt 64 ] || fail "the soft limit stayed at $soft, though $hard are allowed"
stop

# Only now, so that no subscriber was called while there were enough descriptors.
subscribed 160
ulimit -n 96
serve
met() { [ "$(sqlite3 reviews.db "select count(*) from subscription where last_outcome = 'network_down'")" -ge 1 ]; }
within 60 met || fail "no descriptor was missing: $(sqlite3 reviews.db 'select last_outcome, count(*) from subscription group by last_outcome')"
sleep 20
found=$(sqlite3 reviews.db "select count(*) || ' ' || sum(state = 'active') || ' ' || coalesce(sum(failures) filter (where last_outcome = 'network_down'), 0) from subscription")
missing=$(sqlite3 reviews.db "select count(*) from subscription where last_outcome = 'network_down'")
[ "$found" = '160 160 0' ] || fail "subscriptions, active ones, failures of those without a descriptor: $found; $missing of these"
within 30 answers /healthz 200 || fail 'it is not alive'
stop
echo "160 of 160 subscriptions kept, 0 failures of $missing subscriptions without a descriptor; a soft limit of 64 became $soft"
