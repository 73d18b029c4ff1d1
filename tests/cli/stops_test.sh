#!/usr/bin/env bash
# Right and wrong stops: printed by run, and by compare where one was wrong; the same in stops.csv.
source "$(dirname "$0")/expect.bash"

scenario=$source_root/tests/rules/stalled_gpu/evaluation-looks-idle.jsonc
run 0 compare "$scenario" -o out/f41
has stdout 'right'
grep -qE '^ alarm +stalled_gpu +0 +0 +1 +0 +0 +– +– +\$92\.13' stdout ||
  fail "one false stop of \$92.13"
run 0 explain stops.csv
has stdout 'sums to false_stop_usd'
python3 - <<'PYTHON' || fail "stops.csv is not what was printed"
import csv
rows = list(csv.DictReader(open("out/f41/stops.csv")))
assert [(r["seat"], r["rule"], r["mode"], r["job"], r["verdict"]) for r in rows] == [
    ("stalled_gpu", "stalled_gpu", "enforce", "long", "false")], rows
assert rows[0]["onset_s"] == "" and rows[0]["delay_s"] == "" and rows[0]["decided_s"] == "4562"
runs = {r["run_id"]: r for r in csv.DictReader(open("out/f41/runs.csv"))}
assert rows[0]["usd"] == runs[rows[0]["run_id"]]["false_stop_usd"]
metrics = {r["metric"]: r["value"] for r in csv.DictReader(open("out/f41/metrics.csv"))
           if r["run_id"] == rows[0]["run_id"]}
assert metrics["rule.stalled_gpu.false_stops"] == "1"
PYTHON

# Where every stop was right, compare has nothing to say about it, and run does.
weekend=$source_root/scenarios/gallery/stalled-weekend.jsonc
run 0 compare "$weekend" -p gpu-alarm
! grep -q 'rule kept' stdout || fail "a table of right stops"
run 0 run "$weekend" -p gpu-alarm
grep -qE '^ gpu-alarm +stalled_gpu +1 +0 +0 +0 +0 +16m0[02]s' stdout ||
  fail "one right stop after 16 minutes"
