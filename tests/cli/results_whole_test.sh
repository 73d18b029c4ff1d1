#!/usr/bin/env bash
# Results are whole or marked incomplete: two writers, links, a full disk, a killed program.
source "$(dirname "$0")/expect.bash"

# state DIRECTORY: prints none, marked or whole; fails if tables are missing without a mark.
cat >state.py <<'PYTHON'
import json, os, sys
directory = sys.argv[1]
files = set(os.listdir(directory)) if os.path.isdir(directory) else set()
if not files - {".reeve.lock"}:
    sys.exit(print("none"))
package = json.load(open(os.path.join(directory, "datapackage.json")))
if package["x_reeve"].get("incomplete"):
    assert package["resources"] == [], package
    sys.exit(print("marked"))
for resource in package["resources"]:
    path = os.path.join(directory, resource["path"])
    assert os.path.getsize(path) == resource["bytes"], path
assert {"runs.csv", "jobs.csv", "ledger.csv"} <= {one["path"] for one in package["resources"]}
json.load(open(os.path.join(directory, "manifest.json")))
print("whole")
PYTHON
state() { python3 state.py "$1" || fail "$1 is neither whole nor marked: $(ls -A "$1")"; }

# Two writers: one ends with an error, or both are done one after the other.
run 0 init queueing-replay
for nth in 1 2 3; do
  first=0 second=0
  "$REEVE" run queueing-replay.jsonc --runs 4 --seed 11 --threads 1 -o shared >one 2>one.err &
  writer=$!
  sleep 0.0$nth
  "$REEVE" run queueing-replay.jsonc --runs 4 --seed 22 --threads 1 -o shared >two 2>two.err ||
    second=$?
  wait $writer || first=$?
  [ $((first + second)) -le 1 ] || fail "both writers failed: $first, $second"
  [ "$first" -eq 0 ] || has one.err 'another process writes results to it'
  [ "$second" -eq 0 ] || has two.err 'another process writes results to it'
  [ "$(state shared)" = whole ] || fail "tables are missing after exit code 0"
done
exec 9>shared/.reeve.lock
flock 9
run 1 run queueing-replay.jsonc -o shared
has stderr 'cannot write shared: another process writes results to it'
[ "$(state shared)" = whole ] || fail "the tables of the other process are gone"
exec 9>&-
run 0 run queueing-replay.jsonc -o shared
[ ! -e shared/.reeve.lock ] || fail "the lock is left behind"
exec 9>held.journal
flock 9
run 1 run queueing-replay.jsonc -p fifo --runs 1 --journal held.journal
has stderr 'another process writes its journal'
exec 9>&-

# A link with the name of a table or of a temporary file is never followed.
run 0 init stalled-weekend
run 0 run stalled-weekend.jsonc -o linked
echo precious >victim
for number in 0 1 2 3; do ln -s ../victim "linked/.ledger.csv.$$-$number.tmp"; done
ln -s ../victim linked/.ledger.csv.tmp
ln -sf ../victim linked/jobs.csv
run 0 run stalled-weekend.jsonc -o linked
[ "$(cat victim)" = precious ] || fail "a link was followed"
[ ! -L linked/jobs.csv ] || fail "a table is a link"
[ "$(state linked)" = whole ] || fail "no tables beside links"
[ ! -L linked/.ledger.csv.tmp ] || fail "a link is left behind"

# A full disk: an error with the reason, and the results of the last run stay.
run 0 run stalled-weekend.jsonc -o old
cp -r old before
# What is written to a pipe has no limit.
for blocks in 0 1 2 4 8; do
  ended=$({ (ulimit -f $blocks; exec "$REEVE" compare queueing-replay.jsonc --runs 4 -o old) \
    2>&1 >&3 3>&- | cat >stderr; echo "${PIPESTATUS[0]}"; } 3>/dev/null)
  [ "$ended" -eq 1 ] || fail "a limit of $blocks blocks ended with $ended"
  has stderr 'cannot write old/'
  has stderr 'File too large'
  diff -r before old || fail "results were lost on a full disk"
  (ulimit -f $blocks; exec "$REEVE" run queueing-replay.jsonc -o new) >/dev/null 2>&1 &&
    fail "a full disk was not noticed"
  [ ! -e new ] || fail "a directory without results is left behind"
done
if [ -w /dev/full ]; then
  run 1 run stalled-weekend.jsonc -p none --journal /dev/full
  has stderr 'the journal cannot be written'
  "$REEVE" compare stalled-weekend.jsonc >/dev/full 2>stderr && fail "lost output was not noticed"
  has stderr 'cannot write to stdout'
else
  echo "skipped: there is no /dev/full"
fi
small=$scratch/small
mkdir small
if mount -t tmpfs -o size=40k none "$small" 2>/dev/null; then
  trap 'umount "$small"' EXIT
  run 1 run queueing-replay.jsonc -o small/out
  has stderr 'No space left on device'
  [ ! -e small/out ] || fail "a directory without results is left behind"
else
  echo "skipped: a small file system, for it cannot be mounted here"
fi

# Killed at any time: whole, or marked.  REEVE_KILLS=200 is the long test.
kills=${REEVE_KILLS:-12}
long=$(date +%s%N)
"$REEVE" compare queueing-replay.jsonc --runs 2 --seed 0 -o finished >stdout 2>stderr
long=$((($(date +%s%N) - long) / 1000))  # microseconds
marked=0
for ((nth = 1; nth <= kills; ++nth)); do
  rm -rf killed
  [ $((nth % 2)) -eq 0 ] || cp -r finished killed  # one with results, and a new one
  delay=$(python3 -c "import random; print(random.Random($nth).random() * $long * 1.1e-6)")
  "$REEVE" compare queueing-replay.jsonc --runs 2 --seed $nth -o killed >/dev/null 2>&1 &
  writer=$!
  sleep "$delay"
  kill -KILL $writer 2>/dev/null || true
  wait $writer 2>/dev/null || true
  found=$(state killed)
  [ "$found" != marked ] || marked=$((marked + 1))
  checks=$((checks + 1))
done
echo "$kills kills, $marked directories marked incomplete"

# What was marked is no result, and the next run writes over it.
rm -rf killed
"$REEVE" run queueing-replay.jsonc --runs 1000 -o killed >/dev/null 2>&1 &
writer=$!
for ((wait = 0; wait < 500; ++wait)); do
  [ ! -e killed/datapackage.json ] || break
  sleep 0.01
done
kill -KILL $writer
wait $writer 2>/dev/null || true
[ "$(state killed)" = marked ] || fail "a killed run left no mark"
run 64 explain job-1 killed
has stderr 'is incomplete'
run 0 run queueing-replay.jsonc -o killed
[ "$(state killed)" = whole ] || fail "a marked directory was not written over"
[ -z "$(find killed -name '.*')" ] || fail "temporary files are left behind"
done_checking
