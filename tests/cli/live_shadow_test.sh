#!/usr/bin/env bash
# reeve live shadow: rules decide about recorded events as the simulation in shadow mode does, and
# files that do not fit are refused.
set -euo pipefail
rm -rf "$REEVE_SCRATCH"
mkdir -p "$REEVE_SCRATCH"
cd "$REEVE_SCRATCH"

fail() {
  echo "live_shadow_test: $*" >&2
  exit 1
}

rules='[ { "rule": "required_tags", "keys": ["team"] }, { "rule": "startup_limit", "limit": "20m" },
  { "rule": "heartbeat" } ]'
shared='"reeve": 1, "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 8 } ],
  "guards": { "protected_tags": ["keep"] },'
cat >scenario.jsonc <<JSON
{ $shared
  "platform": { "model": "sagemaker-training", "startup": "30m", "events": { "jitter": "2m" },
    "duplicate_events": 1 },
  "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "3d" },
  "jobs": [
    { "name": "ok", "work": "5h", "tags": { "team": "a" }, "reports": { "every": "1m" },
      "faults": [ { "at": "2h", "kind": "stall" } ] },
    { "name": "untagged", "submit": "5m", "instances": 2, "work": "3h", "max_runtime": "1d" },
    { "name": "kept", "submit": "9m", "work": "3h", "tags": { "keep": "1" } } ],
  "policies": { "guardrails": $rules } }
JSON
cat >live.jsonc <<JSON
{ $shared "live": {}, "platform": { "model": "sagemaker-training" },
  "policies": { "guardrails": $rules } }
JSON

"$REEVE" check live.jsonc >check.txt 2>&1 || fail "the configuration is refused: $(cat check.txt)"
grep -q "live plan live.jsonc" check.txt || fail "check names no next command"
"$REEVE" -q export events scenario.jsonc -o events.jsonl
"$REEVE" --json live shadow live.jsonc --from events.jsonl --journal live.journal >live.json
sed 's/{ "rule"/{ "mode": "shadow", "rule"/g' scenario.jsonc >shadowed.jsonc
"$REEVE" -q run shadowed.jsonc --journal simulated.journal >/dev/null

# Both decide the same, at the same instants.  Jobs have ids in the order of their first event.
decisions() {
  awk '/^step /{ now = $2 } /^(shadow|refuse|warn|accept|mute) /{ print now, $0 }' "$1"
}
decisions live.journal >live.txt
decisions simulated.journal >simulated.txt
[ -s simulated.txt ] || fail "the simulation decides nothing: nothing was compared"
diff -u simulated.txt live.txt || fail "live shadow and the simulation decide differently"

# All that is printed is exported, and guards and costs are shown.
"$REEVE" live shadow live.jsonc --from - <events.jsonl >live.out
grep -q "shadow: nothing was changed" live.out || fail "the table does not say that nothing changed"
python3 - <<'PYTHON'
import json
rules, proposals = json.load(open("live.json"))
stops = [row for row in proposals["rows"] if row["action"] == "stop_job"]
by_name = {(row["training_job"], row["rule"]): row for row in stops}
assert by_name["kept", "required_tags"]["refused_by"] == "protected_tags", stops
untagged = by_name["untagged", "required_tags"]
assert untagged["refused_by"] == "", untagged
assert ("ok", "heartbeat") in by_name, stops
assert untagged["saves_up_to_usd"] == 2 * 30 * 24, untagged  # its max_runtime is a day
sent = [row for row in stops if not row["refused_by"]]
assert sum(row["would_stop"] for row in rules["rows"]) == len(sent)
PYTHON

# Lines that are no events are named and skipped.
{ echo 'no json'; cat events.jsonl; echo '{"a":1}'; } >dirty.jsonl
status=0
"$REEVE" live shadow live.jsonc --from dirty.jsonl --journal dirty.journal >dirty.out 2>dirty.err ||
  status=$?
[ $status -eq 1 ] || fail "unreadable lines end with $status, not 1"
grep -q "partial: 2 lines could not be read" dirty.out || fail "the table is not partial"
grep -q "^dirty.jsonl:1: it is not JSON" dirty.err || fail "line 1 is not named: $(cat dirty.err)"
grep -q "2 unreadable" dirty.out || fail "unreadable lines are not counted"
decisions dirty.journal | diff - simulated.txt || fail "unreadable lines change decisions"
"$REEVE" live shadow live.jsonc --from /dev/null >empty.out || fail "an empty file is refused"

# Ctrl-C ends the input, and what was read is reported; without any event the exit code says so.
status=0
{ cat events.jsonl; sleep 6; } |
  timeout -s INT 3 "$REEVE" live shadow live.jsonc --from - --journal cut.journal >cut.out 2>&1 ||
  status=$?
grep -q "partial: interrupted" cut.out || fail "an interrupted run prints nothing: $(cat cut.out)"
decisions cut.journal >cut.txt
[ -s cut.txt ] && head -n "$(wc -l <cut.txt)" simulated.txt | diff - cut.txt ||
  fail "the journal of an interrupted run is lost"

# What does not fit.
refuses() {
  local status=$1 text=$2
  shift 2
  local got=0
  "$@" >refused.txt 2>&1 || got=$?
  [ $got -eq "$status" ] || fail "$*: exit status $got instead of $status: $(cat refused.txt)"
  grep -q "$text" refused.txt || fail "$*: no \"$text\" in: $(cat refused.txt)"
}
refuses 64 "is a live configuration" "$REEVE" run live.jsonc
refuses 64 "is a live configuration" "$REEVE" compare live.jsonc
refuses 64 "not a live configuration" "$REEVE" live shadow scenario.jsonc --from events.jsonl
refuses 64 "names no queue" "$REEVE" live shadow live.jsonc
refuses 64 "cannot be read" "$REEVE" live shadow live.jsonc --from missing.jsonl
refuses 1 "Input/output error" "$REEVE" live shadow live.jsonc --from /proc/self/mem
refuses 64 "cannot be read" "$REEVE" live shadow live.jsonc --from .
refuses 3 "one JSON object per line" "$REEVE" live shadow live.jsonc --from check.txt
sed '/"platform"/,/duplicate_events/d' scenario.jsonc >ideal.jsonc
sed -i '1s/$/ "platform": { "model": "ideal" },/' ideal.jsonc
refuses 64 "training jobs of SageMaker" "$REEVE" export events ideal.jsonc
sed 's/"live": {}/"live": {}, "jobs": []/' live.jsonc >jobs.jsonc
refuses 3 "E0360" "$REEVE" check jobs.jsonc
sed 's/"live": {}/"live": { "account": "prod" }/' live.jsonc >account.jsonc
refuses 3 "E0361" "$REEVE" check account.jsonc
sed 's/"live": {}/"live": { "region": "us east" }/' live.jsonc >region.jsonc
refuses 3 "E0363" "$REEVE" check region.jsonc
sed 's/"live": {}/"live": { "queue": "arn:aws:sqs:x" }/' live.jsonc >queue.jsonc
refuses 3 "E0362" "$REEVE" check queue.jsonc
notifies() { sed "s/\"live\": {}/\"live\": { \"notify\": { $1 } }/" live.jsonc >notify.jsonc; }
notifies '"sns": "reeve"'
refuses 3 "E0364" "$REEVE" check notify.jsonc
notifies '"webhook": "hooks.example.com"'
refuses 3 "E0365" "$REEVE" check notify.jsonc
notifies ''
refuses 3 "E0366" "$REEVE" check notify.jsonc
echo "live shadow decides as the simulation"
