#!/usr/bin/env bash
# The command that compare and run name last works as printed, in the folder it was printed in.
source "$(dirname "$0")/expect.bash"

# follows STREAM: runs what the line "next: reeve ..." of the stream says.
follows() {
  local next words
  next=$(sed -n 's/^ *next: reeve //p' "$1")
  [ -n "$next" ] || fail "$1 names no next command"
  eval "words=($next)"
  run 0 "${words[@]}"
}

run 0 init stalled-weekend
run 0 compare stalled-weekend.jsonc
has stdout 'next: reeve explain big-train stalled-weekend.jsonc -p gpu-alarm'
follows stdout
has stdout 'big-train was stopped at 01:16:02 by stalled_gpu'

# Results in out itself are found too, by name and without.
run 0 compare stalled-weekend.jsonc -o out
has stdout 'next: reeve explain big-train out -p gpu-alarm'
follows stdout
has stdout 'big-train was stopped at 01:16:02 by stalled_gpu'
run 0 explain big-train -p gpu-alarm
has stdout 'big-train was stopped at 01:16:02 by stalled_gpu'
run 0 run stalled-weekend.jsonc -p alarm+resume -o elsewhere/results
has stderr 'next: reeve explain big-train elsewhere/results -p alarm+resume'
follows stderr
has stdout 'big-train was stopped'

# Of results whose scenario has changed or gone the story would be another one.
cp stalled-weekend.jsonc kept.jsonc
sed -i 's/"work": "72h"/"work": "50h"/' stalled-weekend.jsonc
run 64 explain big-train out -p gpu-alarm
has stderr 'stalled-weekend.jsonc has changed since the results in out were made from it'
run 0 explain big-train stalled-weekend.jsonc -p gpu-alarm
rm stalled-weekend.jsonc
run 64 explain big-train out -p gpu-alarm
has stderr 'the results in out were made from stalled-weekend.jsonc, which does not exist'
mv kept.jsonc stalled-weekend.jsonc
run 0 explain big-train out -p gpu-alarm
run 64 explain big-train out -p gpu-alarm --rep 1
has stderr 'there is no replication 1'

# Drawn jobs have names as well, and the seed is the one that was printed about.
run 0 init drawn-stalls
run 0 compare drawn-stalls.jsonc --runs 2 --seed 7
has stdout 'next: reeve explain week-24 drawn-stalls.jsonc -p alarm --seed 7'
follows stdout
cp stdout by-file
run 0 compare drawn-stalls.jsonc --runs 2 --seed 7 -o out/drawn
has stdout 'next: reeve explain week-24 out/drawn -p alarm'
follows stdout
cmp -s by-file stdout || fail "the directory of results tells another story than its scenario"
run 0 explain week-24 drawn-stalls.jsonc -p alarm
! cmp -s by-file stdout || fail "the seed makes no difference, so nothing was shown"

# Names that a shell or an option parser would take for something else.
sed 's/big-train/-big;train/' stalled-weekend.jsonc >'a b.jsonc'
run 0 compare 'a b.jsonc'
follows stdout
has stdout '-big;train was stopped at 01:16:02'
done_checking
