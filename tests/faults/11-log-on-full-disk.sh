# The disk of the log file is full: the service answers, publishes changes, and stops as usual.
. "${0%/*}/lib.sh"

log=/dev/full kind='a log that takes nothing'
if small_disk 1; then
    log=$folder/disk/log kind='a log on a full disk of 1 MiB'
elif [ ! -e /dev/full ]; then
    skip 'no mounts, and no /dev/full, on this machine'
fi
rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'
export RUST_LOG=debug
serve "$log"
[ "$log" = /dev/full ] || fill_disk
for round in 1 2 3; do
    rows "round$round" 10 | "$reviews" import - >/dev/null 2>&1 || fail "import $round failed"
    within 20 counts $((100 + round * 10)) || fail "after change $round: $(count) reviews, service alive: $(alive && echo yes || echo no)"
done
answers /healthz 200 || fail 'it is not alive'
case $(subscribe 1) in 202) ;; *) fail 'the hub does not answer 202' ;; esac
stop
echo "$kind: 3 changes published, the hub answered 202, stopped with 0"
