#!/usr/bin/env bash
# F44: what a quarter more speed is worth: 72 h become 57.6 h, $17,280.00 become $13,824.00.
source "$(dirname "$0")/expect.bash"

cat > slow.jsonc <<'JSON'
{
  "reeve": 1,
  "name": "slow",
  "clock": { "start": "2026-05-22T18:00:00Z", "horizon": "7d" },
  "prices": { "instances": { "ml.demo.8gpu": { "usd_per_hour": 30.00, "gpus": 8 } } },
  "fleet": [ { "instance_type": "ml.demo.8gpu", "capacity": 8 } ],
  "platform": { "model": "sagemaker-training", "startup": "0s", "first_startup": "0s" },
  "jobs": [ { "name": "train", "instances": 8, "work": "72h", "max_runtime": "7d" } ],
  "policies": { "none": [] }
}
JSON
run 0 compare slow.jsonc --what-if-speed 1.25
has stdout 'at 1.25 times the speed none bills $3,456.00 less; results 14h24m00s sooner'
run 0 compare slow.jsonc --what-if-speed 1
has stdout 'at 1 times the speed none bills the same; results the same'
run 64 compare slow.jsonc --what-if-speed 0
run 64 compare slow.jsonc --what-if-speed nan

# Half as fast, the deadline of a rule comes before the end of the work: its stop is a change that
# is told, and everything told is exported.
cap='"cap": [ { "rule": "max_runtime", "limit": "80h", "enforce_by": "clock" } ]'
sed "s/\"none\": \[\]/&, $cap/" slow.jsonc >capped.jsonc
run 0 compare capped.jsonc --what-if-speed 0.5 -o out/speed
has stdout 'stops of max_runtime: policy violation 1 instead of 0'
run 0 compare capped.jsonc --what-if-speed 0.5 --json
python3 - <<'PYTHON' || fail "what another speed is worth is not exported"
import csv, json
data = json.load(open("stdout"))["what_if_speed"]
rows = list(csv.DictReader(open("out/speed/speed.csv")))
assert data["factor"] == 0.5 and {r["factor"] for r in rows} == {"0.5"}
by_key = {(n["policy"], n["metric"]): n for n in data["numbers"]}
assert len(by_key) > 40 and len(rows) > 40
for row in rows:
    number = by_key[row["policy"], row["metric"]]
    for column, name in (("mean", "value"), ("mean_then", "then"), ("diff", "diff")):
        assert (float(row[column]) if row[column] else None) == number[name], (row, number)
none = by_key["none", "billed_usd"]
assert (none["value"], none["then"], none["diff"]) == (17280, 34560, 17280), none
assert by_key["cap", "rule.max_runtime.kept_rule_stops"]["diff"] == 1
package = json.load(open("out/speed/datapackage.json"))
assert "speed" in {r["name"] for r in package["resources"]}
PYTHON

# Of several random runs each figure has its interval, and the note says of how many runs.
run 0 init drawn-stalls
run 0 compare drawn-stalls.jsonc -p none --runs 6 --what-if-speed 1.25
sure='none bills \$[0-9,.]+ ± \$[0-9,.]+ less over 6 paired runs; results [0-9hms]+ ± '
grep -qE "$sure" stdout ||
  fail "the difference has no interval"
cp stdout printed
run 0 compare drawn-stalls.jsonc -p none --runs 6 --what-if-speed 1.25 -o out/drawn --json
python3 - <<'PYTHON' || fail "the interval is not exported"
import csv, json
numbers = json.load(open("stdout"))["what_if_speed"]["numbers"]
bill = next(n for n in numbers if n["metric"] == "billed_usd")
assert bill["runs"] == 6 and bill["lo"] < bill["diff"] < bill["hi"] < 0, bill
half = (bill["hi"] - bill["lo"]) / 2
assert f"${-bill['diff']:,.2f} ± ${half:,.2f} less" in open("printed").read(), bill
row = next(r for r in csv.DictReader(open("out/drawn/speed.csv")) if r["metric"] == "billed_usd")
assert (float(row["lo"]), float(row["hi"])) == (bill["lo"], bill["hi"]), row
PYTHON

# The counts of stops are means without interval, which the note says.
run 0 compare drawn-stalls.jsonc -p alarm --runs 6 --what-if-speed 1.25
has stdout 'mean stops of stalled_gpu (point estimates): right '

run 0 compare capped.jsonc -o out/speed
[ ! -e out/speed/speed.csv ] || fail "a table of another study is left"
done_checking
