# Imports and undos of imports are killed (SIGKILL) at random moments: what is stored of reviews, sources, deleted reviews, runs and
# formats is wholly as before the command or wholly as after it, nothing that the owner withheld or deleted is public, the database
# stays valid, and the command can be run again.
# FAULTS_KILLS kills in all (default 60), with the seed FAULTS_SEED.
. "${0%/*}/lib.sh"
needs sqlite3

kills=${FAULTS_KILLS:-60} seed=${FAULTS_SEED:-7}
RANDOM=$seed

sheet() { # EDITION: 300 rows without IDs; each edition changes, adds and lacks some
    awk -v edition="$1" 'BEGIN {
        print "author,rating,date,text,reply"
        for (i = 1 + 10 * (edition - 1); i <= 300 + 20 * (edition - 1); i++) {
            text = "Visit number " i " was on time and tidy"
            stars = 1 + i % 5
            if (edition > 1 && i % 5 == 0) text = text " in edition " edition
            if (edition > 1 && i % 7 == 0) stars = 1 + (stars + edition) % 5
            if (edition > 1 && i % 97 == 0) text = "Nothing that stood here before"
            printf "Guest %d,%d,%02d/%02d/2026,%s", i, stars, 1 + i % 28, 1 + i % 10, text
            print (i % (edition > 1 ? 11 : 100) == 0 ? ",Thank you for visit " i : ",")
        }
    }'
}

state() { # prints what is stored, without times
    local table
    for table in review mention review_source deleted_review import_run import_run_review source; do
        echo "$table"
        sqlite3 reviews.db "select * from $table" | sort
    done | sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/T/g'
}

keep() { # NAME: keeps the present database
    sqlite3 reviews.db 'pragma wal_checkpoint(truncate)' >/dev/null && cp reviews.db "$1.db"
}

begin_with() { # NAME: begins with a kept database
    rm -f reviews.db reviews.db-*
    cp "$1.db" reviews.db
}

finish() { # COMMAND...: runs it; doubtful rows are no failure
    "$reviews" "$@" >out 2>&1 || [ $? -eq 1 ] || fail "$*: $(tail -3 out)"
}

for edition in 1 2 3; do sheet "$edition" >"sheet$edition.csv"; done
finish init --name Firm --time-zone UTC
finish import sheet1.csv
ids=$(sqlite3 reviews.db 'select review_id from review order by 1 limit 60')
number=0 hidden=
for id in $ids; do
    number=$((number + 1))
    case $number in
        10 | 20 | 50 | 60) hidden="$hidden,'$(sqlite3 reviews.db "select author from review where review_id = '$id'")'" ;;&
        10 | 20) finish withhold "$id" --reason spam ;;
        30 | 40) finish reply "$id" 'Our own answer' ;;
        50 | 60) finish delete "$id" --yes ;;
    esac
done
keep first
finish import sheet2.csv
keep second
finish import sheet3.csv --doubtful new --withdraw-missing --accept-changes
keep third

done_kills=0 cut=0 before_count=0 after_count=0
attack() { # NAME, COMMAND...: kills the command again and again, beginning with that database each time
    local name=$1 round started micros wait code public
    shift
    begin_with "$name"
    state >before
    started=$(date +%s%N)
    finish "$@"
    micros=$((($(date +%s%N) - started) / 1000))
    state >after
    cmp -s before after && fail "$*: changes nothing"
    for ((round = 1; round <= (kills + 3) / 4; round++)); do
        begin_with "$name"
        "$reviews" "$@" >out 2>&1 &
        local running=$!
        wait=$(((RANDOM * 32768 + RANDOM) % (micros + micros / 10)))
        # Half of them while the command writes.
        [ $((round % 2)) -eq 0 ] || wait=$((micros * 2 / 3 + wait * 4 / 10))
        sleep "$((wait / 1000000)).$(printf '%06d' $((wait % 1000000)))"
        kill -KILL "$running" 2>/dev/null
        wait "$running" 2>/dev/null
        code=$?
        done_kills=$((done_kills + 1))
        [ "$code" -ne 137 ] || cut=$((cut + 1))
        "$reviews" check >checked 2>&1 || fail "$*, killed after $wait µs: $(tail -3 checked)"
        public=$(sqlite3 reviews.db "select author from review where status = 'published' and author in (${hidden#,})")
        [ -z "$public" ] || fail "$*, killed after $wait µs: hidden reviews are public: $public"
        state >found
        if cmp -s found before; then
            before_count=$((before_count + 1))
            if [ $((round % 8)) -eq 0 ]; then
                finish "$@"
                state >found
                cmp -s found after || fail "$*, run again after a kill: $(diff found after | head -5)"
            fi
        elif cmp -s found after; then
            after_count=$((after_count + 1))
        else
            fail "$*, killed after $wait µs (seed $seed): neither before nor after: $(diff found after | head -5)"
        fi
    done
}

attack first import sheet2.csv
attack second import sheet3.csv --doubtful new --withdraw-missing --accept-changes
attack third undo
attack second undo
echo "$done_kills kills, $cut of them in the midst: $before_count wholly before, $after_count wholly after, check clean"
