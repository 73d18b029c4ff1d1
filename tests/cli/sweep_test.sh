#!/usr/bin/env bash
# reeve sweep: cells equal the same scenario written by hand; shards, interruptions and a killed
# process do not change a byte of the tables.
source "$(dirname "$0")/expect.bash"

run 0 init drawn-stalls
file=drawn-stalls.jsonc
alarm=policies.alarm.stalled_gpu

# The bytes of two sweeps.
same_tables() {
  local table
  for table in cells.csv sweep.csv effects.csv datapackage.json; do
    cmp -s "$1/$table" "$2/$table" || fail "$1/$table and $2/$table differ"
    checks=$((checks + 1))
  done
}

# --- A cell has the numbers of a file with its values.
run 0 sweep "$file" --set "$alarm.period=1m,10m" --set platform.startup=1m,20m \
  -p none,alarm -o grid
has stdout 'most net_saving_usd: alarm with period 1m, startup 1m, '
has stdout '    0  default       5m  none '
sed 's/{ "rule": "stalled_gpu" } \],/{ "rule": "stalled_gpu", "period": "10m" } ],/;
  s/"startup": "5m"/"startup": "20m"/' "$file" >by-hand.jsonc
run 99 compare by-hand.jsonc -p none,alarm --json
python3 - <<'PYTHON' || fail "cell 4 is not what compare says of the same values"
import csv, json
measures = json.load(open("stdout"))["policies"]
rows = [row for row in csv.DictReader(open("grid/sweep.csv")) if row["cell"] == "4"]
compared = 0
for row in rows:
    of = measures[row["policy"]]["measures"].get(row["metric"])
    if of is None or of["value"] is None:
        continue
    assert abs(float(row["mean"]) - of["value"]) < 1e-6 * max(1, abs(of["value"])), (row, of)
    assert "lo" not in of or abs(float(row["lo"]) - of["lo"]) < 1e-6 * max(1, abs(of["lo"])), row
    compared += 1
assert compared >= 16, compared
saved = {row["policy"]: row for row in rows if row["metric"] == "net_saving_usd"}
parts = [(row["policy"], float(row["mean"])) for row in rows
         if row["metric"] in ("wasted_usd", "guardrail_usd")]
by_hand = sum(v for p, v in parts if p == "none") - sum(v for p, v in parts if p == "alarm")
assert abs(float(saved["alarm"]["mean"]) - by_hand) < 1e-6 * by_hand
PYTHON
checks=$((checks + 1))

# --- A key that concerns one policy leaves the baseline as it is: paired, the difference is exact.
python3 - <<'PYTHON' || fail "the effect of startup on the baseline is not its cost"
import csv
rows = list(csv.DictReader(open("grid/sweep.csv")))
def of(cell, policy, metric, column):
    return float(next(r[column] for r in rows if (r["cell"], r["policy"], r["metric"]) ==
                      (cell, policy, metric)))
# 1m instead of 5m and 20m instead of 5m, with the same draws of everything else.
assert of("1", "none", "billed_usd", "mean") == of("3", "none", "billed_usd", "mean")
assert of("1", "none", "missed_stalls", "change") == 0
assert of("1", "none", "billed_usd", "change_hi") < 0 < of("2", "none", "billed_usd", "change_lo")
PYTHON
checks=$((checks + 1))

# --- Shards in any order, and one twice, give the bytes of one machine.
sweep=(--set "$alarm.period=1m,5m,10m" --set workload.jobs=20,60 -p none,alarm --runs 30)
run 0 -q sweep "$file" "${sweep[@]}" -o whole
cp stdout whole.txt
run 0 sweep plan "$file" "${sweep[@]}" -o parts --shards 3
has stderr '7 cells in 3 shards, 0 to 2'
has stderr 'reeve sweep slurm parts'
run 0 sweep shard parts 2
SLURM_ARRAY_TASK_ID=1 run 0 sweep shard parts
run 1 sweep merge parts
has stderr '3 of 7 cells are missing: shards 0'
run 0 sweep status parts
has stdout '       3   0'
has stdout 'next: reeve sweep shard parts N, or reeve sweep slurm parts'
AWS_BATCH_JOB_ARRAY_INDEX=0 run 0 sweep shard parts
PARALLEL_SEQ=3 run 0 sweep shard parts
has stderr 'shard 2 of 3 is done'
run 0 sweep shard parts 1
run 0 -q sweep merge parts
cmp -s stdout whole.txt || fail "the merged tables are not those of one machine"
same_tables whole parts

# --- A damaged cell is run again.
echo '{"key":"' >parts/cells/000003.json
run 0 sweep status parts
has stdout 'shard parts'
run 0 -q sweep "$file" "${sweep[@]}" -o parts
same_tables whole parts

# --- Interrupted and killed at any point, once or three times in a row, the same command goes on,
# and leaves what one that was never cut leaves.  REEVE_KILLS=200 is the long test.
kills=${REEVE_KILLS:-10}
long=$(date +%s%N)
run 0 -q sweep "$file" "${sweep[@]}" -o timed
long=$((($(date +%s%N) - long) / 1000))  # microseconds
for signal in INT KILL; do
  cuts=0
  for ((nth = 1; nth <= kills; ++nth)); do
    delay=$(python3 -c "import random; print(random.Random($nth).random() * $long * 1.1e-6)")
    (timeout -s "$signal" "$delay" "$REEVE" -q sweep "$file" "${sweep[@]}" -o cut || exit 1) \
      >/dev/null 2>&1 || cuts=$((cuts + 1))
    case $((nth % 4)) in 1 | 2) [ "$nth" -eq "$kills" ] || continue ;; esac
    run 0 -q sweep "$file" "${sweep[@]}" -o cut
    cmp -s stdout whole.txt || fail "after SIG$signal the tables differ"
    same_tables whole cut
    # A killed process leaves its temporary file.
    diff -r -x '.*.tmp' whole/cells cut/cells >/dev/null || fail "after SIG$signal the cells differ"
    [ "$signal" = KILL ] || [ -z "$(find cut -name '.*')" ] ||
      fail "after SIG$signal temporary files are left behind"
    rm -r cut
  done
  [ "$cuts" -gt 0 ] || fail "no SIG$signal came in time"
  echo "$kills times SIG$signal, $cuts of them before the end"
done

# --- Samples of ranges.
run 0 sweep "$file" --set platform.startup=1m..20m --set workload.jobs=20..80 --sample sobol:8 \
  --runs 5 -p none,watchdog --json
is_json stdout
python3 - <<'PYTHON' || fail "the samples do not fill their ranges"
import json
tables = json.load(open("stdout"))
rows = [row for row in tables[0]["rows"] if row["cell"] > 0 and row["policy"] == "watchdog"]
assert len(rows) == 8
assert all(row["startup"][-1] == "m" for row in rows)
assert all(1 <= int(row["startup"][:-1]) <= 20 and 20 <= int(row["jobs"]) <= 80 for row in rows)
assert len({row["startup"] for row in rows}) >= 7
effects = {row["key"]: row for row in tables[1]["rows"] if row["policy"] == "watchdog"}
assert effects["workload.jobs"]["lo"] > 0, effects
PYTHON
checks=$((checks + 1))

# --- A key that does nothing has no effect, whatever the others do.
run 0 sweep "$file" --set "$alarm.period=1m,10m" --set title=x,y -p none,alarm --json
python3 - <<'PYTHON' || fail "the title has an effect"
import json
effects = {(row["key"], row["value"]): row for row in json.load(open("stdout"))[1]["rows"]}
for value in "xy":
    assert effects["title", value]["change"] == 0 == effects["title", value]["hi"]
assert effects["policies.alarm.stalled_gpu.period", "1m"]["lo"] > 0
PYTHON

# --- A price changes the bill of the baseline, though no decision.
run 0 sweep "$file" --set prices.instances.ml.demo.8gpu.usd_per_hour=60 -p none,alarm
has stdout '    1            60  none '

# --- Of one random run there is no interval, and no difference is shown.
run 0 sweep "$file" --set platform.startup=1m,20m -p none,alarm --runs 1 -o one
grep -q '^1,none,billed_usd,[0-9.]*,,,-[0-9.]*,,,1$' one/sweep.csv || fail "one run has an interval"
lacks stdout 'differs'

# --- A key that makes the scenario random: its replications run.
run 0 init stalled-weekend
fault='[{"kind":"stall","probability":0.5,"after":{"exponential":"20h"}}]'
run 0 sweep stalled-weekend.jsonc --set "jobs.big-train.drawn_faults=$fault" \
  --set 'jobs.big-train.faults=[]' --runs 50 -p none -o drawn
grep -q '^1,none,billed_usd,.*,50$' drawn/sweep.csv || fail "the random cell has no replications"

# --- A mean over fewer runs is marked, and does not win.
sed "s/\"faults\": \[.*\]/\"faults\": [], \"drawn_faults\": $fault/" \
  stalled-weekend.jsonc >some.jsonc
run 0 sweep some.jsonc --set clock.horizon=72h10m,7d --runs 50 -p none --objective time_to_result
has stdout 'not all runs have a value'
lacks stdout 'least time_to_result: none with horizon 72h10m'

# --- Metrics of actions.
run 0 sweep "$file" --set "$alarm.period=1m" -p none,alarm --runs 3 --objective max:actions.stop_job
has stdout 'most actions.stop_job: alarm '

# --- What cannot be swept.
run 64 sweep "$file" --set random.seed=1,2
has stderr 'use --seed or --runs'
run 64 sweep "$file" --set "$alarm.period=1m,2m" --set policies.alarm.0.period=5m
has stderr 'and another --set name the same value'
run 3 sweep "$file" --set fleet.pool.capacity=4,40 --set 'workload.instances={"8":1},{"1":1}' -o bad
[ ! -e bad ] || fail "a sweep with an invalid cell begins"
run 64 sweep merge parts --baseline alarm
mkdir left && touch left/.plan.json.1-0.tmp
run 0 sweep "$file" --set title=a -p none -o left
run 64 sweep "$file" --set policies.alarm.stalled_gup.period=1m
has stderr 'did you mean "stalled_gpu"?'
run 3 sweep "$file" --set "$alarm.perod=1m"
has stderr "--> $file with $alarm.perod=1m:"
has stderr 'did you mean "period"?'
run 64 sweep "$file" --set platform.startup=1m..20m
has stderr '--sample lhs:64'
run 64 sweep "$file" --set platform.startup=20m..1m --sample lhs:4
run 64 sweep "$file" --set platform.startup=1m,1m
run 64 sweep "$file"
has stderr 'names no key whose values to try'
run 64 sweep "$file" --set platform.startup=1m --objective wasted
has stderr 'did you mean "wasted_usd"?'
run 64 sweep "$file" --set platform.startup=1m -o whole
has stderr 'whole has another sweep'
mkdir used && touch used/file
run 64 sweep "$file" --set platform.startup=1m -o used
has stderr 'used is not empty and has no sweep'
run 64 sweep shard parts 3
has stderr '3 is not a shard from 0 to 2'
run 64 sweep merge nowhere
# Without Slurm, there is no point in waiting.
mkdir empty && cp parts/plan.json empty/
PATH=/nonexistent run 1 sweep slurm empty
has stderr 'sbatch is not found'
# If Slurm takes no job, the driver waits, and an interruption ends it.
mkdir bin && printf '#!/bin/sh\nexit 1\n' >bin/sbatch && chmod +x bin/sbatch
status=0
PATH=$PWD/bin:$PATH timeout -s INT 2 "$REEVE" sweep slurm empty >stdout 2>stderr || status=$?
[ "$status" -eq 124 ] || fail "sweep slurm: exit status $status"
has stderr 'interrupted: the same command goes on'
# All jobs are done in each run: their mean number has the interval that compare has.
run 0 -q sweep "$file" -p watchdog --runs 20 --set platform.startup=5m,10m \
  --metric jobs_unfinished -o bounded
python3 - <<'PYTHON' || fail "an interval is not that of compare"
import csv
for row in csv.DictReader(open("bounded/sweep.csv")):
    low, high = float(row["lo"]), float(row["hi"])
    if row["metric"] == "jobs_done":
        assert high == 50 and abs(low - (50 - 3.6888795 / 20)) < 1e-6, row
    if row["metric"] == "jobs_unfinished":
        assert low == 0 and abs(high - 3.6888795 / 20) < 1e-6, row
PYTHON
# Cells of another trace are not paired with those that are kept.
printf 'job_id,submit_s,duration_s,gpus_total\na,0,3600,8\nb,60,7200,8\n' >trace.csv
cat >traced.jsonc <<'SCENARIO'
{ "reeve": 1, "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "m", "capacity": 2 } ],
  "workload": { "trace": "trace.csv" },
  "platform": { "startup": "5m" }, "policies": { "none": [] } }
SCENARIO
run 0 sweep plan traced.jsonc --set platform.startup=1m,9m --shards 3 -o traced
has traced/plan.json '"trace.csv": "'"$(sha256sum trace.csv | cut -d' ' -f1)"'"'
run 0 sweep shard traced 0
echo 'c,90,7200,8' >>trace.csv
run 64 sweep shard traced 1
has stderr 'trace.csv has changed since the sweep was planned'
run 64 sweep traced.jsonc --set platform.startup=1m,9m -o traced
has stderr 'traced has another sweep'
sed -i '$d' trace.csv
mv traced.jsonc old.jsonc
sed 's|"reeve": 1|"$schema": "./schema.json", "name": "notes", &|' old.jsonc >traced.jsonc
touch schema.json notes
run 0 sweep plan traced.jsonc --set platform.startup=1m,9m --shards 3 -o others
lacks others/plan.json schema.json\":
mv old.jsonc traced.jsonc
rm schema.json notes
run 0 sweep shard others 0
# Also in the middle of a shard, whose other cells it has read.
python3 -c '
print("job_id,submit_s,duration_s,gpus_total")
for job in range(60000):
    print(f"{job},{job},3600,8")' >trace.csv
sed 's/,3600,/,7200,/' trace.csv >other.csv
touch -d 2026-01-01 trace.csv other.csv  # of the same size and time
run 0 sweep plan traced.jsonc --set platform.startup=1m,2m,3m,4m,5m,6m,7m -o middle
"$REEVE" sweep shard middle 0 >stdout 2>stderr &
shard=$!
for _ in $(seq 300); do
  compgen -G 'middle/cells/*.json' >/dev/null && break
  sleep 0.05
done
# In place, so that no cell reads half a file.
dd if=other.csv of=trace.csv conv=notrunc bs=4M status=none
touch -d 2026-01-01 trace.csv
status=0
wait "$shard" || status=$?
[ "$status" -eq 64 ] || fail "a shard of two traces ends with $status"
has stderr 'trace.csv has changed since the sweep was planned'
printf 'job_id,submit_s,duration_s,gpus_total\na,0,3600,8\nb,60,7200,8\n' >trace.csv
run 0 sweep traced.jsonc --set platform.startup=1m,9m -o traced
for change in 's/"baseline": "none"/"baseline": "x"/' 's/"runs": 30/"runs": -1/' \
  's/"cells_per_shard": 3/"cells_per_shard": 0/' 's/"wasted_usd"/"wasted"/'; do
  mkdir -p changed
  sed "$change" parts/plan.json >changed/plan.json
  run 64 sweep merge changed
done
sed -i 's/"engine_version": "[^"]*"/"engine_version": "0.0.1"/' parts/plan.json
run 64 sweep merge parts
has stderr 'is of reeve 0.0.1'

done_checking
