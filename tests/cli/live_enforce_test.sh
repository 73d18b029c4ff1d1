# reeve live enforce: does exactly what a plan says, each action once, and refuses a stale plan.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state

# Six jobs run for ten hours; the rule wants a tag that none has.
cat >world.jsonc <<'JSON'
{ "reeve": 1, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "12h" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 40 } ],
  "jobs": [
    { "name": "a", "work": "10h" }, { "name": "b", "work": "10h" }, { "name": "c", "work": "10h" },
    { "name": "d", "work": "10h" }, { "name": "e", "work": "10h" },
    { "name": "kept", "work": "10h", "tags": { "keep": "1" } } ],
  "policies": { "watch": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
configure() {
  cat >guardrails.jsonc <<JSON
{ "reeve": 1, "live": { "account": "123456789012", "region": "us-east-1" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 40 } ],
  "guards": { "protected_tags": ["keep"]${guards:-} },
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["${key:-team}"] } ] } }
JSON
}
# The clock of the account moves on: `hours 1` is one hour.
hours() {
  python3 - "$1" <<'PYTHON'
import os, sys, urllib.request
end = float(sys.argv[1]) * 3600e9
url = os.environ["REEVE_CLOCK_URL"]
start = now = int(urllib.request.urlopen(url).read())
while now < start + end:
    left = int(start + end - now)
    now = int(urllib.request.urlopen(url + f"?sleep={left}", data=b"").read())
PYTHON
}
# sql FILE STATEMENT: changes a journal behind the program's back.
sql() {
  python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as base: base.execute(sys.argv[2])' "$1" "$2"
}
# stops: the calls of StopTrainingJob that had an effect, by job.
stops() {
  python3 - <<'PYTHON'
import json
done = [json.loads(line) for line in open("calls.jsonl")]
print(" ".join(sorted(call["parameters"]["TrainingJobName"] for call in done
    if call["action"] == "sagemaker:StopTrainingJob" and "error" not in call)))
PYTHON
}
outcomes() {
  python3 -c 'import json
rows = json.load(open("stdout"))["rows"]
print(" ".join(sorted(row["training_job"] + ":" + row["outcome"] for row in rows)))'
}
expect_text() {
  [ "$1" = "$2" ] || fail "expected: $2
got: $1"
  checks=$((checks + 1))
}
trap 'kill "${server:-0}" 2>/dev/null || true' EXIT

# --- A plan is done exactly, and once.
serve
hours 1
run 0 live plan guardrails.jsonc --out plan.json
has stderr 'reeve live enforce plan.json'
run 0 --json live enforce plan.json
expect_text "$(outcomes)" "a:done b:done c:done d:done e:done"
expect_text "$(stops)" "a b c d e"
run 0 --json live enforce plan.json
expect_text "$(outcomes)" "a:done before b:done before c:done before d:done before e:done before"
expect_text "$(stops)" "a b c d e"
journal=state/reeve/123456789012-us-east-1.db
run 0 live log $journal --verify
has stdout 'whole: 15 entries'
# The jobs stop: a new plan has nothing to do.
run 0 live plan guardrails.jsonc --detailed-exitcode
closed

# --- A changed journal is found, and nothing is sent with it.
sql $journal "UPDATE entries SET body = replace(body, 'required_tags', 'other') WHERE number = 4"
run 1 live log $journal --verify
has stdout 'broken: entry 4: its hash differs'
serve
hours 1
run 0 live plan guardrails.jsonc --out plan.json
run 64 live enforce plan.json
has stderr 'entry 4 was changed'
expect_text "$(stops)" ""

# --- Stale: the plan is old, and one of its jobs has ended.
cp plan.json old.json
hours 2
run 5 live enforce old.json --journal stale.db
has stderr 'refused: the plan is stale: it is of 2026-03-02T01'
run 0 live plan guardrails.jsonc --out plan.json
hours 8
python3 - <<'PYTHON'
import json
plan = json.load(open("plan.json"))
plan["at"] = "2026-03-02T10:59:00Z"
json.dump(plan, open("later.json", "w"), separators=(",", ":"))
PYTHON
run 5 live enforce later.json --journal stale.db
has stderr 'has ended or is stopping'
expect_text "$(stops)" ""
closed

# --- The guard on stops per hour counts earlier plans: the fourth stop in an hour is refused.
guards=', "stops_per_hour": 3'
serve
hours 1
run 0 live plan guardrails.jsonc --out first.json
run 5 --json live enforce first.json --journal guard.db
expect_text "$(outcomes)" "a:done b:done c:done d:refused e:refused"
has stdout 'guard stops_per_hour allows 3'
run 0 live plan guardrails.jsonc --out second.json
run 5 --json live enforce second.json --journal guard.db
expect_text "$(outcomes)" "d:refused e:refused"
expect_text "$(stops)" "a b c"
hours 1.1
run 0 live plan guardrails.jsonc --out third.json
run 0 --json live enforce third.json --journal guard.db
expect_text "$(outcomes)" "d:done e:done"
closed
guards=

# --- Replies that are lost after their effect, and throttled calls: each stop has its one outcome.
serve --cut 0.3 --throttled 0.3
export AWS_MAX_ATTEMPTS=9
hours 1
run 0 live plan guardrails.jsonc --out plan.json
run 0 --json live enforce plan.json --journal lossy.db
expect_text "$(outcomes)" "a:done b:done c:done d:done e:done"
expect_text "$(stops)" "a b c d e"
unset AWS_MAX_ATTEMPTS
closed

# --- Killed between writing and sending: the next run asks the account, and ends the rest.
serve
hours 1
run 0 live plan guardrails.jsonc --out plan.json
python3 - <<'PYTHON'
import json
plan = json.load(open("plan.json"))
del plan["enforce"]["actions"][2:]
json.dump(plan, open("two.json", "w"), separators=(",", ":"))
PYTHON
run 0 --json live enforce two.json --journal cut.db
sql cut.db "DELETE FROM entries WHERE number > 5"   # "b" was sent and not settled
run 0 --json live enforce plan.json --journal cut.db
has stderr 'an earlier run did not settle the stop of b: done'
expect_text "$(outcomes)" "a:done before b:done before c:done d:done e:done"
closed
expect_text "$(stops)" "a b c d e"

# --- A job that became protected, or another job of the same name: the plan is stale.
serve
hours 1
run 0 live plan guardrails.jsonc --out plan.json
python3 - <<'PYTHON'
import json
for name, key, value in [("protected", "training_job", "kept"),
                         ("another", "created", "2026-03-01T00:00:00Z")]:
    plan = json.load(open("plan.json"))
    plan["enforce"]["actions"][1][key] = value
    json.dump(plan, open(name + ".json", "w"), separators=(",", ":"))
PYTHON
run 5 live enforce protected.json --journal changed.db
has stderr '"kept" has the protected tag keep'
run 5 live enforce another.json --journal changed.db
has stderr '"b" is another one of that name'
expect_text "$(stops)" ""
closed

# --- A kill file, another process with the journal, and a full disk: nothing is sent.
serve
hours 1
run 0 live plan guardrails.jsonc --out plan.json
touch stop-all
run 5 live enforce plan.json --journal kill.db --kill-file stop-all
has stderr 'the kill file stop-all exists'
flock --no-fork kill.db.lock sleep 30 &
holder=$!
sleep 0.3
run 64 live enforce plan.json --journal kill.db
has stderr 'another reeve acts with the journal kill.db'
kill $holder
wait $holder || true
run 64 live enforce plan.json --journal /dev/full
run 64 live enforce guardrails.jsonc
has stderr 'guardrails.jsonc is no plan'
echo '{"reeve_plan":1,"at":3}' >damaged.json
run 64 live enforce damaged.json
has stderr 'damaged.json is a damaged plan'
expect_text "$(stops)" ""
closed

# --- Without the permission the first stop is refused, and no other is sent.
serve --deny sagemaker:StopTrainingJob
hours 1
run 0 live plan guardrails.jsonc --out plan.json
run 4 --json live enforce plan.json --journal denied.db
expect_text "$(outcomes)" "a:refused b:refused c:refused d:refused e:refused"
has stdout 'AccessDeniedException'
expect_text "$(grep -c StopTrainingJob calls.jsonl)" 1
closed

done_checking
