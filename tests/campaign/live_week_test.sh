# A week of REEVE_JOBS jobs (default 10,000) on a mock account, all rules in the mode enforce: the
# server, the journal and the simulation agree on stops and further attempts.
source tests/cli/expect.bash
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state
jobs=${REEVE_JOBS:-10000}
patience=6000  # tenths of a second until the account serves
trap 'kill -9 ${server:-} 2>/dev/null || true' EXIT

# 1 in 10 jobs stalls, 1 in 20 fails, 1 in 20 has no team, 1 in 20 runs longer than it may.
python3 - "$jobs" <<'PYTHON'
import json, random, sys
count, draw = int(sys.argv[1]), random.Random(35)
types = {"ml.p4d.24xlarge": {"usd_per_hour": 30, "gpus": 8}}
jobs = []
for nth in range(count):
    hours = draw.randint(1, 12)
    job = {"name": f"job-{nth:05}", "submit": f"{draw.randrange(6 * 24 * 60)}m",
           "work": f"{hours}h", "tags": {"team": draw.choice("abc"), "owner": "ann"}}
    kind = draw.random()
    if kind < 0.10:
        job["faults"] = [{"at": f"{draw.randint(10, hours * 50)}m", "kind": "stall"}]
    elif kind < 0.15:
        job["faults"] = [{"at": f"{draw.randint(10, hours * 50)}m", "kind": "failure"}]
    elif kind < 0.20:
        del job["tags"]["team"]
    elif kind < 0.25:
        job["work"] = "30h"
    jobs.append(job)
base = {"reeve": 1, "prices": {"instances": types},
    "platform": {"model": "sagemaker-training", "startup": "5m"},
    "fleet": [{"name": "pool", "instance_type": "ml.p4d.24xlarge", "capacity": count}],
    "policies": {"guardrails": [
        {"rule": "stalled_gpu", "hosts": ["all"]},
        {"rule": "required_tags", "keys": ["team"]},
        {"rule": "max_runtime", "limit": "24h"},
        {"rule": "resume", "when": ["stopped_by:stalled_gpu", "failed"], "min_runtime": "0s",
         "max_resumes": 2}]}}
clock = {"start": "2026-03-02T00:00:00Z", "horizon": "9d"}
json.dump({**base, "clock": clock, "jobs": jobs}, open("world.jsonc", "w"))
json.dump(base, open("base.json", "w"))
PYTHON
configure() {
  python3 - "$queue" <<'PYTHON'
import json, sys
base = json.load(open("base.json"))
live = {"account": "123456789012", "region": "us-east-1", "queue": sys.argv[1]}
json.dump({**base, "live": live}, open("guardrails.jsonc", "w"))
PYTHON
}

run 0 run world.jsonc --out simulated
serve
started=$SECONDS
status=0
"$REEVE" --json live run guardrails.jsonc --for 8d --journal actions.db >stdout 2>stderr ||
  status=$?
[ "$status" = 0 ] || [ "$status" = 4 ] || fail "live run ends with $status"
echo "live run: $((SECONDS - started)) s"
run 0 live log actions.db --verify
closed
python3 - <<'PYTHON' || fail "server, journal and simulation do not agree"
import collections, csv, json, sqlite3
called = collections.defaultdict(collections.Counter)
for call in map(json.loads, open("calls.jsonl")):
    if call.get("error", "(lost)") == "(lost)":
        name = call.get("parameters", {}).get("TrainingJobName")
        called[call["action"].split(":")[1]][name] += 1
stops, clones = called["StopTrainingJob"], called["CreateTrainingJob"]
assert all(number == 1 for number in (stops | clones).values()), "an action was sent twice"
planned, done = {}, collections.defaultdict(set)
for action, kind, body in sqlite3.connect("actions.db").execute(
        "select action, kind, body from entries order by number"):
    body = json.loads(body)
    if kind == "planned":
        planned[action] = body
    elif kind == "settled" and body["outcome"] == "done":
        of = planned[action]
        done[of["action"]].add(of.get("new_job") or of["training_job"])
assert done["stop_job"] == set(stops), (len(done["stop_job"]), len(stops))
assert done["clone_job"] == set(clones), (len(done["clone_job"]), len(clones))
simulated = collections.Counter()
for row in csv.DictReader(open("simulated/decisions.csv")):
    if row["verdict"] == "accepted" and row["outcome"] == "done":
        simulated[row["action"]] += 1
assert not called["PutMetricAlarm"] and not called["DeleteAlarms"], "reeve creates no alarms"
print("stops:", len(stops), "in the simulation:", simulated["stop_job"])
print("further attempts:", len(clones), "in the simulation:", simulated["clone_job"])
assert stops and clones
assert len(stops) == simulated["stop_job"] and len(clones) == simulated["clone_job"]
PYTHON
done_checking
