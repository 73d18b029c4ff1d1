#!/usr/bin/env bash
# reeve fit: its table, its files, and traces that say too little.
source "$(dirname "$0")/expect.bash"

# Twelve weeks of jobs each 6 hours, of three users; each tenth fails.
python3 - > jobs.csv <<'PYTHON'
print("job_id,submit_s,user,gpus_total,duration_s,end_status")
for i in range(12 * 28):
    status = "failed" if i % 10 == 7 else "completed"
    print(f"j{i},{i * 21600},u{i % 3},{8},{1800 + 7919 * i % 7200},{status}")
PYTHON

run 0 fit jobs.csv -o fitted
has stdout 'next_week_gpu_hours'
has stderr 'wrote fitted/fit.json and fitted/fit.md'
is_json fitted/fit.json
python3 - <<'PYTHON' || fail "fit.json is not what the trace says"
import json
fit = json.load(open("fitted/fit.json"))
rows = {(row["name"], row["group"]): row for row in fit["quantities"]}
assert fit["jobs"] == 336 and fit["weeks"] == 11, fit["weeks"]
weekly = rows["weekly_jobs", "all"]
assert weekly["value"] == 28 and weekly["interval90"] == [28, 28], weekly
failures = rows["failures", "all"]
hours = sum(1800 + 7919 * i % 7200 for i in range(335)) / 3600
assert failures["n"] == 33, failures
assert abs(failures["value"] - 33 / hours) < 0.002, failures
low, high = failures["interval90"]
assert low < failures["value"] < high
assert all(row["grade"] in "ABCD" for row in rows.values())
PYTHON
has fitted/fit.md '# Fit'

# The same trace gives the same bytes, and its own files may be replaced.
cp fitted/fit.json before.json
run 0 fit jobs.csv -o fitted
cmp -s before.json fitted/fit.json || fail "two fits of one trace differ"

# A file that reeve did not write stays.
mkdir kept && echo mine > kept/fit.md
run 64 fit jobs.csv -o kept
[[ $(cat kept/fit.md) == mine ]] || fail "a file of the user is gone"

# Three weeks are too few to test.
head -90 jobs.csv > short.csv
run 0 fit short.csv
has stderr 'W0615'
run 0 fit short.csv --json
is_json stdout

# Without a length there is nothing to fit.
head -2 jobs.csv > one.csv
run 3 fit one.csv
has stderr 'E0385'
run 3 fit missing.csv
run 64 fit jobs.csv --prior guessed

# Published rates stand in for what no job shows.
sed 's/,completed$/,/; s/,failed$/,/' jobs.csv > silent.csv
run 0 fit silent.csv --prior published
grep -q '^ *D *node_faults' stdout || fail 'no rate that is prior only'
# What the replay leaves out is no part of a forecast, and each forecast that is written loads.
scenario() {  # DIR KEYS
  cat > "$1/s.jsonc" <<JSONC
{ "reeve": 1, "name": "s", "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "until_done" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 1, "gpus": 1, "managed": false } } },
  "fleet": [ { "name": "c", "instance_type": "gpu", "capacity": 9000, "market": "on_demand" } ],
  "platform": { "model": "ideal" },
  "workload": { "trace": "jobs.csv", "instances_from": "gpus_total"$2 },
  "policies": { "as-it-was": [] } }
JSONC
}
mkdir pending equal few left
python3 - <<'PYTHON'
def write(folder, count, row):
    with open(folder + "/jobs.csv", "w") as out:
        out.write("job_id,submit_s,gpus_total,duration_s,end_status\n")
        for i in range(count): out.write(row(i) + "\n")
status = lambda i, count: "running" if i >= count - 5 else "completed"
write("pending", 60, lambda i: f"j{i},{i * 20000},1,{60 + i},completed" if i < 59
      else "p,1300000,1,,pending")
write("equal", 300, lambda i: f"j{i},{i * 14400},1,3600,{status(i, 300)}")
write("few", 500, lambda i: f"j{i},{i * 8640},1,{3600 + i},"
      + ("completed" if i < 11 else "running"))
write("left", 300, lambda i: f"j{i},{i * 14400},1,{3600 + i * 7 % 300},{status(i, 300)}")
PYTHON
scenario pending ''
run 0 fit pending/s.jsonc -o pending --no-hold-out
has stderr 'no forecast was written: two whole weeks'
for folder in equal few; do
  scenario $folder ''
  run 0 fit $folder/s.jsonc -o $folder --no-hold-out
  run 0 check $folder/forecast.jsonc
done
for keys in ', "end_status": "ignore"' ', "first_jobs": 297' ', "first_jobs": 290'; do
  scenario left "$keys"
  run 0 fit left/s.jsonc -o left --no-hold-out
  run 0 check left/forecast.jsonc
done
has left/forecast.jsonc 'Student'
# Of too few weeks no interval holds.
scenario left ', "first_jobs": 180'
run 0 fit left/s.jsonc -o left --no-hold-out
has stderr 'W0616'
has left/forecast.jsonc 'no interval: fewer than 5 whole weeks'
done_checking
