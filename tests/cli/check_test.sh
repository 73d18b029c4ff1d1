#!/usr/bin/env bash
# reeve check: findings with their place on stdout, exit 3 for errors, and for warnings if asked.
source "$(dirname "$0")/expect.bash"

run 0 init stalled-weekend
sed 's/"ml.demo.8gpu", "instances": 8/"ml.demo.8gpuu", "instances": 8/' \
  stalled-weekend.jsonc >typo.jsonc
run 3 check typo.jsonc
has stdout 'error[E0203]'
has stdout 'did you mean "ml.demo.8gpu"?'
has stdout 'exit 3'
is_empty stderr
run 0 explain E0203
has stdout 'instance type'
run 3 check typo.jsonc --format json
is_json stdout
has stdout '"E0203"'

sed 's/"threshold": 1,/"threshold": 80,/' stalled-weekend.jsonc >doubtful.jsonc
run 0 check doubtful.jsonc
has stdout 'warning[W0412]'
run 3 check --fail-on-warn doubtful.jsonc
run 3 check doubtful.jsonc typo.jsonc
has stdout E0203
has stdout W0412

# What check refuses, run and compare refuse as well.
sed '/"policies"/,$d' stalled-weekend.jsonc >no-policies.jsonc
echo '  "policies": {} }' >>no-policies.jsonc
for command in check run compare; do
  run 3 $command no-policies.jsonc
  cat stdout stderr >both
  has both 'error[E0205]: "policies" is empty'
done

# For code hosts: a line for each finding on GitHub, a log of SARIF elsewhere; places and texts
# are those of --format json.
cp typo.jsonc 'a, b: 100%.jsonc'
run 3 check typo.jsonc 'a, b: 100%.jsonc' doubtful.jsonc --format github
has stdout '::error title=E0203,file=typo.jsonc,line='
has stdout ',file=a%2C b%3A 100%25.jsonc,line='
has stdout '::warning title=W0412,file=doubtful.jsonc,line='
[ "$(grep -c '^::' stdout)" = "$(wc -l <stdout)" ] || fail "a finding is not one line"
run 3 check typo.jsonc 'a, b: 100%.jsonc' doubtful.jsonc --format json
cp stdout findings.json
run 3 check typo.jsonc 'a, b: 100%.jsonc' doubtful.jsonc --format sarif
is_json stdout
python3 - <<'PYTHON' || fail "the log of SARIF says something else than --format json"
import json
from urllib.parse import unquote
found = json.load(open("findings.json"))["diagnostics"]
log = json.load(open("stdout"))
assert log["version"] == "2.1.0"
run = log["runs"][0]
results = run["results"]
assert len(found) == len(results) > 2
assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {one["code"] for one in found}
for one, result in zip(found, results):
    place = result["locations"][0]["physicalLocation"]
    region = place["region"]
    assert (result["ruleId"], result["level"]) == (one["code"], one["severity"])
    assert result["message"]["text"].startswith(one["message"])
    assert unquote(place["artifactLocation"]["uri"]) == one["file"]
    assert (region["startLine"], region["startColumn"]) == (one["line"], one["column"])
    assert region["endColumn"] - region["startColumn"] == one["length"]
PYTHON

# A finding with several places names each of them: five jobs whose faults never come.
{
  echo '{ "reeve": 1, "name": "many",'
  echo '  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },'
  echo '  "fleet": [ { "instance_type": "m", "capacity": 9 } ], "policies": { "none": [] },'
  echo '  "jobs": ['
  for i in 1 2 3 4 5; do
    comma=$([ $i = 5 ] || echo ,)
    echo "{ 'name': 'j$i', 'work': '1h', 'faults': [ { 'at': '2h', 'kind': 'stall' } ] }$comma" |
      tr "'" '"'
  done
  echo '  ] }'
} >many.jsonc
run 0 check many.jsonc --format github
[ "$(grep -c '^::warning title=W0402,file=many.jsonc,line=' stdout)" -eq 5 ] || fail "not 5 lines"
for line in 5 6 7 8 9; do has stdout ",line=$line,"; done
run 0 check many.jsonc --format sarif
python3 -c '
import json
(result,) = json.load(open("stdout"))["runs"][0]["results"]
assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
places = [one["physicalLocation"]["region"]["startLine"] for one in result["relatedLocations"]]
assert places == [6, 7, 8, 9], places' || fail "sarif lacks places"
run 0 check many.jsonc --format json
python3 -c '
import json
(found,) = json.load(open("stdout"))["diagnostics"]
assert [place["line"] for place in found["again"]] == [6, 7, 8, 9], found' || fail "not in json"

# What is doubtful in a built-in preset stands where it is used.
cat >preset.jsonc <<'END'
{ "reeve": 1, "name": "preset",
  "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "m", "capacity": 9 } ], "jobs": [ { "name": "j", "work": "1h" } ],
  "rules": { "blog-as-printed": { "max_resumes": 1 } },
  "policies": { "p": [
    { "rule": "resume", "use": "blog-naive" },
    { "rule": "resume", "use": "blog-as-printed", "name": "own" } ] } }
END
run 0 check preset.jsonc
has stdout 'warning[W0439]: whole days of run time are ignored'
has stdout '--> preset.jsonc:6:25'
has stdout 'note: on line 15 of the built-in preset "blog-naive": "measure": "seconds_field",'
lacks stdout '--> the built-in preset'
# And a preset of the file that hides a built-in one is told.
has stdout 'warning[W0407]: your preset hides the built-in preset "blog-as-printed"'

# Nothing a file can hold makes the program crash.
printf '' >empty.jsonc
head -c 4096 /dev/urandom >noise.jsonc
printf '%0.s[' {1..100000} >deep.jsonc
mkdir folder
for file in empty.jsonc noise.jsonc deep.jsonc folder; do run 3 check "$file"; done
for file in empty.jsonc noise.jsonc deep.jsonc; do run 3 compare "$file"; done
# Times in milliseconds where seconds are meant: recorded GPUs (W0493) and offers of Spot (W0483).
cat >units.jsonc <<'END'
{ "reeve": 1, "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "HORIZON" },
  "prices": { "instances": { "m": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ { "instance_type": "m", "capacity": 4, "market": "spot",
    "availability": { "trace": "offers.csv", "format": "csv" } } ],
  "jobs": [ { "name": "j", "work": "WORK", "checkpoint": { "every": "5m" },
    "gpu_util": { "trace": "gpus.csv" } } ] }
END
# with UTIL_DISTANCE WORK OFFER_DISTANCE HORIZON: 61 samples of GPUs and 61 changes of offers
with() {
  sed -e "s/WORK/$2/" -e "s/HORIZON/$4/" units.jsonc >unit.jsonc
  awk -v d="$1" 'BEGIN { print "t_s,gpu_util_pct"; for (i = 0; i < 61; ++i) print i * d "," i }' \
    >gpus.csv
  awk -v d="$3" \
    'BEGIN { print "t_s,instances"; for (i = 0; i < 61; ++i) print i * d "," i % 2 + 3 }' \
    >offers.csv
  run 0 check unit.jsonc
}
with 60000 1h 3600000 60h  # an hour by the minute, 60 hours by the hour: 1,000 times as long
has stdout 'warning[W0493]: the GPU trace lasts 1016h40m, but the job trains for 1h'
has stdout 'if these are milliseconds'
has stdout 'warning[W0483]: the trace lasts 60000h, the clock 60h'
run 0 explain W0493
has stdout 'in milliseconds'
with 60 1h 3600 60h  # the same in seconds
lacks stdout W0493
lacks stdout W0483
with 60003 1h 3600003 60h  # not by thousands, and never by minutes; 1,000 clocks and a little
has stdout W0493
has stdout 'these may be milliseconds'
with 60000 11h 3600003 61h  # less than 100 trainings, less than 1,000 clocks of odd times
lacks stdout W0493
lacks stdout W0483
with 3600 30m 3600 30m  # by the hour: 122 trainings and 120 clocks of half an hour, in seconds
lacks stdout W0493
lacks stdout W0483
# A plug-in that cannot be loaded is a finding like others, in the form that was asked for.
echo "no object" >text.so
run 3 --plugin ./text.so check many.jsonc --format sarif
python3 - <<'PYTHON' || fail "no SARIF where a plug-in cannot be loaded"
import json
(run,) = json.load(open("stdout"))["runs"]
assert [r["ruleId"] for r in run["results"]] == ["E0295"], run
PYTHON
for words in "--format json" "--json" "--json --format json"; do
  run 3 --plugin ./text.so check many.jsonc $words
  python3 - <<'PYTHON' || fail "no JSON where a plug-in cannot be loaded"
import json
found = json.load(open("stdout"))
assert [d["code"] for d in found["diagnostics"]] == ["E0295"] and found["exit"] == 3, found
PYTHON
done

# A trace that is not there may be what makes a run random.
cat >no-trace.jsonc <<'SCENARIO'
{ "reeve": 1, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "2d" },
  "random": { "seed": 1, "runs": 5 },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 8 } ],
  "workload": { "trace": "nowhere.csv",
                "drawn_faults": [ { "kind": "stall", "after": { "exponential": "20h" } } ] },
  "policies": { "none": [] } }
SCENARIO
run 3 check no-trace.jsonc
has stdout nowhere.csv
lacks stdout W0416

# A file of another program is named, if it has no key of a scenario.
echo '[ { "jobQueueName": "q", "state": "ENABLED" } ]' >queues.json
run 3 check queues.json
has stdout 'E0301'
has stdout 'reeve import batch'
echo '{ "policies": { "jobQueueName": [] } }' >own.json
run 3 check own.json
lacks stdout 'E0301'

# Two forms at once are refused.
for format in sarif github text; do
  run 64 --json check many.jsonc --format $format
  is_json stdout
  has stderr "contradict"
done
done_checking
