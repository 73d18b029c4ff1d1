#!/usr/bin/env bash
# Results are whole or marked incomplete: two writers, links, a full disk, a killed program.
source "$(dirname "$0")/expect.bash"

# state DIRECTORY: prints none, marked or whole; fails if tables or journals are missing, cut or of
# another run without a mark.
cat >state.py <<'PYTHON'
import json, os, sys
directory = sys.argv[1]
files = set(os.listdir(directory)) if os.path.isdir(directory) else set()
files = {one for one in files if not one.startswith(".")}  # the next run removes those
if not files:
    sys.exit(print("none"))
package = json.load(open(os.path.join(directory, "datapackage.json")))
if package["x_reeve"].get("incomplete"):
    assert package["resources"] == [], package
    sys.exit(print("marked"))
for resource in package["resources"]:
    path = os.path.join(directory, resource["path"])
    assert os.path.getsize(path) == resource["bytes"], path
assert {"runs.csv", "jobs.csv", "ledger.csv"} <= {one["path"] for one in package["resources"]}
manifest = json.load(open(os.path.join(directory, "manifest.json")))
assert all(run["seed"] == manifest["seed"] for run in package["x_reeve"]["runs"]), package
journals = package["x_reeve"].get("journals", [])
assert {one["path"] for one in journals} == {one for one in files if one.endswith(".journal")}
for one in journals:
    text = open(os.path.join(directory, one["path"]), "rb").read()
    assert text.startswith(b"reeve-journal") and len(text) == one["bytes"], one
    if package["x_reeve"]["scenario"] == "drawn-stalls":
        whole = os.path.join("journals", str(manifest["seed"]), one["path"])
        assert not os.path.exists(whole) or open(whole, "rb").read() == text, one
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

# Two writers of one journal: it is the whole journal of one of them.
run 0 init drawn-stalls
for seed in 0 1; do
  run 0 run drawn-stalls.jsonc --runs 1 --seed $seed -o journals/$seed --journal
done
! cmp -s journals/0/none.journal journals/1/none.journal || fail "all seeds have the same journal"
for seed in 0 1; do
  "$REEVE" run drawn-stalls.jsonc -p none --runs 1 --seed $seed --journal both.journal \
    >/dev/null 2>"both.$seed" &
  writers[seed]=$!
done
for seed in 0 1; do
  wait "${writers[seed]}" || fail "writer $seed of a journal failed: $(cat both.$seed)"
done
cmp -s both.journal journals/0/none.journal || cmp -s both.journal journals/1/none.journal ||
  fail "a journal of two writers is of neither"
[ -z "$(find . -maxdepth 1 -name '.*.tmp')" ] || fail "a temporary journal is left behind"

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
ln -s ../made-by-link linked/none.journal
run 0 run stalled-weekend.jsonc -p none -o linked --journal
[ ! -e made-by-link ] || fail "a dangling link was followed"
[ ! -L linked/none.journal ] || fail "a journal is a link"
[ "$(state linked)" = whole ] || fail "no journal in place of a link"
ln -sf ../victim linked/none.journal
run 64 run stalled-weekend.jsonc -p none -o linked --journal
[ "$(cat victim)" = precious ] || fail "a link to a foreign file was followed"
run 64 run stalled-weekend.jsonc -p none -o fresh --journal fresh/runs.csv
has stderr 'runs.csv is a name of results'
"$REEVE" run stalled-weekend.jsonc -p none -o open --journal /dev/stdout 2>stderr | cat >stdout
has stdout 'reeve-journal'
run 0 run stalled-weekend.jsonc -p none -o open --journal /dev/stdout
[ -L /dev/stdout ] || fail "/dev/stdout was replaced"

# A full disk: an error with the reason, and the results of the last run stay.
run 0 run stalled-weekend.jsonc -o old
cp -r old before
cp -r journals/0 journaled
# What is written to a pipe has no limit.
for blocks in 0 1 2 4 8; do
  ended=$({ (ulimit -f $blocks; exec "$REEVE" compare queueing-replay.jsonc --runs 4 -o old) \
    2>&1 >&3 3>&- | cat >stderr; echo "${PIPESTATUS[0]}"; } 3>/dev/null)
  [ "$ended" -eq 1 ] || fail "a limit of $blocks blocks ended with $ended"
  has stderr 'cannot write old/'
  has stderr 'File too large'
  diff -r before old || fail "results were lost on a full disk"
  ended=$({ (ulimit -f $blocks
    exec "$REEVE" run drawn-stalls.jsonc --runs 1 --seed 1 -o journaled --journal) \
    2>&1 >&3 3>&- | cat >stderr; echo "${PIPESTATUS[0]}"; } 3>/dev/null)
  [ "$ended" -eq 1 ] || fail "a limit of $blocks blocks ended a run with a journal with $ended"
  has stderr 'cannot write journaled/'
  diff -rq journals/0 journaled || fail "a journal was lost on a full disk"
  (ulimit -f $blocks; exec "$REEVE" run queueing-replay.jsonc -o new) >/dev/null 2>&1 &&
    fail "a full disk was not noticed"
  [ ! -e new ] || fail "a directory without results is left behind"
done
if [ -w /dev/full ]; then
  run 1 run stalled-weekend.jsonc -p none --journal /dev/full
  has stderr 'cannot write /dev/full: No space left on device'
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
journal_run() { exec "$REEVE" run drawn-stalls.jsonc --runs 1 --seed "$1" -o "$2" --journal; }
for ((seed = 2; seed <= kills; ++seed)); do (journal_run $seed journals/$seed) &>/dev/null; done
long=$(date +%s%N)
(journal_run 0 finished) >stdout 2>stderr
long=$((($(date +%s%N) - long) / 1000))  # microseconds
marked=0
for ((nth = 1; nth <= kills; ++nth)); do
  rm -rf killed
  [ $((nth % 2)) -eq 0 ] || cp -r finished killed  # one with results, and a new one
  delay=$(python3 -c "import random; print(random.Random($nth).random() * $long * 1.1e-6)")
  journal_run $nth killed >/dev/null 2>&1 &
  writer=$!
  sleep "$delay"
  kill -KILL $writer 2>/dev/null || true
  wait $writer 2>/dev/null || true
  found=$(state killed)
  [ "$found" != none ] || [ $((nth % 2)) -eq 0 ] || fail "kill $nth: the earlier results are gone"
  [ "$found" != marked ] || marked=$((marked + 1))
  checks=$((checks + 1))
done
echo "$kills kills, $marked directories marked incomplete"

# Killed before each step that puts files in place, over earlier results and in a new directory.
cat >steps.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static void step(void) {
  static int steps = 0;
  if (++steps == atoi(getenv("KILL_AT"))) kill(getpid(), SIGKILL);
}
int rename(const char* from, const char* to) {
  step();
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int remove(const char* path) {
  step();
  return unlink(path) == 0 ? 0 : rmdir(path);
}
C
if "${CXX:-c++}" -x c -shared -fPIC -o steps.so steps.c 2>/dev/null; then
  for old in finished none; do
    for ((at = 1, ended = 137; ended != 0; ++at)); do
      [ $at -lt 200 ] || fail "no end after 200 steps"
      rm -rf killed
      [ ! -e $old ] || cp -r $old killed
      ended=0
      (export KILL_AT=$at LD_PRELOAD=./steps.so; journal_run 1 killed) >stdout 2>stderr || ended=$?
      found=$(state killed)
      [ "$found" != none ] || [ $old = none ] || fail "step $at: the earlier results are gone"
      [ $ended -ne 0 ] || [ "$found" = whole ] || fail "step $at: not whole at the end"
      checks=$((checks + 1))
      [ "$found" = marked ] || continue
      (journal_run 2 killed) >stdout 2>stderr || fail "step $at: the mark cannot be written over"
      [ "$(state killed)" = whole ] || fail "step $at: not whole after the next run"
    done
    [ $at -gt 10 ] || fail "only $at steps put files in place"
    echo "killed at $((at - 2)) steps, with results before: $old"
  done
else
  echo "skipped: there is no C compiler"
fi

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
