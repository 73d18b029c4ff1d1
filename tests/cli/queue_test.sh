#!/usr/bin/env bash
# Who waits at an instant: explain --at of a job, a queue and a fleet, and the table `queue`.
source "$(dirname "$0")/expect.bash"

run 0 init head-of-line
scenario=head-of-line.jsonc

# The gang of 70 waits behind the first; small ones behind it would fit, and any_fit lets them.
run 0 explain J2 $scenario -p fifo --at 4h
has stdout 'J2 waits at 04:00:00 for p4, since 00:00:00: position 1'
has stdout 'needs 70 of 100 instances; 60 are free'
has stdout 'it starts at 10:00:00'
has stdout '10 more instances in p4, all along: it starts at 00:00:00, 10 h sooner'
run 0 explain S-3 $scenario -p fifo --at 04:00:00
has stdout 'ahead of it: J2 (70), S-1 (5), S-2 (5)'
has stdout '"backfill": "any_fit": it starts at 00:00:00, 10 h sooner'
# What the job ahead lacks helps those behind it: it is done at five, then they start.
has stdout ' 10 more instances in p4, all along: it starts at 05:00:00, 5 h sooner'
run 0 explain S-3 $scenario -p fifo --at 4h --json
python3 -c '
import json
story = json.load(open("stdout"))
assert (story["position"], story["reason"], story["free"]) == (4, "turn", 60), story
assert story["ahead"] == ["J2", "S-1", "S-2"] and story["starts_s"] == 36000, story
sooner = {way["change"]: way["starts_s"] for way in story["would_let_it_run"]}
assert sooner["\"backfill\": \"any_fit\""] == 0, sooner' || fail "explain --at --json"

# A job that does not wait at that time is reported as such; a bad time or name is an error.
run 0 explain J1 $scenario -p fifo --at 4h
has stdout 'J1 holds its instances from 00:00:00 to 10:00:00'
run 0 explain J1 $scenario -p fifo --at 12h
has stdout 'J1 does not wait: attempt 1 ended at 10:00:00 (completed)'
run 64 explain J1 $scenario -p fifo --at 4
has stderr '--at "4" is no time of the run'
run 64 explain J9 $scenario -p fifo --at 4h
has stderr 'there is no job "J9"'

# The whole line, by queue and by fleet.
run 0 explain main $scenario -p fifo --at 4h
has stdout '10 wait at 04:00:00'
run 0 explain p4 $scenario -p fifo --at 4h --json
python3 -c '
import json
rows = json.load(open("stdout"))["rows"]
assert [row["job"] for row in rows][:2] == ["J2", "S-1"] and len(rows) == 10, rows
assert {row["reason"] for row in rows} == {"instances", "turn"}' || fail "the line of a fleet"

# Who waits, and who pays for it: share by share, under each policy.
run 0 compare $scenario
has stdout 'research 10h00m00s'
run 0 compare $scenario --json
python3 -c '
import json
tables = json.load(open("stdout"))["printed"]
[shares] = [table for table in tables if table["name"] == "shares"]
of = {(row["policy"], row["share"]): row for row in shares["rows"]}
assert of["fifo", "research"]["mean_wait_s"] == 36000, of
assert of["quota", "sweep"]["borrowed_instance_hours"] == 150, of' || fail "the table of shares"

# The same as a table, at each instant asked for: 150 wait, and all are told (AWS shows 100).
sed -e 's/"count": 9/"count": 150/' -e 's/"horizon": "[0-9a-z]*"/"horizon": "12h"/' \
  $scenario >long.jsonc
run 99 compare long.jsonc -p fifo -o out/long --queue-every 5h  # its expectations are of nine jobs
python3 - <<'PYTHON' || fail "the table of queues"
import collections, csv, json
rows = list(csv.DictReader(open("out/long/queue.csv")))
at = collections.Counter(row["t_s"] for row in rows)
assert set(at) == {"0", "18000", "36000"} and at["0"] == 151, at
first = [row for row in rows if row["t_s"] == "18000"]
assert [int(row["position"]) for row in first] == list(range(1, 152))
assert (first[0]["job"], first[0]["reason"], first[0]["waited_s"]) == ("J2", "instances", "18000")
starts = [float(row["starts_s"]) for row in first if row["starts_s"]]
assert starts == sorted(starts) and starts[0] == 36000, starts
names = [table["name"] for table in json.load(open("out/long/datapackage.json"))["resources"]]
assert "queue" in names, names
PYTHON
run 99 compare long.jsonc -p fifo -o out/long
[ ! -e out/long/queue.csv ] || fail "a table that was not asked for"
run 64 compare long.jsonc --queue-every 5h
has stderr 'needs a directory'
run 64 compare long.jsonc -o out/long --queue-every 5
has stderr 'is not a duration of at least 1s'

# An environment without room is what is waited for, though machines are free.
cp "$source_root/tests/rules/schedule/environment.jsonc" room.jsonc
run 0 explain the-101st room.jsonc -p fifo --at 1m
has stdout 'needs 1 of 128 instances; 0 are free; its environment se has room for 0'
run 0 explain small-3 room.jsonc -p fifo --at 1m
has stdout 'needs 1 of 8 instances; 6 are free; its environment se has room for 0'
has stdout '1 more instance of g5 for environment se, all along: it starts at 00:00:00, 2 h sooner'
run 0 explain bounded room.jsonc -p fifo --at 1m
has stdout ' environment '

# Of two limits only the one that has too little room is raised, or large would fit, and go first.
cat > limits.jsonc <<'JSONC'
{ "reeve": 1, "name": "limits",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "6h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "model": "ideal" },
  "fleet": [ { "name": "p4", "instance_type": "gpu", "capacity": 8 },
             { "name": "g5", "instance_type": "gpu", "capacity": 4 } ],
  "environments": [ { "name": "se", "instances": 5, "limits": { "g5": 2 } } ],
  "queues": [ { "name": "q", "environment": "se" } ],
  "job_defaults": { "queue": "q", "work": "1h" },
  "jobs": [ { "name": "runs", "fleet": "p4", "instances": 4, "work": "2h" },
            { "name": "large", "fleet": "g5", "instances": 3, "submit": "10m" },
            { "name": "small", "fleet": "g5", "instances": 2, "submit": "20m" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ] } }
JSONC
run 0 explain small limits.jsonc --at 1h
has stdout '1 more instance for environment se, all along: it starts at 00:20:00, 1h40m sooner'
run 0 explain large limits.jsonc --at 1h
has stdout '2 more instances and 1 more instance of g5 for environment se, all along: it starts at'

# Who is placed elsewhere later waits where it stands until then.
cp "$source_root/tests/rules/schedule/placed-elsewhere-comes-back.jsonc" placed.jsonc
run 0 explain big placed.jsonc --at 20m
has stdout 'big waits at 00:20:00 for own, since 00:10:00: position 1'
has stdout 'needs 4 of 4 instances; 0 are free'
has stdout '4 more instances in own, all along: it starts at 00:10:00, 1h50m sooner'
run 0 explain big placed.jsonc --at 1h
has stdout 'big waits at 01:00:00 for other, since 00:10:00: position 1'
run 0 explain own placed.jsonc --at 20m
has stdout '1 waits at 00:20:00'

# Jobs in no share have what no quota covers: of one of 6 its environment lets it have 2.
cp "$source_root/tests/rules/schedule/uncovered-beside-an-environment.jsonc" uncovered.jsonc
sed -i -e '/"hog"/s/"instances": 6/"instances": 5/' uncovered.jsonc
late='{ "name": "late", "fleet": "f", "submit": "2m", "work": "1h" }'
sed -i -e "/\"out\"/s/\$/, $late/" uncovered.jsonc
run 0 explain out uncovered.jsonc --at 30m --json
has stdout '"reason": "instances"'
run 0 explain late uncovered.jsonc --at 30m --json
has stdout '"reason": "turn"'

# What is tried lasts, whatever the file changes later, and who would not have been preempted keeps
# its machines.
cat > lasting.jsonc <<'JSONC'
{ "reeve": 1, "name": "lasting",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "0s" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 10, "market": "reserved" } ],
  "shares": [ { "name": "a", "quota": { "y": 8 } },
              { "name": "b", "quota": { "y": 2 },
                "changes": [ { "at": "3h", "quota": { "y": 2 } } ] } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "main" },
  "jobs": [ { "name": "b1", "share": "b", "instances": 5, "work": "10h", "submit": "90m" },
            { "name": "a1", "share": "a", "instances": 6, "work": "150m", "submit": "1h" } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota" } ],
                "srtf": [ { "rule": "schedule", "algorithm": "srtf" } ] } }
JSONC
run 0 explain b1 lasting.jsonc -p quota --at 2h
has stdout 'a quota of 5 for b from then on: it starts at 03:30:00'
sed -e 's/"instances": 5, "work": "10h", "submit": "90m"/"instances": 10, "work": "10h"/' \
  lasting.jsonc > taken.jsonc
run 0 explain b1 taken.jsonc -p srtf --at 2h
has stdout '6 more instances in y, all along: it has held its instances since 00:00:00'

# What would have been is found by time: with another machine L loses its own once, and not twice,
# and its second start is the one that counts.
cat > twice.jsonc <<'JSONC'
{ "reeve": 1, "name": "twice",
  "clock": { "start": "2026-11-02T00:00:00Z", "horizon": "200h" },
  "prices": { "instances": { "g": { "usd_per_hour": 10, "gpus": 1 } } },
  "platform": { "model": "ideal" },
  "fleet": [ { "name": "p", "instance_type": "g", "capacity": 1, "market": "reserved" } ],
  "queues": [ { "name": "main", "fleet": "p" } ],
  "job_defaults": { "queue": "main", "work": "1h", "checkpoint": { "every": "1h", "cost": "0s" } },
  "jobs": [ { "name": "L", "work": "5h" }, { "name": "S", "submit": "1h" },
            { "name": "Q1", "submit": "3h" }, { "name": "Q2", "submit": "3h" } ],
  "policies": { "srtf": [ { "rule": "schedule", "algorithm": "srtf" } ] } }
JSONC
run 0 explain L twice.jsonc --at 3h30m
has stdout '1 more instance in p, all along: it starts at 04:00:00, 1 h sooner'
run 0 explain L twice.jsonc --at 90m
has stdout '1 more instance in p, all along: it has held its instances since 00:00:00'
sed -e 's/"capacity": 1/"capacity": 3/' -e 's/"L", "work": "5h"/"L", "work": "150m"/' \
  -e 's/"S",/"S", "instances": 3, "count": 5,/' twice.jsonc > done.jsonc
run 0 explain L done.jsonc --at 3h30m
has stdout '1 more instance in p, all along: it is done at 02:30:00'
# Who would have had machines in that wait, and lost them again, is told both.
sed -e 's/"L", "work"/"L", "submit": "30m", "work"/' -e 's/"S", "submit": "1h"/"S", "work": "2h"/' \
  -e 's/"submit": "3h"/"submit": "1h", "work": "30m"/g' twice.jsonc > between.jsonc
run 0 explain L between.jsonc --at 70m
has stdout 'all along: it holds instances from 00:30:00 to 01:00:00, then it starts at 01:30:00'

# Who would have had machines, and be over by then without being done, is told so.
sed -e 's/"capacity": 1/"capacity": 2/' -e '/"jobs"/,$d' twice.jsonc >over.jsonc
cat >>over.jsonc <<'JSONC'
  "jobs": [ { "name": "run", "work": "5h" },
            { "name": "large", "work": "1h", "instances": 2, "submit": "10m" },
            { "name": "small", "work": "3h", "submit": "20m", "max_runtime": "1h" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ] } }
JSONC
run 0 explain small over.jsonc --at 2h
has stdout '"backfill": "any_fit": it starts at 00:20:00, 5h40m sooner, and ends at 01:20:00 ('

# Shares in turn: why it waits, what its share has had for its weight, and what would have helped.
# Used of late: 40 instances for 10 minutes, less 1/e^3 of it: 6.3 instance-hours.
cat > turns.jsonc <<'JSONC'
{ "reeve": 1, "name": "turns",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "0s" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 80, "market": "reserved" },
             { "name": "z", "instance_type": "gpu", "capacity": 3, "market": "reserved" } ],
  "shares": [ { "name": "a" }, { "name": "b", "weight": 4 } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "main", "work": "1h" },
  "jobs": [ { "name": "ja", "share": "a", "count": 60 },
            { "name": "za", "share": "a", "fleet": "z", "count": 6, "submit": "20h" },
            { "name": "zb", "share": "b", "fleet": "z", "count": 6, "submit": "20h" } ],
  "policies": {
    "kept": [ { "rule": "schedule", "algorithm": "fair_share", "compute_reservation": 50 } ],
    "max_min": [ { "rule": "schedule", "algorithm": "max_min" } ] } }
JSONC
run 0 explain ja-41 turns.jsonc -p kept --at 30m
has stdout '40 are free; its share a (weight 1) holds 40 and has used 6.3 instance-hours recently'
has stdout 'it waits for its turn: "compute_reservation": 50 keeps 40 of 80 for shares that are not'
has stdout 'weight 0.5 of share a, all along: no difference'
has stdout '"compute_reservation": 0: it starts at 00:00:00, 1 h sooner'
run 0 explain zb-2 turns.jsonc -p max_min --at 20h30m
has stdout '0 are free; its share b (weight 4) holds 1'
has stdout 'it waits for instances, and share a (weight 1), which holds 2, is ahead'
has stdout 'weight 0.0001 of share b, all along: it starts at 20:00:00, 1 h sooner'
run 0 explain zb-2 turns.jsonc -p max_min --at 20h30m --json
has stdout '"why": "it waits for instances, and share a'

# fair_share looks one share_decay ahead: a has used 4 for an hour and holds nothing, b holds 4 for
# ten minutes.  In an hour that is 2.1 / e for a, and 0.6 / e + 4 x (1 - 1/e) for b: a is next.
cat > ahead.jsonc <<'JSONC'
{ "reeve": 1, "name": "ahead",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "0s", "upload": "0s" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 4, "market": "reserved" } ],
  "shares": [ { "name": "a" }, { "name": "b" } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "main", "work": "1h" },
  "jobs": [ { "name": "a1", "share": "a", "instances": 4 },
            { "name": "b1", "share": "b", "instances": 4, "submit": "1h" },
            { "name": "b2", "share": "b", "submit": "65m" },
            { "name": "a2", "share": "a", "instances": 4, "submit": "66m" } ],
  "policies": { "fair": [ { "rule": "schedule", "algorithm": "fair_share",
                            "share_decay": "1h" } ] } }
JSONC
run 0 explain b2 ahead.jsonc --at 70m
has stdout 'b (weight 1) holds 4 and has used 0.6 instance-hours recently, 2.8 in'
has stdout 'share a (weight 1), which holds 0 and has used 2.1 instance-hours recently, 0.8 in'
has stdout '0.8 in 1 h with what it holds, is ahead'
run 0 explain a2 ahead.jsonc --at 70m
lacks stdout ', is ahead'
has stdout 'it starts at 02:0'
sed -e 's/"capacity": 4/"capacity": 5/; s/"submit": "65m"/"submit": "65m", "instances": 2/' \
  ahead.jsonc > one.jsonc
run 0 explain b2 one.jsonc --at 70m
has stdout 'needs 2 of 5 instances; 1 is free;'
has stdout '1 more instance in y, all along'

# A job larger than its share can ever have, or than what is outside all quotas, never starts.
cat > beyond.jsonc <<'JSONC'
{ "reeve": 1, "name": "beyond",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 3, "market": "reserved" } ],
  "shares": [ { "name": "a", "quota": { "y": 2 } } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a"] }, { "name": "free", "fleet": "y" } ],
  "jobs": [ { "name": "large", "queue": "main", "share": "a", "instances": 3, "work": "1h" },
            { "name": "alone", "queue": "free", "instances": 2, "work": "1h" } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota" } ] } }
JSONC
run 0 check beyond.jsonc
has stdout 'job "large" needs 3 instances; share "a" can have 2 at most'
has stdout 'job "alone" needs 2 instances; instances outside all quotas: 1'
run 0 explain large beyond.jsonc --at 30m
has stdout 'it never starts: its share can have 2 at most'
run 0 explain main beyond.jsonc --at 30m
run 0 explain alone beyond.jsonc --at 30m --json
has stdout '"reason": "quota"'
run 64 explain main beyond.jsonc
has stderr '"main" is a queue or a fleet: add a time'
run 64 explain mian beyond.jsonc --at 30m
has stderr 'main'
run 64 explain large beyond.jsonc --at 61h
has stderr '--at "61h" is after the end of the clock'
run 0 explain alone beyond.jsonc --at 30m
has stdout 'it never starts: it is in no share; instances outside all quotas: 1'
# Of an environment, too, whatever else is free.
within="$source_root/tests/rules/schedule/nobody-within-an-environment.jsonc"
run 0 check "$within"
has stdout 'job "wide" needs 3 instances; instances outside all quotas: 1'
for policy in quota capacity; do
  run 0 explain wide "$within" -p "$policy" --at 30m
  has stdout 'it never starts: it is in no share; instances outside all quotas: 1'
done

# Of shares that may be active with its own those in no queue are one, where all are one line.
run 0 check "$source_root/tests/rules/schedule/one-line-of-a-priority.jsonc"
lacks stdout 'W0544'

# Who is larger than its environment is said to block its queue, and that others pass it.
larger="$source_root/tests/rules/schedule/larger-than-its-environment.jsonc"
run 0 explain large "$larger" -p fifo
has stdout 'queue line is blocked by it: MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE; other'

# The line of a queue is in the order of starting, in whatever fleet.
cat > fleets.jsonc <<'JSONC'
{ "reeve": 1, "name": "fleets",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "0s" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 1, "market": "reserved" },
             { "name": "z", "instance_type": "gpu", "capacity": 1, "market": "reserved" } ],
  "queues": [ { "name": "main" } ],
  "job_defaults": { "queue": "main" },
  "jobs": [ { "name": "y1", "fleet": "y", "work": "3h" },
            { "name": "z1", "fleet": "z", "work": "1h" },
            { "name": "y2", "fleet": "y", "work": "3h" },
            { "name": "z2", "fleet": "z", "work": "1h" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ] } }
JSONC
run 0 explain main fleets.jsonc --at 30m --json
python3 -c '
import json
rows = json.load(open("stdout"))["rows"]
assert [(row["job"], row["pool"]) for row in rows] == [("z2", "z"), ("y2", "y")], rows' ||
  fail "the line of a queue with two fleets"

# Who has lost its machines waits again, for as many as are there then.
cat > taken-back.jsonc <<'JSONC'
{ "reeve": 1, "name": "taken-back",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "spot_usd_per_hour": 20, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "0s" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 10, "market": "spot",
               "availability": { "steps": [["0s", 10], ["1h", 4], ["5h", 10]] } } ],
  "queues": [ { "name": "main", "fleet": "y" } ],
  "job_defaults": { "queue": "main" },
  "jobs": [ { "name": "b1", "instances": 8, "work": "10h" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ] } }
JSONC
run 0 explain b1 taken-back.jsonc --at 30m
has stdout 'b1 holds its instances from 00:00:00 to 01:00:00'
run 0 explain b1 taken-back.jsonc --at 2h
has stdout 'b1 waits at 02:00:00 for y, since 01:00:00'
has stdout 'needs 8 of 4 instances; 4 are free'
has stdout 'it starts at 05:00:00'
run 0 explain b1 taken-back.jsonc --at 6h
has stdout 'b1 holds its instances from 05:00:00 to 15:00:00'
run 0 compare taken-back.jsonc -o out/taken-back --queue-every 2h
cut -d, -f3- out/taken-back/queue.csv | grep -c b1 > waits
[ "$(cat waits)" = 2 ] || fail "it waits at 2h and 4h"

# A job waits for quota if the quota alone keeps free instances from it.
cat > blocked.jsonc <<'JSONC'
{ "reeve": 1, "name": "blocked",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "0s" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 10, "market": "reserved" } ],
  "shares": [ { "name": "c", "quota": { "y": 1 }, "sharing": "lend_and_borrow" },
              { "name": "d", "quota": { "y": 9 }, "sharing": "lend_and_borrow" } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["c", "d"] } ],
  "job_defaults": { "queue": "main", "share": "c" },
  "jobs": [ { "name": "r", "instances": 5, "work": "3h" },
            { "name": "c1", "instances": 8, "work": "1h", "submit": "10m" },
            { "name": "c2", "instances": 2, "work": "2h", "submit": "20m" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ],
                "max_min": [ { "rule": "schedule", "algorithm": "max_min" } ],
                "quota": [ { "rule": "schedule", "algorithm": "quota" } ] } }
JSONC
sed -e 's/"lend_and_borrow"/"reserve"/' -e '/"name": "c"/ s/"y": 1/"y": 6/' \
  blocked.jsonc > reserved.jsonc
for policy in fifo max_min quota; do
  run 0 explain c2 blocked.jsonc -p $policy --at 30m --json
  has stdout '"reason": "turn"'
done
run 0 explain c2 reserved.jsonc -p quota --at 30m --json
has stdout '"reason": "quota"'
run 0 explain c2 blocked.jsonc -p fifo --at 30m
lacks stdout 'its share'
run 0 explain c2 reserved.jsonc -p quota --at 30m
has stdout 'its share c holds 5 of its quota of 6'

# A user that has as much of its share as one may is the reason, and without the limit it would run.
cat > user.jsonc <<'JSONC'
{ "reeve": 1, "name": "user",
  "clock": { "start": "2026-11-02T00:00:00Z", "horizon": "200h" },
  "prices": { "instances": { "g": { "usd_per_hour": 10, "gpus": 1 } } },
  "platform": { "model": "ideal" },
  "fleet": [ { "name": "p", "instance_type": "g", "capacity": 10, "market": "reserved" } ],
  "shares": [ { "name": "a", "quota": { "p": 6 }, "sharing": "lend_and_borrow" },
              { "name": "b", "quota": { "p": 4 } } ],
  "queues": [ { "name": "main", "fleet": "p", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "main", "share": "a", "work": "1h" },
  "jobs": [ { "name": "U", "tags": { "username": "u" }, "count": 10 },
            { "name": "V", "tags": { "username": "v" }, "count": 3 } ],
  "policies": { "half": [ { "rule": "schedule", "algorithm": "capacity", "user_limit": 50 } ],
                "whole": [ { "rule": "schedule", "algorithm": "capacity" } ] } }
JSONC
run 0 explain U-4 user.jsonc -p half --at 30m
has stdout 'its share a holds 6 of its quota of 6, 3 by u'
has stdout 'it waits for its user: u may have 3 of the share ("user_limit": 50)'
has stdout '"user_limit": 0: it starts at 00:00:00, 1 h sooner'
run 0 explain U-7 user.jsonc -p whole --at 30m --json
has stdout '"reason": "user_limit"'

# So is what those of a share who are never preempted may have together, by KAI's rules.
sed -e 's/"work": "1h"/"work": "1h", "instances": 2, "preemptible": false/' \
  -e 's/"algorithm": "capacity", "user_limit": 50/"algorithm": "kai"/' user.jsonc > keeps.jsonc
run 0 explain U-4 keeps.jsonc -p half --at 30m
has stdout '4 are free; its share a holds 6 of its quota of 6, 6 by jobs that are not preemptible'
has stdout 'it is not preemptible, and such jobs get at most the quota of their share: 6 in all'
run 0 explain p keeps.jsonc -p half --at 30m
lacks stdout 'turn'

# The first of a share that never fits is ahead of those that it blocks, and is what they wait for.
sed -e '/"jobs": \[/,/"V"/d' -e '/"policies"/d' -e '/"whole"/d' user.jsonc > stuck.jsonc
cat >> stuck.jsonc <<'JSONC'
  "jobs": [ { "name": "R", "share": "b", "instances": 4, "work": "2h" },
            { "name": "small", "share": "b", "submit": "10m" },
            { "name": "big", "share": "b", "instances": 5, "submit": "20m", "priority": 5 } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota" } ] } }
JSONC
run 0 explain small stuck.jsonc --at 3h
has stdout 'it waits behind big (5), which is ahead of it in share b and does not start in this run'
has stdout 'ahead of it: big (5)'
run 0 explain small stuck.jsonc --at 1h
has stdout 'what it may borrow now; it waits behind big (5), which'
run 0 explain big stuck.jsonc --at 3h --json
has stdout '"position": 1'
has stdout '"behind": ""'

# So is the first who would borrow, where that keeps others from it; on its own quota Z2 is sooner.
sed -e '/"shares": \[ {/,$d' user.jsonc > first.jsonc
cat >> first.jsonc <<'JSONC'
  "shares": [ { "name": "a", "quota": { "p": 6 }, "sharing": "lend_and_borrow" },
              { "name": "b", "quota": { "p": 3 }, "sharing": "lend" },
              { "name": "c", "quota": { "p": 1 }, "sharing": "lend_and_borrow" } ],
  "queues": [ { "name": "main", "fleet": "p", "shares": ["a", "b", "c"] } ],
  "job_defaults": { "queue": "main", "share": "a", "work": "1h" },
  "jobs": [ { "name": "X", "instances": 6, "work": "2h" }, { "name": "Y", "instances": 5 },
            { "name": "Z", "share": "c" }, { "name": "Z2", "share": "c" } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota",
                             "blocked_borrower": "blocks_others" } ] } }
JSONC
run 0 explain Z2 first.jsonc --at 30m
has stdout 'behind Y (5), which is ahead of it among jobs that borrow and starts at 02:00:00'
has stdout '"blocked_borrower": "waits_alone": it starts at 00:00:00, 1 h sooner'
# A job behind the first of its share names what that one waits for, and what would help both.
run 0 explain S-9 $scenario -p quota-blocks --at 2h
# A job behind the first of its share names what that one waits for, and what would help both.
has stdout 'S-7 waits behind J2 (70), which is ahead of it among jobs that borrow and starts at 10:'
has stdout 'a quota of 35 for sweep from then on: no difference'
has stdout 'a quota of 45 for sweep from then on: it starts at 02:00:00, 8 h sooner'
has stdout '"blocked_borrower": "waits_alone": it starts at 00:00:00, 10 h sooner'
run 0 explain Z2 first.jsonc --at 30m --json
has stdout '"behind": "Y"'

# Of a prefix nothing can be changed but its weight, for all of its shares.
sed -e '/"shares": \[ {/,/"b", "quota"/d' -e 's/"shares": \["a", "b"\]/"shares": ["t*", "o"]/' \
  -e 's/"queues"/"shares": [ { "name": "t*", "weight": 2 }, { "name": "o" } ],\n  "queues"/' \
  -e 's/"share": "a"/"share": "ta"/' -e 's/"capacity", "user_limit": 50/"quota"/' \
  -e 's/"algorithm": "capacity"/"algorithm": "max_min"/' user.jsonc > prefix.jsonc
run 0 explain U-4 prefix.jsonc -p half --at 30m
has stdout 'it never starts: its share can have 0 at most'
lacks stdout 'a quota of'
run 0 explain V-1 prefix.jsonc -p whole --at 30m
has stdout 'its share ta (weight 2) holds 10'
has stdout 'weight 1 of share t*, all along: no difference'
lacks stdout 'of share ta'

# Without quotas nothing is borrowed.
sed -e 's/"quota": { "y": [19] }, "sharing": "lend_and_borrow"/"weight": 1/' \
  blocked.jsonc > weights.jsonc
run 0 compare weights.jsonc --json
python3 -c '
import json
tables = json.load(open("stdout"))["printed"]
[shares] = [table for table in tables if table["name"] == "shares"]
assert all(row["borrowed_instance_hours"] == 0 for row in shares["rows"]), shares' ||
  fail "weights alone lend nothing"

# The highest priority is higher than that of those who run: where it preempts, they go.
sed -e '/"name": "c"/ s/"y": 1 }/"y": 10 }, "in_share_preemption": true/' \
  -e '/"name": "d"/ s/"y": 9/"y": 0/' \
  -e 's/"instances": 5, "work": "3h"/"instances": 5, "work": "3h", "priority": 7/' \
  blocked.jsonc > preempts.jsonc
run 0 explain c1 preempts.jsonc -p quota --at 30m
has stdout 'priority 8 from then on: it starts at 00:30:00'

# Which jobs lost instances to which, and the cost: F106, 15 min of 15 and 30 min of 15 instances.
cp "$source_root/tests/rules/schedule/price-of-preemption.jsonc" price.jsonc
run 0 run price.jsonc -p quota -o taken
python3 -c '
import csv
rows = [(row["job"], row["cause"], row["for_job"], row["lost_work_usd"])
        for row in csv.DictReader(open("taken/preemptions.csv"))]
assert rows == [("X1", "reclaim", "B2", "112.500000"),
                ("D", "in_share", "E", "225.000000")], rows' ||
  fail "preemptions.csv is not what happened"
run 0 explain X1 price.jsonc -p quota
has stdout 'for B2'

# Who is sent to other machines waits there first, and then starts.
cp "$source_root/tests/rules/schedule/gavel.jsonc" two-kinds.jsonc
run 0 explain big two-kinds.jsonc -p gavel
grep -E '(place|start) job \(attempt 3\)' stdout | head -n 1 > first
grep -q 'place job (attempt 3), to fast' first || fail "a job starts before it is placed"

# A job that nothing retries, though it lacks nothing but capacity: the headline says why.
sed -e '/"policies"/,/^  },/d' -e '/"expect"/,/^  \]/d' \
  "$source_root/tests/rules/schedule/fails-at-once.jsonc" |
  sed -e '/"name": "later"/{n;s/\],/]/}' > endless.jsonc
run 0 explain lacks endless.jsonc
has stdout 'did not finish: failed at 00:00:00; a job has no more than 65,535 attempts'

# Where what was idle is at work the sentence says how much: 100 machines for 10 h, of which one job
# has 40, and behind one that wants 70 wait those who fit beside it.
cat >idle.jsonc <<'JSONC'
{ "reeve": 1, "name": "idle", "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "10h" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "own", "instance_type": "g", "capacity": 100, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "job_defaults": { "max_runtime": "2d", "tags": { "tier": "p" } },
  "jobs": [ { "name": "first", "instances": 40, "work": "10h" },
            { "name": "large", "instances": 70, "work": "5h" },
            { "name": "small", "instances": 5, "work": "9h", "count": 3,
              "tags": { "tier": "s" } } ],
  "policies": { "fifo": [ { "rule": "schedule" } ],
                "any": [ { "rule": "schedule", "backfill": "any_fit" } ] },
  "expect": [ { "policy": "any", "that": "tag.tier.jain_index == 1" } ] }
JSONC
run 0 compare idle.jsonc
has stdout 'any recovers 135.00 instance-hours of reserved capacity against fifo'
run 0 check idle.jsonc
lacks stdout 'W0495'

# Of several that start at one instant, who stands first is who was given machines first; and where
# what it lacks goes to those before it, what they want and it together would let it run.
cat >tie.jsonc <<'JSONC'
{ "reeve": 1, "name": "tie", "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "36h" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "own", "instance_type": "g", "capacity": 2, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "job_defaults": { "max_runtime": "2d" },
  "jobs": [ { "name": "run", "instances": 2, "work": "2h" },
            { "name": "low", "work": "5h", "priority": 1, "submit": "10m" },
            { "name": "high", "work": "1h", "priority": 9, "submit": "20m" } ],
  "policies": { "priority": [ { "rule": "schedule", "algorithm": "priority" } ],
                "sjf": [ { "rule": "schedule", "algorithm": "sjf" } ],
                "fifo": [ { "rule": "schedule" } ] } }
JSONC
for policy in priority sjf; do
  run 0 explain high tie.jsonc -p $policy --at 1h
  has stdout 'position 1'
  has stdout 'ahead of it: none'
done
run 0 explain high tie.jsonc -p fifo --at 1h
has stdout 'ahead of it: low (1)'
has stdout ' 1 more instance in own, all along: no difference'
has stdout ' 2 more instances in own, all along: it starts at 00:20:00, 1h40m sooner'
# Within its quota a job waits for what others borrow and do not return: a larger quota helps it,
# and also the job behind the first of its share.
cat > lent.jsonc <<'JSONC'
{ "reeve": 1, "name": "lent",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "startup": "0s", "first_startup": "0s", "stop_grace": "2m" },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 8, "market": "reserved" } ],
  "shares": [ { "name": "a", "quota": { "y": 4 }, "sharing": "lend" },
              { "name": "b", "quota": { "y": 2 }, "sharing": "lend_and_borrow" } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a", "b"] } ],
  "job_defaults": { "queue": "main" },
  "jobs": [ { "name": "stays", "share": "b", "instances": 4, "work": "5h", "preemptible": false },
            { "name": "own", "share": "a", "instances": 4, "work": "1h", "submit": "1h" } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota" } ],
                "kueue": [ { "rule": "schedule", "algorithm": "kueue" } ] } }
JSONC
for policy in quota kueue; do
  run 0 explain own lent.jsonc -p "$policy" --at 2h
  has stdout 'it waits for its share: it is within the quota of a, but other shares borrow'
  has stdout 'a quota of 6 for a from then on: it starts at 02:00:00, 3 h sooner'
done
own='{ "name": "own", "share": "a", "work": "1h", "submit": "1h" }'
wide='{ "name": "wide", "share": "a", "instances": 5, "work": "1h" }'
sed -e 's/"instances": 4, "work": "5h", "preemptible": false/"work": "5h"/' \
  -e "s/{ \"name\": \"own\".*/$wide, $own ],/" lent.jsonc >behind.jsonc
run 0 explain own behind.jsonc -p quota --at 2h
has stdout 'it waits behind wide (5), which is ahead of it in share a'
has stdout 'a quota of 6 for a from then on: it starts at 02:00:00'

# A job that waits for a preempted one to stop is behind no other.
own='{ "name": "own", "share": "a", "instances": 4, "work": "1h", "submit": "1h" }'
urgent="${own/\"own\"/\"urgent\", \"priority\": 9}"
sed -e 's/, "preemptible": false//' \
  -e "s/{ \"name\": \"own\".*/$own, ${urgent/1h\" \}/61m\" \}} ],/" lent.jsonc >leaves.jsonc
run 0 explain own leaves.jsonc -p quota --at 61m30s
has stdout 'it waits for stays (4) to stop, preempted for it at 01:00:00'

# Behind the first of those who borrow stands only who borrows, by what the rule has all shares do.
cat > borrowers.jsonc <<'JSONC'
{ "reeve": 1, "name": "borrowers",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 10, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "shares": [ { "name": "a", "quota": { "y": 4 }, "sharing": "lend" },
              { "name": "b", "quota": { "y": 4 }, "sharing": "lend_and_borrow" },
              { "name": "c", "quota": { "y": 2 }, "sharing": "lend" } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a", "b", "c"] } ],
  "job_defaults": { "queue": "main" },
  "jobs": [ { "name": "a1", "share": "a", "instances": 4, "work": "5h" },
            { "name": "b1", "share": "b", "instances": 4, "work": "8h" },
            { "name": "b2", "share": "b", "instances": 5, "work": "1h", "submit": "10m" },
            { "name": "a2", "share": "a", "work": "1h", "submit": "20m" } ],
  "policies": {
    "stated": [ { "rule": "schedule", "algorithm": "quota", "blocked_borrower": "blocks_others" } ],
    "all": [ { "rule": "schedule", "algorithm": "quota", "blocked_borrower": "blocks_others",
               "override": { "sharing": "lend_and_borrow" } } ] } }
JSONC
run 0 explain a2 borrowers.jsonc -p stated --at 1h
has stdout 'with it, a would hold 5, more than its quota of 4 and what it may borrow now'
lacks stdout 'waits_alone'
run 0 explain a2 borrowers.jsonc -p all --at 1h
has stdout 'it waits behind b2 (5), which is ahead of it among jobs that borrow'
has stdout '"blocked_borrower": "waits_alone": it starts at 00:20:00, 4h40m sooner'
# In no share one lacks what no quota covers, however much is free.
cat > nobodys.jsonc <<'JSONC'
{ "reeve": 1, "name": "nobodys",
  "clock": { "start": "2026-11-02T08:00:00Z", "horizon": "60h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 60, "gpus": 8 } } },
  "fleet": [ { "name": "y", "instance_type": "gpu", "capacity": 10, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "shares": [ { "name": "a", "quota": { "y": 8 } } ],
  "queues": [ { "name": "main", "fleet": "y", "shares": ["a"] }, { "name": "free", "fleet": "y" } ],
  "job_defaults": { "queue": "free", "instances": 2 },
  "jobs": [ { "name": "first", "work": "10h" }, { "name": "next", "work": "1h", "submit": "1h" } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota" } ] } }
JSONC
run 0 explain next nobodys.jsonc --at 2h
has stdout '2 more instances in y, all along: it starts at 01:00:00, 9 h sooner'
done_checking
