#!/usr/bin/env bash
# reeve tune: it finds the setting that a sweep of all settings finds, keeps limits, and judges its
# choice by draws that had no part in it.
source "$(dirname "$0")/expect.bash"

run 0 init drawn-stalls
file=drawn-stalls.jsonc
alarm=policies.alarm.stalled_gpu
keys=(--set "$alarm.period=1m,2m,5m,10m,20m" --set "$alarm.datapoints=[1,1],[2,2],[3,3],[5,5]")

# --- Of 20 settings it runs 12, and finds the best one.
run 0 sweep "$file" "${keys[@]}" -p none,alarm --json
python3 -c 'import json
rows = [row for row in json.load(open("stdout"))[0]["rows"] if row["policy"] == "alarm"]
best = max(rows, key=lambda row: row["net_saving_usd"])
print(best["period"], best["datapoints"])' >best.txt
run 0 tune "$file" "${keys[@]}" -p none,alarm --budget 600 --json -o tuned
python3 - "$(cat best.txt)" <<'PYTHON' || fail "not the best of the sweep: $(cat best.txt)"
import csv, json, sys
table = json.load(open("stdout"))
first = table["rows"][0]
rule = "policies.alarm.stalled_gpu."
period, datapoints = first[rule + "period"], first[rule + "datapoints"]
assert f"{period} {datapoints}" == sys.argv[1], first
settings = {row["cell"] for row in csv.DictReader(open("tuned/sweep.csv"))}
# Two policies with 20 runs each: 600 runs are 15 cells, of which two are run at the end.
assert len(settings) == 13, settings
assert table["closing"][0].startswith(f"best: period {period}, datapoints {datapoints}. ")
assert "With seed 2, which had no part in the choice" in table["closing"][0]
PYTHON
checks=$((checks + 1))
cp stdout first.txt
run 0 tune "$file" "${keys[@]}" -p none,alarm --budget 600 --json --threads 1
cmp -s stdout first.txt || fail "one thread gives other bytes"

# --- What it says of the fresh draws is what a comparison with that seed says.
period=$(cut -d' ' -f1 best.txt)
points=$(cut -d' ' -f2 best.txt)
run 0 sweep "$file" --set "$alarm.period=$period" --set "$alarm.datapoints=$points" \
  -p none,alarm --seed 2 --json
python3 - <<'PYTHON' || fail "the fresh draws are others"
import json
fresh = json.load(open("stdout"))[0]["rows"][-1]["net_saving_usd"]
said = json.load(open("first.txt"))["closing"][0]
assert f"net_saving_usd ${fresh:,.2f} ± " in said, (fresh, said)
PYTHON
checks=$((checks + 1))

# --- A limit excludes what breaks it.
run 0 tune "$file" "${keys[@]}" -p none,alarm --subject-to 'mean_detected_after >= 20m' --json
python3 - <<'PYTHON' || fail "the limit is not kept"
import json
table = json.load(open("stdout"))
first = table["rows"][0]
assert first["keeps"] is True and first["mean_detected_after"] >= 1200, first
assert any(row["keeps"] is False for row in table["rows"]), "all keep it"
assert "mean_detected_after >= 20m" in table["closing"][1]
PYTHON
checks=$((checks + 1))
run 1 tune "$file" "${keys[@]}" -p none,alarm --subject-to 'missed_stalls < -1' --budget 400
has stdout 'no setting keeps the limits'

# --- A scenario without randomness needs one run of each setting.
run 0 init stalled-weekend
run 0 tune stalled-weekend.jsonc -p none,gpu-alarm \
  --set policies.gpu-alarm.stalled_gpu.period=1m..30m --budget 100
has stdout 'best: period 1m'

# --- What cannot be tuned.
run 64 tune "$file" "${keys[@]}"
has stderr 'tune varies one policy'
run 64 tune "$file" -p none,alarm
has stderr '--set names no key'
run 64 tune "$file" "${keys[@]}" -p none,alarm --subject-to 'missed_stalls'
has stderr 'is no limit'
run 64 tune "$file" "${keys[@]}" -p none,alarm --subject-to 'misses <= 1'
run 64 tune "$file" "${keys[@]}" -p none,alarm --budget 10
has stderr 'a budget of 10 runs is less than three cells'
run 3 tune "$file" -p none,alarm --set "$alarm.perod=1m..5m"
run 64 tune "$file" "${keys[@]}" -p none,alarm -o .
done_checking
