#!/usr/bin/env bash
# Results go where nothing is, or where reeve's own results are: never over anything else.
source "$(dirname "$0")/expect.bash"

run 0 init stalled-weekend
cp stalled-weekend.jsonc before.jsonc
unchanged() { cmp before.jsonc stalled-weekend.jsonc || fail "the scenario was written over"; }

# A journal goes over no scenario, trace or other file, but over a journal.
run 64 run stalled-weekend.jsonc -p none --journal stalled-weekend.jsonc
has stderr 'already exists and was not written by reeve'
unchanged
run 0 run stalled-weekend.jsonc -p none --journal one.journal
run 0 run stalled-weekend.jsonc -p none --journal one.journal
run 0 run stalled-weekend.jsonc -p none --journal /dev/null
run 64 run stalled-weekend.jsonc -p none --journal .
has stderr 'is a directory'
echo 'my notes' >none.journal
run 64 run stalled-weekend.jsonc -p none --journal
[ "$(cat none.journal)" = 'my notes' ] || fail "a foreign file was written over"

# What is reeve's own, but would be written otherwise now, may have been worked on.
run 0 init head-of-line
run 0 export batch head-of-line.jsonc -p quota -o queues.json
run 0 import batch queues.json -o imported.jsonc
run 0 import batch queues.json -o imported.jsonc
sed -e 's/"\([mM]axCapacity\)": *[0-9]*/"\1": 7/' queues.json >fewer.json
run 64 import batch fewer.json -o imported.jsonc
has stderr 'imported.jsonc already exists and differs from the new content'

run 0 export batch head-of-line.jsonc -p quota -o queues.json
run 64 export batch head-of-line.jsonc -p fifo -o fewer.json
sed -i 's/^{$/{ "Outputs": {},/' queues.json
cp queues.json mine.json
run 64 export batch head-of-line.jsonc -p quota -o queues.json
cmp mine.json queues.json || fail "a template was written over"

# So may a trace: it may have columns that only its owner knows.
printf 'job_id,submit_s,duration_s,gpus,team\nj1,0,60,1,vision\nj2,5,60,1,text\n' >owned.csv
cp owned.csv mine.csv
run 64 import csv mine.csv --since 1s -o mine.csv
has stderr 'mine.csv already exists'
cmp owned.csv mine.csv || fail "a trace was written over"
run 0 import csv mine.csv -o imported.csv
run 0 import csv mine.csv -o imported.csv

# The schema for editors goes over an older schema of reeve, and over no other.
echo '{ "title": "of another tool" }' >.reeve/scenario.schema.json
run 64 schema --write
run 64 init failures -o second.jsonc
[ ! -e second.jsonc ] || fail "init wrote half of its files"
grep -q 'another tool' .reeve/scenario.schema.json || fail "a foreign schema was written over"
rm .reeve/scenario.schema.json
run 0 schema --write
run 0 schema --write

# Tables go into a new or empty directory, or over an export.
mkdir mine empty
echo 'job,owner' >mine/jobs.csv
for command in 'run stalled-weekend.jsonc' 'compare stalled-weekend.jsonc' demo; do
  read -ra words <<<"$command"
  run 64 "${words[@]}" -o mine
  has stderr 'has files that are not results of reeve'
  run 64 "${words[@]}" -o .
  run 64 "${words[@]}" -o stalled-weekend.jsonc
  has stderr 'is a file'
done
[ "$(ls -A mine)" = jobs.csv ] || fail "something was written beside foreign files"
[ "$(cat mine/jobs.csv)" = job,owner ] || fail "a foreign table was written over"
echo '{ "name": "of another tool" }' >mine/datapackage.json
run 64 compare stalled-weekend.jsonc -o mine
mkdir empty/week
run 0 compare stalled-weekend.jsonc -o empty
run 0 compare stalled-weekend.jsonc -o empty
run 0 run stalled-weekend.jsonc -o empty
touch empty/notes.txt
run 0 compare stalled-weekend.jsonc -o empty
[ -e empty/notes.txt ] || fail "notes were taken away"
unchanged

# The demo's scenario, once worked on, is an input too.
run 0 demo -o played
run 0 demo -o played
echo '// mine' >>played/stalled-weekend.jsonc
run 64 demo -o played
has stderr 'played/stalled-weekend.jsonc already exists'
sed -i 's/seed/luck/' played/stalled-weekend.jsonc
run 64 demo -o played
grep -q '// mine' played/stalled-weekend.jsonc || fail "the scenario was written over"

# JUnit goes over JUnit only.
run 64 test stalled-weekend.jsonc --junit stalled-weekend.jsonc
unchanged
run 0 test stalled-weekend.jsonc --junit junit.xml
run 0 test stalled-weekend.jsonc --junit junit.xml
done_checking
