#!/usr/bin/env bash
# That what `reeve explain` names as the nearest miss is the nearest, and is what a run with that
# value comes to.
source "$(dirname "$0")/expect.bash"

# world NAME FLEET PLATFORM JOBS POLICIES: a scenario; instances cost $30 an hour, Spot $9.
world() {
  cat >"$1.jsonc" <<JSONC
{ "reeve": 1, "name": "$1", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "7d" },
  "prices": { "instances": {
    "ml.d.8gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ $2 ], "platform": { "startup": "5m", $3 }, "jobs": [ $4 ], "policies": { $5 } }
JSONC
}
pool='{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 4 }'
aws='"model": "sagemaker-training", "stop_grace": "120s"'
reports='"reports": { "every": "1m" }'

# A stop that comes when the attempt has ended already stops nothing: there is no miss.
world late "$pool" "$aws, \"events\": { \"delay\": \"5m\" }" '
  { "name": "done", "work": "3h" },
  { "name": "failed", "work": "30h",
    "faults": [ { "at": "3h", "kind": "failure", "class": "code" } ] }' '
  "after": [ { "rule": "max_runtime", "limit": "181m", "enforce_by": "clock" } ],
  "before": [ { "rule": "max_runtime", "limit": "2h", "enforce_by": "clock" } ]'
run 0 explain done late.jsonc -p after
has stdout ' done was done at 03:05:00'
has stdout '03:06:00  max_runtime: stop job; it stopped nothing'
lacks stdout 'was stopped'
lacks stdout 'without this stop'
lacks stdout 'nearest miss'
run 0 explain failed late.jsonc -p after
has stdout ' failed did not finish: failed at 03:05:00'
run 0 explain done late.jsonc -p before
has stdout ' done was stopped at 02:05:00 by max_runtime'
has stdout ' nearest miss: limit 3 h does not stop it'

# Every threshold of a rule by itself: numbers, counts, lists, lengths and tests of conditions.
world one "$pool, "'{ "name": "spot", "instance_type": "ml.d.8gpu", "capacity": 4,
    "market": "spot", "reclaim": { "every": "100m", "away": "10m" } }' \
  "$aws, "'"metrics": { "publish_delay": "60s" }' "
  { \"name\": \"j\", \"work\": \"6h\", \"fleet\": \"pool\", $reports,
    \"faults\": [ { \"at\": \"1h\", \"kind\": \"stall\", \"lasts\": \"18m\" } ] },
  { \"name\": \"s\", \"work\": \"4h\", \"fleet\": \"spot\", \"max_wait\": \"3d\",
    \"checkpoint\": { \"every\": \"1h\" } }" '
  "alarm": [ { "rule": "stalled_gpu" } ],
  "beat": [ { "rule": "heartbeat" } ],
  "stated": [ { "rule": "rule", "do": "stop",
                "when": { "field": "alarm", "op": "==", "value": "alarm" } } ],
  "fall": [ { "rule": "spot_fallback", "interruptions_above": 2 } ]'
run 0 explain j one.jsonc -p alarm
has stdout 'nearest miss: period 7 min does not stop it; datapoints 4 of 4 does not stop it; '
run 0 explain j one.jsonc -p beat
has stdout 'nearest miss: period 7 min does not stop it; misses 4 does not stop it'
run 0 explain j one.jsonc -p stated
has stdout '; alarm.datapoints 4 of 4 does not stop it'
run 0 explain s one.jsonc -p fall
has stdout 'nearest miss: interruptions_above 3 does not stop it'

# A threshold that another option turns round is varied both ways.
world either "$pool" "$aws" '
  { "name": "high", "work": "5h", "gpu_util": { "running": 95 } },
  { "name": "low", "work": "5h", "gpu_util": { "stalled": 5 },
    "faults": [ { "at": "1h", "kind": "stall" } ] }' '
  "high": [ { "rule": "rule", "do": "stop", "alarm": { "compare": ">=", "threshold": 400 },
              "when": { "field": "alarm", "op": "==", "value": "alarm" } } ],
  "low": [ { "rule": "stalled_gpu", "threshold": 50 } ]'
run 0 explain high either.jsonc -p high
has stdout 'alarm.threshold 761 does not stop it'
run 0 explain low either.jsonc -p low
has stdout 'nearest miss: threshold 39.9 does not stop it'

# What stops it then is named if that is another rule.
world whose "$pool" "$aws, "'"metrics": { "publish_delay": "60s" }' "
  { \"name\": \"j\", \"work\": \"24h\", $reports,
    \"faults\": [ { \"at\": \"1h\", \"kind\": \"stall\" } ] }" '
  "two": [ { "rule": "stalled_gpu" }, { "rule": "heartbeat", "period": "4m" } ]'
run 0 explain j whose.jsonc -p two
has stdout '; misses 4 leaves it to stalled_gpu, which stops it 4 min later (+$2.00)'
run 0 explain j whose.jsonc -p two --json
python3 -c '
import json
miss = json.load(open("stdout"))["nearest_misses"][1]
assert (miss["rule"], miss["change"], miss["stops"]) == ("heartbeat", "misses 4", False), miss
assert (miss["stopped_by"], miss["later_s"]) == ("stalled_gpu", 240), miss' || fail "whose stop"

# Every test of a number or a length has a threshold, within `not` the other way.
world tests "$pool, "'{ "name": "spot", "instance_type": "ml.d.8gpu", "capacity": 2,
    "market": "spot", "reclaim": { "every": "90m", "away": "10m" } }' "$aws" '
  { "name": "j", "fleet": "pool", "work": "10h", "instances": 2, "priority": 3,
    "max_runtime": "72h" },
  { "name": "s", "fleet": "spot", "work": "10h", "max_wait": "3d",
    "checkpoint": { "every": "1h" } }' '
  "gpus": [ { "rule": "rule", "do": "stop", "when": { "field": "gpus", "op": ">=", "value": 8 } } ],
  "priority": [ { "rule": "rule", "do": "stop",
                  "when": { "field": "priority", "op": "<", "value": 5 } } ],
  "runtime": [ { "rule": "rule", "do": "stop",
                 "when": { "field": "max_runtime", "op": ">=", "value": "24h" } } ],
  "within": [ { "rule": "rule", "do": "stop",
                "when": { "not": { "field": "max_runtime", "op": ">", "value": "4d" } } } ],
  "young": [ { "rule": "rule", "do": "stop", "when": { "all": [
    { "field": "interruptions", "op": ">=", "value": 1 },
    { "not": { "field": "age", "op": ">=", "value": "4h" } } ] } } ]'
run 0 explain j tests.jsonc -p gpus
has stdout 'nearest miss: gpus >= 9 does not stop it'
run 0 explain j tests.jsonc -p priority
has stdout 'nearest miss: priority < 3 does not stop it'
run 0 explain j tests.jsonc -p runtime
has stdout 'nearest miss: max_runtime >= 72h01m does not stop it'
run 0 explain j tests.jsonc -p within
has stdout 'nearest miss: max_runtime > 71h59m does not stop it'
run 0 explain s tests.jsonc -p young
has stdout 'miss: interruptions >= 3 does not stop it; age >= 1h30m does not stop it'

# What stops it whatever the value is stopped later, or not before the run ends.
world stuck "$pool" "$aws" '
  { "name": "j", "work": "100h", "max_runtime": "5d" }' '
  "asks": [ { "rule": "required_tags", "keys": ["team"], "action": "warn_then_stop",
              "warn_for": "4h" } ],
  "cap": [ { "rule": "max_runtime", "limit": "3h", "enforce_by": "clock" } ],
  "hours": [ { "rule": "max_runtime", "limit": "30m", "enforce_by": "clock" } ]'
sed -i 's/"horizon": "[^"]*"/"horizon": "48h"/' stuck.jsonc
run 0 explain j stuck.jsonc -p asks
has stdout 'warn_for 48 h does not stop it before the run ends'
run 0 explain j stuck.jsonc -p cap
has stdout 'nearest miss: limit 47h55m does not stop it before the run ends'
run 0 explain j stuck.jsonc -p hours
has stdout 'nearest miss: limit 1 h stops it 30 min later (+$15.00)'

# A search that ends early says so, and calls no value the nearest that it did not find to be.
tests=$(for seconds in {3601..6001..113}; do
  printf '{ "field": "training_time", "op": ">=", "value": "%ds" }, ' $seconds; done)
cat >many.jsonc <<SCENARIO
{ "reeve": 1, "prices": { "instances": { "demo": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "demo", "capacity": 16 } ],
  "jobs": [ { "name": "tuning", "instances": 12, "work": "30h", "max_runtime": "3d" } ],
  "policies": { "cap": [ { "rule": "rule", "name": "large", "do": "stop", "reason": "x",
    "when": { "all": [ ${tests%, } ] } } ] } }
SCENARIO
run 0 explain tuning many.jsonc -p cap
has stdout 'other thresholds: not tried'
lacks stdout 'training_time >= 4'
done_checking
