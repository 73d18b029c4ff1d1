#!/usr/bin/env bash
# Inputs that failed once give the right answer: the tables outside/ and attack/ of
# ../shared/cases/README.md.  A row of READY is a test.  A row of LATER is only named;
# REEVE_CASES="ROW ..." runs the rows that it names.
source "$(dirname "$0")/expect.bash"

cases=$source_root/../shared/cases
[ -d "$cases" ] || { echo "SKIPPED: no cases in ../shared/cases"; exit 77; }
outside=$cases/outside
attack=$cases/attack

READY=(
  alarm_period_below_metric
  spot_waits_in_starting
  spot_never_launched
  no_policies
  yaml
  safe_min
  strict_two
  easy_req
  kai_over
  noquota_kai
  ignored
  f1_shares_without_queues
  f2_over_100_errors
  f3_key_order
  f4_two_writers
  f5_symlink
  f6_256_seats
  one_line_json
  by_owner
  f9_queue_every
  f10_csv_cells
  f11_plugin_symbol
  f12_blank_lines
  f13_swf_twice
  trace_empty
  log_requested_time
  log_iso_and_durations
  log_delimiter
  log_end_status
  log_gpu_without_index
  log_foreign_metrics
  log_foreign_json
  log_sacct
  log_focus
)

# Rows that no test covers yet.
LATER=(hier hier_all percq qos late-bill tag-added-in-time limit-from-tag office-hours-dst
  checkpoint-sync-stops upload-fails cpu-alarm end-on-notice)

# within LIMIT COMMAND...: the command ends within LIMIT seconds, with any exit code but those
# of a crash.
within() {
  local limit=$1 status=0
  shift
  timeout "$limit" "$@" >stdout 2>stderr </dev/null || status=$?
  [ "$status" -ne 124 ] || fail "$* takes more than $limit s"
  [ "$status" -lt 128 ] || fail "$* crashes with status $status"
  checks=$((checks + 1))
}

# has_any STREAM TEXT...: one of these texts, in upper or lower case.
has_any() {
  local stream=$1 text
  shift
  for text; do
    if grep -qiF -- "$text" "$stream"; then
      checks=$((checks + 1))
      return
    fi
  done
  fail "$stream has none of: $*"
}

# replay TRACE [KEYS]: writes replay.jsonc, a scenario that replays the trace.
replay() {
  cat >replay.jsonc <<END
{ "reeve": 1, "name": "replay",
  "clock": { "start": "2025-01-01T00:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 1, "gpus": 1 } } },
  "fleet": [ { "name": "f", "instance_type": "gpu", "capacity": 8, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "workload": { "trace": "$1", "instances_from": "gpus_total"${2:-} },
  "policies": { "fifo": [ { "rule": "schedule", "algorithm": "fifo" } ] } }
END
}

# utilization TRACE: writes util.jsonc, a scenario that reads the file as GPU utilization.
utilization() {
  cat >util.jsonc <<END
{ "reeve": 1, "name": "util", "clock": { "start": "2026-05-01T12:00:00Z", "horizon": "1d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 1, "gpus": 2 } } },
  "fleet": [ { "name": "f", "instance_type": "gpu", "capacity": 1, "market": "on_demand" } ],
  "jobs": [ { "name": "j", "work": "1h", "gpu_util": { "trace": "$1" } } ],
  "policies": { "none": [] } }
END
}

# ---- alarms, Spot, files: this table's own changes

alarm_period_below_metric() {
  run 0 check "$outside/alarm-period-below-metric.jsonc"
  has stdout 'warning[W0593]'
  run 0 run "$outside/alarm-period-below-metric.jsonc" -o out
  # Never ALARM with notBreaching or ignore.
  sed 's/"missing": "missing"/"missing": "ignore"/' "$outside/alarm-period-below-metric.jsonc" \
    >ignore.jsonc
  run 0 run ignore.jsonc -p missing -o ignore
  python3 - <<'PYTHON' || fail "other alarms"
import csv
def alarms(folder, policy):
    rows = csv.DictReader(open(f"{folder}/alarms.csv"))
    return [float(row["fired_s"]) for row in rows
            if row["run_id"].startswith(policy + "/") and row["fired_s"]]
assert alarms("out", "notBreaching") == [], alarms("out", "notBreaching")
assert alarms("ignore", "missing") == [], alarms("ignore", "missing")
# The stall begins at 1h.  The five minutes that it fills end at 1h05m, and two minutes later their
# sample is three datapoints old.  (The table counts from a sample that is taken at once: 3 min.)
assert alarms("out", "missing") == [3600 + 420], alarms("out", "missing")
assert alarms("out", "p5m") == [3600 + 900], alarms("out", "p5m")
PYTHON
  checks=$((checks + 1))
}

spot_waits_in_starting() {
  run 0 run "$outside/wait-in-starting.jsonc" -p none -o out
  grep '^none/0,' out/events.csv | head -n 2 | cut -d, -f3,6,7 >statuses
  has statuses '0,InProgress,Starting'
  has out/events.csv 'Insufficient capacity error from EC2 while launching instances, retrying!'
  lacks out/events.csv ',Pending,'
  # A limit on the startup counts that wait, as a rule on AWS would.
  run 0 run "$outside/wait-in-starting.jsonc" -p limit -o limit
  has limit/decisions.csv '1800'
  sed 's/"startup": "5m"/"startup": "5m", "spot_wait_status": "Pending"/' \
    "$outside/wait-in-starting.jsonc" >pending.jsonc
  run 0 run pending.jsonc -p none -o pending
  has pending/events.csv ',Pending,'
  lacks pending/events.csv 'Insufficient capacity'
}

spot_never_launched() {
  run 0 run "$outside/spot-never-launched.jsonc" -o out
  cut -d, -f3,7 out/events.csv | sed 1d >statuses
  printf '%s\n' 0,Starting 10800,Stopping 10800,MaxWaitTimeExceeded >wanted
  diff wanted statuses >stdout || fail "other statuses"
  checks=$((checks + 1))
  run 0 explain j "$outside/spot-never-launched.jsonc" -p none
  tr '\n' ' ' <stdout | grep -q 'status Stopping  *03:00:00  status MaxWaitTimeExceeded' ||
    fail "explain has the statuses in another order"
}

no_policies() {
  run 3 check "$attack/B_no_policies.jsonc"
  has stdout 'error[E0205]: "policies" is empty'
  run 3 run "$attack/B_no_policies.jsonc"
  run 3 compare "$attack/B_no_policies.jsonc"
}

yaml() {
  run 3 check "$outside/logs/t.yaml"
  has stdout 'this is YAML, not JSON'
  has stdout 'JSON with comments'
}

# ---- scheduling

safe_min() { run 0 test "$outside/safe_min.jsonc"; }
strict_two() { run 0 test "$outside/strict_two.jsonc"; }
easy_req() {
  cp "$outside/easy_req.jsonc" .
  run 0 import swf "$outside/logs/req.swf" -o req.csv
  run 0 test easy_req.jsonc
}
kai_over() { run 0 test "$outside/kai_over.jsonc"; }
noquota_kai() {
  run 0 check "$outside/noquota_kai.jsonc"
  has stdout 'warning[W0544]'
}
ignored() {
  run 0 check "$outside/ignored.jsonc"
  has stdout warning
  has stdout user_limit
  has stdout capacity
}

# ---- robustness

f1_shares_without_queues() {
  run 3 check "$attack/F1_crash_shares_without_queues.jsonc"
  has stdout 'F1_crash_shares_without_queues.jsonc:'
  has stdout '^'
}
f2_over_100_errors() {
  for file in F2_over_100_errors rc1a; do
    run 3 check "$attack/$file.jsonc"
    has stdout "$file.jsonc:"
  done
}
f3_key_order() {
  for order in a b c; do
    run 0 run "$attack/F3_key_order_$order.jsonc" --json
    grep -E '"(digest|billed_usd)"' stdout >"$order.figures"
    cmp -s a.figures "$order.figures" || fail "the order of keys changes the results"
  done
}
f4_two_writers() {
  REEVE=$REEVE bash "$attack/F4_two_writers.sh" >stdout 2>stderr || true
  if grep -q '^first 0' stdout || grep -q '^second 0' stdout; then
    [ -s tw/datapackage.json ] || fail "exit 0 without tables"
  fi
  checks=$((checks + 1))
}
f5_symlink() {
  REEVE=$REEVE bash "$attack/F5_symlink_tmp.sh" >stdout 2>stderr || true
  [ "$(cat victim)" = precious ] || fail "a link was followed"
  checks=$((checks + 1))
}
f6_256_seats() {
  for file in F6_256_seats F6_256_alerts; do
    run 3 check "$attack/$file.jsonc"
    has stdout "$file.jsonc:"
  done
}
one_line_json() {
  python3 - <<'PYTHON'
line = '{ "that": "jobs_failed == 0" }'
text = '''{ "reeve": 1, "name": "t", "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "1d" },
 "prices": { "instances": { "x": { "usd_per_hour": 1, "gpus": 1 } } },
 "fleet": [ { "name": "f", "instance_type": "x", "capacity": 1 } ],
 "jobs": [ { "name": "a", "work": "1h" } ], "policies": { "p": [] }, "expect": [%s] }'''
open("line.jsonc", "w").write((text % ", ".join([line] * 80_000)).replace("\n", ""))
PYTHON
  within 6 "$REEVE" check line.jsonc
}
by_owner() {
  python3 - <<'PYTHON'
jobs = ", ".join('{ "name": "j%d", "work": "1m", "owner": "o%d" }' % (i, i) for i in range(40_000))
open("owners.jsonc", "w").write('''{ "reeve": 1, "name": "t",
 "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "30d" },
 "prices": { "instances": { "x": { "usd_per_hour": 1, "gpus": 1 } } },
 "fleet": [ { "name": "f", "instance_type": "x", "capacity": 40000 } ],
 "platform": { "model": "ideal" },
 "jobs": [ %s ],
 "policies": { "p": [] } }''' % jobs)
PYTHON
  within 6 "$REEVE" run owners.jsonc --by owner
}
f9_queue_every() {
  python3 - "$REEVE" "$attack/F9_queue_every_16k.jsonc" <<'PYTHON' || fail "over 500 MB of memory"
import resource, subprocess, sys
command = [sys.argv[1], "run", sys.argv[2], "-o", "out", "--queue-every", "1h", "-q"]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 500_000
PYTHON
  checks=$((checks + 1))
}
f10_csv_cells() {
  for file in F10_csv_formula F10_csv_escape; do
    run 0 run "$attack/$file.jsonc" -o "$file"
    if grep -lE '(^|,)"?[=+@]|'$'\x1b' "$file"/*.csv >stdout; then
      fail "a cell is a formula or has an escape sequence"
    fi
    checks=$((checks + 1))
  done
}
f11_plugin_symbol() {
  g++ -shared -fPIC -o plugin.so "$attack/F11_plugin_data_symbol.cc"
  run 0 init stalled-weekend
  within 60 "$REEVE" --plugin ./plugin.so check stalled-weekend.jsonc
  cat stderr >>stdout
  has stdout error
}
f12_blank_lines() {
  python3 "$attack/F12_gz_blank_lines.py"
  cp "$attack/F12_scenario.jsonc" .
  within 10 "$REEVE" check F12_scenario.jsonc
  has stdout 'error['
}

# ---- traces

f13_swf_twice() {
  run 3 import swf "$attack/F13_swf_twice.swf" -o out.csv
  has stderr 'F13_swf_twice.swf:7'
  has stderr 'lines 3 and 7'
}
trace_empty() {
  run 3 check "$attack/C_trace_empty.jsonc"
  run 3 run "$attack/C_trace_empty.jsonc"
}
log_requested_time() {
  run 0 import swf "$outside/logs/req.swf" -o req.csv
  has req.csv 36000
}
log_iso_and_durations() {
  for file in iso dur; do
    cp "$outside/logs/$file.csv" .
    replay "$file.csv"
    run 0 run replay.jsonc --json
    has_any stdout 93606  # 1-02:00:06
  done
}
log_delimiter() {
  cp "$outside/logs/pipe.csv" .
  replay pipe.csv
  run 0 check replay.jsonc
}
log_end_status() {
  cp "$outside/logs/st.csv" .
  replay st.csv
  run 0 run replay.jsonc -o out
  python3 - <<'PYTHON' || fail "other end statuses"
import csv
ends = {row["job"]: row["status"] for row in csv.DictReader(open("out/jobs.csv"))}
assert ends["a"].lower() == "completed" and ends["h"].lower() == "failed", ends
assert sum(status.lower() == "completed" for status in ends.values()) == 1, ends
PYTHON
}
log_gpu_without_index() {
  for file in noidx smi_noindex; do
    cp "$outside/logs/$file.csv" .
    utilization "$file.csv"
    within 10 "$REEVE" check util.jsonc
    has_any stdout index '0 errors'
  done
}
# Read, or an error that says what the file is and what to do: of its text, not of its name.
log_foreign_metrics() {
  while read -r file words; do
    cp "$outside/logs/$file" "input.${file##*.}"
    utilization "input.${file##*.}"
    within 10 "$REEVE" check util.jsonc
    IFS=/ read -ra any <<<"$words"
    has_any stdout '0 errors' "${any[@]}"
  done <<'FILES'
dcgmi_dmon.txt dcgmi
smi_dmon.txt nvidia-smi dmon
smi_iso.csv nvidia-smi
cw_stats.json GetMetricStatistics/get-metric-data
prom.json Prometheus
FILES
}
log_foreign_json() {
  while read -r file words; do
    cp "$outside/logs/$file" input.jsonc
    within 10 "$REEVE" check input.jsonc
    IFS=/ read -ra any <<<"$words"
    has_any stdout "${any[@]}"
  done <<'FILES'
create.json AWS Batch/import batch
dtj.json DescribeTrainingJob/training job
FILES
}
log_sacct() {
  cp "$outside/logs/sacct.txt" input.txt
  replay input.txt
  within 10 "$REEVE" check replay.jsonc
  has_any stdout '0 errors' sacct
}
log_focus() {
  cp "$outside/logs/focus.csv" input.csv
  replay input.csv
  within 10 "$REEVE" check replay.jsonc
  has_any stdout FOCUS 'cost and usage'
}

test_row() {
  mkdir "$1"
  cd "$1"
  echo "case $1"
  "$1"
  cd ..
}

if [ -n "${REEVE_CASES:-}" ]; then
  read -ra READY <<<"$REEVE_CASES"
fi
for row in "${READY[@]}"; do test_row "$row"; done
echo "later: ${LATER[*]}"
done_checking
