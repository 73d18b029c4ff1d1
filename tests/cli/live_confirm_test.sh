#!/usr/bin/env bash
# reeve live confirm: the first actions wait for a person, whatever is restarted.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state
trap 'kill -9 ${server:-} ${daemon:-} 2>/dev/null || true' EXIT

# Eight jobs stall, one after the other.
python3 - >world.jsonc <<'PYTHON'
import json
jobs = [{"name": f"job-{nth}", "work": "20h", "tags": {"team": "a", "owner": "ann"},
         "faults": [{"at": f"{20 + 7 * nth}m", "kind": "stall"}]} for nth in range(8)]
print(json.dumps({
    "reeve": 1, "clock": {"start": "2026-03-02T00:00:00Z", "horizon": "96h"},
    "prices": {"instances": {"ml.x": {"usd_per_hour": 30, "gpus": 8}}},
    "platform": {"model": "sagemaker-training", "startup": "2m"},
    "fleet": [{"name": "pool", "instance_type": "ml.x", "capacity": 100}], "jobs": jobs,
    "policies": {"guardrails": [{"rule": "stalled_gpu", "hosts": ["all"]}]}}))
PYTHON
configure() {
  cat >guardrails.jsonc <<JSON
{ "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue",
            "confirm_first": ${first:-3},
            "notify": { "sns": "arn:aws:sns:us-east-1:123456789012:alerts" } },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "startup": "2m" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 100 } ],
  "policies": { "guardrails": [
    { "rule": "stalled_gpu", "hosts": ["all"] }${resume:-} ] } }
JSON
}
# count ACTION: calls of it that AWS took.
count() {
  grep -c "\"action\":\"$1\"" <(grep -v '"error":"[A-Z]' calls.jsonl) || true
}
stops() { count sagemaker:StopTrainingJob; }
# waiting KEY: what waits, one line each.
waiting() {
  run 0 --json live confirm "$journal"
  python3 -c 'import json, sys
for row in json.load(open("stdout"))["rows"]:
    if not row["answer"]: print(row[sys.argv[1]])' "$1"
}
journal=state/reeve/123456789012-us-east-1.db

# All eight wait: nothing is sent but one message for each, which says how to confirm it.
serve
run 0 live run guardrails.jsonc --for 2h
has stdout 'confirm_first'
has stderr "stop_job job-3 waits: reeve live confirm $PWD/$journal "
[ "$(stops)" = 0 ] || fail "a stop was sent without confirmation"
[ "$(count sns:Publish)" = 8 ] || fail "not one message for each action that waits"
grep -q "reeve.live.confirm.$PWD/$journal" calls.jsonl || fail "the message names no command"
mapfile -t ids < <(waiting id)
[ "${#ids[@]}" = 8 ] || fail "not eight actions wait"
run 0 live confirm guardrails.jsonc
has stdout "${ids[0]}"
run 0 live log "$journal"
has stdout 'held by confirm_first'

# A restart begins nothing anew: what was confirmed is sent, what was refused never is.
run 64 live confirm "$journal" 0123456789abcdef
has stderr 'no action "0123456789abcdef" waits for confirmation'
run 0 live confirm "$journal" "${ids[0]}" --refuse "${ids[1]}"
has stderr "confirmed ${ids[0]}: stop_job of job-0"
run 64 live confirm "$journal" "${ids[1]}"
has stderr 'was refused by'
run 0 live run guardrails.jsonc --for 30m
[ "$(stops)" = 1 ] || fail "not the one stop that was confirmed"
[ "$(count sns:Publish)" = 8 ] || fail "a message about waiting is sent twice"
[ "$(waiting id | wc -l)" = 6 ] || fail "not six actions wait after two answers"
run 0 live log "$journal" --job job-1
has stdout 'refused'

# After the third confirmation nothing waits any more, but what was refused stays so.
run 0 live confirm "$journal" "${ids[5]}" "${ids[6]}"
run 0 live run guardrails.jsonc --for 30m
stopped=$(python3 -c 'import json
print(*sorted(call["parameters"]["TrainingJobName"] for call in map(json.loads, open("calls.jsonl"))
              if call["action"] == "sagemaker:StopTrainingJob"))')
[ "$stopped" = "job-0 job-2 job-3 job-4 job-5 job-6 job-7" ] || fail "not all but job-1: $stopped"
run 0 live log "$journal" --verify
python3 - "$journal" <<'PYTHON' || fail "the journal does not say who answered"
import json, sqlite3, sys
answers = [json.loads(body) for body, in sqlite3.connect(sys.argv[1]).execute(
    "select body from entries where kind = 'answered' order by number")]
assert [each["answer"] for each in answers] == ["confirmed", "refused"] + 2 * ["confirmed"], answers
assert all(each["by"] and each["answered"] for each in answers), answers
PYTHON

# One pass takes answers as well; a job that has ended needs no stop.
python3 - <<'PYTHON'
text = open("guardrails.jsonc").read()
rule = '{ "rule": "required_tags", "keys": ["cost"] }'
open("tick.jsonc", "w").write(text.replace('{ "rule": "stalled_gpu", "hosts": ["all"] }', rule))
PYTHON
run 0 live tick tick.jsonc --journal tick.db
[ "$(stops)" = 7 ] || fail "a tick sends what was not confirmed"
has stderr "stop_job job-1 waits: reeve live confirm $PWD/tick.db "
run 0 live confirm tick.db --all
run 0 live tick tick.jsonc --journal tick.db
run 0 live log tick.db --job job-1
has stdout 'done'
[ "$(stops)" = 8 ] || fail "the tick does not send what was confirmed"
closed

# While the daemon holds the journal: an answer reaches it, and its rule decides anew.  A job that
# has recovered is not stopped.
rm -rf state
sed -i 's/"at": "41m", "kind": "stall"/"at": "41m", "kind": "stall", "lasts": "30m"/' world.jsonc
first=100 resume=', { "rule": "resume", "when": ["stopped_by:stalled_gpu"], "min_runtime": "0s",
                      "max_resumes": 1 }' serve --speed 600
mkdir -p "$journal.answers"  # an answer file that cannot be read, also by root
"$REEVE" live run guardrails.jsonc --status-port 0 >run.out 2>run.err &
daemon=$!
# soon TEXT: a line of the daemon has it within a minute.
soon() {
  for _ in $(seq 600); do
    grep -q "$1" run.err && return
    sleep 0.1
  done
  cp run.err stderr
  fail "the daemon does not say: $1"
}
soon "$journal.answers cannot be read: Is a directory"
soon 'stop_job job-2 waits'
page=$(sed -n 's/^status page: //p' run.err)
python3 - "$page" <<'PYTHON' || fail "the status does not say that answers cannot be read"
import sys, urllib.request
status = urllib.request.urlopen(sys.argv[1].rstrip("/") + "/status.json").read().decode()
assert "answers cannot be read" in status, status
PYTHON
run 64 live confirm "$journal"
has stderr 'answers cannot be read'
rmdir "$journal.answers"
run 0 live confirm "$journal" "$(sed -n 's/.*stop_job job-2 waits: .* //p' run.err)"
soon 'stop_job of job-2: confirmed by'
soon 'stop_job job-2: done'
soon 'clone_job job-2 waits'
run 0 live confirm "$journal" "$(sed -n 's/.*clone_job job-2 waits: .* //p' run.err)"
soon 'clone_job job-2 as job-2-r2: done'
soon 'stop_job job-7 waits'
sleep 6  # an hour of the account
run 0 live confirm "$journal" "$(sed -n 's/.*stop_job job-3 waits: .* //p' run.err)"
soon 'stop_job of job-3: confirmed by'
sleep 6
[ "$(stops)" = 1 ] && [ "$(count sagemaker:CreateTrainingJob)" = 1 ] ||
  fail "more than was confirmed"
kill -TERM "$daemon"
wait "$daemon" || true
daemon=
closed
done_checking
