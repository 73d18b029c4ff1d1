#!/usr/bin/env bash
# What `reeve explain` says of rules: what a decision of a stated rule rested on, what another
# threshold would have done, and what fields, operators, actions and presets are.
source "$(dirname "$0")/expect.bash"

stated=$source_root/tests/scenarios/rules/stated-handlers.jsonc

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
  "$source_root/tests/scenarios/rules/stated-each-status.jsonc" -p starting-stated
has stdout '(it was Starting)'

# The threshold with which it would have been let alone, played: 30 h of training, 9 instances.
run 0 explain long "$stated" -p stated
has stdout 'nearest miss: training_time >= 30h01m does not stop it'
run 0 explain large "$stated" -p stated
has stdout 'nearest miss: instances > 9 does not stop it'
run 0 explain tagless "$stated" -p stated
has stdout 'nearest miss: after 12s stops it 6s later (+$0.05)'

# The job runs at 70 % of each GPU: not below 70.
run 0 explain job "$source_root/tests/scenarios/f42-minimum.jsonc" -p stopped
has stdout 'nearest miss: min_pct 70 does not stop it; over 2 h stops it 1 h later (+$30.00)'
has stdout 'stop_after 8 h stops it 4 h later (+$120.00)'
# A fourth period of 5 min, and four more minutes at 3 x 10 min, at $4 a minute.
run 0 explain train "$source_root/tests/scenarios/f35-heartbeat.jsonc" -p beat
has stdout 'nearest miss: misses 4 stops it 5 min later (+$20.00)'
has stdout 'period 10 min stops it 15 min later (+$60.00)'

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
                  "when": { "field": "max_runtime", "op": ">", "value": "1d" } } ] } }
JSONC
for policy in cap stated; do
  run 0 explain train capped.jsonc -p $policy
  has stdout 'limit 30h01m does not stop it'
done

# Words that rules are stated with.
run 0 explain attempt
has stdout 'attempt: which attempt at the job it is, from 1'
has stdout 'a field of conditions, a whole number'
has stdout 'compared ==, !=, <, <=, >, >=, in'
has stdout 'docs/rules/rule.md'
run 0 explain tag:team
has stdout 'the value of that tag'
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
has stderr 'there is no code, key, metric, field or preset "failure_reson"'
run 64 explain trainig_time
has stderr 'did you mean "training_time"?'

# A built-in preset: what it is, what it says of each rule, its page, and what to do next.
run 0 explain blog-naive
has stdout 'blog-naive: the handlers of two articles once they run at all, with their defects'
has stdout '"measure": "seconds_field"'
has stdout 'docs/blog-naive.md'
has stdout 'next     reeve init blog-naive'
for rule in required_tags stalled_gpu resume spot_fallback relaunch; do
  has stdout "    $rule"
done
run 0 explain blog-as-printed --json
is_json stdout
has stdout '"policies"'
run 64 explain blog-navie
has stderr 'did you mean "blog-naive"?'

done_checking
