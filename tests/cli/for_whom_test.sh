#!/usr/bin/env bash
# The job that gains by a preemption: the first that comes and needs instances, not the first.
source "$(dirname "$0")/expect.bash"

# Two hold machines of four when one of one machine and one of three come.
cat >two.jsonc <<'JSONC'
{ "reeve": 1, "name": "two", "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "p", "instance_type": "g", "capacity": 4, "market": "reserved" } ],
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "120s" },
  "shares": [ { "name": "a" }, { "name": "b" } ],
  "queues": [ { "name": "main", "fleet": "p", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "main", "checkpoint": { "every": "10h", "cost": "0s" } },
  "jobs": [ { "name": "A1", "share": "a", "work": "8h" },
            { "name": "A3", "share": "a", "instances": 3, "work": "8h" },
            { "name": "W1", "share": "a", "submit": "1h", "work": "5m" },
            { "name": "W3", "share": "b", "instances": 3, "submit": "1h", "work": "10m" } ],
  "policies": {
    "srtf": [ { "rule": "schedule", "algorithm": "srtf" } ],
    "las": [ { "rule": "schedule", "algorithm": "las" } ],
    "themis": [ { "rule": "schedule", "algorithm": "themis", "fairness_knob": 0 } ],
    "gavel": [ { "rule": "schedule", "algorithm": "gavel", "round": "30m" } ] } }
JSONC

# The same with one of four instances, and one more free instance: W1 needs no preemption.
sed -e '/"name": "A1"/ s/{ .*/{ "name": "A", "share": "a", "instances": 4, "work": "8h" },/' \
  -e '/"name": "A3"/d' -e 's/"capacity": 4/"capacity": 5/' \
  -e '/"name": "W3"/ s/"instances": 3/"instances": 4/' two.jsonc >free.jsonc

# preempted FILE POLICY: the first preempted jobs, and the jobs that gained.
preempted() {
  run 0 run "$1" -p "$2" -o taken
  python3 -c '
import csv
rows = [row for row in csv.DictReader(open("taken/preemptions.csv"))]
first = [row for row in rows if row["t_s"] == rows[0]["t_s"]]
print(*(" ".join([row["job"], "for", row["for_job"], row["for_share"]]) for row in first))' >stdout
}

for policy in srtf las themis gavel; do
  preempted two.jsonc $policy
  has stdout 'A1 for W1 a'
  has stdout 'A3 for W3 b'
  preempted free.jsonc $policy
  has stdout 'A for W3 b'
done

run 0 explain A3 two.jsonc -p srtf
has stdout 'for W3'
done_checking
