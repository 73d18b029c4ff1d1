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
done_checking
