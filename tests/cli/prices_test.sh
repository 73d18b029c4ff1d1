#!/usr/bin/env bash
# reeve prices: what is in the books, what changed between two days, what a file may not hold.
source "$(dirname "$0")/expect.bash"

run 0 prices list
has stdout 'p4d.24xlarge'
has stdout '$32.7726/h'
has stdout '$21.957642/h'
has stdout 'EC2 On-Demand Pricing page'
run 0 prices list aws-us-east-1@2025-06-22 --type 'p4d*'
has stdout '$32.7726/h'
lacks stdout '$21.957642/h'
lacks stdout 'p5.48xlarge'
run 0 prices list --json
is_json stdout
python3 - <<'PYTHON' || fail "a row without source or date"
import json
rows = json.load(open("stdout"))["rows"]
assert len(rows) >= 40, len(rows)
assert all(row["source"] and row["valid_from"] for row in rows)
assert {row["service"] for row in rows} == {"ec2", "sagemaker"}
PYTHON

run 64 prices list aws-us-east-1@2024-02-30
has stderr 'invalid date 2024-02-30'
run 64 prices list --premium --type 'g5*'
has stderr 'no SageMaker price to compare'
run 64 prices list --premium --type 'zz*'
has stderr 'no type that matches "zz*"'
run 0 prices list aws-us-east-1@2025-06-01 --premium --json
python3 - <<'PYTHON' || fail "the premium is not the ratio of two dated rows"
import json
premiums = {row["instance_type"]: row for row in json.load(open("stdout"))["premiums"]}
p5 = premiums["ml.p5.48xlarge"]
assert (p5["managed_usd_per_hour"], p5["ec2_usd_per_hour"]) == (113.068, 98.32), p5
assert abs(p5["ratio"] - 113.068 / 98.32) < 1e-12 and p5["ec2_from"] == "2023-07-26", p5
PYTHON
run 0 prices list --premium --type 'ml.g5.*'
has stdout '1.2500'
lacks stdout 'ml.p5'

run 0 prices diff aws-us-east-1@2025-06-01 aws-us-east-1@2025-07-01
has stdout 'p4d.24xlarge'
has stdout '−33.0 %'
lacks stdout 'g5.xlarge'
run 0 prices diff aws-us-east-1@2025-06-01 aws-us-east-1@2025-07-01 --json
is_json stdout
run 0 prices diff aws-us-east-1@2025-06-24 aws-us-east-1@2025-07-01
has stdout 'no price differs'

# A book of one's own: checked, compared, and used by a scenario beside it.
header=$(grep ^valid_from "$source_root/scenarios/prices/aws-us-east-1.csv")
mkdir prices
{
  echo "$header"
  echo '2026-01-01,us-east-1,ec2,on_demand,p5.48xlarge,40,8,,contract 7,2026-05-01,list'
  echo '2026-01-01,us-east-1,ec2,on_demand,ours.8gpu,12.50,8,,contract 7,2026-05-01,list'
} >prices/ours.csv
run 0 prices validate prices/ours.csv
has stdout '2 rows, 2 types, dates 2026-01-01…2026-01-01, sources 1'
head -2 prices/ours.csv >one.csv
run 0 prices validate one.csv
has stdout 'one.csv: 1 row, 1 type, dates'
cat >dear.csv <<CSV
$header
2026-01-01,us-east-1,ec2,on_demand,p5.48xlarge,40,8,,contract 7,2026-04-01,list
2026-01-01,us-east-1,ec2,spot,p5.48xlarge,55,8,,history,2026-04-01,list
CSV
run 0 prices validate dear.csv
has stdout 'warning[W0479]: "p5.48xlarge" costs more on Spot than on-demand'
has stdout '2 rows'
cat >senseless.csv <<CSV
$header
2026-01-01,us-east-1,ec2,on_demand,p5.48xlarge,3000000,8,,contract 7,2026-04-01,list
2026-01-01,us-east-1,ec2,on_demand,p4d.24xlarge,30,8,,contract 7,2025-12-01,list
2026-02-01,us-east-1,ec2,on_demand,p4d.24xlarge,30,16,,contract 7,2026-04-01,list
CSV
run 3 prices validate senseless.csv
has stdout E0280
has stdout E0281
has stdout E0282
run 0 prices diff aws-us-east-1@2026-01-01 prices/ours.csv --type 'p5.*' --json
python3 - <<'PYTHON' || fail "what differs between a book and a file"
import json
changes = {(c["market"], c["instance_type"]): c for c in json.load(open("stdout"))["changes"]}
p5 = changes[("on_demand", "p5.48xlarge")]
assert p5["change"] == "changed" and abs(p5["percent"] - 100 * (40 / 55.04 - 1)) < 1e-9, p5
assert changes[("spot_band", "p5.48xlarge")]["change"] == "removed"
PYTHON
cat >own.jsonc <<'JSON'
{ "reeve": 1, "prices": { "book": "prices/ours.csv" },
  "clock": { "start": "2026-05-22T00:00:00Z" }, "platform": { "model": "ideal" },
  "fleet": [ { "instance_type": "ours.8gpu", "capacity": 1 } ],
  "jobs": [ { "name": "a", "work": "2h" } ], "policies": { "none": [] },
  "expect": [ { "policy": "*", "that": "billed_usd == 25" } ] }
JSON
run 0 check --fail-on-warn own.jsonc
run 0 test own.jsonc
run 0 run own.jsonc -o out
has out/runs.csv ',prices/ours.csv@2026-05-22,'

{
  echo "$header"
  echo '2026-01-01,us-east-1,ec2,on_demand,p5.48xlarge,40,8,,,,'
  echo '2026-01-01,us-east-1,ec2,on_demand,p4d.24xlarge,-1,8,,contract 7,,'
} >bad.csv
echo "$header" >empty.csv
run 3 prices validate prices/ours.csv bad.csv
has stdout 'error[E0345]'
has stdout 'error[E0348]'
has stdout '2 errors'
run 3 prices validate bad.csv --json
is_json stdout
run 3 prices validate empty.csv
has stdout 'E0349'
run 3 prices validate nowhere.csv
has stdout 'E0001'
run 0 explain E0345

run 64 prices
run 64 prices lsit
run 64 prices list aws-us-east1
has stderr 'did you mean "aws-us-east-1"?'
run 64 prices list aws-us-east-1@yesterday
run 64 prices list --type 'p5.48xlrage'
has stderr 'did you mean "p5.48xlarge"?'
run 64 prices diff aws-us-east-1
run 64 prices validate
run 64 prices validate prices/ours.csv --premium
run 0 help prices
has stdout 'reeve prices diff'
run 0 completion bash
has stdout 'list diff validate aws-us-east-1'
done_checking
