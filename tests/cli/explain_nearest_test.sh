#!/usr/bin/env bash
# That what `reeve explain` names as the nearest miss is the nearest, and is what a run with that
# value comes to.
source "$(dirname "$0")/expect.bash"

# world NAME FLEET PLATFORM JOBS POLICIES [HUMANS]: a scenario; machines cost $30 an hour, Spot $9.
world() {
  cat >"$1.jsonc" <<JSONC
{ "reeve": 1, "name": "$1", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "7d" },
  "prices": { "instances": {
    "ml.d.8gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ $2 ], "platform": { "startup": "5m", $3 }, "jobs": [ $4 ], "policies": { $5 },
  "humans": [ ${6-} ] }
JSONC
}
pool='{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 4 }'
aws='"model": "sagemaker-training", "stop_grace": "120s"'
reports='"reports": { "every": "1m" }'

# A stop that comes when the attempt is over already, as news are late, stops nothing: the job was
# done, or failed by itself, and so it is with a limit that is reached before that is known.
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
lacks stdout 'had it not'
lacks stdout 'nearest miss'
run 0 explain failed late.jsonc -p after
has stdout ' failed did not finish: failed at 03:05:00'
run 0 explain done late.jsonc -p before
has stdout ' done was stopped at 02:05:00 by max_runtime'
has stdout ' nearest miss: limit 3 h does not stop it'

# One more is enough where what the rule stops it for is over by then.
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
has stdout 'nearest miss: datapoints 4 of 4 does not stop it'
lacks stdout 'datapoints 5 of 5'
run 0 explain j one.jsonc -p beat
has stdout 'nearest miss: misses 4 does not stop it; period 7 min does not stop it'
lacks stdout 'misses 5'
run 0 explain j one.jsonc -p stated
has stdout 'nearest miss: alarm.datapoints 4 of 4 does not stop it'
run 0 explain s one.jsonc -p fall
has stdout 'nearest miss: interruptions_above 3 does not stop it'
lacks stdout 'interruptions_above 4'

# GPUs that are low for 7 h: what is far enough is looked for from what the rule has on, not from
# the time of its stop.  By a wall clock a period of an hour follows upon one of 5 min.
world low "$pool" "$aws" '
  { "name": "j", "work": "20h", "gpu_phases": [ { "lasts": "7h", "gpu_util": 20 } ] },
  { "name": "prepares", "work": "20h", "gpu_phases": [ { "lasts": "20m", "gpu_util": 0 } ] }' '
  "low": [ { "rule": "min_gpu", "stop_after": "5h", "arm_delay": "30m" } ],
  "clock": [ { "rule": "stalled_gpu", "window": "wall_clock" } ]'
run 0 explain j low.jsonc -p low
has stdout '; over 1h35m does not stop it; stop_after 5h34m does not stop it; arm_delay 1h04m does'
run 0 explain prepares low.jsonc -p clock
has stdout '; period 1 h does not stop it'
lacks stdout 'period 24 h'

# What stops it then is said where that is another rule.
world whose "$pool" "$aws, "'"metrics": { "publish_delay": "60s" }' "
  { \"name\": \"j\", \"work\": \"24h\", $reports,
    \"faults\": [ { \"at\": \"1h\", \"kind\": \"stall\" } ] }" '
  "two": [ { "rule": "stalled_gpu" }, { "rule": "heartbeat", "period": "4m" } ]'
run 0 explain j whose.jsonc -p two
has stdout 'nearest miss: misses 4 leaves it to stalled_gpu, which stops it 4 min later (+$2.00)'
run 0 explain j whose.jsonc -p two --json
python3 -c '
import json
miss = json.load(open("stdout"))["nearest_misses"][0]
assert (miss["rule"], miss["change"], miss["stops"]) == ("heartbeat", "misses 4", False), miss
assert (miss["stopped_by"], miss["later_s"]) == ("stalled_gpu", 240), miss' || fail "whose stop"

# All globs that deny a type are one option; every test of a number or a length has a threshold.
world tests "$pool" "$aws" '
  { "name": "j", "work": "10h", "instances": 2, "priority": 3, "max_runtime": "72h" }' '
  "globs": [ { "rule": "allowed_types", "allow": ["*"], "deny": ["ml.d*", "x", "*gpu"] } ],
  "gpus": [ { "rule": "rule", "do": "stop", "when": { "field": "gpus", "op": ">=", "value": 8 } } ],
  "priority": [ { "rule": "rule", "do": "stop",
                  "when": { "field": "priority", "op": "<", "value": 5 } } ],
  "runtime": [ { "rule": "rule", "do": "stop",
                 "when": { "field": "max_runtime", "op": ">=", "value": "24h" } } ],
  "within": [ { "rule": "rule", "do": "stop",
                "when": { "not": { "field": "max_runtime", "op": ">", "value": "4d" } } } ],
  "sure": [ { "rule": "rule", "do": "stop",
              "when": { "field": "confidence_pct", "op": ">", "value": 90 } } ],
  "any": [ { "rule": "rule", "do": "stop", "when": { "any": [
    { "field": "instances", "op": ">", "value": 1 },
    { "field": "gpus", "op": ">", "value": 4 } ] } } ]'
run 0 explain j tests.jsonc -p globs
has stdout 'nearest miss: deny without ml.d*, *gpu does not stop it'
run 0 explain j tests.jsonc -p gpus
has stdout 'nearest miss: gpus >= 9 does not stop it'
run 0 explain j tests.jsonc -p priority
has stdout 'nearest miss: priority < 3 does not stop it'
run 0 explain j tests.jsonc -p runtime
has stdout 'nearest miss: max_runtime >= 72h01m does not stop it'
run 0 explain j tests.jsonc -p within
has stdout 'nearest miss: max_runtime > 71h59m does not stop it'
run 0 explain j tests.jsonc -p sure
has stdout 'nearest miss: confidence_pct > 100 does not stop it'
run 0 explain j tests.jsonc -p any
has stdout 'miss: no single option; instances > 2 together with gpus > 8 does not stop it'

# A wait that is over before the rule's: the machine is free at 10:05, and the job stays.
world moved '{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 1 },
  { "name": "two", "instance_type": "ml.d.8gpu", "capacity": 2 }' "$aws" '
  { "name": "b", "work": "10h", "fleet": "pool" },
  { "name": "j", "work": "5h", "fleet": "pool", "submit": "1h" }' '
  "p": [ { "rule": "alternatives", "fleets": ["two"], "after": "2h" } ]'
run 0 explain j moved.jsonc -p p
has stdout 'nearest miss: after 4 h stops it 2 h later ($0.00); after 9h'

# What a rule left lying is asked about though a person submitted the job again: the attempt that
# failed at 07:15 after two resumes, and with other values the last one.
world lying "$pool" "$aws" '
  { "name": "bug", "work": "10h", "owner": "ann", "checkpoint": { "every": "1h" },
    "faults": [ { "at": "2h10m", "kind": "failure", "class": "code",
                  "recovers_on_restart": false } ] },
  { "name": "short", "work": "12h", "owner": "ann", "checkpoint": { "every": "1h" }, "faults": [
    { "kind": "failure", "at": "1h30m" }, { "kind": "failure", "at": "3h", "attempt": 2 },
    { "kind": "failure", "at": "1h", "attempt": 3 } ] }' '
  "p": [ { "rule": "resume", "backoff": "10m" } ]' \
  '{ "owner": "ann", "away": [ ["0s", "30h"] ] }'
run 0 explain bug lying.jsonc -p p
has stdout ' nearest miss: max_resumes 3 starts it again at 07:55:00 (+$62.50)'
run 0 explain short lying.jsonc -p p
has stdout 'miss of resume after attempt 1: min_runtime 1h30m starts it again at 01:45:00'
has stdout 'resume after attempt 3: min_runtime 1 h starts it again after attempt 1 at 01:45:00'

# Together are no more options than needed: that it is named as what stopped it is enough.
world spent '{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 8 }' "$aws" '
  { "name": "j", "work": "20h", "instances": 4, "checkpoint": { "every": "1h" } }' '
  "p": [ { "rule": "budget", "limit_usd": 1000, "per": "job" },
         { "rule": "resume", "when": ["stopped_by:budget"], "max_resumes": 1 } ]'
run 0 explain j spent.jsonc -p p
has stdout 'no single option; max_resumes 2 together with min_runtime 0s starts it again at 08:21'

# Polls half as often come at the same time, 1:40, and twice as often five minutes sooner.
ec2='"model": "ec2"'
world polls '{ "name": "spot", "instance_type": "ml.d.8gpu", "capacity": 3, "market": "spot",
    "reclaim": { "every": "90m", "away": "10m" } }' "$ec2" '
  { "name": "j", "work": "10h", "fleet": "spot", "checkpoint": { "every": "1h" } }' '
  "p": [ { "rule": "relaunch" } ]'
run 0 explain j polls.jsonc -p p
has stdout ' nearest miss: every 5 min starts it again 5 min earlier'
has stdout ' no difference: every 20 min starts it again at the same time ($0.00)'

# A stated rule that starts jobs again has thresholds too.
world stated "$pool" "$aws" '
  { "name": "j", "work": "10h", "checkpoint": { "every": "1h" },
    "faults": [ { "at": "3h", "kind": "failure" } ] }' '
  "p": [ { "rule": "rule", "do": "clone", "when": { "all": [
    { "field": "status", "op": "==", "value": "Failed" },
    { "field": "training_time", "op": ">=", "value": "2h" } ] } } ]'
run 0 explain j stated.jsonc -p p
has stdout 'nearest miss: training_time >= 3h01m does not start it again'

# Its waits too, and an age where the rule goes by that.
world waited "$pool" "$aws" '
  { "name": "j", "work": "10h", "checkpoint": { "every": "1h" },
    "faults": [ { "at": "3h", "kind": "failure" } ] }' '
  "stated": [ { "rule": "rule", "do": "clone", "backoff": "30m",
    "when": { "field": "status", "op": "==", "value": "Failed" } } ],
  "age": [ { "rule": "resume", "since": "creation" } ]'
run 0 explain j waited.jsonc -p stated
has stdout 'nearest miss: backoff 0s starts it again 30 min earlier'
run 0 explain j waited.jsonc -p age
has stdout 'nearest miss: min_runtime 3h06m does not start it again'

# Hours may begin sooner, and those of nights begin on the day before; nothing is told twice.
hours='"rule": "office_hours", "from": "20h", "to": "6h"'
world night "$pool" "$aws" '
  { "name": "evening", "work": "3h", "submit": "19h30m" },
  { "name": "morning", "work": "3h", "submit": "26h" },
  { "name": "day", "work": "10h", "submit": "8h" }' "
  \"nights\": [ { $hours } ], \"tuesday\": [ { $hours, \"days\": [\"tue\"] } ],
  \"days\": [ { \"rule\": \"office_hours\" } ]"
run 0 explain evening night.jsonc -p nights
has stdout 'nearest miss: from 19h30m does not stop it'
run 0 explain morning night.jsonc -p tuesday
has stdout 'nearest miss: days with mon does not stop it'
run 0 explain day night.jsonc -p days
has stdout 'nearest miss: to 18h05m does not stop it'
lacks stdout 'to 18h05m does not stop it; to 18h05m'

# A wait before the stop is one; and what would stop it as the run ends does not before.
world patient "$pool" "$aws" '{ "name": "j", "work": "100h", "max_runtime": "5d" }' '
  "asks": [ { "rule": "required_tags", "keys": ["team"], "action": "warn_then_stop" } ],
  "cap": [ { "rule": "max_runtime", "limit": "3h", "enforce_by": "clock" } ]'
sed -i 's/"horizon": "[^"]*"/"horizon": "48h"/' patient.jsonc
run 0 explain j patient.jsonc -p asks
has stdout 'warn_for 48 h does not stop it before the run ends'
run 0 explain j patient.jsonc -p cap
has stdout 'does not stop it before the run ends'
world at_once "$pool" "$ec2" '{ "name": "j", "work": "200h" }' '
  "cap": [ { "rule": "max_runtime", "limit": "3h", "enforce_by": "clock" } ]'
run 0 explain j at_once.jsonc -p cap  # there the stop at the last instant is through in it
has stdout 'limit 167h54m does not stop it before the run ends'

# Where it stands still later as well, and for good, the nearest is what waits the first time out.
world twice "$pool" "$aws, \"metrics\": { \"publish_delay\": \"60s\" }" "
  { \"name\": \"j\", \"work\": \"10h\", $reports, \"faults\": [
    { \"at\": \"1h\", \"kind\": \"stall\", \"lasts\": \"40m\" },
    { \"at\": \"5h\", \"kind\": \"stall\" } ] },
  { \"name\": \"low\", \"work\": \"10h\", \"gpu_util\": { \"stalled\": 5 }, \"faults\": [
    { \"at\": \"1h\", \"kind\": \"stall\" } ] }" '
  "alarm": [ { "rule": "stalled_gpu" } ], "beat": [ { "rule": "heartbeat" } ],
  "low": [ { "rule": "stalled_gpu", "threshold": 50 } ]'
run 0 explain j twice.jsonc -p alarm
has stdout 'datapoints 9 of 9 stops it 4h30m later'
has stdout 'period 14 min stops it 4h27m later'
run 0 explain j twice.jsonc -p beat
has stdout 'misses 9 stops it 4h30m later'
run 0 explain low twice.jsonc -p low
has stdout 'threshold 39.9 does not stop it'

# Tests of a length that must be short, of a count that rises, and within `not`; the clone of what
# failed after 3 min.  How sure a class is: 40 %, where 90 are asked for, or none are.
world stated "$pool, "'{ "name": "spot", "instance_type": "ml.d.8gpu", "capacity": 2,
    "market": "spot", "reclaim": { "every": "90m", "away": "10m" } }' "$aws" '
  { "name": "s", "fleet": "spot", "work": "10h", "max_wait": "3d",
    "checkpoint": { "every": "1h" } },
  { "name": "q", "fleet": "pool", "work": "10h", "faults": [ { "at": "3m", "kind": "failure" } ] },
  { "name": "f", "fleet": "pool", "work": "10h", "checkpoint": { "every": "1h" }, "faults": [
    { "at": "3h", "kind": "failure", "read_as": "infrastructure", "confidence": 0.4 } ] }' '
  "only": [ { "rule": "rule", "do": "stop", "when": { "all": [
    { "field": "status", "op": "==", "value": "Training" },
    { "field": "age", "op": "<=", "value": "10m" } ] } } ],
  "young": [ { "rule": "rule", "do": "stop", "when": { "all": [
    { "field": "interruptions", "op": ">=", "value": 1 },
    { "not": { "field": "age", "op": ">=", "value": "4h" } } ] } } ],
  "quick": [ { "rule": "rule", "do": "clone", "when": { "all": [
    { "field": "status", "op": "==", "value": "Failed" },
    { "field": "training_time", "op": "<", "value": "10m" } ] } } ],
  "sure": [ { "rule": "rule", "do": "clone", "when": { "all": [
    { "field": "status", "op": "==", "value": "Failed" },
    { "field": "confidence_pct", "op": ">=", "value": 20 } ] } } ],
  "asks": [ { "rule": "resume", "min_confidence": 0.9 } ],
  "trusts": [ { "rule": "resume" } ]'
run 0 explain s stated.jsonc -p only
has stdout 'nearest miss: age <= 4m59s does not stop it'
run 0 explain s stated.jsonc -p young
has stdout '; interruptions >= 3 does not stop it; age >= 1h30m does not stop it'
run 0 explain q stated.jsonc -p quick
has stdout 'nearest miss: training_time < 3 min does not start it again'
run 0 explain f stated.jsonc -p sure
has stdout 'confidence_pct >= 41 does not start it again'
run 0 explain f stated.jsonc -p asks
has stdout 'nearest miss: min_confidence 0.4 starts it again at '
run 0 explain f stated.jsonc -p trusts
has stdout '; min_confidence 0.41 does not start it again'

# What was guessed at twice the value: GPUs that are low for 6 h, a loss that is none for 18; waits
# of seconds; an alarm of what is too high.
world waits "$pool" "$aws, \"metrics\": { \"publish_delay\": \"60s\" }" '
  { "name": "low", "work": "20h", "gpu_phases": [
    { "at": "2h", "lasts": "6h", "gpu_util": 20 } ] },
  { "name": "nan", "work": "20h", "reports": { "every": "1m",
    "loss": { "start": 5, "half_life": "2h", "nan_at": "2h" } } },
  { "name": "a", "work": "5h", "gpu_util": { "running": 95 } }' '
  "low": [ { "rule": "min_gpu", "stop_after": "1h" } ],
  "nan": [ { "rule": "early_stop" } ],
  "soon": [ { "rule": "rule", "do": "stop", "after": "3s",
              "when": { "field": "time_since_start", "op": "exists" } } ],
  "at-once": [ { "rule": "required_tags", "keys": ["m"], "action": "warn_then_stop",
                 "warn_for": "0s" } ],
  "high": [ { "rule": "rule", "do": "stop", "alarm": { "compare": ">=", "threshold": 400 },
              "when": { "field": "alarm", "op": "==", "value": "alarm" } } ],
  "many": [ { "rule": "rule", "do": "stop", "after": "3s",
              "alarm": { "compare": ">=", "threshold": 400 }, "when": { "all": [
    { "field": "alarm", "op": "==", "value": "alarm" },
    { "field": "age", "op": "<=", "value": "3h" }, { "field": "gpus", "op": ">", "value": 4 },
    { "field": "interruptions", "op": "<", "value": 4 } ] } } ],
  "cheap": [ { "rule": "budget", "limit_usd": 0.1, "per": "job" } ]'
run 0 explain low waits.jsonc -p low
has stdout '; over 5h10m does not stop it; '
run 0 explain nan waits.jsonc -p nan
has stdout '; every 10 h does not stop it'
run 0 explain a waits.jsonc -p soon
has stdout '; after 5h05m does not stop it'
run 0 explain a waits.jsonc -p at-once
has stdout '; warn_for 5h05m does not stop it'
run 0 explain a waits.jsonc -p high
has stdout '; alarm.threshold 761 does not stop it; '
run 0 explain a waits.jsonc -p many
has stdout '; gpus > 8 does not stop it; '
has stdout '; after 2h44m does not stop it'
run 0 explain a waits.jsonc -p cheap
has stdout 'nearest miss: limit_usd 154 does not stop it'  # 5h05m, and 2 min of grace

# What hours ended has to be named; an attempt that never trained ran for 0 s; what stood still in
# the start-up after a loss is measured from there, and machines of one's own from Starting on.
world again '{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 1 }' "$aws" '
  { "name": "j", "work": "20h", "submit": "9h", "checkpoint": { "every": "1h" } }' '
  "p": [ { "rule": "office_hours" },
         { "rule": "resume", "min_runtime": "0s", "backoff": "14h" } ]'
run 0 explain j again.jsonc -p p
has stdout 'resume after attempt 1: when with stopped_by:office_hours starts it again at '
world none '{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 1 }' '"model": "ec2"' '
  { "name": "x", "work": "1h" }, { "name": "y", "work": "2h", "submit": "30m" }' '
  "p": [ { "rule": "resume", "when": ["failed:capacity"], "min_runtime": "0s",
           "max_resumes": 200 } ]'
run 0 explain y none.jsonc -p p
has stdout 'nearest miss: min_runtime 1s does not start it again'
world slow '{ "name": "spot", "instance_type": "ml.d.8gpu", "capacity": 1, "market": "spot",
    "reclaim": { "every": "100m", "away": "20m" } }' "$aws, \"first_startup\": \"5m\"" '
  { "name": "s", "work": "2h", "max_wait": "3d", "checkpoint": { "every": "30m" } }' '
  "cap": [ { "rule": "startup_limit", "limit": "10m" } ],
  "stated": [ { "rule": "rule", "do": "stop",
                "when": { "field": "startup_time", "op": ">=", "value": "10m" } } ]'
sed -i 's/"startup": "5m"/"startup": "20m"/' slow.jsonc
run 0 explain s slow.jsonc -p cap
has stdout 'nearest miss: limit 20 min does not stop it'
run 0 explain s slow.jsonc -p stated
has stdout 'nearest miss: startup_time >= 20 min does not stop it'
world held "$pool" "$ec2, \"provisioning\": \"10m\"" '
  { "name": "o", "work": "8h", "checkpoint": { "every": "30m" } }' '
  "cap": [ { "rule": "uptime_cap", "limit": "3h" } ]'
run 0 explain o held.jsonc -p cap
has stdout 'nearest miss: limit 8h17m does not stop it'

# What a stated rule did not start again, it might have after a shorter run, or once more.
world left "$pool" "$aws" '
  { "name": "j", "work": "10h", "checkpoint": { "every": "1h" }, "faults": [
    { "at": "90m", "kind": "failure", "recovers_on_restart": false } ] }' '
  "long": [ { "rule": "rule", "do": "clone", "when": { "all": [
    { "field": "status", "op": "==", "value": "Failed" },
    { "field": "training_time", "op": ">=", "value": "2h" } ] } } ],
  "first": [ { "rule": "rule", "do": "clone", "max_clones": 9, "when": { "all": [
    { "field": "status", "op": "==", "value": "Failed" },
    { "field": "attempt", "op": "<=", "value": 1 } ] } } ],
  "once": [ { "rule": "rule", "do": "clone", "max_clones": 1, "when": {
    "field": "status", "op": "==", "value": "Failed" } } ]'
run 0 explain j left.jsonc -p long
has stdout 'nearest miss: training_time >= 1h30m starts it again at 01:35:00'
run 0 explain j left.jsonc -p first
has stdout 'attempt <= 2 starts it again at '
run 0 explain j left.jsonc -p once
has stdout 'max_clones 2 starts it again at '

# An attempt is the same though a request more before it finds no machines, and its number differs:
# b has the machine from 2:05 on, and later where a has it for longer.
world numbers '{ "name": "pool", "instance_type": "ml.d.8gpu", "capacity": 1 }' '"model": "ec2"' '
  { "name": "a", "work": "20h", "checkpoint": { "every": "30m" } },
  { "name": "b", "submit": "1h50m", "work": "20h", "checkpoint": { "every": "30m" } }' '
  "p": [ { "rule": "relaunch", "every": "10m", "offset": "5m" },
         { "rule": "budget", "limit_usd": 60, "per": "job", "ahead": "0s" } ]'
sed -i 's/"startup": "5m"/"startup": "0s"/' numbers.jsonc
run 0 explain b numbers.jsonc -p p
has stdout 'stop of attempt 3 at 04:05:00: limit_usd 66 stops it 22 min later'
has stdout '; limit_usd 601 does not stop it'

# Together, too, each is the nearest that does.
world both "$pool" "$aws" '
  { "name": "a", "work": "40h", "instances": 3, "max_runtime": "48h" }' '
  "p": [ { "rule": "max_instances", "limit": 2, "instance_hours": 100 } ]'
run 0 explain a both.jsonc -p p
has stdout 'no single option; limit 3 together with instance_hours 144 does not stop it'
# What each alone only puts off, several together may let go.
world puts "$pool" "$aws" '
  { "name": "a", "work": "40h", "instances": 3, "max_runtime": "48h" }' '
  "p": [ { "rule": "rule", "do": "stop", "when": { "any": [
    { "field": "training_time", "op": ">=", "value": "9h" },
    { "field": "age", "op": ">=", "value": "20h" } ] } } ]'
run 0 explain a puts.jsonc -p p
has stdout 'no single option; training_time >= 40h01m together with age >= 40h06m does not stop it'
done_checking
