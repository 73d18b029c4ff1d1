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
