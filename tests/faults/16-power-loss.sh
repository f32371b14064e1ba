# Simulates power losses: the database is on a separate ext4 image, which is copied during writes without a sync, so a copy has the
# state of the disk at that moment. A service starts from each copy; all rows acknowledged before the copy are there, and each
# import is whole or absent.
. "${0%/*}/lib.sh"
needs mkfs.ext4
needs sqlite3
[ -z "${FAULTS_NO_MOUNTS-}" ] || skip 'no mounts'

truncate -s 64M disk.img
mkfs.ext4 -q -F disk.img || skip 'ext4 cannot be made here'
mkdir -p disk after
mount -o loop disk.img disk 2>/dev/null || skip 'nothing can be mounted here'
trap 'umount "$folder/disk" "$folder/after" 2>/dev/null' EXIT
export DATABASE_URL=sqlite://$folder/disk/reviews.db
rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'
serve

rounds=6 acknowledged=0 lost=0 partly=0
for ((round = 1; round <= rounds; round++)); do
    # Single rows, each acknowledged after its commit, and imports of 200 rows beside them.
    (
        for ((n = 1; n <= 400; n++)); do
            sqlite3 -cmd '.timeout 5000' -cmd 'pragma synchronous = full' disk/reviews.db \
                "insert into review (review_id, rating, reviewed_on, text) values ('k$round-$n', 4, '2026-11-02', 'x')" >/dev/null && echo "$n" >>"acknowledged.$round"
        done
    ) 2>/dev/null &
    writing=$!
    rows "i$round" 200 300 | "$reviews" import - >/dev/null 2>&1 &
    importing=$!
    sleep "0.$((3 + round))"
    before=$(wc -l <"acknowledged.$round" 2>/dev/null || echo 0)
    cp --sparse=always disk.img "loss.$round.img"
    kill "$writing" 2>/dev/null
    wait "$writing" "$importing" 2>/dev/null
    echo "$before" >"before.$round"
done
stop
umount disk

for ((round = 1; round <= rounds; round++)); do
    mount -o loop "loss.$round.img" after || fail "round $round: the disk cannot be mounted"
    copy=$folder/after/reviews.db
    DATABASE_URL=sqlite://$copy
    "$reviews" check >out 2>&1 || fail "round $round: check: $(tail -3 out)"
    there=$(sqlite3 "$copy" "select count(*) from review where review_id like 'k$round-%'")
    before=$(cat "before.$round")
    acknowledged=$((acknowledged + before))
    [ "$there" -ge "$before" ] || lost=$((lost + before - there))
    imported=$(sqlite3 "$copy" "select count(*) from review where review_id like 'i$round-%'")
    case $imported in 0 | 200) ;; *) partly=$((partly + 1)) ;; esac
    serve
    [ -n "$(count)" ] || fail "round $round: nothing is served"
    stop
    umount after
    rm "loss.$round.img"
done
[ "$lost" -eq 0 ] || fail "$lost of $acknowledged acknowledged rows are lost"
[ "$partly" -eq 0 ] || fail "$partly of $rounds imports are there in part"
echo "$rounds losses of power: 0 of $acknowledged acknowledged rows lost, every import whole or not at all, check clean"
