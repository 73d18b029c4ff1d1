#!/usr/bin/env bash
# The report page in headless Chromium: nothing overlaps, charts have data, numbers equal the CSV.
source "$(dirname "$0")/../cli/expect.bash"

[ -x /usr/bin/chromedriver ] || fail "chromium-driver is missing: nothing was checked"
/usr/bin/python3 -c 'import selenium' || fail "python3-selenium is missing: nothing was checked"

run 0 demo -o weekend
run 0 compare "$source_root/scenarios/gallery/drawn-stalls.jsonc" -o stalls --html
run 0 compare "$source_root/scenarios/gallery/deadline-on-spot.jsonc" -o spot --html
run 0 compare "$source_root/scenarios/gallery/head-of-line.jsonc" -o queue --html
run 0 compare "$source_root/tests/page/hostile.jsonc" -o hostile --html
run 0 sweep "$source_root/scenarios/gallery/drawn-stalls.jsonc" --runs 4 \
  --set policies.alarm.stalled_gpu.period=1m,5m,10m,30m \
  --set policies.alarm.stalled_gpu.threshold=1,60,96 -o sweep
run 0 report sweep
run 0 sweep "$source_root/scenarios/gallery/drawn-stalls.jsonc" --runs 4 \
  --set policies.alarm.stalled_gpu.period=1m,5m,10m -o one-key
run 0 report one-key
run 0 run "$source_root/scenarios/gallery/drawn-stalls.jsonc" -p alarm -o single
run 0 report single
# 10,000 jobs: three policies, every list at its limit.
sed 's/"jobs": 50,/"jobs": 10000,/; s/"runs": 20/"runs": 1/; /"expect"/,/\]/d
  s/"gap": "3h"/"gap": "1m"/; s/"capacity": 40/"capacity": 4000/' \
  "$source_root/scenarios/gallery/drawn-stalls.jsonc" >many.jsonc
run 0 compare many.jsonc -o many --html
[ "$(wc -l <many/jobs.csv)" -gt 30000 ] || fail "there are no 10,000 jobs"
size=$(stat -c %s many/index.html)
[ "$size" -lt 5000000 ] || fail "the report of 10,000 jobs has $size bytes"

timeout 600 /usr/bin/python3 "$source_root/tests/page/page_check.py" \
  weekend stalls spot queue hostile sweep one-key single many >checks ||
  { cat checks >&2; fail "see above"; }
cat checks
