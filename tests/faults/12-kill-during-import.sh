# Imports beside a running service are killed (SIGKILL) at moments spread over their whole duration: each is whole or absent, the
# database stays valid, and its log does not stay long.
. "${0%/*}/lib.sh"

rounds=8 size=1500
rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'
serve
# The duration of an import without a kill, in hundredths of a second.
rows whole "$size" 200 >rows.jsonl
started=$(date +%s%N)
"$reviews" import rows.jsonl >/dev/null || fail 'the second import failed'
hundredths=$((($(date +%s%N) - started) / 10000000))
there=$((100 + size)) cut=0
within 30 counts "$there" || fail "$(count) reviews are out, not $there"

for ((round = 1; round <= rounds; round++)); do
    rows "round$round" "$size" 200 >rows.jsonl
    "$reviews" import rows.jsonl >/dev/null 2>&1 &
    importing=$!
    wait=$((hundredths * round / (rounds + 1)))
    sleep "$((wait / 100)).$(printf '%02d' $((wait % 100)))"
    kill -KILL "$importing" 2>/dev/null
    wait "$importing" 2>/dev/null
    [ $? -ne 137 ] || cut=$((cut + 1))
    "$reviews" check >out 2>&1 || fail "round $round: $(tail -3 out)"
    found=$(sed -n 's/^.*: \([0-9]*\) reviews$/\1/p' out)
    case $((found - there)) in
        0 | "$size") there=$found ;;
        *) fail "round $round: $found reviews, where there were $there and an import has $size" ;;
    esac
done
within 30 counts "$there" || fail "$(count) reviews are out, not $there"
# After any kill, the next writing command leaves a log within its bound.
"$reviews" import rows.jsonl >/dev/null || fail 'the last import failed'
log=$(wc -c <reviews.db-wal)
[ "$log" -le $((16 << 20)) ] || fail "the log has $log bytes"
stop
echo "$cut of $rounds imports of $size rows killed in the midst: each whole or not at all, check clean"
