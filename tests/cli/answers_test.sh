#!/usr/bin/env bash
# What a research lead asks of a queue, and where the answer stands: who waits, how long the line
# is, whether it is shorter than before, in print and in tables.
source "$(dirname "$0")/expect.bash"

# F107: production, research and sweeps on one machine. First come first served: the sweep of 2h
# first, research (1h, at 10m) waits 1h50m, production (30m, at 20m) 2h40m. By priority production
# waits 1h40m, and research 2h20m.
cat >tiers.jsonc <<'JSONC'
{ "reeve": 1, "name": "tiers",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "one", "instance_type": "t", "capacity": 1 } ],
  "platform": { "model": "ideal" },
  "jobs": [
    { "name": "a", "work": "2h", "tags": { "tier": "sweeps" }, "owner": "ada" },
    { "name": "b", "submit": "10m", "work": "1h", "tags": { "tier": "research" },
      "owner": "bob", "priority": 1 },
    { "name": "c", "submit": "20m", "work": "30m", "tags": { "tier": "production" },
      "owner": "ada", "priority": 2 } ],
  "policies": {
    "fifo": [ { "rule": "schedule" } ],
    "tiers": [ { "rule": "schedule", "algorithm": "priority" } ] } }
JSONC
run 0 compare tiers.jsonc --by tier --json -o out
python3 - <<'PYTHON' || fail "waits by tier"
import csv, json
data = json.load(open("stdout"))
(groups,) = [table for table in data["printed"] if table["name"] == "groups"]
waits = {(row["policy"], row["tier"]): row["mean_wait_s"] for row in groups["rows"]}
assert waits == {("fifo", "production"): 9600, ("fifo", "research"): 6600, ("fifo", "sweeps"): 0,
                 ("tiers", "production"): 6000, ("tiers", "research"): 8400,
                 ("tiers", "sweeps"): 0}, waits
billed = {row["tier"]: row["billed_usd"] for row in groups["rows"] if row["policy"] == "fifo"}
assert {tier: float(usd) for tier, usd in billed.items()} == {
    "production": 15, "research": 30, "sweeps": 60}, billed
# Slowdowns 190/30, 170/60 and 1: (sum)^2 / (3 x sum of squares) = 0.7011.
assert groups["notes"][0] == "fifo: Jain's index of the mean slowdowns is 0.701", groups["notes"]

# F120: what is printed is what the tables say.
exported = {(row["run_id"], row["metric"]): row["value"]
            for row in csv.DictReader(open("out/metrics.csv"))}
for (policy, tier), wait in waits.items():
    assert float(exported[(policy + "/0", f"tag.tier.{tier}.mean_wait_s")]) == wait, tier
assert abs(float(exported[("fifo/0", "tag.tier.jain_index")]) - 0.7011) < 1e-4, exported
for policy in "fifo", "tiers":
    assert float(exported[(policy + "/0", "jain_index.owners")]) <= 1, policy
    assert exported[(policy + "/0", "jain_index.shares")] == "", "there are none"

# F121: shorter lines, more use, faster results: three numbers in every comparison.
for policy in data["policies"].values():
    for name in "mean_wait_s", "mean_allocated_pct", "mean_time_to_result_s":
        assert policy["measures"][name]["value"] is not None, name
PYTHON
run 0 compare tiers.jsonc
has stdout 'mean wait'
has stdout 'mean JCT'
has stdout 'allocated'
run 0 run tiers.jsonc -p tiers --by owner
has stdout "tiers: Jain's index of the mean slowdowns is"
run 64 run tiers.jsonc -p tiers --by share
has stderr 'no job has such a tag'
run 64 run tiers.jsonc -p tiers --by teir
has stderr 'no job has such a tag'
has stderr 'did you mean "tier"?'

# Shares have a table without asking, and below it how even they are.  Two jobs on one machine are
# slowed down by 1 and 2: 9 / (2 x 5).
cat >shares.jsonc <<'JSONC'
{ "reeve": 1, "name": "shares",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "one", "instance_type": "t", "capacity": 1 } ],
  "shares": [ { "name": "x" }, { "name": "y" } ],
  "queues": [ { "name": "line", "fleet": "one", "shares": ["x", "y"] } ],
  "platform": { "model": "ideal" },
  "job_defaults": { "queue": "line", "work": "1h" },
  "jobs": [ { "name": "a", "share": "x" }, { "name": "b", "share": "y" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ] },
  "expect": [ { "that": "jain_index.shares == 0.9" } ] }
JSONC
run 0 compare shares.jsonc --by share -o shares
has stdout "fifo: Jain's index of the mean slowdowns is 0.900"
grep -qx 'fifo/0,jain_index.shares,ratio,0.9' shares/metrics.csv || fail "the index of shares"
run 0 explain jain_index.shares
has stdout '1 if all are equal'
run 0 explain tag.tier.jain_index
has stdout 'the values of one tag'

# F111: the line of 150 is told to its end, where GetJobQueueSnapshot stops at 100.
# F114: a thousand jobs that are submitted at once start in the order of their submission.
cat >many.jsonc <<'JSONC'
{ "reeve": 1, "name": "many",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "ten", "instance_type": "t", "capacity": 10 } ],
  "queues": [ { "name": "line", "fleet": "ten" } ],
  "platform": { "model": "ideal" },
  "jobs": [ { "name": "job", "count": COUNT, "queue": "line", "submit": "0s", "work": "1h" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ] } }
JSONC
sed 's/COUNT/160/' many.jsonc >line.jsonc
run 0 explain line line.jsonc -p fifo --at 30m --json
python3 -c '
import json
rows = json.load(open("stdout"))["rows"]
assert len(rows) == 150 and [row["position"] for row in rows] == list(range(1, 151)), len(rows)
' || fail "a line of 150"
sed 's/COUNT/1000/' many.jsonc >thousand.jsonc
run 0 run thousand.jsonc -p fifo -o thousand
python3 - <<'PYTHON' || fail "a thousand jobs in order"
import csv
rows = list(csv.DictReader(open("thousand/jobs.csv")))
assert len(rows) == 1000, len(rows)
starts = [float(row["first_start_s"]) for row in rows]
assert starts == [3600 * (n // 10) for n in range(1000)], starts[:30]
PYTHON

# F110: a stop by a rule is FAILED in AWS Batch, and reeve says which rule it was.
cat >states.jsonc <<'JSONC'
{ "reeve": 1, "name": "states",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "one", "instance_type": "t", "capacity": 1 } ],
  "queues": [ { "name": "line", "fleet": "one" } ],
  "jobs": [ { "name": "job", "queue": "line", "submit": "0s", "work": "3h" } ],
  "policies": { "stop": [ { "rule": "schedule" },
                          { "rule": "max_runtime", "limit": "1h", "enforce_by": "clock" } ] } }
JSONC
run 0 explain job states.jsonc -p stop
for state in SCHEDULED STARTING RUNNING FAILED; do has stdout "(AWS Batch: $state)"; done
has stdout 'status Stopped (AWS Batch: FAILED)'
has stdout 'job was stopped at 01:00:00 by max_runtime'
done_checking

