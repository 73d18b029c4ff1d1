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
has stdout 'warning[W0493]: the trace of GPUs lasts 1016h40m, the job trains for 1h'
has stdout 'are these milliseconds?'
has stdout 'warning[W0483]: the trace lasts 60000h, the clock 60h'
run 0 explain W0493
has stdout '1,000 milliseconds'
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
done_checking
