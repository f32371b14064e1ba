# Files are limited in size (RLIMIT_FSIZE: `ulimit -f`, LimitFSIZE=); the system sends a signal that by default kills the process.
# An import ends with 2, changes nothing and reports the reason; the service survives, reads continue, and the hub accepts nothing
# that it cannot store. After the limit is raised, all accepted data is there.
. "${0%/*}/lib.sh"
needs sqlite3

[ "$(ulimit -H -f)" = unlimited ] || skip 'the size of files is limited here already'
trap - XFSZ
rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'

rows second 3000 2000 >rows.jsonl

# Space for the database and a short log, in units of 1,024 bytes. It is the soft limit, so it can be raised again.
limit=1024
ulimit -S -f "$limit"
serve
before=$(etag /reviews.json)
[ -n "$before" ] || fail 'nothing is served'
bounded 120 "$reviews" import rows.jsonl >out 2>err
code=$?
[ "$code" -eq 2 ] || fail "the import ended with $code: $(cat out err)"
grep -q 'ulimit -f' err || fail "the import did not say why: $(cat err)"
alive || fail 'the service is gone'
[ "$(etag /reviews.json)" = "$before" ] || fail 'what is served has changed'
answers /readyz 200 || fail "ready is $(status GET /readyz)"

# The service's own writes reach the limit too: a reader prevents cutting the log, and requests let it grow.
coproc shell { sqlite3 -readonly reviews.db; }
shell_pid=$!
printf 'begin; select count(*) from review;\n' >&"${shell[1]}"
read -r said <&"${shell[0]}" && [ "$said" = 100 ] || fail "a reader sees $said reviews"
accepted=() refused=0 other=0
for ((number = 1; number <= 400 && refused < 5; number++)); do
    case $(subscribe "$number") in
        202) accepted+=("$number") ;;
        503) refused=$((refused + 1)) ;;
        *) other=$((other + 1)) ;;
    esac
done
[ "$other" -eq 0 ] || fail "the hub answered $other requests with neither 202 nor 503"
[ "$refused" -gt 0 ] || fail "the hub never met the limit: $(ls -l reviews.db*)"
alive || fail 'the service is gone, after requests to the hub'
[ "$(etag /reviews.json)" = "$before" ] || fail 'what is served has changed, after requests to the hub'
printf 'commit;\n.quit\n' >&"${shell[1]}"
wait "$shell_pid" 2>/dev/null
stop

ulimit -S -f unlimited
"$reviews" check >out 2>&1 || fail "check: $(tail -3 out)"
[ "$(sqlite3 reviews.db 'pragma integrity_check')" = ok ] || fail 'the database is damaged'
kept=$(sqlite3 reviews.db 'select count(*) from subscription')
[ "$kept" -eq "${#accepted[@]}" ] || fail "${#accepted[@]} requests were accepted, $kept are kept"
serve
counts 100 || fail "$(count) reviews are out, not 100"
"$reviews" import rows.jsonl >/dev/null || fail 'the import failed though the limit is lifted'
within 30 counts 3100 || fail "$(count) reviews are out, not 3100"
[ "$(subscribe 1000)" = 202 ] || fail 'the hub takes nothing though the limit is lifted'
stop
"$reviews" check >out 2>&1 || fail "check at the end: $(tail -3 out)"
echo "files of at most $limit KiB: the import ended with 2 and changed nothing, the hub kept ${#accepted[@]} of ${#accepted[@]} accepted requests and refused $refused"
