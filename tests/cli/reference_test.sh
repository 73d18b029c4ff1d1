#!/usr/bin/env bash
# What the program tells about itself: codes, keys, rules, schema, completion.
source "$(dirname "$0")/expect.bash"

run 0 explain platform.stop_grace
has stdout SIGTERM
has stdout 'duration, at most 365d'
run 0 explain /jobs/0/work
run 0 explain jobs.faults.kind
has stdout spin_hang
run 0 explain rules.stalled_gpu.period
has stdout '"5m"'
run 0 explain rules.stalled_gpu.action.stop
run 0 explain rules.rule.when
has stdout 'a condition'
run 0 explain rules.rule.when.field
has stdout 'training_time'
run 0 explain rules.rule.when.not.op
has stdout 'matches'
run 0 explain wasted_usd
has stdout 'dollars'
run 0 explain W0412
has stdout per_gpu
# The end of a key is enough, and columns of exported tables are explained.
run 0 explain cluster_repair
has stdout 'platform.cluster_repair'
run 0 explain gpu_util
has stdout 'jobs.gpu_util'
run 0 explain drawn_faults
has stdout 'jobs.drawn_faults'
run 0 explain checkpoint.upload
has stdout 'jobs.checkpoint.upload'
run 0 explain BilledCost
has stdout 'ledger.csv, BilledCost'
run 0 explain ledger.EffectiveCost
has stdout 'amortized'
run 0 explain metrics.csv
has stdout 'Every metric of each run'
has stdout 'value   value in that unit'
tables="runs jobs attempts ledger utilization decisions events alarms pools spot stops compare"
for table in $tables; do
  run 0 explain "$table.csv"
  has stdout 'columns'
done
run 0 explain ledger.csv --json
is_json stdout
has stdout '"name": "BilledCost"'
run 0 explain ledger.csv.EffectiveCost
has stdout 'amortized'
run 64 explain ledgre.csv
run 0 explain cut_off
has stdout '366 days'
run 64 explain cluster_repare
has stderr 'cluster_repair'
run 64 explain platform.stop_grcae
has stderr 'did you mean "platform.stop_grace"?'
for id in W0412 platform.stop_grace rules.stalled_gpu.period; do
  run 0 explain "$id" --json
  is_json stdout
done

run 0 policies
for rule in stalled_gpu max_runtime resume schedule required_tags; do has stdout "$rule"; done
for rule in stalled_gpu max_runtime resume schedule required_tags; do
  run 0 policies "$rule"
  has stdout 'default'
done
run 0 policies --json
is_json stdout

run 0 schema
is_json stdout
cp stdout printed.json
run 0 schema --write
cmp printed.json .reeve/scenario.schema.json || fail "two schemas"

for shell in bash zsh fish; do
  run 0 completion "$shell"
  has stdout compare
  has stdout baseline
  ! command -v "$shell" >/dev/null || "$shell" -n stdout || fail "$shell cannot read it"
done
run 0 completion bash
# completed WORD...: what the script offers for the last of them.
cat >completed.bash <<'BASH'
source stdout
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_reeve
echo "${COMPREPLY[*]}"
BASH
bash completed.bash reeve comp >words
has words compare
has words completion
bash completed.bash reeve compare --ba >words
has words --baseline

# The example of every rule is one that loads.
"$REEVE" policies --json | python3 -c '
import json, sys
for kind in json.load(sys.stdin): print(kind["name"])' >rules
[ "$(wc -l <rules)" -gt 4 ] || fail "no rules"
while read -r rule; do
  run 0 policies "$rule"
  policies=$(sed -n 's/^In a scenario: //p' stdout)
  fleet='{ "name": "team", "instance_type": "gpu", "capacity": 2 }'
  spot='{ "name": "s", "instance_type": "gpu", "capacity": 2, "market": "spot" }'
  [[ $policies != *ticks* ]] || fleet+=", $spot"
  cat >example.jsonc <<JSONC
{ "reeve": 1, "name": "example",
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ $fleet ],
  "jobs": [ { "name": "train", "work": "20h", "deadline": "30h" } ], $policies }
JSONC
  run 0 check example.jsonc
done <rules

# What explain says is exported too, in numbers, and a stop's grace begins when it takes effect.
run 0 init stalled-weekend
sed -i 's/"stop_grace": *"[0-9]*s"/&, "api": { "latency": "3s" }/' stalled-weekend.jsonc
run 0 explain big-train stalled-weekend.jsonc -p gpu-alarm
has stdout '01:16:02  stalled_gpu: stop job (attempt 1)'
has stdout '; in effect at 01:16:05; stop grace until 01:18:05'
run 0 run stalled-weekend.jsonc -p gpu-alarm -o out/latency
run 0 explain big-train stalled-weekend.jsonc -p gpu-alarm --json
is_json stdout
python3 - <<'PYTHON' || fail "the counterfactual is not exported"
import csv, json
story = json.load(open("stdout"))
stop = story["had_it_not"][0]
usd = stop["run_cost_if_not_usd"]
assert stop["action"] == "stop_job" and stop["until"] == "2026-05-25T22:00:00Z", stop
assert f"${usd:,.2f} more in all" in stop["text"], stop
assert {miss["stops"] for miss in story["nearest_misses"]} == {True}
attempt = story["attempts"][0]
assert round(sum(attempt["uses"].values()), 6) == attempt["billed_usd"]
decisions = csv.DictReader(open("out/latency/decisions.csv"))
stops = [row for row in decisions if row["action"] == "stop_job"]
assert [float(row["cost_if_not_usd"]) for row in stops] == [usd], stops
PYTHON

# What a clock stopped is told the least limit that would have let it end: the 30 h of its work,
# where the work is done as the limit is reached.
cat >capped.jsonc <<'JSONC'
{ "reeve": 1, "name": "capped",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "5m", "stop_grace": "0s" },
  "jobs": [ { "name": "train", "work": "30h", "max_runtime": "3d" } ],
  "policies": { "cap": [ { "rule": "max_runtime", "limit": "24h", "enforce_by": "clock" } ] } }
JSONC
run 0 explain train capped.jsonc -p cap
has stdout 'train was stopped at 24:05:00 by max_runtime'
has stdout 'nearest miss: limit 30 h does not stop it'
run 0 explain train capped.jsonc -p cap --json
python3 -c '
import json
(miss,) = json.load(open("stdout"))["nearest_misses"]
assert miss["change"] == "limit 30 h" and not miss["stops"], miss' || fail "no nearest miss"

# The alarm of a stated rule has near misses as that of stalled_gpu: 3 datapoints of 10 min take
# 15 min longer, at $4 a minute.
run 0 explain big-train "$source_root/tests/rules/rule/stated-stall.jsonc" -p stated
has stdout 'nearest miss: alarm.datapoints 4 of 4 stops it 5 min later (+$20.00)'
has stdout '; alarm.period 10 min stops it 15 min later (+$60.00)'
has stdout ' no difference: limit, alarm.threshold'

# A later stop costs nothing more on reserved machines, even if the job had asked for others.
cat >moved.jsonc <<'JSONC'
{ "reeve": 1, "name": "moved",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "asked", "instance_type": "gpu", "capacity": 1 },
             { "name": "bought", "instance_type": "gpu", "capacity": 1, "market": "reserved" } ],
  "jobs": [ { "name": "train", "fleet": "asked", "work": "20h",
    "faults": [ { "kind": "stall", "at": "3h" } ] } ],
  "policies": { "alarm": [ { "rule": "stalled_gpu" } ],
    "placed": [ { "rule": "market", "use": "reserved" }, { "rule": "stalled_gpu" } ] } }
JSONC
run 0 explain train moved.jsonc -p alarm
has stdout 'datapoints 4 of 4 stops it 5 min later (+$2.50)'
run 0 explain train moved.jsonc -p placed
has stdout 'without place job of market at 00:00:00: attempt 1 would have lasted until 72:00:00'
has stdout 'without stop job of stalled_gpu at 03:15:00: attempt 1 would have lasted until 24:00:00'
has stdout 'the same bill in all'
has stdout 'datapoints 4 of 4 stops it 5 min later; '
run 0 explain train moved.jsonc -p placed --json
has stdout '"attempt_more_usd": null'

# A job of a drawn workload, and one that nothing stopped.
run 0 init drawn-stalls
run 0 explain week-1 drawn-stalls.jsonc -p watchdog --rep 2
run 0 explain week-1 drawn-stalls.jsonc -p watchdog --json
is_json stdout
run 64 explain week-1 drawn-stalls.jsonc
has stderr 'the scenario has several policies: choose one'
has stderr '-p none, -p alarm, -p watchdog'
run 64 explain week-99 drawn-stalls.jsonc -p none

# Each stall has its own kind and cause.
cat >stalls.jsonc <<'JSONC'
{ "reeve": 1, "name": "stalls",
  "clock": { "start": "2026-03-02T08:00:00Z", "horizon": "40h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 2 } ],
  "jobs": [ { "name": "train", "work": "20h", "instances": 2,
    "faults": [ { "kind": "stall", "at": "3h", "lasts": "1h", "cause": "deadlock" },
                { "kind": "spin_hang", "at": "6h", "lasts": "1h" } ],
    "drawn_faults": [ { "kind": "stall", "probability": 1, "lasts": "1h",
                        "after": { "uniform": ["10h", "10h1s"] } } ] } ],
  "policies": { "none": [], "alarm": [ { "rule": "stalled_gpu" } ] } }
JSONC
run 0 explain train stalls.jsonc -p none
has stdout '03:00:00  fault: stall, cause deadlock; nothing detected it'
has stdout '06:00:00  fault: spin_hang; nothing detected it'
has stdout 'fault: stall, drawn; nothing detected it'
# A stop is told after the status it was decided upon and before the one it leads to; an alarm of
# a job with several hosts is of one of them.
run 0 explain train stalls.jsonc -p alarm
has stdout 'stalled_gpu: put alarm, algo-1'
sed 's/"rule": "stalled_gpu"/"rule": "required_tags", "keys": ["team"]/' stalls.jsonc \
  >untagged.jsonc
run 0 explain train untagged.jsonc -p alarm
grep -oE 'status [A-Z][a-z]+|stop job' stdout >order
python3 - <<'PYTHON' || fail "effects before causes"
order = open("order").read().split("\n")
assert order.index("status Starting") < order.index("stop job") < order.index("status Stopping")
PYTHON
done_checking
