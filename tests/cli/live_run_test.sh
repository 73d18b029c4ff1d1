#!/usr/bin/env bash
# reeve live run and live tick: rules act on a mock account, each action once, whatever is killed.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state
kills=${REEVE_KILLS:-12}
trap 'kill -9 ${server:-} ${daemon:-} 2>/dev/null || true' EXIT

# world HOURS [KIND] [JOBS]: sixteen jobs or more that stall, or fail, and one that is kept.
world() {
  python3 - "$1" "${2:-stall}" "${3:-16}" >world.jsonc <<'PYTHON'
import json, sys
hours, kind, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
jobs = [{"name": f"job-{nth:02}", "work": "6h", "tags": {"team": "a", "owner": "ann"},
         "faults": [{"at": "20m" if kind == "failure" else f"{20 + 7 * nth % 330}m", "kind": kind}]}
        for nth in range(count)]
jobs.append({"name": "kept", "work": "6h", "tags": {"keep": "1"},
             "faults": [{"at": "20m", "kind": kind}]})
print(json.dumps({
    "reeve": 1, "clock": {"start": "2026-03-02T00:00:00Z", "horizon": f"{hours}h"},
    "prices": {"instances": {"ml.x": {"usd_per_hour": 30, "gpus": 8}}},
    "platform": {"model": "sagemaker-training", "startup": "2m"},
    "fleet": [{"name": "pool", "instance_type": "ml.x", "capacity": 1000}], "jobs": jobs,
    "policies": {"guardrails": [{"rule": "stalled_gpu", "hosts": ["all"]}]}}))
PYTHON
}
configure() {
  cat >guardrails.jsonc <<JSON
{ "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue",
            "notify": { "sns": "arn:aws:sns:us-east-1:123456789012:alerts" } },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "startup": "2m" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 100 } ],
  "guards": { "protected_tags": ["keep"]${guards:-} },
  "policies": { "guardrails": [
    { "rule": "stalled_gpu", "hosts": ["all"], "mode": "${mode:-enforce}" },
    { "rule": "resume", "when": ["${when:-stopped_by:stalled_gpu}"], "min_runtime": "0s",
      "max_resumes": 3, "mode": "${mode:-enforce}"${priority:-} } ] } }
JSON
}
# run_any ARGUMENT...: it may end with actions that came to nothing.
run_any() {
  local status=0
  "$REEVE" "$@" >stdout 2>stderr </dev/null || status=$?
  [ "$status" = 0 ] || [ "$status" = 4 ] || fail "reeve $*: exit status $status"
}
an_hour_later() {
  python3 - <<'PYTHON'
import os, urllib.request
url = os.environ["REEVE_CLOCK_URL"]
now = start = int(urllib.request.urlopen(url).read())
while now < start + 3600e9:
    left = int(start + 3600e9 - now)
    now = int(urllib.request.urlopen(url + f"?sleep={left}", data=b"").read())
PYTHON
}
# count ACTION: calls of it that AWS took.
count() {
  grep -c "\"action\":\"$1\"" <(grep -v '"error":"[A-Z]' calls.jsonl) || true
}
# once: no job is stopped or created twice.
once() {
  python3 - <<'PYTHON' || fail "an action was carried out twice"
import collections, json
seen = collections.Counter()
for line in open("calls.jsonl"):
    call = json.loads(line)
    if call["action"] in ("sagemaker:StopTrainingJob", "sagemaker:CreateTrainingJob") and \
            call.get("error", "(lost)") == "(lost)":
        seen[call["action"], call["parameters"]["TrainingJobName"]] += 1
twice = {key: number for key, number in seen.items() if number > 1}
assert not twice, twice
PYTHON
  checks=$((checks + 1))
}
journal=state/reeve/123456789012-us-east-1.db

# All sixteen are stopped and resumed; the kept one is not; the owners of none are written to.
world 12
serve
run 0 live run guardrails.jsonc --for 6h
has stdout "stalled_gpu   enforce        16"
has stdout "kept"
[ "$(count sagemaker:StopTrainingJob)" = 16 ] || fail "not 16 stops"
[ "$(count sagemaker:CreateTrainingJob)" = 16 ] || fail "not 16 further attempts"
once
grep -q "reeve:created-by" calls.jsonl || fail "a further attempt does not say who created it"
closed
run 0 live log "$journal" --verify
has stdout "whole: 96 entries"
run 0 live log "$journal" --job job-07 --rule stalled_gpu
has stdout 'GPU use at or below the threshold for too long'
run 0 live log "$journal" --job job-07 --rule resume
has stdout "job-07-r2"
lacks stdout "job-08"

# What the journal has as done is not done again by a run that starts anew.
rm -rf state
serve
run 0 live run guardrails.jsonc --for 90m
stops=$(count sagemaker:StopTrainingJob)
run 0 live run guardrails.jsonc --for 3h --json
[ "$(count sagemaker:StopTrainingJob)" -gt "$stops" ] || fail "the second run stops nothing"
once
closed

# In the mode warn the owners hear of it; nothing changes.
rm -rf state
mode=warn serve
run 0 live run guardrails.jsonc --for 6h
[ "$(count sns:Publish)" -ge 16 ] || fail "not 16 messages"
[ "$(count sagemaker:StopTrainingJob)" = 0 ] || fail "the mode warn stops jobs"
closed
# A run that starts anew does not send the same message again.
rm -rf state
mode=warn serve
run 0 live run guardrails.jsonc --for 45m
told=$(count sns:Publish)
[ "$told" -gt 0 ] || fail "no message in 45 minutes"
run 0 live run guardrails.jsonc --for 1m
[ "$(count sns:Publish)" = "$told" ] || fail "a message is sent again after a restart"
closed
# In the mode shadow nothing is sent at all.
mode=shadow serve
run 0 live run guardrails.jsonc --for 6h
[ "$(count sns:Publish)" = 0 ] && [ "$(count sagemaker:StopTrainingJob)" = 0 ] ||
  fail "the mode shadow sends something"
closed

# Guards hold, also across runs.
rm -rf state
guards=', "stops_per_hour": 3' serve
run 0 live run guardrails.jsonc --for 1h
run 0 live run guardrails.jsonc --for 1h
python3 - <<'PYTHON' || fail "more than three stops within an hour"
import datetime, json
times = [datetime.datetime.fromisoformat(json.loads(line)["at"].replace("Z", "+00:00"))
         for line in open("calls.jsonl") if "StopTrainingJob" in line]
assert len(times) >= 4, times
for first, fourth in zip(times, times[3:]):
    assert fourth - first >= datetime.timedelta(hours=1), (first, fourth)
PYTHON
closed

# Of each rule too, whatever their order: "resume" is first in the host and last here.
rm -rf state
guards=', "actions_per_rule_per_day": 2' priority=', "priority": 500' serve
run_any live run guardrails.jsonc --for 1h
run_any live run guardrails.jsonc --for 1h
[ "$(count sagemaker:StopTrainingJob)" = 2 ] || fail "the guard on a rule is that of another"
closed

# Jobs that wait for a further attempt when a run ends get it from the next run.
world 12 failure
rm -rf state
when=failed serve
run_any live run guardrails.jsonc --for 1328s
made=$(count sagemaker:CreateTrainingJob)
[ "$made" -gt 0 ] && [ "$made" -lt 16 ] || fail "the run ends before or after all further attempts"
run 0 live run guardrails.jsonc --for 1h
[ "$(count sagemaker:CreateTrainingJob)" = 16 ] || fail "a further attempt is lost"
once
closed
# So do those that a guard held back hours before the run ended.
rm -rf state
guards=', "actions_per_hour": 2' when=failed serve
run_any live run guardrails.jsonc --for 3h
made=$(count sagemaker:CreateTrainingJob)
[ "$made" -gt 2 ] && [ "$made" -lt 9 ] || fail "the guard lets $made further attempts through"
run_any live run guardrails.jsonc --for 8h
[ "$(count sagemaker:CreateTrainingJob)" = 16 ] || fail "a held further attempt is lost"
once
closed
world 12

# A further attempt that the kill file holds for more than a day is made after its removal.
world 48 failure
rm -rf state
when=failed serve
touch stop-all
run_any live run guardrails.jsonc --for 1h --kill-file stop-all
python3 - <<'PYTHON'
import os, urllib.request
url = os.environ["REEVE_CLOCK_URL"]
now = start = int(urllib.request.urlopen(url).read())
while now < start + 27 * 3600e9:
    left = int(start + 27 * 3600e9 - now)
    now = int(urllib.request.urlopen(url + f"?sleep={left}", data=b"").read())
PYTHON
[ "$(count sagemaker:CreateTrainingJob)" = 0 ] || fail "the kill file does not hold attempts"
rm stop-all
run_any live run guardrails.jsonc --for 1h --kill-file stop-all
[ "$(count sagemaker:CreateTrainingJob)" = 16 ] || fail "what was held for a day is lost"
once
closed
world 12

# While the kill file exists nothing is sent; a permission that lacks refuses, and the rest goes on.
rm -rf state
serve
touch stop-all
run 0 live run guardrails.jsonc --for 3h --kill-file stop-all
[ "$(count sagemaker:StopTrainingJob)" = 0 ] || fail "the kill file does not hold"
rm stop-all
ln -s nowhere stop-all
run 0 live run guardrails.jsonc --for 1h --kill-file stop-all
[ "$(count sagemaker:StopTrainingJob)" = 0 ] || fail "a kill file that leads nowhere does not hold"
rm stop-all
# The journal of actions and the record of the run are two things.
run 0 live run guardrails.jsonc --for 10m --journal actions.db --out record
run 0 live status record
run 0 live log actions.db --verify
closed
serve --deny sagemaker:CreateTrainingJob
run 4 live run guardrails.jsonc --for 3h
has stderr "sagemaker:CreateTrainingJob failed: AccessDeniedException"
has stderr "allow the credentials the action sagemaker:CreateTrainingJob"
[ "$(count sagemaker:StopTrainingJob)" -gt 5 ] || fail "stops end with the permission to create"
closed

# A queue that cannot be read ends the run with its table, and nothing is left open.
rm -rf state
serve --deny sqs:ReceiveMessage
run 4 live run guardrails.jsonc --for 3h
has stderr "allow the credentials the action sqs:ReceiveMessage"
has stdout "stalled_gpu"
closed
# Of several runs each counts what it did, and no action of an earlier one expires.
rm -rf state
world 48
serve
counted=0
for length in 2h 30m 4h 4h; do
  run 0 --json live run guardrails.jsonc --for "$length"
  lacks stderr '"outcome":"expired"'
  counted=$((counted + $(python3 -c 'import json
print(sum(row["stopped"] + row["cloned"] for row in json.load(open("stdout"))[0]["rows"]))')))
done
[ "$counted" = 32 ] || fail "16 stops and 16 further attempts are counted as $counted"
once
closed
world 12

# Jobs that cannot be described are not watched, and the run says so.
rm -rf state
serve --lost 1 --deny sagemaker:DescribeTrainingJob
run 4 live run guardrails.jsonc --for 1h
has stdout "partial: training jobs could not be read since 2026-03-02"
closed
# Lost replies, throttling and errors: each action once, and the journal is whole.
rm -rf state
serve --cut 0.1 --throttled 0.2 --failed 0.1 --duplicated 0.2
run_any live run guardrails.jsonc --for 6h
once
[ "$(count sagemaker:StopTrainingJob)" -ge 16 ] || fail "an action is lost"
run 0 live log "$journal" --verify
closed

# At 90 % throttling an action that expires and is decided again is one row.
rm -rf state
serve --throttled 0.9
AWS_MAX_ATTEMPTS=20 run_any --json live run guardrails.jsonc --for 3h
python3 - <<'PYTHON' || fail "an action has two rows"
import collections, json
rows = json.load(open("stdout"))[1]["rows"]
counts = collections.Counter((row["training_job"], row["action"], row["new_job"]) for row in rows)
assert rows and max(counts.values()) == 1, counts
assert max(row["decisions"] for row in rows) > 1, rows
PYTHON
closed

# One pass, as cron runs it; the next pass finds nothing to do.
rm -rf state
serve
an_hour_later
run 0 live tick guardrails.jsonc
has stdout "tick"
ticked=$(count sagemaker:StopTrainingJob)
[ "$ticked" -gt 0 ] || fail "a tick stops nothing"
run 0 live tick guardrails.jsonc
[ "$(count sagemaker:StopTrainingJob)" = "$ticked" ] || fail "the second tick stops again"
closed

# One pass tries a message again too: this webhook is busy at first.
cat >webhook.py <<'PYTHON'
import http.server
class Webhook(http.server.BaseHTTPRequestHandler):
    keys = []
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.keys.append(self.headers["Idempotency-Key"])
        print(self.keys[-1], flush=True)
        self.send_response(503 if len(self.keys) < 3 else 200)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Webhook)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 webhook.py >webhook.out &
daemon=$!
rm -rf state
mode=warn serve
an_hour_later
sed "s|\"sns\": \"[^\"]*\"|\"webhook\": \"http://127.0.0.1:$(head -1 webhook.out)/hook\"|" \
  guardrails.jsonc >webhook.jsonc
run 0 live tick webhook.jsonc
[ "$(sed -n '2p;3p;4p' webhook.out | uniq | wc -l)" = 1 ] || fail "the message is not tried again"
kill "$daemon"
wait "$daemon" 2>/dev/null || true
daemon=
closed

# A job that may not be described is told, and the rest goes on.
rm -rf state
serve --deny sagemaker:DescribeTrainingJob/job-00
an_hour_later
run 4 live tick guardrails.jsonc
has stderr 'training job "job-00" cannot be read: sagemaker:DescribeTrainingJob: AccessDenied'
[ "$(count sagemaker:StopTrainingJob)" -gt 0 ] || fail "one denied job ends the tick"
closed

# A guard that one pass cannot keep is refused; the URL of a webhook is in no message.
guards=', "canary": { "first": 2, "watch": "1d" }'
configure
run 64 live tick guardrails.jsonc
has stderr 'live tick cannot keep the guard canary'
guards=
configure
secrets='"slak": "https://hooks.example/T0/SECRET", "webhok": "https://a:SECRET@b?k=SECRET", '
secrets+='"slakk": "https:\/\/hooks.example\/T0\/SECRET", '
python3 - "$secrets" <<'PYTHON'
import sys
text = open("guardrails.jsonc").read().replace('"sns":', sys.argv[1] + '"sns":')
open("guardrails.jsonc", "w").write(text)
PYTHON
run 3 check guardrails.jsonc
lacks stdout SECRET
has stdout 'https://hooks.example/'

# Health and metrics; a second writer is refused; TERM ends it with its table.
rm -rf state
serve --speed 3600
"$REEVE" live run guardrails.jsonc --status-port 0 >run.out 2>run.err &
daemon=$!
for _ in $(seq 100); do
  page=$(sed -n 's/^status page: //p' run.err)
  [ -n "$page" ] && grep -q '^reading' run.err && break
  sleep 0.1
done
sleep 1.5
python3 - "$page" <<'PYTHON' || fail "health or metrics are wrong: $(cat run.err)"
import sys, urllib.request
page = sys.argv[1]
assert urllib.request.urlopen(page + "healthz").read() == b"ok\n"
metrics = urllib.request.urlopen(page + "metrics").read().decode()
assert "reeve_messages_total" in metrics and "reeve_kill_switch 0" in metrics, metrics
PYTHON
run 64 live run guardrails.jsonc --for 1h
has stderr 'another reeve acts with the journal'
kill -TERM "$daemon"
code=0
wait "$daemon" || code=$?
[ "$code" = 130 ] || fail "TERM ends it with $code"
grep -q "partial: interrupted" run.out || fail "no table after TERM"
closed

# Killed again and again: what was sent is settled by the next run, nothing is done twice or lost.
rm -rf state
# The jobs do not end before the kills on a slow machine, which has the time for its calls if the
# clock is not too fast.  Many kills meet many jobs.
world 96 stall $((kills < 80 ? 16 : kills / 5))
speed=$((43200 / kills))
serve --speed $((speed < 1200 ? speed : 1200)) --duplicated 0.1
for nth in $(seq "$kills"); do
  "$REEVE" live run guardrails.jsonc >run.out 2>run.err &
  daemon=$!
  sleep "0.$((RANDOM % 9 + 1))"
  kill -9 "$daemon"
  wait "$daemon" 2>/dev/null || true
done
daemon=
run_any live run guardrails.jsonc --for 8h
once
run 0 live log "$journal" --verify
python3 - "$journal" <<'PYTHON' || fail "the journal and the account disagree"
import collections, json, sqlite3, sys
stops = collections.Counter()
for line in open("calls.jsonl"):
    call = json.loads(line)
    if call["action"] == "sagemaker:StopTrainingJob" and call.get("error", "(lost)") == "(lost)":
        stops[call["parameters"]["TrainingJobName"]] += 1
state, jobs = {}, {}
for action, kind, body in sqlite3.connect(sys.argv[1]).execute(
        "select action, kind, body from entries order by number"):
    body = json.loads(body)
    if kind == "planned":
        jobs[action] = (body["action"], body["training_job"])
    state[action] = body.get("outcome", "") if kind == "settled" else ""
done = {jobs[action][1] for action, outcome in state.items()
        if outcome == "done" and jobs[action][0] == "stop_job"}
assert all(state.values()), "an action is not settled"
# On a slow machine minutes of the account pass before its events are read: then a stop expires.
assert done <= set(stops), done - set(stops)
assert len(stops) >= 16, len(stops)
clones = {jobs[action][1] for action, outcome in state.items()
          if outcome == "done" and jobs[action][0] == "clone_job"}
assert done <= clones <= set(stops), ("stopped, and not resumed", done - clones)
PYTHON
closed
done_checking
