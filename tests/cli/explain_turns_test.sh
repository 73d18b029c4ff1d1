#!/usr/bin/env bash
# What `reeve explain JOB --at T` says where shares take turns: who goes before, and what is kept
# for shares that have no jobs.
source "$(dirname "$0")/expect.bash"

# The world of each: one fleet of 10, and the rules that have shares take turns.  Written with what
# the case has of its own.
scenario() {
  cat <<JSONC
{ "reeve": 1, "name": "turns",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "48h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "model": "ideal" },
  "fleet": [ { "name": "f", "instance_type": "gpu", "capacity": 10, "market": "reserved" },
             { "name": "g", "instance_type": "gpu", "capacity": 10, "market": "reserved" } ],
  $1,
  "policies": {
    "fair_share": [ { "rule": "schedule", "algorithm": "fair_share" } ],
    "max_min": [ { "rule": "schedule", "algorithm": "max_min" } ],
    "drf": [ { "rule": "schedule", "algorithm": "drf" } ],
    "kept": [ { "rule": "schedule", "algorithm": "max_min", "compute_reservation": 20 } ] } }
JSONC
}

# In an environment what is kept is a part of what it may have, and of that nothing else is free.
scenario '"environments": [ { "name": "e", "limits": { "f": 5 } } ],
  "shares": [ { "name": "a" }, { "name": "b" } ],
  "queues": [ { "name": "q", "fleet": "f", "environment": "e", "shares": ["a", "b"] } ],
  "jobs": [ { "name": "j", "queue": "q", "share": "a", "instances": 5, "work": "1h" } ]' \
  >within.jsonc
run 0 explain j within.jsonc -p kept --at 10m
has stdout 'it waits for its turn: "compute_reservation": 20 keeps 1 of 5 for shares that are not'
has stdout '"compute_reservation": 0: it starts at 00:00:00'

# The dominant part is one of what the environment may have: 3 of 4 are more than 5 of 10.
scenario '"environments": [ { "name": "e", "limits": { "f": 4 } } ],
  "shares": [ { "name": "a" }, { "name": "b" } ],
  "queues": [ { "name": "q", "fleet": "f", "environment": "e", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "q", "work": "3h" },
  "jobs": [ { "name": "a1", "share": "a", "instances": 3 },
            { "name": "b1", "share": "b", "fleet": "g", "instances": 5 },
            { "name": "b2", "share": "b", "instances": 2, "submit": "10m" },
            { "name": "a2", "share": "a", "submit": "20m" } ]' >part.jsonc
run 0 explain a2 part.jsonc -p drf --at 30m
has stdout 'it waits for its turn: share b (weight 1), which holds 5, is ahead'

# A job larger than its pool is set aside, and so is ahead of no job, whatever its share.
scenario '"shares": [ { "name": "a" }, { "name": "b", "weight": 0.5 } ],
  "queues": [ { "name": "q", "fleet": "f", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "q", "share": "a" },
  "jobs": [ { "name": "a1", "instances": 5, "work": "3h" },
            { "name": "a2", "instances": 4, "work": "1h", "submit": "20m" },
            { "name": "own", "instances": 9, "work": "1h", "priority": 5 },
            { "name": "big", "share": "b", "instances": 9, "work": "1h" } ]' |
  sed -e '/"name": "f"/ s/"reserved"/"on_demand", "availability": { "steps": [["0s", 8]] }/' \
    >aside.jsonc
for policy in fair_share max_min drf; do
  run 0 explain a2 aside.jsonc -p "$policy" --at 30m
  has stdout 'it waits for instances: fewer are free than it needs'
  run 0 explain big aside.jsonc -p "$policy" --at 30m
  lacks stdout ', is ahead'
done

# Jobs in no share are one more share, of weight 1, of which something is kept as well.
scenario '"shares": [ { "name": "a" } ],
  "queues": [ { "name": "q", "fleet": "f", "shares": ["a"] }, { "name": "n", "fleet": "f" } ],
  "jobs": [ { "name": "k", "queue": "n", "instances": 9, "work": "1h" } ]' >nobody.jsonc
run 0 explain k nobody.jsonc -p kept --at 10m
has stdout '10 are free; jobs in no share (weight 1) hold 0'
has stdout 'it waits for its turn: "compute_reservation": 20 keeps 2 of 10 for shares that are not'
has stdout '"compute_reservation": 0: it starts at 00:00:00'
lacks stdout 'weight 0.5'

# They are ahead of those of a share: k has nothing, and fits in an empty pool.
scenario '"shares": [ { "name": "a" } ],
  "queues": [ { "name": "q", "fleet": "f", "shares": ["a"] }, { "name": "n", "fleet": "f" } ],
  "job_defaults": { "queue": "n", "work": "3h" },
  "jobs": [ { "name": "a1", "queue": "q", "share": "a", "instances": 5 },
            { "name": "k", "instances": 8, "submit": "10m" },
            { "name": "k2", "submit": "15m" },
            { "name": "a2", "queue": "q", "share": "a", "instances": 4, "submit": "20m" } ]' |
  sed -e 's/"algorithm": "drf"/&, "backfill": "any_fit"/' >before.jsonc
run 0 explain a2 before.jsonc -p max_min --at 30m
has stdout 'it waits for its turn: jobs in no share (weight 1), which hold 0, are ahead'
run 0 explain a2 before.jsonc -p fair_share --at 30m
has stdout 'jobs in no share (weight 1), which hold 0 and have used 0.0 instance-hours recently'
has stdout 'recently, 0.0 in 10 min with what they hold, are ahead'
run 0 explain k2 before.jsonc -p max_min --at 30m
has stdout 'turn: other jobs in no share are ahead of it; it waits behind k (8),'
has stdout 'which is ahead of it in no share and starts at 06:00:00'
# Where those who fit pass others, only the first of its share does not let it.
sed -e '/"a2"/ s/4, "submit": "20m" }/7 }, { "name": "a3", "queue": "q", "share": "a" }/' \
  before.jsonc >passed.jsonc
run 0 explain a3 passed.jsonc -p drf --at 30m
has stdout 'turn: jobs of its share are ahead of it; it waits behind a2 (7)'

# What they have had counts as that of a share does: 5 for ten minutes, less 1/e^3 of it.
sed -e 's/"queue": "q", "share": "a", "instances": 5/"instances": 5/' before.jsonc >had.jsonc
run 0 explain k2 had.jsonc -p fair_share --at 30m
has stdout 'jobs in no share (weight 1) hold 5 and have used 0.8 instance-hours recently'
done_checking
