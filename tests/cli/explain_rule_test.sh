#!/usr/bin/env bash
# What `reeve explain` says of rules: what a decision of a stated rule rested on, what another
# threshold would have done, and what fields, operators, actions and presets are.
source "$(dirname "$0")/expect.bash"

stated=$source_root/tests/rules/rule/stated-handlers.jsonc

# Which tests held, and what their fields were at that time.
run 0 explain tagless "$stated" -p stated
has stdout 'because has no model_name: all of: status in [Starting, Downloading, Training]'
has stdout '(it was Downloading), not (tag:model_name exists (it was none)); for 6s'
run 0 explain long "$stated" -p stated
has stdout 'training_time >= 1d (it was 1d)'
run 0 explain unlucky "$stated" -p stated
has stdout 'all of: status == Failed (it was Failed), training_time >= 2h (it was 3h)'
# A status that is left at once is told as it was judged.
run 0 explain train \
  "$source_root/tests/rules/rule/stated-each-status.jsonc" -p starting-stated
has stdout '(it was Starting)'

# The threshold with which it would have been let alone, played: 30 h of training, 9 instances.
run 0 explain long "$stated" -p stated
has stdout 'nearest miss: training_time >= 30 h does not stop it'
run 0 explain large "$stated" -p stated
has stdout 'nearest miss: instances > 9 does not stop it'
run 0 explain tagless "$stated" -p stated
has stdout 'nearest miss: after 12s stops it 6s later (+$0.05)'

# The job runs at 70 % of each GPU: not below 70.
run 0 explain job "$source_root/tests/rules/min_gpu/minimum.jsonc" -p stopped
has stdout 'nearest miss: min_pct 70 does not stop it; over 5h30m does not stop it; '
has stdout '; stop_after 8h30m does not stop it'
# A fourth period of 5 min, and four more minutes at 3 x 10 min, at $4 a minute.
run 0 explain train "$source_root/tests/rules/heartbeat/heartbeat.jsonc" -p beat
has stdout 'nearest miss: misses 4 stops it 5 min later (+$20.00)'
has stdout '; period 10 min stops it 15 min later (+$60.00)'

# The thresholds of rules that go by counts, money and hours, each played.
run 0 explain train "$source_root/tests/rules/spot_fallback/fallback.jsonc" -p fallback
has stdout 'nearest miss: interruptions_above 9 does not stop it'
run 0 explain a "$source_root/tests/rules/budget/budget.jsonc" -p job
has stdout 'nearest miss: limit_usd 17400 does not stop it'
run 0 explain dev "$source_root/tests/rules/office_hours/office-hours.jsonc" -p stopped
has stdout 'nearest miss: to 20h05m does not stop it'
run 0 explain gang "$source_root/tests/rules/orphan_sweep/node-lost.jsonc" -p five
has stdout 'nearest miss: gang_after 10 min stops it 5 min later (+$7.50)'
run 0 explain nine "$source_root/tests/rules/max_instances/nine-instances.jsonc" -p count
has stdout 'nearest miss: limit 9 does not stop it'
# A rule that looks at what is out of range for it is not asked: only the test that held is.  Its
# number is the one that the reason says, as near as three digits come.
run 0 explain train "$source_root/tests/rules/spot_fallback/progress.jsonc" -p leaves
has stdout 'nearest miss: min_progress 0.666 does not stop it'
# A rule of tags has no threshold that lets a job without them alone.
run 0 explain missing "$source_root/tests/rules/required_tags/missing-tag.jsonc" -p tags
has stdout ' nearest miss: none was found'
# Attempts that a rule started again are told with their fleet.
run 0 explain train "$source_root/tests/rules/resume/other-machines.jsonc" -p market
has stdout 'in od (ml.demo.1gpu, on demand) instead of spot (ml.demo.1gpu, spot)'
lacks stdout 'nearest miss'
# A loss that is NaN until a restart mends it; four hours more of a loss that is no better.
run 0 explain train "$source_root/tests/rules/early_stop/early-stop.jsonc" -p stop
has stdout 'nearest miss: every 5 h does not stop it; looks 42 does not stop it'
run 0 explain train "$source_root/tests/rules/early_stop/plateau.jsonc" -p plateau
has stdout ' nearest miss: plateau 23h51m does not stop it'
has stdout ' no difference: looks, improvement_pct'
run 0 explain a "$source_root/tests/rules/spot_fallback/pooled.jsonc" -p pooled
has stdout 'nearest miss: pooled_above 2 does not stop it'
# 65 % more an hour than the rate, or a window in which there are no more.
run 0 explain fast "$source_root/tests/rules/spot_fallback/rate-in-a-window.jsonc" -p rate
has stdout 'miss: rate_above 1.67 does not stop it; rate_window 19 h does not stop it'

# It was exempt until 02:30, and stands still for good: what makes it later at all is looked for.
cat >exempt.jsonc <<'JSONC'
{ "reeve": 1, "name": "exempt", "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "5m", "stop_grace": "120s" },
  "jobs": [ { "name": "train", "work": "10h", "tags": { "run": "x" },
    "faults": [ { "at": "1h", "kind": "stall" } ] } ],
  "guards": { "exempt": [ { "tag": "run", "owner": "bob", "until": "2026-04-01T02:30:00Z" } ] },
  "policies": { "p": [ { "rule": "stalled_gpu" } ], "q": [ { "rule": "heartbeat" } ] } }
JSONC
run 0 explain train exempt.jsonc -p p
has stdout ' nearest miss: datapoints 19 of 19 stops it 10 min later (+$5.00); period 40 min '
has stdout ' no difference: threshold'
# Interrupted for 40 min, and stopped after half an hour of that.
cat >status.jsonc <<'JSONC'
{ "reeve": 1, "name": "status", "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 1 } ],
  "jobs": [ { "name": "train", "work": "10h", "checkpoint": { "every": "1h" },
    "faults": [ { "at": "1h", "kind": "interruption", "away": "40m" } ] } ],
  "policies": { "p": [ { "rule": "rule", "do": "stop", "when": { "all": [
    { "field": "status", "op": "==", "value": "Interrupted" },
    { "field": "time_in_status", "op": ">=", "value": "30m" } ] } } ] } }
JSONC
run 0 explain train status.jsonc -p p
has stdout 'time_in_status >= 40 min does not stop it'

# What kept a rule from acting is said: a guard, or a phase that the job has told of.
run 0 explain protected "$source_root/tests/scenarios/guards/protected.jsonc" -p alarm
has stdout 'since 01:15:00, and the stop of stalled_gpu was refused: guard protected_tags'
run 0 explain train "$source_root/tests/rules/stalled_gpu/phase-hints.jsonc" -p hinted
has stdout "kept quiet until 00:40:00 by the job's reeve:low-gpu: 0s+20m"

cat >kept.jsonc <<'JSONC'
{ "reeve": 1, "name": "kept",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 4 } ],
  "platform": { "model": "ec2" },
  "jobs": [ { "name": "gang", "work": "10h", "instances": 4, "tags": { "keep": "yes" },
    "faults": [ { "at": "2h", "kind": "node_lost", "hosts": [2] } ] } ],
  "guards": { "protected_tags": ["keep"] },
  "policies": { "sweep": [ { "rule": "orphan_sweep" } ] } }
JSONC
run 0 explain gang kept.jsonc -p sweep
has stdout 'fault: node_lost; orphan_sweep detected it at 02:06:00, its stop was refused: guard '

# What could have been done in place of a decision, each played: 8 h at $9 as it was, or the 10 h
# again, on demand at $30, or on Spot at $20.
other=$source_root/tests/rules/resume/other-machines.jsonc
run 0 explain train "$other" -p same
has stdout ' instead of clone job of resume from 02:05:00 on'
has stdout '   from scratch: the job would be done at 12:05:00; $18.00 more in all'
has stdout '   on od: the job would be done at 10:05:00; $168.00 more in all'
has stdout '   on large-spot: the job would be done at 10:05:00; $88.00 more in all'
run 0 explain train "$other" -p same --json
python3 -c '
import json, sys
could = json.load(open("stdout"))["alternatives"]
assert [(c["instead"], c["cost_more_usd"]) for c in could] == [
    ("from scratch", 18), ("on od", 168), ("on large-spot", 88)], could
assert all(c["failed"] is None and c["rule"] == "resume" for c in could), could' ||
  fail "alternatives"

# Not before the job is known, and as soon as the attempt is over.
run 0 explain job "$source_root/tests/rules/uptime_cap/uptime.jsonc" -p capped
lacks stdout 'could not be done'

# In decisions.csv they have no price, and what another rule wanted at that instant is beside them.
cat >two.jsonc <<'JSONC'
{ "reeve": 1, "name": "two",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
  "jobs": [ { "name": "train", "work": "30h" } ],
  "policies": { "two": [
    { "rule": "max_runtime", "name": "first", "limit": "6h", "enforce_by": "clock" },
    { "rule": "max_runtime", "name": "second", "limit": "6h", "enforce_by": "clock" } ] } }
JSONC
run 0 run two.jsonc -p two --out two
python3 -c '
import csv, json
rows = [r for r in csv.DictReader(open("two/decisions.csv")) if r["action"] == "stop_job"]
first, second = (json.loads(r["alternatives_json"]) for r in rows)
assert first["could"] == ["only tell people", "start it again"], first
assert first["lost"] == [{"decision_id": int(rows[1]["decision_id"]), "rule": "second",
                          "action": "stop_job",
                          "by": "conflict with " + rows[0]["decision_id"]}], first
assert "lost" not in second, second' || fail "alternatives_json"

# A key is of one deed: alarms of two hosts have keys of their own, and so have two incidents.
cat >twice.jsonc <<'JSONC'
{ "reeve": 1, "name": "twice",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 2 } ],
  "platform": { "model": "sagemaker-training" },
  "jobs": [ { "name": "train", "work": "30h", "instances": 2, "faults": [
    { "at": "2h", "kind": "stall", "lasts": "2h" },
    { "at": "9h", "kind": "stall", "lasts": "2h" } ] } ],
  "policies": { "both": [
    { "rule": "stalled_gpu", "name": "tell", "hosts": ["all"],
      "action": { "stop": false, "notify": ["team"] } },
    { "rule": "stalled_gpu", "name": "warn", "hosts": ["all"], "mode": "warn" } ] } }
JSONC
run 0 run twice.jsonc -p both --out twice
python3 -c '
import collections, csv
rows = [r for r in csv.DictReader(open("twice/decisions.csv")) if r["verdict"] == "accepted"]
keys = collections.Counter(r["dedupe_key"] for r in rows)
assert max(keys.values()) == 1, keys
for rule in "tell", "warn":
    told = [r["dedupe_key"] for r in rows if r["action"] == "notify" and r["rule"] == rule]
    assert told == ["train/1/" + rule + "/notify", "train/1/" + rule + "/notify/2"], told
    put = {r["dedupe_key"] for r in rows if r["action"] == "put_alarm" and r["rule"] == rule}
    assert len(put) == 2 and "train/1/" + rule + "/put_alarm/algo-2" in put, put' ||
  fail "two deeds share a key"

# Two warnings of a sweep over what two rules left behind are two deeds.
cat >left.jsonc <<'JSONC'
{ "reeve": 1, "name": "left",
  "clock": { "start": "2026-05-01T00:00:00Z", "horizon": "1d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training" },
  "jobs": [ { "name": "long", "work": "9h", "max_runtime": "6h" } ],
  "policies": { "swept": [
    { "rule": "stalled_gpu", "name": "a", "disarm_on": ["Completed", "Failed", "Stopped"] },
    { "rule": "stalled_gpu", "name": "b", "disarm_on": ["Completed", "Failed", "Stopped"] },
    { "rule": "orphan_sweep", "mode": "warn" } ] } }
JSONC
run 0 run left.jsonc -p swept --out left
python3 -c '
import csv
told = [r["dedupe_key"] for r in csv.DictReader(open("left/decisions.csv"))
        if r["verdict"] == "accepted" and r["action"] == "notify"]
key = "long/1/orphan_sweep/notify/delete_alarm/of-"
assert told == [key + "0", key + "1"], told' ||
  fail "two warnings share a key"

# What would place jobs in shadow is judged as it would be in enforce, where the start waits for it.
cat >placed.jsonc <<'JSONC'
{ "reeve": 1, "name": "placed",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ { "name": "od", "instance_type": "gpu", "capacity": 1 },
             { "name": "spot", "instance_type": "gpu", "capacity": 1, "market": "spot" } ],
  "platform": { "model": "sagemaker-training" },
  "jobs": [ { "name": "a", "work": "3h", "fleet": "od" },
            { "name": "b", "work": "3h", "fleet": "od" } ],
  "policies": { "both": [ { "rule": "schedule" },
                          { "rule": "market", "use": "spot", "mode": "shadow" } ] } }
JSONC
run 0 run placed.jsonc -p both --out placed
python3 -c '
import csv
rows = [r for r in csv.DictReader(open("placed/decisions.csv")) if r["action"] == "place_job"]
assert [(r["job"], r["verdict"]) for r in rows] == [("a", "shadow"), ("b", "shadow")], rows' ||
  fail "a shadow in conflict with what would have waited for it"

# A limit that the platform keeps ends the attempt too: it needs 30 h and more.
cat >capped.jsonc <<'JSONC'
{ "reeve": 1, "name": "capped",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "5m", "stop_grace": "0s" },
  "jobs": [ { "name": "train", "work": "30h", "max_runtime": "3d" } ],
  "policies": {
    "cap": [ { "rule": "max_runtime", "limit": "24h" } ],
    "stated": [ { "rule": "rule", "do": "limit_runtime", "limit": "24h",
                  "when": { "field": "max_runtime", "op": ">", "value": "1d" } } ],
    "held": [ { "rule": "uptime_cap", "limit": "24h" } ] } }
JSONC
for policy in cap stated; do
  run 0 explain train capped.jsonc -p $policy
  has stdout 'limit 30 h does not stop it'
done
# Held for 30 h 5 min with its start-up; the rule acts two minutes ahead of its limit.
run 0 explain train capped.jsonc -p held
has stdout 'limit 30h07m does not stop it'

# The least of the limits that let it end, each played: 30 h of training, 5 min of start-up.  A rule
# that warns for 2 h, or waits, acts so long after its limit; `ahead` is 2 min before it.  At the
# limit itself the work is done, and the start-up over.  What is billed ends with the rule's stop.
cat >near.jsonc <<'JSONC'
{ "reeve": 1, "name": "near",
  "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 },
                             "big": { "usd_per_hour": 60, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 1 },
             { "name": "big", "instance_type": "big", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "5m", "stop_grace": "0s" },
  "jobs": [ { "name": "train", "work": "30h", "max_runtime": "3d", "fleet": "pool" } ],
  "policies": {
    "warned": [ { "rule": "max_runtime", "limit": "20h", "enforce_by": "clock",
                  "action": "warn_then_stop", "warn_for": "2h" } ],
    "after": [ { "rule": "rule", "do": "stop", "after": "2h",
                 "when": { "field": "training_time", "op": ">=", "value": "20h" } } ],
    "latency": [ { "rule": "rule", "do": "stop", "latency": "2h",
                   "when": { "all": [ { "field": "status", "op": "==", "value": "Training" },
                     { "not": { "field": "training_time", "op": "<", "value": "20h" } } ] } } ],
    "held": [ { "rule": "uptime_cap", "limit": "20h", "action": "warn_then_stop",
                "warn_for": "3h" } ],
    "starts": [ { "rule": "startup_limit", "limit": "2m", "action": "warn_then_stop",
                  "warn_for": "90s" } ] } }
JSONC
run 0 explain train near.jsonc -p warned
has stdout 'nearest miss: limit 28 h does not stop it'
run 0 explain train near.jsonc -p after
has stdout 'nearest miss: training_time >= 28 h does not stop it; after 10 h does not stop it'
run 0 explain train near.jsonc -p latency
has stdout 'nearest miss: training_time < 28 h does not stop it'
run 0 explain train near.jsonc -p held
has stdout 'nearest miss: limit 27h07m does not stop it'
run 0 explain train near.jsonc -p starts
has stdout 'nearest miss: limit 4 min does not stop it; warn_for 3 min does not stop it'
# A minute, or a second, less does: what is told is the least of them.
for change in 'warned limit 20h 27h59m' 'held limit 20h 27h06m'; do
  read -r policy option before less <<<"$change"
  sed "s/\"$option\": \"$before\"/\"$option\": \"$less\"/" near.jsonc >less.jsonc
  run 0 explain train less.jsonc -p "$policy"
  has stdout 'train was stopped at'
done
# Words that rules are stated with.
run 0 explain attempt
has stdout 'attempt: number of the attempt, from 1'
has stdout 'a field of conditions, a whole number'
has stdout 'compared ==, !=, <, <=, >, >=, in'
has stdout 'docs/reference/rules/rule.md'
run 0 explain tag:team
has stdout 'value of the tag KEY'
run 0 explain training_time --json
is_json stdout
has stdout '"compared": "<, <=, >, >="'
# What a scenario has as a key of its own is told as that first, and that it is a field too.
run 0 explain max_runtime
has stdout 'max_runtime, a field of conditions, a duration'
run 0 explain matches
has stdout 'an operator'
run 0 explain '>='
has stdout 'fields   attempt, interruptions'
run 0 explain limit_runtime
has stdout 'an action: "do" of `rule`'
run 64 explain failure_reson
has stderr 'there is no code, key, metric, field, rule or preset "failure_reson"'
run 64 explain trainig_time
has stderr 'did you mean "training_time"?'

# A built-in preset: what it is, what it says of each rule, its page, and what to do next.
run 0 explain blog-naive
has stdout 'blog-naive: the handlers of two articles, fixed so that they run'
has stdout '"measure": "seconds_field"'
has stdout 'docs/how-to/article-code.md'
has stdout 'next     reeve init blog-naive'
for rule in required_tags stalled_gpu resume spot_fallback relaunch; do
  has stdout "    $rule"
done
run 0 explain blog-as-printed --json
is_json stdout
has stdout '"policies"'
run 64 explain blog-navie
has stderr 'did you mean "blog-naive"?'

# Each threshold alone: $89 and $2 of the minutes ahead; 4 instances for 5 h are 20 instance-hours.
# What two options forbid no threshold of one allows.
cat >near.jsonc <<'JSONC'
{ "reeve": 1, "name": "near", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 5 } ],
  "platform": { "model": "sagemaker-training" },
  "jobs": [ { "name": "train", "work": "10h", "tags": { "team": "a" },
              "faults": [ { "at": "3h", "kind": "failure", "class": "unknown" } ] },
            { "name": "big", "instances": 4, "work": "10h", "max_runtime": "5h" } ],
  "policies": {
    "told": [ { "rule": "resume" }, { "rule": "max_instances", "name": "size", "limit": 3 },
              { "rule": "notify", "events": ["stopped"] } ],
    "hours": [ { "rule": "max_instances", "limit": 5, "instance_hours": 6 } ],
    "either": [ { "rule": "rule", "do": "stop", "when": { "any": [
      { "field": "training_time", "op": ">=", "value": "1h" },
      { "field": "age", "op": ">=", "value": "1h" },
      { "field": "instances", "op": ">", "value": 8 } ] } } ],
    "office": [ { "rule": "office_hours", "from": "23h", "to": "23h30m", "days": ["tue"] } ],
    "budget": [ { "rule": "budget", "limit_usd": 20, "per": "job" } ] } }
JSONC
run 0 explain big near.jsonc -p hours
has stdout 'nearest miss: instance_hours 20 does not stop it'
run 0 explain train near.jsonc -p budget
has stdout 'nearest miss: limit_usd 91 does not stop it'
run 0 explain train near.jsonc -p office
has stdout ' nearest miss: none was found'
has stdout ' no difference: from, to'
run 0 explain train near.jsonc -p office --json
python3 -c '
import json
story = json.load(open("stdout"))
assert story["nearest_misses"] == [], story
assert story["no_difference"] == ["from", "to"], story' || fail "no difference"
run 0 explain train near.jsonc -p either
has stdout ' nearest miss: after 2 h does not stop it'
has stdout ' no difference: training_time >=, age >=, instances >, limit'

# A standstill that passes by itself after half an hour: the values with which the rule would not
# have stopped it, 3 x 11 min or 7 x 5 min.  One that never passes is not waited out.
cat >passes.jsonc <<'JSONC'
{ "reeve": 1, "name": "passes", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "3d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 8 } ],
  "platform": { "model": "sagemaker-training", "startup": "5m", "first_startup": "5m",
                "stop_grace": "2m", "metrics": { "publish_delay": "1m" } },
  "job_defaults": { "work": "10h", "max_runtime": "4d", "reports": { "every": "1m" } },
  "jobs": [
    { "name": "pause", "tags": { "team": "x" },
      "faults": [ { "at": "2h", "kind": "stall", "lasts": "30m" } ] },
    { "name": "twice", "faults": [ { "at": "1h", "kind": "stall", "lasts": "10m" },
                                   { "at": "4h", "kind": "stall" } ] },
    { "name": "stuck", "faults": [ { "at": "1h", "kind": "stall" } ] } ],
  "policies": {
    "alarm": [ { "rule": "stalled_gpu" } ],
    "breaching": [ { "rule": "stalled_gpu", "missing": "breaching" } ],
    "beat": [ { "rule": "heartbeat" } ],
    "tell": [ { "rule": "heartbeat", "action": "notify" } ],
    "startup": [ { "rule": "startup_limit", "limit": "4m" } ],
    "clock": [ { "rule": "max_runtime", "limit": "2h", "enforce_by": "clock" } ],
    "uptime": [ { "rule": "uptime_cap", "limit": "2h" } ],
    "stated": [ { "rule": "rule", "do": "stop",
                  "when": { "field": "training_time", "op": ">=", "value": "50m" } } ],
    "limited": [ { "rule": "rule", "do": "limit_runtime", "limit": "2h",
                   "when": { "field": "training_time", "op": ">=", "value": "3h" } } ],
    "same": [ { "rule": "rule", "name": "b", "do": "stop",
                "when": { "field": "training_time", "op": ">=", "value": "1h" } },
              { "rule": "rule", "name": "c", "do": "limit_runtime", "limit": "90m",
                "when": { "field": "training_time", "op": ">=", "value": "1h" } } ],
    "tags": [ { "rule": "required_tags", "keys": ["model"], "latency": "10s" },
              { "rule": "budget", "limit_usd": 10, "per": "job" } ] } }
JSONC
run 0 explain pause passes.jsonc -p alarm
has stdout 'miss: period 11 min does not stop it; datapoints 7 of 7 does not stop it; '
run 0 explain pause passes.jsonc -p beat
has stdout 'miss: period 11 min does not stop it; misses 7 does not stop it'
run 0 explain stuck passes.jsonc -p alarm
lacks stdout 'does not stop it'
# What is wrong to the end of the run is stopped later: values beyond 32 times the present one are
# not near.
run 0 explain stuck passes.jsonc -p startup
has stdout ' nearest miss: limit 5 min does not stop it before the run ends'
run 0 explain stuck passes.jsonc -p clock
has stdout ' nearest miss: limit 4 h stops it 2 h later (+$60.00 for the attempt, +$180.00 in all)'
run 0 explain stuck passes.jsonc -p uptime
has stdout ' nearest miss: limit 4 h stops it 2 h later (+$60.00 for the attempt, +$180.00 in all)'
run 0 explain stuck passes.jsonc -p stated
has stdout '; training_time >= 1h40m stops it 50 min later (+$25.00 for the attempt, '
# A change that lets nothing alone but moves the stop is told as any other.
run 0 explain stuck passes.jsonc -p breaching
has stdout 'nearest miss: arm_delay 15 min stops it 1h16m later'

# A stall that ended by itself was not noticed; the next was, by the rule that notifies.
run 0 explain twice passes.jsonc -p alarm
has stdout '01:05:00  fault: stall; nothing detected it'
lacks stdout 'its stop did not take effect'
run 0 explain stuck passes.jsonc -p tell
has stdout 'fault: stall; heartbeat sent a notification at 01:20:00, without effect'
lacks stdout 'nothing detected it'

# At one instant what causes stands above what comes of it.
in_order() {
  python3 - "$@" <<'PYTHON' || fail "not in this order: $*"
import sys
lines = open("stdout").read().splitlines()
places = [next(i for i, line in enumerate(lines) if text in line) for text in sys.argv[1:]]
assert places == sorted(places), places
PYTHON
}
run 0 explain stuck passes.jsonc -p breaching
in_order 'put alarm' 'alarm INSUFFICIENT_DATA → ALARM' 'stalled_gpu: stop job' 'status Stopping'
run 0 explain pause passes.jsonc -p limited
in_order 'rule: limit runtime' 'status MaxRuntimeExceeded'
# Whose action it was that came first.
run 0 explain stuck passes.jsonc -p same
has stdout 'c: limit runtime, refused: conflict with stop job of b'

# Options that stand together are known by the name of their group.
run 0 explain stalled_gpu.action
has stdout 'keys     stop, notify, latency, found_by'
run 0 explain resume.override
has stdout 'max_runtime, fleet, market, instance_type'

# A job that was stopped twice: nearest is what spares it the first stop.  The first ends
# a standstill that nothing noticed.
cat >again.jsonc <<'JSONC'
{ "reeve": 1, "name": "again", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "4d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 3 } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "stop_grace": "0s",
                "metrics": { "publish_delay": "0s" } },
  "jobs": [ { "name": "train", "work": "20h", "faults": [ { "at": "2h", "kind": "stall" } ] },
            { "name": "x-GPUUtil-y", "work": "2h", "faults": [ { "at": "1h", "kind": "stall" } ] },
            { "name": "x--y", "work": "5h" } ],
  "policies": {
    "both": [ { "rule": "max_runtime", "limit": "3h", "enforce_by": "clock" },
              { "rule": "resume", "when": ["stopped_by:max_runtime"], "max_resumes": 1 } ],
    "article": [ { "rule": "stalled_gpu", "action": { "found_by": "alarm_name" } } ] } }
JSONC
run 0 explain train again.jsonc -p both
has stdout 'train was stopped at 03:00:00 by max_runtime, for good at 06:00:00 by max_runtime'
has stdout 'nothing detected it, max_runtime stopped it for another reason'
lacks stdout 'did not take effect'
has stdout ' nearest miss: limit 24 h does not stop it'
run 0 explain train again.jsonc -p both --json
python3 -c '
import json
story = json.load(open("stdout"))
of = {(miss["rule"], miss["attempt"]) for miss in story["nearest_misses"]}
assert of == {("max_runtime", 1)}, of' || fail "near misses say of which stop"

# A healthy job that prepares for as long as the alarm waits, and the alarm looks back at that.
cat >prepares.jsonc <<'JSONC'
{ "reeve": 1, "name": "prepares", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s" },
  "jobs": [ { "name": "train", "work": "10h", "gpu_phases": [
    { "name": "preparation", "lasts": "30m", "gpu_util": 0 } ] } ],
  "policies": { "alarm": [ { "rule": "stalled_gpu", "arm_delay": "30m" } ] } }
JSONC
run 0 explain train prepares.jsonc -p alarm
has stdout 'train was stopped at 00:30:00 by stalled_gpu'
has stdout 'arm_delay 31 min does not stop it'

# The name of another one's alarm reads as this job's: its stop has a rule, a reason, a price.
run 0 explain x--y again.jsonc -p article
has stdout 'x--y was stopped at 01:15:00 by stalled_gpu'
has stdout 'x-GPUUtil-y was the target: the name of its alarm parses as that of x--y'
has stdout ' without this stop: attempt 1 would have lasted until 05:00:00'
has stdout ' nearest miss: '

# The alarm waits for the end of a dry start, whatever it goes by.
cat >dry.jsonc <<'JSONC'
{ "reeve": 1, "name": "dry", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
  "jobs": [ { "name": "train", "work": "20h", "faults": [ { "at": "2h", "kind": "stall" } ] } ],
  "guards": { "dry_start": "6h" },
  "policies": { "alarm": [ { "rule": "stalled_gpu" } ] } }
JSONC
run 0 explain train dry.jsonc -p alarm
has stdout ' nearest miss: period 2h40m stops it 4 h later (+$120.00)'
# It goes by an alarm of hours ago, and says so; what is decided as the alarm goes off does not.
has stdout 'triggered by the alarm at 02:15:00, 3h45m before, with the datapoints of that time'
[ "$(grep -c 'triggered by the alarm' stdout)" -eq 1 ] || fail "a decision at the time of its alarm"
run 0 run dry.jsonc -p alarm -o dry
python3 -c '
import csv, json
rows = [r for r in csv.DictReader(open("dry/decisions.csv")) if r["action"] == "stop_job"]
assert [r["t_s"] for r in rows] == ["8100", "21600"], rows
for row in rows:
    saw = json.loads(row["inputs_json"])
    assert saw["alarm_at_s"] == 8100, saw
    assert saw["datapoints_from_s"][-3:] == [7200, 7500, 7800], saw
    assert saw["datapoints"][-3:] == [0, 0, 0], saw
    assert len(saw["datapoints"]) == len(saw["datapoints_from_s"]), saw' ||
  fail "datapoints without their time"

# A failure without a known reason has no confidence; a message of a stop names its rule.
run 0 explain train near.jsonc -p told
has stdout 'failed:unknown (confidence 0 %), resume 1 of 2'
run 0 explain big near.jsonc -p told
has stdout 'because was stopped: by size (max_instances)'
# Who asks to save what does not train yet is told why that cannot be.
cat >starting.jsonc <<'JSONC'
{ "reeve": 1, "name": "starting", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "2d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "2h" },
  "jobs": [ { "name": "train", "work": "10h",
              "checkpoint": { "every": "5h", "on_request": { "save": "2m" } } } ],
  "policies": { "limit": [ { "rule": "startup_limit", "limit": "1h" } ] } }
JSONC
run 0 explain train starting.jsonc -p limit
has stdout 'save first: could not be done (refused: an attempt saves only while it trains '

# The nearest hours, and the nearest plateau, that let the job alone: it trains until 10:00,
# and its loss gets no better from 3 h on.
cat >hours.jsonc <<'JSONC'
{ "reeve": 1, "name": "hours", "clock": { "start": "2026-05-18T02:00:00Z", "horizon": "4d" },
  "prices": { "instances": { "ml.d": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "ml.d", "capacity": 4 } ],
  "platform": { "model": "ideal" },
  "job_defaults": { "max_runtime": "3d" },
  "jobs": [
    { "name": "a", "work": "8h", "reports": { "every": "1m",
      "loss": { "start": 8, "floor": 2, "half_life": "1h", "plateau_at": "3h" } } }
  ],
  "policies": {
    "day": [ { "rule": "office_hours", "from": "2h", "to": "4h" } ],
    "plateau": [ { "rule": "early_stop", "plateau": "4h" } ],
    "budget": [ { "rule": "budget", "per": "job", "limit_usd": 20, "ahead": "0s" },
                { "rule": "max_runtime", "limit": "3h", "enforce_by": "clock" } ] } }
JSONC
run 0 explain a hours.jsonc -p day
has stdout 'nearest miss: to 10 h does not stop it'
run 0 explain a hours.jsonc -p plateau
has stdout 'nearest miss: every 1h20m does not stop it; plateau 4h53m does not stop it'
has stdout ', the last that counted as better was '
# The other rule stops it at 3 h: a larger budget makes no difference.
run 0 explain a hours.jsonc -p budget
has stdout 'limit_usd 90.1 leaves it to max_runtime, which stops it 2h20m later'

# What an alarm rested on is shown back to the oldest datapoint that was judged: it passes over what
# is missing, as far as there are older ones.
cat >missing.jsonc <<'JSONC'
{ "reeve": 1, "name": "missing", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "1d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s" },
  "jobs": [ { "name": "j", "work": "10h", "faults": [
    { "at": "1m", "kind": "stall" }, { "at": "16m", "kind": "metrics_lost" } ] } ],
  "policies": { "p": [ { "rule": "stalled_gpu", "arm_delay": "21m" } ] } }
JSONC
run 0 explain j missing.jsonc -p p
has stdout '[00:01,00:06) 0.0   [00:06,00:11) 0.0   [00:11,00:16) 0.0   [00:16,00:21) missing'
done_checking
