# The database's disk fills up: an import changes nothing and reports the reason, reads continue, the hub accepts nothing that it
# cannot store, and everything recovers when there is space again.
. "${0%/*}/lib.sh"

if small_disk 24; then
    kind='a disk of 24 MiB' said='no space is left on the disk'
    export DATABASE_URL=sqlite://$folder/disk/reviews.db
else
    # Without mounts, limits the size of files instead, for all processes of this case.
    kind='files of at most 2 MiB' said='failed: disk I/O error'
    trap '' XFSZ
    ulimit -f 2048
fi
rows first 100 | "$reviews" import - >/dev/null || fail 'the first import failed'
serve
before=$(etag /reviews.json)
[ -n "$before" ] || fail 'nothing is served'

[ "$kind" != 'a disk of 24 MiB' ] || fill_disk
rows second 3000 2000 | bounded 120 "$reviews" import - >out 2>err
code=$?
[ "$code" -eq 2 ] || fail "the import ended with $code: $(cat out err)"
grep -q "$said" err || fail "the import did not say why: $(cat err)"
alive || fail 'the service is gone'
[ "$(etag /reviews.json)" = "$before" ] || fail 'what is served has changed'
hub=$(subscribe 1)
case $hub in
    503) ;;
    202) "$reviews" subscriptions | grep -q 127.0.0.1:9/1 || fail 'the hub has lost what it accepted' ;;
    *) fail "the hub answered $hub" ;;
esac
"$reviews" check >out 2>&1 || fail "check: $(tail -3 out)"

if [ "$kind" = 'a disk of 24 MiB' ]; then
    rm disk/filler
    rows third 200 | "$reviews" import - >/dev/null || fail 'the import failed though there is room again'
    within 20 counts 300 || fail "$(count) reviews are out, not 300"
fi
stop
"$reviews" check >out 2>&1 || fail "check at the end: $(tail -3 out)"
echo "$kind: the import ended with 2 and changed nothing, the hub answered $hub, reading went on"
