# A review is deleted while the disk has no space to rewrite the file: the review is deleted, the command and `check` report what
# is left and what to do, and with space the next deletion erases both.
. "${0%/*}/lib.sh"
needs sqlite3
small_disk 40 || skip 'no small disk can be mounted here'
export DATABASE_URL=sqlite://$folder/disk/reviews.db

(rows kept 20; printf '{"id":"goes","rating":2,"date":"2026-11-01","author":"A","text":"zyxglintword"}\n') >rows.jsonl
"$reviews" import rows.jsonl >said 2>&1 || fail "the import failed: $(tail -3 said)"
sqlite3 disk/reviews.db 'create table large (bytes); insert into large values (zeroblob(8000000))' || fail 'it cannot be made large'
dd if=/dev/zero of=disk/filler bs=1M count=$(($(df -Pm disk | awk 'NR == 2 { print $4 }') - 6)) 2>/dev/null
"$reviews" delete goes --yes >said 2>&1 || fail "delete ended with $?: $(cat said)"
grep -q 'or on a full disk; `reviews serve` erases that within an hour' said || fail "delete said: $(cat said)"
"$reviews" check >said 2>&1 || fail "check ended with $?: $(cat said)"
grep -q 'erasure: .* 1 deleted review;' said || fail "check said: $(cat said)"
rm disk/filler
"$reviews" delete kept-7 --yes >said 2>&1 || fail "delete ended with $?: $(cat said)"
grep -q 'and erased from the file' said || fail "with room, delete said: $(cat said)"
"$reviews" check | grep -q erasure && fail 'check still says that something is left'
! grep -q zyxglintword disk/reviews.db* || fail 'the text is still in the files'
echo 'without room: deleted, said what is left and why; with room: nothing is left'
