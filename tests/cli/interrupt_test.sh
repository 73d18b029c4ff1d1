#!/usr/bin/env bash
# Ctrl-C: writes what it has, marks it partial, ends with 130.
source "$(dirname "$0")/expect.bash"

run 0 init queueing-replay
sed -e 's/"jobs": 2000/"jobs": 50000/' -e 's/"runs": 10/"runs": 100000/' \
  queueing-replay.jsonc >long.jsonc

# interrupted ARGUMENT...: starts, waits until it runs, sends SIGINT.
interrupted() {
  local status=0
  # Background jobs of a script ignore SIGINT; a program started by a person does not.
  python3 - "$REEVE" "$@" >stdout 2>stderr <<'PYTHON' || status=$?
import signal, subprocess, sys, time
child = subprocess.Popen(
    sys.argv[1:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
time.sleep(3)
if child.poll() is not None:
    sys.exit("ended before it could be interrupted")
child.send_signal(signal.SIGINT)
try:
    sys.exit(child.wait(timeout=60))
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit("did not end")
PYTHON
  [ "$status" -eq 130 ] || fail "reeve $*: exit status $status, not 130"
  checks=$((checks + 1))
}

# A second Ctrl-C ends at once and leaves nothing half-written behind.
second=0
python3 - "$REEVE" compare long.jsonc -o out/twice >stdout 2>stderr <<'PYTHON' || second=$?
import signal, subprocess, sys, time
child = subprocess.Popen(
    sys.argv[1:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
time.sleep(2)
for _ in range(20):
    child.send_signal(signal.SIGINT)
    time.sleep(0.01)
sys.exit(child.wait(timeout=10))
PYTHON
[ "$second" -eq 130 ] || fail "a second Ctrl-C ended with $second"
[ ! -e out/twice ] || [ -e out/twice/datapackage.json ] || fail "an empty folder is left behind"
[ -z "$(find . -name '.*.tmp')" ] || fail "temporary files are left behind"

interrupted compare long.jsonc -o out/long
has stdout 'partial: interrupted after'
has out/long/manifest.json '"partial": true'
is_json out/long/datapackage.json
has out/long/datapackage.json '"partial": true'
[ "$(wc -l <out/long/runs.csv)" -gt 1 ] || fail "nothing was written"

# The tables say which rows are of a run that was cut off.
sed -e 's/"jobs": 2000/"jobs": 5000000/' -e 's/"runs": 10/"runs": 1/' \
  queueing-replay.jsonc >endless.jsonc
interrupted compare endless.jsonc --threads 1 -o out/endless
has stdout 'partial: interrupted after 0 of 1 runs'
python3 - <<'PYTHON' || fail "runs.csv does not say which run is partial"
import csv, json
rows = list(csv.DictReader(open("out/endless/runs.csv")))
assert [(row["run_id"], row["partial"]) for row in rows] == [("fifo/0", "true")], rows
package = json.load(open("out/endless/datapackage.json"))
assert [run["partial"] for run in package["x_reeve"]["runs"]] == [True]
assert json.load(open("out/endless/manifest.json"))["partial"] is True
whole = [row["partial"] for row in csv.DictReader(open("out/long/runs.csv"))]
assert whole[0] == "false" and set(whole[:-2]) <= {"false"}, whole
PYTHON
interrupted compare long.jsonc --json
is_json stdout
has stdout '"partial": true'
interrupted run long.jsonc -p fifo --json
has stdout '"partial": true'
interrupted test long.jsonc
has stdout interrupted
done_checking
