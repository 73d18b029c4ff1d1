#!/usr/bin/env bash
# The demo: the table of the $17,280 weekend, word for word but for its time.
source "$(dirname "$0")/expect.bash"

run 0 demo
grep -qF "$(grep -o 'digest [0-9a-f]\{4\}…[0-9a-f]\{4\}' "$source_root/README.md")" stdout ||
  fail "the README shows another digest"
sed -E 's/digest [0-9a-f]{4}…[0-9a-f]{4}   [0-9]+ ms$/digest DIGEST   TIME ms/' stdout >masked
diff -u "$source_root/tests/cli/demo.golden" masked >difference || {
  cat difference >&2
  fail "the demo says something else"
}
has stderr out/demo
lacks stdout $'\x1b'
for table in runs jobs attempts ledger utilization decisions events alarms compare; do
  [ -s "out/demo/$table.csv" ] || fail "no $table.csv"
done
is_json out/demo/datapackage.json
grep -qF '"compare.csv"' out/demo/datapackage.json || fail "compare.csv is not described"

# It prints what compare prints of its scenario.
table() { sed -E '/^ next: /d; s/   [0-9]+ ms$//' "$1"; }
cp stdout demo
run 0 compare out/demo/stalled-weekend.jsonc
diff <(table demo) <(table stdout) >&2 || fail "compare prints another table of the same scenario"
cp demo stdout

# The next command that it names works as it stands.
next=$(sed -n 's/^ next: reeve //p' stdout)
[ -n "$next" ] || fail "no next command"
read -ra words <<<"$next"
run 0 "${words[@]}"
has stdout 'big-train was stopped at 01:16:02 by stalled_gpu'
has stdout '01:00:00  fault: stall, cause service'
has stdout 'alarm OK → ALARM   GPUUtilization average, algo-1, sum of 8 GPUs, ≤ 1 for 3 of 3 × 5'
has stdout '[01:00,01:05) 0.0   [01:05,01:10) 0.0   [01:10,01:15) 0.0'
has stdout 'without this stop: attempt 1 would have lasted until 72:00:00, '
has stdout 'nearest miss: datapoints 4 of 4 stops it 5 min later (+$20.00)'
has stdout ' no difference: threshold'

# The same again, byte for byte, elsewhere and with other threads.
run 0 demo -o elsewhere -q
is_empty stderr
for table in out/demo/*.csv; do
  cmp "$table" "elsewhere/$(basename "$table")" || fail "$table differs the second time"
done

run 0 demo --json
is_json stdout
python3 - stdout <<'PYTHON' || fail "the JSON lacks what is printed"
import json, sys
demo = json.load(open(sys.argv[1]))
policies = demo["policies"]
assert policies["none"]["measures"]["first_attempt.billed_usd"]["value"] == 17280.0
assert policies["alarm+resume"]["measures"]["time_to_result"]["value"] == 72 * 3600 + 23 * 60 + 2
own = {name for name in policies["alarm+resume"]["measures"] if name.startswith("rule.")}
assert "rule.stalled_gpu.right_stops" in own, own
assert policies["alarm+resume"]["measures"]["rule.stalled_gpu.right_stops"]["value"] == 1
assert demo["expectations"]["held"] == demo["expectations"]["all"] == 9
assert any("saves $16,967.87" in line for line in demo["printed"][0]["closing"])
PYTHON
done_checking
