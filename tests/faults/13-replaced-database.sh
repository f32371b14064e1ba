# The database is renamed, replaced or removed while the service runs: the service writes its log to the file that it had, leaves no
# log beside another one, and ends with 2 and one sentence.
. "${0%/*}/lib.sh"
needs sqlite3

for how in renamed replaced removed; do
    rm -f reviews.db* aside.db next.db
    rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'
    rows other 7 | "$reviews" --database next.db import - >/dev/null || fail 'the other database cannot be made'
    serve
    sqlite3 reviews.db "update review set author = 'only in the log'" || fail "$how: it cannot be written"
    ln reviews.db aside.db
    case $how in
    renamed) mv reviews.db moved.db ;;
    replaced) mv next.db reviews.db ;;
    removed) rm reviews.db ;;
    esac
    within 20 ended || fail "$how: it runs 20 s later"
    wait "$service"
    code=$?
    [ "$code" -eq 2 ] || fail "$how: it ended with $code"
    grep -q 'error: the database .* was replaced, renamed or removed' log || fail "$how: the log has no error: $(tail -3 log)"
    [ ! -e reviews.db-wal ] || fail "$how: a log is left"
    kept=$(sqlite3 aside.db "select count(*) from review where author = 'only in the log'; pragma integrity_check" | tr '\n' ' ')
    [ "$kept" = '100 ok ' ] || fail "$how: the former file has $kept"
done
[ "$(sqlite3 next.db 'pragma integrity_check')" = ok ] || fail 'the other database is damaged'
echo 'renamed, replaced and removed: ended with 2, the log is in the former file, and none is left'
