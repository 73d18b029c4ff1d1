#!/usr/bin/env bash
# What tables show: unfinished jobs, the causes of waste, headers that are explained; the forms of
# output that check, compare and test have in common.
source "$(dirname "$0")/expect.bash"

# --- Jobs that a full fleet refuses are in the first table, and check warns.
cat >full.jsonc <<'SCENARIO'
{ "reeve": 1, "name": "full",
  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "p5", "instance_type": "m", "capacity": 2 } ],
  "platform": { "model": "ec2", "startup": "0s" },
  "jobs": [ { "name": "a", "work": "2h", "instances": 2 },
            { "name": "b", "work": "1h", "submit": "1h" },
            { "name": "c", "work": "1h", "submit": "4h" } ],
  "policies": { "none": [], "fifo": [ { "rule": "schedule" } ] },
  "expect": [ { "policy": "none", "that": "jobs_done == 3" } ] }
SCENARIO
run 0 check full.jsonc
has stdout W0590
has stdout 'a job that finds fleet "p5" full fails at once'
has stdout 'under "none" nothing starts it again'
has stdout '"on_insufficient": "wait"'
run 99 compare full.jsonc
python3 - <<'PYTHON' || fail "unfinished jobs are not in the first table"
first = open("stdout").read().split("────")[0]
assert "unfinished" in " ".join(first.split()), first
PYTHON
run 99 compare full.jsonc --json
python3 - <<'PYTHON' || fail "the first table lacks columns"
import json
data = json.load(open("stdout"))
rows = data["printed"][0]["rows"]
assert [row["jobs_unfinished"] for row in rows] == [1, 0], rows
assert rows[0]["cost_per_job_usd"] == 75 and rows[1]["cost_per_job_usd"] == 60, rows
PYTHON
run 0 run full.jsonc -p none
has stdout jobs_unfinished
sed 's/"model": "ec2"/"model": "ec2", "on_insufficient": "wait"/' full.jsonc >waits.jsonc
run 0 check waits.jsonc
lacks stdout W0590
sed 's/"submit": "1h"/"submit": "2h"/' full.jsonc >apart.jsonc
run 0 check apart.jsonc
lacks stdout W0590

# --- The same of drawn jobs: by their sizes and times, beside the written ones.
cat >drawn.jsonc <<'SCENARIO'
{ "reeve": 1, "name": "drawn", "random": { "seed": 1, "runs": 3 },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "p5", "instance_type": "m", "capacity": 4 } ],
  "platform": { "model": "ec2", "startup": "0s" },
  "jobs": [],
  "workload": { "jobs": 6, "arrivals": { "process": "fixed", "gap": "5d" }, "work": "1h",
    "instances": 1 },
  "policies": { "none": [] },
  "expect": [ { "policy": "*", "that": "ledger.residual_usd == 0" } ] }
SCENARIO
run 0 check drawn.jsonc
lacks stdout W0590
sed 's/"instances": 1/"instances": 4/' drawn.jsonc >wide.jsonc
run 0 check wide.jsonc
lacks stdout W0590
sed 's/"gap": "5d"/"gap": "30m"/' drawn.jsonc >narrow.jsonc
run 0 check narrow.jsonc
lacks stdout W0590
sed 's/"jobs": 6/"jobs": 2/; s/"gap": "5d"/"gap": "30m"/' wide.jsonc >overlap.jsonc
run 0 check overlap.jsonc
has stdout W0590
sed 's/"jobs": \[\]/"jobs": [ { "name": "a", "work": "3h", "instances": 3 } ]/' \
  narrow.jsonc >beside.jsonc
run 0 check beside.jsonc
has stdout W0590

# --- A false line says what is expected and what was measured, in each format.
run 99 test full.jsonc
has stdout 'none: measured 2; expected == 3'
run 99 test full.jsonc --format github
has stdout '::error title=expect,file=full.jsonc,line=9,col='
lacks stdout 'col=1,'
for command in test compare; do
  run 99 "$command" full.jsonc --format sarif
  is_json stdout
  has stdout '"ruleId": "expect"'
  run 99 "$command" full.jsonc --format junit
  has stdout '<failure message="none: measured 2; expected == 3">'
  python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("stdout")' || fail "not XML"
  run 99 "$command" full.jsonc --format json
  is_json stdout
done
run 99 compare full.jsonc --format github
has stdout 'line=9'
sed 's/"jobs"/"jbos"/' full.jsonc >wrong.jsonc
for command in check compare test; do
  run 3 "$command" wrong.jsonc --format github
  has stdout '::error title=E0201,file=wrong.jsonc,line='
  run 3 "$command" wrong.jsonc --format sarif
  is_json stdout
  has stdout '"ruleId": "E0201"'
  run 3 "$command" wrong.jsonc --format json
  is_json stdout
  run 3 "$command" wrong.jsonc --format junit
  python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("stdout")' || fail "not XML"
done
run 0 check full.jsonc --format junit
has stdout '<testcase classname="full.jsonc" name="W0590:'
lacks stdout '<failure'
run 3 check full.jsonc --fail-on-warn --format junit
has stdout '<failure'
run 64 compare full.jsonc --json --format junit
has stderr contradict
cat >coin.jsonc <<'SCENARIO'
{ "reeve": 1, "random": { "seed": 1, "runs": 20 },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
  "jobs": [ { "name": "train", "work": "1h", "drawn_faults": [
    { "kind": "failure", "probability": 0.1, "after": { "uniform": ["1m", "50m"] } } ] } ],
  "policies": { "none": [], "again": [ { "rule": "resume", "min_runtime": "0s" } ] },
  "expect": [ { "policy": "none", "that": "lost_work_usd > 1000.00" } ] }
SCENARIO
run 99 test coin.jsonc
has stdout '; expected > 1000.00; 95 % interval of the mean: $0.00 to $'
run 0 run coin.jsonc --runs 19 --json
python3 - <<'PYTHON' || fail "an interval goes below zero"
import json
data = json.load(open("stdout"))
cut = 0
for policy in data["policies"].values():
    for name, of in policy["measures"].items():
        if not of or "lo" not in of: continue
        assert of["lo"] >= 0, (name, of)
        cut += of["lo"] == 0 and of["hi"] > 0
assert cut > 2, "no interval was cut"
PYTHON
run 0 run coin.jsonc --runs 19
lacks stdout '−'

# --- Waste by cause, cost per job, and what is recovered of reserved capacity.
cat >reserved.jsonc <<'SCENARIO'
{ "reeve": 1, "name": "reserved", "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "72h" },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "r", "instance_type": "m", "capacity": 2, "market": "reserved" } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "stop_grace": "0s" },
  "jobs": [ { "name": "quiet", "work": "1h" },
            { "name": "a", "work": "10h", "max_runtime": "30h",
              "checkpoint": { "every": "1h" }, "faults": [ { "kind": "stall", "at": "5h" } ] } ],
  "policies": {
    "none": [ { "rule": "resume", "when": ["max_runtime_exceeded"], "min_runtime": "0s" } ],
    "wd": [ { "rule": "stalled_gpu" },
            { "rule": "resume", "when": ["stopped_by:stalled_gpu"], "min_runtime": "0s" } ] } }
SCENARIO
run 0 check reserved.jsonc
has stdout 'W0591'
has stdout 'billed at the on-demand price of $30 an hour'
has stdout '"commitment": { "usd_per_hour": 30 }'
run 0 compare reserved.jsonc -o out/reserved --json
python3 - <<'PYTHON' || fail "the causes do not sum to the waste"
import csv, json
data = json.load(open("stdout"))
none, wd = data["printed"][0]["rows"]
for row in (none, wd):
    parts = [row.get(use + "_usd", 0) for use in
             "stalled lost_work drain orphan idle_reserved false_stop".split()]
    assert abs(sum(parts) - row["wasted_usd"]) < 1e-6, row
assert none["stalled_usd"] == 750 and none["idle_reserved_usd"] > 0
rows = {row["metric"]: row for row in csv.DictReader(open("out/reserved/compare.csv"))}
assert float(rows["recovered_gpu_hours"]["diff"]) == wd["recovered_gpu_hours"] == 24.75 * 8
PYTHON
run 0 compare reserved.jsonc
has stdout 'idle'
has stdout 'next: reeve explain a reserved.jsonc'
run 0 compare reserved.jsonc --csv out/old
[ -f out/old/compare.csv ] || fail "the old name of --out is not read"
run 0 help compare
has stdout '--out'
lacks stdout '--csv'

# --- Alarms that nothing can mislead.
python3 - <<'PYTHON'
text = open("reserved.jsonc").read()
fast = text.replace('"wd":', '"fast": [ { "rule": "stalled_gpu", "datapoints": [1, 1] } ], "wd":')
open("alarms.jsonc", "w").write(fast)
phases = '"gpu_phases": [ { "every": "2h", "lasts": "10m", "gpu_util": 0 } ], "work": "10h"'
open("phases.jsonc", "w").write(fast.replace('"work": "10h"', phases))
lost = '"faults": [ { "kind": "metrics_lost", "at": "3h", "lasts": "1h" },'
lost = fast.replace('"faults": [', lost)
open("lost.jsonc", "w").write(lost)
breaching = '"datapoints": [1, 1], "missing": "breaching"'
open("breaching.jsonc", "w").write(lost.replace('"datapoints": [1, 1]', breaching))
open("low.jsonc", "w").write(
    fast.replace('"work": "1h"', '"work": "1h", "gpu_util": { "running": 4, "stalled": 0 }')
        .replace('"datapoints": [1, 1]', '"datapoints": [1, 1], "threshold": 40'))
PYTHON
run 0 check alarms.jsonc
has stdout W0592
run 0 check phases.jsonc
lacks stdout W0592
run 0 check lost.jsonc
has stdout W0592
run 0 check breaching.jsonc
lacks stdout W0592
run 0 check low.jsonc
lacks stdout W0592
run 0 check reserved.jsonc
lacks stdout W0592

# --- explain: arguments in the wrong order, and quotas.
run 64 explain reserved.jsonc a -p wd
has stderr 'reeve explain a reserved.jsonc -p wd'
cat >quota.jsonc <<'SCENARIO'
{ "reeve": 1, "prices": { "instances": { "ml.g5.xlarge": { "usd_per_hour": 1, "gpus": 1 } } },
  "fleet": [ { "name": "g5", "instance_type": "ml.g5.xlarge", "capacity": 10 } ],
  "platform": { "model": "sagemaker-training", "quotas": { "ml.g5.xlarge": { "training": 2 } } },
  "jobs": [ { "name": "a", "work": "4h", "instances": 2 },
            { "name": "b", "work": "1h", "submit": "1h" } ],
  "policies": { "none": [], "fifo": [ { "rule": "schedule" } ] } }
SCENARIO
run 0 explain b quota.jsonc -p fifo --at 2h
has stdout "the account's quota of 2 ml.g5.xlarge (platform.quotas, training)"
run 0 explain b quota.jsonc -p none --at 2h
has stdout "it would exceed the account's quota of 2 ml.g5.xlarge"

# --- Completion: policies and jobs of the file, codes, values of options.
run 0 completion bash
cp stdout completion.sh
# completed WORD...: what the script offers for the last of them, or for word number AT.
cat >completed.bash <<'BASH'
reeve() { "$REEVE" "$@"; }
source completion.sh
COMP_WORDS=("$@")
COMP_CWORD=${AT:-$(($# - 1))}
_reeve
printf '%s\n' "${COMPREPLY[@]}"
BASH
export REEVE
offers() {
  local wanted=$1
  shift
  AT=${AT-} bash completed.bash reeve "$@" >stdout
  grep -qxF -- "$wanted" stdout || fail "completion of reeve $* lacks $wanted"
  checks=$((checks + 1))
}
offers wd run reserved.jsonc -p w
offers none,wd compare reserved.jsonc -p none,w
offers none compare reserved.jsonc --baseline n
offers sarif check reserved.jsonc --format s
offers W0412 explain W04
AT=2 offers quiet explain qu reserved.jsonc
offers mean_wait_s explain mean_w

# --- Every header that a command prints is explained.
cat >shares.jsonc <<'SCENARIO'
{ "reeve": 1, "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 2 } ],
  "platform": { "model": "ideal" },
  "shares": [ { "name": "x", "quota": { "p4": 1 } }, { "name": "y", "quota": { "p4": 1 } } ],
  "queues": [ { "name": "main", "shares": ["x", "y"] } ],
  "job_defaults": { "queue": "main", "work": "2h" },
  "jobs": [ { "name": "a", "share": "x" }, { "name": "b", "share": "x" },
            { "name": "c", "share": "y" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ], "sjf": [ { "rule": "schedule" } ] } }
SCENARIO
run 0 init drawn-stalls
run 0 init stalled-weekend
: >headers
headers_of() {
  python3 - <<'PYTHON' >>headers
import json
data = json.load(open("stdout"))
for number, table in enumerate(data.get("printed", [data])):
    for column in table["columns"]:
        if column["title"]: print(column["title"])
        if number == 0: print(column["key"])
PYTHON
}
run 0 compare stalled-weekend.jsonc --json && headers_of
run 0 compare drawn-stalls.jsonc --runs 3 --json && headers_of
run 0 compare shares.jsonc --json && headers_of
run 0 compare shares.jsonc --by owner --json && headers_of
run 0 compare reserved.jsonc --json && headers_of
run 0 run coin.jsonc --runs 3 --json && headers_of
run 0 explain main shares.jsonc -p fifo --at 1h --json && headers_of
sort -u headers >all-headers
[ "$(wc -l <all-headers)" -ge 40 ] || fail "only $(wc -l <all-headers) headers were found"
while read -r header; do run 0 explain "$header"; done <all-headers
run 0 explain 'cost per job'
has stdout 'metric   cost_per_job_usd'

done_checking
