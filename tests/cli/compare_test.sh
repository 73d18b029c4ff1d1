#!/usr/bin/env bash
# reeve compare and run: forms of output, statistics, streams, colours, exports.
source "$(dirname "$0")/expect.bash"

run 0 init stalled-weekend --force
run 0 init drawn-stalls --force
run 0 compare stalled-weekend.jsonc
has stdout 'wasted, gpu-alarm: stalled $64.13 + stop grace $8.00'
has stdout 'alarm+resume saves $16,967.87 of $17,280.00 and finishes 70h41m58s sooner than none.'
has stdout '✓ 9 of 9 expectations'
is_empty stderr
lacks stdout $'\x1b'
run 0 compare stalled-weekend.jsonc -p none,cap-24h --baseline cap-24h
lacks stdout gpu-alarm
has stdout 'than cap-24h'
run 64 compare stalled-weekend.jsonc -p gpu-alram
has stderr 'did you mean "gpu-alarm"?'
run 64 compare stalled-weekend.jsonc --baseline nobody
run 0 compare stalled-weekend.jsonc --md
has stdout '| policy |'

# What alarms cost is told where machines cost the same, and who leaves how many behind.
run 0 compare "$source_root/tests/rules/stalled_gpu/a-year-of-orphans.jsonc"
has stdout 'orphan'
has stdout 'all-ends costs the same in instances and $370.08 less in alarms, calls and messages'

# Where all choices are the same there is none; of some that differ the others are named.
cat >alike.jsonc <<'SCENARIO'
{ "reeve": 1, "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 },
                                         "slow": { "usd_per_hour": 3, "gpus": 8 } } },
  "fleet": [ { "name": "a", "instance_type": "gpu", "capacity": 1 },
             { "name": "b", "instance_type": "slow", "capacity": 1 } ],
  "platform": { "model": "ec2", "on_insufficient": "wait" },
  "job_defaults": { "fleet": "a", "work": "3h", "throughput": { "gpu": 1, "slow": 0.5 } },
  "jobs": [ { "name": "one" }, { "name": "two" } ],
  "policies": { "none": [], "again": [], "fifo": [ { "rule": "schedule" } ],
                "elsewhere": [ { "rule": "alternatives", "fleets": ["b"], "after": "5m" } ] } }
SCENARIO
run 0 compare alike.jsonc -p none,again,fifo
lacks stdout 'both cheaper'
run 0 compare alike.jsonc -p none,again,elsewhere
has stdout 'Pareto-optimal in cost and time: none, again, elsewhere'

# What could be saved is bounded by the cheapest type that either policy uses; where Spot launches
# may be free, or other jobs are done, there is no bound to compare with.
cat >types.jsonc <<'SCENARIO'
{ "reeve": 1, "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "10d" },
  "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 },
                             "u": { "usd_per_hour": 10, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "startup": "5m" },
  "fleet": [ { "instance_type": "t", "capacity": 4 }, { "instance_type": "u", "capacity": 4 } ],
  "jobs": [ { "name": "a", "work": "10h", "fleet": "t",
              "faults": [ { "at": "10m", "kind": "failure", "class": "infrastructure" } ] } ],
  "policies": {
    "same":  [ { "rule": "resume", "when": ["failed"], "min_runtime": "0s" } ],
    "cheap": [ { "rule": "resume", "when": ["failed"], "min_runtime": "0s",
                 "override": { "instance_type": "u" } } ] } }
SCENARIO
run 0 compare types.jsonc
has stdout 'cheap captures 96.0 % of what could be saved, down to $100.00'
run 0 compare "$source_root/tests/scenarios/first-hour-free.jsonc"
lacks stdout 'captured'
run 0 compare "$source_root/scenarios/gallery/failures.jsonc" -p none,resume-hw
lacks stdout 'captured'

# Reserved capacity is recovered from attempts that stood still, with a horizon and without.
for horizon in '' ', "horizon": "72h"'; do
  cat >block.jsonc <<SCENARIO
{ "reeve": 1, "clock": { "start": "2026-04-01T00:00:00Z"$horizon },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "r", "instance_type": "m", "capacity": 2, "market": "capacity_block",
               "windows": [["0s", "72h"]] } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "stop_grace": "0s" },
  "jobs": [ { "name": "a", "work": "10h", "instances": 2, "max_runtime": "30h",
              "checkpoint": { "every": "1h" }, "faults": [ { "kind": "stall", "at": "5h" } ] } ],
  "policies": {
    "none": [ { "rule": "resume", "when": ["max_runtime_exceeded"], "min_runtime": "0s" } ],
    "wd": [ { "rule": "stalled_gpu" },
            { "rule": "resume", "when": ["stopped_by:stalled_gpu"], "min_runtime": "0s" } ] } }
SCENARIO
  run 0 compare block.jsonc
  has stdout 'wd recovers 49.50 instance-hours of reserved capacity'
  has stdout '$4,320.00'
done

# Every tag of the jobs is in metrics.csv, and what its values were billed is what all jobs were.
run 0 run "$source_root/tests/scenarios/cost-per-tag.jsonc" -o out/tags
for row in project.search.billed_usd,usd,3000 'project.(untagged).billed_usd,usd,300' \
  group.nlp.jobs,count,2; do
  has out/tags/metrics.csv ",tag.$row"
done

# Runs that differ: intervals, paired differences, the same numbers from any number of threads.
run 0 compare drawn-stalls.jsonc --runs 6 --threads 1 -o out/one
has stdout ' ± '
has stdout '95 % intervals'
cp stdout first
run 0 compare drawn-stalls.jsonc --runs 6 --threads 4 -o out/four
said() { sed 's/[0-9]* ms$//; /next:/d' "$1"; }
diff <(said first) <(said stdout) || fail "threads change results"
for table in out/one/*.csv; do
  cmp "$table" "out/four/$(basename "$table")" || fail "threads change $table"
done
run 0 compare drawn-stalls.jsonc --runs 6 --json
is_json stdout
cp stdout first.json
run 0 compare drawn-stalls.jsonc --runs 6 --threads 3 --json
cmp first.json stdout || fail "--json differs the second time"
run 0 compare drawn-stalls.jsonc --runs 6 --md
cp stdout first.md
run 0 compare drawn-stalls.jsonc --runs 6 --md
cmp first.md stdout || fail "--md differs the second time"
run 0 compare drawn-stalls.jsonc --runs 6 --json
python3 - <<'PYTHON' || fail "JSON and compare.csv disagree"
import csv, json, math
data = json.load(open("stdout"))
assert data["runs"] == 6 and not data["partial"]
rows = list(csv.DictReader(open("out/one/compare.csv")))
assert list(rows[0]) == "policy_a policy_b metric mean_a mean_b diff lo hi runs paired".split()
by_key = {(r["policy_a"], r["metric"]): r for r in rows}
seen = 0
for d in data["differences"]:
    row = by_key[d["policy_a"], d["metric"]]
    assert float(row["diff"]) == d["diff"] and float(row["lo"]) == d["lo"], row
    assert float(row["lo"]) <= float(row["diff"]) <= float(row["hi"])
    seen += 1
assert seen > 20
for row in rows:  # money counts in micro-dollars, times in nanoseconds
    places = 6 if row["metric"].endswith("_usd") else 9 if row["metric"].endswith("_s") else None
    if places and row["diff"] and int(row["runs"]) == 6:
        total = 6 * float(row["diff"])
        assert math.isclose(total, round(total, places), rel_tol=1e-12), row
runs = list(csv.DictReader(open("out/one/runs.csv")))
assert len(runs) == 18 and all(float(r["residual_usd"]) == 0 for r in runs)
PYTHON
python3 - <<'PYTHON' || fail "metrics.csv is not every metric of every run"
import csv
rows = list(csv.DictReader(open("out/one/metrics.csv")))
assert list(rows[0]) == "run_id metric unit value".split()
runs = list(csv.DictReader(open("out/one/runs.csv")))
by_key = {(r["run_id"], r["metric"]): r for r in rows}
assert len(by_key) == len(rows)
# Policies may have other rules, and so more or fewer of theirs.
assert len([r for r in rows if not r["metric"].startswith("rule.")]) % len(runs) == 0
assert {r["metric"] for r in rows if r["metric"].endswith(".right_stops")}
for run in runs:
    for metric in ("billed_usd", "wasted_usd"):
        assert by_key[run["run_id"], metric]["value"] == run[metric], (run, metric)
    assert by_key[run["run_id"], "total_usd"]["unit"] == "usd"
    assert by_key[run["run_id"], "p99_wait_s"]["unit"] == "s"
metrics = {r["metric"] for r in rows if not r["metric"].startswith(("pool.", "rule."))}
compared = {r["metric"] for r in csv.DictReader(open("out/one/compare.csv"))}
# What a policy recovers against the baseline is no metric of one run.
assert compared - metrics == {"recovered_gpu_hours", "captured_pct"}, compared - metrics
assert metrics < compared, metrics - compared
PYTHON

# A run that would never end is cut off, and says so; machines that Spot took are not on offer.
cat >endless.jsonc <<'JSONC'
{ "reeve": 1, "name": "endless", "clock": { "start": "2026-04-01T00:00:00Z" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 1 } } },
  "fleet": [ { "name": "spot", "instance_type": "gpu", "capacity": 1, "market": "spot",
      "reclaim": { "every": "90m", "away": "10m" } },
    { "name": "od", "instance_type": "gpu", "capacity": 1 } ],
  "platform": { "model": "ideal" },
  "jobs": [ { "name": "train", "market": "spot", "work": "10h",
    "checkpoint": { "every": "2h" } } ] }
JSONC
run 0 compare endless.jsonc -o out/endless
has stdout 'cut off after 366 days without progress of any job'
has stdout 'Spot reclaims the instances before the first checkpoint: the job never finishes there'
run 0 compare endless.jsonc --json
python3 - <<'PYTHON' || fail "the cut is not in --json, or spot.csv offers what was taken"
import csv, json
data = json.load(open("stdout"))
assert '"cut_off": {"value": 1.0' in json.dumps(data), "cut_off"
rows = [r for r in csv.DictReader(open("out/endless/spot.csv"))]
assert [(r["t_s"], r["available"], r["nodes_hit"]) for r in rows[:4]] == [
    ("0", "1", "0"), ("5400", "0", "1"), ("6000", "1", "0"), ("11400", "0", "1")], rows[:4]
PYTHON
run 0 compare drawn-stalls.jsonc --runs 6 --seed 2
! cmp -s first stdout || fail "another seed changes nothing"

# At a terminal of eighty columns tables fit it, sentences aside.
for command in compare run; do
  for file in drawn-stalls stalled-weekend; do
    python3 - "$REEVE" "$command" "$file.jsonc" <<'PYTHON' || fail "$command: a table of $file"
import fcntl, os, pty, struct, subprocess, sys, termios, threading
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
shown = b""
def read():
    global shown
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
reader = threading.Thread(target=read)
reader.start()
subprocess.run([*sys.argv[1:], "--no-color"], stdout=theirs, stderr=subprocess.DEVNULL, check=True)
os.close(theirs)
reader.join()
lines = shown.decode("utf-8").splitlines()
assert sum(line.startswith(" ─") for line in lines) >= 2, lines
wide = [line for line in lines if len(line) > 80 and " saves " not in line]
assert not wide, wide
PYTHON
    checks=$((checks + 1))
  done
done

# One run of something random has no interval, least of all one without width.
run 0 compare drawn-stalls.jsonc --runs 1 -o out/single --json
python3 - <<'PYTHON' || fail "an interval of one random run"
import csv, json
rows = list(csv.DictReader(open("out/single/compare.csv")))
assert len(rows) > 20 and all(row["lo"] == row["hi"] == "" for row in rows)
differences = json.load(open("stdout"))["differences"]
assert differences and all(row["lo"] is None and row["hi"] is None for row in differences)
PYTHON

# What is printed adds up: the closing sentence, the difference and the two means.
run 0 init queueing-replay
run 0 compare queueing-replay.jsonc
python3 - <<'PYTHON' || fail "what is printed does not add up"
import re
text = open("stdout").read()
def seconds(word):
    h, m, s = re.fullmatch(r"−?(?:(\d+)h)?(?:(\d+)m)?(\d+)s", word).groups(default="0")
    return int(h) * 3600 + int(m) * 60 + int(s)
def means(policy):  # wait and result are the third and the fourth number of a row
    row = re.search(rf"^ {policy} +[\d,]+ (.*)$", text, re.M).group(1)
    return [seconds(word) for word in re.findall(r"(?<!± )\b[\dhm]+s", row)][:2]
(fifo_wait, fifo_result), (sjf_wait, sjf_result) = means("fifo"), means("sjf")
changes = {"mean wait": sjf_wait - fifo_wait, "mean JCT": sjf_result - fifo_result}
for measure, change in changes.items():
    shown = re.search(rf"^ sjf +{measure} +(\S+)", text, re.M).group(1)
    assert seconds(shown) == abs(change) and shown.startswith("−"), (measure, shown, change)
said = re.search(r"finish (\S+) ± \S+ sooner than under fifo", text).group(1)
assert seconds(said) == fifo_result - sjf_result, said
PYTHON

# A digest is of all that was run: a further replication changes it, threads do not.
digest_of() { grep -o 'digest .*[0-9a-f]' stdout | head -n 1; }
run 0 run drawn-stalls.jsonc -p none --runs 2 --threads 1
two=$(digest_of)
run 0 run drawn-stalls.jsonc -p none --runs 3 --threads 1
three=$(digest_of)
run 0 run drawn-stalls.jsonc -p none --runs 3 --threads 4
[ "$two" != "$three" ] || fail "the digest is of the first replication only"
[ "$three" = "$(digest_of)" ] || fail "threads change the digest"

run 0 run stalled-weekend.jsonc -p gpu-alarm -o out/run --journal
head -n 1 out/run/gpu-alarm.journal | grep -q '^reeve-journal' || fail "no journal"
[ ! -e out/run/compare.csv ] || fail "one policy is compared"
has stdout '$17,372.13'
run 0 run stalled-weekend.jsonc
has stdout alarm+resume
run 64 run stalled-weekend.jsonc -p none --runs 2 --journal x

# What is saved and what it is a part of are one amount; unfinished work saves nothing.
cat >undone.jsonc <<'JSONC'
{ "reeve": 1, "name": "undone",
  "clock": { "start": "2026-03-02T08:00:00Z", "horizon": "40h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
  "jobs": [ { "name": "train", "work": "20h", "checkpoint": { "every": "1h" },
    "faults": [ { "kind": "failure", "at": "2h" },
                { "kind": "stall", "at": "3h", "lasts": "1h", "attempt": 2, "cause": "deadlock" },
                { "kind": "spin_hang", "at": "6h", "lasts": "1h", "attempt": 2 } ] } ],
  "policies": { "none": [], "again": [ { "rule": "resume", "min_runtime": "0s" } ] } }
JSONC
run 0 compare undone.jsonc --baseline again
has stdout 'under none the job is not done; it spends $600.00 less than again.'
lacks stdout saves
run 0 compare undone.jsonc
has stdout 'again costs $600.00 more than none. The job is done.'

# Copies of one run are no sample: no paired runs, no interval but the value itself.
run 0 compare undone.jsonc --runs 100 -o out/copies
lacks stdout 'paired'
lacks stdout '95 %'
run 0 compare undone.jsonc --runs 100 --json
python3 - <<'PYTHON' || fail "copies of one run have an interval"
import csv, json
rows = [row for row in csv.DictReader(open("out/copies/compare.csv")) if row["diff"]]
assert len(rows) > 20 and all(row["lo"] == row["diff"] == row["hi"] for row in rows)
data = json.load(open("stdout"))
assert all(d["lo"] == d["diff"] == d["hi"] for d in data["differences"])
numbers = [n for p in data["policies"].values() for n in p["measures"].values() if n]
assert len(numbers) > 20 and all(n["lo"] == n["value"] == n["hi"] for n in numbers), numbers
PYTHON
run 0 run undone.jsonc -p again --runs 100
lacks stdout '95 %'
run 0 run drawn-stalls.jsonc -p alarm --runs 6
has stdout '95 % interval'
grep -qE '^ billed_usd +\$[0-9,.]+ +\$[0-9,.]+ +\$[0-9,.]+$' stdout || fail "raw ends of intervals"
! grep -q 'e+' stdout || fail "scientific notation"

# A stop saw the datapoints of its own seat's alarm, not those of another rule's.
watcher='{ "rule": "stalled_gpu", "use": "blog", "action": { "stop": false } },'
sed "s/\"cap-24h\": *\[/&$watcher/; s/\"limit\": \"24h\"/&, \"enforce_by\": \"clock\"/" \
  stalled-weekend.jsonc >both.jsonc
run 99 compare both.jsonc -p gpu-alarm,cap-24h -o out/both
python3 - <<'PYTHON' || fail "datapoints of another rule"
import csv
stops = [r for r in csv.DictReader(open("out/both/decisions.csv")) if r["action"] == "stop_job"]
saw = {row["rule"]: bool(row["threshold"] or "datapoints" in row["inputs_json"]) for row in stops}
assert saw.pop("stalled_gpu") and saw and not any(saw.values()), saw
PYTHON

# Colour is for terminals, and only without NO_COLOR and --no-color.
if command -v script >/dev/null; then
  script -qec "$REEVE compare stalled-weekend.jsonc" /dev/null >coloured </dev/null
  grep -q $'\x1b' coloured || fail "no colour at a terminal"
  NO_COLOR=1 script -qec "$REEVE compare stalled-weekend.jsonc" /dev/null >plain </dev/null
  ! grep -q $'\x1b\\[[0-9]*m' plain || fail "colour in spite of NO_COLOR"
  script -qec "$REEVE compare stalled-weekend.jsonc --no-color" /dev/null >plain </dev/null
  ! grep -q $'\x1b\\[[0-9]*m' plain || fail "colour in spite of --no-color"
fi
# What a scenario expects holds of its own seed and number of runs, not of others.
run 0 compare queueing-replay.jsonc --runs 1
has stderr 'expectations skipped, because they hold only for its own seed and number of runs'
lacks stdout 'expectations'
run 0 compare queueing-replay.jsonc --runs 10
has stdout 'expectations'

# What is left to choose between cost and time is told, and for programs.
run 0 compare "$source_root/tests/scenarios/front.jsonc"
has stdout 'Pareto-optimal in cost and time: stay, never, fallback'
run 0 compare "$source_root/tests/scenarios/front.jsonc" --json
python3 - <<'PYTHON' || fail "another front"
import json
assert json.load(open("stdout"))["pareto_front"] == ["stay", "never", "fallback"]
PYTHON
run 0 compare "$source_root/tests/scenarios/base-case.jsonc"
lacks stdout 'no policy is both'

# A mean wait is of the jobs that started, and says so where some did not: b gives up after 2 h.
cat >waits.jsonc <<'JSONC'
{ "reeve": 1, "name": "waits", "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3d" },
  "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "g", "capacity": 1 } ],
  "jobs": [ { "name": "a", "work": "5h" },
    { "name": "b", "work": "5h", "submit": "1h", "max_pending": "2h" },
    { "name": "c", "work": "5h", "submit": "4h" } ],
  "policies": { "none": [], "same": [] } }
JSONC
run 0 compare waits.jsonc
has stdout 'unfinished'
has stdout '30m00s ¹'
has stdout '¹ of the jobs that started'
run 0 run waits.jsonc -p none -o out/waits
has stdout '¹ of the jobs that started'
has out/waits/metrics.csv 'none/0,jobs_never_started,count,1'
# What `expect` can name of fleets is exported, too: a and c held the machine for 5 h each.
has out/waits/metrics.csv 'none/0,pool.g.allocated_instance_hours,instance_hours,10'
run 0 compare waits.jsonc --json
has stdout '"jobs_never_started": 1'

# The rate of interruptions up to which Spot is cheaper: a one-time request ends with its first
# loss, so that a rule has to restart the job.  With $30, $9, hourly checkpoints and 5 minutes of
# startup it is 1.84 an hour (break-even).
note='Spot is cheaper up to about 1.8 interruptions per hour, if they are random'
for platform in '"gcp"' '"gcp", "spot_request": "persistent"' '"sagemaker-training"'; do
  cat >advised.jsonc <<SCENARIO
{ "reeve": 1, "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "5d" },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ { "name": "spot", "instance_type": "m", "capacity": 1, "market": "spot" },
             { "name": "od", "instance_type": "m", "capacity": 1 } ],
  "platform": { "model": $platform, "startup": "5m" },
  "jobs": [ { "name": "a", "fleet": "spot", "work": "10h", "checkpoint": { "every": "1h" } } ],
  "policies": { "none": [] } }
SCENARIO
  run 0 compare advised.jsonc
  has stdout "$note"
  if [ "$platform" = '"gcp"' ]; then
    has stdout "$note and a rule restarts the job at once (Spot requests are one-time)"
  else
    lacks stdout 'one-time'
  fi
done

# The same number of jobs is done by 3h, but not the same jobs: the long one, or the short one.
# The difference of their means is no gain.
cat >others.jsonc <<'JSONC'
{ "reeve": 1, "name": "others", "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3h" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 1 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "jobs": [ { "name": "long", "work": "3h" }, { "name": "short", "work": "2h" } ],
  "policies": { "fifo": [ { "rule": "schedule" } ],
                "sjf": [ { "rule": "schedule", "algorithm": "sjf" } ] } }
JSONC
run 0 compare others.jsonc
has stdout 'mean JCT is over finished jobs, which differ between policies'
has stdout 'It finishes different jobs than fifo, so their mean JCT cannot be compared.'
lacks stdout 'the mean job finishes'

# What one policy gains of reserved capacity against another, the other loses against it.
amazon=$source_root/tests/rules/schedule/kueue-amazon-search.jsonc
run 0 compare "$amazon" -p kueue,defaults --baseline kueue
has stdout 'defaults recovers 11.25 instance-hours of reserved capacity against kueue.'
run 0 compare "$amazon" -p kueue,defaults --baseline defaults
has stdout 'kueue loses 11.25 instance-hours of reserved capacity against defaults.'

# --- Replications are added until the headline is precise enough; then it is what it says.
run 0 init drawn-stalls --force
run 0 compare drawn-stalls.jsonc --precision 5% --json
cp stdout precise.json
python3 - <<'PYTHON' || fail "the precision is not reached"
import json
study = json.load(open("precise.json"))
text = json.dumps(study, ensure_ascii=False)
assert study["runs"] > 20 and study["runs"] == study["runs_asked"], study["runs"]
assert "precision 5% of the headline is reached: ± " in text
PYTHON
runs=$(python3 -c 'import json; print(json.load(open("precise.json"))["runs"])')
run 0 compare drawn-stalls.jsonc --runs "$runs"
python3 - <<'PYTHON' || fail "the interval is wider than 5 %"
import re
text = open("stdout", encoding="utf-8").read()
saved, half = re.search(r"saves \$([\d,.]+) ± \$([\d,.]+) of", text).groups()
assert float(half.replace(",", "")) <= 0.05 * float(saved.replace(",", "")), (saved, half)
PYTHON
checks=$((checks + 2))
run 0 init stalled-weekend --force
run 0 compare stalled-weekend.jsonc --precision 1%
lacks stdout 'of the headline'
run 64 compare drawn-stalls.jsonc --precision 5
run 64 compare drawn-stalls.jsonc --precision 5% --what-if-speed 2
done_checking
