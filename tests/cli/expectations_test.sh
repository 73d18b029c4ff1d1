#!/usr/bin/env bash
# An untrue line: exit 99, with what came out and where it stands; nothing tested is no success.
source "$(dirname "$0")/expect.bash"

run 0 init stalled-weekend
sed 's/"detected_after == 16m"/"detected_after == 17m"/' stalled-weekend.jsonc >untrue.jsonc
line=$(grep -n 'detected_after == 17m' untrue.jsonc | cut -d: -f1)
run 99 test untrue.jsonc --junit junit.xml
has stdout '✗ gpu-alarm: detected_after == 17m'
has stdout "untrue.jsonc:$line: gpu-alarm: measured 16m00s; expected == 17m"
has stdout '8 passed, 1 failed'
has junit.xml '<failure message="gpu-alarm: measured 16m00s; expected == 17m">'
run 99 compare untrue.jsonc
has stdout '✗ 8 of 9 expectations'
has stdout "untrue.jsonc:$line"
run 99 test untrue.jsonc --json
is_json stdout

# One cent beside the tolerance is untrue; with "*" each policy must agree.
sed 's/312.13 +- 0.01/312.15 +- 0.01/' stalled-weekend.jsonc >cent.jsonc
run 99 test cent.jsonc
sed 's/"none",         "that": "wasted_usd == 17040.00"/"*", "that": "wasted_usd == 17040.00"/' \
  stalled-weekend.jsonc >star.jsonc
run 99 test star.jsonc
has stdout 'cap-24h: measured $5,520.00'
lacks stdout 'none: measured'

# == holds in every run, however well a mean hits it; < is of the mean.
cat >halves.jsonc <<'SCENARIO'
{
  "reeve": 1,
  "random": { "seed": 1, "runs": 20 },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu", "capacity": 1 } ],
  "jobs": [
    {
      "name": "train", "work": "1h",
      "drawn_faults": [
        { "kind": "failure", "probability": 0.5, "after": { "uniform": ["1m", "50m"] } },
      ],
    },
  ],
  "expect": [
    { "that": "jobs_done == 0.5 +- 0.4" },
    { "that": "jobs_done < 1" },
    { "that": "attempts == 1" },
  ],
}
SCENARIO
run 99 test halves.jsonc
has stdout '✗ *: jobs_done == 0.5 +- 0.4'
first='none: measured (0|1) in replication 0, the first of 20 that fail, of 20'
mean='expected == 0.5 \+- 0.4; 95 % interval of the mean: 0\.[0-9]+ to 0\.[0-9]+'
grep -qE "halves.jsonc:15: $first; $mean" stdout ||
  fail "the first replication that breaks the line is not named"
has stdout '✓ *: jobs_done < 1'
has stdout '✓ *: attempts == 1'
has stdout '3 passed, 1 failed'
run 99 compare halves.jsonc --json
is_json stdout
has stdout '"broken_replications"'

sed '/"expect": \[/,/^  \]/d' stalled-weekend.jsonc >silent.jsonc
run 99 test silent.jsonc
has stdout 'no expectations'
has stderr 'nothing was tested'
run 0 test silent.jsonc stalled-weekend.jsonc

sed 's/wasted_usd == 17040/wastd_usd == 17040/' stalled-weekend.jsonc >misspelt.jsonc
run 3 test misspelt.jsonc stalled-weekend.jsonc
has stderr E0221
has stderr wasted_usd
has stdout '9 passed, 0 failed, 1 invalid'
# A line about an instant is told with it.
file=$source_root/tests/rules/schedule/allocated-at.jsonc
sed 's/"at": "2h", /"at": "3h", /' "$file" >instant.jsonc
run 99 test instant.jsonc --junit instant.xml
has stdout '✓ *: pool.p4.allocated == 10 at 1h'
has stdout '✗ *: pool.p4.allocated == 8 at 3h'
has stdout 'fifo: measured 0'
has instant.xml 'name="*: pool.p4.allocated == 8 at 3h"'
run 99 compare instant.jsonc
has stdout 'pool.p4.allocated == 8 at 3h; none: measured 0'
run 99 compare instant.jsonc --json
has stdout '"at_s": 10800.0'
run 0 check instant.jsonc
mkdir empty
run 64 test empty
done_checking
