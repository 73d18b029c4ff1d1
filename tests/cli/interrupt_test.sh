#!/usr/bin/env bash
# Ctrl-C: writes what it has, marks it partial, ends with 130.
source "$(dirname "$0")/expect.bash"

run 0 init queueing-replay
sed 's/"runs": 10/"runs": 100000/' queueing-replay.jsonc >long.jsonc

# interrupt SIGNALS SHOWS ARGUMENT...: starts reeve at a terminal, waits until its progress shows
# that (a regular expression), and presses Ctrl-C so many times.  Ends as reeve does.
interrupt() {
  python3 - "$REEVE" "$@" >stdout 2>stderr <<'PYTHON'
import os, pty, re, select, signal, subprocess, sys, time
program, signals, shows, *arguments = sys.argv[1:]
terminal, its_side = pty.openpty()
# Background jobs of a script ignore SIGINT; a program started by a person does not.
child = subprocess.Popen(
    [program, *arguments], stderr=its_side,
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
os.close(its_side)
seen, pressed, until = "", 0, time.monotonic() + 300
while child.poll() is None:
    if time.monotonic() > until:
        child.kill()
        sys.exit("did not end" if pressed else f"did not show {shows}: {seen[-200:]}")
    if select.select([terminal], [], [], 0.01)[0]:
        try:
            seen = (seen + os.read(terminal, 65536).decode(errors="replace"))[-2000:]
        except OSError:  # it is over
            pass
    if pressed < int(signals) and re.search(shows, seen):
        child.send_signal(signal.SIGINT)
        pressed += 1
sys.exit(child.returncode if pressed else "ended before it could be interrupted")
PYTHON
}

# interrupted SHOWS ARGUMENT...: one Ctrl-C.
interrupted() {
  local status=0
  interrupt 1 "$@" || status=$?
  [ "$status" -eq 130 ] || fail "reeve $*: exit status $status, not 130: $(cat stderr)"
  checks=$((checks + 1))
}

at_work='events/s'              # it runs
some_are_done=' [1-9][0-9]+/'  # ten runs or more are whole

# A second Ctrl-C ends at once and leaves nothing half-written behind.
second=0
interrupt 20 "$at_work" compare long.jsonc -o out/twice || second=$?
[ "$second" -eq 130 ] || fail "a second Ctrl-C ended with $second"
[ ! -e out/twice ] || [ -e out/twice/datapackage.json ] || fail "an empty folder is left behind"
[ -z "$(find . -name '.*.tmp')" ] || fail "temporary files are left behind"

# timeout(1) signals a process and its group: two signals at one time are one request.
both=0
interrupt 2 "$some_are_done" compare long.jsonc -o out/both || both=$?
[ "$both" -eq 130 ] || fail "two signals at one time ended with $both"
has stdout 'partial: interrupted after'

interrupted "$some_are_done" compare long.jsonc -o out/long
has stdout 'partial: interrupted after'
has out/long/manifest.json '"partial": true'
is_json out/long/datapackage.json
has out/long/datapackage.json '"partial": true'
[ "$(wc -l <out/long/runs.csv)" -gt 1 ] || fail "nothing was written"

# The tables say which rows are of a run that was cut off.
sed -e 's/"jobs": 2000/"jobs": 5000000/' -e 's/"runs": 10/"runs": 1/' \
  queueing-replay.jsonc >endless.jsonc
interrupted 'clock .*events/s' compare endless.jsonc --threads 1 -o out/endless
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
interrupted 'clock .*events/s' compare endless.jsonc --threads 1 --timeline endless.json
python3 "$source_root/tests/cli/timeline_check.py" endless.json >stdout || fail "no timeline"
has endless.json 'replication 0, seed 1, partial: interrupted"'
lacks endless.json '"name":"sjf"'
interrupted "$at_work" compare long.jsonc --json
is_json stdout
has stdout '"partial": true'
interrupted "$at_work" run long.jsonc -p fifo --json
has stdout '"partial": true'
interrupted "$at_work" test long.jsonc
has stdout interrupted
# What explain had not played to its end is no answer.
cat >many.jsonc <<'JSONC'
{ "reeve": 1, "name": "many",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "14d" },
  "prices": { "instances": { "ml.d.8gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 9000 } ],
  "jobs": [ { "name": "j", "count": 9000, "submit_every": "1m", "work": "9h",
              "checkpoint": { "every": "30m" }, "faults": [ { "at": "1h", "kind": "stall" } ] } ],
  "policies": { "p": [ { "rule": "stalled_gpu" },
    { "rule": "budget", "limit_usd": 250, "per": "job" },
    { "rule": "resume", "when": ["stopped_by:stalled_gpu"], "min_runtime": "0s" } ] } }
JSONC
ended=0
timeout -s INT --preserve-status 1 "$REEVE" explain j-1 many.jsonc -p p >stdout 2>stderr || ended=$?
[ "$ended" -eq 130 ] || fail "an interrupted explain ended with $ended"
has stdout 'partial: interrupted'
lacks stdout 'makes no attempt'
lacks stdout 'none was found'

# Whatever it does, the program ends within a second, or says that it writes partial results.  It
# leaves nothing half-written behind.
python3 - <<'PYTHON'
import json
owners = 30_000
jobs = [{"name": f"j{n}", "work": "1h", "owner": f"o{n}", "tags": {"t": f"v{n}"}}
        for n in range(owners)]
json.dump({"reeve": 1, "name": "wide",
           "clock": {"start": "2026-01-05T00:00:00Z", "horizon": "60d"},
           "prices": {"instances": {"x": {"usd_per_hour": 3, "gpus": 1}}},
           "fleet": [{"name": "f", "instance_type": "x", "capacity": 50}],
           "jobs": jobs, "platform": {"model": "ideal"},
           "policies": {"p": [{"rule": "schedule", "algorithm": "fifo"}]},
           "expect": [{"that": f"owner.o{n}.mean_wait_s >= 0"} for n in range(2000)]},
          open("wide.jsonc", "w"))
with open("long.csv", "w") as trace:
    trace.write("job_id,submit_s,duration_s,gpus\n")
    trace.writelines(f"j{n},{n},60,1\n" for n in range(1_500_000))
PYTHON
cat >soon.py <<'PYTHON'
import signal, subprocess, sys, threading, time
program, *arguments = sys.argv[1:]
cut = 0
for nth in range(4):
    child = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    said = []  # when it said that it ends
    def listen(child=child, said=said):
        for line in child.stderr:
            if b"interrupted" in line:
                said.append(time.monotonic())
    listener = threading.Thread(target=listen)
    listener.start()
    time.sleep(0.12 + 0.5 * nth)
    child.send_signal(signal.SIGTERM if nth % 2 else signal.SIGINT)
    asked = time.monotonic()
    code = child.wait()
    listener.join()
    took = min(said + [time.monotonic()]) - asked
    if code == 130:
        cut += 1
    if code not in (130, 0, 99) or took > 1.5:  # half a second for a loaded machine
        sys.exit(f"{' '.join(arguments)}: ended with {code} after {took:.2f} s")
if cut == 0:
    sys.exit("ended before it could be interrupted")
PYTHON
soon() {
  python3 soon.py "$REEVE" "$@" >stdout 2>stderr || fail "$(cat stderr)"
  checks=$((checks + 1))
}
soon check wide.jsonc
soon run wide.jsonc --by owner
soon compare wide.jsonc --by t --csv out/wide
soon run wide.jsonc -o out/every --queue-every 1h
sed 's/"jobs": 5000000/"jobs": 1000000/' endless.jsonc >million.jsonc
soon run million.jsonc --threads 1 -o out/soon
soon run million.jsonc --threads 1 --timeline soon.json.gz
soon test wide.jsonc
soon import csv long.csv -o imported.csv
soon explain j100 wide.jsonc -p p
[ ! -e imported.csv ] || fail "half an import is left behind"
[ -z "$(find . -name '.*.tmp' -o -name .reeve.lock)" ] || fail "temporary files are left behind"
mkfifo never.jsonc
soon check never.jsonc
done_checking
