#!/usr/bin/env bash
# Timelines: strict JSON in the Trace Event Format, with the dollars of the ledger.
source "$(dirname "$0")/expect.bash"

check="$source_root/tests/cli/timeline_check.py"
are_right() {
  python3 "$check" "$@" >checked 2>&1 || fail "timeline_check.py $*: $(tail -n 3 checked)"
  grep -q ' and [1-9][0-9]* sums are right' checked || fail "nothing was summed: $(cat checked)"
  checks=$((checks + 1))
}

for name in stalled-weekend head-of-line deadline-on-spot drawn-stalls failures tags; do
  run 0 init "$name"
  run 0 compare "$name.jsonc" -o "out/$name" --timeline "$name.json"
  has stderr "wrote $name.json"
  are_right "$name.json" "out/$name"
done

# One process for each policy, and for each of its shares.
has head-of-line.json '"args":{"name":"quota / research"}'
has head-of-line.json '"name":"pending","ph":"C"'
has stalled-weekend.json '"name":"stop_job","cat":"decision"'
has stalled-weekend.json '"cost_if_not_usd":16967.866667'

# Equal bytes with any number of threads, and compressed; further replications are not in it.
for threads in 1 4; do
  run 0 compare drawn-stalls.jsonc --threads "$threads" --timeline "$threads.json"
  cmp drawn-stalls.json "$threads.json" || fail "$threads threads give another timeline"
done
run 0 compare drawn-stalls.jsonc --runs 1 --timeline one.json
cmp drawn-stalls.json one.json || fail "the timeline depends on the number of runs"
run 0 compare drawn-stalls.jsonc --timeline drawn.json.gz
gzip -dc drawn.json.gz | cmp - drawn-stalls.json || fail "the compressed timeline is another one"
cp drawn.json.gz first.gz
run 0 compare drawn-stalls.jsonc --timeline drawn.json.gz
cmp first.gz drawn.json.gz || fail "compressed bytes differ"

# What is printed does not depend on it.
run 0 compare drawn-stalls.jsonc --json
cp stdout without.json
run 0 compare drawn-stalls.jsonc --json --timeline with.json
cmp without.json stdout || fail "a timeline changes what compare prints"
run 0 run stalled-weekend.jsonc -p gpu-alarm --timeline new/folder/one.json
[ -s new/folder/one.json ] || fail "the folder was not created"
run 0 run stalled-weekend.jsonc -p gpu-alarm --timeline one.weekend --journal a.journal
cmp new/folder/one.json one.weekend || fail "a journal changes the timeline"
"$REEVE" run stalled-weekend.jsonc -p gpu-alarm --timeline /dev/fd/3 3>&1 >stdout 2>stderr |
  cmp - one.weekend || fail "a pipe has another timeline"
run 0 compare stalled-weekend.jsonc --what-if-speed 2 --timeline speed.json
cmp speed.json stalled-weekend.json || fail "the timeline is of the other speed"

# Hostile names.  (Bytes that are no UTF-8 are an error of the scenario or trace.)
python3 - <<'PYTHON'
text = open("stalled-weekend.jsonc", encoding="utf-8").read()
text = text[: text.index('"expect"')] + '"expect": [] }'
text = text.replace('"name": "big-train"', '"name": "a\\\\},]{\\u00e9"')
open("hostile.jsonc", "w", encoding="utf-8").write(text.replace('"gpu-alarm"', '"]}"'))
PYTHON
run 0 run hostile.jsonc -o out/hostile --timeline hostile.json
are_right hostile.json out/hostile
has hostile.json $'"name":"a\\\\},]{\u00e9"'
has hostile.json '"name":"]}"'
printf 'job_id,submit_s,duration_s,gpus_total\nj"\\\\\x7f},0,60,1\n' >odd.csv
sed -e '/"workload"/,/^  },/c"workload": { "trace": "odd.csv" },' -e '/"expect"/,$c"expect": [] }' \
  "$source_root/scenarios/gallery/queueing-replay.jsonc" >odd.jsonc
run 0 run odd.jsonc --timeline odd.json -o out/odd
are_right odd.json out/odd
has odd.json '"name":"j\"\\'

# It goes over a timeline of reeve, and over no other file.
cp stalled-weekend.jsonc before.jsonc
run 64 run stalled-weekend.jsonc -p none --timeline stalled-weekend.jsonc
has stderr '--timeline: stalled-weekend.jsonc already exists and was not written by reeve'
cmp before.jsonc stalled-weekend.jsonc || fail "the scenario was written over"
echo '{"traceEvents":[]}' >theirs.json
cp theirs.json theirs.json.gz
for file in theirs.json theirs.json.gz; do
  run 64 compare stalled-weekend.jsonc --timeline "$file"
  has stderr 'already exists'
  [ "$(cat "$file")" = '{"traceEvents":[]}' ] || fail "a foreign trace was written over"
done
run 64 compare stalled-weekend.jsonc --timeline .
has stderr 'is a directory'
run 64 compare stalled-weekend.jsonc --timeline ''
has stderr '--timeline needs a file'
run 64 compare stalled-weekend.jsonc -o out/x --timeline out/x/manifest.json
has stderr 'is a name of results'
run 64 run stalled-weekend.jsonc -p none --journal ./same --timeline same
has stderr '--journal and --timeline name the same file'
run 0 compare stalled-weekend.jsonc --timeline stalled-weekend.json

# A full disk leaves the earlier timeline, and no temporary file.
run 1 compare stalled-weekend.jsonc --timeline /dev/full
has stderr 'cannot write /dev/full: No space left on device'
touch folder
run 1 compare stalled-weekend.jsonc --timeline folder/one.json
has stderr 'cannot'
(
  ulimit -f 4
  run 1 compare drawn-stalls.jsonc --timeline drawn-stalls.json
)
cmp drawn-stalls.json one.json || fail "the earlier timeline is gone"
[ -z "$(find . -name '.*.tmp')" ] || fail "temporary files are left behind"

done_checking
